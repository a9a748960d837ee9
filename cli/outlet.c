/* SPDX-License-Identifier: MIT */
/* Writes comma-separated values beside the file that they become. */
#include "cli/outlet.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/csv.h"
#include "cli/formula.h"
#include "cli/progress.h"

#define FIELDS_MAX 8

struct cli_outlet {
	FILE *file;
	char *path, *draft; /* NULL for standard output */
	bool raw;
	guint64 records;
	struct cli_progress *progress;
};

static bool
fail(const struct cli_outlet *outlet, GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_FAILED, "%s cannot be written: %s",
	    outlet->path ? outlet->path : "standard output", g_strerror(errno));
	return false;
}

static bool
open_draft(struct cli_outlet *outlet, const char *path, GError **error)
{
	outlet->path = g_strdup(path);
	outlet->draft = g_strconcat(path, ".XXXXXX", NULL);
	int fd = g_mkstemp_full(outlet->draft, O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0) {
		g_clear_pointer(&outlet->draft, g_free);
		return fail(outlet, error);
	}
	outlet->file = fdopen(fd, "w");
	return true;
}

const char *
cli_outlet_path(const char *argument)
{
	return g_strcmp0(argument, "-") == 0 ? NULL : argument;
}

struct cli_outlet *
cli_outlet_open(const char *path, bool raw, guint64 total, GError **error)
{
	AUTO(cli_outlet) outlet = g_new0(struct cli_outlet, 1);

	outlet->raw = raw;
	if (!path)
		outlet->file = stdout;
	else if (!open_draft(outlet, path, error))
		return NULL;
	outlet->progress = cli_progress_new(total);
	return g_steal_pointer(&outlet);
}

void
cli_outlet_free(struct cli_outlet *outlet)
{
	if (outlet->file && outlet->file != stdout)
		fclose(outlet->file);
	if (outlet->draft)
		unlink(outlet->draft);
	g_free(outlet->path);
	g_free(outlet->draft);
	g_clear_pointer(&outlet->progress, cli_progress_free);
	g_free(outlet);
}

bool
cli_outlet_write(struct cli_outlet *outlet, const char *const *fields, guint count, GError **error)
{
	const char *guarded[FIELDS_MAX] = {NULL};
	char *buffers[FIELDS_MAX] = {NULL};

	for (guint i = 0; i < count; i++)
		guarded[i] = outlet->raw ? fields[i] : cli_formula_guard(fields[i], &buffers[i]);
	bool written = cli_csv_write(outlet->file, guarded, count);
	for (guint i = 0; i < count; i++)
		g_free(buffers[i]);
	if (!written)
		return fail(outlet, error);
	cli_progress_show(outlet->progress, outlet->records, outlet->records);
	outlet->records++;
	return true;
}

guint64
cli_outlet_count(const struct cli_outlet *outlet)
{
	return outlet->records > 0 ? outlet->records - 1 : 0;
}

bool
cli_outlet_finish(struct cli_outlet *outlet, GError **error)
{
	cli_progress_hide(outlet->progress);
	if (fflush(outlet->file) != 0 || ferror(outlet->file))
		return fail(outlet, error);
	if (!outlet->path)
		return true;
	if (fsync(fileno(outlet->file)) != 0 || rename(outlet->draft, outlet->path) != 0)
		return fail(outlet, error);
	g_clear_pointer(&outlet->draft, g_free);
	return true;
}
