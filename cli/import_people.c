/* SPDX-License-Identifier: MIT */
/* Reads a file of people with import/file.h, and hands its lines to import/import.h. */
#include "cli/import_people.h"

#include <string.h>

#include "base/error.h"
#include "cli/call.h"
#include "cli/import.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "consent/consent.h"
#include "import/file.h"
#include "json/writer.h"
#include "store/workspace/workspace.h"

enum {
	FROM,
	DUPLICATES,
	EMAIL,
	FIRST_NAME,
	LAST_NAME,
	SUBSCRIBED,
	LANGUAGE,
	TIME_ZONE,
	PROPERTY,
	PROPERTIES,
	COLUMN,
	ENCODING,
	SEPARATOR,
	UNSUBSCRIBED,
	LENIENT,
	START_WORKFLOWS,
	DRY_RUN,
	NO_HEADER,
	RAW,
	OVERRIDE
};

/* The options that name one column each. */
static const struct {
	int value;
	const char *option;
	enum import_use use;
} named[] = {
    {EMAIL, "--email", IMPORT_EMAIL},
    {FIRST_NAME, "--first-name", IMPORT_FIRST_NAME},
    {LAST_NAME, "--last-name", IMPORT_LAST_NAME},
    {SUBSCRIBED, "--subscribed", IMPORT_SUBSCRIBED},
    {LANGUAGE, "--language", IMPORT_LANGUAGE},
    {TIME_ZONE, "--time-zone", IMPORT_TIME_ZONE},
};

#define SHOWN_LINES 3 /* of a dry run */

/* An import on its way. */
struct work {
	struct cli_call *call;
	const struct base_id *audience; /* NULL: people alone */
	struct import_file *file;
	struct import *import;
	struct cli_progress *progress;
	GPtrArray *unused; /* columns */
	char *columns;	   /* a JSON array */
	GString *shown;	   /* the first lines of a dry run, likewise */
	guint64 lines, bad, warnings;
	bool is_dry;
};

static void
import_people_refuse(guint64 line, const char *fault, void *context)
{
	struct work *work = context;

	work->bad++;
	cli_import_tell(work->call, work->progress, line, "error", fault);
}

static void
import_people_warn(guint64 line, const char *fault, void *context)
{
	struct work *work = context;

	work->warnings++;
	cli_import_tell(work->call, work->progress, line, "warning", fault);
}

/* Cuts NAME=USE in two. The caller owns the name. */
static char *
import_people_cut(const char *given, const char **use_r)
{
	const char *sign = strrchr(given, '=');

	*use_r = sign ? sign + 1 : "";
	return sign && sign > given && sign[1] ? g_strndup(given, (gsize)(sign - given)) : NULL;
}

/* Reads the options that name columns. The caller owns the columns. */
static GArray *
import_people_read_columns(const struct cli_value *values, GError **error)
{
	g_autoptr(GArray) columns = import_columns_new();
	const char *use;

	for (guint i = 0; i < G_N_ELEMENTS(named); i++)
		if (values[named[i].value].text)
			import_columns_put(columns, named[i].option, values[named[i].value].text,
			    named[i].use, NULL);
	for (char **given = values[PROPERTY].texts; given && *given; given++) {
		g_autofree char *name = import_people_cut(*given, &use);

		if (!name) {
			base_invalid(error, "--property must be COLUMN=KEY, not \"%s\"", *given);
			return NULL;
		}
		import_columns_put(columns, "--property", name, IMPORT_PROPERTY, use);
	}
	for (char **given = values[COLUMN].texts; given && *given; given++) {
		g_autofree char *name = import_people_cut(*given, &use);

		if (!name) {
			base_invalid(error, "--column must be NAME=USE, not \"%s\"", *given);
			return NULL;
		}
		if (!import_columns_add(columns, "--column", name, use, error))
			return NULL;
	}
	return g_steal_pointer(&columns);
}

