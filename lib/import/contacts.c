/* SPDX-License-Identifier: MIT */
/* Plans imports of contacts, and does them part by part. */
#include "import/contacts.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/scope.h"
#include "consent/consent.h"
#include "db/transaction.h"
#include "import/file.h"
#include "import/request.h"
#include "json/fields.h"
#include "json/strict.h"
#include "json/writer.h"
#include "person/person.h"
#include "service/service.h"
#include "store/person/import.h"
#include "text/csv.h"

#define LEASE_MS (60 * 1000) /* of a claim, from each part on */
#define GROUP 50	     /* people whose choices are stored in one transaction */

/* The columns of the file. */
enum { EMAIL, FIRST_NAME, LAST_NAME, UNSUBSCRIBED, SUBSCRIBED, NAMED };
#define NO_COLUMN (-1)

static const struct {
	const char *name;
	enum import_use use;
} named[NAMED] = {
    [EMAIL] = {"email", IMPORT_EMAIL},
    [FIRST_NAME] = {"first_name", IMPORT_FIRST_NAME},
    [LAST_NAME] = {"last_name", IMPORT_LAST_NAME},
    [UNSUBSCRIBED] = {"unsubscribed", IMPORT_UNSUBSCRIBED},
    [SUBSCRIBED] = {"subscribed", IMPORT_SUBSCRIBED},
};

/* The place of a column that is named; NO_COLUMN when the file has none. */
static int
contacts_find_named(const struct text_csv_record *header, const char *name)
{
	g_autofree char *wanted = text_csv_fold(name);

	for (guint i = 0; i < header->count; i++)
		if (strcmp(header->fields[i], name) == 0)
			return (int)i;
	for (guint i = 0; i < header->count; i++) {
		g_autofree char *folded = text_csv_fold(header->fields[i]);

		if (*wanted && strcmp(wanted, folded) == 0)
			return (int)i;
	}
	return NO_COLUMN;
}

/* Finds the one column that has the use by its name; NO_COLUMN when the file has none. */
static bool
find_usual(
    const struct text_csv_record *header, guint column, bool late, int *place_r, GError **error)
{
	*place_r = NO_COLUMN;
	for (guint i = 0; i < header->count; i++) {
		bool is_late;

		if (import_use_of(header->fields[i], &is_late) != named[column].use ||
		    is_late != late)
			continue;
		if (*place_r != NO_COLUMN && late)
			continue;
		if (*place_r != NO_COLUMN)
			return base_invalid(error,
			    "file has two columns for %s, \"%s\" and \"%s\": name one in "
			    "column_map",
			    named[column].name, header->fields[*place_r], header->fields[i]);
		*place_r = (int)i;
	}
	return true;
}

/* Finds a column by the name that was given, or else by its usual names. */
static bool
find_column(const struct text_csv_record *header, guint column, const char *given, int *place_r,
    GError **error)
{
	if (given)
		*place_r = contacts_find_named(header, given);
	else if (!find_usual(header, column, false, place_r, error) ||
		 (*place_r == NO_COLUMN && !find_usual(header, column, true, place_r, error)))
		return false;
	if (*place_r != NO_COLUMN || (!given && column != EMAIL))
		return true;
	if (given)
		return base_invalid(
		    error, "column_map.%s is no column of the file", named[column].name);
	return base_invalid(error, "file has no column for the email");
}

static bool
write_columns(struct json_writer *writer, const struct text_csv_record *header,
    const struct import_contacts_wish *wish, GError **error)
{
	const char *const given[NAMED] = {
	    wish->email, wish->first_name, wish->last_name, wish->unsubscribed, NULL};

	json_writer_integer(writer, "width", header->count);
	for (guint i = 0; i < NAMED; i++) {
		int place;

		if (!find_column(header, i, given[i], &place, error))
			return false;
		json_writer_integer(writer, named[i].name, place);
	}
	return true;
}

