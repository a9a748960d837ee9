/* SPDX-License-Identifier: MIT */
/* All handlers of the front /resend, and the parts that several of them share. Their errors:
   fcgi/resend/error.h. */
#ifndef FCGI_RESEND_HANDLERS_H
#define FCGI_RESEND_HANDLERS_H

#include <glib.h>
#include <stdbool.h>

#include "store/common/listing.h"

struct base_id;
struct service;
struct service_idempotency;
struct service_once;
struct fcgi_call;
struct fcgi_storing;
struct json;
struct json_table;
struct json_view;
struct json_writer;
struct store_email;
struct store_event_history;
struct store_segment;
struct store_webhook;
struct store_workflow;

/* A handler performs one operation of the table (fcgi/resend/front.c): it reads the request from
   the call and fills call->reply. False with error when it fails. */

/* api_keys.c, /api-keys */
bool fcgi_resend_api_keys_create(struct fcgi_call *call, GError **error);
bool fcgi_resend_api_keys_list(struct fcgi_call *call, GError **error);
bool fcgi_resend_api_keys_update(struct fcgi_call *call, GError **error);
bool fcgi_resend_api_keys_remove(struct fcgi_call *call, GError **error);

/* domains.c, /domains */
bool fcgi_resend_domains_create(struct fcgi_call *call, GError **error);
bool fcgi_resend_domains_list(struct fcgi_call *call, GError **error);
bool fcgi_resend_domains_get(struct fcgi_call *call, GError **error);
bool fcgi_resend_domains_update(struct fcgi_call *call, GError **error);
bool fcgi_resend_domains_remove(struct fcgi_call *call, GError **error);
bool fcgi_resend_domains_verify(struct fcgi_call *call, GError **error);

/* The fields of the bodies that these operations take. */
extern const struct json_table fcgi_resend_api_keys_body, fcgi_resend_api_keys_change,
    fcgi_resend_domains_body, fcgi_resend_domains_change;

/* suppressions.c, /suppressions */
extern const struct json_table fcgi_resend_suppressions_body, fcgi_resend_suppressions_batch;
bool fcgi_resend_suppressions_post(struct fcgi_call *call, GError **error);
bool fcgi_resend_suppressions_list(struct fcgi_call *call, GError **error);
bool fcgi_resend_suppressions_add(struct fcgi_call *call, GError **error);
bool fcgi_resend_suppressions_remove(struct fcgi_call *call, GError **error);
bool fcgi_resend_suppressions_get(struct fcgi_call *call, GError **error);
bool fcgi_resend_suppressions_delete(struct fcgi_call *call, GError **error);

/* segments.c, /segments and /audiences */
extern const struct json_table fcgi_resend_segments_body;
extern const struct json_table fcgi_resend_segments_change;
bool fcgi_resend_segments_post(struct fcgi_call *call, GError **error);
bool fcgi_resend_segments_list(struct fcgi_call *call, GError **error);
bool fcgi_resend_segments_get(struct fcgi_call *call, GError **error);
bool fcgi_resend_segments_patch(struct fcgi_call *call, GError **error);
bool fcgi_resend_segments_delete(struct fcgi_call *call, GError **error);
/* The segment that the path names. INVALID_PARAMETER. */
bool fcgi_resend_segments_id(const struct fcgi_call *call, struct base_id *id_r, GError **error);
/* The saved rules with this id, where *failure says that there is no such audience; NULL: neither,
   or an error of db/statement.h, which then is *failure. The caller frees them. */
struct store_segment *fcgi_resend_segments_rules(
    struct fcgi_call *call, const struct base_id *id, GError **failure);
/* Passes an error of lib on, in which an audience has the name that the path uses. Returns false.
 */
bool fcgi_resend_segments_fail(const struct fcgi_call *call, GError *failure, GError **error);
/* The same for an error of a change, which may be about saved rules with this id. Returns false. */
bool fcgi_resend_segments_fail_change(
    struct fcgi_call *call, const struct base_id *id, GError *failure, GError **error);
