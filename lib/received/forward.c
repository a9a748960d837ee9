/* SPDX-License-Identifier: MIT */
/* Makes emails of received mail, to be forwarded. */
#include "received/forward.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/email.h"
#include "base/limits/received.h"
#include "db/transaction.h"
#include "email/draft.h"
#include "email/raw.h"
#include "email/submission.h"
#include "json/strict.h"
#include "json/value.h"
#include "mail/address.h"
#include "mail/field.h"
#include "mail/raw.h"
#include "received/message.h"
#include "received/rule.h"
#include "service/quota.h"
#include "service/service.h"
#include "store/email/email.h"
#include "store/received/received.h"
#include "store/workspace/quota.h"
#include "submit/submit.h"

#define NAME_MOST 200 /* characters of the writer in the new From */

/* Fields of the old way, or that speak for the old sender. With a - at the end: all that begin
   so. */
static const char *const forward_left_out[] = {"From", "Reply-To", "Sender", "Return-Path",
    "DKIM-Signature", "Authentication-Results", "Received", "Received-SPF", "Delivered-To", "Bcc",
    "Disposition-Notification-To", "Return-Receipt-To", "ARC-", "X-Original-To"};

static bool
forward_is_left_out(const char *line, gsize size)
{
	const char *colon = memchr(line, ':', size);
	gsize length = colon ? (gsize)(colon - line) : size;

	while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t'))
		length--;
	for (guint i = 0; i < G_N_ELEMENTS(forward_left_out); i++) {
		const char *name = forward_left_out[i];
		gsize count = strlen(name);

		if (length >= count && g_ascii_strncasecmp(line, name, count) == 0 &&
		    (length == count || name[count - 1] == '-'))
			return true;
	}
	return false;
}

/* Copies the header without what is left out. Returns the place of the body, with its empty line.
 */
static gsize
forward_copy_header(GString *out, const char *data, gsize size)
{
	bool out_of_it = false;
	gsize at = 0;

	while (at < size) {
		const char *end = memchr(data + at, '\n', size - at);
		gsize next = end ? (gsize)(end - data) + 1 : size;
		bool empty = next - at == 1 || (next - at == 2 && data[at] == '\r');

		if (empty)
			break;
		if (data[at] != ' ' && data[at] != '\t')
			out_of_it = forward_is_left_out(data + at, next - at);
		if (!out_of_it)
			g_string_append_len(out, data + at, (gssize)(next - at));
		at = next;
	}
	return at;
}

/* The writer in the new From: NAME (ADDRESS), or ADDRESS. The caller owns it. */
static char *
forward_name(const struct received_forwarding *forwarding)
{
	const char *address = forwarding->from_address ? forwarding->from_address : "unknown";
	AUTO(mail_address)
	writer = forwarding->from ? mail_address_parse(forwarding->from, NULL) : NULL;
	g_autofree char *name =
	    writer && *writer->name
		? g_utf8_substring(writer->name, 0, MIN(g_utf8_strlen(writer->name, -1), NAME_MOST))
		: NULL;

	return name ? g_strdup_printf("%s (%s)", name, address) : g_strdup(address);
}

/* The addresses to answer; NULL: none are known. The caller owns them. */
static GPtrArray *
forward_reply_to(const struct received_forwarding *forwarding)
{
	const char *text = forwarding->reply_to ? forwarding->reply_to : forwarding->from_address;

	return text ? mail_address_parse_list(text, NULL) : NULL;
}

/* The message as it is to be sent, with list in Reply-To. The caller owns it. */
static GString *
forward_compose(const struct received_forwarding *forwarding, const struct mail_address *from,
    const GPtrArray *list)
{
	GString *out = g_string_sized_new(forwarding->size + 512);
	struct mail_field field;
	gsize body = forward_copy_header(out, forwarding->data, forwarding->size);

	/* A header that ends without a line end. */
	if (out->len > 0 && out->str[out->len - 1] != '\n')
		g_string_append(out, "\r\n");
	mail_field_begin(&field, out, "From");
	mail_field_address(&field, from, false);
	mail_field_end(&field);
	if (list && list->len > 0) {
		mail_field_begin(&field, out, "Reply-To");
		for (guint i = 0; i < list->len; i++)
			mail_field_address(&field, list->pdata[i], i + 1 < list->len);
		mail_field_end(&field);
	}
	g_string_append_printf(out, "X-Loop: %s\r\n", forwarding->came_to);
	if (body == forwarding->size)
		g_string_append(out, "\r\n");
	g_string_append_len(
	    out, (const char *)forwarding->data + body, (gssize)(forwarding->size - body));
	return out;
}

