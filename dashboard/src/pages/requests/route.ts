// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';
import { w } from '../../words';

export const pages: Page[] = [
	{
		path: '/requests',
		place: { group: 'workspace', order: 235, name: () => w.requests.name, icon: 'session' },
		allowed: (role) => role === 'owner',
		load: () => import('./page'),
	},
];
