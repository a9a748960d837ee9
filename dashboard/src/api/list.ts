// SPDX-License-Identifier: MIT
// Lists of the service: pages by cursor, joined as the reader asks for more.
import { keepPreviousData, useInfiniteQuery, useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { noticeUse } from '../parts/notice';

export interface PageOf<Row> {
	rows: Row[];
	cursor: string | null;
}

const enough = 20;
const most = 20;

/** One page of a list whose pages may be short, or empty, and not the last one: it goes on until it has some rows, for so many pages. */
export async function someOf<Row>(cursor: string | undefined, get: (cursor: string | undefined) => Promise<PageOf<Row>>): Promise<PageOf<Row>> {
	const rows: Row[] = [];
	let next = cursor;
	let pages = 0;
	do {
		const page = await get(next);
		rows.push(...page.rows);
		next = page.cursor ?? undefined;
	} while (next && rows.length < enough && ++pages < most);
	return { rows, cursor: next ?? null };
}

interface ListOptions<Row> {
	/** After how many milliseconds the rows are read anew. */
	again?: (rows: Row[]) => number | false;
	/** The page does not wait for it. */
	late?: boolean;
}

/** The rows of a list so far. `get` reads the page behind a cursor. */
export function listUse<Row>(key: QueryKey, get: (cursor: string | undefined) => Promise<PageOf<Row>>, { again, late }: ListOptions<Row> = {}) {
	const query = useInfiniteQuery({
		queryKey: key,
		meta: { late },
		queryFn: ({ pageParam }) => get(pageParam),
		initialPageParam: undefined as string | undefined,
		getNextPageParam: (last: PageOf<Row>) => last.cursor ?? undefined,
		// Rows of other filters stay until those of these are there. No other workspace, and no other page, has them.
		placeholderData: keepPreviousData,
		refetchInterval: ({ state: { data } }) => again?.(data?.pages.flatMap((page) => page.rows) ?? []) ?? false,
	});
	return { ...query, rows: query.data?.pages.flatMap((page) => page.rows) ?? [] };
}

export type List<Row> = ReturnType<typeof listUse<Row>>;

/** A change: says `done` when it has worked and why when not, and reads again what it may have changed. */
export function changeUse<In = void, Out = unknown>(
	change: (input: In) => Promise<Out>,
	options: { touches: QueryKey[]; done?: string | ((out: Out) => string); then?: (out: Out, input: In) => void },
) {
	const data = useQueryClient();
	const notice = noticeUse();
	return useMutation({
		mutationFn: change,
		onSuccess: (out, input) => {
			for (const queryKey of options.touches) void data.invalidateQueries({ queryKey });
			const done = typeof options.done === 'function' ? options.done(out) : options.done;
			if (done) notice(done);
			options.then?.(out, input);
		},
		onError: (why) => notice(why.message, 'bad'),
	});
}
