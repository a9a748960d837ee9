// SPDX-License-Identifier: MIT
import { api, taken } from '../../api/client';
import { listUse } from '../../api/list';

export const auditUse = (action: string) =>
	listUse(['audit', action], async (cursor) => {
		const query = { cursor, ...(action ? { action } : {}) };
		const { audit, cursor: next } = await taken(api.GET('/v1/audit', { params: { query } }));
		return { rows: audit, cursor: next };
	});
