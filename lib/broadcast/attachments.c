/* SPDX-License-Identifier: MIT */
/* Checks, stores and reads the attachments of broadcasts. */
#include "broadcast/attachments.h"

#include "base/error.h"
#include "base/limits/broadcast.h"
#include "base/limits/unit.h"
#include "broadcast/content.h"
#include "email/submission.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/broadcast/attachment.h"
#include "store/email/email.h"

#define DEFAULT_TYPE "application/octet-stream"
#define LINE 76 /* characters of base64 in a line, which CR and LF end */

static const struct broadcast_attachment *
attachments_given_at(const struct broadcast_content *given, guint number)
{
	return &g_array_index(given->attachments, struct broadcast_attachment, number);
}

static guint
attachments_count_of(const struct broadcast_content *given)
{
	return given->attachments ? given->attachments->len : 0;
}

/* Looks up the attachment that is given by its id; INVALID when there is none. */
static struct store_broadcast_attachment *
attachments_find(struct service *service, const struct base_id *workspace, const char *text,
    guint number, GError **error)
{
	g_autoptr(GError) failure = NULL;
	struct base_id id;
	struct store_broadcast_attachment *found =
	    base_id_parse(text, &id)
		? store_broadcast_attachment_get(service->db, workspace, &id, &failure)
		: NULL;

	if (!found && (!failure || g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND)))
		base_invalid(error, "attachments[%u].id is not an attachment", number);
	else if (!found)
		g_propagate_error(error, g_steal_pointer(&failure));
	return found;
}

static void
attachments_replace(char **text, const char *given)
{
	if (!given)
		return;
	g_free(*text);
	*text = g_strdup(given);
}

/* An attachment with the texts that are given, and those that it has already. */
static struct store_broadcast_attachment *
make_one(struct service *service, const struct base_id *workspace,
    const struct broadcast_attachment *given, guint number, GError **error)
{
	if (!given->id && !given->filename) {
		base_invalid(error, "attachments[%u].filename is required", number);
		return NULL;
	}
	if (!given->id == !given->content) {
		base_invalid(error, "attachments[%u] must have either id or content", number);
		return NULL;
	}
	struct store_broadcast_attachment *attachment =
	    given->id ? attachments_find(service, workspace, given->id, number, error)
		      : g_new0(struct store_broadcast_attachment, 1);
	if (!attachment)
		return NULL;
	if (!given->id)
		attachment->content_type = g_strdup(DEFAULT_TYPE);
	attachments_replace(&attachment->filename, given->filename);
	attachments_replace(&attachment->content_type, given->content_type);
	attachments_replace(&attachment->content_id, given->content_id);
	return attachment;
}

/* Whether one before it has this id. */
static bool
attachments_is_known(const GPtrArray *attachments, const struct base_id *id)
{
	for (guint i = 0; i < attachments->len; i++)
		if (base_id_equal(
			&((const struct store_broadcast_attachment *)attachments->pdata[i])->id,
			id))
			return true;
	return false;
}

