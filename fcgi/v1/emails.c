/* SPDX-License-Identifier: MIT */
/* Emails: send, list, read, move and cancel them (/v1/emails). */
#include "fcgi/v1/handlers.h"

#include <string.h>

#include "api/fields.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits/email.h"
#include "base/limits/list.h"
#include "base/secret.h"
#include "content/content.h"
#include "email/schedule.h"
#include "email/submission.h"
#include "fcgi/api/context.h"
#include "fcgi/api/sending.h"
#include "fcgi/http/request.h"
#include "json/fields.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/common/listing.h"
#include "store/common/search.h"
#include "store/email/email.h"
#include "submit/submit.h"

/* clang-format off */
static const struct json_field attachment_fields[] = {FIELDS_ATTACHMENT(struct email_submission_attachment)};

static const struct json_field fields[] = {FIELDS_NEW_EMAIL(struct email_submission),
	JSON_FIELD("attachments", FIELD_LIST, struct email_submission, attachments, .max = LIMIT_ATTACHMENTS,
		.above = "Too many attachments: {count}. Max is {max}",
		JSON_ELEMENTS(attachment_fields, struct email_submission_attachment))};
/* clang-format on */

const struct json_table fcgi_emails_body = JSON_TABLE(fields);

static char *
emails_write_id(const struct service_once *request)
{
	const struct submit_sending *sending = (const struct submit_sending *)request;
	AUTO(json_writer) writer = json_writer_new();

	fcgi_write_id(writer, &sending->id);
	return json_writer_take(writer, NULL);
}

/* Frees the body early: the attempt needs memory of its own. */
static struct service_once *
v1_emails_check(struct fcgi_call *call, GError **error)
{
	struct email_submission submission = {
	    .only_domain = fcgi_call_only_domain(call), .prefetch = call->prefetch};
	struct submit_sending *sending = NULL;
	struct service_idempotency key;

	if (!json_fields_read(call->json, fields, G_N_ELEMENTS(fields), &submission, error))
		return NULL;
	if (fcgi_call_idempotency(call, &key, emails_write_id, error))
		sending = submit_send_check(
		    call->service, &call->key.workspace_id, &submission, &key, true, error);
	json_fields_free(fields, G_N_ELEMENTS(fields), &submission);
	g_clear_pointer(&call->json, json_free);
	return sending ? &sending->request : NULL;
}

const struct fcgi_storing fcgi_emails_storing = {
    201, v1_emails_check, emails_write_id, &fcgi_sending_gathering};

static bool
emails_not_found(GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Email not found");
	return false;
}

bool
fcgi_emails_get(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct store_event_history *histories = NULL;
	struct base_id id;

	if (!base_id_parse(call->arguments[0], &id))
		return emails_not_found(error);
	AUTO(store_email) email = store_email_show(
	    call->service->db, call->ahead, &call->key.workspace_id, &id, &histories, error);
	if (!email)
		return false;
	bool done = fcgi_email_view_write(writer, call->service, email, histories, error);
	store_event_history_clear(histories, email->recipients->len);
	g_free(histories);
	if (done)
		fcgi_reply_json(call->reply, 200, writer);
	return done;
}

static bool
emails_read_status(const char *text, enum store_event_status *status_r, GError **error)
{
	*status_r = text && *text ? store_event_status(text) : EVENT_NONE;
	if (!text || !*text || *status_r != EVENT_NONE)
		return true;
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "status must be the name of an email event");
	return false;
}

static bool
emails_read_recipient(const char *name, const char *text, char **address_r, GError **error)
{
	g_autofree char *given = text && *text ? fcgi_page_plus(text) : NULL;

	*address_r = given ? email_envelope_recipient(given) : NULL;
	if (!given || *address_r)
		return true;
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "%s must be an email address", name);
	return false;
}

