// SPDX-License-Identifier: MIT
// The editor of html, CodeMirror. It stands in a shadow root: there its styles are adopted sheets, which our
// Content-Security-Policy allows; in the page itself they would be style elements.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { html } from '@codemirror/lang-html';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

interface Options {
	label: string;
	text: string;
	rows: number;
	readOnly?: boolean;
	onChange: (text: string) => void;
}

const colours = HighlightStyle.define([
	{ tag: [tags.tagName, tags.angleBracket], color: 'var(--accent)' },
	{ tag: [tags.attributeName, tags.propertyName], color: 'var(--warn)' },
	{ tag: [tags.attributeValue, tags.string], color: 'var(--good)' },
	{ tag: tags.comment, color: 'var(--soft)' },
]);

const look = (rows: number) =>
	EditorView.theme({
		'&': { color: 'var(--ink)', fontSize: '12.5px', height: `${rows * 1.5}em` },
		'&.cm-focused': { outline: 'none' },
		'.cm-scroller': { fontFamily: 'var(--type-code)', lineHeight: '1.5' },
		'.cm-content': { caretColor: 'var(--ink)' },
		'.cm-cursor': { borderLeftColor: 'var(--ink)' },
		'.cm-gutters': { backgroundColor: 'var(--sunk)', color: 'var(--soft)', border: 'none' },
		'.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--accent-soft) 40%, transparent)' },
		'&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--accent-soft)' },
	});

/** Opens an editor in a box, and returns what closes it. Tab leaves it, as any field. */
export function open(box: HTMLElement, { label, text, rows, readOnly, onChange }: Options) {
	const root = box.shadowRoot ?? box.attachShadow({ mode: 'open' });
	const view = new EditorView({
		parent: root,
		root,
		state: EditorState.create({
			doc: text,
			extensions: [
				lineNumbers(),
				history(),
				drawSelection(),
				highlightActiveLine(),
				html(),
				syntaxHighlighting(colours),
				look(rows),
				EditorView.lineWrapping,
				keymap.of([...defaultKeymap, ...historyKeymap]),
				EditorState.readOnly.of(!!readOnly),
				// Text alone: as rich text the browser would write style attributes of its own, which the policy forbids.
				EditorView.contentAttributes.of({ contenteditable: 'plaintext-only', 'aria-label': label, spellcheck: 'false', ...(readOnly ? { 'aria-readonly': 'true' } : {}) }),
				EditorView.updateListener.of((update) => update.docChanged && onChange(update.state.doc.toString())),
			],
		}),
	});
	return () => view.destroy();
}
