/* SPDX-License-Identifier: MIT */
/* Plans imports of files, and does them part by part.

   A file may have a million lines, and a request must not wait for them. So POST /v1/imports only
   stores the file with a plan (import_request_ask), and the spool does the work.
   1. The plan has all that the request said: the use of each column, the separator, the treatment
      of people who exist. The request checks it against the header, so that a wrong file is
      refused at once.
   2. A process of the spool claims the import for a lease (store/person/import.h), and opens the
      file at the place that the import has reached.
   3. request_do_part reads the next STORE_CONTACT_BATCH lines. One transaction stores their people,
      the counts, the faults of lines, and the place behind the part. It names the token of the
      claim, and moves the end of the lease.
   4. After the last part the import is finished. A process that has to stop before gives the claim
      up, so that the next one need not wait for the lease to end.

   A process that dies loses the part in hand alone, since place and people are committed together:
   no line is stored twice or left out. Another process claims the import when the lease has ended.
   If the first one was only slow, its next part finds another token and fails with CONFLICT. */
#include "import/request.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/import.h"
#include "db/transaction.h"
#include "import/file.h"
#include "json/fields.h"
#include "json/strict.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/consent/choice.h"
#include "store/person/import.h"

#define IGNORED "ignore"

void
import_request_begin_clear(struct import_request_begin *begin)
{
	g_clear_pointer(&begin->header, g_free);
	g_clear_pointer(&begin->sample, g_free);
}

/* Reads {NAME: USE}. columns: of struct import_column. */
static bool
request_read_columns(const struct json *said, GArray *columns, GError **error)
{
	for (gsize i = 0; said && i < json_member_count(said); i++) {
		const char *name;
		const struct json *use = json_member_at(said, i, &name);

		if (json_kind(use) != JSON_STRING)
			return base_invalid(error, "columns.%s must be a string", name);
		if (!import_columns_add(columns, "columns", name, json_string(use, NULL), error))
			return false;
	}
	return true;
}

static void
request_write_names(struct json_writer *writer, const char *key, const GArray *columns)
{
	json_writer_begin_array(writer, key);
	for (guint i = 0; i < columns->len; i++)
		json_writer_string(
		    writer, NULL, g_array_index(columns, struct import_column, i).name);
	json_writer_end_array(writer);
}

static void
write_uses(struct json_writer *writer, const GArray *columns)
{
	json_writer_begin_array(writer, "uses");
	for (guint i = 0; i < columns->len; i++) {
		const struct import_column *column =
		    &g_array_index(columns, struct import_column, i);
		g_autofree char *word = import_column_word(column);

		json_writer_string(writer, NULL, column->use == IMPORT_UNUSED ? IGNORED : word);
	}
	json_writer_end_array(writer);
}

static void
write_override(struct json_writer *writer, const struct store_consent_override *override)
{
	char text[ID_TEXT_SIZE];

	if (!override)
		return;
	json_writer_begin_object(writer, "override");
	json_writer_string(writer, "reason", override->reason);
	json_writer_string(
	    writer, "user", override->user ? base_id_format(override->user, text) : NULL);
	json_writer_string(
	    writer, "key", override->key ? base_id_format(override->key, text) : NULL);
	json_writer_end_object(writer);
}

/* Makes the plan. The caller owns it. */
static char *
request_make_plan(
    const struct import_request_options *options, char separator, const GArray *columns)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	if (options->columns)
		json_writer_value(writer, "columns", options->columns);
	json_writer_integer(writer, "separator", separator);
	json_writer_integer(writer, "existing", options->existing);
	json_writer_boolean(writer, "unsubscribed", options->unsubscribed);
	json_writer_boolean(writer, "lenient", options->lenient);
	json_writer_boolean(writer, "start_workflows", options->start_workflows);
	write_override(writer, options->override);
	request_write_names(writer, "header", columns);
	write_uses(writer, columns);
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

/* Writes fields, each at most so many characters (0: any). */
static void
request_write_fields(struct json_writer *writer, const char *const *fields, guint count, glong most)
{
	json_writer_begin_array(writer, NULL);
	for (guint i = 0; i < count; i++) {
		g_autofree char *cut = most > 0 && g_utf8_strlen(fields[i], -1) > most
					   ? g_utf8_substring(fields[i], 0, most)
					   : NULL;

		json_writer_string(writer, NULL, cut ? cut : fields[i]);
	}
	json_writer_end_array(writer);
}

