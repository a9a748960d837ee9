// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';
import { w } from '../../words';

export const pages: Page[] = [
	{
		path: '/settings',
		place: { group: 'workspace', order: 250, name: () => w.settings.name, icon: 'settings' },
		load: () => import('./page'),
	},
];
