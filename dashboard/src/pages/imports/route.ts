// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';
import { w } from '../../words';

export const pages: Page[] = [
	{ path: '/people/import', makes: { name: () => w.steps.people, path: '/people/import' }, load: () => import('./page') },
	{ path: '/people/import/:id', load: () => import('./import') },
];
