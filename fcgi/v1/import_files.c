/* SPDX-License-Identifier: MIT */
/* Imports of files (/v1/imports): takes a file for the spool, and shows what became of it. */
#include "fcgi/v1/handlers.h"

#include <string.h>

#include "api/fields.h"
#include "base/error.h"
#include "base/limits/import.h"
#include "base/limits/list.h"
#include "base/limits/unit.h"
#include "base/secret.h"
#include "fcgi/api/context.h"
#include "fcgi/http/multipart.h"
#include "import/request.h"
#include "import/view.h"
#include "json/fields.h"
#include "json/strict.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/person/audience.h"
#include "store/person/import.h"
#include "text/csv.h"

#define WAIT_S 60 /* until a client that has too many imports asks again */

struct input {
	const char *audience_id, *encoding, *separator, *duplicates;
	const struct json *columns, *override;
	bool unsubscribed, lenient, start_workflows, dry_run;
};

static const struct json_field fields[] = {FIELDS_IMPORT_OPTIONS(struct input)};
static const struct json_table options_table = JSON_TABLE(fields);

static void
import_files_write_begin(struct json_writer *writer, const struct import_request_begin *begin)
{
	json_writer_raw(writer, "header", begin->header, strlen(begin->header));
	json_writer_raw(writer, "sample", begin->sample, strlen(begin->sample));
}

/* Refuses a trial whose columns are not understood, and shows the begin of the file, by which the
   reader can say them. */
static void
import_files_reply_unplanned(
    struct fcgi_call *call, const char *message, const struct import_request_begin *begin)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "message", message);
	import_files_write_begin(writer, begin);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 400, writer);
}

/* The answer to an import that was asked for shows the begin of the file, too. */
static void
reply_asked(struct fcgi_call *call, const struct store_contact_import *import,
    const struct import_request_begin *begin)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_view_write_members(writer, &import_view, import, NULL);
	import_files_write_begin(writer, begin);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
}

