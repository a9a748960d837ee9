/* SPDX-License-Identifier: MIT */
/* Reads the columns and lines of a file of people. */
#include "import/file.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

#define PROPERTIES "properties." /* before the key, in exports of ours and as a use */
#define NO_PLACE (-1)

struct import_file {
	struct text_csv *csv;
	struct import_file_options options;
	char *name;
	GArray *columns;	      /* of struct import_column */
	struct text_csv_record first; /* without a header: a line that is not read yet */
	bool has_first;
	int places[IMPORT_USES]; /* of the uses but properties; NO_PLACE: none */
	GArray *property_places; /* of guint, in the order of keys */
	GPtrArray *keys;	 /* NULL-terminated, borrowed from columns */
	GArray *typed;		 /* of bool, likewise */
	const char **texts;	 /* of the keys, of a line */
	GString *email, *fault;	 /* of a line */
	GString *trimmed[2];	 /* language and time zone of a line */
};

/* The names of the uses, in messages and as words. */
static const char *const use_words[IMPORT_USES] = {
    [IMPORT_UNUSED] = "unused",
    [IMPORT_IGNORE] = "ignore",
    [IMPORT_EMAIL] = "email",
    [IMPORT_FIRST_NAME] = "first_name",
    [IMPORT_LAST_NAME] = "last_name",
    [IMPORT_SUBSCRIBED] = "subscribed",
    [IMPORT_UNSUBSCRIBED] = "unsubscribed",
    [IMPORT_LANGUAGE] = "language",
    [IMPORT_TIME_ZONE] = "time_zone",
    [IMPORT_PROPERTY] = "properties.KEY",
};

/* The options of the command line that name columns; a property has --property. */
static const char *const use_options[IMPORT_USES] = {
    [IMPORT_EMAIL] = "--email",
    [IMPORT_FIRST_NAME] = "--first-name",
    [IMPORT_LAST_NAME] = "--last-name",
    [IMPORT_SUBSCRIBED] = "--subscribed",
    [IMPORT_LANGUAGE] = "--language",
    [IMPORT_TIME_ZONE] = "--time-zone",
};

static void
clear_column(void *data)
{
	struct import_column *column = data;

	g_free(column->name);
	g_free(column->key);
}

GArray *
import_columns_new(void)
{
	GArray *columns = g_array_new(FALSE, TRUE, sizeof(struct import_column));

	g_array_set_clear_func(columns, clear_column);
	return columns;
}

void
import_columns_put(
    GArray *columns, const char *option, const char *name, enum import_use use, const char *key)
{
	const struct import_column column = {
	    .name = g_strdup(name), .use = use, .key = g_strdup(key), .option = option};

	g_array_append_val(columns, column);
}

bool
import_columns_add(
    GArray *columns, const char *what, const char *name, const char *use, GError **error)
{
	gsize prefix = strlen(PROPERTIES);

	if (strncmp(use, PROPERTIES, prefix) == 0 && use[prefix]) {
		import_columns_put(columns, what, name, IMPORT_PROPERTY, use + prefix);
		return true;
	}
	if (strcmp(use, "is_subscribed") == 0)
		use = use_words[IMPORT_SUBSCRIBED];
	for (guint i = IMPORT_IGNORE; i < IMPORT_PROPERTY; i++)
		if (strcmp(use, use_words[i]) == 0) {
			import_columns_put(columns, what, name, (enum import_use)i, NULL);
			return true;
		}
	return base_invalid(error,
	    "%s: the use of \"%s\" must be email, first_name, last_name, subscribed, unsubscribed, "
	    "language, time_zone, properties.KEY or ignore, not \"%s\"",
	    what, name, use);
}

char *
import_column_word(const struct import_column *column)
{
	return column->use == IMPORT_PROPERTY ? g_strconcat(PROPERTIES, column->key, NULL)
					      : g_strdup(use_words[column->use]);
}

/* Whether a text begins with three numbers as of a date, in any order. */
static bool
import_begins_with_date(const char *text)
{
	int end = 0;

	return g_ascii_isdigit(*text) && sscanf(text, "%*4u%*1[-./]%*2u%*1[-./]%n", &end) == 0 &&
	       end > 0 && g_ascii_isdigit(text[end]);
}

