// SPDX-License-Identifier: MIT
// The form for a new key.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { domainsQuery } from '../../api/domains';
import { FormButton } from '../../parts/dialog';
import { Choice, Field, said } from '../../parts/field';
import { useState } from 'react';
import { w } from '../../words';
import { keyMake, type Key } from './query';

export function Make({ onMade }: { onMade: (key: string) => void }) {
	const data = useQueryClient();
	const [scope, setScope] = useState('full');
	const domains = useQuery(domainsQuery).data ?? [];
	return (
		<FormButton
			fresh
			name={w.keys.add}
			title={w.keys.add}
			action={w.do.create}
			onSubmit={async (values) => {
				const until = said(values, 'expires');
				const domain_id = said(values, 'domain');
				const made = await keyMake({
					name: said(values, 'name'),
					scope: scope as Exclude<Key['scope'], 'metrics'>,
					...(until ? { expires_at: new Date(`${until}T23:59:59`).getTime() } : {}),
					...(domain_id ? { domain_id } : {}),
				});
				void data.invalidateQueries({ queryKey: ['keys'] });
				onMade(made.key);
			}}
		>
			<Field label={w.keys.keyName} name="name" maxLength={100} required />
			<Choice
				label={w.keys.scope}
				name="scope"
				value={scope}
				onChange={(event) => setScope(event.target.value)}
				options={(['full', 'send', 'read'] as const).map((value) => ({ value, name: w.keys[value] }))}
			/>
			{scope === 'send' && (
				<Choice
					label={w.keys.domain}
					name="domain"
					options={[{ value: '', name: w.keys.anyDomain }, ...domains.map(({ id, name }) => ({ value: id, name }))]}
				/>
			)}
			<Field label={w.keys.expires} name="expires" type="date" />
		</FormButton>
	);
}
