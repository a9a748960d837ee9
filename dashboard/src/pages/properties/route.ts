// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';
import { w } from '../../words';

export const pages: Page[] = [
	{
		path: '/properties',
		place: { group: 'people', order: 140, name: () => w.properties.name, icon: 'form' },
		makes: { name: () => w.properties.add },
		load: () => import('./page'),
	},
];
