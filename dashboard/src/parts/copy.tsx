// SPDX-License-Identifier: MIT
// A value to copy: shown, with a button.
import { useState } from 'react';
import { w } from '../words';
import { Icon } from './icon';

export function CopyButton({ text, name }: { text: string; name: string }) {
	const [done, setDone] = useState(false);
	const copy = async () => {
		await navigator.clipboard.writeText(text);
		setDone(true);
		setTimeout(() => setDone(false), 1500);
	};
	return (
		<button type="button" className="icon-button" aria-label={`${w.do.copy}: ${name}`} title={w.do.copy} onClick={() => void copy()}>
			<Icon name={done ? 'check' : 'copy'} />
		</button>
	);
}

export function Copied({ text, name }: { text: string; name: string }) {
	return (
		<span className="copied">
			<code>{text}</code>
			<CopyButton text={text} name={name} />
		</span>
	);
}