/* Checks all as those of an email are checked, and takes the contents that are new. */
static bool
take_contents(GPtrArray *attachments, const struct broadcast_content *given, GError **error)
{
	g_autoptr(GArray) checked =
	    g_array_new(FALSE, TRUE, sizeof(struct email_submission_attachment));
	g_autoptr(GBytes) stored = g_bytes_new_static("", 0);
	guint64 total = 0;

	for (guint i = 0; i < attachments->len; i++) {
		const struct store_broadcast_attachment *attachment = attachments->pdata[i];
		const struct email_submission_attachment one = {.filename = attachment->filename,
		    .content = attachments_given_at(given, i)->content,
		    .data = attachments_given_at(given, i)->id ? stored : NULL,
		    .content_type = attachment->content_type,
		    .content_id = attachment->content_id};

		g_array_append_val(checked, one);
	}
	const struct email_submission submission = {
	    .attachments = checked, .attachments_most = LIMIT_BROADCAST_ATTACHMENTS_BYTES};
	g_autoptr(GPtrArray) contents =
	    email_submission_decode_attachments(&submission, false, error);
	for (guint i = 0; contents && i < attachments->len; i++) {
		struct store_broadcast_attachment *attachment = attachments->pdata[i];

		if (attachments_given_at(given, i)->content) {
			attachment->body = store_body_make(contents->pdata[i]);
			attachment->size = g_bytes_get_size(contents->pdata[i]);
		}
		total += attachment->size;
	}
	return contents && (total <= LIMIT_BROADCAST_ATTACHMENTS_BYTES ||
			       base_invalid(error, EMAIL_ATTACHMENTS_TOO_LARGE,
				   (int)(LIMIT_BROADCAST_ATTACHMENTS_BYTES / LIMIT_MIB)));
}

GPtrArray *
broadcast_attachments_make(struct service *service, const struct base_id *workspace,
    const struct base_id *broadcast, const struct broadcast_content *given, GError **error)
{
	g_autoptr(GPtrArray) attachments =
	    g_ptr_array_new_with_free_func(store_broadcast_attachment_destroy);

	for (guint i = 0; i < attachments_count_of(given); i++) {
		struct store_broadcast_attachment *attachment =
		    make_one(service, workspace, attachments_given_at(given, i), i, error);

		if (!attachment)
			return NULL;
		if (!base_id_equal(&attachment->broadcast_id, broadcast) ||
		    attachments_is_known(attachments, &attachment->id))
			attachment->id = base_id_new();
		g_ptr_array_add(attachments, attachment);
	}
	return take_contents(attachments, given, error) ? g_steal_pointer(&attachments) : NULL;
}

void
broadcast_attachments_write(struct json_writer *writer, const GPtrArray *attachments)
{
	char id[ID_TEXT_SIZE];

	json_writer_begin_array(writer, "attachments");
	for (guint i = 0; i < attachments->len; i++) {
		const struct store_broadcast_attachment *attachment = attachments->pdata[i];

		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "id", base_id_format(&attachment->id, id));
		json_writer_string(writer, "filename", attachment->filename);
		json_writer_string(writer, "content_type", attachment->content_type);
		json_writer_string(writer, "content_id", attachment->content_id);
		json_writer_integer(writer, "size", (gint64)attachment->size);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

GPtrArray *
broadcast_attachments_read(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, GError **error)
{
	g_autoptr(GPtrArray) attachments =
	    g_ptr_array_new_with_free_func(store_broadcast_attachment_destroy);

	for (guint i = 0; i < attachments_count_of(content); i++) {
		struct store_broadcast_attachment *attachment = attachments_find(
		    service, workspace, attachments_given_at(content, i)->id, i, error);

		if (!attachment)
			return NULL;
		g_ptr_array_add(attachments, attachment);
		if (!store_broadcast_attachment_read(service->db, workspace, attachment, error))
			return NULL;
	}
	return g_steal_pointer(&attachments);
}

void
broadcast_attachments_add(const GPtrArray *attachments, struct store_email *email)
{
	for (guint i = 0; i < attachments->len; i++) {
		const struct store_broadcast_attachment *attachment = attachments->pdata[i];
		const struct email_submission_attachment given = {.filename = attachment->filename,
		    .content_type = attachment->content_type,
		    .content_id = attachment->content_id};

		email_submission_add_attachment(&given, attachment->body.data, email);
	}
}

gsize
broadcast_attachments_sent_size(const struct broadcast_content *content)
{
	gsize size = 0;

	for (guint i = 0; i < attachments_count_of(content); i++) {
		gsize digits = ((gsize)attachments_given_at(content, i)->size + 2) / 3 * 4;

		size += digits + (digits + LINE - 1) / LINE * 2;
	}
	return size;
}
