/* SPDX-License-Identifier: MIT */
/* Writes received mail for clients, and reads its files. */
#include "received/view.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/received.h"
#include "config/settings.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "link/token.h"
#include "mail/address.h"
#include "mail/incoming.h"
#include "service/service.h"
#include "store/received/received.h"

static struct json *
view_parse(const char *text, gsize size, GError **error)
{
	return json_parse_as("a received mail", text, size, error);
}

char *
received_view_key(const char *address)
{
	g_autofree char *normal = NULL;

	return mail_address_valid(address, &normal) ? mail_address_key(normal) : NULL;
}

static struct json *
view_content(const struct store_received *received, GError **error)
{
	gsize size;
	const char *text = g_bytes_get_data(received->content, &size);

	return view_parse(text, size, error);
}

char *
received_view_url(
    const struct service *service, const struct base_id *received, guint number, gint64 expires)
{
	const struct link_token token = {TOKEN_RECEIVED, *received, number, 0};

	return link_token_file_url(service->settings, 'r', &token, expires);
}

/* The members of an attachment that clients see. */
static const char *const attachment_members[] = {
    "id", "filename", "content_type", "content_disposition", "content_id", "size"};

static void
view_write_attachment(struct json_writer *writer, const struct service *service,
    const struct store_received *received, const struct json *attachment, guint number)
{
	gint64 expires = base_clock_now() + LIMIT_RECEIVED_DOWNLOAD_MS;
	g_autofree char *url = received_view_url(service, &received->id, number, expires);

	json_writer_begin_object(writer, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(attachment_members); i++)
		json_writer_value(writer, attachment_members[i],
		    json_member_get(attachment, attachment_members[i]));
	json_writer_string(writer, "download_url", url);
	json_writer_integer(writer, "expires_at", expires);
	json_writer_end_object(writer);
}

static bool
view_write_forwards(struct json_writer *writer, struct service *service,
    const struct store_received *received, GError **error)
{
	g_autoptr(GPtrArray) forwards =
	    store_received_forward_list(service->db, &received->workspace_id, &received->id, error);
	char text[ID_TEXT_SIZE];

	if (!forwards)
		return false;
	json_writer_begin_array(writer, "forwards");
	for (guint i = 0; i < forwards->len; i++) {
		const struct store_received_forward *forward = forwards->pdata[i];

		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "email_id",
		    forward->has_email ? base_id_format(&forward->email_id, text) : NULL);
		json_writer_raw(writer, "to", forward->recipients, strlen(forward->recipients));
		json_writer_string(writer, "error", forward->error);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
	return true;
}

bool
received_view_write(struct json_writer *writer, struct service *service,
    const struct store_received *received, GError **error)
{
	AUTO(json) row = view_parse(received->summary, strlen(received->summary), error);
	AUTO(json) content = row ? view_content(received, error) : NULL;
	const struct json *value;
	const char *key;

	if (!content)
		return false;
	json_writer_begin_object(writer, NULL);
	struct json_iterator members = json_members(row);
	while (json_iterator_next(&members, &key, &value))
		json_writer_value(writer, key, value);
	members = json_members(content);
	while (json_iterator_next(&members, &key, &value)) {
		if (strcmp(key, "attachments") != 0) {
			json_writer_value(writer, key, value);
			continue;
		}
		json_writer_begin_array(writer, key);
		for (gsize i = 0; i < json_array_length(value); i++)
			view_write_attachment(
			    writer, service, received, json_array_at(value, i), (guint)i);
		json_writer_end_array(writer);
	}
	bool done = view_write_forwards(writer, service, received, error);
	json_writer_end_object(writer);
	return done;
}

bool
received_view_write_attachment(struct json_writer *writer, const struct service *service,
    const struct store_received *received, const char *attachment, GError **error)
{
	AUTO(json) content = view_content(received, error);
	const struct json *list = json_member_get(content, "attachments");

	if (!content)
		return false;
	for (gsize i = 0; i < json_array_length(list); i++) {
		const struct json *one = json_array_at(list, i);

		if (g_strcmp0(json_string(json_member_get(one, "id"), NULL), attachment) != 0)
			continue;
		view_write_attachment(writer, service, received, one, (guint)i);
		return true;
	}
	return base_fail(error, PH_ERROR_NOT_FOUND, "Attachment not found");
}

GBytes *
received_view_read(struct service *service, const struct store_received *received,
    const struct json *attachment, GError **error)
{
	gint64 piece = json_integer(json_member_get(attachment, "piece"));

	if (piece < 0)
		return g_bytes_new(NULL, 0);
	g_autoptr(GBytes) encoded = store_received_piece(
	    service->db, &received->workspace_id, &received->id, (guint)piece, error);
	return encoded ? mail_incoming_decode(
			     encoded, json_string(json_member_get(attachment, "encoding"), NULL))
		       : NULL;
}

static bool
view_missing(GError **error)
{
	return base_fail(error, PH_ERROR_NOT_FOUND, "Not found");
}

static bool
view_read_file(struct service *service, const struct store_received *received, guint number,
    struct received_file *file, GError **error)
{
	if (number == LINK_RECEIVED_RAW) {
		file->filename = g_strdup("message.eml");
		file->content =
		    store_received_raw(service->db, &received->workspace_id, &received->id, error);
		return file->content != NULL;
	}
	AUTO(json) content = view_content(received, error);
	const struct json *list = json_member_get(content, "attachments");
	if (!content)
		return false;
	if (number >= json_array_length(list))
		return view_missing(error);
	const struct json *attachment = json_array_at(list, number);
	file->filename = g_strdup(json_string(json_member_get(attachment, "filename"), NULL));
	file->content = received_view_read(service, received, attachment, error);
	return file->content != NULL;
}

bool
received_view_download(struct service *service, const char *token, const char *expires,
    struct received_file *file_r, GError **error)
{
	g_autoptr(GError) failure = NULL;
	struct link_token read;
	gint64 end;

	*file_r = (struct received_file){NULL};
	if (!g_ascii_string_to_signed(expires, 10, 0, G_MAXINT64, &end, NULL) ||
	    !link_token_read(
		config_settings_secret(service->settings), TOKEN_RECEIVED, token, expires, &read) ||
	    base_clock_now() >= end)
		return view_missing(error);
	if (!service_ensure(service, error))
		return false;
	AUTO(store_received) received = store_received_find(service->db, &read.email, &failure);
	if (received && view_read_file(service, received, read.recipient, file_r, &failure))
		return true;
	received_file_clear(file_r);
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
		return view_missing(error);
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

void
received_file_clear(struct received_file *file)
{
	g_clear_pointer(&file->content, g_bytes_unref);
	g_clear_pointer(&file->filename, g_free);
}