/* Reads the first lines. The caller owns the JSON. */
static char *
request_read_sample(struct text_csv *csv)
{
	AUTO(json_writer) writer = json_writer_new();
	struct text_csv_record record;
	guint count = 0;

	json_writer_begin_array(writer, NULL);
	while (count < LIMIT_IMPORT_SAMPLE && text_csv_next(csv, &record, NULL)) {
		if (record.fault || record.count > LIMIT_IMPORT_COLUMNS)
			continue;
		request_write_fields(
		    writer, record.fields, record.count, LIMIT_IMPORT_SAMPLE_LENGTH);
		count++;
	}
	json_writer_end_array(writer);
	return json_writer_take(writer, NULL);
}

/* Checks the size of the header, which is kept with the import. */
static bool
request_check_header(const char *const *names, guint count, GError **error)
{
	gsize size = 0;

	for (guint i = 0; i < count; i++)
		size += strlen(names[i]) + 1;
	if (count > LIMIT_IMPORT_COLUMNS)
		return base_invalid(
		    error, "file must have at most %d columns", LIMIT_IMPORT_COLUMNS);
	return size <= LIMIT_IMPORT_HEADER_BYTES ||
	       base_invalid(error, "file must have a first line of at most %d bytes",
		   LIMIT_IMPORT_HEADER_BYTES);
}

/* Reads the begin of a file, whatever its columns mean. False when the header is too large; none
   is read when it has a fault, which import_file_open_bytes names. */
static bool
request_read_begin(GBytes *text, const struct text_csv_form *form,
    struct import_request_begin *begin_r, GError **error)
{
	AUTO(text_csv) csv = text_csv_open_bytes(text, form);
	AUTO(json_writer) writer = json_writer_new();
	struct text_csv_record header;

	if (!text_csv_next(csv, &header, NULL) || header.fault)
		return true;
	if (!request_check_header(header.fields, header.count, error))
		return false;
	request_write_fields(writer, header.fields, header.count, 0);
	begin_r->header = json_writer_take(writer, NULL);
	begin_r->sample = request_read_sample(csv);
	return true;
}

/* The import as it is asked for, but for its plan. */
static struct store_contact_import *
new_import(const struct base_id *workspace, const struct import_request_options *options,
    const struct import_file *file)
{
	struct store_contact_import *import = g_new0(struct store_contact_import, 1);
	struct text_csv_place place = import_file_place(file);

	import->workspace_id = *workspace;
	import->status = CONTACT_IMPORT_QUEUED;
	import->front = CONTACT_IMPORT_MAIN;
	import->has_audience = options->audience != NULL;
	if (options->audience)
		import->audience_id = *options->audience;
	import->is_dry = options->is_dry;
	import->filename = g_strdup(options->filename);
	import->place = (gint64)place.position;
	import->line = (gint64)place.line;
	return import;
}

struct store_contact_import *
import_request_ask(struct service *service, const struct base_id *workspace,
    const struct import_request_options *options, GBytes *bytes,
    struct import_request_begin *begin_r, GError **error)
{
	g_autoptr(GArray) said = import_columns_new();
	struct import_file_options form = {
	    .columns = said, .dashes = "", .is_of_people = !options->audience};

	*begin_r = (struct import_request_begin){0};
	if ((options->encoding &&
		!base_charset_read("encoding", options->encoding, &form.form.charset, error)) ||
	    (options->separator && !text_csv_read_separator("separator", options->separator,
				       &form.form.separator, error)) ||
	    !request_read_columns(options->columns, said, error))
		return NULL;
	/* The places count bytes of the text in UTF-8, which is stored. */
	g_autoptr(GBytes) text = base_charset_text(bytes, form.form.charset);
	form.form.charset = CHARSET_UTF_8;
	if (!request_read_begin(text, &form.form, begin_r, error))
		return NULL;
	AUTO(import_file)
	file = import_file_open_bytes(text, "file", &form, error);
	if (!file)
		return NULL;
	const GArray *columns = import_file_columns(file);
	AUTO(store_contact_import) import = new_import(workspace, options, file);
	import->plan = request_make_plan(options, import_file_separator(file), columns);
	return store_contact_import_create(service->db, import, text, error)
		   ? g_steal_pointer(&import)
		   : NULL;
}

/* A plan, as it was written. */
struct override {
	const char *reason, *user, *key;
};

struct plan {
	const struct json *columns, *override;
	gint64 separator, existing;
	bool unsubscribed, lenient, start_workflows;
	const char **header, **uses;
};

