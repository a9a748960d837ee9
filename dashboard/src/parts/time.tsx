// SPDX-License-Identifier: MIT
// Times in the reader's zone and language.
import { languageNow } from '../words';

const forms = {
	whole: new Intl.DateTimeFormat(languageNow(), { dateStyle: 'medium', timeStyle: 'medium' }),
	short: new Intl.DateTimeFormat(languageNow(), { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }),
	minute: new Intl.DateTimeFormat(languageNow(), { dateStyle: 'medium', timeStyle: 'short' }),
	day: new Intl.DateTimeFormat(languageNow(), { day: 'numeric', month: 'short', year: 'numeric' }),
};

export const timeText = (ms: number, form: keyof typeof forms = 'short') => forms[form].format(ms);

/** A time of the service: epoch milliseconds, or ISO 8601. */
export function Time({ at, form = 'short' }: { at: number | string | null | undefined; form?: keyof typeof forms }) {
	if (at === null || at === undefined) return <span className="soft">–</span>;
	const date = new Date(at);
	return (
		<time dateTime={date.toISOString()} title={forms.whole.format(date)}>
			{forms[form].format(date)}
		</time>
	);
}

const numbers = new Intl.NumberFormat(languageNow());
export const numberText = (value: number) => numbers.format(value);
const shares = new Intl.NumberFormat(languageNow(), { style: 'percent', maximumFractionDigits: 1 });
export const shareText = (part: number, whole: number) => (whole ? shares.format(part / whole) : '–');