/* Says that a segment has rules and cannot be changed here. Returns false. */
bool fcgi_resend_segments_refuse(GError **error);

/* contacts.c, the contacts of a segment */
extern const struct json_table fcgi_resend_contacts_new, fcgi_resend_contacts_body;
bool fcgi_resend_contacts_post(struct fcgi_call *call, GError **error);
bool fcgi_resend_contacts_list(struct fcgi_call *call, GError **error);
/* All people, or the contacts of the segment that segment_id names. */
bool fcgi_resend_contacts_list_all(struct fcgi_call *call, GError **error);
bool fcgi_resend_contacts_get(struct fcgi_call *call, GError **error);
bool fcgi_resend_contacts_patch(struct fcgi_call *call, GError **error);
bool fcgi_resend_contacts_delete(struct fcgi_call *call, GError **error);

/* people.c, /contacts */
extern const struct json_table fcgi_resend_people_new, fcgi_resend_people_body,
    fcgi_resend_people_choices;
bool fcgi_resend_people_post(struct fcgi_call *call, GError **error);
bool fcgi_resend_people_list(struct fcgi_call *call, GError **error);
/* Adds the ids of segments, an array of ids or of objects with an id (NULL: none), to ids, of
   struct base_id. INVALID. */
bool fcgi_resend_read_segments(const struct json *segments, GArray *ids, GError **error);
/* Whether all of these segments exist, and have no rules. */
bool fcgi_resend_find_segments(struct fcgi_call *call, const GArray *ids, GError **error);
/* Replies with a page of the people whom saved rules choose. */
bool fcgi_resend_people_of(struct fcgi_call *call, const struct store_segment *segment,
    const struct store_page *page, GError **error);
bool fcgi_resend_people_get(struct fcgi_call *call, GError **error);
bool fcgi_resend_people_patch(struct fcgi_call *call, GError **error);
bool fcgi_resend_people_delete(struct fcgi_call *call, GError **error);
bool fcgi_resend_people_segments(struct fcgi_call *call, GError **error);
bool fcgi_resend_people_join(struct fcgi_call *call, GError **error);
bool fcgi_resend_people_leave(struct fcgi_call *call, GError **error);
bool fcgi_resend_people_topics(struct fcgi_call *call, GError **error);
bool fcgi_resend_people_choose(struct fcgi_call *call, GError **error);
/* Writes the member properties: those that are texts, numbers and booleans, with their types. */
void fcgi_resend_write_properties(struct json_writer *writer, const char *properties);

/* Reads the choice of a topic, element number of topics. INVALID. */
struct consent_topic;
bool fcgi_resend_read_topic(const char *id, const char *subscription, guint number,
    struct consent_topic *topic_r, GError **error);

/* contact_imports.c, /contacts/imports */
bool fcgi_resend_contact_imports_post(struct fcgi_call *call, GError **error);
bool fcgi_resend_contact_imports_list(struct fcgi_call *call, GError **error);
bool fcgi_resend_contact_imports_get(struct fcgi_call *call, GError **error);

/* properties.c, /contact-properties */
extern const struct json_table fcgi_resend_properties_new, fcgi_resend_properties_change;
bool fcgi_resend_properties_post(struct fcgi_call *call, GError **error);
bool fcgi_resend_properties_list(struct fcgi_call *call, GError **error);
bool fcgi_resend_properties_get(struct fcgi_call *call, GError **error);
bool fcgi_resend_properties_patch(struct fcgi_call *call, GError **error);
bool fcgi_resend_properties_delete(struct fcgi_call *call, GError **error);

/* topics.c, /topics */
extern const struct json_table fcgi_resend_topics_new, fcgi_resend_topics_change;
bool fcgi_resend_topics_post(struct fcgi_call *call, GError **error);
bool fcgi_resend_topics_list(struct fcgi_call *call, GError **error);
bool fcgi_resend_topics_get(struct fcgi_call *call, GError **error);
bool fcgi_resend_topics_patch(struct fcgi_call *call, GError **error);
bool fcgi_resend_topics_delete(struct fcgi_call *call, GError **error);

