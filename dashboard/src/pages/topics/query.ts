// SPDX-License-Identifier: MIT
import { api, taken, type Schemas } from '../../api/client';
import { listUse } from '../../api/list';

export type Topic = Schemas['Topic'];

export const topicsUse = () =>
	listUse(['topics'], async (cursor) => {
		const { topics, cursor: next } = await taken(api.GET('/v1/topics', { params: { query: { cursor } } }));
		return { rows: topics, cursor: next };
	});

export const topicAdd = (body: Schemas['NewTopic']) => taken(api.POST('/v1/topics', { body }));
export const topicChange = (id: string, body: Schemas['TopicChange']) => taken(api.PATCH('/v1/topics/{id}', { params: { path: { id } }, body }));
export const topicDelete = (id: string) => taken(api.DELETE('/v1/topics/{id}', { params: { path: { id } } }));
