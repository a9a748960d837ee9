/* SPDX-License-Identifier: MIT */
/* The attachments of emails under /resend. */
#include "fcgi/resend/handlers.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/limits/request.h"
#include "email/attachment.h"
#include "fcgi/api/context.h"
#include "fcgi/resend/error.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/email/attachment.h"

static void
attachments_write_members(
    struct json_writer *writer, const struct service *service, const void *row)
{
	const struct store_attachment *attachment = row;
	gint64 expires = base_clock_now() + LIMIT_DOWNLOAD_MS;
	struct base_id id = email_attachment_id(&attachment->email_id, attachment->number);
	g_autofree char *url =
	    email_attachment_url(service, &attachment->email_id, attachment->number, expires);

	fcgi_resend_write_id(writer, "id", &id);
	json_writer_string(writer, "filename", attachment->filename);
	json_writer_integer(writer, "size", (gint64)attachment->size);
	json_writer_string(writer, "content_type", attachment->content_type);
	json_writer_string(
	    writer, "content_disposition", attachment->content_id ? "inline" : "attachment");
	if (attachment->content_id)
		json_writer_string(writer, "content_id", attachment->content_id);
	json_writer_string(writer, "download_url", url);
	fcgi_resend_write_time(writer, "expires_at", expires);
}

/* All attachments of the email in the path, in the order in which they were sent. */
static GPtrArray *
attachments_read_all(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!fcgi_resend_id(call, 0, &id, error))
		return NULL;
	return store_attachment_list(call->service->db, &call->key.workspace_id, &id, error);
}

/* The place of the attachment with this id; their number when there is none. */
static guint
attachments_place_of(const GPtrArray *attachments, const struct base_id *id)
{
	guint place = 0;

	for (; place < attachments->len; place++) {
		const struct store_attachment *attachment = attachments->pdata[place];
		struct base_id own = email_attachment_id(&attachment->email_id, attachment->number);

		if (base_id_equal(&own, id))
			break;
	}
	return place;
}

/* Borrows those next to the cursor, on its side, at most page->limit. */
static GPtrArray *
attachments_cut(const GPtrArray *attachments, const struct store_page *page)
{
	guint place = attachments_place_of(attachments, &page->cursor);
	guint first = page->side == STORE_PAGE_OLDER ? place + 1 : 0;
	guint end = page->side == STORE_PAGE_NEWER ? place : attachments->len;
	GPtrArray *rows = g_ptr_array_new();

	if (page->side == STORE_PAGE_NEWER && end > page->limit)
		first = end - page->limit;
	for (guint i = first; i < end && rows->len < page->limit; i++)
		g_ptr_array_add(rows, attachments->pdata[i]);
	return rows;
}

bool
fcgi_resend_attachments_list(struct fcgi_call *call, GError **error)
{
	struct store_page page;

	if (!fcgi_resend_page(call, RESEND_ROWS_SOME, &page, error))
		return false;
	g_autoptr(GPtrArray) attachments = attachments_read_all(call, error);
	g_autoptr(GPtrArray) rows = attachments ? attachments_cut(attachments, &page) : NULL;
	return fcgi_resend_list(call, &page, rows, attachments_write_members);
}

bool
fcgi_resend_attachments_get(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct base_id id;

	if (!fcgi_resend_id(call, 1, &id, error))
		return false;
	g_autoptr(GPtrArray) attachments = attachments_read_all(call, error);
	if (!attachments)
		return false;
	guint place = attachments_place_of(attachments, &id);
	if (place == attachments->len)
		return fcgi_resend_missing(error, "Attachment");
	return fcgi_resend_reply_row(
	    call, "attachment", attachments_write_members, attachments->pdata[place]);
}