bool
import_read_flag(const char *text, bool inverse, bool *given_r, bool *is_subscribed_r)
{
	static const char *const words[] = {"true", "false", "yes", "no", "1", "0", "y", "n", "ja",
	    "nein", "wahr", "falsch", "oui", "non", "on", "off", "subscribed", "unsubscribed"};
	g_autoptr(GString) buffer = NULL;

	*given_r = text && *text;
	if (!*given_r)
		return true;
	/* Most words have no blanks around them. */
	if (!g_ascii_isalnum(*text) || !g_ascii_isalnum(text[strlen(text) - 1])) {
		buffer = g_string_new(NULL);
		text = text_csv_trim(text, buffer);
		*given_r = *text != '\0';
		if (!*given_r)
			return true;
	}
	for (guint i = 0; i < G_N_ELEMENTS(words); i++)
		if (g_ascii_strcasecmp(text, words[i]) == 0) {
			bool means_itself = i >= G_N_ELEMENTS(words) - 2;

			*is_subscribed_r = (i % 2 == 0) != (inverse && !means_itself);
			return true;
		}
	*is_subscribed_r = false;
	return inverse && import_begins_with_date(text);
}

/* "name one with --email", or "name one in columns" where the options are a document. */
static char *
remedy(const struct import_file *file, const char *verb, enum import_use use)
{
	if (!*file->options.dashes)
		return g_strdup_printf("%s in columns", verb);
	return use_options[use] ? g_strdup_printf("%s with %s", verb, use_options[use])
				: g_strdup_printf("%s with --column NAME=%s", verb, use_words[use]);
}

static const char *
use_name(const struct import_file *file, enum import_use use)
{
	return use == IMPORT_SUBSCRIBED && !file->options.is_of_people ? "is_subscribed"
								       : use_words[use];
}

static struct import_column *
column_at(const GArray *columns, guint place)
{
	return &g_array_index(columns, struct import_column, place);
}

/* Finds the column that the operator names. */
static bool
file_find_place(const struct import_file *file, const struct import_column *said, guint *place_r,
    GError **error)
{
	guint count = file->columns->len;
	guint64 number;

	if (file->options.without_header) {
		if (!g_ascii_string_to_unsigned(said->name, 10, 1, count, &number, NULL))
			return base_invalid(error, "%s must be the number of a column, 1 to %u",
			    said->option, count);
		*place_r = (guint)number - 1;
		return true;
	}
	g_autofree char *wanted = text_csv_fold(said->name);
	int exact = NO_PLACE, like = NO_PLACE, likes = 0;
	for (guint i = 0; i < count; i++) {
		g_autofree char *folded = text_csv_fold(column_at(file->columns, i)->name);

		if (strcmp(column_at(file->columns, i)->name, said->name) == 0 && exact == NO_PLACE)
			exact = (int)i;
		if (!*wanted || strcmp(folded, wanted) != 0)
			continue;
		if (likes++ > 0 && exact == NO_PLACE && said->use != IMPORT_IGNORE)
			return base_invalid(error,
			    "%s: two columns may be \"%s\", \"%s\" and \"%s\"", said->option,
			    said->name, column_at(file->columns, (guint)like)->name,
			    column_at(file->columns, i)->name);
		like = (int)i;
	}
	if (exact == NO_PLACE && like == NO_PLACE)
		return base_invalid(
		    error, "%s: the first line has no column \"%s\"", said->option, said->name);
	*place_r = (guint)(exact != NO_PLACE ? exact : like);
	return true;
}

/* Takes a column for a use, which is free. */
static bool
take_place(struct import_file *file, guint place, enum import_use use, const char *key,
    const char *option, GError **error)
{
	struct import_column *column = column_at(file->columns, place);

	if (column->use != IMPORT_UNUSED)
		return base_invalid(error, "one column is both the %s and the %s",
		    column->key ? column->key : use_name(file, column->use),
		    key ? key : use_name(file, use));
	if (use != IMPORT_PROPERTY && use != IMPORT_IGNORE) {
		if (file->places[use] != NO_PLACE) {
			const char *one = column_at(file->columns, (guint)file->places[use])->name;
			g_autofree char *way = remedy(file, "name one", use);

			return base_invalid(error,
			    "two columns may be the %s, \"%s\" and \"%s\": %s", use_name(file, use),
			    one, column->name, way);
		}
		file->places[use] = (int)place;
	}
	column->use = use;
	column->key = g_strdup(key);
	column->option = option;
	return true;
}