/* broadcasts.c, /broadcasts */
extern const struct json_table fcgi_resend_broadcasts_new, fcgi_resend_broadcasts_change,
    fcgi_resend_broadcasts_time;
bool fcgi_resend_broadcasts_post(struct fcgi_call *call, GError **error);
bool fcgi_resend_broadcasts_list(struct fcgi_call *call, GError **error);
bool fcgi_resend_broadcasts_get(struct fcgi_call *call, GError **error);
bool fcgi_resend_broadcasts_patch(struct fcgi_call *call, GError **error);
bool fcgi_resend_broadcasts_delete(struct fcgi_call *call, GError **error);
bool fcgi_resend_broadcasts_send(struct fcgi_call *call, GError **error);
bool fcgi_resend_broadcasts_cancel(struct fcgi_call *call, GError **error);
bool fcgi_resend_broadcasts_duplicate(struct fcgi_call *call, GError **error);

/* broadcast_results.c, /broadcasts/{id}/recipients and /clicked-links */
bool fcgi_resend_broadcasts_recipients(struct fcgi_call *call, GError **error);
bool fcgi_resend_broadcasts_links(struct fcgi_call *call, GError **error);

/* templates.c, /templates */
extern const struct json_table fcgi_resend_templates_new, fcgi_resend_templates_body;
bool fcgi_resend_templates_post(struct fcgi_call *call, GError **error);
bool fcgi_resend_templates_list(struct fcgi_call *call, GError **error);
bool fcgi_resend_templates_get(struct fcgi_call *call, GError **error);
bool fcgi_resend_templates_patch(struct fcgi_call *call, GError **error);
bool fcgi_resend_templates_delete(struct fcgi_call *call, GError **error);
bool fcgi_resend_templates_publish(struct fcgi_call *call, GError **error);
bool fcgi_resend_templates_duplicate(struct fcgi_call *call, GError **error);

/* emails.c, /emails; metrics.c, /emails/metrics; attachments.c, /emails/{id}/attachments */
bool fcgi_resend_emails_metrics(struct fcgi_call *call, GError **error);
bool fcgi_resend_emails_get(struct fcgi_call *call, GError **error);
bool fcgi_resend_emails_list(struct fcgi_call *call, GError **error);
bool fcgi_resend_emails_patch(struct fcgi_call *call, GError **error);
bool fcgi_resend_emails_cancel(struct fcgi_call *call, GError **error);
bool fcgi_resend_attachments_list(struct fcgi_call *call, GError **error);
bool fcgi_resend_attachments_get(struct fcgi_call *call, GError **error);

/* receiving.c, /emails/receiving */
bool fcgi_resend_receiving_list(struct fcgi_call *call, GError **error);
bool fcgi_resend_receiving_get(struct fcgi_call *call, GError **error);
bool fcgi_resend_receiving_attachments_list(struct fcgi_call *call, GError **error);
bool fcgi_resend_receiving_attachments_get(struct fcgi_call *call, GError **error);

/* The operations that store a request: emails.c, emails_batch.c */
extern const struct fcgi_storing fcgi_resend_emails_storing, fcgi_resend_emails_batch_storing;

/* The fields of the bodies that these operations take. */
extern const struct json_table fcgi_resend_emails_batch_body, fcgi_resend_emails_change;

/* email_view.c: writes an email as GET /emails/{id} shows it, read by store_email_show, and as a
   row of the list. Set error when its addresses or contents cannot be read. */
bool fcgi_resend_email_write(struct json_writer *writer, const struct service *service,
    const struct store_email *email, const struct store_event_history *histories, GError **error);
bool fcgi_resend_email_write_row(struct json_writer *writer, struct service *service,
    const struct store_email *email, GError **error);

