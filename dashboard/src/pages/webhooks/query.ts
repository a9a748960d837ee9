// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query';
import { api, taken, type Schemas } from '../../api/client';
import { listUse } from '../../api/list';

export type Webhook = Schemas['Webhook'];
export type Delivery = Schemas['Delivery'];
const at = (id: string) => ({ params: { path: { id } } });

export const webhooksUse = () =>
	listUse(['webhooks'], async (cursor) => {
		const { webhooks, cursor: next } = await taken(api.GET('/v1/webhooks', { params: { query: { cursor } } }));
		return { rows: webhooks, cursor: next };
	});

export const deliveriesUse = (id: string, status: string) =>
	listUse(['deliveries', id, status], async (cursor) => {
		const query = { cursor, ...(status ? { status } : {}) };
		const { deliveries, cursor: next } = await taken(api.GET('/v1/webhooks/{id}/deliveries', { params: { path: { id }, query } }));
		return { rows: deliveries, cursor: next };
	});

export const webhookQuery = (id: string) => queryOptions({ queryKey: ['webhook', id], queryFn: () => taken(api.GET('/v1/webhooks/{id}', at(id))) });
export const deliveryQuery = (id: string, delivery: string) =>
	queryOptions({
		queryKey: ['delivery', id, delivery],
		queryFn: () => taken(api.GET('/v1/webhooks/{id}/deliveries/{delivery}', { params: { path: { id, delivery } } })),
	});

export const webhookAdd = (body: Schemas['NewWebhook']) => taken(api.POST('/v1/webhooks', { body }));
export const webhookChange = (id: string, body: Schemas['WebhookChange']) => taken(api.PATCH('/v1/webhooks/{id}', { ...at(id), body }));
export const webhookDelete = (id: string) => taken(api.DELETE('/v1/webhooks/{id}', at(id)));
export const webhookTest = (id: string) => taken(api.POST('/v1/webhooks/{id}/test', at(id)));
export const webhookRotate = (id: string) => taken(api.POST('/v1/webhooks/{id}/rotate', at(id)));
export const failedReplay = (id: string) =>
	taken(api.POST('/v1/webhooks/{id}/replay', { ...at(id), body: { from: Date.now() - 86_400_000, status: 'failed' } }));
export const deliveryReplay = (id: string, delivery: string) =>
	taken(api.POST('/v1/webhooks/{id}/deliveries/{delivery}/replay', { params: { path: { id, delivery } } }));