/* clang-format off */
static const struct json_field override_fields[] = {
	JSON_FIELD("reason", FIELD_STRING, struct override, reason),
	JSON_FIELD("user", FIELD_STRING, struct override, user),
	JSON_FIELD("key", FIELD_STRING, struct override, key),
};
static const struct json_field plan_fields[] = {
	JSON_FIELD("columns", FIELD_OBJECT, struct plan, columns),
	JSON_FIELD("separator", FIELD_INTEGER, struct plan, separator, .required = true, .max = G_MAXINT8),
	JSON_FIELD("existing", FIELD_INTEGER, struct plan, existing, .required = true, .max = EXISTING_REFUSE),
	JSON_FIELD("unsubscribed", FIELD_BOOLEAN, struct plan, unsubscribed),
	JSON_FIELD("lenient", FIELD_BOOLEAN, struct plan, lenient),
	JSON_FIELD("start_workflows", FIELD_BOOLEAN, struct plan, start_workflows),
	JSON_FIELD("override", FIELD_OBJECT, struct plan, override),
	JSON_FIELD("header", FIELD_STRINGS, struct plan, header, .required = true),
	JSON_FIELD("uses", FIELD_STRINGS, struct plan, uses, .required = true),
};
/* clang-format on */

void
import_request_write_columns(struct json_writer *writer, const char *key, const char *text)
{
	AUTO(json) document = json_parse(text, strlen(text), NULL);
	g_autoptr(GHashTable) uses = g_hash_table_new(g_str_hash, g_str_equal);
	struct plan plan = {0};

	if (document)
		json_fields_read(document, plan_fields, G_N_ELEMENTS(plan_fields), &plan, NULL);
	/* Several columns may have one name: a used one is shown. */
	for (guint i = 0; plan.header && plan.header[i]; i++) {
		const char *other = g_hash_table_lookup(uses, plan.header[i]);

		if (!other || strcmp(other, IGNORED) == 0)
			g_hash_table_insert(uses, (gpointer)plan.header[i], (gpointer)plan.uses[i]);
	}
	json_writer_begin_object(writer, key);
	for (guint i = 0; plan.header && plan.header[i]; i++) {
		const char *use = g_hash_table_lookup(uses, plan.header[i]);

		if (use)
			json_writer_string(writer, plan.header[i], use);
		g_hash_table_remove(uses, plan.header[i]);
	}
	json_writer_end_object(writer);
	json_fields_free(plan_fields, G_N_ELEMENTS(plan_fields), &plan);
}

char **
import_request_header(const char *text)
{
	AUTO(json) document = json_parse(text, strlen(text), NULL);
	struct plan plan = {0};

	if (document)
		json_fields_read(document, plan_fields, G_N_ELEMENTS(plan_fields), &plan, NULL);
	char **header = plan.header ? g_strdupv((char **)plan.header) : g_new0(char *, 1);
	json_fields_free(plan_fields, G_N_ELEMENTS(plan_fields), &plan);
	return header;
}

/* A line of the part. */
struct row {
	gint64 line;
	char *record;	      /* JSON, its fields as they are; NULL: not needed, or too large */
	const char *existing; /* why it is refused, as its person exists; NULL: it is not */
};

/* An import that this process works on. */
struct work {
	struct service *service;
	struct store_contact_import *import;
	gint64 lease;
	struct plan plan;
	struct store_consent_override override; /* if the plan has one */
	struct base_id user, key;
	GBytes *text;
	struct import_file *file;

	/* The part. */
	struct row rows[STORE_CONTACT_BATCH];
	guint count;
	GPtrArray *faults; /* of struct store_contact_import_fault */
	guint own;	   /* of them: behind these are those of lines whose people exist */
	bool is_stepped;   /* the transaction that stores it has begun to end */
};

static void
request_clear_part(struct work *work)
{
	for (guint i = 0; i < work->count; i++)
		g_free(work->rows[i].record);
	work->count = work->own = 0;
	work->is_stepped = false;
	g_ptr_array_set_size(work->faults, 0);
}

/* Prints the fields of a line, or its bytes as one field where it cannot be read. The caller owns
   it; NULL: it is too large. */
