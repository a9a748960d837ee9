/* SPDX-License-Identifier: MIT */
/* Takes messages: reads them, and stores all that follows from one in a transaction. */
#include <string.h>

#include "base/clock.h"
#include "base/fault.h"
#include "base/error.h"
#include "base/secret.h"
#include "config/settings.h"
#include "db/transaction.h"
#include "email/draft.h"
#include "email/spam.h"
#include "json/value.h"
#include "json/writer.h"
#include "mail/address.h"
#include "mail/incoming.h"
#include "mail/message.h"
#include "received/authentication.h"
#include "received/door.h"
#include "received/forward.h"
#include "received/mail.h"
#include "received/message.h"
#include "received/reader.h"
#include "received/reply.h"
#include "received/route.h"
#include "received/rule.h"
#include "service/service.h"
#include "store/common/settle.h"
#include "store/email/email.h"
#include "store/received/received.h"
#include "store/workspace/quota.h"
#include "submit/submit.h"

/* A message that is being taken. */
struct taking {
	struct service *service;
	const struct received_session *session;
	const char *sender;
	const void *data;
	gsize size;
	gint64 now;
	GPtrArray *mails; /* struct received_mail, of each workspace one */
	char *spam;	  /* the score; NULL: nobody asked */
	bool is_careful;  /* the message may be known */
};

static struct received_mail *
take_mail_of(struct taking *taking, const struct base_id *workspace)
{
	for (guint i = 0; i < taking->mails->len; i++) {
		struct received_mail *mail = taking->mails->pdata[i];

		if (base_id_equal(&mail->row->workspace_id, workspace))
			return mail;
	}
	struct received_mail *mail = received_mail_new(workspace);
	g_ptr_array_add(taking->mails, mail);
	return mail;
}

/* Gives each workspace the recipients that are its own; those whose mail is dropped have none. */
static void
take_sort(struct taking *taking, struct received_route *const *routes, guint count)
{
	for (guint i = 0; i < count; i++)
		for (guint k = 0; k < routes[i]->targets->len; k++) {
			const struct received_target *target = routes[i]->targets->pdata[k];

			if (target->action != RECEIVING_DROP)
				received_mail_add(
				    take_mail_of(taking, &target->workspace), routes[i], target);
		}
}

/* Asks the spam filter. False where the message is refused. */
static bool
take_ask_filter(struct taking *taking, GBytes *message)
{
	const struct config_settings *settings = taking->service->settings;
	const char *most = config_settings_text(settings, SETTING_RECEIVING_SPAM_REFUSE);
	struct email_spam spam = {.text = NULL};

	if (!config_settings_switch(settings, SETTING_RECEIVING_SPAM) ||
	    !email_spam_is_set(settings))
		return true;
	email_spam_ask(settings, message, &spam);
	g_free(spam.text);
	if (!spam.is_known)
		return true;
	char score[G_ASCII_DTOSTR_BUF_SIZE];
	taking->spam = g_strdup(g_ascii_formatd(score, sizeof(score), "%.10g", spam.score));
	return !*most || spam.score < g_ascii_strtod(most, NULL);
}

/* The fields in front of a message that came by SMTP (RFC 5321 section 4.4). The caller owns them.
 */
static char *
take_trace(const struct taking *taking, const struct base_id *id)
{
	const struct received_session *session = taking->session;
	g_autofree char *date = mail_date_format(taking->now);
	/* An address literal of IPv6 has its tag (section 4.1.3). */
	const char *tag = session->address && strchr(session->address, ':') ? "IPv6:" : "";
	g_autofree char *client =
	    session->address ? g_strdup_printf("[%s%s]", tag, session->address) : g_strdup("local");
	const char *protocol = session->tls ? "ESMTPS" : session->is_plain ? "SMTP" : "ESMTP";
	char text[ID_TEXT_SIZE];

	if (session->is_pipe)
		return g_strdup("");
	return g_strdup_printf("Return-Path: <%s>\r\nReceived: from %s (%s)\r\n\tby %s "
			       "(Posthouse) with %s id %s;\r\n\t%s\r\n",
	    taking->sender, session->helo ? session->helo : "unknown", client,
	    session->hostname ? session->hostname : "localhost", protocol, base_id_format(id, text),
	    date);
}