/* Reads NAME or NAME:VALUE; the caller frees *name_r. */
static bool
emails_read_tag(struct fcgi_call *call, char **name_r, const char **value_r, GError **error)
{
	const char *text, *colon;

	if (!fcgi_request_query(call->request, "tag", &text, error))
		return false;
	if (!text)
		return true;
	colon = strchr(text, ':');
	if (!*text || colon == text)
		return base_invalid(error, "tag must not be empty");
	*name_r = colon ? g_strndup(text, (gsize)(colon - text)) : g_strdup(text);
	*value_r = colon ? colon + 1 : NULL;
	return true;
}

/* The filter of a list with all that it borrows. */
struct list_filter {
	struct store_email_filter filter;
	struct base_id before;
	gint64 since, until;
	char *address, *sender, *tag;
	struct store_search search;
};

static void
clear_filter(struct list_filter *list)
{
	g_free(list->address);
	g_free(list->sender);
	g_free(list->tag);
	store_search_clear(&list->search);
}

static bool
emails_read_type(const char *text, enum store_email_type *type_r, GError **error)
{
	for (enum store_email_type type = EMAIL_TRANSACTIONAL; type < EMAIL_BROADCAST; type++)
		if (text && strcmp(text, store_email_type_name(type)) == 0)
			*type_r = type;
	return !text || *type_r || base_invalid(error, "type must be transactional or automation");
}

/* Reads the query, in the order of email_filters (fcgi/api/routes.c). Clear the filter in any case.
 */
static bool
emails_read_filter(struct fcgi_call *call, struct list_filter *list, GError **error)
{
	struct store_email_filter *filter = &list->filter;
	const char *status, *to, *from, *type;
	bool given, is_search;

	if (!fcgi_page_cursor(call, false, &list->before, &given, error) ||
	    !fcgi_request_query(call->request, "status", &status, error) ||
	    !fcgi_request_query(call->request, "to", &to, error) ||
	    !fcgi_request_query(call->request, "from", &from, error) ||
	    !emails_read_status(status, &filter->status, error) ||
	    !emails_read_recipient("to", to, &list->address, error) ||
	    !emails_read_tag(call, &list->tag, &filter->value, error) ||
	    !emails_read_recipient("from", from, &list->sender, error) ||
	    !fcgi_page_time(call, "since", &list->since, &filter->since, error) ||
	    !fcgi_page_time(call, "until", &list->until, &filter->until, error) ||
	    !fcgi_page_text(call, "type", &type, error) ||
	    !emails_read_type(type, &filter->type, error) ||
	    !fcgi_page_search(call, &list->search, &is_search, error))
		return false;
	/* No address has other letters than ASCII. */
	if (is_search)
		filter->search = list->search.address ? list->search.address : list->search.name;
	filter->before = given ? &list->before : NULL;
	filter->address = list->address;
	filter->sender = list->sender;
	filter->tag = list->tag;
	return true;
}

static bool
emails_list_emails(struct fcgi_call *call, const struct list_filter *list, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	const struct base_id *workspace = &call->key.workspace_id;
	struct store_rest rest;
	g_autoptr(GPtrArray) emails = store_email_list_of(
	    call->service->db, workspace, &list->filter, LIMIT_PAGE + 1, &rest, error);

	if (!emails)
		return false;
	guint count = MIN(emails->len, LIMIT_PAGE);
	fcgi_page_begin(writer, "emails");
	for (guint i = 0; i < count; i++)
		if (!fcgi_email_view_write_row(writer, emails->pdata[i], error))
			return false;
	fcgi_page_end(call, writer, false, count,
	    emails->len > count ? &((const struct store_email *)emails->pdata[count - 1])->id
	    : rest.is_any	? &rest.id
				: NULL);
	return true;
}

bool
fcgi_emails_list(struct fcgi_call *call, GError **error)
{
	struct list_filter list = {.address = NULL};
	bool done =
	    emails_read_filter(call, &list, error) && emails_list_emails(call, &list, error);

	clear_filter(&list);
	return done;
}

/* The query of GET /v1/emails/{id}/events. */
struct events_filter {
	struct store_event_place before;
	bool is_given; /* whether there is a cursor, before */
	char *address; /* of one recipient; NULL for all of them */
};

