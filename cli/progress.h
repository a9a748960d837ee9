/* SPDX-License-Identifier: MIT */
/* A progress line on standard error, only if that is a terminal. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <glib.h>

#include "base/scope.h"

struct cli_progress;

/* total: the value of 100 %, 0 = unknown. The caller frees the result. */
struct cli_progress *cli_progress_new(guint64 total);

/* Shows done of total, and the number of items. Cheap enough to be called for each item. */
void cli_progress_show(struct cli_progress *progress, guint64 done, guint64 count);

/* Removes the line until it is shown again. To be called before other output on standard error. */
void cli_progress_hide(struct cli_progress *progress);

void cli_progress_free(struct cli_progress *progress);
DEFINE_AUTO(cli_progress, cli_progress_free)

#endif
