/* SPDX-License-Identifier: MIT */
/* Verifies and reads the requests of Brevo. */
#include <string.h>

#include "json/strict.h"
#include "json/value.h"
#include "provider/forms.h"
#include "provider/signature.h"

enum provider_verdict
provider_brevo_verify(const struct provider_request *request, const char *secret)
{
	const char *given = request->header(request->context, "Authorization");

	return given && g_ascii_strncasecmp(given, "Bearer ", 7) == 0 &&
		       provider_signature_equal(given + 7 + strspn(given + 7, " "), secret)
		   ? PROVIDER_GENUINE
		   : PROVIDER_FORGED;
}

static const struct provider_word kinds[] = {
    {"delivered", PROVIDER_DELIVERED},
    {"deferred", PROVIDER_DELAYED},
    {"hard_bounce", PROVIDER_BOUNCED},
    {"invalid_email", PROVIDER_BOUNCED},
    {"soft_bounce", PROVIDER_BOUNCED_NOW},
    {"blocked", PROVIDER_SUPPRESSED},
    {"error", PROVIDER_FAILED},
    {"spam", PROVIDER_COMPLAINED},
    {"complaint", PROVIDER_COMPLAINED},
    {"opened", PROVIDER_OPENED},
    {"unique_opened", PROVIDER_OPENED},
    {"proxy_open", PROVIDER_OPENED},
    {"unique_proxy_open", PROVIDER_OPENED},
    {"click", PROVIDER_CLICKED},
    {"unsubscribed", PROVIDER_UNSUBSCRIBED},
    {"unsubscribe", PROVIDER_UNSUBSCRIBED},
    {NULL},
};

/* Reads our id out of the field X-Mailin-custom, whose text is JSON. */
static const char *
custom_id(struct provider_batch *batch, const struct json *json)
{
	const char *custom = provider_member(json, "X-Mailin-custom");
	struct json *own = custom ? json_parse(custom, strlen(custom), NULL) : NULL;

	if (!own)
		return NULL;
	g_ptr_array_add(batch->trees, own);
	return provider_member(own, "posthouse-id");
}

static gint64
brevo_time_of(const struct json *json)
{
	gint64 time = provider_time_seconds(provider_text(json, "ts_event"));

	/* ts_epoch is in milliseconds. */
	if (time == 0)
		time = json_integer(provider_value(json, "ts_epoch"));
	return time ? time : provider_time_seconds(provider_text(json, "ts"));
}

static void
brevo_read_one(struct provider_batch *batch, const struct json *json)
{
	struct provider_event *event = provider_event_add(batch);
	const char *word = provider_text(json, "event");

	event->kind = provider_kind_of(kinds, word);
	event->automated = word && strstr(word, "proxy_open");
	event->recipient = provider_text(json, "email");
	event->reply_id = event->message_id = provider_text(json, "message-id");
	event->header_id = provider_member(json, "X-Posthouse-Id");
	event->metadata_id = custom_id(batch, json);
	event->time = brevo_time_of(json);
	event->link = provider_text(json, "link");
	event->ip = provider_text(json, "ip");
	event->user_agent = provider_text(json, "user_agent");
	provider_event_respond(batch, event, NULL, provider_text(json, "reason"));
	provider_event_sum(batch, event, json);
}

bool
provider_brevo_read(struct provider_batch *batch, const struct json *json)
{
	return provider_each(batch, json, brevo_read_one);
}