static bool
import_files_find_audience(
    const struct fcgi_call *call, const char *text, struct base_id *id_r, GError **error)
{
	g_autoptr(GError) failure = NULL;
	AUTO(store_audience)
	audience = base_id_parse(text, id_r) ? store_audience_get(call->service->db,
						   &call->key.workspace_id, id_r, &failure)
					     : NULL;

	if (audience)
		return true;
	if (!failure || g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
		return base_invalid(error, "Audience not found");
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

/* The end of a path, without control characters. The caller owns it. */
static char *
import_files_name_of(const char *filename)
{
	const char *end = filename + strlen(filename);

	while (end > filename && end[-1] != '/' && end[-1] != '\\')
		end--;
	char *name =
	    g_utf8_substring(end, 0, MIN(g_utf8_strlen(end, -1), LIMIT_IMPORT_FILENAME_LENGTH));
	for (char *p = name; *p; p++)
		if (g_ascii_iscntrl(*p))
			*p = ' ';
	return name;
}

static bool
import_files_ask(struct fcgi_call *call, const struct fcgi_multipart_form *form,
    const struct input *input, GError **error)
{
	g_autoptr(GBytes) file = g_bytes_new_static(form->file, form->size);
	g_autofree char *filename = form->filename ? import_files_name_of(form->filename) : NULL;
	struct import_request_options options = {.columns = input->columns,
	    .encoding = input->encoding,
	    .separator = input->separator,
	    .unsubscribed = input->unsubscribed,
	    .lenient = input->lenient,
	    .start_workflows = input->start_workflows,
	    .is_dry = input->dry_run,
	    .filename = filename};
	struct store_consent_override override;
	struct import_request_begin begin;
	struct base_id audience;
	int existing = EXISTING_UPDATE;
	g_autoptr(GError) failure = NULL;

	if ((input->duplicates && !fcgi_imports_duplicates(input->duplicates, &existing, error)) ||
	    !fcgi_call_override(call, input->override, &override, &options.override, error) ||
	    (input->audience_id &&
		!import_files_find_audience(call, input->audience_id, &audience, error)))
		return false;
	options.existing = (enum store_contact_existing)existing;
	options.audience = input->audience_id ? &audience : NULL;
	AUTO(store_contact_import)
	import = import_request_ask(
	    call->service, &call->key.workspace_id, &options, file, &begin, &failure);
	bool is_answered = import || (input->dry_run && begin.header &&
					 g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID));
	if (import)
		reply_asked(call, import, &begin);
	else if (is_answered)
		import_files_reply_unplanned(call, failure->message, &begin);
	else if (g_error_matches(failure, PH_ERROR, PH_ERROR_LIMITED))
		call->reply->wait_s = WAIT_S;
	import_request_begin_clear(&begin);
	if (!is_answered)
		g_propagate_error(error, g_steal_pointer(&failure));
	return is_answered;
}

/* Checks the names of the form's parts. */
static bool
check_parts(struct fcgi_call *call, const struct fcgi_multipart_form *form, GError **error)
{
	static const char *const known[] = {"file", "options", NULL};
	g_autofree gpointer *names = g_hash_table_get_keys_as_array(form->texts, NULL);

	for (guint i = 0; names[i]; i++)
		if (!json_unknown_check_name(names[i], known, &call->unknown, error))
			return false;
	if (!form->file)
		return base_invalid(error, "file is required");
	return form->size <= LIMIT_IMPORT_BYTES ||
	       base_fail(error, PH_ERROR_TOO_LARGE, "file must be at most %dMB",
		   LIMIT_IMPORT_BYTES / LIMIT_MIB);
}

static bool
import_files_take(struct fcgi_call *call, const struct fcgi_multipart_form *form, GError **error)
{
	struct input input = {0};

	call->unknown.noun = "a field of this request";
	if (!check_parts(call, form, error))
		return false;
	const char *text = g_hash_table_lookup(form->texts, "options");
	AUTO(json)
	options = text && *text ? json_parse_as("options", text, strlen(text), error)
				: json_parse("{}", 2, NULL);
	return options &&
	       json_unknown_check(options, &options_table, NULL, &call->unknown, error) &&
	       json_fields_read(options, fields, G_N_ELEMENTS(fields), &input, error) &&
	       import_files_ask(call, form, &input, error);
}

bool
fcgi_import_files_post(struct fcgi_call *call, GError **error)
{
	const char *type = fcgi_request_header(call->request, "CONTENT_TYPE");
	struct fcgi_multipart_form form;
	g_autofree char *body = NULL;

	if (!fcgi_call_body(call, LIMIT_IMPORT_BYTES + LIMIT_IMPORT_OPTIONS_BYTES, &body, error))
		return false;
	bool done = fcgi_multipart_form_read(type, body, call->body_size, &form)
			? import_files_take(call, &form, error)
			: base_invalid(error, "The body must be multipart/form-data");
	fcgi_multipart_form_clear(&form);
	return done;
}

bool
fcgi_import_files_list(struct fcgi_call *call, GError **error)
{
	struct base_id before;
	bool given;

	if (!fcgi_page_cursor(call, true, &before, &given, error))
		return false;
	g_autoptr(GPtrArray) imports = store_contact_import_list(call->service->db,
	    &call->key.workspace_id, given ? &before : NULL, LIMIT_PAGE + 1, error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"imports", imports, LIMIT_PAGE, true,
		offsetof(struct store_contact_import, id), .view = &import_view},
	    error);
}

/* The import of the path. The caller frees it. */
static struct store_contact_import *
import_files_find(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (base_id_parse(call->arguments[0], &id))
		return store_contact_import_get(
		    call->service->db, &call->key.workspace_id, CONTACT_IMPORT_MAIN, &id, error);
	store_contact_import_missing(error);
	return NULL;
}

bool
fcgi_import_files_get(struct fcgi_call *call, GError **error)
{
	AUTO(store_contact_import) import = import_files_find(call, error);

	return fcgi_page_reply_view(call, &import_view, import);
}

static void
write_fault(struct json_writer *writer, const struct service *service, const void *row)
{
	const struct store_contact_import_fault *fault = row;

	json_writer_begin_object(writer, NULL);
	json_writer_integer(writer, "line", fault->line);
	json_writer_string(writer, "message", fault->message);
	json_writer_boolean(writer, "refused", fault->is_refused);
	json_writer_end_object(writer);
}

/* Reads the cursor of faults, a line. */
static bool
read_line_cursor(struct fcgi_call *call, gint64 *line_r, GError **error)
{
	const char *text;

	*line_r = 0;
	if (!fcgi_page_text(call, "cursor", &text, error))
		return false;
	if (!text)
		return true;
	g_autoptr(GBytes) bytes = base_secret_base64url_decode(text);
	gsize size = 0;
	const char *data = bytes ? g_bytes_get_data(bytes, &size) : NULL;
	g_autofree char *number = data ? g_strndup(data, size) : NULL;
	return (number && g_ascii_string_to_signed(number, 10, 1, G_MAXINT64, line_r, NULL)) ||
	       fcgi_page_malformed(error);
}

