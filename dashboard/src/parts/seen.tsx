// SPDX-License-Identifier: MIT
// An email as a person of the workspace will see it: the field that finds the person, the values that fill the email, and what comes of it.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, taken, type Schemas } from '../api/client';
import { faultText } from '../api/faults';
import { settledUse } from '../api/settled';
import { w } from '../words';
import { Field } from './field';
import { MailFrame } from './mail-frame';

export type Seer = Schemas['PersonRow'];

const least = 2;
const most = 100;
const key = ['seen by'];

/** The person as whom the editors of this workspace show emails; null: nobody. It stays from one editor to the next. */
export function seerUse() {
	const data = useQueryClient();
	const [seer, setSeer] = useState(() => {
		// Nothing watches it that would keep it.
		data.setQueryDefaults(key, { gcTime: Infinity });
		return data.getQueryData<Seer>(key) ?? null;
	});
	return {
		seer,
		choose: (next: Seer | null) => {
			data.setQueryData(key, next);
			setSeer(next);
		},
	};
}

/** Finds a person by the begin of the address or of a name; before anything is typed, the newest ones are offered. */
export function SeerField({ of: { seer, choose } }: { of: ReturnType<typeof seerUse> }) {
	const [text, setText] = useState(seer?.email ?? '');
	const [isOpen, setOpen] = useState(false);
	const words = text.trim();
	const search = settledUse(words);
	const found = useQuery({
		queryKey: ['people', 'seen', search],
		enabled: (isOpen || !!seer) && search.length <= most,
		retry: false,
		meta: { late: true },
		placeholderData: (before: Seer[] | undefined) => before,
		queryFn: async () => (await taken(api.GET('/v1/people', { params: { query: search.length < least ? {} : { search } } }))).people,
	});
	const people = found.data ?? [];
	const fitting = words ? people.find(({ email }) => email.toLowerCase() === words.toLowerCase()) : undefined;
	const isFresh = search === words && found.isSuccess && !found.isPlaceholderData && !found.isFetching;
	const isGone = isFresh && !fitting && !!seer && words.toLowerCase() === seer.email.toLowerCase();
	// An answer may come after the address was typed whole; a later one has the person as they are now, or has them no more.
	const last = useRef(choose);
	last.current = choose;
	useEffect(() => {
		if (fitting) last.current(fitting);
		else if (isGone) last.current(null);
	}, [fitting, isGone]);
	const take = (next: string) => {
		setText(next);
		if (seer && next.trim().toLowerCase() !== seer.email.toLowerCase()) choose(null);
	};
	const isNobody = !seer && words.length >= least && search === words && found.isSuccess && !found.isPlaceholderData && !people.length;
	return (
		<>
			<Field label={w.seen.by} help={isNobody ? w.seen.nobody : w.seen.help} type="search" list="seen-by" value={text} onFocus={() => setOpen(true)} onChange={(event) => take(event.target.value)} />
			<datalist id="seen-by">
				{people.map(({ id, email, first_name, last_name }) => (
					<option key={id} value={email}>
						{[first_name, last_name].filter(Boolean).join(' ')}
					</option>
				))}
			</datalist>
		</>
	);
}

type Values = Record<string, unknown>;

/** Without what is not there. */
export const given = (all: Values) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null && value !== undefined));

/** The values that fill an email to a person, as when it is sent: first the person's own, then the template's, then the defaults of properties. */
export function valuesOf({ email, first_name, last_name, language, time_zone, created, properties }: Seer, defined: Schemas['Property'][], template: Values = {}): Values {
	const fields = given({ email, first_name, last_name });
	return {
		...given(Object.fromEntries(defined.map((one) => [one.key, one.default]))),
		...given(template),
		...given({ ...fields, EMAIL: email, FIRST_NAME: first_name, LAST_NAME: last_name }),
		...given(properties),
		contact: given({ ...fields, language, time_zone, created: String(created), subscribed: 'true' }),
		unsubscribe_url: '#',
	};
}

/** The service takes so many at once. */
const mostValues = 100;

/** A layout may name them, too, which the texts do not show. */
const always = ['contact', 'unsubscribe_url'];
const own = ['email', 'first_name', 'last_name', 'EMAIL', 'FIRST_NAME', 'LAST_NAME'];

/** As many values as the service takes: those first whose names stand in the texts, then the person's fields. */
export function fewOf(values: Values, texts: (string | null | undefined)[]): Values {
	const all = Object.entries(values);
	if (all.length <= mostValues) return values;
	const text = texts.join('\n');
	const turnOf = (name: string) => (always.includes(name) ? 0 : text.includes(name) ? 1 : own.includes(name) ? 2 : 3);
	const turns = all.map((value) => ({ value, turn: turnOf(value[0]) })).sort((a, b) => a.turn - b.turn);
	return Object.fromEntries(turns.slice(0, mostValues).map(({ value }) => value));
}

/** The text that mail programs show beside the subject: it stands hidden in front of the html. */
export function shownOf(html: string | null) {
	const [, shown] = /<!--preview--><div [^>]*>([^]*?)<\/div><!--\/preview-->/.exec(html ?? '') ?? [];
	return shown && new DOMParser().parseFromString(shown, 'text/html').body.textContent;
}

type Rendered = Schemas['TemplatePreview'];

export function Problems({ of }: { of: Rendered['problems'] }) {
	return of.map(({ part, message }) => (
		<p key={part} className="error" role="alert">
			{faultText(message)}
		</p>
	));
}

/** The subject, the text beside it, and the html. `note` stands behind the subject. */
export function Seen({ of: { subject, html, problems }, note }: { of: Rendered; note?: string }) {
	return (
		<>
			<Problems of={problems} />
			<p>
				<strong>{subject ?? w.emails.noSubject}</strong> <span className="soft">{shownOf(html)}</span> {note && <span className="soft">{note}</span>}
			</p>
			<MailFrame html={html ?? ''} />
		</>
	);
}
