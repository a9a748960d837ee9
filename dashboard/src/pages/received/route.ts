// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';
import { w } from '../../words';

export const pages: Page[] = [
	{ path: '/received', place: { group: 'sending', order: 15, name: () => w.received.name, icon: 'received' }, load: () => import('./page') },
	{ path: '/received/:id', load: () => import('./mail') },
];
