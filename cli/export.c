/* SPDX-License-Identifier: MIT */
/* Writes comma-separated values to a temporary file, which becomes the named file when complete. */
#include "cli/export.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/progress.h"
#include "text/csv.h"

struct cli_export {
	FILE *file;
	char *path, *draft; /* NULL for standard output */
	bool raw;
	guint64 records;
	struct cli_progress *progress;
};

static bool
export_fail(const struct cli_export *export, GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_FAILED, "%s cannot be written: %s",
	    export->path ? export->path : "standard output", g_strerror(errno));
	return false;
}

static bool
open_draft(struct cli_export *export, const char *path, GError **error)
{
	export->path = g_strdup(path);
	export->draft = g_strconcat(path, ".XXXXXX", NULL);
	int fd = g_mkstemp_full(export->draft, O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0) {
		g_clear_pointer(&export->draft, g_free);
		return export_fail(export, error);
	}
	export->file = fdopen(fd, "w");
	return true;
}

const char *
cli_export_path(const char *argument)
{
	return g_strcmp0(argument, "-") == 0 ? NULL : argument;
}

struct cli_export *
cli_export_open(const char *path, bool raw, guint64 total, GError **error)
{
	AUTO(cli_export) export = g_new0(struct cli_export, 1);

	export->raw = raw;
	if (!path)
		export->file = stdout;
	else if (!open_draft(export, path, error))
		return NULL;
	export->progress = cli_progress_new(total);
	return g_steal_pointer(&export);
}

void
cli_export_free(struct cli_export *export)
{
	if (export->file && export->file != stdout)
		fclose(export->file);
	if (export->draft)
		unlink(export->draft);
	g_free(export->path);
	g_free(export->draft);
	g_clear_pointer(&export->progress, cli_progress_free);
	g_free(export);
}

bool
cli_export_write(struct cli_export *export, const char *const *fields, guint count, GError **error)
{
	g_autofree const char **guarded = g_new0(const char *, count);
	g_autofree char **buffers = g_new0(char *, count);

	for (guint i = 0; i < count; i++)
		guarded[i] = export->raw ? fields[i] : text_csv_guard(fields[i], &buffers[i]);
	bool written = text_csv_write(export->file, guarded, count);
	for (guint i = 0; i < count; i++)
		g_free(buffers[i]);
	if (!written)
		return export_fail(export, error);
	cli_progress_show(export->progress, export->records, export->records);
	export->records++;
	return true;
}

guint64
cli_export_count(const struct cli_export *export)
{
	return export->records > 0 ? export->records - 1 : 0;
}

bool
cli_export_finish(struct cli_export *export, GError **error)
{
	cli_progress_hide(export->progress);
	if (fflush(export->file) != 0 || ferror(export->file))
		return export_fail(export, error);
	if (!export->path)
		return true;
	if (fsync(fileno(export->file)) != 0 || rename(export->draft, export->path) != 0)
		return export_fail(export, error);
	g_clear_pointer(&export->draft, g_free);
	return true;
}
