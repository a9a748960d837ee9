// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';
import { w } from '../../words';

export const pages: Page[] = [
	{
		path: '/audit',
		place: { group: 'workspace', order: 240, name: () => w.audit.name, icon: 'audit' },
		allowed: (role) => role === 'owner',
		load: () => import('./page'),
	},
];
