// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';
import { w } from '../../words';

export const pages: Page[] = [
	{ path: '/emails', place: { group: 'sending', order: 20, name: () => w.emails.name, icon: 'email' }, load: () => import('./page') },
	{ path: '/emails/:id', load: () => import('./email') },
];
