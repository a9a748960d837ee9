/* SPDX-License-Identifier: MIT */
/* Reads a file record by record, finds the columns, tells of bad lines and of the progress. */
#include "cli/intake.h"

#include <stdio.h>

#include "base/error.h"
#include "base/log.h"
#include "cli/call.h"
#include "cli/columns.h"
#include "cli/count.h"
#include "cli/csv.h"
#include "cli/formula.h"
#include "cli/progress.h"
#include "json/writer.h"

#define SHOWN_COLUMNS 20 /* names of columns in one line */

struct run {
	struct cli_call *call;
	const struct cli_intake *intake;
	struct cli_csv *csv;
	struct cli_progress *progress;
	int places[INTAKE_COLUMNS];
	guint width; /* fields of a record */
	guint64 records, bad;
};

static void
tell(struct run *run, guint64 line, const char *fault)
{
	run->bad++;
	cli_progress_hide(run->progress);
	if (!run->call->json) {
		base_log("line %" G_GUINT64_FORMAT ": %s", line, fault);
		return;
	}
	AUTO(json_writer) json = json_writer_new();
	json_writer_begin_object(json, NULL);
	json_writer_integer(json, "line", (gint64)line);
	json_writer_string(json, "error", fault);
	json_writer_end_object(json);
	g_autofree char *text = json_writer_take(json, NULL);
	fprintf(stderr, "%s\n", text);
}

/* Only what concerns this one record is its fault. */
static bool
take_record(struct run *run, const struct cli_csv_record *record, GError **error)
{
	const struct cli_intake *intake = run->intake;
	const char *values[INTAKE_COLUMNS] = {NULL};
	g_autoptr(GError) failure = NULL;

	run->records++;
	if (record->fault) {
		tell(run, record->line, record->fault);
		return true;
	}
	if (record->count != run->width) {
		g_autofree char *count = cli_count(record->count, "field", "fields");
		g_autofree char *fault =
		    g_strdup_printf("it has %s, and the first line %u", count, run->width);
		tell(run, record->line, fault);
		return true;
	}
	for (guint i = 0; i < intake->count; i++) {
		const char *field =
		    run->places[i] == COLUMN_NONE ? NULL : record->fields[run->places[i]];

		values[i] = field && !intake->raw ? cli_formula_unguard(field) : field;
	}
	if (intake->take(values, intake->context, &failure))
		return true;
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID)) {
		tell(run, record->line, failure->message);
		return true;
	}
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

static bool
is_used(const struct run *run, guint place)
{
	for (guint i = 0; i < run->intake->count; i++)
		if (run->places[i] == (int)place)
			return true;
	return false;
}

static void
note_unused(struct run *run, const struct cli_csv_record *first)
{
	GPtrArray *unused = run->intake->unused;

	for (guint i = 0; i < first->count; i++)
		if (!is_used(run, i))
			g_ptr_array_add(unused, run->intake->header ? g_strdup(first->fields[i])
								    : g_strdup_printf("%u", i + 1));
	if (unused->len == 0 || run->call->json)
		return;
	g_autoptr(GString) names = g_string_new(NULL);
	for (guint i = 0; i < MIN(unused->len, SHOWN_COLUMNS); i++)
		g_string_append_printf(
		    names, "%s\"%s\"", i > 0 ? ", " : "", (const char *)unused->pdata[i]);
	if (unused->len > SHOWN_COLUMNS)
		g_string_append_printf(names, " and %u more", unused->len - SHOWN_COLUMNS);
	base_log("columns that are not used: %s", names->str);
}

/* The first record; false without error when the file is empty. */
static bool
begin(struct run *run, GError **error)
{
	const struct cli_intake *intake = run->intake;
	struct cli_csv_record first;
	g_autoptr(GError) failure = NULL;

	if (!cli_csv_next(run->csv, &first, &failure)) {
		if (!failure)
			g_set_error(
			    &failure, PH_ERROR, PH_ERROR_INVALID, "%s is empty", intake->path);
	} else if (first.fault) {
		g_set_error(&failure, PH_ERROR, PH_ERROR_INVALID, "line %" G_GUINT64_FORMAT ": %s",
		    first.line, first.fault);
	} else {
		run->width = first.count;
		if (cli_columns_find(intake->columns, intake->count, intake->header, &first,
			run->places, &failure)) {
			note_unused(run, &first);
			return intake->header || take_record(run, &first, error);
		}
	}
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

static bool
take_all(struct run *run, GError **error)
{
	struct cli_csv_record record;
	g_autoptr(GError) failure = NULL;

	while (cli_csv_next(run->csv, &record, &failure)) {
		if (!take_record(run, &record, error))
			return false;
		cli_progress_show(run->progress, cli_csv_position(run->csv), run->records);
	}
	if (!failure)
		return true;
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

bool
cli_intake_run(
    struct cli_call *call, const struct cli_intake *intake, guint64 *bad_r, GError **error)
{
	AUTO(cli_csv) csv = cli_csv_open(intake->path, error);

	if (!csv)
		return false;
	AUTO(cli_progress) progress = cli_progress_new(cli_csv_size(csv));
	struct run run = {.call = call, .intake = intake, .csv = csv, .progress = progress};
	if (!begin(&run, error) || !take_all(&run, error))
		return false;
	*bad_r = run.bad;
	return true;
}

char *
cli_intake_unused(const GPtrArray *unused)
{
	AUTO(json_writer) json = json_writer_new();

	json_writer_begin_array(json, NULL);
	for (guint i = 0; i < unused->len; i++)
		json_writer_string(json, NULL, unused->pdata[i]);
	json_writer_end_array(json);
	return json_writer_take(json, NULL);
}

bool
cli_intake_end(guint64 bad, GError **error)
{
	if (bad == 0)
		return true;
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
	    "lines that were no good: %" G_GUINT64_FORMAT "; all others are in", bad);
	return false;
}
