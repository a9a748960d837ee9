/* SPDX-License-Identifier: MIT */
/* Mail that came in, and its attachments, under /resend. */
#include "fcgi/resend/handlers.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/received.h"
#include "fcgi/api/context.h"
#include "fcgi/resend/error.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "link/token.h"
#include "received/view.h"
#include "service/service.h"
#include "store/common/listing.h"
#include "store/received/received.h"

/* A mail with its documents. */
struct receiving {
	struct store_received *mail;
	struct json *row, *content;
};

static void
receiving_free(void *data)
{
	struct receiving *receiving = data;

	g_clear_pointer(&receiving->mail, store_received_free);
	g_clear_pointer(&receiving->row, json_free);
	g_clear_pointer(&receiving->content, json_free);
	g_free(receiving);
}

static struct receiving *
receiving_read(struct fcgi_call *call, const struct base_id *id, GError **error)
{
	struct receiving *receiving = g_new0(struct receiving, 1);
	gsize size;

	receiving->mail = store_received_get(call->service->db, &call->key.workspace_id, id, error);
	if (receiving->mail) {
		const struct store_received *mail = receiving->mail;
		const char *text = g_bytes_get_data(mail->content, &size);

		receiving->row = json_parse(mail->summary, strlen(mail->summary), error);
		receiving->content = receiving->row ? json_parse(text, size, error) : NULL;
	}
	if (!receiving->content)
		g_clear_pointer(&receiving, receiving_free);
	return receiving;
}

/* The members of an attachment that stand in a mail, too, as they came: types of Resend's package
   differ from those of an attachment by itself. */
static void
receiving_write_file(struct json_writer *writer, const struct json *attachment)
{
	static const char *const names[] = {
	    "id", "filename", "size", "content_type", "content_disposition", "content_id"};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		json_writer_value(writer, names[i], json_member_get(attachment, names[i]));
}