static bool
write_properties(struct json_writer *writer, const struct text_csv_record *header,
    const struct import_contacts_wish *wish, GError **error)
{
	json_writer_begin_array(writer, "properties");
	for (guint i = 0; i < wish->property_count; i++) {
		const struct import_contacts_property *property = &wish->properties[i];
		int place = contacts_find_named(header, property->column);

		if (place == NO_COLUMN)
			return base_invalid(error,
			    "column_map.properties.%s is no column of the file", property->key);
		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "key", property->key);
		json_writer_integer(writer, "column", place);
		json_writer_integer(writer, "type", property->type);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
	return true;
}

static void
write_choices(struct json_writer *writer, const struct import_contacts_wish *wish)
{
	char text[ID_TEXT_SIZE];

	json_writer_boolean(writer, "skips", wish->skips);
	json_writer_begin_array(writer, "segments");
	for (guint i = 0; i < wish->segment_count; i++)
		json_writer_string(writer, NULL, base_id_format(&wish->segments[i], text));
	json_writer_end_array(writer);
	json_writer_begin_array(writer, "topics");
	for (guint i = 0; i < wish->topic_count; i++) {
		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "id", base_id_format(&wish->topics[i].id, text));
		json_writer_boolean(writer, "wanted", wish->topics[i].wanted);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

/* Makes the plan by the header. The caller owns it. */
static char *
contacts_make_plan(const struct text_csv *csv, const struct text_csv_record *header,
    const struct import_contacts_wish *wish, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_integer(writer, "separator", text_csv_separator(csv));
	if (!write_columns(writer, header, wish, error) ||
	    !write_properties(writer, header, wish, error))
		return NULL;
	write_choices(writer, wish);
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

bool
import_contacts_create(struct service *service, const struct base_id *workspace,
    const struct import_contacts_wish *wish, struct base_id *id_r, GError **error)
{
	AUTO(store_contact_import) import = g_new0(struct store_contact_import, 1);
	g_autoptr(GBytes) text = base_charset_text(wish->file, CHARSET_UTF_8);
	AUTO(text_csv) csv = text_csv_open_bytes(text, NULL);
	struct text_csv_record header;

	if (!text_csv_next(csv, &header, NULL))
		return base_invalid(error, "file is empty");
	if (header.fault)
		return base_invalid(
		    error, "file has a first line that cannot be read: %s", header.fault);
	import->workspace_id = *workspace;
	import->front = CONTACT_IMPORT_MAPPED;
	import->line = 1;
	import->plan = contacts_make_plan(csv, &header, wish, error);
	import->place = (gint64)text_csv_position(csv);
	if (!import->plan || !store_contact_import_create(service->db, import, text, error))
		return false;
	*id_r = import->id;
	return true;
}

/* The plan, as it was written. */
struct plan {
	gint64 width, separator, columns[NAMED];
	bool skips;
	const char **segments;
	GArray *properties; /* of struct property */
	GArray *topics;	    /* of struct topic */
};

struct property {
	const char *key;
	gint64 column, type;
};

struct topic {
	const char *id;
	bool wanted;
};

/* clang-format off */
static const struct json_field property_fields[] = {
	JSON_FIELD("key", FIELD_STRING, struct property, key, .required = true),
	JSON_FIELD("column", FIELD_INTEGER, struct property, column, .required = true, .max = G_MAXINT),
	JSON_FIELD("type", FIELD_INTEGER, struct property, type, .required = true, .max = G_MAXINT),
};
static const struct json_field topic_fields[] = {
	JSON_FIELD("id", FIELD_STRING, struct topic, id, .required = true),
	JSON_FIELD("wanted", FIELD_BOOLEAN, struct topic, wanted, .required = true),
};
#define COLUMN(name, place) JSON_FIELD(name, FIELD_INTEGER, struct plan, columns[place], .required = true, .min = NO_COLUMN, .max = G_MAXINT)
#define LIST(member, table, type) JSON_FIELD(#member, FIELD_LIST, struct plan, member, .required = true, .elements = table, .element_count = G_N_ELEMENTS(table), .element_size = sizeof(type))
static const struct json_field plan_fields[] = {
	JSON_FIELD("width", FIELD_INTEGER, struct plan, width, .required = true, .max = G_MAXINT),
	JSON_FIELD("separator", FIELD_INTEGER, struct plan, separator, .max = G_MAXINT8),
	COLUMN("email", EMAIL), COLUMN("first_name", FIRST_NAME), COLUMN("last_name", LAST_NAME), COLUMN("unsubscribed", UNSUBSCRIBED),
	JSON_FIELD("subscribed", FIELD_INTEGER, struct plan, columns[SUBSCRIBED], .min = NO_COLUMN, .max = G_MAXINT),
	LIST(properties, property_fields, struct property),
	JSON_FIELD("skips", FIELD_BOOLEAN, struct plan, skips, .required = true),
	JSON_FIELD("segments", FIELD_STRINGS, struct plan, segments, .required = true),
	LIST(topics, topic_fields, struct topic),
};
/* clang-format on */

/* A record of the part; its texts are owned. */
struct row {
	char **fields; /* NULL: it cannot be read */
	char *address; /* its normal form; NULL: it is not imported */
	bool unsubscribed;
};

/* An import that this process works on. */
struct work {
	struct service *service;
	struct store_contact_import *import;
	struct plan plan;
	GPtrArray *keys; /* of the properties, NULL-terminated */
	GArray *types;
	struct consent_topic *topics;
	GBytes *file;

	struct row rows[STORE_CONTACT_BATCH]; /* the part */
	guint count;
	GString *trimmed; /* an email of the part */
	gint64 end;	  /* the place behind it */
	struct import *people;
};

static bool
contacts_is_left_out(const struct work *work, guint row)
{
	return work->import->left_out[row / 8] >> row % 8 & 1;
}

static void
contacts_leave_out(struct work *work, guint row)
{
	work->import->left_out[row / 8] |= (guint8)(1 << row % 8);
}

static void
contacts_clear_part(struct work *work)
{
	for (guint i = 0; i < work->count; i++) {
		g_strfreev(work->rows[i].fields);
		g_free(work->rows[i].address);
	}
	work->count = 0;
}

static const char *
contacts_field_of(const struct work *work, const struct row *row, gint64 column)
{
	return column >= 0 && column < work->plan.width ? row->fields[column] : NULL;
}

/* A text that is not empty, or NULL. */
static const char *
contacts_filled(const char *text)
{
	return text && *text ? text : NULL;
}

/* Copies a record, which is one of the part. */
static void
contacts_copy(struct work *work, const struct text_csv_record *record)
{
	struct row *row = &work->rows[work->count++];

	*row = (struct row){0};
	if (record->fault || record->count != work->plan.width)
		return;
	row->fields = g_new0(char *, record->count + 1);
	for (guint i = 0; i < record->count; i++) {
		const char *field = text_csv_unguard(record->fields[i]);

		row->fields[i] = g_strdup(
		    i == work->plan.columns[EMAIL] ? text_csv_trim(field, work->trimmed) : field);
	}
}

/* Reads the part at the place of the import. */
static void
contacts_read_part(struct work *work)
{
	/* Plans of an earlier version have no separator. */
	const struct text_csv_form form = {
	    .separator = work->plan.separator ? (char)work->plan.separator : ','};
	const struct text_csv_place place = {(guint64)work->import->place, 1};
	AUTO(text_csv) csv = text_csv_open_bytes(work->file, &form);
	struct text_csv_record record;

	contacts_clear_part(work);
	text_csv_seek(csv, &place);
	while (work->count < STORE_CONTACT_BATCH && text_csv_next(csv, &record, NULL))
		contacts_copy(work, &record);
	work->end = (gint64)text_csv_position(csv);
}

/* Reads whether the person is to be unsubscribed: one No is enough. */
static bool
contacts_read_choice(const struct work *work, struct row *row, GError **error)
{
	static const guint columns[] = {UNSUBSCRIBED, SUBSCRIBED};

	row->unsubscribed = false;
	for (guint i = 0; i < G_N_ELEMENTS(columns); i++) {
		const char *text = contacts_field_of(work, row, work->plan.columns[columns[i]]);
		bool given, subscribed;

		if (!import_read_flag(text, columns[i] == UNSUBSCRIBED, &given, &subscribed))
			return base_invalid(
			    error, "%s must be true or false", named[columns[i]].name);
		row->unsubscribed |= given && !subscribed;
	}
	return true;
}

/* Reads what a record says of its person. INVALID. */
static bool
contacts_read_row(const struct work *work, struct row *row, struct person_contact_fields *fields_r,
    GError **error)
{
	const gint64 *columns = work->plan.columns;

	*fields_r = (struct person_contact_fields){contacts_field_of(work, row, columns[EMAIL]),
	    contacts_filled(contacts_field_of(work, row, columns[FIRST_NAME])),
	    contacts_filled(contacts_field_of(work, row, columns[LAST_NAME]))};
	g_clear_pointer(&row->address, g_free);
	return contacts_read_choice(work, row, error) &&
	       person_contact_check_new(fields_r, &row->address, error);
}

/* Adds a record to the people. INVALID. */
static bool
contacts_add(struct work *work, guint number, GError **error)
{
	g_autofree const char **values = g_new0(const char *, work->plan.properties->len + 1);
	struct row *row = &work->rows[number];
	struct import_contact contact = {.properties = values, .line = number};

	if (!row->fields)
		return base_invalid(error, "the record cannot be read");
	if (!contacts_read_row(work, row, &contact.fields, error))
		return false;
	contact.first_name_given = contact.fields.first_name != NULL;
	contact.last_name_given = contact.fields.last_name != NULL;
	for (guint i = 0; i < work->plan.properties->len; i++) {
		const struct property *property =
		    &g_array_index(work->plan.properties, struct property, i);

		values[i] = contacts_filled(contacts_field_of(work, row, property->column));
	}
	return import_add(work->people, &contact, error);
}

static void
note_skipped(guint64 line, void *context)
{
	contacts_leave_out(context, (guint)line);
}

/* In the transaction that stores the people: notes that, and the counts. */
static bool
note_put(struct db *db, const struct store_contact_tally *batch, void *context, GError **error)
{
	struct work *work = context;
	struct store_contact_import_counts counts = {.created = (gint64)batch->created,
	    .updated = (gint64)batch->updated,
	    .same = (gint64)batch->unchanged,
	    .skipped = (gint64)batch->skipped,
	    .kept = (gint64)batch->left};

	counts.failed =
	    work->count - counts.created - counts.updated - counts.same - counts.skipped;
	return store_contact_import_put(
	    db, work->import, &counts, work->import->left_out, LEASE_MS, error);
}

static bool
note_nothing(struct work *work, GError **error)
{
	const struct store_contact_import_counts counts = {.failed = work->count};

	return store_contact_import_put(
	    work->service->db, work->import, &counts, work->import->left_out, LEASE_MS, error);
}

/* Stores the people of the part. */
static bool
contacts_put_people(struct work *work, GError **error)
{
	const struct import_options options = {
	    .existing = work->plan.skips ? EXISTING_SKIP : EXISTING_UPDATE,
	    .keys = (const char *const *)work->keys->pdata,
	    .types = (const enum store_property_type *)work->types->data,
	    .skipped = note_skipped,
	    .also = note_put,
	    .context = work};
	AUTO(import)
	people = import_new(work->service, &work->import->workspace_id, NULL, &options);
	guint bad = 0;

	work->people = people;
	memset(work->import->left_out, 0, sizeof(work->import->left_out));
	for (guint i = 0; i < work->count; i++) {
		g_autoptr(GError) failure = NULL;

		if (contacts_add(work, i, &failure))
			continue;
		if (!g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID)) {
			g_propagate_error(error, g_steal_pointer(&failure));
			return false;
		}
		contacts_leave_out(work, i);
		bad++;
	}
	work->import->is_put =
	    bad < work->count ? import_flush(people, error) : note_nothing(work, error);
	return work->import->is_put;
}

/* People of the part, from first on. */
struct group {
	struct work *work;
	guint first;
};

/* A choice of the person's own stands, and is no fault. */
static bool
contacts_is_kept(GError *failure, GError **error)
{
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT)) {
		g_error_free(failure);
		return true;
	}
	g_propagate_error(error, failure);
	return false;
}