static char *
print_record(const struct work *work, const struct import_line *line, guint64 from)
{
	AUTO(json_writer) writer = json_writer_new();
	guint64 size = import_file_place(work->file).position - from;
	const char *bytes = g_bytes_get_data(work->text, NULL);
	g_autofree char *raw = NULL;
	bool is_read = line->fields && line->count > 0;

	if (size > LIMIT_IMPORT_FAULT_BYTES)
		return NULL;
	if (!is_read)
		raw = g_strchomp(g_utf8_make_valid(bytes + from, (gssize)size));
	request_write_fields(writer, is_read ? line->fields : (const char *const *)&raw,
	    is_read ? line->count : 1, 0);
	return json_writer_take(writer, NULL);
}

static void
note_fault(struct work *work, const struct row *row, bool refused, const char *message)
{
	struct store_contact_import_fault *fault = g_new0(struct store_contact_import_fault, 1);

	fault->line = row->line;
	fault->is_refused = refused;
	fault->message = g_strdup(message);
	fault->record = g_strdup(row->record);
	g_ptr_array_add(work->faults, fault);
}

/* Notes a fault that does not depend on the people who exist. A line has one: a refusal takes the
   place of what was left out before, and of several that were left out each is reported. */
static void
note_own(struct work *work, const struct row *row, bool refused, const char *message)
{
	struct store_contact_import_fault *last =
	    work->faults->len > 0 ? work->faults->pdata[work->faults->len - 1] : NULL;

	if (!last || last->line != row->line) {
		note_fault(work, row, refused, message);
		work->own++;
		return;
	}
	g_autofree char *before = last->message;
	last->message = refused ? g_strdup(message) : g_strconcat(before, "; ", message, NULL);
	last->is_refused = refused;
}

static void
request_warn(guint64 number, const char *fault, void *context)
{
	struct work *work = context;

	note_own(work, &work->rows[number], false, fault);
}

static void
note_existing(guint64 number, const char *fault, void *context)
{
	((struct work *)context)->rows[number].existing = fault;
}

/* In the transaction: as the store says later, but of a transaction that is run again the faults
   are to be there before its end. */
static void
note_met(guint64 number, void *context)
{
	const struct work *work = context;

	if (work->plan.existing == EXISTING_REFUSE)
		note_existing(number,
		    work->import->has_audience ? "Contact already exists" : "Person already exists",
		    context);
}

/* Adds the faults of lines whose people exist; anew, since the transaction may run again. */
static void
add_existing(struct work *work)
{
	g_ptr_array_set_size(work->faults, (gint)work->own);
	for (guint i = 0; i < work->count; i++)
		if (work->rows[i].existing)
			note_fault(work, &work->rows[i], true, work->rows[i].existing);
}

static bool
request_step(struct db *db, const struct store_contact_tally *tally, void *context, GError **error)
{
	struct work *work = context;
	struct text_csv_place place = import_file_place(work->file);
	struct store_contact_import_part part = {
	    .counts = {.created = (gint64)tally->created,
		.updated = (gint64)tally->updated,
		.same = (gint64)tally->unchanged,
		.skipped = (gint64)tally->skipped,
		.kept = (gint64)tally->left},
	    .faults = work->faults,
	    .place = (gint64)place.position,
	    .line = (gint64)place.line,
	};
	struct store_contact_import_counts *counts = &part.counts;

	counts->failed =
	    work->count - counts->created - counts->updated - counts->same - counts->skipped;
	add_existing(work);
	work->is_stepped = true;
	return store_contact_import_step(db, work->import, &part, work->lease, error);
}

/* A part of which nothing is stored but counts and faults. */
struct alone {
	struct work *work;
	const struct store_contact_tally *tally;
};

static bool
request_step_alone(struct db *db, void *context, GError **error)
{
	const struct alone *alone = context;

	return request_step(db, alone->tally, alone->work, error);
}

/* Takes a line; one with a fault is noted. */
static bool
request_take(struct work *work, struct import *people, struct import_line *line, guint64 from,
    GError **error)
{
	struct row *row = &work->rows[work->count];
	g_autoptr(GError) failure = NULL;

	*row = (struct row){.line = (gint64)line->line};
	if (line->fault || work->plan.lenient || work->plan.existing == EXISTING_REFUSE)
		row->record = print_record(work, line, from);
	line->contact.line = work->count++;
	if (!line->fault && import_add(people, &line->contact, &failure))
		return true;
	if (failure && !g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID)) {
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	if (!row->record)
		row->record = print_record(work, line, from);
	note_own(work, row, true, failure ? failure->message : line->fault);
	return true;
}

