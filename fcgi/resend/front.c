/* SPDX-License-Identifier: MIT */
/* The table of operations under /resend, and the reading of their bodies. */
#include "fcgi/resend/front.h"

#include <string.h>

#include "base/error.h"
#include "fcgi/api/context.h"
#include "fcgi/resend/email.h"
#include "fcgi/resend/error.h"
#include "fcgi/resend/handlers.h"
#include "fcgi/resend/logs.h"
#include "json/strict.h"
#include "store/domain/domain.h"
#include "store/email/email.h"

/* clang-format off */
#define GET(path, handler, methods) {{METHOD_GET, path, KEY_READ, NULL, handler, NULL, NULL, NULL}, methods, RESEND_OBJECT}
/* An operation that reads one thing, together with other requests (fcgi/api/routes.h). */
#define READ(path, handler, form, methods) {{METHOD_GET, path, KEY_READ, NULL, handler, NULL, NULL, NULL, .ahead = form}, methods, RESEND_OBJECT}
/* An operation that gives URLs to download. */
#define LOAD(path, handler, methods) {{METHOD_GET, path, KEY_READ, NULL, handler, NULL, NULL, NULL, .has_downloads = true}, methods, RESEND_OBJECT}
/* action is the one that the audit has of it, or NULL. */
#define DELETE(path, handler, action, methods) {{METHOD_DELETE, path, KEY_FULL, NULL, handler, NULL, NULL, NULL, .audit = action}, methods, RESEND_OBJECT}
/* body is the table of its fields, or NULL where none is read. */
#define POST(path, body, handler, action, methods) {{METHOD_POST, path, KEY_FULL, body, handler, NULL, NULL, NULL, .audit = action}, methods, RESEND_OBJECT}
#define PATCH(path, body, handler, action, methods) {{METHOD_PATCH, path, KEY_FULL, body, handler, NULL, NULL, NULL, .audit = action}, methods, RESEND_OBJECT}
/* An operation that stores a request, for a key that may only send. */
#define STORE(path, body, storing, methods, container) {{METHOD_POST, path, KEY_SEND, body, NULL, NULL, NULL, storing}, methods, container}
/* An operation for the owners of a workspace. */
#define OWN(method, path, scope, body, handler, action, methods) {{METHOD_##method, path, KEY_##scope, body, handler, NULL, NULL, NULL, RIGHT_OWNER, .audit = action}, methods, RESEND_OBJECT}
/* An operation on what belongs to a contact: the contact is changed. */
#define JOIN(method, path, handler, methods) {{METHOD_##method, path, KEY_FULL, NULL, handler, NULL, NULL, NULL, .audit = "contact.changed", .target = 1}, methods, RESEND_OBJECT}
/* Not served. */
#define NEVER(method, path, scope, methods) {{METHOD_##method, path, KEY_##scope, NULL, fcgi_resend_never, NULL, NULL, NULL}, methods, RESEND_OBJECT}

