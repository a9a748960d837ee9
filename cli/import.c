/* SPDX-License-Identifier: MIT */
/* Imports a file record by record: finds the columns, and reports refused records and the progress.
 */
#include "cli/import.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "base/error.h"
#include "cli/call.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "config/log.h"
#include "json/writer.h"
#include "text/csv.h"

/* names: the column's own, or its others. */
static bool
import_is_named(const struct cli_column *column, const char *const *names, const char *header)
{
	g_autofree char *folded = text_csv_fold(header);

	if (!column->given)
		return names && g_strv_contains(names, folded);
	g_autofree char *wanted = text_csv_fold(column->given);
	return strcmp(column->given, header) == 0 || (*wanted && strcmp(wanted, folded) == 0);
}

static bool
fail_twice(const struct cli_column *column, const char *one, const char *other, GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
	    "two columns may be the %s, \"%s\" and \"%s\": %s%s", column->field, one, other,
	    column->option ? "name one with " : "leave one out",
	    column->option ? column->option : "");
	return false;
}

static bool
import_fail_missing(const struct cli_column *column, GError **error)
{
	if (column->given)
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "%s: the first line has no column \"%s\"", column->option, column->given);
	else
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "no column of the first line is the %s: name it with %s, or give --no-header "
		    "if the first line is no header",
		    column->field, column->option);
	return false;
}

/* The columns to find. */
struct search {
	const struct cli_column *columns;
	guint count;
};

static bool
is_ignored(const struct search *search, const struct cli_column *column, const char *header)
{
	for (guint i = 0; i < search->count; i++)
		if (search->columns[i].ignored && &search->columns[i] != column &&
		    import_is_named(&search->columns[i], search->columns[i].names, header))
			return true;
	return false;
}

/* Finds the header with one of these names. INVALID where two have them. */
static bool
import_find_named(const struct search *search, const struct cli_column *column,
    const char *const *names, const struct text_csv_record *first, int *place_r, GError **error)
{
	*place_r = COLUMN_NONE;
	for (guint i = 0; i < first->count; i++) {
		if (!import_is_named(column, names, first->fields[i]) ||
		    is_ignored(search, column, first->fields[i]))
			continue;
		if (*place_r != COLUMN_NONE)
			return fail_twice(column, first->fields[*place_r], first->fields[i], error);
		*place_r = (int)i;
	}
	return true;
}

static bool
import_find_header(const struct search *search, const struct cli_column *column,
    const struct text_csv_record *first, int *place_r, GError **error)
{
	if (!import_find_named(search, column, column->names, first, place_r, error) ||
	    (*place_r == COLUMN_NONE &&
		!import_find_named(search, column, column->others, first, place_r, error)))
		return false;
	return *place_r != COLUMN_NONE || (!column->given && !column->required) ||
	       import_fail_missing(column, error);
}

static bool
find_number(const struct cli_column *column, const struct text_csv_record *first, int *place_r,
    GError **error)
{
	guint64 number;

	*place_r = COLUMN_NONE;
	if (!column->given && !column->required)
		return true;
	if (column->given &&
	    g_ascii_string_to_unsigned(column->given, 10, 1, first->count, &number, NULL)) {
		*place_r = (int)number - 1;
		return true;
	}
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "%s must be the number of a column, 1 to %u",
	    column->option, first->count);
	return false;
}

static bool
is_any_given(const struct cli_column *columns, guint count)
{
	for (guint i = 0; i < count; i++)
		if (columns[i].given)
			return true;
	return false;
}

/* Checks that no two fields have the same column. */
static bool
check_places(const struct cli_column *columns, guint count, const int *places, GError **error)
{
	for (guint i = 0; i < count; i++)
		for (guint j = 0; j < i; j++)
			if (places[i] != COLUMN_NONE && places[i] == places[j]) {
				g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
				    "one column is both the %s and the %s", columns[j].field,
				    columns[i].field);
				return false;
			}
	return true;
}

/* A column that was found by its name alone yields to an option that names it. */
static void
yield(const struct cli_column *columns, guint count, int *places)
{
	for (guint i = 0; i < count; i++)
		for (guint j = 0; columns[i].given && j < count; j++)
			if (!columns[j].given && !columns[j].required && places[j] == places[i])
				places[j] = COLUMN_NONE;
}

