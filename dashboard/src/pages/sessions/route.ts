// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';
import { w } from '../../words';

export const pages: Page[] = [
	{
		path: '/sessions',
		place: { group: 'workspace', order: 230, name: () => w.sessions.name, icon: 'session' },
		load: () => import('./page'),
	},
];
