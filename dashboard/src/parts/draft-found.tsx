// SPDX-License-Identifier: MIT
// A draft of the reader's own, which was kept and not saved.
import { w } from '../words';
import { Button } from './button';
import { timeText } from './time';

export function DraftFound({ at, onTake, onDrop }: { at: number; onTake: () => void; onDrop: () => void }) {
	return (
		<div className="card" role="status">
			<p>{w.unsaved.kept(timeText(at, 'minute'))}</p>
			<div className="row">
				<Button onClick={onTake}>{w.unsaved.goOn}</Button>
				<Button look="quiet" onClick={onDrop}>
					{w.unsaved.drop}
				</Button>
			</div>
		</div>
	);
}
