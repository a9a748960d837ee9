/* SPDX-License-Identifier: MIT */
/* Finds the email that a mail answers, and records that its recipient replied. */
#include "received/reply.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/received.h"
#include "json/value.h"
#include "mail/address.h"
#include "received/mail.h"
#include "received/message.h"
#include "received/route.h"
#include "service/metrics.h"
#include "service/service.h"
#include "store/email/event.h"
#include "store/feedback/report.h"
#include "store/figure/figure.h"
#include "store/received/event.h"
#include "store/received/received.h"

/* Reads a Message-ID as email/compose.c makes it: id@domain, or id.number@domain. */
static bool
reply_read_id(const char *text, struct base_id *id_r, const char **domain_r)
{
	const char *at = text ? strchr(text, '@') : NULL;

	if (!at || strcspn(text, ".@") != ID_TEXT_SIZE - 1)
		return false;
	g_autofree char *id = g_strndup(text, ID_TEXT_SIZE - 1);
	*domain_r = at + 1;
	return base_id_parse(id, id_r);
}

/* Finds an email of the workspace; *email_r is NULL where there is none. */
static bool
reply_find_email(struct service *service, const struct base_id *workspace, const struct base_id *id,
    struct store_reported **email_r, GError **error)
{
	g_autoptr(GError) failure = NULL;
	AUTO(store_reported) email = store_report_find(service->db, id, &failure);

	*email_r = NULL;
	if (email && base_id_equal(&email->workspace_id, workspace))
		*email_r = g_steal_pointer(&email);
	if (email || !failure || g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
		return true;
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

/* Finds the email by the address for replies to which the mail came. */
static bool
reply_find_token(struct service *service, struct received_mail *mail, GError **error)
{
	for (guint i = 0; i < mail->targets->len && !mail->answered; i++) {
		const struct received_target *target = mail->targets->pdata[i];

		if (!target->is_reply)
			continue;
		if (!reply_find_email(
			service, &target->workspace, &target->email, &mail->answered, error))
			return false;
		mail->recipient = target->recipient;
	}
	return true;
}

/* The recipient of the email who wrote the mail: the writer, else the only one. */
static guint
reply_recipient_of(const struct received_mail *mail)
{
	const GPtrArray *recipients = mail->answered->recipients;

	for (guint i = 0; i < recipients->len; i++) {
		const char *address = recipients->pdata[i];
		g_autofree char *key = *address ? mail_address_key(address) : NULL;

		if (key && strcmp(key, mail->row->writer) == 0)
			return i;
	}
	return recipients->len == 1 ? 0 : G_MAXUINT;
}

/* Finds the email by a Message-ID of ours, with the domain that we put into it. */
static bool
reply_find_id(struct service *service, struct received_mail *mail, const char *text, GError **error)
{
	const char *domain;
	struct base_id id;

	if (!reply_read_id(text, &id, &domain))
		return true;
	if (!reply_find_email(service, &mail->row->workspace_id, &id, &mail->answered, error))
		return false;
	if (!mail->answered)
		return true;
	AUTO(mail_address) sender = mail_address_reread(mail->answered->sender, NULL);
	if (!sender || g_ascii_strcasecmp(mail_address_domain(sender), domain) != 0)
		g_clear_pointer(&mail->answered, store_reported_free);
	return true;
}

/* Sets the writer and its kind in the row. */
static void
reply_set_writer(struct received_mail *mail)
{
	const char *address = received_message_text(mail->message, "from_address");

	g_free(mail->row->writer);
	mail->row->writer = address ? mail_address_key(address) : g_strdup("");
	mail->row->automatic = (enum store_received_automatic)json_integer(
	    json_member_get(mail->message, "automatic"));
}

bool
received_reply_find(struct service *service, struct received_mail *mail, GError **error)
{
	const struct json *references = json_member_get(mail->message, "references");
	gsize count = json_array_length(references);
	const char *last =
	    count > 0 ? json_string(json_array_at(references, count - 1), NULL) : NULL;
	const char *answered = received_message_text(mail->message, "in_reply_to");

	reply_set_writer(mail);
	if (!reply_find_token(service, mail, error))
		return false;
	if (!mail->answered) {
		if (!reply_find_id(service, mail, answered, error) ||
		    (!mail->answered && !reply_find_id(service, mail, last, error)))
			return false;
		if (mail->answered)
			mail->recipient = reply_recipient_of(mail);
	}
	mail->is_counted = mail->answered && mail->row->automatic == RECEIVED_BY_PERSON &&
			   mail->recipient < mail->answered->recipients->len;
	return true;
}

/* The event of the mail. link_r is the text that it has in place of a link. */
static struct store_event
reply_event_of(const struct received_mail *mail, gint64 now, char link_r[ID_TEXT_SIZE])
{
	const struct store_reported *email = mail->answered;
	const char *address = email->recipients->pdata[mail->recipient];

	return (struct store_event){
	    .workspace_id = email->workspace_id,
	    .email_id = email->id,
	    .type = email->type,
	    .recipient = mail->recipient,
	    .mailed = email->is_mailing ? address : NULL,
	    .status = EVENT_REPLIED,
	    .timestamp = now,
	    .link = base_id_format(&mail->row->id, link_r),
	    .origin = &email->origin,
	    .address = address,
	};
}

bool
received_reply_store(struct db *db, struct received_mail *mail, gint64 now, GError **error)
{
	char link[ID_TEXT_SIZE];
	guint before;

	if (!mail->answered || mail->recipient >= mail->answered->recipients->len ||
	    mail->row->automatic != RECEIVED_BY_PERSON)
		return true;
	if (!store_received_reply_add(
		db, &mail->answered->id, mail->recipient, LIMIT_RECEIVED_REPLIES, &before, error))
		return false;
	mail->is_counted = before < LIMIT_RECEIVED_REPLIES;
	if (!mail->is_counted)
		return true;
	struct store_event event = reply_event_of(mail, now, link);
	if (before == 0)
		store_figure_count(db, &event.workspace_id, event.origin, event.address,
		    &(struct store_figure_change){FIGURE_REPLIED, now, 1});
	return store_event_insert(db, &event, 1, error);
}

void
received_reply_count(struct service *service, const struct received_mail *mail)
{
	char link[ID_TEXT_SIZE];

	if (!mail->is_counted)
		return;
	struct store_event event = reply_event_of(mail, 0, link);
	service_metrics_events(&event, 1);
}