static bool
contacts_choose(struct db *db, struct work *work, const struct row *row, GError **error)
{
	static const struct store_consent_act act = {
	    .source = CONSENT_BY_IMPORT, .author = CONSENT_OF_OPERATOR};
	const struct base_id *workspace = &work->import->workspace_id;
	GError *failure = NULL;

	if (work->plan.topics->len > 0 &&
	    !consent_topics(db, work->service,
		&(struct consent_subject){workspace, row->address, &act, NULL}, work->topics,
		work->plan.topics->len, &failure) &&
	    !contacts_is_kept(failure, error))
		return false;
	failure = NULL;
	return !row->unsubscribed ||
	       consent_subscribe(db, work->service,
		   &(struct consent_subject){workspace, row->address, &act, NULL}, false,
		   &failure) ||
	       contacts_is_kept(failure, error);
}

static bool
choose_group(struct db *db, void *context, GError **error)
{
	const struct group *group = context;
	struct work *work = group->work;

	for (guint i = group->first; i < MIN(group->first + GROUP, work->count); i++)
		if (!contacts_is_left_out(work, i) && work->rows[i].address &&
		    !contacts_choose(db, work, &work->rows[i], error))
			return false;
	return true;
}

/* Sets topics, and unsubscribes. */
static bool
put_choices(struct work *work, GError **error)
{
	bool any = work->plan.topics->len > 0;

	for (guint i = 0; i < work->count; i++)
		any |= work->rows[i].unsubscribed;
	for (guint i = 0; any && i < work->count; i += GROUP) {
		struct group group = {work, i};

		if (!db_transact(work->service->db, choose_group, &group, error))
			return false;
	}
	return true;
}

