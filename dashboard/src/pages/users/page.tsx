// SPDX-License-Identifier: MIT
// Users: who can sign in, and what each may do.
import { useQueryClient } from '@tanstack/react-query';
import { changeUse } from '../../api/list';
import { Badge } from '../../parts/badge';
import { ConfirmButton, FormButton } from '../../parts/dialog';
import { Choice, Field, said } from '../../parts/field';
import { Head } from '../../parts/head';
import { Empty } from '../../parts/state';
import { noticeUse } from '../../parts/notice';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { roles, userAdd, userChange, userRemove, usersUse, type User } from './query';

export default function Users() {
	const list = usersUse();
	return (
		<>
			<Head title={w.users.name} text={w.users.text}>
				<UserForm />
			</Head>
			<ListTable
				label={w.users.name}
				list={list}
				id={({ id }) => id}
				empty={<Empty title={w.users.empty} />}
				columns={[
					{ name: w.users.email, cell: ({ email }) => email },
					{ name: w.users.role, cell: ({ role, status }) => (status === 'invited' ? <><Badge tone="warn">{w.users.invited}</Badge> {w.role[role]}</> : w.role[role]) },
					{ name: w.users.person, minor: true, cell: ({ first_name, last_name }) => [first_name, last_name].filter(Boolean).join(' ') || '–' },
					{ name: w.users.lastSeen, minor: true, cell: ({ last_seen }) => <Time at={last_seen} /> },
					{ name: w.users.created, minor: true, cell: ({ created }) => <Time at={created} form="day" /> },
					{
						name: w.users.change,
						actions: true,
						cell: (user) => (
							<>
								<UserForm of={user} /> <Remove of={user} />
							</>
						),
					},
				]}
			/>
		</>
	);
}

/** The form of a new user, or of a known one. */
function UserForm({ of }: { of?: User }) {
	const data = useQueryClient();
	const notice = noticeUse();
	return (
		<FormButton
			fresh={!of}
			name={of ? w.users.change : w.users.add}
			title={of?.email ?? w.users.add}
			action={of ? w.do.save : w.do.add}
			look={of ? 'quiet' : 'main'}
			onSubmit={async (values) => {
				const body = {
					role: said(values, 'role') as User['role'],
					first_name: said(values, 'first') || null,
					last_name: said(values, 'last') || null,
				};
				const user = await (of ? userChange(of.id, body) : userAdd({ ...body, email: said(values, 'email') }));
				void data.invalidateQueries({ queryKey: ['users'] });
				notice(of ? w.users.changed : user.status === 'invited' ? w.users.invitedNow : w.users.added);
			}}
		>
			{!of && <Field label={w.users.email} name="email" type="email" required />}
			<Choice
				label={w.users.role}
				name="role"
				help={w.users.roleHelp}
				defaultValue={of?.role ?? 'member'}
				options={roles.map((value) => ({ value, name: w.role[value] }))}
			/>
			<Field label={w.users.firstName} name="first" defaultValue={of?.first_name ?? ''} />
			<Field label={w.users.lastName} name="last" defaultValue={of?.last_name ?? ''} />
		</FormButton>
	);
}

function Remove({ of: { id, email } }: { of: User }) {
	const remove = changeUse(() => userRemove(id), { touches: [['users']], done: w.users.removed });
	return <ConfirmButton quiet name={w.users.remove} title={w.users.removeTitle(email)} text={w.users.removeText} onConfirm={() => remove.mutate()} />;
}
