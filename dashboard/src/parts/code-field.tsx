// SPDX-License-Identifier: MIT
// A field for html: a text area until its editor is loaded, and where it cannot be.
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { TextField } from './field';

interface Props {
	label: string;
	help?: ReactNode;
	name: string;
	defaultValue: string;
	rows: number;
	readOnly?: boolean;
}

type Editor = typeof import('./code-editor');

export function CodeField(props: Props) {
	const [editor, setEditor] = useState<Editor | null>(null);
	useEffect(() => {
		let here = true;
		import('./code-editor').then((loaded) => here && setEditor(loaded)).catch(() => {});
		return () => void (here = false);
	}, []);
	const [value, setValue] = useState(props.defaultValue);
	if (editor) return <Edited {...props} editor={editor} value={value} onChange={setValue} />;
	const { defaultValue: _, ...rest } = props;
	return <TextField {...rest} value={value} onChange={(event) => setValue(event.target.value)} spellCheck={false} />;
}

function Edited({ label, help, name, rows, readOnly, editor, value, onChange }: Props & { editor: Editor; value: string; onChange: (value: string) => void }) {
	const box = useRef<HTMLDivElement>(null);
	const first = useRef(value);
	const id = useId();
	useEffect(() => editor.open(box.current!, { label, text: first.current, rows, readOnly, onChange }), [editor, label, rows, readOnly, onChange]);
	return (
		<div className="field">
			<span className="label" aria-hidden="true">
				{label}
			</span>
			<div className="code-field" ref={box} />
			<input type="hidden" name={name} value={value} />
			{help && (
				<p className="help" id={`${id}-help`}>
					{help}
				</p>
			)}
		</div>
	);
}