/* Most rows leave out the last columns of the route. Fixed words stand before {names} of the same place, and so win over them. */
static const struct fcgi_resend_route rows[] = {
	STORE("/emails", &fcgi_resend_email_body, &fcgi_resend_emails_storing, "emails.send, emails.create", RESEND_OBJECT),
	GET("/emails", fcgi_resend_emails_list, "emails.list"),
	STORE("/emails/batch", &fcgi_resend_emails_batch_body, &fcgi_resend_emails_batch_storing, "batch.send, batch.create", RESEND_ARRAY),
	GET("/emails/metrics", fcgi_resend_emails_metrics, "emails.metrics"),
	GET("/emails/receiving", fcgi_resend_receiving_list, "emails.receiving.list"),
	LOAD("/emails/receiving/{id}", fcgi_resend_receiving_get, "emails.receiving.get, emails.receiving.forward"),
	LOAD("/emails/receiving/{id}/attachments", fcgi_resend_receiving_attachments_list, "emails.receiving.attachments.list"),
	LOAD("/emails/receiving/{id}/attachments/{attachment}", fcgi_resend_receiving_attachments_get, "emails.receiving.attachments.get"),
	READ("/emails/{id}", fcgi_resend_emails_get, &store_email_show_ahead, "emails.get"),
	PATCH("/emails/{id}", &fcgi_resend_emails_change, fcgi_resend_emails_patch, NULL, "emails.update"),
	POST("/emails/{id}/cancel", NULL, fcgi_resend_emails_cancel, NULL, "emails.cancel"),
	NEVER(POST, "/emails/{id}/share", FULL, "emails.share"),
	LOAD("/emails/{id}/attachments", fcgi_resend_attachments_list, "emails.attachments.list"),
	LOAD("/emails/{id}/attachments/{attachment}", fcgi_resend_attachments_get, "emails.attachments.get"),

	POST("/domains", &fcgi_resend_domains_body, fcgi_resend_domains_create, "domain.created", "domains.create"),
	GET("/domains", fcgi_resend_domains_list, "domains.list"),
	NEVER(POST, "/domains/claim", FULL, "domains.claims.create"),
	NEVER(GET, "/domains/claims", READ, "domains.claims.get"),
	NEVER(POST, "/domains/claims", FULL, "domains.claims.create"),
	NEVER(GET, "/domains/claims/{email}", READ, "domains.claims.get"),
	NEVER(POST, "/domains/claims/{email}", FULL, "domains.claims.verify"),
	NEVER(GET, "/domains/{id}/claims", READ, "domains.claims.get"),
	NEVER(POST, "/domains/{id}/claims/verify", FULL, "domains.claims.verify"),
	READ("/domains/{id}", fcgi_resend_domains_get, &store_domain_ahead, "domains.get"),
	PATCH("/domains/{id}", &fcgi_resend_domains_change, fcgi_resend_domains_update, "domain.changed", "domains.update"),
	DELETE("/domains/{id}", fcgi_resend_domains_remove, "domain.deleted", "domains.remove"),
	POST("/domains/{id}/verify", NULL, fcgi_resend_domains_verify, "domain.changed", "domains.verify"),
	NEVER(GET, "/domains/{id}/claim", READ, "domains.claims.get"),
	NEVER(POST, "/domains/{id}/claim/verify", FULL, "domains.claims.verify"),

	OWN(POST, "/api-keys", FULL, &fcgi_resend_api_keys_body, fcgi_resend_api_keys_create, "key.created", "apiKeys.create"),
	OWN(GET, "/api-keys", READ, NULL, fcgi_resend_api_keys_list, NULL, "apiKeys.list"),
	OWN(PATCH, "/api-keys/{id}", FULL, &fcgi_resend_api_keys_change, fcgi_resend_api_keys_update, "key.changed", "apiKeys.update"),
	OWN(DELETE, "/api-keys/{id}", FULL, NULL, fcgi_resend_api_keys_remove, "key.deleted", "apiKeys.remove"),

	POST("/templates", &fcgi_resend_templates_new, fcgi_resend_templates_post, "template.created", "templates.create"),
	GET("/templates", fcgi_resend_templates_list, "templates.list"),
	GET("/templates/{id}", fcgi_resend_templates_get, "templates.get"),
	PATCH("/templates/{id}", &fcgi_resend_templates_body, fcgi_resend_templates_patch, "template.changed", "templates.update"),
	DELETE("/templates/{id}", fcgi_resend_templates_delete, "template.deleted", "templates.remove"),
	POST("/templates/{id}/publish", NULL, fcgi_resend_templates_publish, "template.changed", "templates.publish"),
	POST("/templates/{id}/duplicate", NULL, fcgi_resend_templates_duplicate, "template.created", "templates.duplicate"),

	POST("/suppressions", &fcgi_resend_suppressions_body, fcgi_resend_suppressions_post, "suppression.created", "suppressions.add"),
	GET("/suppressions", fcgi_resend_suppressions_list, "suppressions.list"),
	POST("/suppressions/batch/add", &fcgi_resend_suppressions_batch, fcgi_resend_suppressions_add, "suppression.changed", "suppressions.batch.add"),
	POST("/suppressions/batch/remove", &fcgi_resend_suppressions_batch, fcgi_resend_suppressions_remove, "suppression.changed", "suppressions.batch.remove"),
	GET("/suppressions/{email}", fcgi_resend_suppressions_get, "suppressions.get"),
	DELETE("/suppressions/{email}", fcgi_resend_suppressions_delete, "suppression.deleted", "suppressions.remove"),

	POST("/webhooks", &fcgi_resend_webhooks_new, fcgi_resend_webhooks_post, "webhook.created", "webhooks.create"),
	GET("/webhooks", fcgi_resend_webhooks_list, "webhooks.list"),
	GET("/webhooks/{id}", fcgi_resend_webhooks_get, "webhooks.get"),
	PATCH("/webhooks/{id}", &fcgi_resend_webhooks_change, fcgi_resend_webhooks_patch, "webhook.changed", "webhooks.update"),
	DELETE("/webhooks/{id}", fcgi_resend_webhooks_delete, "webhook.deleted", "webhooks.remove"),
	POST("/webhooks/{id}/signing-secret/rotate", NULL, fcgi_resend_webhooks_rotate, "webhook.changed", "webhooks.rotateSigningSecret"),
	GET("/webhooks/{id}/events", fcgi_resend_webhook_events_list, "webhooks.events.list"),
	GET("/webhooks/{id}/events/{event}", fcgi_resend_webhook_events_get, "webhooks.events.get"),
	POST("/webhooks/{id}/events/{event}/replay", NULL, fcgi_resend_webhook_events_replay, NULL, "webhooks.events.replay"),
	GET("/webhooks/{id}/events/{event}/attempts", fcgi_resend_webhook_events_attempts, "webhooks.events.attempts.list"),

	/* The name of an event may hold slashes; the pattern {email} takes them. */
	STORE("/events/send", &fcgi_resend_events_sent, &fcgi_resend_events_storing, "events.send", RESEND_OBJECT),
	POST("/events", &fcgi_resend_events_new, fcgi_resend_events_post, NULL, "events.create"),
	GET("/events", fcgi_resend_events_list, "events.list"),
	GET("/events/{email}", fcgi_resend_events_get, "events.get"),
	PATCH("/events/{email}", &fcgi_resend_events_change, fcgi_resend_events_patch, NULL, "events.update"),
	DELETE("/events/{email}", fcgi_resend_events_delete, NULL, "events.remove"),

	POST("/automations", &fcgi_resend_automations_new, fcgi_resend_automations_post, "automation.created", "automations.create"),
	GET("/automations", fcgi_resend_automations_list, "automations.list"),
	GET("/automations/{id}", fcgi_resend_automations_get, "automations.get"),
	PATCH("/automations/{id}", &fcgi_resend_automations_body, fcgi_resend_automations_patch, "automation.changed", "automations.update"),
	DELETE("/automations/{id}", fcgi_resend_automations_delete, "automation.deleted", "automations.remove"),
	POST("/automations/{id}/duplicate", NULL, fcgi_resend_automations_duplicate, "automation.created", "automations.duplicate"),
	POST("/automations/{id}/stop", NULL, fcgi_resend_automations_stop, "automation.changed", "automations.stop"),
	GET("/automations/{id}/runs", fcgi_resend_automation_runs_list, "automations.runs.list"),
	GET("/automations/{id}/runs/{run}", fcgi_resend_automation_runs_get, "automations.runs.get"),

	GET("/logs", fcgi_resend_logs_list, "logs.list"),
	GET("/logs/{id}", fcgi_resend_logs_get, "logs.get"),
	/* Older paths, and those of the editor that resend-cli and resend-mcp open. */
	NEVER(GET, "/received-emails", READ, "emails.receiving.list"),
	NEVER(GET, "/received-emails/{email}", READ, "emails.receiving.get"),
	NEVER(POST, "/received-emails/{email}", FULL, "emails.receiving.forward"),
	NEVER(GET, "/editor/{email}", READ, "editor"),
	NEVER(POST, "/editor/{email}", FULL, "editor"),
	NEVER(PUT, "/editor/{email}", FULL, "editor"),
	NEVER(PATCH, "/editor/{email}", FULL, "editor"),
	NEVER(DELETE, "/editor/{email}", FULL, "editor"),
	NEVER(GET, "/usage", READ, "usage.get"),
	NEVER(GET, "/oauth/grants", READ, "oauthGrants.list"),
	NEVER(DELETE, "/oauth/grants/{id}", FULL, "oauthGrants.revoke"),

	POST("/segments", &fcgi_resend_segments_body, fcgi_resend_segments_post, "segment.created", "segments.create"),
	GET("/segments", fcgi_resend_segments_list, "segments.list"),
	GET("/segments/{id}", fcgi_resend_segments_get, "segments.get"),
	PATCH("/segments/{id}", &fcgi_resend_segments_change, fcgi_resend_segments_patch, "segment.changed", "segments.update"),
	DELETE("/segments/{id}", fcgi_resend_segments_delete, "segment.deleted", "segments.remove"),
	GET("/segments/{id}/contacts", fcgi_resend_contacts_list, "contacts.list"),
	/* Older clients call segments audiences. */
	POST("/audiences", &fcgi_resend_segments_body, fcgi_resend_segments_post, "audience.created", "segments.create"),
	GET("/audiences", fcgi_resend_segments_list, "segments.list"),
	GET("/audiences/{id}", fcgi_resend_segments_get, "segments.get"),
	PATCH("/audiences/{id}", &fcgi_resend_segments_change, fcgi_resend_segments_patch, "audience.changed", "segments.update"),
	DELETE("/audiences/{id}", fcgi_resend_segments_delete, "audience.deleted", "segments.remove"),
	GET("/audiences/{id}/contacts", fcgi_resend_contacts_list, "contacts.list"),
	POST("/audiences/{id}/contacts", &fcgi_resend_contacts_new, fcgi_resend_contacts_post, "contact.created", "contacts.create"),
	GET("/audiences/{id}/contacts/{email}", fcgi_resend_contacts_get, "contacts.get"),
	PATCH("/audiences/{id}/contacts/{email}", &fcgi_resend_contacts_body, fcgi_resend_contacts_patch, "contact.changed", "contacts.update"),
	DELETE("/audiences/{id}/contacts/{email}", fcgi_resend_contacts_delete, "contact.deleted", "contacts.remove"),

	POST("/contacts", &fcgi_resend_people_new, fcgi_resend_people_post, "contact.created", "contacts.create"),
	GET("/contacts", fcgi_resend_contacts_list_all, "contacts.list"),
	POST("/contacts/imports", NULL, fcgi_resend_contact_imports_post, "import.created", "contacts.imports.create"),
	GET("/contacts/imports", fcgi_resend_contact_imports_list, "contacts.imports.list"),
	GET("/contacts/imports/{id}", fcgi_resend_contact_imports_get, "contacts.imports.get"),
	GET("/contacts/{contact}/segments", fcgi_resend_people_segments, "contacts.segments.list"),
	JOIN(POST, "/contacts/{contact}/segments/{segment}", fcgi_resend_people_join, "contacts.segments.add"),
	JOIN(DELETE, "/contacts/{contact}/segments/{segment}", fcgi_resend_people_leave, "contacts.segments.remove"),
	GET("/contacts/{contact}/topics", fcgi_resend_people_topics, "contacts.topics.list"),
	{{METHOD_PATCH, "/contacts/{contact}/topics", KEY_FULL, &fcgi_resend_people_choices, fcgi_resend_people_choose, NULL, NULL, NULL, .audit = "contact.changed"}, "contacts.topics.update", RESEND_EITHER},
	GET("/contacts/{email}", fcgi_resend_people_get, "contacts.get"),
	PATCH("/contacts/{email}", &fcgi_resend_people_body, fcgi_resend_people_patch, "contact.changed", "contacts.update"),
	DELETE("/contacts/{email}", fcgi_resend_people_delete, "contact.deleted", "contacts.remove"),

	POST("/contact-properties", &fcgi_resend_properties_new, fcgi_resend_properties_post, "contact-property.created", "contactProperties.create"),
	GET("/contact-properties", fcgi_resend_properties_list, "contactProperties.list"),
	GET("/contact-properties/{id}", fcgi_resend_properties_get, "contactProperties.get"),
	PATCH("/contact-properties/{id}", &fcgi_resend_properties_change, fcgi_resend_properties_patch, "contact-property.changed", "contactProperties.update"),
	DELETE("/contact-properties/{id}", fcgi_resend_properties_delete, "contact-property.deleted", "contactProperties.remove"),

	POST("/topics", &fcgi_resend_topics_new, fcgi_resend_topics_post, "topic.created", "topics.create"),
	GET("/topics", fcgi_resend_topics_list, "topics.list"),
	GET("/topics/{id}", fcgi_resend_topics_get, "topics.get"),
	PATCH("/topics/{id}", &fcgi_resend_topics_change, fcgi_resend_topics_patch, "topic.changed", "topics.update"),
	DELETE("/topics/{id}", fcgi_resend_topics_delete, "topic.deleted", "topics.remove"),

	POST("/broadcasts", &fcgi_resend_broadcasts_new, fcgi_resend_broadcasts_post, "broadcast.created", "broadcasts.create"),
	GET("/broadcasts", fcgi_resend_broadcasts_list, "broadcasts.list"),
	GET("/broadcasts/{id}", fcgi_resend_broadcasts_get, "broadcasts.get"),
	PATCH("/broadcasts/{id}", &fcgi_resend_broadcasts_change, fcgi_resend_broadcasts_patch, "broadcast.changed", "broadcasts.update"),
	DELETE("/broadcasts/{id}", fcgi_resend_broadcasts_delete, "broadcast.deleted", "broadcasts.remove"),
	POST("/broadcasts/{id}/send", &fcgi_resend_broadcasts_time, fcgi_resend_broadcasts_send, "broadcast.scheduled", "broadcasts.send"),
	POST("/broadcasts/{id}/cancel", NULL, fcgi_resend_broadcasts_cancel, "broadcast.unscheduled", "broadcasts.cancel"),
	POST("/broadcasts/{id}/duplicate", NULL, fcgi_resend_broadcasts_duplicate, "broadcast.created", "broadcasts.duplicate"),
	GET("/broadcasts/{id}/recipients", fcgi_resend_broadcasts_recipients, "broadcasts.recipients"),
	GET("/broadcasts/{id}/clicked-links", fcgi_resend_broadcasts_links, "broadcasts.clickedLinks"),

	NEVER(POST, "/inboxes", FULL, "inboxes.create"),
	NEVER(GET, "/inboxes", READ, "inboxes.list"),
	NEVER(GET, "/inboxes/{inbox}", READ, "inboxes.get"),
	NEVER(PATCH, "/inboxes/{inbox}", FULL, "inboxes.update"),
	NEVER(DELETE, "/inboxes/{inbox}", FULL, "inboxes.remove"),
	NEVER(GET, "/inboxes/{inbox}/agent", READ, "inboxes.agent.get"),
	NEVER(PATCH, "/inboxes/{inbox}/agent", FULL, "inboxes.agent.update"),
	NEVER(GET, "/inboxes/{inbox}/drafts", READ, "inboxes.drafts.list"),
	NEVER(POST, "/inboxes/{inbox}/drafts", FULL, "inboxes.drafts.create"),
	NEVER(GET, "/inboxes/{inbox}/drafts/{draft}", READ, "inboxes.drafts.get"),
	NEVER(PATCH, "/inboxes/{inbox}/drafts/{draft}", FULL, "inboxes.drafts.update"),
	NEVER(DELETE, "/inboxes/{inbox}/drafts/{draft}", FULL, "inboxes.drafts.remove"),
	NEVER(POST, "/inboxes/{inbox}/drafts/{draft}/send", FULL, "inboxes.drafts.send"),
	NEVER(GET, "/inboxes/{inbox}/labels", READ, "inboxes.labels.list"),
	NEVER(POST, "/inboxes/{inbox}/labels", FULL, "inboxes.labels.create"),
	NEVER(PATCH, "/inboxes/{inbox}/labels/{label}", FULL, "inboxes.labels.update"),
	NEVER(DELETE, "/inboxes/{inbox}/labels/{label}", FULL, "inboxes.labels.remove"),
	NEVER(GET, "/inboxes/{inbox}/threads", READ, "inboxes.threads.list"),
	NEVER(GET, "/inboxes/{inbox}/threads/search", READ, "inboxes.threads.search"),
	NEVER(GET, "/inboxes/{inbox}/threads/{thread}", READ, "inboxes.threads.get"),
	NEVER(PATCH, "/inboxes/{inbox}/threads/{thread}", FULL, "inboxes.threads.update"),
	NEVER(DELETE, "/inboxes/{inbox}/threads/{thread}", FULL, "inboxes.threads.remove"),
	NEVER(GET, "/inboxes/{inbox}/threads/{thread}/emails", READ, "inboxes.threads.emails.list"),
	NEVER(GET, "/inboxes/{inbox}/threads/{thread}/emails/{email_id}", READ, "inboxes.threads.emails.get"),
	NEVER(POST, "/inboxes/{inbox}/threads/{thread}/emails/{email_id}/reply", FULL, "inboxes.threads.emails.reply"),
	NEVER(POST, "/inboxes/{inbox}/threads/{thread}/emails/{email_id}/forward", FULL, "inboxes.threads.emails.forward"),
	NEVER(POST, "/inboxes/{inbox}/threads/{thread}/labels", FULL, "inboxes.threads.labels.add"),
	NEVER(PUT, "/inboxes/{inbox}/threads/{thread}/labels", FULL, "inboxes.threads.labels.set"),
	NEVER(DELETE, "/inboxes/{inbox}/threads/{thread}/labels/{label}", FULL, "inboxes.threads.labels.remove"),
};
/* clang-format on */

