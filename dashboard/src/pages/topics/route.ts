// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';
import { w } from '../../words';

export const pages: Page[] = [
	{
		path: '/topics',
		place: { group: 'people', order: 130, name: () => w.topics.name, icon: 'topic' },
		makes: { name: () => w.topics.add },
		load: () => import('./page'),
	},
];