static bool
read_events_filter(struct fcgi_call *call, struct events_filter *filter, GError **error)
{
	const char *recipient;

	return fcgi_page_place(
		   call, &filter->before.timestamp, &filter->before.id, &filter->is_given, error) &&
	       fcgi_request_query(call->request, "recipient", &recipient, error) &&
	       emails_read_recipient("recipient", recipient, &filter->address, error);
}

static bool
emails_find_recipient(const GPtrArray *addresses, const char *address, guint *number_r)
{
	for (guint i = 0; i < addresses->len; i++)
		if (g_ascii_strcasecmp(addresses->pdata[i], address) == 0) {
			*number_r = i;
			return true;
		}
	return false;
}

/* Reads a page of events, none when the address is not a recipient. NULL with error. */
static GPtrArray *
emails_read_events(struct fcgi_call *call, const struct base_id *id,
    const struct events_filter *filter, const GPtrArray *addresses, GError **error)
{
	guint number;

	if (filter->address && !emails_find_recipient(addresses, filter->address, &number))
		return g_ptr_array_new();
	return store_event_page(call->service->db, id, filter->address ? &number : NULL,
	    filter->is_given ? &filter->before : NULL, LIMIT_PAGE + 1, error);
}

static void
reply_events(struct fcgi_call *call, const GPtrArray *events, const GPtrArray *addresses)
{
	AUTO(json_writer) writer = json_writer_new();
	guint count = MIN(events->len, LIMIT_PAGE);
	const struct store_event *last = events->len > count ? events->pdata[count - 1] : NULL;
	g_autofree char *cursor = last ? fcgi_page_place_cursor(last->timestamp, &last->id) : NULL;

	fcgi_page_begin(writer, "events");
	for (guint i = 0; i < count; i++) {
		const struct store_event *event = events->pdata[i];
		const char *address =
		    event->recipient < addresses->len ? addresses->pdata[event->recipient] : NULL;

		fcgi_email_view_write_event(writer, address && *address ? address : NULL, event);
	}
	fcgi_page_end_text(call, writer, count, cursor);
}

bool
fcgi_emails_events(struct fcgi_call *call, GError **error)
{
	struct events_filter filter = {.address = NULL};
	struct base_id id;

	if (!read_events_filter(call, &filter, error))
		return false;
	g_autofree char *address = filter.address;
	if (!base_id_parse(call->arguments[0], &id))
		return emails_not_found(error);
	g_autoptr(GPtrArray) addresses =
	    store_email_recipients(call->service->db, &call->key.workspace_id, &id, error);
	g_autoptr(GPtrArray) events =
	    addresses ? emails_read_events(call, &id, &filter, addresses, error) : NULL;
	if (!events)
		return false;
	reply_events(call, events, addresses);
	return true;
}

struct change {
	gint64 scheduled_at; /* epoch ms */
};

static const struct json_field change_fields[] = {FIELDS_EMAIL_CHANGE(struct change)};

const struct json_table fcgi_emails_change = JSON_TABLE(change_fields);

bool
fcgi_emails_patch(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct change change;
	struct base_id id = {{0}}; /* no email's, where the path has none */
	char text[ID_TEXT_SIZE];
	gint64 moved;

	base_id_parse(call->arguments[0], &id);
	if (!json_fields_read(
		call->json, change_fields, G_N_ELEMENTS(change_fields), &change, error) ||
	    !email_schedule_move(
		call->service, &call->key.workspace_id, &id, change.scheduled_at, &moved, error))
		return false;
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", base_id_format(&id, text));
	json_writer_integer(writer, "scheduled_at", moved);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_emails_cancel(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!base_id_parse(call->arguments[0], &id))
		return emails_not_found(error);
	if (!email_schedule_cancel(call->service, &call->key.workspace_id, &id, error))
		return false;
	fcgi_reply_message(call->reply, "Email cancelled");
	return true;
}
