/* SPDX-License-Identifier: MIT */
/* Stores the messages of clients that have logged in. */
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/limits/email.h"
#include "base/secret.h"
#include "intake/session.h"
#include "service/once.h"
#include "service/service.h"
#include "smtpd/fields.h"
#include "smtpd/login.h"
#include "smtpd/transaction.h"
#include "submit/sendmail.h"
#include "submit/submit.h"

#define ROUTE "SMTP"
/* In front of the key of a message that has none but its Message-ID. */
#define MESSAGE_KEY "message:"
#define HEX_SIZE (2 * SHA256_SIZE + 1)

static char *
smtpd_submit_write_id(const struct service_once *request)
{
	char id[ID_TEXT_SIZE];

	return g_strdup(base_id_format(&((const struct submit_sending *)request)->id, id));
}

static int
smtpd_submit_compare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The digest of the message and its envelope. With sender NULL it is of the recipients alone, in
   any order. */
static void
smtpd_submit_digest(
    const struct intake_message *message, const char *sender, struct store_idempotency *key)
{
	guint count = g_strv_length((char **)message->recipients);
	g_autofree char **recipients = g_memdup2(message->recipients, (count + 1) * sizeof(char *));
	g_autoptr(GByteArray) text = g_byte_array_new();
	guint8 data[SHA256_SIZE];

	base_secret_sha256(message->data, message->size, data);
	g_byte_array_append(text, data, sizeof(data));
	if (sender)
		g_byte_array_append(text, (const guint8 *)sender, (guint)strlen(sender) + 1);
	else
		base_array_sort(recipients, count, sizeof(char *), smtpd_submit_compare);
	for (guint i = 0; i < count; i++)
		g_byte_array_append(
		    text, (const guint8 *)recipients[i], (guint)strlen(recipients[i]) + 1);
	store_idempotency_digest(key, ROUTE, text->data, text->len);
}

/* Sets the key by which a repeated message is found: the one that it names, else one made from a
   Message-ID of its own with the bytes and recipients. */
static void
smtpd_submit_set_key(const struct intake_message *message, const struct smtpd_fields *fields,
    char name[sizeof(MESSAGE_KEY) + HEX_SIZE], struct service_idempotency *idempotency)
{
	struct store_idempotency *key = &idempotency->key;

	idempotency->write = smtpd_submit_write_id;
	if (fields->key) {
		key->name = fields->key;
		smtpd_submit_digest(message, message->sender, key);
	} else if (fields->message_id) {
		smtpd_submit_digest(message, NULL, key);
		strcpy(name, MESSAGE_KEY);
		for (guint i = 0; i < SHA256_SIZE; i++)
			g_snprintf(
			    name + strlen(MESSAGE_KEY) + (gsize)2 * i, 3, "%02x", key->request[i]);
		key->name = name;
		idempotency->is_derived = true;
	}
}

static bool
smtpd_submit_store(struct service *service, const struct smtpd_login *login,
    const struct intake_message *message, const struct smtpd_fields *fields, char **id_r,
    GError **error)
{
	struct service_idempotency idempotency = {.key.workspace_id = login->key.workspace_id};
	char name[sizeof(MESSAGE_KEY) + HEX_SIZE];
	const struct submit_sendmail given = {
	    .data = fields->message->data,
	    .size = fields->message->len,
	    .recipients = message->recipients,
	    .sender = message->sender,
	    .checks_fields = true,
	    .tags = fields->tags,
	    .scheduled_at = fields->scheduled_at,
	    .only_domain = login->key.has_domain ? &login->key.domain_id : NULL,
	    .idempotency = &idempotency,
	};

	smtpd_submit_set_key(message, fields, name, &idempotency);
	struct submit_sending *sending =
	    submit_sendmail_check(service, &login->key.workspace_id, &given, error);
	AUTO(service_once) request = sending ? &sending->request : NULL;
	if (!sending || !service_once_store_one(service, request, error))
		return false;
	*id_r =
	    request->answer ? g_steal_pointer(&request->answer) : smtpd_submit_write_id(request);
	return true;
}

static void
smtpd_submit_fail(GString *reply, const GError *error)
{
	if (!g_error_matches(error, PH_ERROR, PH_ERROR_CONFLICT))
		intake_failure_write(reply, error);
	else if (strcmp(error->message, STORE_IDEMPOTENCY_OTHER) == 0)
		g_string_append_printf(reply, "554 5.5.0 %s", error->message);
	else
		g_string_append_printf(reply, "451 4.3.0 %s", error->message);
}

void
smtpd_submit(struct service *service, struct service_rates *rates, struct smtpd_login *login,
    const struct intake_message *message, GString *reply, struct smtpd_outcome *outcome_r)
{
	struct smtpd_fields fields = {NULL, NULL, NULL, NULL, 0};
	g_autoptr(GError) error = NULL, lapsed = NULL;
	g_autofree char *id = NULL;
	AUTO(service) guarded = NULL;

	outcome_r->kind = "submitted";
	bool done =
	    service_ensure(service, &error) &&
	    smtpd_login_check(service, rates, login, &guarded, &error) &&
	    smtpd_fields_read(message->data, message->size, &fields, &error) &&
	    smtpd_submit_store(guarded ? guarded : service, login, message, &fields, &id, &error);
	/* The first statement failed because the key has ended: that is the reason to tell. */
	if (guarded && !smtpd_login_confirm(guarded, login, &lapsed) &&
	    (done || g_error_matches(lapsed, PH_ERROR, PH_ERROR_UNAUTHORIZED)))
		done = false;
	else
		g_clear_error(&lapsed);
	if (done) {
		base_id_parse(id, &outcome_r->email);
		g_string_append_printf(reply, "250 2.0.0 queued as %s", id);
	} else {
		smtpd_submit_fail(reply, lapsed ? lapsed : error);
	}
	if (fields.message)
		smtpd_fields_clear(&fields);
}
