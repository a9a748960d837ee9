/* SPDX-License-Identifier: MIT */
/* Parts of operations that several resources under /resend share. */
#include "fcgi/resend/handlers.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/id.h"
#include "base/limits/list.h"
#include "base/secret.h"
#include "fcgi/api/context.h"
#include "fcgi/http/request.h"
#include "fcgi/resend/error.h"
#include "fcgi/resend/front.h"
#include "fcgi/resend/limits.h"
#include "json/fields.h"
#include "json/lenient.h"
#include "json/view.h"
#include "json/writer.h"
#include "service/once.h"

/* The first of the methods that call the operation. */
static char *
parts_method_of(const struct fcgi_call *call)
{
	const char *methods = ((const struct fcgi_resend_route *)call->route)->methods;

	return g_strndup(methods, strcspn(methods, ","));
}

bool
fcgi_resend_never(struct fcgi_call *call, GError **error)
{
	g_autofree char *method = parts_method_of(call);

	return fcgi_resend_fail(
	    error, RESEND_NOT_IMPLEMENTED, "%s is not implemented by this service.", method);
}

/* Turns the sentence of json_fields_read, which begins with the path of the field. */
static bool
fail_field(const char *sentence, GError **error)
{
	g_autofree char *path = g_strndup(sentence, strcspn(sentence, " "));
	g_autofree char *field = g_strndup(path, strcspn(path, ".["));

	if (strcmp(sentence + strlen(path), " is required") == 0)
		return fcgi_resend_fail(error, RESEND_MISSING_FIELD, "Missing `%s` field.", path);
	return fcgi_resend_fail(error, RESEND_INVALID, "Invalid `%s` field. %s.", field, sentence);
}

bool
fcgi_resend_read(
    const struct json *object, const struct json_table *table, void *out, GError **error)
{
	GError *local = NULL;

	json_lenient_settle(object, table);
	return json_fields_read(object, table->fields, table->count, out, &local) ||
	       fcgi_resend_invalid(local, error);
}

bool
fcgi_resend_query(
    const struct fcgi_call *call, const char *name, const char **text_r, GError **error)
{
	if (!fcgi_request_query(call->request, name, text_r, error))
		return false;
	if (*text_r && !**text_r)
		*text_r = NULL;
	return true;
}

bool
fcgi_resend_invalid(GError *local, GError **error)
{
	if (!g_error_matches(local, PH_ERROR, PH_ERROR_INVALID)) {
		g_propagate_error(error, local);
		return false;
	}
	fail_field(local->message, error);
	g_error_free(local);
	return false;
}

bool
fcgi_resend_id(const struct fcgi_call *call, guint argument, struct base_id *id_r, GError **error)
{
	return base_id_parse(call->arguments[argument], id_r) ||
	       fcgi_resend_fail(error, RESEND_INVALID_PARAMETER, "The `id` must be a valid UUID.");
}

bool
fcgi_resend_idempotency(struct fcgi_call *call, struct service_idempotency *key_r,
    char *(*write)(const struct service_once *request), GError **error)
{
	const char *name = fcgi_request_header(call->request, FCGI_CALL_IDEMPOTENCY);
	guint8 hash[SHA256_SIZE];

	*key_r = (struct service_idempotency){.write = write};
	key_r->key.workspace_id = call->key.workspace_id;
	memcpy(key_r->key.request, call->digest, SHA256_SIZE);
	if (!name)
		return true;
	gsize length = strlen(name);
	if (length < 1 || length > LIMIT_RESEND_IDEMPOTENCY_KEY)
		return fcgi_resend_fail(error, RESEND_IDEMPOTENCY_KEY,
		    "The key must be between 1-%d chars.", LIMIT_RESEND_IDEMPOTENCY_KEY);
	/* No key of /v1 has a control character in it. */
	base_secret_sha256(name, length, hash);
	g_autofree char *text = base_secret_base64url(hash, sizeof(hash));
	g_snprintf(call->idempotency, sizeof(call->idempotency), "\001%s", text);
	key_r->key.name = call->idempotency;
	return true;
}

/* Reads the parameter, if it is given, as the cursor of a page on that side. */
static bool
parts_read_cursor(struct fcgi_call *call, const char *name, enum store_page_side side,
    fcgi_resend_place *place, struct store_page *page, GError **error)
{
	const char *text;
	bool found = false;

	if (!fcgi_resend_query(call, name, &text, error))
		return false;
	if (!text)
		return true;
	if (page->side != STORE_PAGE_FIRST)
		return fcgi_resend_fail(error, RESEND_INVALID,
		    "Invalid `%s` field. after and before cannot both be given.", name);
	page->side = side;
	if (place && !place(call, text, &page->cursor, &found, error))
		return false;
	return found || base_id_parse(text, &page->cursor) ||
	       fcgi_resend_fail(error, RESEND_INVALID,
		   "Invalid `%s` field. %s must be a valid UUID.", name, name);
}

