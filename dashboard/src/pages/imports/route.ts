// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';

export const pages: Page[] = [
	{ path: '/people/import', load: () => import('./page') },
	{ path: '/people/import/:id', load: () => import('./import') },
];
