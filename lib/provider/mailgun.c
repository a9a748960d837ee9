/* SPDX-License-Identifier: MIT */
/* Verifies and reads the requests of Mailgun. */
#include <string.h>

#include "base/secret.h"
#include "json/value.h"
#include "provider/forms.h"
#include "provider/signature.h"

#define AGE_MS ((gint64)12 * 60 * 60 * 1000)

enum provider_verdict
provider_mailgun_verify(const struct provider_request *request, const char *secret)
{
	const struct json *given = provider_value(request->json, "signature");
	const char *timestamp = provider_text(given, "timestamp"),
		   *token = provider_text(given, "token"), *tag = provider_text(given, "signature");
	const struct provider_part parts[] = {{timestamp, -1}, {token, -1}, {NULL}};
	guint8 digest[SHA256_SIZE];
	char hex[2 * SHA256_SIZE + 1];

	if (!timestamp || !token || !tag)
		return PROVIDER_FORGED;
	provider_signature_hmac(secret, strlen(secret), parts, digest);
	for (guint i = 0; i < SHA256_SIZE; i++)
		g_snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	g_autofree char *lower = g_ascii_strdown(tag, -1);
	return provider_signature_equal(hex, lower) &&
		       provider_signature_is_fresh(
			   provider_signature_time(timestamp), request->now, AGE_MS)
		   ? PROVIDER_GENUINE
		   : PROVIDER_FORGED;
}

char *
provider_mailgun_signed(const struct provider_request *request)
{
	const struct json *given = provider_value(request->json, "signature");

	return g_strconcat(provider_text(given, "timestamp"), provider_text(given, "token"), NULL);
}

static enum provider_kind
mailgun_kind_of(const struct json *data)
{
	static const struct provider_word events[] = {
	    {"delivered", PROVIDER_DELIVERED},
	    {"rejected", PROVIDER_FAILED},
	    {"complained", PROVIDER_COMPLAINED},
	    {"opened", PROVIDER_OPENED},
	    {"clicked", PROVIDER_CLICKED},
	    {"unsubscribed", PROVIDER_UNSUBSCRIBED},
	    {NULL},
	};
	static const struct provider_word severities[] = {
	    {"temporary", PROVIDER_DELAYED},
	    {"permanent", PROVIDER_BOUNCED},
	    {NULL},
	};
	const char *reason = provider_text(data, "reason"), *event = provider_text(data, "event");

	if (g_strcmp0(event, "failed") != 0)
		return provider_kind_of(events, event);
	if (reason && g_str_has_prefix(reason, "suppress-"))
		return PROVIDER_SUPPRESSED;
	return provider_kind_of(severities, provider_text(data, "severity"));
}

/* CODE MESSAGE of the delivery status; the description stands in for an empty message. */
static const char *
response_of(struct provider_batch *batch, const struct json *status)
{
	const char *code = provider_text(status, "code"), *text = provider_text(status, "message");

	if (!text)
		text = provider_text(status, "description");
	if (!text || !code)
		return text ? text : code;
	g_autofree char *whole = g_strdup_printf("%s %s", code, text);
	return g_string_chunk_insert(batch->texts, whole);
}

static bool
is_bot(const char *bot)
{
	return bot && *bot;
}

static void
mailgun_read_one(struct provider_batch *batch, const struct json *json)
{
	const struct json *data = provider_value(json, "event-data"),
			  *headers = provider_value(data, "message/headers"),
			  *status = provider_value(data, "delivery-status");
	struct provider_event *event = provider_event_add(batch);

	event->kind = mailgun_kind_of(data);
	event->key = provider_text(data, "id");
	event->recipient = provider_text(data, "recipient");
	event->header_id = provider_field(headers, "X-Posthouse-Id");
	event->metadata_id =
	    provider_member(provider_value(data, "user-variables"), "posthouse-id");
	event->message_id = provider_field(headers, "Message-ID");
	event->time = provider_time_seconds(provider_text(data, "timestamp"));
	event->link = provider_text(data, "url");
	event->ip = provider_text(data, "ip");
	event->user_agent = provider_text(data, "client-info/user-agent");
	/* "apple" or "gmail", say: the program that opened it without a person. */
	event->automated = is_bot(provider_text(data, "client-info/bot"));
	provider_event_respond(batch, event, provider_text(status, "enhanced-code"),
	    event->kind == PROVIDER_FAILED ? provider_text(data, "reject/reason")
					   : response_of(batch, status));
	if (!event->key)
		provider_event_sum(batch, event, data);
}

bool
provider_mailgun_read(struct provider_batch *batch, const struct json *json)
{
	return json_kind(provider_value(json, "event-data")) == JSON_OBJECT &&
	       provider_each(batch, json, mailgun_read_one);
}
