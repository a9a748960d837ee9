// SPDX-License-Identifier: MIT
// Secrets of the workspace, which the requests of workflows send. No value is ever shown again.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeUse } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { ConfirmButton, FormButton } from '../../parts/dialog';
import { Field, said } from '../../parts/field';
import { Secret } from '../../parts/secret';
import { Empty, Ready } from '../../parts/state';
import { Table } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { secretDelete, secretSet, secretsQuery } from './query';

export function Secrets() {
	const secrets = useQuery(secretsQuery);
	const may = mayChangeUse();
	const remove = changeUse(secretDelete, { touches: [['secrets']], done: w.secrets.removed });
	return (
		<section className="section">
			<div className="bar">
				<h2>{w.secrets.name}</h2>
				{may && <SetSecret />}
			</div>
			<p className="soft">{w.secrets.text}</p>
			<Ready of={secrets}>
				{(secrets) =>
					secrets.length ? (
						<Table
							label={w.secrets.name}
							rows={secrets}
							id={({ name }) => name}
							columns={[
								{ name: w.secrets.secret, cell: ({ name }) => <code>{name}</code> },
								{ name: w.secrets.created, minor: true, cell: ({ created }) => <Time at={created} form="day" /> },
								{ name: w.secrets.updated, cell: ({ updated }) => <Time at={updated} /> },
								{
									name: w.do.delete,
									actions: true,
									cell: ({ name }) => may && <ConfirmButton quiet name={w.do.delete} title={w.secrets.removeTitle(name)} text={w.secrets.removeText} onConfirm={() => remove.mutate(name)} />,
								},
							]}
						/>
					) : (
						<Empty title={w.secrets.empty} />
					)
				}
			</Ready>
		</section>
	);
}

function SetSecret() {
	const data = useQueryClient();
	const [made, setMade] = useState('');
	const set = async (values: FormData) => {
		const { value } = await secretSet(said(values, 'name'), said(values, 'value'));
		void data.invalidateQueries({ queryKey: ['secrets'] });
		setMade(value ?? '');
	};
	return (
		<>
			<FormButton look="plain" name={w.secrets.set} title={w.secrets.set} action={w.do.save} onSubmit={set}>
				<Field label={w.secrets.secret} name="name" pattern="[A-Za-z0-9_\-]{1,64}" help={w.secrets.nameHelp} required />
				<Field label={w.secrets.value} name="value" type="password" autoComplete="new-password" maxLength={4096} help={w.secrets.valueHelp} />
			</FormButton>
			<Secret title={w.secrets.madeTitle} text={w.secrets.madeText} name={w.secrets.secret} value={made} onClose={() => setMade('')} />
		</>
	);
}