/* events.c, /events */
extern const struct json_table fcgi_resend_events_new, fcgi_resend_events_change,
    fcgi_resend_events_sent;
extern const struct fcgi_storing fcgi_resend_events_storing;
bool fcgi_resend_events_post(struct fcgi_call *call, GError **error);
bool fcgi_resend_events_list(struct fcgi_call *call, GError **error);
bool fcgi_resend_events_get(struct fcgi_call *call, GError **error);
bool fcgi_resend_events_patch(struct fcgi_call *call, GError **error);
bool fcgi_resend_events_delete(struct fcgi_call *call, GError **error);

/* automations.c, /automations; automation_runs.c, /automations/{id}/runs */
extern const struct json_table fcgi_resend_automations_new, fcgi_resend_automations_body;
bool fcgi_resend_automations_post(struct fcgi_call *call, GError **error);
bool fcgi_resend_automations_list(struct fcgi_call *call, GError **error);
bool fcgi_resend_automations_get(struct fcgi_call *call, GError **error);
bool fcgi_resend_automations_patch(struct fcgi_call *call, GError **error);
bool fcgi_resend_automations_delete(struct fcgi_call *call, GError **error);
bool fcgi_resend_automations_duplicate(struct fcgi_call *call, GError **error);
bool fcgi_resend_automations_stop(struct fcgi_call *call, GError **error);
bool fcgi_resend_automation_runs_list(struct fcgi_call *call, GError **error);
bool fcgi_resend_automation_runs_get(struct fcgi_call *call, GError **error);

/* Reads the automation that the path names, with its design and form, which the caller frees.
   INVALID_PARAMETER; NOT_FOUND. */
bool fcgi_resend_automations_find(
    struct fcgi_call *call, struct store_workflow **workflow_r, GError **error);

/* webhooks.c, /webhooks; webhook_events.c, /webhooks/{id}/events */
extern const struct json_table fcgi_resend_webhooks_new, fcgi_resend_webhooks_change;
bool fcgi_resend_webhooks_post(struct fcgi_call *call, GError **error);
bool fcgi_resend_webhooks_list(struct fcgi_call *call, GError **error);
bool fcgi_resend_webhooks_get(struct fcgi_call *call, GError **error);
bool fcgi_resend_webhooks_patch(struct fcgi_call *call, GError **error);
bool fcgi_resend_webhooks_delete(struct fcgi_call *call, GError **error);
bool fcgi_resend_webhooks_rotate(struct fcgi_call *call, GError **error);
bool fcgi_resend_webhook_events_list(struct fcgi_call *call, GError **error);
bool fcgi_resend_webhook_events_get(struct fcgi_call *call, GError **error);
bool fcgi_resend_webhook_events_replay(struct fcgi_call *call, GError **error);
bool fcgi_resend_webhook_events_attempts(struct fcgi_call *call, GError **error);

/* Finds the webhook of the path, which was made under /resend. The caller frees it. NOT_FOUND. */
bool fcgi_resend_webhooks_find(
    struct fcgi_call *call, struct store_webhook **webhook_r, GError **error);

/* logs.c, /logs */
bool fcgi_resend_logs_list(struct fcgi_call *call, GError **error);
bool fcgi_resend_logs_get(struct fcgi_call *call, GError **error);

/* parts.c, for operations that are not served: NOT_IMPLEMENTED */
bool fcgi_resend_never(struct fcgi_call *call, GError **error);

/* Reads the fields of an object, which is the body or a part of it, as json_fields_read does, after
   json_lenient_settle has changed the object: "", [""] and null are like absent, camelCase twins
   like the members, and members that the table does not have are ignored. So no field has .given,
   and a text or list that must be there has .min = 1. MISSING_FIELD "Missing `to` field." or
   INVALID "Invalid `to` field. to[3] must be a string." */
bool fcgi_resend_read(
    const struct json *object, const struct json_table *table, void *out, GError **error);

/* Reads a parameter of the query, as fcgi_request_query does; one that is empty counts as absent.
 */
