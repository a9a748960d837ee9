// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query';
import { api, taken, type Schemas } from '../../api/client';
import { fileSave } from '../../api/csv';
import { listUse } from '../../api/list';

export type Import = Schemas['Import'];
export type Options = Schemas['ImportOptions'];
/** The first answer of the service about a file: its columns, and its first lines. */
export type Asked = Schemas['ImportAsked'];
/** Why there is no import; of a trial whose columns the service does not understand, with the begin of the file. */
export type Refused = Schemas['ImportRefused'];
export type Counts = Schemas['ImportCounts'];
const at = (id: string) => ({ params: { path: { id } } });

/** Whether the service is not through with it. */
export const moves = ({ status }: Pick<Import, 'status'>) => status === 'pending' || status === 'running';
const often = 1_500;

export const importsUse = () =>
	listUse(
		['imports'],
		async (cursor) => {
			const { imports, cursor: next } = await taken(api.GET('/v1/imports', { params: { query: { cursor } } }));
			return { rows: imports, cursor: next };
		},
		{ again: (imports) => (imports.some(moves) ? often : false) },
	);

export const importQuery = (id: string) =>
	queryOptions({
		queryKey: ['import', id],
		refetchInterval: ({ state: { data } }) => (data && !moves(data) ? false : often),
		queryFn: () => taken(api.GET('/v1/imports/{id}', at(id))),
	});

/** The faults; they are read anew when the import has another status. */
export const faultsUse = ({ id, status }: Import) =>
	listUse(['import', id, 'faults', status], async (cursor) => {
		const page = await taken(api.GET('/v1/imports/{id}/faults', { params: { path: { id }, query: { cursor } } }));
		const { faults, cursor: next } = page as Schemas['LineFaults'];
		return { rows: faults, cursor: next };
	});

export function importAsk(file: File, options: Options) {
	const form = new FormData();
	form.set('options', JSON.stringify(options));
	form.set('file', file);
	return taken(api.POST('/v1/imports', { body: form as never }));
}

/** Hands the reader the lines that were refused, to mend and import again. */
export async function refusedSave(id: string) {
	const text: unknown = await taken(api.GET('/v1/imports/{id}/faults', { ...at(id), headers: { Accept: 'text/csv' }, parseAs: 'text' }));
	fileSave('refused.csv', [text as string]);
}
