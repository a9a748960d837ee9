/* SPDX-License-Identifier: MIT */
/* Parts of replies that several resources share: pages of lists with a cursor to the next one,
   single rows, ids and times. */
#include "fcgi/v1/handlers.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/list.h"
#include "base/secret.h"
#include "fcgi/api/context.h"
#include "fcgi/http/request.h"
#include "json/view.h"
#include "json/writer.h"
#include "person/contact.h"
#include "store/common/search.h"

/* Decodes an opaque cursor, the base64 of an id's text. Base64 of these characters has no '+', '/'
   or padding, so a cursor needs no escaping in a query. */
static bool
page_decode(const char *text, struct base_id *id_r)
{
	g_autoptr(GBytes) bytes = base_secret_base64_decode(text, strlen(text));
	gsize size;
	const char *data = bytes ? g_bytes_get_data(bytes, &size) : NULL;
	g_autofree char *id = data ? g_strndup(data, size) : NULL;

	return id && size == ID_TEXT_SIZE - 1 && base_id_parse(id, id_r);
}

bool
fcgi_page_text(struct fcgi_call *call, const char *name, const char **text_r, GError **error)
{
	if (!fcgi_request_query(call->request, name, text_r, error))
		return false;
	if (*text_r && !**text_r)
		*text_r = NULL;
	return true;
}

bool
fcgi_page_time(struct fcgi_call *call, const char *name, gint64 *time_r, const gint64 **given_r,
    GError **error)
{
	const char *text;

	if (!fcgi_page_text(call, name, &text, error))
		return false;
	*given_r = text ? time_r : NULL;
	return !text || g_ascii_string_to_signed(text, 10, G_MININT64, G_MAXINT64, time_r, NULL) ||
	       base_clock_parse(text, time_r) || base_invalid(error, "%s must be a time", name);
}

void
fcgi_page_search_text(struct store_search *search_r, const char *text)
{
	g_autofree char *normal = person_contact_address(text, NULL);

	store_search_begin(search_r, text, normal);
}

bool
fcgi_page_search(
    struct fcgi_call *call, struct store_search *search_r, bool *given_r, GError **error)
{
	const char *text;

	*search_r = (struct store_search){.name = NULL};
	if (!fcgi_request_query(call->request, "search", &text, error))
		return false;
	*given_r = text != NULL;
	if (!text)
		return true;
	glong length = g_utf8_strlen(text, -1);
	if (length < LIMIT_SEARCH_LEAST || length > LIMIT_SEARCH_LENGTH)
		return base_invalid(error, "search must have %d to %d characters",
		    LIMIT_SEARCH_LEAST, LIMIT_SEARCH_LENGTH);
	fcgi_page_search_text(search_r, text);
	return true;
}

bool
fcgi_page_malformed(GError **error)
{
	return base_invalid(error, "cursor is malformed");
}

bool
fcgi_page_cursor(
    struct fcgi_call *call, bool opaque, struct base_id *before_r, bool *given_r, GError **error)
{
	const char *text;

	if (!fcgi_page_text(call, "cursor", &text, error))
		return false;
	*given_r = text != NULL;
	return !text || (opaque ? page_decode(text, before_r) : base_id_parse(text, before_r)) ||
	       fcgi_page_malformed(error);
}

bool
fcgi_page_whole(struct fcgi_call *call, GError **error)
{
	const char *text;

	return fcgi_page_text(call, "cursor", &text, error) &&
	       (!text || fcgi_page_malformed(error));
}

char *
fcgi_page_plus(const char *text)
{
	return g_strdelimit(g_strdup(text), " ", '+');
}

bool
fcgi_page_address(struct fcgi_call *call, char **after_r, GError **error)
{
	const char *text;

	*after_r = NULL;
	if (!fcgi_page_text(call, "cursor", &text, error))
		return false;
	if (!text)
		return true;
	g_autofree char *email = fcgi_page_plus(text);
	if (!(*after_r = person_contact_address(text, NULL)))
		*after_r = person_contact_address(email, NULL);
	return *after_r || fcgi_page_malformed(error);
}

bool
fcgi_page_word(struct fcgi_call *call, const char *name, const char *const *words, guint *number_r,
    GError **error)
{
	const char *text;

	*number_r = 0;
	if (!fcgi_page_text(call, name, &text, error))
		return false;
	for (guint i = 0; text && words[i]; i++)
		if (strcmp(text, words[i]) == 0)
			*number_r = i + 1;
	if (!text || *number_r)
		return true;
	g_autofree char *all = g_strjoinv(", ", (char **)words);
	return base_invalid(error, "%s must be one of %s", name, all);
}