bool fcgi_resend_query(
    const struct fcgi_call *call, const char *name, const char **text_r, GError **error);

/* Turns an INVALID of another room whose sentence begins with the name of a field, and takes it.
   Other errors stay as they are. Returns false. */
bool fcgi_resend_invalid(GError *local, GError **error);

/* Reads an argument of the path that can only be an id. INVALID_PARAMETER. */
bool fcgi_resend_id(
    const struct fcgi_call *call, guint argument, struct base_id *id_r, GError **error);

/* Reads the Idempotency-Key header as fcgi_call_idempotency does, but apart from the keys of other
   fronts. IDEMPOTENCY_KEY when it is not 1 to LIMIT_RESEND_IDEMPOTENCY_KEY characters. */
bool fcgi_resend_idempotency(struct fcgi_call *call, struct service_idempotency *key_r,
    char *(*write)(const struct service_once *request), GError **error);

/* The number of rows in a list that is asked for without limit and cursor. */
enum fcgi_resend_rows { RESEND_ROWS_SOME = 20, RESEND_ROWS_ALL = 1000 };

/* Reads limit, after and before. page_r->limit is one more than the rows to show, to tell whether
   more follow. INVALID when one is out of range or malformed, or both cursors are given. */
bool fcgi_resend_page(
    struct fcgi_call *call, enum fcgi_resend_rows rows, struct store_page *page_r, GError **error);

/* The same for a list whose rows have ids that need not tell their place: place finds the place of
   the row with this id, if there is one. */
typedef bool fcgi_resend_place(
    struct fcgi_call *call, const char *id, struct base_id *place_r, bool *found_r, GError **error);
bool fcgi_resend_page_of(struct fcgi_call *call, enum fcgi_resend_rows rows,
    fcgi_resend_place *place, struct store_page *page_r, GError **error);

/* Writes the members that a row has in a list. */
typedef void fcgi_resend_write(
    struct json_writer *writer, const struct service *service, const void *row);

/* A member of a noun under the name that it has here. A time is ISO 8601. */
struct fcgi_resend_member {
	const char *name;
	const char *from;     /* the member of the view (json/view.h); NULL: of this name, too */
	const char *words[2]; /* of a VIEW_TRUTH: for false and true; NULL: none */
	bool blank_is_null;   /* of a VIEW_TEXT */
	struct json_view_value (*read)(const void *row); /* makes one that the view has not */
};

/* Writes these members of row. */
void fcgi_resend_write_view(struct json_writer *writer, const struct json_view *view,
    const struct fcgi_resend_member *members, guint count, const void *row);

/* Replies with a list. rows: those of page, newest first. False when it is NULL; the store has set
   the error then. */
bool fcgi_resend_list(struct fcgi_call *call, const struct store_page *page, const GPtrArray *rows,
    fcgi_resend_write *write);

/* Replies with one row: the member object, then those of a list. False when it is NULL, likewise.
 */
bool fcgi_resend_reply_row(
    struct fcgi_call *call, const char *object, fcgi_resend_write *write, const void *row);

/* The same in two steps, for rows that may fail to be written: the rows from *first_r on, before
 *end_r, of count that were read, are to be written in between. */
void fcgi_resend_list_begin(struct json_writer *writer, const struct store_page *page, guint count,
    guint *first_r, guint *end_r);
void fcgi_resend_list_end(struct fcgi_call *call, struct json_writer *writer);

/* Replies {object, id}, and deleted: true if is_deleted. object NULL: without that member. */
void fcgi_resend_reply_id(struct fcgi_call *call, guint status, const char *object,
    const struct base_id *id, bool is_deleted);

/* Writes a member that is an id. */
void fcgi_resend_write_id(struct json_writer *writer, const char *key, const struct base_id *id);

/* Writes a member that is a time (epoch ms), or null for 0, which stands for none. */
void fcgi_resend_write_time(struct json_writer *writer, const char *key, gint64 time);

#endif
