// SPDX-License-Identifier: MIT
// Drafts: what a user types and has not saved is kept on the service, for this user alone, and offered again later.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { mayChangeUse } from './session';
import { api, taken } from './client';

export type DraftKind = 'template' | 'broadcast' | 'segment' | 'workflow';
const pause = 1_000;

const path = (kind: DraftKind, id: string) => ({ params: { path: { kind, id } } });

interface Options<T> {
	/** Whether there is something that is not saved. */
	dirty: boolean;
	/** Another one with each change. */
	edit: unknown;
	read: () => T;
}

/** The draft that was kept earlier, if there is one, while what is typed now is kept after a pause. */
export function draftUse<T extends object>(kind: DraftKind, id: string, { dirty, edit, read }: Options<T>) {
	const may = mayChangeUse();
	const data = useQueryClient();
	const key = ['draft', kind, id];
	const kept = useQuery({
		queryKey: key,
		enabled: may,
		staleTime: Infinity,
		gcTime: 0,
		queryFn: async () => {
			const { notes } = await taken(api.GET('/v1/session/notes'));
			if (!notes.some((note) => note.kind === kind && note.id === id)) return null;
			const { data, updated } = await taken(api.GET('/v1/session/notes/{kind}/{id}', path(kind, id)));
			return { value: data as unknown as T, updated };
		},
	}).data;
	const [stored, setStored] = useState(false);
	// One request at a time, in order: a draft that is stored late is dropped all the same, also once its page was left.
	const order = useRef<Promise<unknown>>(Promise.resolve());
	const ask = (one: () => Promise<unknown>) => {
		order.current = order.current.then(one).catch(() => {});
	};
	const last = useRef(read);
	last.current = read;
	useEffect(() => {
		if (!may || !dirty) return;
		const timer = setTimeout(() => {
			// What cannot be kept now is kept with the next change.
			ask(async () => {
				await taken(api.PUT('/v1/session/notes/{kind}/{id}', { ...path(kind, id), body: { data: last.current() as unknown as Record<string, never> } }));
				setStored(true);
			});
		}, pause);
		return () => clearTimeout(timer);
	}, [may, dirty, edit, kind, id]);
	const drop = () => {
		data.setQueryData(key, null);
		ask(() => {
			setStored(false);
			return taken(api.DELETE('/v1/session/notes/{kind}/{id}', path(kind, id)));
		});
	};
	// What is saved needs no draft any more. It is dropped once, not with each rendering until `stored` is another.
	const dropLast = useRef(drop);
	dropLast.current = drop;
	useEffect(() => {
		if (stored && !dirty) dropLast.current();
	}, [stored, dirty]);
	return { kept: kept ?? null, take: () => data.setQueryData(key, null), drop };
}
