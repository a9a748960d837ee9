// SPDX-License-Identifier: MIT
// Names of domains in their own script: xn--mnchen-3ya.de is shown as münchen.de (RFC 3492).

const base = 36;
const low = 1;
const high = 26;

const digitOf = (code: number) => (code >= 48 && code <= 57 ? code - 22 : code >= 65 && code <= 90 ? code - 65 : code >= 97 && code <= 122 ? code - 97 : base);

function adapted(delta: number, points: number, first: boolean) {
	let rest = first ? Math.floor(delta / 700) : delta >> 1;
	rest += Math.floor(rest / points);
	let k = 0;
	for (; rest > ((base - low) * high) >> 1; k += base) rest = Math.floor(rest / (base - low));
	return k + Math.floor(((base - low + 1) * rest) / (rest + 38));
}

/** A label without its xn--; null where it is no punycode. */
function decoded(label: string): string | null {
	const cut = label.lastIndexOf('-');
	const points = [...label.slice(0, Math.max(cut, 0))].map((one) => one.codePointAt(0)!);
	let at = cut < 0 ? 0 : cut + 1;
	let point = 128;
	let index = 0;
	let bias = 72;
	while (at < label.length) {
		const before = index;
		for (let weight = 1, k = base; ; k += base) {
			const digit = at < label.length ? digitOf(label.charCodeAt(at++)) : base;
			if (digit >= base) return null;
			index += digit * weight;
			const threshold = k <= bias ? low : k >= bias + high ? high : k - bias;
			if (digit < threshold) break;
			weight *= base - threshold;
		}
		bias = adapted(index - before, points.length + 1, before === 0);
		point += Math.floor(index / (points.length + 1));
		index %= points.length + 1;
		if (point > 0x10ffff) return null;
		points.splice(index++, 0, point);
	}
	return String.fromCodePoint(...points);
}

/** A name, or an address, in its own script. */
export const idnText = (name: string) =>
	name.replace(/(^|[.@])xn--([a-z0-9-]{1,59})(?=\.|$)/gi, (whole, before: string, label: string) => {
		const text = decoded(label);
		return text === null || /[\p{C}\p{Z}]/u.test(text) ? whole : before + text;
	});

/** The same, with what DNS has as the mouse rests on it. */
export function Idn({ name }: { name: string }) {
	const text = idnText(name);
	return text === name ? <>{name}</> : <span title={name}>{text}</span>;
}
