// SPDX-License-Identifier: MIT
// Keys of the canvas: undo and redo, copy, cut and paste. What is copied is a design as text.
import { useEffect } from 'react';
import { chosen, designRead, designText, isKind, isObject, withCopy, withoutNodes, type Design } from './design';
import type { DrawingOf } from './history';

/** Whether the reader writes into a field, which has these keys for itself. */
const writes = () => document.activeElement?.matches('input, textarea, select, [contenteditable]') || !!document.querySelector('[role="dialog"]');

export function clipboardUse(drawing?: DrawingOf) {
	const change = drawing?.change;
	const design = drawing?.design;
	useEffect(() => {
		if (!change || !design) return;
		const copy = (event: ClipboardEvent) => {
			const part = chosen(design);
			if (writes() || !part.nodes.length || getSelection()?.toString()) return;
			event.preventDefault();
			event.clipboardData?.setData('text/plain', designText(part));
			if (event.type === 'cut') change((now) => withoutNodes(now, new Set(part.nodes.map(({ id }) => id))));
		};
		const paste = (event: ClipboardEvent) => {
			const part = writes() ? null : designIn(event.clipboardData?.getData('text/plain') ?? '');
			if (!part) return;
			event.preventDefault();
			change((now) => withCopy(now, part));
		};
		document.addEventListener('copy', copy);
		document.addEventListener('cut', copy);
		document.addEventListener('paste', paste);
		return () => {
			document.removeEventListener('copy', copy);
			document.removeEventListener('cut', copy);
			document.removeEventListener('paste', paste);
		};
	}, [change, design]);
}

/** The design that a text is, if it is one. */
function designIn(text: string): Design | null {
	try {
		const given: unknown = JSON.parse(text);
		if (!isObject(given) || !Array.isArray(given.nodes) || !Array.isArray(given.edges)) return null;
		const design = designRead(text);
		return design.nodes.length && design.nodes.every(({ type }) => isKind(type)) ? withoutNodes(design, new Set()) : null;
	} catch {
		return null;
	}
}

export function shortcutsUse(drawing?: DrawingOf) {
	const undo = drawing?.undo;
	const redo = drawing?.redo;
	useEffect(() => {
		if (!undo || !redo) return;
		const press = (event: KeyboardEvent) => {
			const key = event.key.toLowerCase();
			if (!(event.ctrlKey || event.metaKey) || (key !== 'z' && key !== 'y') || writes()) return;
			event.preventDefault();
			(key === 'y' || event.shiftKey ? redo : undo)();
		};
		addEventListener('keydown', press);
		return () => removeEventListener('keydown', press);
	}, [undo, redo]);
}
