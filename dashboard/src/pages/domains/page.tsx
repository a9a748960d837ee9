// SPDX-License-Identifier: MIT
// Domains: the list, and a new one.
import { useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { mayChangeUse } from '../../api/session';
import { FormButton } from '../../parts/dialog';
import { Field, said } from '../../parts/field';
import { Head } from '../../parts/head';
import { Idn } from '../../parts/idn';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { domainAdd, domainsUse } from './query';
import { DomainStatus } from './status';

export default function Domains() {
	const list = domainsUse();
	return (
		<>
			<Head title={w.domains.name} text={w.domains.text}>
				<Add />
			</Head>
			<ListTable
				label={w.domains.name}
				list={list}
				id={({ id }) => id}
				empty={
					<Empty title={w.domains.empty}>
						<p>{w.domains.emptyText}</p>
					</Empty>
				}
				columns={[
					{ name: w.domains.domain, cell: ({ id, name }) => <Link to={`/domains/${id}`}><Idn name={name} /></Link> },
					{ name: w.domains.status, cell: ({ status }) => <DomainStatus of={status} /> },
					{ name: w.domains.checked, minor: true, cell: ({ verification_info }) => <Time at={verification_info.last_checked_timestamp} /> },
					{ name: w.domains.created, minor: true, cell: ({ created }) => <Time at={created} form="day" /> },
				]}
			/>
		</>
	);
}

function Add() {
	const data = useQueryClient();
	const [, go] = useLocation();
	if (!mayChangeUse()) return null;
	return (
		<FormButton
			fresh
			name={w.domains.add}
			title={w.domains.add}
			action={w.do.add}
			onSubmit={async (values) => {
				const { id } = await domainAdd(said(values, 'name'));
				void data.invalidateQueries({ queryKey: ['domains'] });
				go(`/domains/${id}`);
			}}
		>
			<Field label={w.domains.domain} name="name" help={w.domains.addHelp} placeholder="example.com" required />
		</FormButton>
	);
}
