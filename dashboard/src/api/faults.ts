// SPDX-License-Identifier: MIT
// The service names a fault by the path of a member, and says what is wrong with it; or says a sentence about a thing. The reader
// sees the name of the field or the thing, and the sentence in the language of the page, where both are known; else what the service says.
import { w } from '../words';

/** In front of it the node of a design, in quotes. */
const form = /^(?:node ("[^"]*"): )?([a-z]\w*(?:\[\d+\]|\.[\w-]+)*) ((?:is|are|must|has|have|needs|cannot|could|takes|does|expects) .+)$/s;

const numbers = '([\\d,]+)';
const sentences = (): [RegExp, (...parts: string[]) => string][] => [
	[/^is required$/, w.fault.required],
	[/^must not be empty$/, w.fault.required],
	[/^must be a valid email address(?:: ("[^"]*")?.*)?$/s, w.fault.address],
	[/^must not be in the past$/, w.fault.past],
	[/^must be an IANA time zone$/, w.fault.zone],
	[/^must be an absolute http or https URL$/, w.fault.url],
	[/^must not lead to a private address$/, w.fault.inside],
	[new RegExp(`^must be at most ${numbers} characters$`), w.fault.atMost],
	[new RegExp(`^must be at least ${numbers}$`), w.fault.least],
	[new RegExp(`^must be (?:between )?${numbers} (?:to|and) ${numbers}$`), w.fault.between],
	[new RegExp(`^must (?:be|have) ${numbers} to ${numbers} characters$`), w.fault.length],
	[new RegExp(`^must have at most ${numbers} (?:elements|properties|addresses)$`), w.fault.entries],
	[/^must be one of (.+)$/s, w.fault.oneOf],
	[/^is not an? [\w ]+$/, w.fault.gone],
	[/^must be true or false$/, w.note.flag],
	[/^must be a BCP 47 language tag$/, w.note.language],
	[/^must be a (string|number|boolean|date)$/, (field, kind) => w.note.kind(field, w.note.kinds[kind as 'date'])],
	[new RegExp(`^must be at most ${numbers} bytes$`), w.note.bytes],
	[new RegExp(`^is too small to decide: about ${numbers} people get each variant, and it takes ${numbers}$`), w.fault.small],
];

/** Sentences about a thing, which the page does not say as they are. */
const wholes = (): [RegExp, (...parts: string[]) => string][] => [
	[/^([A-Z][\w ]*) not found$/, (thing) => w.fault.missing(thingName(thing))],
	[/^([A-Z][\w ]*) already exists$/, (thing) => w.fault.twice(thingName(thing))],
	[/^(?:There is a (workspace) of this name already|Another (workspace) had this name less than a year ago)$/, () => w.fault.twice(thingName('Workspace'))],
	[/^(Domain) (\S+) is registered already$/, (thing, name) => w.fault.twice(`${thingName(thing)} ${name}`)],
	[/^(Domain) (\S+) is not (?:verified|registered)$/, (thing, name) => w.fault.unproved(`${thingName(thing)} ${name}`)],
	[/^([A-Z]\w*) is in use$/, (thing) => w.fault.used(thingName(thing))],
	[/^([A-Z]\w*) (?:is|has) (draft|paused|active|sending|sent|scheduled|cancelled|done|failed|skipped|disabled|left)(?: already)?$/, (thing, state) => w.fault.is(thingName(thing), stateName(state))],
	[/^([A-Z]\w*) is not (pending|held|scheduled)$/, (thing, state) => w.fault.isNot(thingName(thing), stateName(state))],
	[/^Limit reached: at most ([\d,]+) .+$/, w.fault.limit],
	[/^Quota reached: at most ([\d,]+) recipients per (\w+)$/, w.fault.limit],
	[/^Too many .+\. Try again in (\d+) s$/, (seconds) => w.fault.later(Number(seconds))],
	[/^This person has unsubscribed$/, w.fault.hasLeft],
	[/^This person has unsubscribed; override is required$/, w.fault.hasLeftWhy],
	[/^This person has snoozed; override is required$/, w.fault.hasSnoozedWhy],
	[/^(.+): (?:write one like \S+|correct it), or leave it out with (?:--)?lenient$/s, (rest) => w.note.orOut(faultText(rest))],
	[/^it has (\d+) fields?, and the first line (\d+)$/, (some, first) => w.note.parts(Number(some), first)],
	[/^its quote is never closed$/, () => w.note.quote],
	[/^it is not (\S+): name the encoding of the file with \S+$/, w.note.letters],
	[/^(.+): it is left out$/s, (rest) => w.note.leftOut(faultText(rest))],
	[/^the record cannot be read$/, () => w.note.record],
	[/^(?:file has no column for the email|no column of the first line is the email: .+)$/, () => w.note.noEmail],
	[/^file is empty$/, () => w.note.emptyFile],
	[/^two columns may be the (\w+), "(.*)" and "(.*)": .+$/s, (use, one, other) => w.note.twoOf(fieldName(use), one, other)],
	[/^two columns are the property "(.*)", "(.*)" and "(.*)"$/s, (key, one, other) => w.note.twoOf(key, one, other)],
	[/^columns: two columns may be "(.*)", "(.*)" and "(.*)"$/s, (name, one, other) => w.note.twoOf(name, one, other)],
	[/^one column is both the (.+) and the (.+)$/s, (one, other) => w.note.bothOf(fieldName(one), fieldName(other))],
	[/^columns: the first line has no column "(.*)"$/s, w.note.noColumn],
	[new RegExp(`^file must have at most ${numbers} columns$`), w.note.columns],
	[new RegExp(`^file must have a first line of at most ${numbers} bytes$`), w.note.firstLine],
	[/^(html|text|subject|preview_text|layout): (.+)$/s, (part, rest) => `${fieldName(part)}: ${faultText(rest)}`],
	[/^"(.+)" is not closed by "(.+)"(?: on its line)?$/, w.note.unclosed],
	[/^"(.+)" closes no "(.+)"$/, w.note.unopened],
	[/^"(\{+.?)" is not followed by (the name of a variable|if, unless or each|the id of a template)$/, (tag, what) => w.note.needs(tag, w.note.tags[what as 'if, unless or each'])],
	[/^a block has "\{\{else\}\}" twice$/, () => w.note.elseTwice],
	[/^names of variables are letters, digits, "_", "\." and "-"$/, () => w.note.badName],
	[/^no template "(.+)"$/, w.note.noTemplate],
	[/^template "(.+)" includes itself$/, w.note.itself],
	[/^template "(.+)" has no \{\{\{body\}\}\}$/, w.note.noBody],
	[/^line (\d+): (.+)$/s, (line, rest) => w.note.line(line, faultText(rest))],
	[/^nobody would get it$/, () => w.note.nobody],
	[/^counting who would get it takes too long$/, () => w.note.slow],
	[/^audiences or segments are required$/, () => w.note.noTarget],
	[/^html or text is required when template_id is absent$/, () => w.note.noContent],
	[/^html must have \{\{unsubscribe_url\}\}$/, () => w.note.noLeave],
	[/^(?:no link to unsubscribe is visible; a footer with one is added|messages without a visible link to unsubscribe get a footer with one)$/, () => w.note.footer],
	[/^images have no alt text$/, () => w.note.alt],
	[/^\{\{(.+)\}\} has no value$/, w.note.noValue],
	[/^(\S+) could not be fetched: (.+)$/s, w.note.unfetched],
	[/^reports about (\d+) of (\d+) days$/, w.note.days],
	[/^(\d+) of (\d+) reporters$/, w.note.reporters],
	[/^(\d+) of (\d+) messages$/, w.note.messages],
	[/^([\d.]+) % of your own mail fails, at most ([\d.]+) %$/, w.note.fails],
	[/^quarantine for (\d+) of (\d+) days$/, w.note.quarantine],
	[/^pct is gone since RFC 9989$/, () => w.note.pct],
	[/^aspf=s fails: the return path is at (\S+)$/, w.note.aspf],
	[/^rua leads elsewhere$/, () => w.note.rua],
	[/^two DMARC records at (\S+)$/, w.note.two],
	[/^A workspace needs an owner$/, w.fault.owner],
	[/^Your role in this workspace does not allow this$/, w.fault.role],
	[/^The confirmation was sent less than an hour ago$/, w.fault.confirmed],
];

const thingName = (thing: string) => w.fault.things[thing] ?? thing;
const stateName = (state: string) => w.fault.states[state] ?? state;

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

function said(sentences: [RegExp, (...parts: string[]) => string][], text: string, ...first: string[]) {
	for (const [pattern, sentence] of sentences) {
		const found = pattern.exec(text);
		if (found) return sentence(...first, ...found.slice(1));
	}
	return null;
}

export function faultText(sentence: string): string {
	const whole = said(wholes(), sentence);
	if (whole) return whole;
	const [, node, path, rest] = form.exec(sentence) ?? [];
	// A word of a sentence is no path.
	if (!path || !rest || (/^[a-z]+$/.test(path) && !(path in w.fault.fields))) return sentence;
	const name = fieldName(path);
	return `${node ? `${node}: ` : ''}${said(sentences(), rest, name) ?? `${name}: ${rest}`}`;
}
