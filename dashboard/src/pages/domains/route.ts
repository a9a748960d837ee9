// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';
import { w } from '../../words';

export const pages: Page[] = [
	{ path: '/domains', place: { group: 'sending', order: 40, name: () => w.domains.name, icon: 'domain' }, makes: { name: () => w.domains.add }, load: () => import('./page') },
	{ path: '/domains/:id', load: () => import('./domain') },
];