static bool
parts_read_limit(const char *text, guint *limit_r, GError **error)
{
	guint64 limit;

	if (!g_ascii_string_to_unsigned(text, 10, 1, LIMIT_RESEND_PAGE, &limit, NULL))
		return fcgi_resend_fail(error, RESEND_INVALID,
		    "Invalid `limit` field. limit must be a number from 1 to %d.",
		    LIMIT_RESEND_PAGE);
	*limit_r = (guint)limit;
	return true;
}

bool
fcgi_resend_page(
    struct fcgi_call *call, enum fcgi_resend_rows rows, struct store_page *page_r, GError **error)
{
	return fcgi_resend_page_of(call, rows, NULL, page_r, error);
}

bool
fcgi_resend_page_of(struct fcgi_call *call, enum fcgi_resend_rows rows, fcgi_resend_place *place,
    struct store_page *page_r, GError **error)
{
	guint limit = RESEND_ROWS_SOME;
	const char *text;

	*page_r = (struct store_page){.side = STORE_PAGE_FIRST};
	if (!fcgi_request_query(call->request, "limit", &text, error) ||
	    (text && !parts_read_limit(text, &limit, error)) ||
	    !parts_read_cursor(call, "after", STORE_PAGE_OLDER, place, page_r, error) ||
	    !parts_read_cursor(call, "before", STORE_PAGE_NEWER, place, page_r, error))
		return false;
	if (!text && page_r->side == STORE_PAGE_FIRST)
		limit = rows;
	page_r->limit = limit + 1;
	return true;
}

void
fcgi_resend_list_begin(struct json_writer *writer, const struct store_page *page, guint count,
    guint *first_r, guint *end_r)
{
	bool has_more = count >= page->limit;

	/* The row that is too many is the one farthest from the cursor. */
	*first_r = has_more && page->side == STORE_PAGE_NEWER ? 1 : 0;
	*end_r = count - (has_more && *first_r == 0 ? 1 : 0);
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "object", "list");
	json_writer_boolean(writer, "has_more", has_more);
	json_writer_begin_array(writer, "data");
}

void
fcgi_resend_list_end(struct fcgi_call *call, struct json_writer *writer)
{
	json_writer_end_array(writer);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
}

bool
fcgi_resend_list(struct fcgi_call *call, const struct store_page *page, const GPtrArray *rows,
    fcgi_resend_write *write)
{
	AUTO(json_writer) writer = json_writer_new();
	guint first, end;

	if (!rows)
		return false;
	fcgi_resend_list_begin(writer, page, rows->len, &first, &end);
	for (guint i = first; i < end; i++) {
		json_writer_begin_object(writer, NULL);
		write(writer, call->service, rows->pdata[i]);
		json_writer_end_object(writer);
	}
	fcgi_resend_list_end(call, writer);
	return true;
}

bool
fcgi_resend_reply_row(
    struct fcgi_call *call, const char *object, fcgi_resend_write *write, const void *row)
{
	AUTO(json_writer) writer = json_writer_new();

	if (!row)
		return false;
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "object", object);
	write(writer, call->service, row);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

void
fcgi_resend_reply_id(struct fcgi_call *call, guint status, const char *object,
    const struct base_id *id, bool is_deleted)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	if (object)
		json_writer_string(writer, "object", object);
	fcgi_resend_write_id(writer, "id", id);
	if (is_deleted)
		json_writer_boolean(writer, "deleted", true);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, status, writer);
}

void
fcgi_resend_write_id(struct json_writer *writer, const char *key, const struct base_id *id)
{
	char text[ID_TEXT_SIZE];

	json_writer_string(writer, key, base_id_format(id, text));
}

void
fcgi_resend_write_time(struct json_writer *writer, const char *key, gint64 time)
{
	char text[CLOCK_ISO_SIZE];

	json_writer_string(writer, key, time ? base_clock_format(time, text) : NULL);
}

static void
parts_write_member(struct json_writer *writer, const struct fcgi_resend_member *member,
    const struct json_view_value *value)
{
	if (value->type == VIEW_TIME)
		fcgi_resend_write_time(writer, member->name, value->number);
	else if (member->words[0])
		json_writer_string(writer, member->name, member->words[value->number != 0]);
	else if (member->blank_is_null && value->text && !*value->text)
		json_writer_null(writer, member->name);
	else
		json_view_write_value(writer, member->name, value);
}

void
fcgi_resend_write_view(struct json_writer *writer, const struct json_view *view,
    const struct fcgi_resend_member *members, guint count, const void *row)
{
	for (guint i = 0; i < count; i++) {
		const char *from = members[i].from ? members[i].from : members[i].name;
		struct json_view_value value =
		    members[i].read ? members[i].read(row) : json_view_value(view, from, row, NULL);

		parts_write_member(writer, &members[i], &value);
		g_free(value.made);
	}
}
