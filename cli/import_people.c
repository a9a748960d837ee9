/* SPDX-License-Identifier: MIT */
/* Reads the records of a file as people, and hands them to core/import.h. */
#include "cli/import_people.h"

#include <string.h>

#include "base/error.h"
#include "cli/call.h"
#include "cli/import.h"
#include "cli/output.h"
#include "cli/text.h"
#include "core/consent.h"
#include "core/import.h"
#include "store/workspace.h"

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
	NO_HEADER,
	RAW,
	OVERRIDE
};

static const char *const emails[] = {"email", "emailaddress", "mail", "mailaddress", NULL};
static const char *const first_names[] = {"firstname", "givenname", "forename", NULL};
static const char *const last_names[] = {"lastname", "familyname", "surname", NULL};
static const char *const subscribed[] = {"issubscribed", "subscribed", NULL};
static const char *const languages[] = {"language", NULL};
static const char *const time_zones[] = {"timezone", NULL};

enum {
	COLUMN_EMAIL,
	COLUMN_FIRST_NAME,
	COLUMN_LAST_NAME,
	COLUMN_SUBSCRIBED,
	COLUMN_LANGUAGE,
	COLUMN_TIME_ZONE,
	COLUMNS
};
static const struct cli_column columns[COLUMNS] = {
    [COLUMN_EMAIL] = {"email", "--email", NULL, emails, .required = true},
    [COLUMN_FIRST_NAME] = {"first_name", "--first-name", NULL, first_names},
    [COLUMN_LAST_NAME] = {"last_name", "--last-name", NULL, last_names},
    [COLUMN_SUBSCRIBED] = {"is_subscribed", "--subscribed", NULL, subscribed},
    [COLUMN_LANGUAGE] = {"language", "--language", NULL, languages, .late = true},
    [COLUMN_TIME_ZONE] = {"time_zone", "--time-zone", NULL, time_zones, .late = true},
};

/* An import on its way. */
struct work {
	struct core_import *import;
	struct cli_import_run *run;
	struct cli_column *columns; /* COLUMNS, and those of --property */
	guint count;
	GPtrArray *rest;  /* headers of the columns of --properties; NULL: not given */
	GPtrArray *keys;  /* of all properties, NULL-terminated once begun; borrowed */
	GPtrArray *texts; /* of --property, cut in two */
};

/* Reads a word for true or false. *given_r: false for an empty field or a missing column. */
static bool
read_truth(const char *text, bool *given_r, bool *truth_r, GError **error)
{
	static const char *const words[] = {"true", "false", "1", "0", "yes", "no", "y", "n"};

	*given_r = text && *text;
	if (!*given_r)
		return true;
	for (guint i = 0; i < G_N_ELEMENTS(words); i++)
		if (g_ascii_strcasecmp(text, words[i]) == 0) {
			*truth_r = i % 2 == 0;
			return true;
		}
	return base_invalid(error, "is_subscribed must be true or false");
}

/* Returns a text; NULL when it is empty. */
static const char *
filled(const char *text)
{
	return text && *text ? text : NULL;
}

static bool
take(const struct cli_import_record *record, void *context, GError **error)
{
	const char *const *values = record->values;
	struct work *work = context;
	struct core_import_contact contact = {
	    .fields = {values[COLUMN_EMAIL], filled(values[COLUMN_FIRST_NAME]),
		filled(values[COLUMN_LAST_NAME])},
	    .first_name_given = values[COLUMN_FIRST_NAME] != NULL,
	    .last_name_given = values[COLUMN_LAST_NAME] != NULL,
	    .language_given = values[COLUMN_LANGUAGE] != NULL,
	    .time_zone_given = values[COLUMN_TIME_ZONE] != NULL,
	    .language = filled(values[COLUMN_LANGUAGE]),
	    .time_zone = filled(values[COLUMN_TIME_ZONE]),
	    .properties = values + COLUMNS, /* the rest comes behind the columns */
	    .line = record->line,
	};

	return read_truth(values[COLUMN_SUBSCRIBED], &contact.is_subscribed_given,
		   &contact.is_subscribed, error) &&
	       core_import_add(work->import, &contact, error);
}

/* Once the columns are known: the keys, each only once. */
static bool
begin(struct cli_import_run *run, void *context, GError **error)
{
	struct work *work = context;

	work->run = run;
	for (guint i = 0; work->rest && i < work->rest->len; i++)
		g_ptr_array_add(work->keys, work->rest->pdata[i]);
	g_ptr_array_add(work->keys, NULL);
	for (guint i = 0; i + 1 < work->keys->len; i++)
		for (guint k = 0; k < i; k++)
			if (strcmp(work->keys->pdata[i], work->keys->pdata[k]) == 0)
				return base_invalid(error, "two columns are the property \"%s\"",
				    (const char *)work->keys->pdata[i]);
	core_import_set_keys(work->import, (const char *const *)work->keys->pdata);
	return true;
}

