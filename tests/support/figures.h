/* SPDX-License-Identifier: MIT */
/* Counts emails and events anew, as the judge of the figures. */
#ifndef TESTS_SUPPORT_FIGURES_H
#define TESTS_SUPPORT_FIGURES_H

struct db;

/* The figures that differ from a count of the emails, recipients and events that are stored: a
   line for each, "dimension owner name day figure: more", or NULL. The caller frees it. */
char *test_figures_differ(struct db *db);

#endif
