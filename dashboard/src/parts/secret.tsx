// SPDX-License-Identifier: MIT
// Something that is shown once: a new key, a new secret.
import { w } from '../words';
import { Button } from './button';
import { Copied } from './copy';
import { Dialog } from './dialog';

interface Props {
	title: string;
	text: string;
	name: string;
	/** Empty: nothing is shown. */
	value: string;
	onClose: () => void;
}

export function Secret({ title, text, name, value, onClose }: Props) {
	return (
		<Dialog title={title} open={value !== ''} onOpenChange={(open) => open || onClose()}>
			<p>{text}</p>
			<Copied text={value} name={name} />
			<div className="dialog-foot">
				<Button onClick={onClose}>{w.do.close}</Button>
			</div>
		</Dialog>
	);
}