static bool
take_said(struct import_file *file, GError **error)
{
	const GArray *said = file->options.columns;
	guint place = 0;

	for (guint i = 0; said && i < said->len; i++) {
		const struct import_column *column = column_at(said, i);

		if (!file_find_place(file, column, &place, error) ||
		    !take_place(file, place, column->use, column->key, column->option, error))
			return false;
	}
	return true;
}

/* Takes columns whose names count where no other column has the use, and then what is left. */
static void
file_take_late(struct import_file *file)
{
	bool is_late;

	for (guint i = 0; i < file->columns->len; i++) {
		struct import_column *column = column_at(file->columns, i);
		enum import_use use = import_use_of(column->name, &is_late);

		if (column->use != IMPORT_UNUSED)
			continue;
		if (is_late && file->places[use] == NO_PLACE)
			take_place(file, i, use, NULL, NULL, NULL);
		else if ((use == IMPORT_UNUSED || is_late) && file->options.with_rest &&
			 *column->name)
			take_place(file, i, IMPORT_PROPERTY, column->name, NULL, NULL);
	}
}

/* A header of an export of ours names a property; else the usual names decide. */
static bool
file_take_named(struct import_file *file, GError **error)
{
	gsize prefix = strlen(PROPERTIES);
	bool said[IMPORT_USES];

	for (guint i = 0; i < IMPORT_USES; i++)
		said[i] = file->places[i] != NO_PLACE;
	for (guint i = 0; i < file->columns->len; i++) {
		struct import_column *column = column_at(file->columns, i);
		bool is_ours = strncmp(column->name, PROPERTIES, prefix) == 0, is_late;
		enum import_use use = import_use_of(column->name, &is_late);

		column->is_typed = is_ours;
		if (column->use != IMPORT_UNUSED)
			continue;
		if (is_ours)
			take_place(file, i, IMPORT_PROPERTY, column->name + prefix, NULL, NULL);
		else if (use != IMPORT_UNUSED && !is_late && !said[use] &&
			 !take_place(file, i, use, NULL, NULL, error))
			return false;
	}
	file_take_late(file);
	return true;
}

/* Takes the columns of a file without a header in their order. */
static bool
take_in_order(struct import_file *file, GError **error)
{
	static const enum import_use order[] = {
	    IMPORT_EMAIL, IMPORT_FIRST_NAME, IMPORT_LAST_NAME, IMPORT_SUBSCRIBED};

	for (guint i = 0; i < MIN(file->columns->len, G_N_ELEMENTS(order)); i++)
		if (!take_place(file, i, order[i], NULL, NULL, error))
			return false;
	return true;
}

static bool
file_check_email(const struct import_file *file, GError **error)
{
	if (file->places[IMPORT_EMAIL] != NO_PLACE)
		return true;
	if (file->options.without_header)
		return base_invalid(error, "%s must be the number of a column, 1 to %u",
		    *file->options.dashes ? "--email" : "columns", file->columns->len);
	g_autofree char *way = remedy(file, "name it", IMPORT_EMAIL);
	return base_invalid(error, "no column of the first line is the email: %s%s", way,
	    *file->options.dashes ? ", or give --no-header if the first line is no header" : "");
}

/* Collects the properties, each key once. */
static bool
take_keys(struct import_file *file, GError **error)
{
	g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < file->columns->len; i++) {
		const struct import_column *column = column_at(file->columns, i);
		const char *other;

		if (column->use != IMPORT_PROPERTY)
			continue;
		if ((other = g_hash_table_lookup(names, column->key)))
			return base_invalid(error,
			    "two columns are the property \"%s\", \"%s\" and \"%s\"", column->key,
			    other, column->name);
		g_hash_table_insert(names, column->key, column->name);
		g_ptr_array_add(file->keys, column->key);
		g_array_append_val(file->property_places, i);
		g_array_append_val(file->typed, column->is_typed);
	}
	file->texts = g_new0(const char *, file->keys->len + 1);
	g_ptr_array_add(file->keys, NULL);
	return true;
}

