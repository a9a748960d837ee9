// SPDX-License-Identifier: MIT
// The versions of a template or broadcast that are kept: looked at, compared with what is stored now, and restored.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { asked, taken } from '../api/client';
import { changeUse, listUse } from '../api/list';
import { Button } from './button';
import { Compared, differencesOf } from './conflict';
import { Dialog } from './dialog';
import { Empty, Ready } from './state';
import { ListTable } from './table';
import { Time } from './time';
import { w } from '../words';

interface Row {
	version: number;
	created: number;
	created_by: string | null;
}

interface Props {
	/** The path of the thing, as in /v1/templates/ID. */
	of: string;
	/** What is stored now. */
	now: object;
	/** The names of the parts that can differ. */
	names: Record<string, string>;
	onRestored: () => void;
}

export function VersionsButton(props: Props) {
	const [open, setOpen] = useState(false);
	return (
		<>
			<Button onClick={() => setOpen(true)}>{w.versions.name}</Button>
			<Dialog wide title={w.versions.name} open={open} onOpenChange={setOpen}>
				<Versions
					{...props}
					onRestored={() => {
						setOpen(false);
						props.onRestored();
					}}
				/>
			</Dialog>
		</>
	);
}

function Versions({ of, now, names, onRestored }: Props) {
	const [chosen, setChosen] = useState<number | null>(null);
	const list = listUse<Row>(['versions', of], async (cursor) => {
		const { versions, cursor: next } = await taken(asked<{ versions: Row[]; cursor: string | null }>('GET', `${of}/versions`, { query: { cursor } }));
		return { rows: versions, cursor: next };
	});
	const restore = changeUse((version: number) => taken(asked('POST', `${of}/versions/${version}/restore`)), { touches: [['versions', of]], done: w.versions.restored, then: onRestored });
	return (
		<>
			<ListTable
				label={w.versions.name}
				list={list}
				id={({ version }) => String(version)}
				empty={<Empty title={w.versions.empty} />}
				columns={[
					{ name: w.versions.version, cell: ({ version }) => w.workflows.versionOf(version) },
					{ name: w.versions.when, cell: ({ created }) => <Time at={created} /> },
					{ name: w.versions.by, minor: true, cell: ({ created_by }) => (created_by === null ? '–' : created_by.includes('@') ? created_by : w.workflows.byKey) },
					{
						name: w.versions.compare,
						actions: true,
						cell: ({ version }) => (
							<Button look="quiet" aria-pressed={chosen === version} onClick={() => setChosen(version)}>
								{w.versions.compare}
							</Button>
						),
					},
				]}
			/>
			{chosen !== null && (
				<>
					<Version key={chosen} of={of} version={chosen} now={now} names={names} />
					<div className="dialog-foot">
						<Button look="main" busy={restore.isPending} onClick={() => restore.mutate(chosen)}>
							{w.versions.restore(w.workflows.versionOf(chosen))}
						</Button>
					</div>
				</>
			)}
		</>
	);
}

function Version({ of, version, now, names }: Pick<Props, 'of' | 'now' | 'names'> & { version: number }) {
	const content = useQuery({ queryKey: ['version', of, version], staleTime: Infinity, queryFn: () => taken(asked<object>('GET', `${of}/versions/${version}`)) });
	return <Ready of={content}>{(content) => <Compared differences={differencesOf(content, now, names)} mine={w.workflows.versionOf(version)} theirs={w.versions.now} />}</Ready>;
}
