// SPDX-License-Identifier: MIT
// Settings: the workspace's name and sender, its limits and how much of them is used.
import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { changeUse } from '../../api/list';
import { isOwnerUse } from '../../api/session';
import { Button } from '../../parts/button';
import { Copied } from '../../parts/copy';
import { Field, said } from '../../parts/field';
import { Head } from '../../parts/head';
import { Ready } from '../../parts/state';
import { Table } from '../../parts/table';
import { numberText, Time } from '../../parts/time';
import { w } from '../../words';
import { Preferences } from './preferences';
import { Secrets } from './secrets';
import { Sending } from './sending';
import { workspaceChange, workspaceQuery, type Workspace } from './query';

export default function Settings() {
	const workspace = useQuery(workspaceQuery);
	const owner = isOwnerUse();
	return (
		<>
			<Head title={w.settings.name} text={w.settings.text} />
			<Ready of={workspace}>
				{(workspace) => (
					<section className="card">
						<h2>{w.settings.workspace}</h2>
						{owner ? <Form workspace={workspace} /> : <Facts workspace={workspace} />}
						<dl className="facts">
							<dt>{w.settings.created}</dt>
							<dd>
								<Time at={workspace.created} form="day" />
							</dd>
							<dt>{w.settings.id}</dt>
							<dd>
								<Copied text={workspace.id} name={w.settings.id} />
							</dd>
						</dl>
					</section>
				)}
			</Ready>
			<Preferences />
			<Sending />
			<Secrets />
			{workspace.data && <Limits workspace={workspace.data} />}
		</>
	);
}

function Form({ workspace }: { workspace: Workspace }) {
	const change = changeUse(workspaceChange, { touches: [['workspace'], ['session']], done: w.settings.saved });
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const values = new FormData(event.currentTarget);
		const default_sender = said(values, 'sender');
		change.mutate({ name: said(values, 'name'), ...(default_sender ? { default_sender } : {}) });
	};
	return (
		<form className="stack" onSubmit={submit}>
			<Field label={w.settings.workspaceName} name="name" defaultValue={workspace.name} required />
			<Field label={w.settings.sender} name="sender" help={w.settings.senderHelp} defaultValue={workspace.default_sender ?? ''} />
			<div>
				<Button type="submit" look="main" busy={change.isPending}>
					{w.do.save}
				</Button>
			</div>
		</form>
	);
}

function Facts({ workspace }: { workspace: Workspace }) {
	return (
		<dl className="facts">
			<dt>{w.settings.workspaceName}</dt>
			<dd>{workspace.name}</dd>
			<dt>{w.settings.sender}</dt>
			<dd>{workspace.default_sender ?? '–'}</dd>
		</dl>
	);
}

function Limits({ workspace: { limits } }: { workspace: Workspace }) {
	return (
		<section className="section">
			<h2>{w.settings.limits}</h2>
			<Table
				label={w.settings.limits}
				rows={limits}
				id={({ name }) => name}
				columns={[
					{ name: w.settings.limit, cell: ({ name }) => w.settings[name] },
					{ name: w.settings.value, cell: ({ value }) => (value ? numberText(value) : w.settings.none) },
					{ name: w.settings.used, cell: ({ used }) => (used === null ? '–' : numberText(used)) },
				]}
			/>
		</section>
	);
}
