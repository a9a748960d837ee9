// SPDX-License-Identifier: MIT
// The service names a fault by the path of a member, and says what is wrong with it. The reader sees the name of the field, and
// the sentence in the language of the page, where both are known; else what the service says.
import { w } from '../words';

/** In front of it the node of a design, in quotes. */
const form = /^(?:node ("[^"]*"): )?([a-z]\w*(?:\[\d+\]|\.[\w-]+)*) ((?:is|are|must|has|have|needs|cannot|could|takes|does|expects) .+)$/s;

const numbers = '([\\d,]+)';
const sentences = (): [RegExp, (...parts: string[]) => string][] => [
	[/^is required$/, w.fault.required],
	[/^must not be empty$/, w.fault.required],
	[/^must be a valid email address$/, w.fault.address],
	[/^must not be in the past$/, w.fault.past],
	[/^must be an IANA time zone$/, w.fault.zone],
	[/^must be an absolute http or https URL$/, w.fault.url],
	[new RegExp(`^must be at most ${numbers} characters$`), w.fault.atMost],
	[new RegExp(`^must be at least ${numbers}$`), w.fault.least],
	[new RegExp(`^must be (?:between )?${numbers} (?:to|and) ${numbers}$`), w.fault.between],
	[new RegExp(`^must (?:be|have) ${numbers} to ${numbers} characters$`), w.fault.length],
	[new RegExp(`^must have at most ${numbers} (?:elements|properties|addresses)$`), w.fault.entries],
	[/^must be one of (.+)$/s, w.fault.oneOf],
	[/^is not an? [\w ]+$/, w.fault.gone],
	[new RegExp(`^is too small to decide: about ${numbers} people get each variant, and it takes ${numbers}$`), w.fault.small],
];

/** `data.rules[1].operator` as it is called in forms. */
function fieldName(path: string) {
	const parts = path.split('.').filter((part, index) => index > 0 || (part !== 'data' && part !== 'contact' && part !== 'body'));
	const known = w.fault.fields as Record<string, string>;
	const names = parts.flatMap((part) => {
		const [, name, index] = /^([^[]*)(?:\[(\d+)\])?/.exec(part)!;
		return [known[name] ?? name.replaceAll('_', ' '), ...(index === undefined ? [] : [w.fault.entry(Number(index) + 1)])];
	});
	const text = names.join(', ');
	return text.charAt(0).toUpperCase() + text.slice(1);
}

export function faultText(said: string): string {
	const [, node, path, rest] = form.exec(said) ?? [];
	// A word of a sentence is no path.
	if (!path || !rest || (/^[a-z]+$/.test(path) && !(path in w.fault.fields))) return said;
	const name = fieldName(path);
	for (const [pattern, sentence] of sentences()) {
		const found = pattern.exec(rest);
		if (found) return `${node ? `${node}: ` : ''}${sentence(name, ...found.slice(1))}`;
	}
	return `${node ? `${node}: ` : ''}${name}: ${rest}`;
}