/* Reads the mail of one workspace, and makes all that is to be stored. */
static bool
take_prepare(struct taking *taking, struct received_mail *mail, GBytes *message, GError **error)
{
	g_autofree char *trace = take_trace(taking, &mail->row->id);
	gsize size;
	const void *data = g_bytes_get_data(message, &size);
	GByteArray *whole = g_byte_array_sized_new((guint)(strlen(trace) + size));

	g_byte_array_append(whole, (const guint8 *)trace, (guint)strlen(trace));
	g_byte_array_append(whole, data, (guint)size);
	mail->bytes = g_byte_array_free_to_bytes(whole);
	data = g_bytes_get_data(mail->bytes, &size);
	const struct received_reader_given given = {
	    &mail->row->workspace_id, data, size, taking->sender};
	mail->message =
	    received_reader_read(taking->service, taking->session->reader, &given, error);
	if (!mail->message)
		return false;
	received_authentication_read(taking->service, taking->session, data, size,
	    received_message_text(mail->message, "from_address"), &mail->authentication);
	if (!received_reply_find(taking->service, mail, error))
		return false;
	received_mail_write(mail, taking->session, taking->sender, taking->spam, taking->now);
	return received_mail_forward(taking->service, mail, taking->sender, error);
}

/* The digest by which a message to a recipient is known: of Message-ID, body and recipient. */
static void
take_digest(const struct taking *taking, const struct received_mail *mail, const char *recipient,
    guint8 digest_r[SHA256_SIZE])
{
	const char *id = received_message_text(mail->message, "message_id");
	const char *data = taking->data, *body = data;
	guint8 hash[SHA256_SIZE];
	gsize size = taking->size;

	for (const char *p = data; id && p < data + size; p++)
		if (*p == '\n' && (p + 1 == data + size || p[1] == '\n' ||
				      (p[1] == '\r' && p + 2 < data + size && p[2] == '\n'))) {
			body = p + 1;
			break;
		}
	base_secret_sha256(body, size - (gsize)(body - data), hash);
	g_autoptr(GString) text = g_string_new(id ? id : "");
	g_string_append_c(text, '\n');
	g_string_append(text, recipient);
	g_string_append_c(text, '\n');
	g_string_append_len(text, (const char *)hash, sizeof(hash));
	base_secret_sha256(text->str, text->len, digest_r);
}

/* Notes a recipient of a mail. *is_new_r: the message is not known for it. */
static bool
take_note_recipient(struct db *db, const struct taking *taking, const struct received_mail *mail,
    const char *recipient, bool *is_new_r, GError **error)
{
	const struct base_id *workspace = &mail->row->workspace_id;
	guint8 digest[SHA256_SIZE];

	take_digest(taking, mail, recipient, digest);
	*is_new_r = true;
	return taking->is_careful
		   ? store_received_note(db, workspace, digest, taking->now, is_new_r, error)
		   : store_received_note_new(db, workspace, digest, taking->now, error);
}

/* Notes the recipients of a mail, which is new where the message is so for one of them. */
static bool
take_note(struct db *db, const struct taking *taking, struct received_mail *mail, GError **error)
{
	mail->is_new = false;
	for (guint i = 0; i < mail->routes->len; i++) {
		const struct received_route *route = mail->routes->pdata[i];
		bool is_new;

		if (!take_note_recipient(db, taking, mail, route->key, &is_new, error))
			return false;
		mail->is_new = mail->is_new || is_new;
	}
	return true;
}

static bool
take_store_forwards(struct db *db, struct received_mail *mail, gint64 now, GError **error)
{
	const struct base_id *workspace = &mail->row->workspace_id;

	for (guint i = 0; i < mail->forwards->len; i++)
		if (!store_received_forward_add(
			db, workspace, &mail->row->id, mail->forwards->pdata[i], error))
			return false;
	return submit_store_counted(db, (const struct email_draft *const *)mail->drafts->pdata,
	    mail->drafts->len, now, error);
}

