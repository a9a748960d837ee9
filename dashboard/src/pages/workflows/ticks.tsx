// SPDX-License-Identifier: MIT
// When a schedule comes next, as the service reckons it.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, Failure, taken, type Schemas } from '../../api/client';
import { settledUse } from '../../api/settled';
import { timeText } from '../../parts/time';
import { w } from '../../words';
import type { Data } from './design';

const shownTicks = 3;
const year = 366 * 86_400_000;

interface Scheduled {
	schedule: Data;
	audienceId?: unknown;
	segmentId?: unknown;
}

/** The first ticks of a schedule from now on, once it has five fields and says for whom it is. */
const ticksQuery = (data: Scheduled) =>
	queryOptions({
		queryKey: ['workflow-ticks', data],
		enabled: /^\s*(\S+\s+){4}\S+\s*$/.test(String(data.schedule.cron ?? '')) && Boolean(data.audienceId || data.segmentId),
		staleTime: 60_000,
		retry: false,
		queryFn: async (): Promise<number[]> => {
			const design = { nodes: [{ id: 't', type: 'trigger', data: { eventName: 'schedule.due', ...data } }], edges: [] };
			const from = Date.now();
			const body = { design, contact: { properties: {} }, from, until: from + year } as unknown as Schemas['Simulation'];
			const { trace } = await taken(api.POST('/v1/workflows/simulate', { body }));
			return trace.filter(({ step_id }) => step_id === null).map(({ timestamp }) => timestamp);
		},
	});

export function Ticks(data: Scheduled) {
	const ticks = useQuery(ticksQuery(settledUse(data)));
	if (ticks.error instanceof Failure && ticks.error.status === 400) return <p className="error">{ticks.error.message}</p>;
	if (!ticks.data) return null;
	const next = ticks.data.slice(0, shownTicks).map((at) => timeText(at, 'minute'));
	return <p className="help">{next.length ? w.workflows.nextTicks(next.join(' · ')) : w.workflows.noTicks}</p>;
}