/* Reads and stores the next part; a part has at least one line. */
static bool
do_lines(struct work *work, struct import *people, GError **error)
{
	guint64 from = import_file_place(work->file).position;
	struct import_line line;

	while (work->count < STORE_CONTACT_BATCH && import_file_next(work->file, &line, NULL)) {
		if (!request_take(work, people, &line, from, error))
			return false;
		from = import_file_place(work->file).position;
	}
	struct alone alone = {work, import_tally(people)};
	return work->count == 0 ||
	       (import_flush(people, error) &&
		   (work->is_stepped ||
		       db_transact(work->service->db, request_step_alone, &alone, error)));
}

/* Does the next part. *done_r: there was none. */
static bool
request_do_part(struct work *work, bool *done_r, GError **error)
{
	struct store_contact_import *import = work->import;
	const struct import_options options = {
	    .existing = (enum store_contact_existing)work->plan.existing,
	    .override = work->plan.override ? &work->override : NULL,
	    .lenient = work->plan.lenient,
	    .start_workflows = work->plan.start_workflows,
	    .dashes = "",
	    .dry_run = import->is_dry,
	    .refuse = note_existing,
	    .warn = request_warn,
	    .skipped = note_met,
	    .also = request_step,
	    .context = work};
	AUTO(import)
	people = import_new(work->service, &import->workspace_id,
	    import->has_audience ? &import->audience_id : NULL, &options);

	request_clear_part(work);
	import_file_set_keys(work->file, people);
	if (!do_lines(work, people, error))
		return false;
	import->faults += store_contact_import_room(import, work->faults);
	*done_r = work->count == 0;
	return !*done_r || store_contact_import_finish(
			       work->service->db, import, CONTACT_IMPORT_COMPLETED, NULL, error);
}

static bool
read_override(struct work *work, GError **error)
{
	struct override override = {0};

	if (!work->plan.override)
		return true;
	if (!json_fields_read(work->plan.override, override_fields, G_N_ELEMENTS(override_fields),
		&override, error))
		return false;
	work->override.reason = override.reason;
	if (override.user && base_id_parse(override.user, &work->user))
		work->override.user = &work->user;
	if (override.key && base_id_parse(override.key, &work->key))
		work->override.key = &work->key;
	return true;
}

/* Opens the file at the place of the import. */
static bool
request_open_file(struct work *work, GArray *columns, GError **error)
{
	const struct store_contact_import *import = work->import;
	const struct text_csv_place place = {(guint64)import->place, (guint64)import->line};
	const struct import_file_options options = {.form.separator = (char)work->plan.separator,
	    .columns = columns,
	    .dashes = "",
	    .is_of_people = !import->has_audience,
	    .unsubscribed = work->plan.unsubscribed};

	work->text = store_contact_import_file(work->service->db, import, error);
	if (!work->text || !request_read_columns(work->plan.columns, columns, error))
		return false;
	work->file = import_file_open_bytes(work->text, "file", &options, error);
	if (work->file)
		import_file_seek(work->file, &place);
	return work->file != NULL;
}

static bool
request_work_on(struct work *work, gint64 until, GError **error)
{
	g_autoptr(GArray) columns = import_columns_new();
	bool done = false,
	     well = read_override(work, error) && request_open_file(work, columns, error);

	while (well && !done) {
		well = request_do_part(work, &done, error);
		if (base_clock_boot() >= until)
			break;
	}
	request_clear_part(work);
	if (!well || done)
		return well;
	/* Another process may take it over at once. */
	struct text_csv_place place = import_file_place(work->file);
	return store_contact_import_advance(
	    work->service->db, work->import, (gint64)place.position, (gint64)place.line, 0, error);
}

bool
import_request_work(struct service *service, struct store_contact_import *import, gint64 lease,
    gint64 until, GError **error)
{
	AUTO(json) document = json_parse(import->plan, strlen(import->plan), error);
	struct work *work = g_new0(struct work, 1);

	work->service = service;
	work->import = import;
	work->lease = lease;
	work->faults = g_ptr_array_new_with_free_func(store_contact_import_fault_destroy);
	bool done = document &&
		    json_fields_read(
			document, plan_fields, G_N_ELEMENTS(plan_fields), &work->plan, error) &&
		    request_work_on(work, until, error);
	g_clear_pointer(&work->file, import_file_free);
	g_clear_pointer(&work->text, g_bytes_unref);
	g_ptr_array_unref(work->faults);
	json_fields_free(plan_fields, G_N_ELEMENTS(plan_fields), &work->plan);
	g_free(work);
	return done;
}
