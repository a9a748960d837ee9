// SPDX-License-Identifier: MIT
// Topics of mailings: people leave one and get the rest.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeUse } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { Button } from '../../parts/button';
import { ConfirmButton, Dialog, FormButton } from '../../parts/dialog';
import { Choice, Field, said } from '../../parts/field';
import { Head } from '../../parts/head';
import { SendingRules } from '../../parts/sending-rules';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { w } from '../../words';
import { topicAdd, topicChange, topicDelete, topicsUse, type Topic } from './query';

export default function Topics() {
	const list = topicsUse();
	const may = mayChangeUse();
	return (
		<>
			<Head title={w.topics.name} text={w.topics.text}>
				{may && <TopicForm />}
			</Head>
			<ListTable
				label={w.topics.name}
				list={list}
				id={({ id }) => id}
				empty={
					<Empty title={w.topics.empty}>
						<p>{w.topics.emptyText}</p>
					</Empty>
				}
				columns={[
					{ name: w.topics.topic, cell: ({ name }) => name },
					{ name: w.topics.description, minor: true, cell: ({ description }) => description || '–' },
					{ name: w.topics.begins, cell: ({ opt_in }) => (opt_in ? w.topics.optIn : w.topics.optOut) },
					{ name: w.topics.shown, minor: true, cell: (topic) => (topic.public ? w.topics.yes : w.topics.no) },
					{
						name: w.topics.change,
						actions: true,
						cell: (topic) =>
							may && (
								<>
									<TopicForm of={topic} /> <Rules of={topic} /> <Remove of={topic} />
								</>
							),
					},
				]}
			/>
		</>
	);
}

function TopicForm({ of }: { of?: Topic }) {
	const data = useQueryClient();
	return (
		<FormButton
			fresh={!of}
			look={of ? 'quiet' : 'main'}
			name={of ? w.topics.change : w.topics.add}
			title={of?.name ?? w.topics.add}
			action={of ? w.do.save : w.do.create}
			onSubmit={async (values) => {
				const body = { name: said(values, 'name'), description: said(values, 'description'), public: said(values, 'public') === 'yes' };
				await (of ? topicChange(of.id, body) : topicAdd({ ...body, opt_in: said(values, 'begins') === 'in' }));
				void data.invalidateQueries({ queryKey: ['topics'] });
			}}
		>
			<Field label={w.topics.topic} name="name" defaultValue={of?.name} maxLength={100} required />
			<Field label={w.topics.description} name="description" defaultValue={of?.description} maxLength={500} />
			<Choice
				label={w.topics.shown}
				name="public"
				defaultValue={of && !of.public ? 'no' : 'yes'}
				options={[{ value: 'yes', name: w.topics.yes }, { value: 'no', name: w.topics.no }]}
			/>
			{!of && <Choice label={w.topics.begins} name="begins" help={w.topics.stays} options={[{ value: 'out', name: w.topics.optOut }, { value: 'in', name: w.topics.optIn }]} />}
		</FormButton>
	);
}

function Rules({ of: { id, name } }: { of: Topic }) {
	const [open, setOpen] = useState(false);
	return (
		<>
			<Button look="quiet" onClick={() => setOpen(true)}>
				{w.sending.name}
			</Button>
			<Dialog title={`${name}: ${w.sending.name}`} open={open} onOpenChange={setOpen}>
				<SendingRules topic={id} />
			</Dialog>
		</>
	);
}

function Remove({ of: { id, name } }: { of: Topic }) {
	const remove = changeUse(() => topicDelete(id), { touches: [['topics']], done: w.topics.removed });
	return <ConfirmButton quiet name={w.do.delete} title={w.topics.removeTitle(name)} text={w.topics.removeText} onConfirm={() => remove.mutate()} />;
}
