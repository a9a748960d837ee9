// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';
import { w } from '../../words';

export const pages: Page[] = [{ path: '/streams', place: { group: 'sending', order: 45, name: () => w.streams.name, icon: 'stream' }, load: () => import('./page') }];
