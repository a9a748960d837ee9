// SPDX-License-Identifier: MIT
// Renders templates with Handlebars. "judge.mjs write SEED COUNT": the cases of cases.json and COUNT random ones, one JSON
// object a line: {template, partials, data}. "judge.mjs judge FILE": compares {text} of each line of standard input with
// what Handlebars makes of that line of FILE, and prints the differences.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';

const Handlebars = createRequire(import.meta.url)('handlebars');

// The generator of random numbers: mulberry32.
function generator(seed) {
	return () => {
		seed = (seed + 0x6d2b79f5) | 0;
		let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
}

class Random {
	constructor(seed) {
		this.next = generator(seed);
	}
	below(n) {
		return Math.floor(this.next() * n);
	}
	of(list) {
		return list[this.below(list.length)];
	}
	chance(percent) {
		return this.below(100) < percent;
	}
}

const names = ['a', 'b', 'c', 'd', 'e'];
const scalars = [null, true, false, 0, 1, -2, 1.5, '', 'x', '0', 'R&D <b>', '"q" \'s\'', 'é', 'two words'];

function value(random, depth) {
	const kind = depth <= 0 ? 0 : random.below(5);

	if (kind === 3)
		return Array.from({ length: random.below(4) }, () => value(random, depth - 1));
	if (kind === 4)
		return object(random, depth - 1);
	return random.of(scalars);
}

function object(random, depth) {
	const made = {};

	for (const name of names)
		if (random.chance(70))
			made[name] = value(random, depth);
	return made;
}

const spaces = ['', '', '', ' ', '\n', '\n', '  \n', '\n  ', '\t', '\r\n', ' \n \n', '\u00a0'];
const words = ['x', 'y z', '<p>', '{', '}', 'é', '.'];

function gap(random) {
	let text = '';

	for (let i = random.below(4); i > 0; i--)
		text += random.chance(60) ? random.of(spaces) : random.of(words);
	// Braces beside a tag are another matter.
	return text.replace(/^[{}]|[{}]$/g, '-');
}

function path(random) {
	const name = random.of(names);

	switch (random.below(12)) {
	case 0:
		return 'this';
	case 1:
		return `this.${name}`;
	case 2:
		return `../${name}`;
	case 3:
		return `../../${name}`;
	case 4:
		return `@root.${name}`;
	case 5:
		return random.of(['@index', '@key', '@first', '@last']);
	case 6:
		return `${name}.${random.of(names)}`;
	case 7:
		return `${name}.${random.below(3)}.${random.of(names)}`;
	case 8:
		return `${name}.length`;
	case 9:
		return '..';
	default:
		return name;
	}
}

// A tag, with tildes now and then.
function tag(random, inside) {
	const before = random.chance(10) ? '~' : '';
	const after = random.chance(10) ? '~' : '';

	return `{{${before}${inside}${after}}}`;
}

function block(random, depth, partials) {
	const kind = random.of(['if', 'if', 'unless', 'each', 'each']);
	// The variables themselves cannot be iterated.
	const list = path(random).replace(/^(this|\.\.)$/, 'a');
	let text = tag(random, `#${kind} ${list}`) + content(random, depth - 1, partials);

	for (let i = random.chance(30) ? random.below(4) : 0; i > 0; i--)
		text += tag(random, `else if ${path(random)}`) + content(random, depth - 1, partials);
	if (random.chance(40))
		text += tag(random, 'else') + content(random, depth - 1, partials);
	return text + tag(random, `/${kind}`);
}

function item(random, depth, partials) {
	const backslashes = random.chance(4) ? '\\\\' : '';

	return backslashes + tagged(random, depth, partials, !backslashes);
}

function tagged(random, depth, partials, canEscape) {
	if (canEscape && random.chance(4))
		return `\\${tag(random, random.of(['a', '#if a', '/if', 'else', '> p', '{a}', '! a', 'a b', '&a']))}`;
	switch (random.below(depth > 0 ? 8 : 5)) {
	case 0:
		return random.chance(50) ? tag(random, '! no }} here'.replace(' }}', ''))
			: tag(random, '!-- {{a}} --');
	case 1:
		return partials.length > 0 ? tag(random, `> ${random.of(partials)}`) : '-';
	case 2:
		return `{{{${random.of(names)}}}}`;
	case 3:
	case 4:
		return tag(random, path(random));
	default:
		return block(random, depth, partials);
	}
}

function content(random, depth, partials) {
	let text = gap(random);

	for (let i = random.below(4); i > 0; i--)
		text += item(random, depth, partials) + gap(random);
	return text;
}

function write(seed, count) {
	const random = new Random(seed);

	for (const one of JSON.parse(readFileSync(new URL('cases.json', import.meta.url))))
		console.log(JSON.stringify({ partials: {}, data: {}, ...one }));
	for (let i = 0; i < count; i++) {
		const partials = {
			p: content(random, 2, ['q', 'r']), q: content(random, 1, ['r']), r: content(random, 1, []),
		};
		console.log(JSON.stringify({
			template: content(random, 3, ['p', 'q', 'r']), partials, data: object(random, 3),
		}));
	}
}

// Lets a helper show each value: objects and arrays print nothing.
class Showing extends Handlebars.Visitor {
	MustacheStatement(mustache) {
		mustache.params = [mustache.path];
		mustache.path = { type: 'PathExpression', data: false, depth: 0, parts: ['show'], original: 'show' };
	}
}

function show(value) {
	return value === null || value === undefined || typeof value === 'object' ? '' : String(value);
}

const entities = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&#x27;': "'", '&#x60;': '`',
	'&#x3D;': '=' };

function decode(text) {
	return text.replace(/&(amp|lt|gt|quot|#39|#x27|#x60|#x3D);/g, (entity) => entities[entity]);
}

function compile(own, source) {
	const tree = own.parse(source);

	new Showing().accept(tree);
	return own.compile(tree, { preventIndent: true });
}

function render({ template, partials, data }) {
	const own = Handlebars.create();

	own.registerHelper('show', show);
	for (const [id, source] of Object.entries(partials))
		own.registerPartial(id, compile(own, source));
	return compile(own, template)(data);
}

function judge(file) {
	const got = readFileSync(0, 'utf8').trim().split('\n');
	const cases = readFileSync(file, 'utf8').trim().split('\n');
	let wrong = 0;

	cases.forEach((line, i) => {
		const want = decode(render(JSON.parse(line)));
		const ours = JSON.parse(got[i] ?? '{}');
		if (ours.text !== undefined && decode(ours.text) === want)
			return;
		if (++wrong <= 10)
			console.log(`${line}\n got ${JSON.stringify(ours)}\nwant ${JSON.stringify(want)}`);
	});
	console.log(`${cases.length} cases, ${wrong} differ`);
	process.exitCode = wrong > 0 || cases.length !== got.length ? 1 : 0;
}

const [, , what, ...rest] = process.argv;
if (what === 'write')
	write(Number(rest[0]), Number(rest[1]));
else
	judge(rest[0]);
