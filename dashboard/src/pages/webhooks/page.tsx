// SPDX-License-Identifier: MIT
// Webhooks: the list, and a new one.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { mayChangeUse } from '../../api/session';
import { Badge } from '../../parts/badge';
import { FormButton } from '../../parts/dialog';
import { Field, said } from '../../parts/field';
import { Head } from '../../parts/head';
import { Secret } from '../../parts/secret';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { EventsField, eventsOf, eventsText } from './events';
import { webhookAdd, webhooksUse, type Webhook } from './query';

export default function Webhooks() {
	const list = webhooksUse();
	const [secret, setSecret] = useState('');
	return (
		<>
			<Head title={w.webhooks.name} text={w.webhooks.text}>
				{mayChangeUse() && <Add onSecret={setSecret} />}
			</Head>
			<ListTable
				label={w.webhooks.name}
				list={list}
				id={({ id }) => id}
				empty={
					<Empty title={w.webhooks.empty}>
						<p>{w.webhooks.emptyText}</p>
					</Empty>
				}
				columns={[
					{ name: w.webhooks.url, cell: ({ id, url }) => <Link to={`/webhooks/${id}`}>{url}</Link> },
					{ name: w.webhooks.state, cell: (webhook) => <WebhookState of={webhook} /> },
					{ name: w.webhooks.events, minor: true, cell: ({ events }) => eventsText(events) },
					{ name: w.webhooks.description, minor: true, cell: ({ description }) => description },
					{ name: w.webhooks.created, minor: true, cell: ({ created }) => <Time at={created} form="day" /> },
				]}
			/>
			<Secret title={w.webhooks.secretTitle} text={w.webhooks.secretText} name={w.webhooks.secret} value={secret} onClose={() => setSecret('')} />
		</>
	);
}

export function WebhookState({ of: { enabled, disabled_reason, failing_since } }: { of: Webhook }) {
	if (disabled_reason) return <Badge tone="bad">{disabled_reason === 'gone' ? w.webhooks.gone : w.webhooks.failed}</Badge>;
	if (!enabled) return <Badge>{w.webhooks.off}</Badge>;
	return failing_since ? <Badge tone="warn">{w.webhooks.failing}</Badge> : <Badge tone="good">{w.webhooks.on}</Badge>;
}

function Add({ onSecret }: { onSecret: (secret: string) => void }) {
	const data = useQueryClient();
	return (
		<FormButton
			fresh
			name={w.webhooks.add}
			title={w.webhooks.add}
			action={w.do.add}
			onSubmit={async (values) => {
				const made = await webhookAdd({ url: said(values, 'url'), events: eventsOf(values), description: said(values, 'description') });
				void data.invalidateQueries({ queryKey: ['webhooks'] });
				onSecret(made.secret);
			}}
		>
			<Field label={w.webhooks.url} name="url" type="url" placeholder="https://" required />
			<EventsField chosen={['*']} />
			<Field label={w.webhooks.description} name="description" />
		</FormButton>
	);
}