static bool
front_is_blank(const char *bytes, gsize size)
{
	for (gsize i = 0; i < size; i++)
		if (!memchr(" \t\r\n", bytes[i], 4))
			return false;
	return true;
}

/* No body at all is an empty object. */
static struct json *
front_parse(char *bytes, gsize size, GError **error)
{
	if (!front_is_blank(bytes, size))
		return json_parse_container_take(bytes, size, error);
	g_free(bytes);
	return json_parse("{}", 2, error);
}

/* An INVALID of the body itself is NO_JSON; other errors stay as they are. */
static bool
fail_body(GError *local, GError **error)
{
	if (!g_error_matches(local, PH_ERROR, PH_ERROR_INVALID)) {
		g_propagate_error(error, local);
		return false;
	}
	fcgi_resend_fail(error, RESEND_NO_JSON, "%s", local->message);
	g_error_free(local);
	return false;
}

/* Members and parameters that nobody knows are ignored, since newer clients have more. */
static bool
front_read_body(struct fcgi_call *call, GError **error)
{
	const struct fcgi_resend_route *row = (const struct fcgi_resend_route *)call->route;
	GError *local = NULL;
	char *bytes;

	if (!row->route.body)
		return true;
	if (!fcgi_call_body(call, row->route.body->bytes, &bytes, &local) ||
	    !(call->json = front_parse(bytes, call->body_size, &local)))
		return fail_body(local, error);
	fcgi_resend_logs_keep_body(call, call->json);
	bool is_array = json_kind(call->json) == JSON_ARRAY;
	return (is_array && row->container != RESEND_OBJECT) ||
	       (json_kind(call->json) == JSON_OBJECT && row->container != RESEND_ARRAY) ||
	       fcgi_resend_fail(error, RESEND_NO_JSON, "The request body must be a JSON %s.",
		   row->container == RESEND_OBJECT ? "object" : "array");
}

const struct fcgi_front fcgi_resend_front = {"/resend", &rows[0].route, sizeof(rows[0]),
    G_N_ELEMENTS(rows), &fcgi_resend_form, front_read_body, true, fcgi_resend_logs_note,
    fcgi_resend_logs_store, "/email", "/emails"};
