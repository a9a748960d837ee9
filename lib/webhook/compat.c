/* SPDX-License-Identifier: MIT */
/* Writes events in the compatible form. */
#include "webhook/compat.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "domain/settings.h"
#include "domain/view.h"
#include "email/compose.h"
#include "email/event_view.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/webhook/event_data.h"

#define BIT(type) WEBHOOK_BIT(WEBHOOK_##type)
#define NEVER(number) WEBHOOK_BIT(WEBHOOK_UNTOLD + (number))

/* The names of the compatible form, in the order of its documents. */
static const struct {
	const char *name;
	guint64 types;
} names[] = {
    {"email.sent", BIT(EMAIL_SENT)},
    {"email.scheduled", BIT(EMAIL_SCHEDULED)},
    {"email.delivered", BIT(EMAIL_DELIVERED)},
    {"email.delivery_delayed", BIT(EMAIL_DELAYED)},
    {"email.complained", BIT(EMAIL_COMPLAINED)},
    {"email.bounced", BIT(EMAIL_BOUNCED)},
    {"email.opened", BIT(EMAIL_OPENED)},
    {"email.clicked", BIT(EMAIL_CLICKED)},
    {"email.received", BIT(EMAIL_RECEIVED)},
    {"email.failed", BIT(EMAIL_FAILED)},
    {"email.suppressed", BIT(EMAIL_SUPPRESSED)},
    {"contact.created", BIT(CONTACT_CREATED) | BIT(PERSON_CREATED)},
    {"contact.updated", BIT(CONTACT_UPDATED) | BIT(PERSON_UPDATED)},
    {"contact.deleted", BIT(CONTACT_DELETED) | BIT(PERSON_DELETED)},
    {"contact.topics.updated", BIT(CONTACT_TOPICS)},
    {"domain.created", BIT(DOMAIN_CREATED)},
    {"domain.updated", BIT(DOMAIN_VERIFIED) | BIT(DOMAIN_FAILED) | BIT(DOMAIN_WARNING)},
    {"domain.deleted", BIT(DOMAIN_DELETED)},
    {"suppression.added", BIT(SUPPRESSION_ADDED)},
    {"suppression.removed", BIT(SUPPRESSION_REMOVED)},
    {"topic.created", BIT(TOPIC_CREATED)},
    {"topic.updated", BIT(TOPIC_UPDATED)},
    {"topic.deleted", BIT(TOPIC_DELETED)},
    {"inbox.created", NEVER(5)},
    {"inbox.updated", NEVER(6)},
    {"inbox.deleted", NEVER(7)},
    {"inbox.thread.created", NEVER(8)},
    {"inbox.thread.folder.updated", NEVER(9)},
    {"inbox.thread.assigned", NEVER(10)},
    {"inbox.thread.unassigned", NEVER(11)},
    {"inbox.thread.labels.updated", NEVER(12)},
    {"inbox.email.received", NEVER(13)},
    {"inbox.email.sent", NEVER(14)},
    {"inbox.draft.created", NEVER(15)},
    {"inbox.draft.updated", NEVER(16)},
    {"inbox.draft.sent", NEVER(17)},
    {"inbox.draft.deleted", NEVER(18)},
};

static guint64
types_of(const char *name)
{
	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		if (strcmp(names[i].name, name) == 0)
			return names[i].types;
	return 0;
}

bool
webhook_compat_events(const char *const *given, guint64 *events_r, GError **error)
{
	*events_r = 0;
	for (guint i = 0; given[i]; i++) {
		guint64 types = types_of(given[i]);

		if (!types)
			return base_invalid(error, "events[%u] must be the name of an event", i);
		*events_r |= types;
	}
	return true;
}

void
webhook_compat_write_events(struct json_writer *writer, const char *key, guint64 events)
{
	json_writer_begin_array(writer, key);
	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		if (names[i].types & events)
			json_writer_string(writer, NULL, names[i].name);
	json_writer_end_array(writer);
}

const char *
webhook_compat_name(enum store_webhook_type type)
{
	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		if (names[i].types & WEBHOOK_BIT(type))
			return names[i].name;
	return store_webhook_name(type);
}

static void
compat_write_time(struct json_writer *writer, const char *key, gint64 time)
{
	char text[CLOCK_ISO_SIZE];

	json_writer_string(writer, key, base_clock_format(time, text));
}

