// SPDX-License-Identifier: MIT
// Somebody else has changed the same thing: both versions to compare, and the choice between them.
import { w } from '../words';
import { Button } from './button';
import { Dialog } from './dialog';

export interface Difference {
	name: string;
	mine: string;
	theirs: string;
}

interface Props {
	/** Null: there is no conflict. */
	differences: Difference[] | null;
	onMine: () => void;
	onTheirs: () => void;
	onClose: () => void;
}

export function Conflict({ differences, onMine, onTheirs, onClose }: Props) {
	return (
		<Dialog wide title={w.conflict.title} open={differences !== null} onOpenChange={(open) => open || onClose()}>
			<p>{w.conflict.text}</p>
			<Compared differences={differences ?? []} mine={w.conflict.mine} theirs={w.conflict.theirs} />
			<div className="dialog-foot">
				<Button onClick={onClose}>{w.do.cancel}</Button>
				<Button onClick={onTheirs}>{w.conflict.takeTheirs}</Button>
				<Button look="bad" onClick={onMine}>
					{w.conflict.keepMine}
				</Button>
			</div>
		</Dialog>
	);
}

/** The parts that differ, side by side. */
export function Compared({ differences, mine, theirs }: { differences: Difference[]; mine: string; theirs: string }) {
	if (!differences.length) return <p className="soft">{w.conflict.same}</p>;
	return differences.map(({ name, ...texts }) => (
		<section key={name} className="section">
			<h3>{name}</h3>
			<div className="halves">
				{([[mine, texts.mine], [theirs, texts.theirs]] as const).map(([of, text]) => (
					<div key={of}>
						<p className="help">{of}</p>
						<pre className="source" tabIndex={0}>
							{text || '–'}
						</pre>
					</div>
				))}
			</div>
		</section>
	));
}

const shown = (value: unknown): string => (value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 1));

/** What differs between two things, of the parts that have a name. */
export const differencesOf = (mine: object, theirs: object, names: Record<string, string>): Difference[] =>
	Object.entries(names).flatMap(([key, name]) => {
		const [a, b] = [shown((mine as Record<string, unknown>)[key]), shown((theirs as Record<string, unknown>)[key])];
		return a === b ? [] : [{ name, mine: a, theirs: b }];
	});
