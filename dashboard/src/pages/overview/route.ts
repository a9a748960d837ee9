// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';
import { w } from '../../words';

export const pages: Page[] = [
	{ path: '/', place: { group: 'sending', order: 10, name: () => w.overview.name, icon: 'overview' }, load: () => import('./page') },
];
