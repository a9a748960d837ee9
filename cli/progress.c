/* SPDX-License-Identifier: MIT */
/* Draws a progress bar a few times a second. */
#include "cli/progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

#define EVERY_MS 200
#define BAR 30

struct cli_progress {
	bool terminal, shown;
	guint64 total;
	gint64 started, next;
};

struct cli_progress *
cli_progress_new(guint64 total)
{
	struct cli_progress *progress = g_new0(struct cli_progress, 1);

	progress->terminal = isatty(STDERR_FILENO);
	progress->total = total;
	progress->started = base_clock_boot();
	return progress;
}

void
cli_progress_show(struct cli_progress *progress, guint64 done, guint64 count)
{
	gint64 now = progress->terminal ? base_clock_boot() : 0;
	guint64 part = progress->total ? MIN(done, progress->total) : 0;

	if (!progress->terminal || now < progress->next)
		return;
	progress->next = now + EVERY_MS;
	progress->shown = true;
	fputc('\r', stderr);
	if (progress->total) {
		guint bar = (guint)(part * BAR / progress->total);

		fputc('[', stderr);
		for (guint i = 0; i < BAR; i++)
			fputc(i < bar ? '#' : '.', stderr);
		fprintf(stderr, "] %3u %%  ", (guint)(part * 100 / progress->total));
	}
	fprintf(stderr, "%" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT " a second\033[K", count,
	    count * 1000 / (guint64)MAX(now - progress->started, 1));
	fflush(stderr);
}

void
cli_progress_hide(struct cli_progress *progress)
{
	if (!progress->shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	progress->shown = false;
	progress->next = 0;
}

void
cli_progress_free(struct cli_progress *progress)
{
	cli_progress_hide(progress);
	g_free(progress);
}
