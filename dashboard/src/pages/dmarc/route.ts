// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';

export const pages: Page[] = [{ path: '/domains/:id/dmarc', load: () => import('./page') }];
