// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';
import { w } from '../../words';

export const pages: Page[] = [
	{
		path: '/workflows',
		place: { group: 'automation', order: 160, name: () => w.workflows.name, icon: 'workflow' },
		makes: { name: () => w.workflows.make },
		load: () => import('./page'),
	},
	{ path: '/workflows/:id', load: () => import('./workflow') },
	{ path: '/workflows/:id/executions', load: () => import('./executions') },
	{ path: '/workflows/:id/executions/:execution', load: () => import('./execution') },
	{ path: '/workflows/:id/figures', load: () => import('./figures') },
	{ path: '/workflows/:id/starts', load: () => import('./starts') },
	{ path: '/workflows/:id/versions', load: () => import('./versions') },
	{ path: '/workflows/:id/emails', load: () => import('./emails') },
];
