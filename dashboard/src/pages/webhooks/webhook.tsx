// SPDX-License-Identifier: MIT
// One webhook: its state, and what it was told.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { changeUse } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { Button } from '../../parts/button';
import { ConfirmButton, FormButton } from '../../parts/dialog';
import { Field, said } from '../../parts/field';
import { Head } from '../../parts/head';
import { noticeUse } from '../../parts/notice';
import { Secret } from '../../parts/secret';
import { Ready } from '../../parts/state';
import { Switch } from '../../parts/switch';
import { w } from '../../words';
import { Deliveries } from './deliveries';
import { EventsField, eventsOf, eventsText } from './events';
import { WebhookState } from './page';
import { failedReplay, webhookChange, webhookDelete, webhookQuery, webhookRotate, webhookTest, type Delivery, type Webhook } from './query';

export default function WebhookPage({ params }: { params: Record<string, string> }) {
	const webhook = useQuery(webhookQuery(params.id));
	const may = mayChangeUse();
	return (
		<>
			<Head title={webhook.data?.url ?? w.webhooks.name} text={webhook.data?.description} back={{ to: '/webhooks', name: w.webhooks.name }}>
				{webhook.data && may && <Actions webhook={webhook.data} />}
			</Head>
			<Ready of={webhook}>{(webhook) => <Facts webhook={webhook} />}</Ready>
			<Deliveries id={params.id} />
		</>
	);
}

function Facts({ webhook }: { webhook: Webhook }) {
	const may = mayChangeUse();
	const change = changeUse((enabled: boolean) => webhookChange(webhook.id, { enabled }), {
		touches: [['webhook', webhook.id], ['webhooks']],
		done: w.webhooks.saved,
	});
	return (
		<section className="card">
			<dl className="facts">
				<dt>{w.webhooks.state}</dt>
				<dd>
					<WebhookState of={webhook} />
				</dd>
				<dt>{w.webhooks.events}</dt>
				<dd>{eventsText(webhook.events)}</dd>
			</dl>
			<Switch label={w.webhooks.enabled} on={webhook.enabled} disabled={!may} onChange={(on) => change.mutate(on)} />
		</section>
	);
}

/** The receiver said that it is gone, which switches the webhook off. */
const isGone = ({ attempts }: Delivery) => attempts.at(-1)?.response_status === 410;

function Actions({ webhook }: { webhook: Webhook }) {
	const { id } = webhook;
	const data = useQueryClient();
	const [, go] = useLocation();
	const [secret, setSecret] = useState('');
	const touches = [['deliveries', id]];
	const notice = noticeUse();
	const test = changeUse(() => webhookTest(id), {
		touches: [...touches, ['webhook', id], ['webhooks']],
		then: (told) => (isGone(told) ? notice(w.webhooks.testGone, 'bad') : notice(w.webhooks.testDone)),
	});
	const rotate = changeUse(() => webhookRotate(id), { touches: [['webhook', id]], then: (made) => setSecret(made.secret) });
	const again = changeUse(() => failedReplay(id), { touches, done: ({ count }) => w.webhooks.againDone(count) });
	const remove = changeUse(() => webhookDelete(id), { touches: [['webhooks']], done: w.webhooks.removed, then: () => go('/webhooks') });
	return (
		<>
			<Button look="main" busy={test.isPending} onClick={() => test.mutate()}>
				{w.webhooks.test}
			</Button>
			<FormButton
				look="plain"
				name={w.webhooks.edit}
				title={w.webhooks.edit}
				action={w.do.save}
				onSubmit={async (values) => {
					await webhookChange(id, { url: said(values, 'url'), events: eventsOf(values), description: said(values, 'description') });
					for (const queryKey of [['webhook', id], ['webhooks']]) void data.invalidateQueries({ queryKey });
				}}
			>
				<Field label={w.webhooks.url} name="url" type="url" defaultValue={webhook.url} required />
				<EventsField chosen={webhook.events} />
				<Field label={w.webhooks.description} name="description" maxLength={200} defaultValue={webhook.description} />
			</FormButton>
			<ConfirmButton quiet name={w.webhooks.again} title={w.webhooks.againTitle} text={w.webhooks.againText} onConfirm={() => again.mutate()} />
			<ConfirmButton quiet name={w.webhooks.rotate} title={w.webhooks.rotateTitle} text={w.webhooks.rotateText} onConfirm={() => rotate.mutate()} />
			<ConfirmButton name={w.webhooks.remove} title={w.webhooks.removeTitle} text={w.webhooks.removeText} onConfirm={() => remove.mutate()} />
			<Secret title={w.webhooks.secretTitle} text={w.webhooks.secretText} name={w.webhooks.secret} value={secret} onClose={() => setSecret('')} />
		</>
	);
}