static bool
file_find_columns(struct import_file *file, GError **error)
{
	const struct text_csv_record *first = &file->first;

	for (guint i = 0; i < first->count; i++) {
		g_autofree char *number = g_strdup_printf("%u", i + 1);

		import_columns_put(file->columns, NULL,
		    file->options.without_header ? number : first->fields[i], IMPORT_UNUSED, NULL);
	}
	bool in_order = file->options.without_header &&
			(!file->options.columns || file->options.columns->len == 0);
	return take_said(file, error) &&
	       (in_order			  ? take_in_order(file, error)
		   : file->options.without_header ? true
						  : file_take_named(file, error)) &&
	       file_check_email(file, error) && take_keys(file, error);
}

/* The fault of a record, with the option by which the operator names the encoding. */
static const char *
file_fault_of(struct import_file *file, const struct text_csv_record *record)
{
	if (!record->is_not_utf8)
		return record->fault;
	g_string_printf(file->fault, "%s: name the encoding of the file with %sencoding",
	    record->fault, file->options.dashes);
	return file->fault->str;
}

/* Reads the first line, and finds the columns. */
static bool
file_begin(struct import_file *file, GError **error)
{
	GError *failure = NULL;

	if (!text_csv_next(file->csv, &file->first, &failure)) {
		if (!failure)
			return base_invalid(error, "%s is empty", file->name);
		g_propagate_error(error, failure);
		return false;
	}
	if (file->first.fault)
		return base_invalid(error, "line %" G_GUINT64_FORMAT ": %s", file->first.line,
		    file_fault_of(file, &file->first));
	file->has_first = file->options.without_header;
	return file_find_columns(file, error);
}

static struct import_file *
new_file(struct text_csv *csv, const char *name, const struct import_file_options *options)
{
	struct import_file *file = g_new0(struct import_file, 1);

	file->csv = csv;
	file->options = *options;
	file->name = g_strdup(name);
	file->columns = import_columns_new();
	for (guint i = 0; i < IMPORT_USES; i++)
		file->places[i] = NO_PLACE;
	file->property_places = g_array_new(FALSE, FALSE, sizeof(guint));
	file->keys = g_ptr_array_new();
	file->typed = g_array_new(FALSE, FALSE, sizeof(bool));
	file->email = g_string_new(NULL);
	file->fault = g_string_new(NULL);
	for (guint i = 0; i < G_N_ELEMENTS(file->trimmed); i++)
		file->trimmed[i] = g_string_new(NULL);
	return file;
}

struct import_file *
import_file_open(const char *path, const struct import_file_options *options, GError **error)
{
	struct text_csv *csv = text_csv_open(path, &options->form, error);

	if (!csv)
		return NULL;
	AUTO(import_file) file = new_file(csv, path, options);
	return file_begin(file, error) ? g_steal_pointer(&file) : NULL;
}

struct import_file *
import_file_open_bytes(
    GBytes *bytes, const char *name, const struct import_file_options *options, GError **error)
{
	AUTO(import_file)
	file = new_file(text_csv_open_bytes(bytes, &options->form), name, options);

	return file_begin(file, error) ? g_steal_pointer(&file) : NULL;
}

void
import_file_free(struct import_file *file)
{
	text_csv_free(file->csv);
	g_free(file->name);
	g_array_unref(file->columns);
	g_array_unref(file->property_places);
	g_ptr_array_unref(file->keys);
	g_array_unref(file->typed);
	g_free(file->texts);
	g_string_free(file->email, TRUE);
	g_string_free(file->fault, TRUE);
	for (guint i = 0; i < G_N_ELEMENTS(file->trimmed); i++)
		g_string_free(file->trimmed[i], TRUE);
	g_free(file);
}

const GArray *
import_file_columns(const struct import_file *file)
{
	return file->columns;
}

