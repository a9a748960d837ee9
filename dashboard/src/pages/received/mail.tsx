// SPDX-License-Identifier: MIT
// One received mail: what is new in it, all of it, who vouches for its writer, and where it went.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { changeUse } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { Badge } from '../../parts/badge';
import { Button } from '../../parts/button';
import { ConfirmButton, FormButton } from '../../parts/dialog';
import { Field, said } from '../../parts/field';
import { MailFrame } from '../../parts/mail-frame';
import { FactCard, HeaderTable, MailPage, PlainText } from '../../parts/mail-page';
import { Ready } from '../../parts/state';
import { numberText, Time } from '../../parts/time';
import { w } from '../../words';
import { attachmentLink, mailDelete, mailForward, mailQuery, rawQuery, type Attachment, type Mail } from './query';

export default function ReceivedMail({ params: { id } }: { params: Record<string, string> }) {
	const mail = useQuery(mailQuery(id));
	return (
		<MailPage of={mail} name={w.received.mail} back={{ to: '/received', name: w.received.name }} actions={(mail) => <Actions mail={mail} />} tabs={tabsOf}>
			{(mail) => (
				<>
					<Facts mail={mail} />
					<Attachments mail={mail} />
					<Forwards mail={mail} />
				</>
			)}
		</MailPage>
	);
}

function Actions({ mail: { id } }: { mail: Mail }) {
	const [, go] = useLocation();
	const forward = changeUse(({ to, from }: { to: string[]; from: string }) => mailForward(id, to, from), { touches: [['received-mail', id], ['emails']], done: w.received.forwarded });
	const remove = changeUse(() => mailDelete(id), { touches: [['received']], done: w.received.removed, then: () => go('/received') });
	if (!mayChangeUse()) return null;
	return (
		<>
			<FormButton
				name={w.received.forward}
				title={w.received.forward}
				action={w.received.forward}
				onSubmit={(values) => forward.mutateAsync({ to: said(values, 'to').split(/[\s,;]+/).filter(Boolean), from: said(values, 'from') })}
			>
				<Field label={w.received.forwardTo} name="to" help={w.received.forwardToHelp} required />
				<Field label={w.received.forwardFrom} name="from" help={w.received.forwardFromHelp} />
			</FormButton>
			<ConfirmButton name={w.do.delete} title={w.received.removeTitle} text={w.received.removeText} onConfirm={() => remove.mutate()} />
		</>
	);
}

const tabsOf = (mail: Mail) => [
	...(mail.reply_text && mail.reply_text !== mail.text ? [{ id: 'new', name: w.received.whatIsNew, content: <PlainText text={mail.reply_text} /> }] : []),
	...(mail.html ? [{ id: 'read', name: w.emails.asRead, content: <MailFrame html={mail.html} /> }] : []),
	...(mail.text ? [{ id: 'text', name: w.emails.textTab, content: <PlainText text={mail.text} /> }] : []),
	{ id: 'headers', name: w.emails.headers, content: <HeaderTable headers={mail.headers} /> },
	{ id: 'source', name: w.emails.source, content: <Raw id={mail.id} /> },
];

function Raw({ id }: { id: string }) {
	const raw = useQuery(rawQuery(id));
	return <Ready of={raw}>{(raw) => <PlainText text={String(raw)} />}</Ready>;
}

function Facts({ mail }: { mail: Mail }) {
	const { by, spf, dkim, dmarc } = mail.authentication;
	const results = Object.entries({ SPF: spf, DKIM: dkim, DMARC: dmarc }).filter(([, result]) => result);
	const lines: [string, ReactNode][] = [
		[w.received.from, mail.from],
		[w.received.cameTo, mail.recipients.join(', ')],
		[w.emails.replyTo, mail.reply_to.join(', ')],
		[w.emails.cc, mail.cc.join(', ')],
		[w.received.when, <Time key="when" at={mail.created} form="whole" />],
		[w.received.writer, mail.automatic && <Badge key="automatic">{w.received.automatic[mail.automatic]}</Badge>],
		[w.received.answers, mail.email_id && <Link key="email" to={`/emails/${mail.email_id}`}>{w.received.theEmail}</Link>],
		[
			w.received.vouched,
			results.length > 0 && (
				<span key="results" title={by ?? undefined}>
					{results.map(([name, result]) => (
						<Badge key={name} tone={result === 'pass' ? 'good' : result === 'fail' ? 'bad' : 'calm'}>{`${name} ${result}`}</Badge>
					))}
				</span>
			),
		],
		[w.received.spam, mail.spam_score !== null && numberText(mail.spam_score)],
		[w.received.size, w.received.bytes(mail.size)],
		[w.received.fault, mail.error],
	];
	return <FactCard lines={lines} />;
}

function Attachments({ mail: { id, attachments } }: { mail: Mail }) {
	const open = changeUse((attachment: string) => attachmentLink(id, attachment), { touches: [], then: (url) => location.assign(url) });
	if (!attachments.length) return null;
	const nameOf = ({ filename, content_type }: Attachment) => filename || content_type;
	return (
		<section className="card">
			<h2>{w.received.attachments}</h2>
			{attachments.map((one) => (
				<div key={one.id} className="bar">
					<span>
						{nameOf(one)} <span className="soft">{w.received.bytes(one.size)}</span>
					</span>
					<Button look="quiet" aria-label={w.received.saveFile(nameOf(one))} onClick={() => open.mutate(one.id)}>
						{w.do.save}
					</Button>
				</div>
			))}
		</section>
	);
}

function Forwards({ mail: { forwards } }: { mail: Mail }) {
	if (!forwards.length) return null;
	return (
		<section className="card">
			<h2>{w.received.forwards}</h2>
			{forwards.map(({ email_id, to, error }, index) => (
				<p key={email_id ?? index}>
					{email_id ? <Link to={`/emails/${email_id}`}>{to.join(', ')}</Link> : to.join(', ')}
					{error && <span className="error"> {error}</span>}
				</p>
			))}
		</section>
	);
}
