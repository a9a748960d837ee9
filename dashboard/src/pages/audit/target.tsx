// SPDX-License-Identifier: MIT
// What was changed, by its name, and by what it is; where it is still there, the way to it.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { nameUse } from '../../api/choices';
import { api, taken, type Schemas } from '../../api/client';
import { domainsQuery } from '../../api/domains';
import { idnText } from '../../parts/idn';
import { numberText } from '../../parts/time';
import { w } from '../../words';

type Row = Schemas['Audit'];

/** Pages of one thing, by its type. */
const paths: Record<string, string> = { audience: 'audiences', broadcast: 'broadcasts', domain: 'domains', segment: 'segments', template: 'templates', webhook: 'webhooks', workflow: 'workflows' };

const workflowsQuery = { queryKey: ['workflows', 'names'], queryFn: async () => (await taken(api.GET('/v1/workflows'))).workflows };
const webhooksQuery = { queryKey: ['webhooks', 'names'], queryFn: async () => (await taken(api.GET('/v1/webhooks'))).webhooks };

/** The name of what a row is about: its own, that of another row about the same thing, or that of the thing itself; null: nobody knows it. */
export function targetNameUse(rows: Row[]) {
	const lists: Record<string, (id: string) => string> = { audience: nameUse('audiences'), broadcast: nameUse('broadcasts'), segment: nameUse('segments'), template: nameUse('templates'), topic: nameUse('topics') };
	const domains = useQuery(domainsQuery).data ?? [];
	const workflows = useQuery(workflowsQuery).data ?? [];
	const webhooks = useQuery(webhooksQuery).data ?? [];
	const said = new Map(rows.flatMap(({ target }) => (target?.id && target.name ? [[target.id, target.name] as const] : [])));
	return ({ target }: Row): string | null => {
		if (!target) return null;
		const { type, id } = target;
		const own = target.name ?? (id === null ? undefined : said.get(id));
		if (own) return type === 'domain' ? idnText(own) : type === 'person' && id === null ? manyText(own) : own;
		if (id === null) return null;
		// These have no other name than their key.
		if (['property', 'secret', 'stream'].includes(type)) return w.streams.names[id as 'broadcast'] ?? id;
		const found = lists[type]?.(id) ?? domains.find((one) => one.id === id)?.name ?? workflows.find((one) => one.workflow_id === id)?.name ?? webhooks.find((one) => one.id === id)?.url;
		return found && found !== id ? found : null;
	};
}

/** A change of many people is called by its action and their number. */
function manyText(name: string) {
	const [, action, number] = /^([a-z]+) (\d+)$/.exec(name) ?? [];
	const words = (w.bulk.actions as Record<string, string | undefined>)[action ?? ''];
	return words ? `${words}: ${numberText(Number(number))}` : name;
}

export function Target({ row, name }: { row: Row; name: string | null }) {
	const { target, action } = row;
	if (!target) return <>–</>;
	const type = (w.audit.types as Record<string, string>)[target.type] ?? target.type;
	const path = target.id && paths[target.type] && !action.endsWith('.deleted') ? `/${paths[target.type]}/${target.id}` : null;
	const text = name ?? type;
	return (
		<>
			{path ? <Link to={path}>{text}</Link> : text} {name && <span className="soft">{type}</span>}
		</>
	);
}
