/* SPDX-License-Identifier: MIT */
/* Verifies and reads the requests of SendGrid. */
#include <string.h>

#include "base/error.h"
#include "json/value.h"
#include "provider/forms.h"
#include "provider/signature.h"

#define AGE_MS ((gint64)72 * 60 * 60 * 1000)
#define HEADER "X-Twilio-Email-Event-Webhook-"

bool
provider_sendgrid_check(const char *secret, GError **error)
{
	return provider_signature_ecdsa(secret, NULL, NULL) ||
	       base_invalid(error,
		   "the public key must be base64 or PEM, of an elliptic curve key on P-256");
}

enum provider_verdict
provider_sendgrid_verify(const struct provider_request *request, const char *secret)
{
	const char *timestamp = request->header(request->context, HEADER "Timestamp"),
		   *signature = request->header(request->context, HEADER "Signature");
	const struct provider_part parts[] = {
	    {timestamp, -1}, {request->body, (gssize)request->size}, {NULL}};

	return timestamp && signature &&
		       provider_signature_is_fresh(
			   provider_signature_time(timestamp), request->now, AGE_MS) &&
		       provider_signature_ecdsa(secret, parts, signature)
		   ? PROVIDER_GENUINE
		   : PROVIDER_FORGED;
}

static enum provider_kind
sendgrid_kind_of(const struct json *json)
{
	static const struct provider_word events[] = {
	    {"delivered", PROVIDER_DELIVERED},
	    {"deferred", PROVIDER_DELAYED},
	    {"bounce", PROVIDER_BOUNCED},
	    {"dropped", PROVIDER_FAILED},
	    {"spamreport", PROVIDER_COMPLAINED},
	    {"open", PROVIDER_OPENED},
	    {"click", PROVIDER_CLICKED},
	    {"unsubscribe", PROVIDER_UNSUBSCRIBED},
	    {"group_unsubscribe", PROVIDER_UNSUBSCRIBED},
	    {NULL},
	};
	static const struct provider_word bounces[] = {
	    {"bounce", PROVIDER_BOUNCED},
	    {"blocked", PROVIDER_BOUNCED_NOW},
	    {NULL},
	};
	enum provider_kind kind = provider_kind_of(events, provider_text(json, "event"));
	const char *type = provider_text(json, "type"), *reason = provider_text(json, "reason");

	if (kind == PROVIDER_BOUNCED && type)
		return provider_kind_of(bounces, type);
	if (kind == PROVIDER_FAILED && reason && strstr(reason, "Address"))
		return PROVIDER_SUPPRESSED;
	return kind;
}

static void
sendgrid_read_one(struct provider_batch *batch, const struct json *json)
{
	struct provider_event *event = provider_event_add(batch);
	const char *id = provider_text(json, "sg_message_id"),
		   *response = provider_text(json, "reason");

	event->kind = sendgrid_kind_of(json);
	event->key = provider_text(json, "sg_event_id");
	event->recipient = provider_text(json, "email");
	if (id)
		event->reply_id =
		    g_string_chunk_insert_len(batch->texts, id, (gssize)strcspn(id, "."));
	event->header_id = provider_member(json, "X-Posthouse-Id");
	event->metadata_id = provider_member(json, "posthouse-id");
	if (!event->metadata_id)
		event->metadata_id =
		    provider_member(provider_value(json, "unique_args"), "posthouse-id");
	event->message_id = provider_text(json, "smtp-id");
	event->time = provider_time_seconds(provider_text(json, "timestamp"));
	event->link = provider_text(json, "url");
	event->ip = provider_text(json, "ip");
	event->user_agent = provider_text(json, "useragent");
	event->automated = json_boolean(provider_value(json, "sg_machine_open"));
	provider_event_respond(batch, event, provider_text(json, "status"),
	    response ? response : provider_text(json, "response"));
	if (!event->key)
		provider_event_sum(batch, event, json);
}

bool
provider_sendgrid_read(struct provider_batch *batch, const struct json *json)
{
	return provider_each(batch, json, sendgrid_read_one);
}
