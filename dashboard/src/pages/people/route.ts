// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';
import { w } from '../../words';

export const pages: Page[] = [
	{
		path: '/people',
		place: { group: 'people', order: 100, name: () => w.people.name, icon: 'people' },
		makes: { name: () => w.people.add },
		load: () => import('./page'),
	},
	{ path: '/people/:email', load: () => import('./person') },
];