/* Lets the people of the part join a segment. */
static bool
contacts_join(struct work *work, const char *segment, GError **error)
{
	const struct import_options options = {.existing = EXISTING_SKIP};
	struct base_id id;

	if (!base_id_parse(segment, &id))
		return base_invalid(error, "%s is not a segment", segment);
	AUTO(import)
	import = import_new(work->service, &work->import->workspace_id, &id, &options);
	for (guint i = 0; i < work->count; i++) {
		const struct row *row = &work->rows[i];
		const struct import_contact contact = {
		    .fields.email = row->fields
					? contacts_field_of(work, row, work->plan.columns[EMAIL])
					: NULL};

		if (!contacts_is_left_out(work, i) && !import_add(import, &contact, error))
			return false;
	}
	return import_flush(import, error);
}

/* Does what each person of the part needs besides its data. After a process was killed, it is done
   again, which changes nothing. */
static bool
finish_people(struct work *work, GError **error)
{
	/* Rows that another process has stored were not read by this one. */
	for (guint i = 0; i < work->count; i++) {
		struct person_contact_fields fields;

		if (!contacts_is_left_out(work, i) && work->rows[i].fields &&
		    !work->rows[i].address)
			contacts_read_row(work, &work->rows[i], &fields, NULL);
	}
	if (!put_choices(work, error))
		return false;
	for (guint i = 0; work->plan.segments[i]; i++)
		if (!contacts_join(work, work->plan.segments[i], error))
			return false;
	return true;
}

