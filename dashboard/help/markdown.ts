// SPDX-License-Identifier: MIT
// The Markdown that our documents use, as html: headings, paragraphs, lists, tables, code, links. Pictures are left out.

export const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

/** The name of a heading in addresses. */
export const anchor = (title: string) => title.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');

/** What links of a document become; null: their words alone stay. */
export type Leads = (target: string) => string | null;

const listMark = /^(- |\d+\. )/;

export function markdown(text: string, leads: Leads): string {
	return blocks(text.replace(/<!--[^]*?-->/g, '').split('\n'), leads);
}

function blocks(lines: string[], leads: Leads): string {
	const out: string[] = [];
	for (let at = 0; at < lines.length; ) {
		if (blank(lines[at])) {
			at++;
			continue;
		}
		const take = [code, heading, picture, table, list, paragraph].find((one) => one.fits(lines, at))!;
		const end = take.end(lines, at);
		out.push(take.html(lines.slice(at, end), leads));
		at = end;
	}
	return out.join('\n');
}

interface Block {
	fits: (lines: string[], at: number) => boolean;
	end: (lines: string[], at: number) => number;
	html: (lines: string[], leads: Leads) => string;
}

const blank = (line: string | undefined) => line !== undefined && line.trim() === '';

/** The end of lines that hold, with blank ones between them. */
function endOf(lines: string[], at: number, holds: (line: string) => boolean) {
	let end = at;
	for (let next = at; next < lines.length && (holds(lines[next]) || blank(lines[next])); next++) if (!blank(lines[next])) end = next + 1;
	return end;
}

const code: Block = {
	fits: (lines, at) => lines[at].startsWith('    ') && !blank(lines[at]),
	end: (lines, at) => endOf(lines, at, (line) => line.startsWith('    ')),
	html: (lines) => {
		const margin = Math.min(...lines.filter((line) => !blank(line)).map((line) => line.length - line.trimStart().length));
		return `<pre class="source" tabindex="0">${escaped(lines.map((line) => line.slice(margin)).join('\n'))}</pre>`;
	},
};

const heading: Block = {
	fits: (lines, at) => /^#{1,4} /.test(lines[at]),
	end: (_, at) => at + 1,
	html: ([line], leads) => {
		const level = line.indexOf(' ');
		const title = line.slice(level + 1);
		// The title of the document is that of the page.
		return level === 1 ? '' : `<h${level} id="${anchor(title)}">${inline(title, leads)}</h${level}>`;
	},
};

const picture: Block = { fits: (lines, at) => /^!\[[^\]]*\]\([^)]*\)$/.test(lines[at]), end: (_, at) => at + 1, html: () => '' };

const table: Block = {
	fits: (lines, at) => lines[at].startsWith('|'),
	end: (lines, at) => {
		let end = at;
		while (lines[end]?.startsWith('|')) end++;
		return end;
	},
	html: ([head, , ...rows], leads) => {
		const cells = (row: string, kind: string) => row.split(/(?<!\\)\|/).slice(1, -1).map((cell) => `<${kind}>${inline(cell.trim().replace(/\\\|/g, '|'), leads)}</${kind.split(' ')[0]}>`).join('');
		return `<div class="table-box" role="group" tabindex="0"><table><thead><tr>${cells(head, 'th scope="col"')}</tr></thead><tbody>${rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('')}</tbody></table></div>`;
	},
};

const list: Block = {
	fits: (lines, at) => listMark.test(lines[at]),
	end: (lines, at) => {
		const numbered = /^\d/.test(lines[at]);
		return endOf(lines, at, (line) => line.startsWith('  ') || (listMark.test(line) && /^\d/.test(line) === numbered));
	},
	html: (lines, leads) => {
		const items: string[][] = [];
		for (const line of lines) {
			const mark = listMark.exec(line);
			if (mark) items.push([line.slice(mark[0].length)]);
			else items.at(-1)!.push(line.slice(/^\d/.test(lines[0]) ? 3 : 2));
		}
		const kind = /^\d/.test(lines[0]) ? 'ol' : 'ul';
		return `<${kind}>${items.map((item) => `<li>${lone(blocks(item, leads))}</li>`).join('')}</${kind}>`;
	},
};

/** The text of a lone paragraph. */
const lone = (html: string) => (/^<p>(?:(?!<p>)[^])*<\/p>$/.test(html) && html.lastIndexOf('<p>') === 0 ? html.slice(3, -4) : html);

const paragraph: Block = {
	fits: () => true,
	end: (lines, at) => {
		let end = at + 1;
		while (end < lines.length && !blank(lines[end]) && ![heading, table, list].some((one) => one.fits(lines, end))) end++;
		return end;
	},
	html: (lines, leads) => `<p>${inline(lines.map((line) => line.trim()).join(' '), leads)}</p>`,
};

/** What stands within a line: code, links, strong and stressed words. */
export function inline(text: string, leads: Leads): string {
	return text
		.split(/(`[^`]+`|\[[^\]]+\]\([^)]+\))/)
		.map((part, index) => {
			if (index % 2 === 0) return escaped(part).replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>').replace(/\*([^*]+)\*/g, '<em>$1</em>');
			if (part.startsWith('`')) {
				const to = leads(part.slice(1, -1));
				const words = `<code>${escaped(part.slice(1, -1))}</code>`;
				return to ? `<a href="${escaped(to)}">${words}</a>` : words;
			}
			const [, words, target] = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part)!;
			const to = leads(target);
			return to ? `<a href="${escaped(to)}">${escaped(words)}</a>` : escaped(words);
		})
		.join('');
}