/* Writes the reply of the receiving server. */
static void
write_diagnostic(struct json_writer *writer, const struct store_event *event)
{
	g_autofree char *code =
	    event->smtp_response ? g_strconcat("smtp; ", event->smtp_response, NULL) : NULL;

	json_writer_begin_array(writer, "diagnosticCode");
	if (code)
		json_writer_string(writer, NULL, code);
	json_writer_end_array(writer);
}

/* Clients want texts, also where nothing is known: a provider need not say why. */
static const char *
compat_reply_of(const struct store_event *event)
{
	return event->smtp_response ? event->smtp_response : "";
}

static void
write_bounce(struct json_writer *writer, const struct store_event *event)
{
	json_writer_begin_object(writer, "bounce");
	json_writer_string(
	    writer, "type", event->bounce_type == BOUNCE_TRANSIENT ? "Transient" : "Permanent");
	json_writer_string(writer, "subType", "General");
	json_writer_string(writer, "message", compat_reply_of(event));
	write_diagnostic(writer, event);
	json_writer_end_object(writer);
}

static void
compat_write_engagement(struct json_writer *writer, const struct store_event *event)
{
	bool is_click = event->status == EVENT_CLICKED;

	json_writer_begin_object(writer, is_click ? "click" : "open");
	json_writer_string(writer, "ipAddress", event->ip ? event->ip : "");
	if (is_click)
		json_writer_string(writer, "link", event->link ? event->link : "");
	compat_write_time(writer, "timestamp", event->timestamp);
	json_writer_string(writer, "userAgent", event->user_agent ? event->user_agent : "");
	json_writer_end_object(writer);
}

#define SUPPRESSED "The address is on the suppression list, so the email was not sent."

static void
write_suppressed(struct json_writer *writer, const struct store_event *event)
{
	json_writer_begin_object(writer, "suppressed");
	json_writer_string(writer, "type", "OnAccountSuppressionList");
	json_writer_string(writer, "message", SUPPRESSED);
	json_writer_string(
	    writer, "reason", event->smtp_response ? event->smtp_response : SUPPRESSED);
	write_diagnostic(writer, event);
	json_writer_end_object(writer);
}

/* The member that only one status has. */
static void
write_details(struct json_writer *writer, const struct store_event *event)
{
	if (event->status == EVENT_BOUNCED)
		write_bounce(writer, event);
	else if (email_event_view_is_engagement(event))
		compat_write_engagement(writer, event);
	else if (event->status == EVENT_SUPPRESSED)
		write_suppressed(writer, event);
	else if (event->status == EVENT_FAILED) {
		json_writer_begin_object(writer, "failed");
		json_writer_string(writer, "reason", compat_reply_of(event));
		json_writer_end_object(writer);
	}
}

/* The recipients that the event is about. */
static void
compat_write_to(struct json_writer *writer, const struct store_webhook_event_data *told)
{
	if (!told->event && email_event_view_write_addresses(writer, "to", told->email->to, NULL))
		return;
	json_writer_begin_array(writer, "to");
	if (told->event)
		json_writer_string(writer, NULL, told->recipient);
	json_writer_end_array(writer);
}