/* Does the next part. *done_r: there was none. */
static bool
contacts_do_part(struct work *work, gint64 until, bool *done_r, GError **error)
{
	struct store_contact_import *import = work->import;

	contacts_read_part(work);
	*done_r = work->count == 0;
	if (*done_r)
		return store_contact_import_finish(
		    work->service->db, import, CONTACT_IMPORT_COMPLETED, NULL, error);
	if ((!import->is_put && !contacts_put_people(work, error)) || !finish_people(work, error))
		return false;
	/* At the end of the turn another process may take the import over at once. */
	if (!store_contact_import_advance(work->service->db, import, work->end, 1,
		base_clock_boot() < until ? LEASE_MS : 0, error))
		return false;
	import->place = work->end;
	import->is_put = false;
	return true;
}

static bool
read_plan(struct work *work, const struct json *document, GError **error)
{
	if (!document ||
	    !json_fields_read(document, plan_fields, G_N_ELEMENTS(plan_fields), &work->plan, error))
		return false;
	for (guint i = 0; i < work->plan.properties->len; i++) {
		const struct property *property =
		    &g_array_index(work->plan.properties, struct property, i);
		enum store_property_type type = (enum store_property_type)property->type;

		g_ptr_array_add(work->keys, (gpointer)property->key);
		g_array_append_val(work->types, type);
	}
	g_ptr_array_add(work->keys, NULL);
	work->topics = g_new0(struct consent_topic, work->plan.topics->len + 1);
	for (guint i = 0; i < work->plan.topics->len; i++) {
		const struct topic *topic = &g_array_index(work->plan.topics, struct topic, i);

		base_id_parse(topic->id, &work->topics[i].id);
		work->topics[i].wanted = topic->wanted;
	}
	work->file = store_contact_import_file(work->service->db, work->import, error);
	return work->file != NULL;
}

