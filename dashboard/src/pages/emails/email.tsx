// SPDX-License-Identifier: MIT
// One email: as its reader sees it, and what happened to it.
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { nameUse } from '../../api/choices';
import { changeUse } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { Button } from '../../parts/button';
import { Copied } from '../../parts/copy';
import { ConfirmButton } from '../../parts/dialog';
import { MailFrame } from '../../parts/mail-frame';
import { FactCard, MailPage, PlainText } from '../../parts/mail-page';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { Headers, Source } from './message';
import { emailCancel, emailQuery, emailSendAgain, emailSendNow, type Email } from './query';
import { Timeline } from './timeline';
import { Waits } from './waits';

export default function EmailPage({ params }: { params: Record<string, string> }) {
	const email = useQuery(emailQuery(params.id));
	return (
		<MailPage of={email} name={w.emails.email} back={{ to: '/emails', name: w.emails.name }} actions={(email) => <Actions email={email} />} tabs={tabsOf}>
			{(email) => (
				<>
					<Waits email={email} />
					<Timeline email={email} />
					<Details email={email} />
				</>
			)}
		</MailPage>
	);
}

function Actions({ email }: { email: Email }) {
	const [, go] = useLocation();
	const touches = [['email', email.id], ['emails']];
	const cancel = changeUse(() => emailCancel(email.id), { touches, done: w.emails.cancelDone });
	const now = changeUse(() => emailSendNow(email.id), { touches, done: w.emails.sendNowDone });
	const again = changeUse(() => emailSendAgain(email), { touches, done: w.emails.sendAgainDone, then: (made) => go(`/emails/${made.id}`) });
	if (!mayChangeUse()) return null;
	const waits = email.scheduled_at !== null && !email.cancelled && !email.recipient_statuses.some(({ events }) => events.length);
	return (
		<>
			{waits && (
				<>
					<Button busy={now.isPending} onClick={() => now.mutate()}>
						{w.emails.sendNow}
					</Button>
					<ConfirmButton name={w.emails.cancel} title={w.emails.cancelTitle} text={w.emails.cancelText} onConfirm={() => cancel.mutate()} />
				</>
			)}
			<ConfirmButton quiet name={w.emails.sendAgain} title={w.emails.sendAgainTitle} text={w.emails.sendAgainText} onConfirm={() => again.mutate()} />
		</>
	);
}

const tabsOf = (email: Email) => [
	...(email.html
		? [
				{ id: 'read', name: w.emails.asRead, content: <Read html={email.html} /> },
				{ id: 'html', name: w.emails.html, content: <PlainText text={email.html} /> },
			]
		: []),
	{ id: 'text', name: w.emails.textTab, content: <PlainText text={email.text} /> },
	{ id: 'source', name: w.emails.source, content: <Source email={email} /> },
	{ id: 'headers', name: w.emails.headers, content: <Headers email={email} /> },
];

function Read({ html }: { html: string }) {
	const [narrow, setNarrow] = useState(false);
	return (
		<div className={narrow ? 'mail-narrow' : undefined}>
			<Button look="quiet" onClick={() => setNarrow(!narrow)}>
				{narrow ? w.emails.wide : w.emails.phone}
			</Button>
			<MailFrame html={html} />
		</div>
	);
}

function Details({ email }: { email: Email }) {
	const template = nameUse('templates');
	const lines: [string, ReactNode][] = [
		[w.emails.from, email.from],
		[w.emails.to, email.to.join(', ')],
		[w.emails.cc, email.cc.join(', ')],
		[w.emails.bcc, email.bcc.join(', ')],
		[w.emails.replyTo, email.reply_to.join(', ')],
		[w.emails.kind, w.emails[email.type]],
		[w.emails.created, <Time key="created" at={email.created} form="whole" />],
		[w.emails.scheduled, email.scheduled_at && <Time key="scheduled" at={email.scheduled_at} form="whole" />],
		[w.emails.cancelled, email.cancelled && <Time key="cancelled" at={email.cancelled} form="whole" />],
		[w.emails.template, email.template_id && <Link key="template" to={`/templates/${encodeURIComponent(email.template_id)}`}>{template(email.template_id)}</Link>],
		[w.emails.tags, Object.entries(email.tags).map(([name, value]) => `${name}: ${String(value)}`).join(', ')],
		[w.emails.id, <Copied key="id" text={email.id} name={w.emails.id} />],
	];
	return <FactCard lines={lines} />;
}
