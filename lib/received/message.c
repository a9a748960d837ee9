/* SPDX-License-Identifier: MIT */
/* Reads a message that came in. */
#include "received/message.h"

#include <string.h>

#include "base/limits/received.h"
#include "html/textpart.h"
#include "json/value.h"
#include "json/writer.h"
#include "mail/incoming.h"
#include "mail/part.h"

static void
message_write_list(struct json_writer *writer, const char *key, const GPtrArray *list)
{
	json_writer_begin_array(writer, key);
	for (guint i = 0; i < list->len; i++)
		json_writer_string(writer, NULL, list->pdata[i]);
	json_writer_end_array(writer);
}

static void
message_write_headers(struct json_writer *writer, const GPtrArray *headers)
{
	json_writer_begin_array(writer, "headers");
	for (guint i = 0; i < headers->len; i++) {
		const struct mail_incoming_field *field = headers->pdata[i];

		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "name", field->name);
		json_writer_string(writer, "value", field->value);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

static void
message_write_parts(struct json_writer *writer, const GPtrArray *parts)
{
	json_writer_begin_array(writer, "parts");
	for (guint i = 0; i < parts->len; i++) {
		const struct mail_incoming_part *part = parts->pdata[i];

		json_writer_begin_object(writer, NULL);
		json_writer_integer(writer, "begin", (gint64)part->begin);
		json_writer_integer(writer, "end", (gint64)part->end);
		json_writer_string(writer, "filename", part->filename);
		json_writer_string(writer, "content_type", part->type);
		json_writer_string(writer, "content_disposition", part->disposition);
		json_writer_string(writer, "content_id", part->content_id);
		json_writer_integer(writer, "size", (gint64)part->size);
		json_writer_string(writer, "encoding", part->encoding);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

/* The new part of the text, or of that of the html. The caller owns it. */
static char *
message_reply_of(const struct mail_incoming *incoming)
{
	g_autofree char *derived =
	    incoming->text || !incoming->html
		? NULL
		: html_textpart_from_html(incoming->html, strlen(incoming->html));
	const char *text = incoming->text ? incoming->text : derived;

	return text ? mail_incoming_reply(text) : NULL;
}

static void
message_write(struct json_writer *writer, const struct mail_incoming *incoming)
{
	g_autofree char *reply = message_reply_of(incoming);

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "from", incoming->from);
	json_writer_string(writer, "from_address", incoming->from_address);
	message_write_list(writer, "to", incoming->to);
	message_write_list(writer, "cc", incoming->cc);
	json_writer_string(writer, "subject", incoming->subject);
	json_writer_string(writer, "message_id", incoming->message_id);
	if (incoming->date)
		json_writer_integer(writer, "date", incoming->date);
	message_write_list(writer, "reply_to", incoming->reply_to);
	json_writer_string(writer, "in_reply_to", incoming->in_reply_to);
	message_write_list(writer, "references", incoming->references);
	json_writer_string(writer, "text", incoming->text);
	json_writer_string(writer, "html", incoming->html);
	json_writer_string(writer, "reply_text", reply);
	message_write_headers(writer, incoming->headers);
	message_write_parts(writer, incoming->parts);
	json_writer_integer(writer, "automatic", incoming->automatic);
	message_write_list(writer, "loops", incoming->loops);
	json_writer_boolean(writer, "truncated", incoming->truncated);
	json_writer_string(writer, "error", incoming->error);
	json_writer_end_object(writer);
}

GBytes *
received_message_parse(const void *data, gsize size, const char *sender)
{
	AUTO(mail_incoming) incoming = mail_incoming_read(data, size, sender);
	AUTO(json_writer) writer = json_writer_new();

	message_write(writer, incoming);
	return json_writer_take_bytes(writer);
}

/* A list of one text, or of none. */
static void
message_write_one(struct json_writer *writer, const char *key, const char *text)
{
	json_writer_begin_array(writer, key);
	if (text && *text)
		json_writer_string(writer, NULL, text);
	json_writer_end_array(writer);
}

/* An id without its brackets. */
static char *
message_bare(char *id)
{
	gsize size = id ? strlen(id) : 0;

	if (size > 2 && *id == '<' && id[size - 1] == '>') {
		char *bare = g_strndup(id + 1, size - 2);
		g_free(id);
		return bare;
	}
	return id;
}

GBytes *
received_message_parse_plain(const void *data, gsize data_size, const char *sender, const char *why)
{
	gsize length, size = MIN(data_size, LIMIT_RECEIVED_HEADER_BYTES);
	g_autofree char *text = mail_part_text(data, size, &length);
	const struct mail_part part = mail_part_split(text, length);
	g_autofree char *from = mail_part_field(&part.header, "From");
	g_autofree char *to = mail_part_field(&part.header, "To");
	g_autofree char *subject = mail_part_field(&part.header, "Subject");
	g_autofree char *id = message_bare(mail_part_field(&part.header, "Message-ID"));
	g_autofree char *answered = message_bare(mail_part_field(&part.header, "In-Reply-To"));
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "from", from);
	message_write_one(writer, "to", to);
	message_write_one(writer, "cc", NULL);
	json_writer_string(writer, "subject", subject);
	json_writer_string(writer, "message_id", id);
	message_write_one(writer, "reply_to", NULL);
	json_writer_string(writer, "in_reply_to", answered);
	message_write_one(writer, "references", NULL);
	message_write_one(writer, "headers", NULL);
	message_write_one(writer, "parts", NULL);
	json_writer_integer(
	    writer, "automatic", sender && !*sender ? MAIL_INCOMING_REPORT : MAIL_INCOMING_PERSON);
	message_write_one(writer, "loops", NULL);
	json_writer_string(writer, "error", why);
	json_writer_end_object(writer);
	return json_writer_take_bytes(writer);
}

const char *
received_message_text(const struct json *message, const char *name)
{
	return json_string(json_member_get(message, name), NULL);
}