/* The headers that the request gave: client libraries find their own data in them. */
static void
compat_write_headers(struct json_writer *writer, const char *headers)
{
	AUTO(json) all = headers ? json_parse(headers, strlen(headers), NULL) : NULL;
	struct json_iterator members = json_members(all);
	const struct json *value;
	const char *name;

	json_writer_begin_array(writer, "headers");
	while (json_iterator_next(&members, &name, &value)) {
		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "name", name);
		json_writer_value(writer, "value", value);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

static void
compat_write_email(struct json_writer *writer, const struct store_webhook_event_data *told)
{
	const struct store_email *email = told->email;
	const char *tags = email->tags ? email->tags : "{}";
	g_autofree char *message_id =
	    email_compose_message_id(email, told->event ? told->event->recipient : COMPOSE_SHARED);
	char id[ID_TEXT_SIZE];

	json_writer_begin_object(writer, "data");
	compat_write_time(writer, "created_at", email->created);
	json_writer_string(
	    writer, "email_id", base_id_format(store_webhook_event_data_id(told), id));
	json_writer_string(writer, "message_id", message_id);
	json_writer_string(writer, "from", email->sender);
	compat_write_to(writer, told);
	json_writer_string(writer, "subject", email->subject);
	if (email->template_id)
		json_writer_string(writer, "template_id", email->template_id);
	if (email->has_broadcast)
		json_writer_string(
		    writer, "broadcast_id", base_id_format(&email->broadcast_id, id));
	json_writer_raw(writer, "tags", tags, strlen(tags));
	compat_write_headers(writer, email->headers);
	if (told->event)
		write_details(writer, told->event);
	json_writer_end_object(writer);
}

/* Writes a member as it stands in an object. */
static void
compat_copy(struct json_writer *writer, const struct json *object, const char *key)
{
	json_writer_value(writer, key, json_member_get(object, key));
}

static void
copy_time(struct json_writer *writer, const char *key, const struct json *object, const char *from)
{
	compat_write_time(writer, key, json_integer(json_member_get(object, from)));
}

/* Writes the segments of a contact, which is in one, or of a person, who may be in none. */
static void
write_segments(struct json_writer *writer, const struct json *data)
{
	const struct json *all = json_member_get(data, "audience_ids");

	if (all) {
		json_writer_string(writer, "audience_id",
		    json_array_length(all) > 0 ? json_string(json_array_at(all, 0), NULL) : "");
		json_writer_value(writer, "segment_ids", all);
		return;
	}
	compat_copy(writer, data, "audience_id");
	json_writer_begin_array(writer, "segment_ids");
	json_writer_value(writer, NULL, json_member_get(data, "audience_id"));
	json_writer_end_array(writer);
}

static void
compat_write_contact(struct json_writer *writer, const struct json *data)
{
	const struct json *contact = json_member_get(data, "contact");

	json_writer_begin_object(writer, "data");
	compat_copy(writer, contact, "id");
	write_segments(writer, data);
	copy_time(writer, "created_at", contact, "created");
	copy_time(writer, "updated_at", contact, "updated");
	compat_copy(writer, contact, "email");
	compat_copy(writer, contact, "first_name");
	compat_copy(writer, contact, "last_name");
	json_writer_boolean(
	    writer, "unsubscribed", !json_boolean(json_member_get(contact, "is_subscribed")));
	json_writer_end_object(writer);
}

static void
compat_write_suppression(struct json_writer *writer, const struct json *entry)
{
	json_writer_begin_object(writer, "data");
	compat_copy(writer, entry, "id");
	compat_copy(writer, entry, "email");
	compat_copy(writer, entry, "origin");
	compat_copy(writer, entry, "source_id");
	copy_time(writer, "created_at", entry, "created");
	json_writer_end_object(writer);
}

static void
compat_write_topic(struct json_writer *writer, const struct json *topic, bool is_deleted)
{
	json_writer_begin_object(writer, "data");
	compat_copy(writer, topic, "id");
	compat_copy(writer, topic, "name");
	compat_copy(writer, topic, "description");
	compat_copy(writer, topic, "default_subscription");
	json_writer_boolean(writer, "deleted", is_deleted);
	copy_time(writer, "created_at", topic, "created");
	copy_time(writer, "updated_at", topic, "updated");
	json_writer_end_object(writer);
}

/* The form's word for our word of a status. */
static const char *
compat_status_of(const char *word)
{
	for (int i = DOMAIN_NOT_STARTED; i <= DOMAIN_TEMPORARY_FAILURE; i++)
		if (g_strcmp0(store_domain_status_name((enum store_domain_status)i), word) == 0)
			return domain_view_status((enum store_domain_status)i);
	return word;
}

/* domain: as its row is now; NULL: it is gone, and needs no records. */
static void
compat_write_domain(const struct service *service, struct json_writer *writer,
    const struct json *told, const struct base_id *id, const struct store_domain *domain)
{
	const char *region = json_string(json_member_get(told, "region"), NULL);
	g_autofree char *subdomain = domain ? domain_settings_subdomain(domain) : NULL;
	char text[ID_TEXT_SIZE];

	json_writer_begin_object(writer, "data");
	json_writer_string(writer, "id", base_id_format(id, text));
	compat_copy(writer, told, "name");
	json_writer_string(
	    writer, "status", compat_status_of(json_string(json_member_get(told, "status"), NULL)));
	compat_write_time(writer, "created_at", domain ? domain->created : base_id_time(id));
	json_writer_string(writer, "region",
	    domain   ? domain->region
	    : region ? region
		     : STORE_DOMAIN_REGION);
	json_writer_boolean(writer, "open_tracking", domain && domain->open_tracking);
	json_writer_boolean(writer, "click_tracking", domain && domain->click_tracking);
	json_writer_string(writer, "tracking_subdomain", subdomain);
	domain_view_write_capabilities(writer, domain && domain->receiving);
	if (domain) {
		domain_view_write_records(writer, service->settings, domain);
	} else {
		json_writer_begin_array(writer, "records");
		json_writer_end_array(writer);
	}
	json_writer_end_object(writer);
}

static bool
read_and_write_domain(struct service *service, struct json_writer *writer,
    const struct base_id *workspace, const struct json *data, GError **error)
{
	const struct json *told = json_member_get(data, "domain");
	const char *text = json_string(json_member_get(told, "id"), NULL);
	g_autoptr(GError) failure = NULL;
	struct base_id id = {{0}};

	if (text)
		base_id_parse(text, &id);
	AUTO(store_domain) domain = store_domain_get(service->db, workspace, &id, &failure);
	if (failure && !g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	compat_write_domain(service, writer, told, &id, domain);
	return true;
}

static void
compat_write_received(struct json_writer *writer, const struct json *data)
{
	static const char *const members[] = {
	    "id", "filename", "content_type", "content_disposition", "content_id"};
	const struct json *files = json_member_get(data, "attachments");
	const char *id = json_string(json_member_get(data, "message_id"), NULL);
	const char *from = json_string(json_member_get(data, "from"), NULL);
	const char *subject = json_string(json_member_get(data, "subject"), NULL);
	g_autofree char *bracketed = g_strdup_printf("<%s>", id ? id : "");

	json_writer_begin_object(writer, "data");
	json_writer_value(writer, "email_id", json_member_get(data, "id"));
	compat_write_time(writer, "created_at", json_integer(json_member_get(data, "created")));
	json_writer_string(writer, "from", from ? from : "");
	compat_copy(writer, data, "to");
	json_writer_begin_array(writer, "bcc");
	json_writer_end_array(writer);
	compat_copy(writer, data, "cc");
	json_writer_value(writer, "received_for", json_member_get(data, "recipients"));
	json_writer_string(writer, "message_id", id ? bracketed : "");
	json_writer_string(writer, "subject", subject ? subject : "");
	json_writer_begin_array(writer, "attachments");
	for (gsize i = 0; i < json_array_length(files); i++) {
		json_writer_begin_object(writer, NULL);
		for (guint k = 0; k < G_N_ELEMENTS(members); k++)
			compat_copy(writer, json_array_at(files, i), members[k]);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
	json_writer_end_object(writer);
}

/* The data of an event that is not one of an email. */
static bool
compat_write_data(struct service *service, struct json_writer *writer, enum store_webhook_type type,
    const struct store_webhook_event_data *told, GError **error)
{
	AUTO(json) data = json_parse_as("stored data", told->data, strlen(told->data), error);

	if (!data)
		return false;
	switch (type) {
	case WEBHOOK_CONTACT_CREATED:
	case WEBHOOK_CONTACT_UPDATED:
	case WEBHOOK_CONTACT_DELETED:
	case WEBHOOK_CONTACT_UNSUBSCRIBED:
	case WEBHOOK_PERSON_CREATED:
	case WEBHOOK_PERSON_UPDATED:
	case WEBHOOK_PERSON_DELETED:
		compat_write_contact(writer, data);
		return true;
	case WEBHOOK_DOMAIN_VERIFIED:
	case WEBHOOK_DOMAIN_FAILED:
	case WEBHOOK_DOMAIN_WARNING:
	case WEBHOOK_DOMAIN_CREATED:
	case WEBHOOK_DOMAIN_DELETED:
		return read_and_write_domain(service, writer, told->workspace, data, error);
	case WEBHOOK_SUPPRESSION_ADDED:
	case WEBHOOK_SUPPRESSION_REMOVED:
		compat_write_suppression(writer, data);
		return true;
	case WEBHOOK_EMAIL_RECEIVED:
		compat_write_received(writer, data);
		return true;
	case WEBHOOK_TOPIC_CREATED:
	case WEBHOOK_TOPIC_UPDATED:
	case WEBHOOK_TOPIC_DELETED:
		compat_write_topic(writer, data, type == WEBHOOK_TOPIC_DELETED);
		return true;
	default:
		json_writer_value(writer, "data", data);
		return true;
	}
}

bool
webhook_compat_write(struct service *service, struct json_writer *writer,
    enum store_webhook_type type, gint64 created, const struct store_webhook_event_data *told,
    GError **error)
{
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "type", webhook_compat_name(type));
	compat_write_time(writer, "created_at", created);
	if (told->email_id)
		compat_write_email(writer, told);
	else if (!compat_write_data(service, writer, type, told, error))
		return false;
	json_writer_end_object(writer);
	return true;
}
