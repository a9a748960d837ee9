// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';
import { w } from '../../words';

export const pages: Page[] = [
	{
		path: '/users',
		place: { group: 'workspace', order: 220, name: () => w.users.name, icon: 'user' },
		makes: { name: () => w.users.add },
		allowed: (role) => role === 'owner',
		load: () => import('./page'),
	},
];
