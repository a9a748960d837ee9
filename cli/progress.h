/* SPDX-License-Identifier: MIT */
/* A line on a terminal that tells how far long work has come; nothing where there is none. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <glib.h>

#include "base/scope.h"

struct cli_progress;

/* On standard error, if that is a terminal. total: what 100 % is, 0 where nobody knows. */
struct cli_progress *cli_progress_new(guint64 total);

/* done of total, and how many of what is counted. Costs next to nothing when called often. */
void cli_progress_show(struct cli_progress *progress, guint64 done, guint64 count);

/* Takes the line away, until it is shown again: before anything else is written there. */
void cli_progress_hide(struct cli_progress *progress);

void cli_progress_free(struct cli_progress *progress);
DEFINE_AUTO(cli_progress, cli_progress_free)

#endif
