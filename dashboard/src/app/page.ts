// SPDX-License-Identifier: MIT
// A page says in its route.ts where it is, and loads its component when it is opened.
import type { ComponentType } from 'react';
import type { Session } from '../api/session';
import { w } from '../words';

export type PageGroup = 'sending' | 'people' | 'automation' | 'workspace';

export interface Page {
	/** The path under /dashboard, as wouter takes it. */
	path: string;
	/** The place in the navigation; a page without one is opened from another page. */
	place?: { group: PageGroup; order: number; name: () => string; icon: string };
	/** The page makes a new thing; its path then has `?new`, or is another one. */
	makes?: { name: () => string; path?: string };
	/** Whether this role may see the page at all; by default each may. */
	allowed?: (role: Session['role']) => boolean;
	load: () => Promise<{ default: ComponentType<{ params: Record<string, string> }> }>;
}

const found = import.meta.glob<{ pages: Page[] }>('../pages/*/route.ts', { eager: true });

/** All pages, those of the navigation in its order. */
export const pages: Page[] = Object.values(found)
	.flatMap((file) => file.pages)
	.sort((a, b) => (a.place?.order ?? 999) - (b.place?.order ?? 999));

export const groups: { id: PageGroup; name: () => string }[] = [
	{ id: 'sending', name: () => w.nav.sending },
	{ id: 'people', name: () => w.nav.people },
	{ id: 'automation', name: () => w.nav.automation },
	{ id: 'workspace', name: () => w.nav.workspace },
];