bool
cli_import_find_columns(const struct cli_column *columns, guint count, bool header,
    const struct text_csv_record *first, int *places_r, GError **error)
{
	const struct search search = {columns, count};
	bool in_order = !header && !is_any_given(columns, count);

	for (guint i = 0; i < count; i++) {
		if (in_order)
			places_r[i] = i < first->count && !columns[i].late ? (int)i : COLUMN_NONE;
		else if (!(header ? import_find_header(
					&search, &columns[i], first, &places_r[i], error)
				  : find_number(&columns[i], first, &places_r[i], error)))
			return false;
	}
	yield(columns, count, places_r);
	return check_places(columns, count, places_r, error);
}

#define SHOWN_COLUMNS 20 /* in the report of unused columns */

struct cli_import_run {
	struct cli_call *call;
	const struct cli_import *import;
	struct text_csv *csv;
	struct cli_progress *progress;
	int *places;	     /* of the columns */
	const char **values; /* likewise, of the record */
	guint width;	     /* number of fields of the first record */
	guint64 records, bad;
};

void
cli_import_tell(struct cli_call *call, struct cli_progress *progress, guint64 line,
    const char *member, const char *text)
{
	cli_progress_hide(progress);
	if (!call->json) {
		config_log("line %" G_GUINT64_FORMAT ": %s", line, text);
		return;
	}
	AUTO(json_writer) json = json_writer_new();
	json_writer_begin_object(json, NULL);
	json_writer_integer(json, "line", (gint64)line);
	json_writer_string(json, member, text);
	json_writer_end_object(json);
	g_autofree char *object = json_writer_take(json, NULL);
	fprintf(stderr, "%s\n", object);
}

static void
import_tell(struct cli_import_run *run, guint64 line, const char *fault)
{
	run->bad++;
	cli_import_tell(run->call, run->progress, line, "error", fault);
}

/* The fault of a record, with the option by which the operator names the encoding. The caller owns
   it. */
static char *
import_fault_of(const struct text_csv_record *record)
{
	return record->is_not_utf8 ? g_strconcat(record->fault,
					 ": name the encoding of the file with --encoding", NULL)
				   : g_strdup(record->fault);
}

/* Imports one record. A fault or an INVALID refuses that record only. */
static bool
import_take_record(struct cli_import_run *run, const struct text_csv_record *record, GError **error)
{
	const struct cli_import *import = run->import;
	g_autoptr(GError) failure = NULL;

	run->records++;
	if (record->fault) {
		g_autofree char *fault = import_fault_of(record);
		import_tell(run, record->line, fault);
		return true;
	}
	if (record->count != run->width) {
		g_autofree char *count = cli_count(record->count, "field", "fields");
		g_autofree char *fault =
		    g_strdup_printf("it has %s, and the first line %u", count, run->width);
		import_tell(run, record->line, fault);
		return true;
	}
	for (guint i = 0; i < run->import->count; i++) {
		const char *field =
		    run->places[i] == COLUMN_NONE ? NULL : record->fields[run->places[i]];

		run->values[i] = field && !import->raw ? text_csv_unguard(field) : field;
	}
	const struct cli_import_record taken = {run->values, record->line};
	if (import->take(&taken, import->context, &failure))
		return true;
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID)) {
		import_tell(run, record->line, failure->message);
		return true;
	}
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

static bool
is_used(const struct cli_import_run *run, guint place)
{
	for (guint i = 0; i < run->import->count; i++)
		if (run->places[i] == (int)place)
			return true;
	return false;
}

void
cli_import_tell_unused(const struct cli_call *call, const GPtrArray *unused)
{
	if (unused->len == 0 || call->json)
		return;
	g_autoptr(GString) names = g_string_new(NULL);
	for (guint i = 0; i < MIN(unused->len, SHOWN_COLUMNS); i++)
		g_string_append_printf(
		    names, "%s\"%s\"", i > 0 ? ", " : "", (const char *)unused->pdata[i]);
	if (unused->len > SHOWN_COLUMNS)
		g_string_append_printf(names, " and %u more", unused->len - SHOWN_COLUMNS);
	config_log("unused columns: %s", names->str);
}

