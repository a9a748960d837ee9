// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';
import { w } from '../../words';

export const pages: Page[] = [
	{
		path: '/forms',
		place: { group: 'people', order: 140, name: () => w.forms.name, icon: 'form' },
		makes: { name: () => w.forms.add },
		load: () => import('./page'),
	},
];
