// SPDX-License-Identifier: MIT
// The rules by which mailings leave, of the workspace or a topic: hours and a cap, and the form that changes them.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { api, taken, type Schemas } from '../api/client';
import { changeUse } from '../api/list';
import { mayChangeUse } from '../api/session';
import { w } from '../words';
import { Button } from './button';
import { Choice, Field, said } from './field';
import { freshWindow, HoursWindows, type Window } from './hours-window';
import { Ready } from './state';
import { Switch } from './switch';

const units = ['minutes', 'hours', 'days'] as const;
type Unit = (typeof units)[number];

type Rules = Schemas['Sending'];
type Cap = NonNullable<Rules['cap']>;

/** The rules of a topic; without one, those of the workspace. */
export const sendingRulesQuery = (topic?: string) =>
	queryOptions({
		queryKey: ['sending', topic ?? ''],
		queryFn: () => taken(topic ? api.GET('/v1/topics/{id}/sending', { params: { path: { id: topic } } }) : api.GET('/v1/sending')),
	});
const rulesSet = (topic?: string) => (body: Rules) => taken(topic ? api.PUT('/v1/topics/{id}/sending', { params: { path: { id: topic } }, body }) : api.PUT('/v1/sending', { body }));

export function SendingRules({ topic }: { topic?: string }) {
	const rules = useQuery(sendingRulesQuery(topic));
	return <Ready of={rules}>{(rules) => <Form key={JSON.stringify(rules)} topic={topic} rules={rules} />}</Ready>;
}

function Form({ topic, rules }: { topic?: string; rules: Rules }) {
	const may = mayChangeUse();
	const [hours, setHours] = useState(rules.hours !== null);
	const [cap, setCap] = useState(rules.cap !== null);
	const [windows, setWindows] = useState<Window[]>((rules.hours?.windows as Window[] | undefined) ?? [freshWindow]);
	const change = changeUse(rulesSet(topic), { touches: [['sending', topic ?? '']], done: w.sending.saved });
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const values = new FormData(event.currentTarget);
		change.mutate({ hours: hours ? { windows, zone: said(values, 'zone') } : null, cap: cap ? capOf(values) : null });
	};
	return (
		<form className="stack" onSubmit={submit}>
			<Switch label={w.sending.hours} help={w.sending.hoursHelp} on={hours} disabled={!may} onChange={setHours} />
			{hours && (
				<>
					<HoursWindows windows={windows} onChange={setWindows} fixed={!may} />
					<Field label={w.sending.zone} help={w.sending.zoneHelp} name="zone" defaultValue={rules.hours?.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone} required />
				</>
			)}
			<Switch label={w.sending.cap} help={w.sending.capHelp} on={cap} disabled={!may} onChange={setCap} />
			{cap && <CapFields of={rules.cap} />}
			{may && (
				<div>
					<Button type="submit" look="main" busy={change.isPending}>
						{w.do.save}
					</Button>
				</div>
			)}
		</form>
	);
}

function CapFields({ of }: { of: Cap | null }) {
	const [waits, setWaits] = useState(of?.wait !== null && of !== null);
	return (
		<>
			<div className="row">
				<Field label={w.sending.mailings} name="mailings" type="number" min={1} max={1000} defaultValue={of?.mailings ?? 3} required />
				<Field label={w.sending.days} name="cap.days" type="number" min={1} max={365} defaultValue={of?.days ?? 7} required />
			</div>
			<Switch label={w.sending.waits} help={w.sending.waitsHelp} on={waits} onChange={setWaits} />
			{waits && (
				<div className="row">
					<Field label={w.sending.longest} name="wait" type="number" min={1} defaultValue={of?.wait?.duration ?? 2} required />
					<Choice label={w.sending.unit} name="unit" defaultValue={of?.wait?.unit ?? 'days'} options={units.map((value) => ({ value, name: w.sending.units[value] }))} />
				</div>
			)}
		</>
	);
}

function capOf(values: FormData): Cap {
	const wait = said(values, 'wait');
	return { mailings: Number(said(values, 'mailings')), days: Number(said(values, 'cap.days')), wait: wait ? { duration: Number(wait), unit: said(values, 'unit') as Unit } : null };
}
