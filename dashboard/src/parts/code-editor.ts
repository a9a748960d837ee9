// SPDX-License-Identifier: MIT
// The editor of html, CodeMirror, in a shadow root: there its styles are adopted sheets, which our Content-Security-Policy
// allows; in the page itself they would be style elements.
import { autocompletion, completionKeymap, type Completion, type CompletionContext } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { html, htmlLanguage } from '@codemirror/lang-html';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { Decoration, drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, MatchDecorator, ViewPlugin, type DecorationSet } from '@codemirror/view';
import { tags } from '@lezer/highlight';

interface Options {
	label: string;
	text: string;
	rows: number;
	readOnly?: boolean;
	/** The names that are offered behind {{. */
	variables: () => string[];
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
		'.cm-variable': { fontWeight: '650' },
		'.cm-tooltip': { color: 'var(--ink)', backgroundColor: 'var(--paper)', border: '1px solid var(--line-strong)', borderRadius: '6px' },
		'.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--type-code)' },
		'.cm-tooltip-autocomplete ul li[aria-selected]': { color: 'var(--ink)', background: 'var(--accent-soft)' },
	});

const variableMarks = new MatchDecorator({ regexp: /(?<!(?<!\\)\\)\{\{[^{}]*\}\}/g, decoration: Decoration.mark({ class: 'cm-variable' }) });
const markedVariables = ViewPlugin.define<{ marks: DecorationSet; update: (update: Parameters<typeof variableMarks.updateDeco>[0]) => void }>(
	(view) => ({
		marks: variableMarks.createDeco(view),
		update(update) {
			this.marks = variableMarks.updateDeco(update, this.marks);
		},
	}),
	{ decorations: ({ marks }) => marks },
);

/** Offers names behind {{: those given, and those that the text has already. */
const offered = (variables: () => string[]) => (context: CompletionContext) => {
	const begun = context.matchBefore(/\{\{[\w.]*$/);
	if (!begun) return null;
	const own = [...context.state.doc.toString().matchAll(/\{\{([A-Za-z_][\w.]*)/g)].filter(({ index }) => index !== begun.from).map(([, name]) => name);
	const close = context.state.sliceDoc(context.pos, context.pos + 2) === '}}' ? '' : '}}';
	const options = [...new Set([...variables(), ...own])].map((label): Completion => ({ label, type: 'variable', apply: label + close }));
	return { from: begun.from + 2, options, validFor: /^[\w.]*$/ };
};

/** The text that the browser would change: events in a shadow root do not say it. */
function chosen(view: EditorView) {
	const selection = (view.root as ShadowRoot & Partial<Pick<Document, 'getSelection'>>).getSelection?.();
	if (!selection?.anchorNode || !selection.focusNode || !view.contentDOM.contains(selection.anchorNode)) return view.state.selection.main;
	const ends = [view.posAtDOM(selection.anchorNode, selection.anchorOffset), view.posAtDOM(selection.focusNode, selection.focusOffset)];
	return { from: Math.min(...ends), to: Math.max(...ends) };
}

/** Puts text in the place of what is chosen, in the browser's stead. */
function replaced(event: InputEvent, view: EditorView) {
	const text = event.inputType.startsWith('delete') ? '' : event.data;
	const { from, to } = chosen(view);
	if (!event.cancelable || view.composing || view.state.readOnly || text === null || from === to) return false;
	const insert = view.state.toText(text);
	const change = () => view.state.update({ changes: { from, to, insert }, selection: { anchor: from + insert.length }, userEvent: text ? 'input.type' : 'delete.selection', scrollIntoView: true });
	if (!view.state.facet(EditorView.inputHandler).some((takes) => takes(view, from, to, text, change))) view.dispatch(change());
	return true;
}

// Where text takes the place of other text, the browser would keep the colours of that with a style attribute, which the
// policy forbids: the editor does it instead. Before a composition the place is made free.
const withoutStyle = EditorView.domEventHandlers({
	beforeinput: replaced,
	compositionstart(_, view) {
		if (!view.state.readOnly && !view.state.selection.main.empty) view.dispatch(view.state.replaceSelection(''));
	},
});

/** Escape, then Tab leaves the editor; otherwise Tab indents. */
const leaving = [
	keymap.of([
		{
			key: 'Escape',
			run(view) {
				view.setTabFocusMode(true);
				return false;
			},
		},
		indentWithTab,
	]),
	EditorView.domEventHandlers({ blur: (_, view) => view.setTabFocusMode(false) }),
];

/** Opens an editor in a box, and returns what closes it. */
export function open(box: HTMLElement, { label, text, rows, readOnly, variables, onChange }: Options) {
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
				markedVariables,
				look(rows),
				EditorView.lineWrapping,
				withoutStyle,
				readOnly ? EditorState.readOnly.of(true) : [leaving, autocompletion({ icons: false }), htmlLanguage.data.of({ autocomplete: offered(variables) })],
				keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
				EditorView.contentAttributes.of({ 'aria-label': label }),
				EditorView.updateListener.of((update) => update.docChanged && onChange(update.state.doc.toString())),
			],
		}),
	});
	return () => view.destroy();
}
