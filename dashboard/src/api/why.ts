// SPDX-License-Identifier: MIT
// The service says why a step of a workflow went as it did, in English sentences of fixed forms, joined by semicolons. The reader sees
// them in the language of the page, with nodes by their names and times in the reader's zone; a form that is not known stays as it is.
import { timeText } from '../parts/time';
import { w } from '../words';
import { faultText } from './faults';

/** The name of a node by its id. */
type NameOf = (id: string) => string;
type Form = [RegExp, (parts: string[], nameOf: NameOf) => string];

const iso = String.raw`(\d{4}-\d\d-\d\dT[\d:.]+Z)`;
const time = (text: string) => timeText(Date.parse(text), 'whole');
const span = (text: string) => {
	const [, number, unit] = /^(\d+) (minute|hour|day|week)s?$/.exec(text) ?? [];
	return unit ? w.workflows.span[`${unit}s` as keyof typeof w.workflows.span](Number(number)) : text;
};
const phrase = (words: string) => (w.why.phrases as Record<string, string>)[words] ?? words;
const value = (text: string) => (text === 'missing' ? w.why.nothing : text);
const pattern = (...parts: string[]) => new RegExp(`^${parts.join('')}$`, 's');

const forms: Form[] = [
	[/^nothing waits for it$/, () => w.why.nobodyWaits],
	[/^starts execution (\d+)$/, ([number]) => w.why.starts(number)],
	[/^starts nothing: reentry is once$/, () => w.why.once],
	[/^starts nothing: reentry is after_finish, and execution (\d+) is not finished$/, ([number]) => w.why.unfinished(number)],
	[/^starts nothing: deduplicated, as the last start was (.+) ago and dedupe_window is (.+)$/, ([ago, window]) => w.why.twice(span(ago), span(window))],
	[/^starts nothing: its goal or an exit holds already$/, () => w.why.over],
	[/^starts nothing: its filter says (.+)$/s, ([rest], nameOf) => w.why.filtered(part(rest, nameOf))],
	[/^execution (\d+) waits for it at (\S+), but (.+)$/s, ([number, node, rest], nameOf) => w.why.stays(number, nameOf(node), part(rest, nameOf))],
	[/^releases execution (\d+) at (\S+)$/, ([number, node], nameOf) => w.why.releases(number, nameOf(node))],
	[/^(goal|exit) of execution (\d+)$/, ([kind, number]) => w.why.endOf(w.why.ends[kind as 'goal'], number)],
	[/^(goal|exit): (.+)$/s, ([kind, rest], nameOf) => `${w.why.ends[kind as 'goal']}: ${part(rest, nameOf)}`],
	[/^the contact was deleted$/, () => w.workflows.reasons.contact_deleted],
	[/^the event has joined the digest that is open$/, () => w.why.joined],
	[/^the contact gets no email: it is suppressed or has unsubscribed$/, () => w.why.unsent],
	[pattern('hours: may leave from ', iso), ([at]) => w.why.hours(time(at))],
	[pattern(iso, ' has passed'), ([at]) => w.why.passed(time(at))],
	[pattern('until ', iso), ([at]) => w.why.until(time(at))],
	[pattern(String.raw`for (\S+), until `, iso), ([event, at]) => w.why.eventUntil(event, time(at))],
	[/^for (\S+)$/, ([event]) => w.why.event(event)],
	[/^this contact is of the (\d+) in (\d+) on this side$/, ([weight, total]) => w.why.side(weight, total)],
	[/^the answer is (\d+)$/, ([status]) => w.why.answer(status)],
	[/^the rules take too long$/, () => w.why.tooLong],
	[/^more than (\d+) steps$/, ([most]) => w.why.tooMany(most)],
	[/^property (\S+) holds no ISO 8601 time to wait for$/, ([name]) => w.why.noTime(name)],
	[/^property (\S+), whose time is to be waited for, is missing$/, ([name]) => w.why.missing(name)],
	[/^there are no rules$/, () => w.why.noRules],
	[/^none of (\d+) rules holds$/, ([number]) => w.why.noneHolds(number)],
	[/^all (\d+) rules hold$/, ([number]) => w.why.allHold(number)],
	[/^the contact is (not )?in segment (\S+)$/, ([not, id], nameOf) => (not ? w.why.outside(nameOf(id)) : w.why.inside(nameOf(id)))],
	[/^(\S+) is missing$/, ([name]) => w.why.missing(name)],
	[/^(\S+) is (.+): it (does not equal|equals|is not greater than|is greater than|is not less than|is less than|does not contain|contains|does not begin with|begins with|does not end with|ends with) (?:(\S+), which is )?(.+)$/s, ([name, now, words, other, asked]) => w.why.compares(name, value(now), phrase(words), other ? `${other} (${value(asked)})` : value(asked))],
	[/^template (\S+)$/, ([id], nameOf) => `${w.workflows.template}: ${nameOf(id)}`],
	[/^(\S+) is (["\d[{-].*|true|false|null)$/s, ([name, now]) => w.why.is(name, now)],
	[/^(\S+) came$/, ([event]) => w.why.came(event)],
	[/^(.+): This person has unsubscribed$/s, ([before]) => `${before}: ${w.fault.hasLeft()}`],
];

function part(text: string, nameOf: NameOf): string {
	for (const [form, sentence] of forms) {
		const found = form.exec(text);
		if (found) return sentence(found.slice(1), nameOf);
	}
	return faultText(text);
}

/** What stands between reasons of an event; a value in one of them may have a semicolon, too. */
const between = /; (?=(?:starts (?:nothing:|execution )|releases execution |execution \d+ waits |(?:goal|exit) of execution ))/;

/** The reason of a step in the language of the page. */
export const whyText = (why: string, nameOf: NameOf = (id) => id) =>
	why
		.split(between)
		.map((one) => part(one, nameOf))
		.join('; ');
