// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';
import { w } from '../../words';

export const pages: Page[] = [
	{
		path: '/keys',
		place: { group: 'workspace', order: 210, name: () => w.keys.name, icon: 'key' },
		makes: { name: () => w.keys.add },
		allowed: (role) => role === 'owner',
		load: () => import('./page'),
	},
];
