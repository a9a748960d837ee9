// SPDX-License-Identifier: MIT
// Every component once, for those who build pages; DESIGN.md says when to use which.
import { useState } from 'react';
import { Badge, type Tone } from '../../parts/badge';
import { Button } from '../../parts/button';
import { Copied } from '../../parts/copy';
import { ConfirmButton, FormButton } from '../../parts/dialog';
import { Choice, Field, TextField } from '../../parts/field';
import { Head } from '../../parts/head';
import { Icon } from '../../parts/icon';
import { Menu } from '../../parts/menu';
import { noticeUse } from '../../parts/notice';
import { Empty, Failed } from '../../parts/state';
import { Switch } from '../../parts/switch';
import { Table } from '../../parts/table';
import { Tabs } from '../../parts/tabs';
import { Time } from '../../parts/time';

const tones: Tone[] = ['calm', 'info', 'good', 'warn', 'bad'];

export default function Design() {
	const [on, setOn] = useState(true);
	const notice = noticeUse();
	return (
		<>
			<Head title="Components" text="Every component once, in the order of DESIGN.md." back={{ to: '/', name: 'Overview' }}>
				<Button look="main">Head action</Button>
			</Head>
			<section className="card">
				<h2>Button</h2>
				<div className="row">
					<Button look="main">Main</Button>
					<Button>Plain</Button>
					<Button look="quiet">Quiet</Button>
					<Button disabled>Disabled</Button>
					<ConfirmButton name="Bad, asks" title="Do it?" text="This cannot be undone." onConfirm={() => notice('Done')} />
					<FormButton name="Form" title="A form" action="Do it" look="plain" onSubmit={async () => notice('Done')}>
						<Field label="Name" name="name" />
					</FormButton>
					<Button onClick={() => notice('It failed', 'bad')}>Notice</Button>
					<Menu button={<Button>Menu</Button>} parts={[{ title: 'Part', entries: [{ name: 'Entry', chosen: true, act: () => notice('Entry') }] }]} />
				</div>
			</section>
			<section className="card">
				<h2>Badge</h2>
				<div className="row">
					{tones.map((tone) => (
						<Badge key={tone} tone={tone}>
							{tone}
						</Badge>
					))}
				</div>
			</section>
			<section className="card">
				<h2>Field</h2>
				<Field label="Text" help="What it is for." placeholder="example.com" />
				<TextField label="Long text" />
				<Choice label="Choice" options={[{ value: 'a', name: 'One' }, { value: 'b', name: 'Other' }]} />
				<Switch label="Switch" help="What it does." on={on} onChange={setOn} />
			</section>
			<section className="card">
				<h2>Tabs, copied value, time, icon</h2>
				<Tabs label="Tabs" tabs={[{ id: 'one', name: 'One', content: <p>First</p> }, { id: 'two', name: 'Two', content: <p>Second</p> }]} />
				<Copied text="v=spf1 include:example.com -all" name="Value" />
				<Time at={0} form="whole" />
				<Icon name="email" />
			</section>
			<Table
				label="Table"
				rows={[{ id: '1', name: 'Ada' }]}
				id={({ id }) => id}
				columns={[{ name: 'Name', cell: ({ name }) => name }, { name: 'Minor', minor: true, cell: ({ id }) => id }]}
			/>
			<Empty title="Nothing yet">
				<p>What to do so that there is something.</p>
			</Empty>
			<Failed why={new Error('The service is away.')} again={() => notice('Asked again')} />
		</>
	);
}
