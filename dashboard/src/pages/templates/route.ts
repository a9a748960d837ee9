// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';
import { w } from '../../words';

export const pages: Page[] = [
	{
		path: '/templates',
		place: { group: 'sending', order: 30, name: () => w.templates.name, icon: 'template' },
		makes: { name: () => w.templates.add },
		load: () => import('./page'),
	},
	{ path: '/templates/:id', load: () => import('./template') },
];
