// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';
import { w } from '../../words';

export const pages: Page[] = [
	{
		path: '/audiences',
		place: { group: 'people', order: 110, name: () => w.audiences.name, icon: 'audience' },
		makes: { name: () => w.audiences.add },
		load: () => import('./page'),
	},
	{ path: '/audiences/:id', load: () => import('./audience') },
];