struct email_draft *
received_forward_draft(struct service *service, const struct base_id *workspace,
    const struct received_forwarding *forwarding, GError **error)
{
	g_autofree char *name = forward_name(forwarding);
	const struct mail_address from = {name, (char *)forwarding->sender};
	g_autoptr(GPtrArray) list = forward_reply_to(forwarding);
	g_autoptr(GString) text = forward_compose(forwarding, &from, list);
	AUTO(mail_raw) raw = mail_raw_read(text->str, text->len, error);

	if (!raw)
		return NULL;
	g_autofree char *sender = mail_address_format(&from);
	g_autofree char *subject = mail_raw_subject(raw);
	g_autofree char *shown = list && list->len > 0 && list->len <= LIMIT_RECIPIENTS
				     ? mail_address_format_list(list)
				     : NULL;
	const char *reply_to[] = {shown, NULL};
	const struct email_raw_message message = {raw, false};
	const struct email_submission submission = {
	    .from = sender,
	    .to = (const char **)(void *)forwarding->to,
	    .reply_to = reply_to,
	    .subject = subject,
	    .raw = &message,
	};
	AUTO(email_draft) draft = email_draft_new(service, workspace, &submission, error);
	return draft && service_quota_check(service, workspace, &draft->quota,
			    draft->email->recipients->len, base_clock_now(), error)
		   ? g_steal_pointer(&draft)
		   : NULL;
}

struct forward_storing {
	const struct base_id *workspace, *received;
	const struct email_draft *draft;
	const struct store_received_forward *forward;
};

static bool
forward_store(struct db *db, void *context, GError **error)
{
	const struct forward_storing *storing = context;

	return store_received_forward_add(
		   db, storing->workspace, storing->received, storing->forward, error) &&
	       submit_store_counted(db, &storing->draft, 1, base_clock_now(), error);
}

/* The addresses of a JSON list, separated by commas; NULL for none. The caller owns it. */
static char *
forward_join(const struct json *list)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (gsize i = 0; i < json_array_length(list); i++)
		g_string_append_printf(
		    text, "%s%s", i > 0 ? ", " : "", json_string(json_array_at(list, i), NULL));
	return text->len > 0 ? g_strdup(text->str) : NULL;
}

bool
received_forward(struct service *service, const struct base_id *workspace, const struct base_id *id,
    const struct received_forward_wish *wish, struct base_id *id_r, GError **error)
{
	const char *from = wish->from, *const *to = wish->to;
	g_autofree char *given =
	    from ? mail_address_normal(from, MAIL_LOCAL_SENDABLE, error) : NULL;

	if (from && !given) {
		g_prefix_error(error, "from ");
		return false;
	}
	if (g_strv_length((char **)to) > LIMIT_RECEIVED_FORWARDS)
		return base_invalid(
		    error, "to must have at most %d elements", LIMIT_RECEIVED_FORWARDS);
	AUTO(store_received) received = store_received_get(service->db, workspace, id, error);
	g_autoptr(GBytes) raw =
	    received ? store_received_raw(service->db, workspace, id, error) : NULL;

	if (!raw)
		return false;
	gsize size;
	const char *data = g_bytes_get_data(raw, &size);
	AUTO(json) summary = json_parse(received->summary, strlen(received->summary), error);
	AUTO(json)
	content = json_parse(
	    g_bytes_get_data(received->content, NULL), g_bytes_get_size(received->content), error);
	if (!summary || !content)
		return false;
	g_autofree char *reply_to = forward_join(json_member_get(content, "reply_to"));
	const struct json *recipients = json_member_get(summary, "recipients");
	const char *own = json_string(json_array_at(recipients, 0), NULL);
	const struct received_forwarding forwarding = {data, size,
	    received_message_text(summary, "from"), *received->writer ? received->writer : NULL,
	    reply_to, own, given ? given : own, to};
	AUTO(email_draft) draft = received_forward_draft(service, workspace, &forwarding, error);
	if (!draft)
		return false;
	g_autofree char *list = received_rule_print(to);
	const struct store_received_forward forward = {draft->email->id, true, list, NULL};
	struct forward_storing storing = {workspace, id, draft, &forward};
	*id_r = draft->email->id;
	return db_transact(service->db, forward_store, &storing, error);
}
