// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';
import { w } from '../../words';

export const pages: Page[] = [
	{
		path: '/segments',
		place: { group: 'people', order: 120, name: () => w.segments.name, icon: 'segment' },
		makes: { name: () => w.segments.add, path: '/segments/new' },
		load: () => import('./page'),
	},
	{ path: '/segments/new', allowed: (role) => role !== 'viewer', load: () => import('./segment') },
	{ path: '/segments/:id', load: () => import('./segment') },
];