static bool
contacts_work_on(struct work *work, gint64 until, GError **error)
{
	const char *plan = work->import->plan;
	AUTO(json) document = json_parse(plan, strlen(plan), error);
	bool done = false, well = document && read_plan(work, document, error);

	do
		well = well && contacts_do_part(work, until, &done, error);
	while (well && !done && base_clock_boot() < until);
	contacts_clear_part(work);
	json_fields_free(plan_fields, G_N_ELEMENTS(plan_fields), &work->plan);
	return well;
}

/* Works on a CONTACT_IMPORT_MAPPED. */
static bool
do_wish(struct service *service, struct store_contact_import *import, gint64 until, GError **error)
{
	struct work *work = g_new0(struct work, 1);

	work->service = service;
	work->import = import;
	work->plan.columns[SUBSCRIBED] = NO_COLUMN;
	work->trimmed = g_string_new(NULL);
	work->keys = g_ptr_array_new();
	work->types = g_array_new(FALSE, FALSE, sizeof(enum store_property_type));
	bool done = contacts_work_on(work, until, error);
	g_string_free(work->trimmed, TRUE);
	g_ptr_array_unref(work->keys);
	g_array_unref(work->types);
	g_clear_pointer(&work->file, g_bytes_unref);
	g_free(work->topics);
	g_free(work);
	return done;
}

#define WHY_LENGTH 500 /* of the text that says why an import failed */

/* Ends an import that cannot be done; the claim of another process ends this turn alone. Other
   errors stay. */
static bool
contacts_give_up(struct service *service, const struct store_contact_import *import,
    GError *failure, GError **error)
{
	bool impossible = g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID) ||
			  g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND);

	if (!impossible && !g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT)) {
		g_propagate_error(error, failure);
		return false;
	}
	g_autofree char *why = g_utf8_substring(
	    failure->message, 0, MIN(g_utf8_strlen(failure->message, -1), WHY_LENGTH));
	g_error_free(failure);
	return !impossible ||
	       store_contact_import_finish(service->db, import, CONTACT_IMPORT_FAILED, why, error);
}

bool
import_contacts_work(struct service *service, gint64 until, bool *worked_r, GError **error)
{
	AUTO(store_contact_import) import = NULL;
	GError *failure = NULL;

	*worked_r = false;
	if (!store_contact_import_claim(service->db, LEASE_MS, &import, error))
		return false;
	if (!import)
		return true;
	*worked_r = true;
	bool done = import->front == CONTACT_IMPORT_MAIN
			? import_request_work(service, import, LEASE_MS, until, &failure)
			: do_wish(service, import, until, &failure);
	return done || contacts_give_up(service, import, failure, error);
}