void
fcgi_page_cut(struct store_search_page *page)
{
	if (page->ids->len <= LIMIT_PAGE)
		return;
	g_array_set_size(page->ids, LIMIT_PAGE);
	page->rest = g_array_index(page->ids, struct base_id, LIMIT_PAGE - 1);
	page->has_rest = true;
}

#define PLACE_SIZE (sizeof(guint64) + sizeof(struct base_id))

char *
fcgi_page_place_cursor(gint64 time, const struct base_id *id)
{
	guint64 number = GUINT64_TO_BE((guint64)time);
	guint8 bytes[PLACE_SIZE];

	memcpy(bytes, &number, sizeof(number));
	memcpy(bytes + sizeof(number), id, sizeof(*id));
	return base_secret_base64url(bytes, sizeof(bytes));
}

bool
fcgi_page_place(
    struct fcgi_call *call, gint64 *time_r, struct base_id *id_r, bool *given_r, GError **error)
{
	const char *text;

	if (!fcgi_page_text(call, "cursor", &text, error))
		return false;
	*given_r = text != NULL;
	if (!text)
		return true;
	g_autoptr(GBytes) bytes = base_secret_base64url_decode(text);
	gsize size = 0;
	const guint8 *data = bytes ? g_bytes_get_data(bytes, &size) : NULL;
	guint64 number;
	if (size != PLACE_SIZE)
		return fcgi_page_malformed(error);
	memcpy(&number, data, sizeof(number));
	memcpy(id_r, data + sizeof(number), sizeof(*id_r));
	*time_r = (gint64)GUINT64_FROM_BE(number);
	return true;
}

void
fcgi_page_begin(struct json_writer *writer, const char *collection)
{
	json_writer_begin_object(writer, NULL);
	json_writer_begin_array(writer, collection);
}

void
fcgi_page_end_text(
    struct fcgi_call *call, struct json_writer *writer, guint count, const char *cursor)
{
	json_writer_end_array(writer);
	json_writer_integer(writer, "count", count);
	json_writer_string(writer, "cursor", cursor);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
}

void
fcgi_page_end(struct fcgi_call *call, struct json_writer *writer, bool opaque, guint count,
    const struct base_id *last)
{
	char text[ID_TEXT_SIZE];
	const char *id = last ? base_id_format(last, text) : NULL;
	g_autofree char *encoded =
	    id && opaque ? g_base64_encode((const guchar *)id, strlen(id)) : NULL;

	fcgi_page_end_text(call, writer, count, opaque ? encoded : id);
}

bool
fcgi_page_reply(struct fcgi_call *call, const struct fcgi_page *page, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();

	if (!page->rows)
		return false;
	guint count = MIN(page->rows->len, page->most);
	const guint8 *last = page->rows->len > count ? page->rows->pdata[count - 1] : NULL;
	fcgi_page_begin(writer, page->collection);
	for (guint i = 0; i < count; i++)
		if (page->view)
			json_view_write(writer, page->view, page->rows->pdata[i], call->service);
		else
			page->write(writer, call->service, page->rows->pdata[i]);
	if (page->cursor)
		fcgi_page_end_text(call, writer, count, last ? page->cursor(last) : NULL);
	else
		fcgi_page_end(call, writer, page->opaque, count,
		    last ? (const struct base_id *)(last + page->id_offset) : page->rest);
	return true;
}

bool
fcgi_page_reply_row(struct fcgi_call *call,
    void (*write)(struct json_writer *writer, const struct service *service, const void *row),
    const void *row)
{
	AUTO(json_writer) writer = json_writer_new();

	if (!row)
		return false;
	write(writer, call->service, row);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_page_reply_view(struct fcgi_call *call, const struct json_view *view, const void *row)
{
	AUTO(json_writer) writer = json_writer_new();

	if (!row)
		return false;
	json_view_write(writer, view, row, call->service);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

void
fcgi_write_id(struct json_writer *writer, const struct base_id *id)
{
	char text[ID_TEXT_SIZE];

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", base_id_format(id, text));
	json_writer_end_object(writer);
}

void
fcgi_write_time(struct json_writer *writer, const char *key, gint64 time)
{
	if (time)
		json_writer_integer(writer, key, time);
	else
		json_writer_null(writer, key);
}
