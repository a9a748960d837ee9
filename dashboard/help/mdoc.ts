// SPDX-License-Identifier: MIT
// The mdoc(7) that posthouse-workflow(5) uses, as html.
import { anchor, escaped } from './markdown';

/** Words of a macro line; those in quotes are one. */
const wordsOf = (line: string) => [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word);
const plain = (text: string) => escaped(text.replace(/\\e/g, '\\').replace(/\\&/g, '').replace(/\\-/g, '-'));
const closing = /^[.,:;)\]?!]$/;
const code = (words: string[]) => (words.length ? `<code>${words.map(plain).join(' ')}</code>` : '');

/** A line of words and macros, which may call others. */
function inline(words: string[]): string {
	const [macro, ...rest] = words;
	if (macro === undefined) return '';
	if (macro === 'Pf') return plain(rest[0]) + inline(rest.slice(1));
	if (macro === 'Pq') {
		const end = rest.findLastIndex((word) => !closing.test(word)) + 1;
		return `(${inline(rest.slice(0, end))})${rest.slice(end).map(plain).join('')}`;
	}
	if (macro === 'Xr') return `${plain(rest[0])}(${rest[1]})${rest.slice(2).map(plain).join('')}`;
	if (macro === 'No') return joined(rest);
	if (['Li', 'Ic', 'Pa', 'Nm'].includes(macro)) return literal(rest);
	return joined(words);
}

/** Words until the next macro. */
function joined(words: string[]) {
	const next = words.findIndex((word) => ['Xr', 'Li', 'Ic'].includes(word));
	return next < 0 ? words.map(plain).join(' ') : `${words.slice(0, next).map(plain).join(' ')} ${inline(words.slice(next))}`;
}

/** Code, but for punctuation and the words behind another macro. */
function literal(words: string[]) {
	let out = '';
	let some: string[] = [];
	const put = () => {
		if (some.length) out += (out && !out.endsWith('(') ? ' ' : '') + code(some);
		some = [];
	};
	for (const [index, word] of words.entries()) {
		if (word === 'No' || word === 'Xr') {
			put();
			return `${out} ${inline(words.slice(index))}`;
		}
		if (closing.test(word) || word === '(') {
			put();
			out += word;
		} else some.push(word);
	}
	put();
	return out;
}

export function mdoc(text: string): string {
	const out: string[] = [];
	const lists: { kind: string; open: boolean }[] = [];
	let words: string[] = [];
	let verbatim: string[] | null = null;
	const paragraph = () => {
		if (words.length) out.push(`<p>${words.join(' ')}</p>`);
		words = [];
	};
	const itemEnd = () => {
		paragraph();
		const list = lists.at(-1)!;
		if (list.open) out.push(list.kind === 'tag' ? '</dd>' : '</li>');
		list.open = false;
	};
	for (const line of text.split('\n')) {
		if (verbatim) {
			if (line === '.Ed') {
				out.push(`<pre class="source" tabindex="0">${verbatim.map(plain).join('\n')}</pre>`);
				verbatim = null;
			} else verbatim.push(line);
			continue;
		}
		if (!line.startsWith('.')) {
			if (line) words.push(plain(line));
			continue;
		}
		const [macro, ...rest] = wordsOf(line.slice(1));
		if (macro === undefined || macro.startsWith('\\"') || ['Dd', 'Dt', 'Os', 'Nd'].includes(macro)) continue;
		if (macro === 'Sh' || macro === 'Ss') {
			paragraph();
			const title = rest.join(' ');
			const shown = title[0] + title.slice(1).toLowerCase();
			if (title === 'NAME') words = [];
			else out.push(`<h${macro === 'Sh' ? 2 : 3} id="${anchor(title)}">${escaped(shown)}</h${macro === 'Sh' ? 2 : 3}>`);
		} else if (macro === 'Nm') continue;
		else if (macro === 'Pp') paragraph();
		else if (macro === 'Bd') {
			paragraph();
			verbatim = [];
		} else if (macro === 'Bl') {
			paragraph();
			lists.push({ kind: rest[0] === '-tag' ? 'tag' : 'bullet', open: false });
			out.push(rest[0] === '-tag' ? '<dl>' : '<ul>');
		} else if (macro === 'El') {
			itemEnd();
			out.push(lists.pop()!.kind === 'tag' ? '</dl>' : '</ul>');
		} else if (macro === 'It') {
			itemEnd();
			const list = lists.at(-1)!;
			list.open = true;
			out.push(list.kind === 'tag' ? `<dt>${inline(rest)}</dt><dd>` : '<li>');
		} else {
			words.push(inline([macro, ...rest]));
		}
	}
	paragraph();
	return out.join('\n');
}
