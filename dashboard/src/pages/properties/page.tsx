// SPDX-License-Identifier: MIT
// Properties of people that have a type, and what templates show for a person without one.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { propertiesQuery } from '../../api/choices';
import { changeUse } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { ConfirmButton, FormButton } from '../../parts/dialog';
import { Choice, Field, said } from '../../parts/field';
import { Head } from '../../parts/head';
import { Empty, Ready } from '../../parts/state';
import { Table } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { propertyAdd, propertyChange, propertyDelete, type Default, type Property } from './query';

const types = ['string', 'number', 'boolean', 'date'] as const;

export default function Properties() {
	const all = useQuery(propertiesQuery);
	const may = mayChangeUse();
	return (
		<>
			<Head title={w.properties.name} text={w.properties.text}>
				{may && <PropertyForm />}
			</Head>
			<Ready of={all}>
				{(rows) =>
					rows.length ? (
						<Table
							label={w.properties.name}
							rows={rows}
							id={({ key }) => key}
							columns={[
								{ name: w.properties.key, cell: ({ key }) => <code>{key}</code> },
								{ name: w.properties.type, cell: ({ type }) => w.properties.types[type] },
								{ name: w.properties.default, cell: (one) => (one.default === null ? '–' : String(one.default)) },
								{ name: w.properties.created, minor: true, cell: ({ created }) => <Time at={created} form="day" /> },
								{
									name: w.properties.change,
									actions: true,
									cell: (one) =>
										may && (
											<>
												<PropertyForm of={one} /> <Remove of={one} />
											</>
										),
								},
							]}
						/>
					) : (
						<Empty title={w.properties.empty}>
							<p>{w.properties.emptyText}</p>
						</Empty>
					)
				}
			</Ready>
		</>
	);
}

/** A text as a value of a type; none where it is empty. */
function valueOf(text: string, type: Property['type']): Default {
	if (text === '') return null;
	if (type === 'boolean') return text === 'true';
	return type === 'number' ? Number(text) : text;
}

function PropertyForm({ of }: { of?: Property }) {
	const data = useQueryClient();
	const save = async (values: FormData) => {
		const type = of?.type ?? (said(values, 'type') as Property['type']);
		const value = valueOf(said(values, 'default'), type);
		await (of ? propertyChange(of.key, value) : propertyAdd({ key: said(values, 'key'), type, default: value }));
		void data.invalidateQueries({ queryKey: ['properties'] });
	};
	return (
		<FormButton fresh={!of} look={of ? 'quiet' : 'main'} name={of ? w.properties.change : w.properties.add} title={of?.key ?? w.properties.add} action={of ? w.do.save : w.do.create} onSubmit={save}>
			{!of && <Field label={w.properties.key} name="key" help={w.properties.keyHelp} pattern="[A-Za-z_][A-Za-z0-9_]*" required />}
			{!of && <Choice label={w.properties.type} name="type" options={types.map((value) => ({ value, name: w.properties.types[value] }))} />}
			<Field label={w.properties.default} name="default" help={w.properties.defaultHelp} type={of?.type === 'number' ? 'number' : 'text'} step="any" defaultValue={of && of.default !== null ? String(of.default) : ''} />
		</FormButton>
	);
}

function Remove({ of: { key } }: { of: Property }) {
	const remove = changeUse(() => propertyDelete(key), { touches: [['properties']], done: w.properties.removed });
	return <ConfirmButton quiet name={w.do.delete} title={w.properties.removeTitle(key)} text={w.properties.removeText} onConfirm={() => remove.mutate()} />;
}