void
import_file_set_keys(const struct import_file *file, struct import *import)
{
	import_set_keys(
	    import, (const char *const *)file->keys->pdata, (const bool *)file->typed->data);
}

char
import_file_separator(const struct import_file *file)
{
	return text_csv_separator(file->csv);
}

guint64
import_file_position(const struct import_file *file)
{
	return text_csv_position(file->csv);
}

guint64
import_file_size(const struct import_file *file)
{
	return text_csv_size(file->csv);
}

struct text_csv_place
import_file_place(const struct import_file *file)
{
	return text_csv_place(file->csv);
}

void
import_file_seek(struct import_file *file, const struct text_csv_place *place)
{
	file->has_first = false;
	text_csv_seek(file->csv, place);
}

/* A field of the line; NULL: the file has no such column. */
static const char *
file_field_of(const struct import_file *file, const struct text_csv_record *record, int place)
{
	if (place == NO_PLACE)
		return NULL;
	const char *field = record->fields[place];
	return file->options.raw ? field : text_csv_unguard(field);
}

static const char *
file_filled(const char *text)
{
	return text && *text ? text : NULL;
}

static bool
file_read_choice(
    struct import_file *file, const struct text_csv_record *record, struct import_contact *contact)
{
	static const enum import_use uses[] = {IMPORT_SUBSCRIBED, IMPORT_UNSUBSCRIBED};

	if (file->options.unsubscribed) {
		contact->is_subscribed_given = true;
		return true;
	}
	for (guint i = 0; i < G_N_ELEMENTS(uses); i++) {
		bool given, subscribed;
		int place = file->places[uses[i]];

		if (!import_read_flag(file_field_of(file, record, place),
			uses[i] == IMPORT_UNSUBSCRIBED, &given, &subscribed)) {
			g_string_printf(
			    file->fault, "%s must be true or false", use_name(file, uses[i]));
			return false;
		}
		if (!given)
			continue;
		contact->is_subscribed =
		    subscribed && (!contact->is_subscribed_given || contact->is_subscribed);
		contact->is_subscribed_given = true;
	}
	return true;
}

static void
file_read_line(
    struct import_file *file, const struct text_csv_record *record, struct import_line *line)
{
	const int *places = file->places;
	const char *email = file_field_of(file, record, places[IMPORT_EMAIL]);
	const char *first = file_field_of(file, record, places[IMPORT_FIRST_NAME]);
	const char *last = file_field_of(file, record, places[IMPORT_LAST_NAME]);
	const char *language = file_field_of(file, record, places[IMPORT_LANGUAGE]);
	const char *zone = file_field_of(file, record, places[IMPORT_TIME_ZONE]);

	for (guint i = 0; i < file->property_places->len; i++)
		file->texts[i] = file_field_of(
		    file, record, (int)g_array_index(file->property_places, guint, i));
	line->contact = (struct import_contact){
	    .fields = {text_csv_trim(email, file->email), file_filled(first), file_filled(last)},
	    .first_name_given = first != NULL,
	    .last_name_given = last != NULL,
	    .language_given = language != NULL,
	    .time_zone_given = zone != NULL,
	    .language = language ? file_filled(text_csv_trim(language, file->trimmed[0])) : NULL,
	    .time_zone = zone ? file_filled(text_csv_trim(zone, file->trimmed[1])) : NULL,
	    .properties = file->texts,
	    .line = record->line,
	};
	if (!file_read_choice(file, record, &line->contact))
		line->fault = file->fault->str;
}

bool
import_file_next(struct import_file *file, struct import_line *line_r, GError **error)
{
	struct text_csv_record record = file->first;
	guint width = file->columns->len;

	if (!file->has_first && !text_csv_next(file->csv, &record, error))
		return false;
	file->has_first = false;
	*line_r = (struct import_line){record.line, record.fields, record.count};
	if (record.fault)
		line_r->fault = file_fault_of(file, &record);
	else if (record.count != width) {
		g_string_printf(file->fault, "it has %u field%s, and the first line %u",
		    record.count, record.count == 1 ? "" : "s", width);
		line_r->fault = file->fault->str;
	} else
		file_read_line(file, &record, line_r);
	return true;
}