static void
receiving_write_files(struct json_writer *writer, const struct receiving *receiving)
{
	const struct json *list = json_member_get(receiving->content, "attachments");

	json_writer_begin_array(writer, "attachments");
	for (gsize i = 0; i < json_array_length(list); i++) {
		json_writer_begin_object(writer, NULL);
		receiving_write_file(writer, json_array_at(list, i));
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

/* The members that a mail has in a list, too. */
static void
receiving_write_common(struct json_writer *writer, const struct receiving *receiving)
{
	const struct json *id = json_member_get(receiving->row, "message_id");
	g_autofree char *bracketed =
	    id ? g_strdup_printf("<%s>", json_string(id, NULL)) : g_strdup("");
	const char *from = json_string(json_member_get(receiving->row, "from"), NULL);
	const char *subject = json_string(json_member_get(receiving->row, "subject"), NULL);

	fcgi_resend_write_id(writer, "id", &receiving->mail->id);
	json_writer_value(writer, "to", json_member_get(receiving->row, "to"));
	json_writer_string(writer, "from", from ? from : "");
	fcgi_resend_write_time(writer, "created_at", base_id_time(&receiving->mail->id));
	json_writer_string(writer, "subject", subject ? subject : "");
	json_writer_begin_array(writer, "bcc");
	json_writer_end_array(writer);
	json_writer_value(writer, "cc", json_member_get(receiving->row, "cc"));
	json_writer_value(writer, "reply_to", json_member_get(receiving->content, "reply_to"));
	json_writer_value(writer, "received_for", json_member_get(receiving->row, "recipients"));
	json_writer_string(writer, "message_id", bracketed);
}

static void
receiving_write_listed(struct json_writer *writer, const struct service *service, const void *row)
{
	receiving_write_common(writer, row);
	receiving_write_files(writer, row);
}

/* The html with its pictures in place of their cid:, as far as all of them together are no larger
   than LIMIT_RECEIVED_PICTURES. NULL without html; the caller owns it. */
static bool
receiving_embed(
    struct fcgi_call *call, const struct receiving *receiving, GString *html, GError **error)
{
	const struct json *list = json_member_get(receiving->content, "attachments");
	gsize room = LIMIT_RECEIVED_PICTURES;

	for (gsize i = 0; i < json_array_length(list); i++) {
		const struct json *one = json_array_at(list, i);
		const char *id = json_string(json_member_get(one, "content_id"), NULL);
		const char *type = json_string(json_member_get(one, "content_type"), NULL);
		gint64 size = json_integer(json_member_get(one, "size"));
		g_autofree char *reference = g_strconcat("cid:", id, NULL);

		if (!id || !*id || (gsize)size > room || !g_str_has_prefix(type, "image/") ||
		    !strstr(html->str, reference))
			continue;
		g_autoptr(GBytes) content =
		    received_view_read(call->service, receiving->mail, one, error);
		if (!content)
			return false;
		g_autofree char *base64 =
		    g_base64_encode(g_bytes_get_data(content, NULL), g_bytes_get_size(content));
		g_autofree char *url = g_strconcat("data:", type, ";base64,", base64, NULL);
		room -= (gsize)size;
		/* Each picture once: a page that repeats one would grow without end. */
		g_string_replace(html, reference, url, 1);
	}
	return true;
}

static bool
receiving_write_html(struct fcgi_call *call, struct json_writer *writer,
    const struct receiving *receiving, bool embeds, GError **error)
{
	const char *text = json_string(json_member_get(receiving->content, "html"), NULL);
	g_autoptr(GString) html = g_string_new(text);

	if (text && embeds && !receiving_embed(call, receiving, html, error))
		return false;
	json_writer_string(writer, "html", text ? html->str : NULL);
	return true;
}

/* The fields as members; of several with one name the first. */
static void
receiving_write_headers(struct json_writer *writer, const struct receiving *receiving)
{
	const struct json *list = json_member_get(receiving->content, "headers");
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	json_writer_begin_object(writer, "headers");
	for (gsize i = 0; i < json_array_length(list); i++) {
		const struct json *one = json_array_at(list, i);
		g_autofree char *name =
		    g_ascii_strdown(json_string(json_member_get(one, "name"), NULL), -1);

		if (g_hash_table_add(seen, g_strdup(name)))
			json_writer_value(writer, name, json_member_get(one, "value"));
	}
	json_writer_end_object(writer);
}

static void
receiving_write_raw(
    struct json_writer *writer, const struct service *service, const struct receiving *receiving)
{
	gint64 expires = base_clock_now() + LIMIT_RECEIVED_DOWNLOAD_MS;
	g_autofree char *url =
	    received_view_url(service, &receiving->mail->id, LINK_RECEIVED_RAW, expires);

	json_writer_begin_object(writer, "raw");
	json_writer_string(writer, "download_url", url);
	fcgi_resend_write_time(writer, "expires_at", expires);
	json_writer_end_object(writer);
}

bool
fcgi_resend_receiving_get(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	const char *format;
	struct base_id id;

	if (!fcgi_resend_id(call, 0, &id, error) ||
	    !fcgi_resend_query(call, "html_format", &format, error))
		return false;
	if (format && strcmp(format, "data_uri") != 0 && strcmp(format, "cid") != 0)
		return fcgi_resend_fail(
		    error, RESEND_INVALID, "html_format must be data_uri or cid.");
	struct receiving *receiving = receiving_read(call, &id, error);
	if (!receiving)
		return false;
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "object", "email");
	receiving_write_common(writer, receiving);
	bool done =
	    receiving_write_html(call, writer, receiving, g_strcmp0(format, "cid") != 0, error);
	json_writer_value(writer, "text", json_member_get(receiving->content, "text"));
	receiving_write_headers(writer, receiving);
	receiving_write_raw(writer, call->service, receiving);
	receiving_write_files(writer, receiving);
	json_writer_end_object(writer);
	receiving_free(receiving);
	if (done)
		fcgi_reply_json(call->reply, 200, writer);
	return done;
}

bool
fcgi_resend_receiving_list(struct fcgi_call *call, GError **error)
{
	g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func(receiving_free);
	struct store_page page;

	if (!fcgi_resend_page(call, RESEND_ROWS_SOME, &page, error))
		return false;
	const struct store_received_filter filter = {
	    .before = page.side == STORE_PAGE_OLDER ? &page.cursor : NULL,
	    .after = page.side == STORE_PAGE_NEWER ? &page.cursor : NULL};
	g_autoptr(GPtrArray) list = store_received_list(
	    call->service->db, &call->key.workspace_id, &filter, page.limit, error);
	if (!list)
		return false;
	for (guint i = 0; i < list->len; i++) {
		const struct store_received *mail = list->pdata[i];
		struct receiving *receiving = receiving_read(call, &mail->id, error);

		if (!receiving)
			return false;
		g_ptr_array_add(rows, receiving);
	}
	return fcgi_resend_list(call, &page, rows, receiving_write_listed);
}

/* An attachment of a mail. */
struct receiving_file {
	const struct receiving *receiving;
	const struct json *attachment;
	guint number;
};

/* A member that is absent where there is none. */
static void
receiving_write_text(struct json_writer *writer, const struct json *attachment, const char *name)
{
	const char *text = json_string(json_member_get(attachment, name), NULL);

	if (text)
		json_writer_string(writer, name, text);
}

/* The disposition that it came with, if the package knows it; else that of a picture of the html.
 */
static bool
receiving_is_inline(const struct receiving_file *file)
{
	const char *word =
	    json_string(json_member_get(file->attachment, "content_disposition"), NULL);

	return word ? strcmp(word, "inline") == 0
		    : json_string(json_member_get(file->attachment, "content_id"), NULL) != NULL;
}

static void
receiving_write_attachment(
    struct json_writer *writer, const struct service *service, const void *row)
{
	static const char *const names[] = {"id", "size", "content_type"};
	const struct receiving_file *file = row;
	gint64 expires = base_clock_now() + LIMIT_RECEIVED_DOWNLOAD_MS;
	g_autofree char *url =
	    received_view_url(service, &file->receiving->mail->id, file->number, expires);

	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		json_writer_value(writer, names[i], json_member_get(file->attachment, names[i]));
	receiving_write_text(writer, file->attachment, "filename");
	receiving_write_text(writer, file->attachment, "content_id");
	json_writer_string(
	    writer, "content_disposition", receiving_is_inline(file) ? "inline" : "attachment");
	json_writer_string(writer, "download_url", url);
	fcgi_resend_write_time(writer, "expires_at", expires);
}

static GPtrArray *
receiving_list_files(const struct receiving *receiving)
{
	const struct json *list = json_member_get(receiving->content, "attachments");
	GPtrArray *files = g_ptr_array_new_with_free_func(g_free);

	for (gsize i = 0; i < json_array_length(list); i++) {
		const struct receiving_file file = {receiving, json_array_at(list, i), (guint)i};

		g_ptr_array_add(files, g_memdup2(&file, sizeof(file)));
	}
	return files;
}

/* The place of the attachment with this id; their number when there is none. */
static guint
receiving_place_of(const GPtrArray *files, const struct base_id *id)
{
	char text[ID_TEXT_SIZE];
	guint place = 0;

	base_id_format(id, text);
	while (place < files->len) {
		const struct receiving_file *file = files->pdata[place];

		if (g_strcmp0(json_string(json_member_get(file->attachment, "id"), NULL), text) ==
		    0)
			break;
		place++;
	}
	return place;
}

bool
fcgi_resend_receiving_attachments_list(struct fcgi_call *call, GError **error)
{
	struct store_page page;
	struct base_id id;

	if (!fcgi_resend_page(call, RESEND_ROWS_SOME, &page, error) ||
	    !fcgi_resend_id(call, 0, &id, error))
		return false;
	struct receiving *receiving = receiving_read(call, &id, error);
	if (!receiving)
		return false;
	g_autoptr(GPtrArray) files = receiving_list_files(receiving);
	g_autoptr(GPtrArray) rows = g_ptr_array_new();
	guint place = receiving_place_of(files, &page.cursor);
	guint first = page.side == STORE_PAGE_OLDER ? place + 1 : 0;
	guint end = page.side == STORE_PAGE_NEWER ? place : files->len;
	if (page.side == STORE_PAGE_NEWER && end > page.limit)
		first = end - page.limit;
	for (guint i = first; i < end && rows->len < page.limit; i++)
		g_ptr_array_add(rows, files->pdata[i]);
	bool done = fcgi_resend_list(call, &page, rows, receiving_write_attachment);
	receiving_free(receiving);
	return done;
}

bool
fcgi_resend_receiving_attachments_get(struct fcgi_call *call, GError **error)
{
	struct base_id id, attachment;

	if (!fcgi_resend_id(call, 0, &id, error) || !fcgi_resend_id(call, 1, &attachment, error))
		return false;
	struct receiving *receiving = receiving_read(call, &id, error);
	if (!receiving)
		return false;
	g_autoptr(GPtrArray) files = receiving_list_files(receiving);
	guint place = receiving_place_of(files, &attachment);
	bool done = place < files->len ? fcgi_resend_reply_row(call, "attachment",
					     receiving_write_attachment, files->pdata[place])
				       : fcgi_resend_missing(error, "Attachment");
	receiving_free(receiving);
	return done;
}