static void
import_note_unused(struct cli_import_run *run, const struct text_csv_record *first)
{
	GPtrArray *unused = run->import->unused;

	for (guint i = 0; i < first->count; i++)
		if (!is_used(run, i))
			g_ptr_array_add(unused, run->import->header ? g_strdup(first->fields[i])
								    : g_strdup_printf("%u", i + 1));
	cli_import_tell_unused(run->call, unused);
}

/* Reads the first record, and finds the columns. INVALID, also when the file is empty. */
static bool
import_begin(struct cli_import_run *run, GError **error)
{
	const struct cli_import *import = run->import;
	struct text_csv_record first;
	g_autoptr(GError) failure = NULL;

	if (!text_csv_next(run->csv, &first, &failure)) {
		if (!failure)
			g_set_error(
			    &failure, PH_ERROR, PH_ERROR_INVALID, "%s is empty", import->path);
	} else if (first.fault) {
		g_autofree char *fault = import_fault_of(&first);
		base_invalid(&failure, "line %" G_GUINT64_FORMAT ": %s", first.line, fault);
	} else {
		run->width = first.count;
		run->places = g_new(int, import->count);
		run->values = g_new0(const char *, import->count);
		if (cli_import_find_columns(import->columns, import->count, import->header, &first,
			run->places, &failure)) {
			import_note_unused(run, &first);
			return import->header || import_take_record(run, &first, error);
		}
	}
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

static bool
import_take_all(struct cli_import_run *run, GError **error)
{
	struct text_csv_record record;
	g_autoptr(GError) failure = NULL;

	while (text_csv_next(run->csv, &record, &failure)) {
		if (!import_take_record(run, &record, error))
			return false;
		cli_progress_show(run->progress, text_csv_position(run->csv), run->records);
	}
	if (!failure)
		return true;
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

bool
cli_import_run(
    struct cli_call *call, const struct cli_import *import, guint64 *bad_r, GError **error)
{
	AUTO(text_csv) csv = text_csv_open(import->path, &import->form, error);

	if (!csv)
		return false;
	AUTO(cli_progress) progress = cli_progress_new(text_csv_size(csv));
	struct cli_import_run run = {
	    .call = call, .import = import, .csv = csv, .progress = progress};
	bool done = import_begin(&run, error) && import_take_all(&run, error);
	g_free(run.places);
	g_free(run.values);
	*bad_r = run.bad;
	return done;
}

char *
cli_import_unused(const GPtrArray *unused)
{
	AUTO(json_writer) json = json_writer_new();

	json_writer_begin_array(json, NULL);
	for (guint i = 0; i < unused->len; i++)
		json_writer_string(json, NULL, unused->pdata[i]);
	json_writer_end_array(json);
	return json_writer_take(json, NULL);
}

/* Writes a line to standard error; in JSON an object with this member, and a code, if any. */
static void
import_note(const struct cli_call *call, const char *member, const char *text, const char *code)
{
	if (!call->json) {
		config_log("%s", text);
		return;
	}
	AUTO(json_writer) json = json_writer_new();
	json_writer_begin_object(json, NULL);
	json_writer_string(json, member, text);
	if (code)
		json_writer_string(json, "code", code);
	json_writer_end_object(json);
	g_autofree char *line = json_writer_take(json, NULL);
	fprintf(stderr, "%s\n", line);
}

bool
cli_import_end(struct cli_call *call, guint64 bad, guint64 left, GError **error)
{
	g_autofree char *fault =
	    g_strdup_printf("invalid lines: %" G_GUINT64_FORMAT "; all others are stored", bad);
	g_autofree char *kept =
	    g_strdup_printf("%" G_GUINT64_FORMAT " kept their own choice", left);

	if (left == 0)
		return bad == 0 || base_invalid(error, "%s", fault);
	if (bad > 0) {
		import_note(call, "error", fault, "invalid");
		call->status = EX_DATAERR;
	}
	import_note(call, "note", kept, NULL);
	return true;
}
