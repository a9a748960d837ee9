/* SPDX-License-Identifier: MIT */
#ifndef MAIL_GMIME_H
#define MAIL_GMIME_H

/* Readies GMime, once in a process; each function of this room that asks GMime something calls it
 * first, so that no program has to know. */
void mail_gmime_use(void);

#endif
