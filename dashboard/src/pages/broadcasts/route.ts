// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';
import { w } from '../../words';

export const pages: Page[] = [
	{
		path: '/broadcasts',
		place: { group: 'sending', order: 40, name: () => w.broadcasts.name, icon: 'broadcast' },
		makes: { name: () => w.broadcasts.add },
		load: () => import('./page'),
	},
	{ path: '/broadcasts/:id', load: () => import('./broadcast') },
];
