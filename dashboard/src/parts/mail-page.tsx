// SPDX-License-Identifier: MIT
// The page of one mail, sent or received: what it says in tabs, and facts beside them.
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { w } from '../words';
import { Head } from './head';
import { Ready } from './state';
import { Table } from './table';
import { Tabs } from './tabs';

interface Props<Mail> {
	of: UseQueryResult<Mail>;
	/** Stands in place of the subject until it is known. */
	name: string;
	back: { to: string; name: string };
	actions: (mail: Mail) => ReactNode;
	tabs: (mail: Mail) => { id: string; name: string; content: ReactNode }[];
	children: (mail: Mail) => ReactNode;
}

export function MailPage<Mail extends { subject: string | null }>({ of, name, back, actions, tabs, children }: Props<Mail>) {
	return (
		<>
			<Head title={of.data ? of.data.subject || w.emails.noSubject : name} back={back}>
				{of.data && actions(of.data)}
			</Head>
			<Ready of={of}>
				{(mail) => (
					<div className="two">
						<Tabs label={w.emails.content} tabs={tabs(mail)} />
						<div className="section">{children(mail)}</div>
					</div>
				)}
			</Ready>
		</>
	);
}

/** A text of a mail as it stands. */
export const PlainText = ({ text }: { text: string | null }) => (
	<pre className="source" tabIndex={0}>
		{text}
	</pre>
);

/** The fields of a head, in their order. */
export function HeaderTable({ headers }: { headers: { name: string; value: string }[] }) {
	return (
		<Table
			label={w.emails.headers}
			rows={headers.map((one, index) => ({ ...one, place: String(index) }))}
			id={({ place }) => place}
			columns={[
				{ name: w.emails.header, cell: ({ name }) => <code>{name}</code> },
				{ name: w.emails.headerValue, cell: ({ value }) => <span className="reply">{value}</span> },
			]}
		/>
	);
}

/** Facts with their names; those that are empty are left out. */
export function FactCard({ lines }: { lines: [string, ReactNode][] }) {
	return (
		<section className="card">
			<h2>{w.emails.details}</h2>
			<dl className="facts">
				{lines.map(
					([name, value]) =>
						value && (
							<div key={name} className="fact">
								<dt>{name}</dt>
								<dd>{value}</dd>
							</div>
						),
				)}
			</dl>
		</section>
	);
}
