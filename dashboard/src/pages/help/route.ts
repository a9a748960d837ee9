// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';
import { w } from '../../words';

export const pages: Page[] = [
	{ path: '/help', place: { group: 'workspace', order: 990, name: () => w.help.name, icon: 'help' }, load: () => import('./page') },
	{ path: '/help/:name', load: () => import('./document') },
];
