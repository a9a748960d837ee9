/* SPDX-License-Identifier: MIT */
/* Verifies and reads the requests of Postmark. */
#include <string.h>

#include "base/secret.h"
#include "json/value.h"
#include "provider/forms.h"
#include "provider/signature.h"

enum provider_verdict
provider_postmark_verify(const struct provider_request *request, const char *secret)
{
	const char *given = request->header(request->context, "Authorization");
	g_autofree char *want = g_strdup_printf("posthouse:%s", secret);

	if (!given)
		return PROVIDER_ANONYMOUS;
	if (g_ascii_strncasecmp(given, "Basic ", 6) != 0)
		return PROVIDER_FORGED;
	g_autofree char *encoded = g_base64_encode((const guchar *)want, strlen(want));
	return provider_signature_equal(encoded, given + 6 + strspn(given + 6, " "))
		   ? PROVIDER_GENUINE
		   : PROVIDER_FORGED;
}

/* time: the member with the time of the event. */
static const struct record {
	const char *type, *time, *recipient;
	enum provider_kind kind;
} records[] = {
    {"Delivery", "DeliveredAt", "Recipient", PROVIDER_DELIVERED},
    {"Bounce", "BouncedAt", "Email", PROVIDER_BOUNCED},
    {"SpamComplaint", "BouncedAt", "Email", PROVIDER_COMPLAINED},
    {"Open", "ReceivedAt", "Recipient", PROVIDER_OPENED},
    {"Click", "ReceivedAt", "Recipient", PROVIDER_CLICKED},
    {"SubscriptionChange", "ChangedAt", "Recipient", PROVIDER_UNSUBSCRIBED},
};

static enum provider_kind
kind_of_bounce(const char *type)
{
	/* All other types mean that the mailbox may accept mail another day. */
	static const struct provider_word types[] = {
	    {"HardBounce", PROVIDER_BOUNCED},
	    {"BadEmailAddress", PROVIDER_BOUNCED},
	    {"Transient", PROVIDER_DELAYED},
	    {"ManuallyDeactivated", PROVIDER_SUPPRESSED},
	    {"SMTPApiError", PROVIDER_FAILED},
	    {"SpamComplaint", PROVIDER_COMPLAINED},
	    {NULL},
	};
	static const char *const none[] = {"AutoResponder", "AddressChange", "Subscribe",
	    "Unsubscribe", "ChallengeVerification", "OpenRelayTest", NULL};

	if (!type || g_strv_contains(none, type))
		return PROVIDER_OTHER;
	enum provider_kind kind = provider_kind_of(types, type);
	return kind == PROVIDER_OTHER ? PROVIDER_BOUNCED_NOW : kind;
}

static enum provider_kind
postmark_kind_of(const struct record *record, const struct json *json)
{
	const struct json *stops = provider_value(json, "SuppressSending");

	if (record->kind == PROVIDER_BOUNCED)
		return kind_of_bounce(provider_text(json, "Type"));
	if (record->kind == PROVIDER_UNSUBSCRIBED &&
	    (g_strcmp0(provider_text(json, "SuppressionReason"), "ManualSuppression") != 0 ||
		(stops && !json_boolean(stops))))
		return PROVIDER_OTHER;
	return record->kind;
}

static void
postmark_read_one(struct provider_batch *batch, const struct json *json)
{
	struct provider_event *event = provider_event_add(batch);
	const struct json *headers = provider_value(json, "Headers");
	const char *type = provider_text(json, "RecordType");

	event->key = provider_text(json, "ID");
	event->reply_id = provider_text(json, "MessageID");
	event->header_id = provider_field(headers, "X-Posthouse-Id");
	event->metadata_id = provider_member(provider_value(json, "Metadata"), "posthouse-id");
	event->message_id = provider_field(headers, "Message-ID");
	event->link = provider_text(json, "OriginalLink");
	event->ip = provider_text(json, "Geo/IP");
	event->user_agent = provider_text(json, "UserAgent");
	for (guint i = 0; type && i < G_N_ELEMENTS(records); i++) {
		if (strcmp(records[i].type, type) != 0)
			continue;
		event->kind = postmark_kind_of(&records[i], json);
		event->recipient = provider_text(json, records[i].recipient);
		event->time = provider_time_iso(provider_text(json, records[i].time));
	}
	if (event->kind != PROVIDER_DELIVERED)
		provider_event_respond(batch, event, NULL, provider_text(json, "Details"));
	if (!event->key)
		provider_event_sum(batch, event, json);
}

bool
provider_postmark_read(struct provider_batch *batch, const struct json *json)
{
	return provider_each(batch, json, postmark_read_one);
}
