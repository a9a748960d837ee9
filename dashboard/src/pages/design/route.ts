// SPDX-License-Identifier: MIT
import type { Page } from '../../app/page';

export const pages: Page[] = [{ path: '/design', load: () => import('./page') }];
