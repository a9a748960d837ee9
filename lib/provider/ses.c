/* SPDX-License-Identifier: MIT */
/* Reads the events of Amazon SES, which stand as a text in a notification of SNS. */
#include <string.h>

#include "json/strict.h"
#include "json/value.h"
#include "provider/sns.h"

/* The types of events. list: its recipients, below the object of the type; address: a recipient's
   address in that list, NULL: the list is of addresses. */
static const struct type {
	const char *name, *object, *list, *address;
	enum provider_kind kind;
} types[] = {
    {"Delivery", "delivery", "recipients", NULL, PROVIDER_DELIVERED},
    {"DeliveryDelay", "deliveryDelay", "delayedRecipients", "emailAddress", PROVIDER_DELAYED},
    {"Bounce", "bounce", "bouncedRecipients", "emailAddress", PROVIDER_BOUNCED},
    {"Complaint", "complaint", "complainedRecipients", "emailAddress", PROVIDER_COMPLAINED},
    {"Reject", "reject", NULL, NULL, PROVIDER_FAILED},
    {"Rendering Failure", "failure", NULL, NULL, PROVIDER_FAILED},
    {"Open", "open", NULL, NULL, PROVIDER_OPENED},
    {"Click", "click", NULL, NULL, PROVIDER_CLICKED},
    {"Subscription", "subscription", NULL, NULL, PROVIDER_UNSUBSCRIBED},
};

static const struct type *
ses_type_of(const struct json *report)
{
	const char *name = provider_text(report, "eventType");

	if (!name)
		name = provider_text(report, "notificationType");
	for (guint i = 0; name && i < G_N_ELEMENTS(types); i++)
		if (strcmp(types[i].name, name) == 0)
			return &types[i];
	return NULL;
}

static enum provider_kind
ses_kind_of(const struct type *type, const struct json *object)
{
	static const struct provider_word bounces[] = {
	    {"Permanent", PROVIDER_BOUNCED},
	    {"Transient", PROVIDER_BOUNCED_NOW},
	    {"Undetermined", PROVIDER_BOUNCED_NOW},
	    {NULL},
	};

	if (type->kind == PROVIDER_BOUNCED)
		return provider_kind_of(bounces, provider_text(object, "bounceType"));
	if (type->kind == PROVIDER_COMPLAINED &&
	    g_strcmp0(provider_text(object, "complaintFeedbackType"), "not-spam") == 0)
		return PROVIDER_OTHER;
	return type->kind;
}

static bool
is_named_for_machines(const char *name)
{
	g_autofree char *lower = g_ascii_strdown(name, -1);

	return strstr(lower, "automat") || strstr(lower, "machine") || strstr(lower, "bot");
}

static bool
affirms(const struct json *value)
{
	static const char *const denials[] = {"", "false", "no", "none", "human", "unknown", NULL};
	const char *text = json_string(value, NULL);
	g_autofree char *lower = text ? g_ascii_strdown(text, -1) : NULL;

	return json_boolean(value) || (lower && !g_strv_contains(denials, lower));
}

/* Whether SES says that a program opened or clicked. It says so since August 2026, in the object of
   the event; the page that we could read names no member. So each member counts whose name speaks
   of machines, and each text that says "automated". The sender's own tags do not count. */
static bool
is_automated(const struct json *object)
{
	struct json_iterator members = json_members(object);
	const struct json *value;
	const char *name;

	while (json_iterator_next(&members, &name, &value)) {
		const char *text = json_string(value, NULL);

		if (strcmp(name, "linkTags") == 0 || strcmp(name, "userAgent") == 0 ||
		    strcmp(name, "link") == 0)
			continue;
		if ((is_named_for_machines(name) && affirms(value)) ||
		    (text && g_ascii_strcasecmp(text, "automated") == 0))
			return true;
	}
	return false;
}

/* Adds an event with all that does not depend on the recipient. */
static struct provider_event *
ses_add(struct provider_batch *batch, const struct json *notification, const struct json *report,
    const struct type *type)
{
	struct provider_event *event = provider_event_add(batch);
	const struct json *mail = provider_value(report, "mail"),
			  *object = type ? provider_value(report, type->object) : NULL;

	event->key = provider_text(notification, "MessageId");
	event->time = provider_time_iso(provider_text(object, "timestamp"));
	if (event->time == 0)
		event->time = provider_time_iso(provider_text(notification, "Timestamp"));
	event->reply_id = provider_text(mail, "messageId");
	event->header_id = provider_field(provider_value(mail, "headers"), "X-Posthouse-Id");
	event->metadata_id = provider_member(provider_value(mail, "tags"), "posthouse-id");
	event->message_id = provider_field(provider_value(mail, "headers"), "Message-ID");
	if (!event->message_id)
		event->message_id = provider_text(mail, "commonHeaders/messageId");
	if (!type)
		return event;
	event->kind = ses_kind_of(type, object);
	event->link = provider_text(object, "link");
	event->ip = provider_text(object, "ipAddress");
	event->user_agent = provider_text(object, "userAgent");
	event->automated = is_automated(object);
	if (event->kind == PROVIDER_FAILED)
		provider_event_respond(batch, event, NULL,
		    provider_text(
			object, strcmp(type->object, "reject") == 0 ? "reason" : "errorMessage"));
	return event;
}

static void
ses_add_recipients(struct provider_batch *batch, const struct json *notification,
    const struct json *report, const struct type *type, const struct json *list)
{
	for (gsize i = 0; i < json_array_length(list); i++) {
		const struct json *one = json_array_at(list, i);
		struct provider_event *event = ses_add(batch, notification, report, type);

		event->recipient =
		    type->address ? provider_text(one, type->address) : json_string(one, NULL);
		if (type->kind == PROVIDER_BOUNCED || type->kind == PROVIDER_DELAYED)
			provider_event_respond(batch, event, provider_text(one, "status"),
			    provider_text(one, "diagnosticCode"));
	}
}

bool
provider_ses_read(struct provider_batch *batch, const struct json *json)
{
	gsize size;
	const char *message = json_string(json_member_get(json, "Message"), &size);

	if (provider_sns_type(json) != PROVIDER_SNS_NOTIFICATION)
		return true;
	/* SES also sends a sentence, when a topic is chosen. */
	struct json *report = message ? json_parse(message, size, NULL) : NULL;
	if (report)
		g_ptr_array_add(batch->trees, report);
	const struct type *type = ses_type_of(report);
	const struct json *list =
	    type && type->list ? provider_value(provider_value(report, type->object), type->list)
			       : NULL;
	if (json_array_length(list) > 0)
		ses_add_recipients(batch, json, report, type, list);
	else
		ses_add(batch, json, report, type);
	return true;
}
