// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';
import { w } from '../../words';

export const pages: Page[] = [
	{
		path: '/suppressions',
		place: { group: 'people', order: 140, name: () => w.suppressions.name, icon: 'suppression' },
		makes: { name: () => w.suppressions.add },
		load: () => import('./page'),
	},
];
