// SPDX-License-Identifier: MIT
// Workspaces into which the reader is invited, above each page until the reader has answered.
import { useQueryClient } from '@tanstack/react-query';
import { changeUse } from '../api/list';
import { invitationAnswer, sessionQuery, sessionUse } from '../api/session';
import { Button } from '../parts/button';
import { w } from '../words';

export function Invitations() {
	const { invitations } = sessionUse();
	return invitations.map((invitation) => <Invitation key={invitation.workspace.id} of={invitation} />);
}

function Invitation({ of: { workspace, role } }: { of: ReturnType<typeof sessionUse>['invitations'][0] }) {
	const data = useQueryClient();
	const answer = changeUse(invitationAnswer, {
		touches: [],
		then: (session) => data.setQueryData(sessionQuery.queryKey, session),
		done: (session) => (session.workspaces.some(({ id }) => id === workspace.id) ? w.invitation.accepted(workspace.name) : w.invitation.declined),
	});
	const say = (accept: boolean) => () => answer.mutate({ workspace: workspace.id, accept });
	return (
		<section className="card section" aria-label={w.invitation.title(workspace.name)}>
			<h2>{w.invitation.title(workspace.name)}</h2>
			<p>{w.invitation.text(w.role[role])}</p>
			<div className="row">
				<Button onClick={say(true)} busy={answer.isPending}>
					{w.invitation.accept}
				</Button>
				<Button look="quiet" onClick={say(false)} busy={answer.isPending}>
					{w.invitation.decline}
				</Button>
			</div>
		</section>
	);
}