/* Opens the file. NULL: an option is wrong, or the file cannot be imported. */
static struct import_file *
import_people_open_file(const struct work *work, const struct cli_value *values, GError **error)
{
	g_autoptr(GArray) columns = import_people_read_columns(values, error);
	struct import_file_options options = {.columns = columns,
	    .dashes = "--",
	    .is_of_people = !work->audience,
	    .unsubscribed = values[UNSUBSCRIBED].text != NULL,
	    .with_rest = values[PROPERTIES].text != NULL,
	    .without_header = values[NO_HEADER].text != NULL,
	    .raw = values[RAW].text != NULL};

	if (!columns)
		return NULL;
	if (options.with_rest && options.without_header) {
		base_invalid(error, "--properties needs the names of a header");
		return NULL;
	}
	if ((values[ENCODING].text && !base_charset_read("--encoding", values[ENCODING].text,
					  &options.form.charset, error)) ||
	    (values[SEPARATOR].text && !text_csv_read_separator("--separator",
					   values[SEPARATOR].text, &options.form.separator, error)))
		return NULL;
	return import_file_open(values[FROM].text, &options, error);
}

static void
import_people_note_unused(struct work *work)
{
	const GArray *columns = import_file_columns(work->file);

	for (guint i = 0; i < columns->len; i++) {
		const struct import_column *column =
		    &g_array_index(columns, struct import_column, i);

		if (column->use == IMPORT_UNUSED)
			g_ptr_array_add(work->unused, g_strdup(column->name));
	}
	cli_import_tell_unused(work->call, work->unused);
}

/* Shows the columns of a dry run. */
static void
show_columns(const struct work *work)
{
	const GArray *columns = import_file_columns(work->file);

	for (guint i = 0; i < columns->len; i++) {
		const struct import_column *column =
		    &g_array_index(columns, struct import_column, i);
		g_autofree char *word = import_column_word(column);

		cli_output_progress(
		    work->call->output, "Column %u, \"%s\": %s", i + 1, column->name, word);
	}
}

/* Shows one of the first lines of a dry run. */
static void
show_line(struct work *work, const struct import_line *line)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_array(writer, NULL);
	for (guint i = 0; i < line->count; i++)
		json_writer_string(writer, NULL, line->fields[i]);
	json_writer_end_array(writer);
	g_autofree char *text = json_writer_take(writer, NULL);
	cli_output_progress(work->call->output, "Line %" G_GUINT64_FORMAT ": %s", line->line, text);
	g_string_append_printf(work->shown, "%s%s", work->shown->len > 1 ? "," : "", text);
}

/* Imports one line. A fault or an INVALID refuses that line only. */
static bool
import_people_take(struct work *work, const struct import_line *line, GError **error)
{
	g_autoptr(GError) failure = NULL;

	if (work->is_dry && work->lines < SHOWN_LINES && !line->fault)
		show_line(work, line);
	work->lines++;
	if (line->fault)
		import_people_refuse(line->line, line->fault, work);
	else if (!import_add(work->import, &line->contact, &failure)) {
		if (!g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID)) {
			g_propagate_error(error, g_steal_pointer(&failure));
			return false;
		}
		import_people_refuse(line->line, failure->message, work);
	}
	return true;
}

static bool
import_people_take_all(struct work *work, GError **error)
{
	struct import_line line;
	GError *failure = NULL;

	while (import_file_next(work->file, &line, &failure)) {
		if (!import_people_take(work, &line, error))
			return false;
		cli_progress_show(work->progress, import_file_position(work->file), work->lines);
	}
	if (!failure)
		return import_flush(work->import, error);
	g_propagate_error(error, failure);
	return false;
}

/* The columns as a JSON array, for the answer. The caller owns it. */
static char *
print_columns(const GArray *columns)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_array(writer, NULL);
	for (guint i = 0; i < columns->len; i++) {
		const struct import_column *column =
		    &g_array_index(columns, struct import_column, i);
		g_autofree char *word = import_column_word(column);

		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "name", column->name);
		json_writer_string(writer, "use", word);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
	return json_writer_take(writer, NULL);
}

static bool
import_people_run(struct work *work, const struct cli_value *values, struct import_options *options,
    struct store_contact_tally *tally_r, GError **error)
{
	AUTO(import_file) file = import_people_open_file(work, values, error);

