// SPDX-License-Identifier: MIT
// Mail that comes in for a domain: whether it is taken, and what becomes of it by its local part.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Failure } from '../../api/client';
import { changeUse } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { ConfirmButton, FormButton, FormDialog } from '../../parts/dialog';
import { Choice, Field, said } from '../../parts/field';
import { Ready } from '../../parts/state';
import { Switch } from '../../parts/switch';
import { Table } from '../../parts/table';
import { w } from '../../words';
import { actions, domainChange, routeAdd, routeChange, routeDelete, routesQuery, type Action, type Domain, type Route } from './query';

export function Receiving({ domain }: { domain: Domain }) {
	const may = mayChangeUse();
	const [conflict, setConflict] = useState('');
	const touches = [['domain', domain.id], ['domains']];
	const change = changeUse((what: Parameters<typeof domainChange>[1]) => domainChange(domain.id, what), { touches, done: w.domains.saved });
	const data = useQueryClient();
	// Another server's mail is taken away only by somebody who was told.
	const receive = async (receiving: boolean) => {
		try {
			await domainChange(domain.id, { receiving });
			for (const queryKey of touches) void data.invalidateQueries({ queryKey });
		} catch (why) {
			if (why instanceof Failure && why.status === 409) setConflict(why.message);
			else change.mutate({ receiving });
		}
	};
	return (
		<section className="card">
			<h2>{w.domains.receiving}</h2>
			<Switch label={w.domains.receives} help={w.domains.receivesHelp} on={domain.receiving} disabled={!may} onChange={(on) => void receive(on)} />
			<Switch label={w.domains.replies} help={w.domains.repliesHelp} on={domain.reply_tracking} disabled={!may} onChange={(reply_tracking) => change.mutate({ reply_tracking })} />
			<FormDialog
				title={w.domains.receives}
				open={conflict !== ''}
				onOpenChange={(open) => open || setConflict('')}
				action={w.domains.receiveAnyway}
				bad
				onSubmit={() => {
					setConflict('');
					change.mutate({ receiving: true, override: true });
				}}
			>
				<p>{conflict}</p>
			</FormDialog>
			{domain.receiving && <Routes id={domain.id} />}
		</section>
	);
}

function Routes({ id }: { id: string }) {
	const routes = useQuery(routesQuery(id));
	const may = mayChangeUse();
	const remove = changeUse((route: string) => routeDelete(id, route), { touches: [['domain', id, 'routes']], done: w.domains.routeRemoved });
	return (
		<>
			<div className="bar">
				<h3>{w.domains.mailRoutes}</h3>
				{may && <RouteButton id={id} />}
			</div>
			<Ready of={routes}>
				{(routes) => (
					<Table
						label={w.domains.mailRoutes}
						rows={routes}
						id={({ id }) => id}
						columns={[
							{ name: w.domains.match, cell: ({ match }) => <code>{match}</code> },
							{ name: w.domains.action, cell: (route) => shown(route) },
							{
								name: w.do.delete,
								actions: true,
								cell: (route) =>
									may && (
										<>
											<RouteButton id={id} route={route} />
											<ConfirmButton quiet name={w.do.delete} title={w.domains.routeTitle(route.match)} text={w.domains.routeText} onConfirm={() => remove.mutate(route.id)} />
										</>
									),
							},
						]}
					/>
				)}
			</Ready>
		</>
	);
}

const shown = ({ action, forward_to, reason }: Route) => [w.domains.actions[action], forward_to.join(', ') || reason].filter(Boolean).join(': ');

/** Makes a route, or changes the one that is given. */
function RouteButton({ id, route }: { id: string; route?: Route }) {
	const [action, setAction] = useState<Action>(route?.action ?? 'store');
	const data = useQueryClient();
	const save = async (values: FormData) => {
		const reason = said(values, 'reason');
		const body = { match: said(values, 'match'), action, ...(action === 'forward' ? { forward_to: said(values, 'to').split(/[\s,;]+/).filter(Boolean) } : {}) };
		if (route) await routeChange(id, route.id, { ...body, reason: (action === 'refuse' && reason) || null });
		else await routeAdd(id, { ...body, ...(action === 'refuse' && reason ? { reason } : {}) });
		void data.invalidateQueries({ queryKey: ['domain', id, 'routes'] });
	};
	const title = route ? w.domains.routeChange(route.match) : w.domains.routeAdd;
	return (
		<FormButton look={route ? 'quiet' : 'plain'} name={route ? w.people.edit : title} title={title} action={route ? w.do.save : w.do.add} before={async () => setAction(route?.action ?? 'store')} onSubmit={save}>
			<Field label={w.domains.match} name="match" help={w.domains.matchHelp} defaultValue={route?.match} required />
			<Choice label={w.domains.action} value={action} onChange={(event) => setAction(event.target.value as Action)} options={actions.map((value) => ({ value, name: w.domains.actions[value] }))} />
			{action === 'forward' && <Field label={w.received.forwardTo} name="to" help={w.received.forwardToHelp} defaultValue={route?.forward_to.join(', ')} required />}
			{action === 'refuse' && <Field label={w.domains.reason} name="reason" maxLength={200} defaultValue={route?.reason ?? ''} />}
		</FormButton>
	);
}
