// SPDX-License-Identifier: MIT
// A field for html: its editor once that is loaded, or a text area where it cannot be.
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { w } from '../words';
import { TextField } from './field';

interface Props {
	label: string;
	help?: ReactNode;
	name: string;
	value: string;
	onChange: (value: string) => void;
	rows: number;
	readOnly?: boolean;
	/** The names that are offered behind {{. */
	variables?: string[];
}

type Editor = typeof import('./code-editor');

export function CodeField({ onChange, variables, ...props }: Props) {
	const [editor, setEditor] = useState<Editor | 'none' | null>(null);
	useEffect(() => {
		let here = true;
		import('./code-editor').then((loaded) => here && setEditor(loaded)).catch(() => here && setEditor('none'));
		return () => void (here = false);
	}, []);
	if (editor && editor !== 'none') return <Edited {...props} variables={variables ?? []} editor={editor} onChange={onChange} />;
	return <TextField {...props} readOnly={props.readOnly || !editor} aria-busy={!editor} onChange={(event) => onChange(event.target.value)} spellCheck={false} />;
}

function Edited({ label, help, name, value, rows, readOnly, variables, editor, onChange }: Required<Pick<Props, 'variables'>> & Props & { editor: Editor }) {
	const box = useRef<HTMLDivElement>(null);
	const now = useRef({ value, variables, onChange });
	now.current = { value, variables, onChange };
	useEffect(
		() =>
			editor.open(box.current!, {
				label,
				text: now.current.value,
				rows,
				readOnly,
				variables: () => now.current.variables,
				onChange: (text) => now.current.onChange(text),
			}),
		[editor, label, rows, readOnly],
	);
	return (
		<div className="field">
			<span className="label" aria-hidden="true">
				{label}
			</span>
			<div className="code-field" ref={box} />
			<input type="hidden" name={name} value={value} />
			{help && <p className="help">{help}</p>}
			{!readOnly && <p className="help">{w.code.keys}</p>}
		</div>
	);
}