static bool
take_store(struct db *db, void *context, GError **error)
{
	struct taking *taking = context;

	for (guint i = 0; i < taking->mails->len; i++) {
		struct received_mail *mail = taking->mails->pdata[i];

		if (!take_note(db, taking, mail, error))
			return false;
		FAULT("received-noted");
		if (!mail->is_new)
			continue;
		if (!store_received_insert(db, mail->row, error) ||
		    !received_reply_store(db, mail, taking->now, error) ||
		    !received_mail_tell(db, mail, error) ||
		    !take_store_forwards(db, mail, taking->now, error))
			return false;
		FAULT("received-told");
	}
	return true;
}

/* Writes the reply, and counts. */
static void
take_finish(struct taking *taking, struct received_route *const *routes, guint count,
    GString *reply, struct base_id *id_r)
{
	char text[ID_TEXT_SIZE];

	for (guint i = 0; i < taking->mails->len; i++) {
		const struct received_mail *mail = taking->mails->pdata[i];

		if (!mail->is_new)
			continue;
		received_mail_count(mail);
		received_reply_count(taking->service, mail);
		if (reply->len > 0)
			continue;
		*id_r = mail->row->id;
		g_string_printf(reply, "250 2.0.0 stored as %s", base_id_format(id_r, text));
	}
	for (guint i = 0; i < count; i++)
		received_mail_count_dropped(routes[i]);
	if (reply->len == 0)
		g_string_assign(reply, "250 2.0.0 recorded");
}

/* Nearly every message is new, so it is stored in one round trip as if it were. Where its notes are
   there already, the second try looks at each of them. */
static bool
take_commit(struct taking *taking, GError **error)
{
	g_autoptr(GError) failure = NULL;
	struct db *db = taking->service->db;

	if (db_transact(db, take_store, taking, &failure))
		return true;
	if (!g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT)) {
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	taking->is_careful = true;
	return db_transact(db, take_store, taking, error);
}

static bool
take_is_any_new(const struct taking *taking)
{
	for (guint i = 0; i < taking->mails->len; i++)
		if (((const struct received_mail *)taking->mails->pdata[i])->is_new)
			return true;
	return false;
}

static bool
take_all(struct taking *taking, GBytes *message, GString *reply, GError **error)
{
	if (taking->mails->len > 0 && !take_ask_filter(taking, message)) {
		g_string_assign(reply, "550 5.7.1 Message looks like spam");
		return true;
	}
	for (guint i = 0; i < taking->mails->len; i++)
		if (!take_prepare(taking, taking->mails->pdata[i], message, error))
			return false;
	if (taking->mails->len == 0)
		return true;
	/* The sender drops its copy of a message that is known, and the COMMIT that has stored it
	   may still wait for the disk. */
	return take_commit(taking, error) &&
	       (take_is_any_new(taking) || store_settle(taking->service->db, error));
}

bool
received_take(struct service *service, const struct received_session *session,
    const struct received_taking *given, GString *reply, struct base_id *id_r, GError **error)
{
	g_autoptr(GPtrArray) mails = g_ptr_array_new_with_free_func(received_mail_destroy);
	struct taking taking = {service, session, given->sender, given->data, given->size,
	    base_clock_now(), mails, NULL};
	g_autoptr(GBytes) message =
	    received_authentication_believed(service, session)
		? g_bytes_new_static(given->data, given->size)
		: received_authentication_strip(service, given->data, given->size);

	memset(id_r, 0, sizeof(*id_r));
	g_string_truncate(reply, 0);
	take_sort(&taking, given->routes, given->count);
	bool done = take_all(&taking, message, reply, error);
	if (done && reply->len == 0)
		take_finish(&taking, given->routes, given->count, reply, id_r);
	g_free(taking.spam);
	return done;
}