static bool
finish(void *context, GError **error)
{
	return core_import_flush(((struct work *)context)->import, error);
}

static void
refuse(guint64 line, const char *fault, void *context)
{
	cli_import_refuse(((struct work *)context)->run, line, fault);
}

/* Reads COLUMN=KEY into the last column of the work. */
static bool
add_property(struct work *work, const char *given, GError **error)
{
	char *column = g_strdup(given);
	char *sign = strrchr(column, '=');

	g_ptr_array_add(work->texts, column);
	if (!sign || sign == column || !sign[1])
		return base_invalid(error, "--property must be COLUMN=KEY, not \"%s\"", given);
	*sign = '\0';
	work->columns[work->count++] = (struct cli_column){
	    .field = sign + 1, .option = "--property", .given = column, .late = true};
	g_ptr_array_add(work->keys, sign + 1);
	return true;
}

static bool
add_columns(struct work *work, const struct cli_value *values, GError **error)
{
	char *const *given = values[PROPERTY].texts;

	work->columns =
	    g_new0(struct cli_column, COLUMNS + (given ? g_strv_length((char **)given) : 0));
	memcpy(work->columns, columns, sizeof(columns));
	work->count = COLUMNS;
	for (guint i = 0; i < COLUMNS; i++)
		work->columns[i].given = values[EMAIL + i].text;
	for (; given && *given; given++)
		if (!add_property(work, *given, error))
			return false;
	return !values[PROPERTIES].text || !values[NO_HEADER].text ||
	       base_invalid(error, "--properties needs the names of a header");
}

static bool
run(struct cli_call *call, struct work *work, const struct cli_value *values, GPtrArray *unused,
    guint64 *bad_r, GError **error)
{
	if (!add_columns(work, values, error))
		return false;
	const struct cli_import file = {
	    .path = values[FROM].text,
	    .columns = work->columns,
	    .count = work->count,
	    .header = !values[NO_HEADER].text,
	    .raw = values[RAW].text != NULL,
	    .begin = begin,
	    .take = take,
	    .finish = finish,
	    .context = work,
	    .rest = values[PROPERTIES].text ? work->rest : NULL,
	    .unused = unused,
	};
	return cli_import_run(call, &file, bad_r, error);
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
answer(struct cli_call *call, const struct base_id *audience,
    const struct store_contact_tally *tally, guint64 bad, const GPtrArray *unused)
{
	g_autofree char *unused_json = cli_import_unused(unused);
	g_autofree char *left = describe_left(tally->left);
	g_autofree char *bad_lines = cli_count(bad, "bad line", "bad lines");
	const struct cli_field fields[] = {audience ? cli_id("id", audience) : cli_text("id", NULL),
	    cli_number("created", (gint64)tally->created),
	    cli_number("updated", (gint64)tally->updated),
	    cli_number("unchanged", (gint64)tally->unchanged),
	    cli_number("skipped", (gint64)tally->skipped),
	    cli_number("unsubscribed", (gint64)tally->left), cli_number("bad", (gint64)bad),
	    cli_json("unused_columns", unused_json)};
	guint first = audience ? 0 : 1;

	cli_output_say(call->output, fields + first, G_N_ELEMENTS(fields) - first,
	    "%" G_GUINT64_FORMAT " new, %" G_GUINT64_FORMAT " changed, %" G_GUINT64_FORMAT
	    " unchanged, %" G_GUINT64_FORMAT " skipped, %s.%s",
	    tally->created, tally->updated, tally->unchanged, tally->skipped, bad_lines, left);
}

static void
clear(struct work *work)
{
	g_free(work->columns);
	g_ptr_array_unref(work->rest);
	g_ptr_array_unref(work->keys);
	g_ptr_array_unref(work->texts);
}

bool
cli_import_people(struct cli_call *call, const struct base_id *audience,
    const struct cli_value *values, GError **error)
{
	struct store_consent_override override = {0};
	struct work work = {.rest = g_ptr_array_new_with_free_func(g_free),
	    .keys = g_ptr_array_new(),
	    .texts = g_ptr_array_new_with_free_func(g_free)};
	struct core_import_options options = {
	    .existing = (enum store_contact_existing)values[DUPLICATES].number,
	    .in_threads = true,
	    .refuse = refuse,
	    .context = &work};
	g_autoptr(GPtrArray) unused = g_ptr_array_new_with_free_func(g_free);
	guint64 bad;
	bool done = core_consent_read(values[OVERRIDE].text, &override, &options.override, error);

	work.import = core_import_new(call->core, &call->workspace->id, audience, &options);
	done = done && run(call, &work, values, unused, &bad, error);
	const struct store_contact_tally tally = *core_import_tally(work.import);
	core_import_free(work.import);
	clear(&work);
	if (!done)
		return false;
	answer(call, audience, &tally, bad, unused);
	return cli_import_end(call, bad, tally.left, error);
}