	if (!file)
		return false;
	AUTO(cli_progress) progress = cli_progress_new(import_file_size(file));
	work->file = file;
	work->progress = progress;
	import_people_note_unused(work);
	work->columns = print_columns(import_file_columns(file));
	if (work->is_dry)
		show_columns(work);
	/* It is freed before the file, whose keys it uses. */
	AUTO(import)
	import =
	    import_new(work->call->service, &work->call->workspace->id, work->audience, options);
	work->import = import;
	import_file_set_keys(file, import);
	bool done = import_people_take_all(work, error);
	*tally_r = *import_tally(import);
	return done;
}

/* Returns a sentence about contacts that had unsubscribed; "" when there are none. The caller owns
 * it. */
static char *
describe_left(guint64 left)
{
	if (left == 0)
		return g_strdup("");
	return g_strdup_printf(
	    " %" G_GUINT64_FORMAT
	    " stored as unsubscribed, since these people have unsubscribed themselves.",
	    left);
}

static void
import_people_answer(
    const struct work *work, const struct store_contact_tally *tally, bool is_lenient)
{
	g_autofree char *unused = cli_import_unused(work->unused);
	g_autofree char *left = describe_left(tally->left);
	g_autofree char *bad_lines = cli_count(work->bad, "bad line", "bad lines");
	const struct cli_field fields[] = {
	    work->audience ? cli_id("id", work->audience) : cli_text("id", NULL),
	    cli_number("created", (gint64)tally->created),
	    cli_number("updated", (gint64)tally->updated),
	    cli_number("unchanged", (gint64)tally->unchanged),
	    cli_number("skipped", (gint64)tally->skipped),
	    cli_number("unsubscribed", (gint64)tally->left), cli_number("bad", (gint64)work->bad),
	    cli_json("unused_columns", unused), cli_number("warnings", (gint64)work->warnings),
	    cli_truth("dry_run", true), cli_json("columns", work->columns),
	    cli_json("first_lines", work->shown->str)};
	guint first = work->audience ? 0 : 1, count = G_N_ELEMENTS(fields);

	if (!work->is_dry)
		count -= is_lenient ? 3 : 4;
	cli_output_say(work->call->output, fields + first, count - first,
	    "%s%" G_GUINT64_FORMAT " new, %" G_GUINT64_FORMAT " changed, %" G_GUINT64_FORMAT
	    " unchanged, %" G_GUINT64_FORMAT " skipped, %s.%s",
	    work->is_dry ? "Nothing is stored. " : "", tally->created, tally->updated,
	    tally->unchanged, tally->skipped, bad_lines, left);
}

static bool
import_people_end(const struct work *work, guint64 left, GError **error)
{
	if (!work->is_dry || work->bad == 0)
		return cli_import_end(work->call, work->bad, left, error);
	return base_invalid(
	    error, "invalid lines: %" G_GUINT64_FORMAT "; all others can be stored", work->bad);
}

bool
cli_import_people(struct cli_call *call, const struct base_id *audience,
    const struct cli_value *values, GError **error)
{
	struct store_consent_override override = {0};
	g_autoptr(GPtrArray) unused = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GString) shown = g_string_new("[");
	struct work work = {.call = call,
	    .audience = audience,
	    .unused = unused,
	    .shown = shown,
	    .is_dry = values[DRY_RUN].text != NULL};
	struct import_options options = {
	    .existing = (enum store_contact_existing)values[DUPLICATES].number,
	    .in_threads = true,
	    .lenient = values[LENIENT].text != NULL,
	    .start_workflows = values[START_WORKFLOWS].text != NULL,
	    .dashes = "--",
	    .dry_run = work.is_dry,
	    .refuse = import_people_refuse,
	    .warn = import_people_warn,
	    .context = &work};
	struct store_contact_tally tally;

	call->only_read = work.is_dry;
	bool done = consent_read(values[OVERRIDE].text, &override, &options.override, error) &&
		    import_people_run(&work, values, &options, &tally, error);
	if (done) {
		g_string_append_c(shown, ']');
		import_people_answer(&work, &tally, options.lenient);
	}
	g_free(work.columns);
	return done && import_people_end(&work, tally.left, error);
}
