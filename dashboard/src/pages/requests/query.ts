// SPDX-License-Identifier: MIT
import { useQuery } from '@tanstack/react-query';
import { api, taken } from '../../api/client';
import { listUse, someOf } from '../../api/list';

export const outcomes = ['refused', 'failed', 'ok'] as const;
export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** In the address, `status` is the outcome, and `code` the status of the answer. */
export const filterNames = ['status', 'code', 'method', 'route', 'actor', 'since', 'until'] as const;
type Filters = Partial<Record<(typeof filterNames)[number], string>>;

/** The time at which a field of a date and a time stands in the reader's zone. */
const timeOf = (text: string | undefined) => (text ? new Date(text).toISOString() : undefined);

export const requestsUse = ({ status, code, method, route, actor, since, until }: Filters) =>
	listUse(['requests', status, code, method, route, actor, since, until], (cursor) =>
		someOf(cursor, async (cursor) => {
			const query = {
				result: outcomes.find((one) => one === status),
				status: code ? Number(code) : undefined,
				method: methods.find((one) => one === method),
				route,
				actor,
				since: timeOf(since),
				until: timeOf(until),
				cursor,
			};
			const { requests, cursor: next } = await taken(api.GET('/v1/requests', { params: { query } }));
			return { rows: requests, cursor: next };
		}),
	);

/** Who may have sent a request: keys and users, of the first page of each. */
export const actorsUse = () =>
	useQuery({
		queryKey: ['requests', 'actors'],
		queryFn: async () => {
			const [{ keys }, { users }] = await Promise.all([taken(api.GET('/v1/keys')), taken(api.GET('/v1/users'))]);
			return [...keys.map(({ id, name }) => ({ value: id, name: name ?? id })), ...users.map(({ id, email }) => ({ value: id, name: email }))];
		},
	}).data ?? [];