static bool
reply_faults(struct fcgi_call *call, const GPtrArray *faults)
{
	AUTO(json_writer) writer = json_writer_new();
	guint count = MIN(faults->len, LIMIT_PAGE);
	g_autofree char *cursor = NULL;

	fcgi_page_begin(writer, "faults");
	for (guint i = 0; i < count; i++)
		write_fault(writer, call->service, faults->pdata[i]);
	if (faults->len > count) {
		const struct store_contact_import_fault *last = faults->pdata[count - 1];
		g_autofree char *number = g_strdup_printf("%" G_GINT64_FORMAT, last->line);

		cursor = base_secret_base64url(number, strlen(number));
	}
	fcgi_page_end_text(call, writer, count, cursor);
	return true;
}

/* Writes a line as it was, with as many fields as the header, and a field more. */
static void
import_files_write_line(FILE *file, const char *record, guint width, const char *more)
{
	AUTO(json) fields_read = record ? json_parse_any(record, strlen(record), NULL) : NULL;
	gsize count = fields_read ? json_array_length(fields_read) : 0;
	g_autoptr(GPtrArray) line = g_ptr_array_new_with_free_func(g_free);

	for (gsize i = 0; i < MAX(count, width); i++) {
		const char *text =
		    i < count ? json_string(json_array_at(fields_read, i), NULL) : "";
		g_autofree char *buffer = NULL;

		g_ptr_array_add(line, g_strdup(text_csv_guard(text_csv_unguard(text), &buffer)));
	}
	g_ptr_array_add(line, g_strdup(more));
	text_csv_write(file, (const char *const *)line->pdata, line->len);
}

/* Writes the lines that were refused. */
static bool
write_refused(
    struct fcgi_call *call, const struct store_contact_import *import, FILE *file, GError **error)
{
	g_auto(GStrv) header = import_request_header(import->plan);
	guint width = g_strv_length(header);
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	gint64 after = 0;

	for (guint i = 0; i < width; i++)
		g_ptr_array_add(names, header[i]);
	g_ptr_array_add(names, (gpointer) "error");
	text_csv_write(file, (const char *const *)names->pdata, names->len);
	while (after >= 0) {
		g_autoptr(GPtrArray) faults = store_contact_import_faults(
		    call->service->db, import, after, true, LIMIT_PAGE, error);

		if (!faults)
			return false;
		for (guint i = 0; i < faults->len; i++) {
			const struct store_contact_import_fault *fault = faults->pdata[i];

			import_files_write_line(file, fault->record, width, fault->message);
			after = fault->line;
		}
		if (faults->len < LIMIT_PAGE)
			after = -1;
	}
	return true;
}

static bool
import_files_reply_refused(
    struct fcgi_call *call, const struct store_contact_import *import, GError **error)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return base_fail(error, PH_ERROR_FAILED, "The answer cannot be written");
	bool done = write_refused(call, import, file, error);
	fclose(file);
	g_autoptr(GBytes) bytes = g_bytes_new_with_free_func(text, size, free, text);
	if (!done)
		return false;
	fcgi_reply_header(
	    call->reply, "Content-Disposition", "attachment; filename=\"refused.csv\"");
	fcgi_reply_document(
	    call->reply, "text/csv; charset=utf-8", g_steal_pointer(&bytes), "private, no-store");
	return true;
}

static bool
wants_csv(const struct fcgi_call *call)
{
	const char *accepted = fcgi_request_header(call->request, "HTTP_ACCEPT");

	return accepted && strstr(accepted, "text/csv");
}

bool
fcgi_import_files_faults(struct fcgi_call *call, GError **error)
{
	gint64 after;

	if (!read_line_cursor(call, &after, error))
		return false;
	AUTO(store_contact_import) import = import_files_find(call, error);
	if (!import || wants_csv(call))
		return import && import_files_reply_refused(call, import, error);
	g_autoptr(GPtrArray) faults = store_contact_import_faults(
	    call->service->db, import, after, false, LIMIT_PAGE + 1, error);
	return faults && reply_faults(call, faults);
}
