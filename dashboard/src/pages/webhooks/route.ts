// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';
import { w } from '../../words';

export const pages: Page[] = [
	{
		path: '/webhooks',
		place: { group: 'automation', order: 170, name: () => w.webhooks.name, icon: 'webhook' },
		makes: { name: () => w.webhooks.add },
		load: () => import('./page'),
	},
	{ path: '/webhooks/:id', load: () => import('./webhook') },
];
