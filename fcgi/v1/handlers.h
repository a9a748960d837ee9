/* SPDX-License-Identifier: MIT */
/* All handlers, and the parts that several of them share. */
#ifndef FCGI_V1_HANDLERS_H
#define FCGI_V1_HANDLERS_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct config_settings;
struct service;
struct fcgi_call;
struct fcgi_failure;
struct fcgi_storing;
struct json;
struct json_table;
struct json_writer;
struct store_creator;
struct store_email;
struct store_event_history;
struct store_event;

/* A handler performs one operation of the route table (fcgi/api/routes.c): it reads the checked
   request from the call and fills call->reply. False with error when it fails; the service then
   replies in the route's failure form. posthouse-api(7) says what each operation does. */

/* audiences.c, /v1/audiences */
bool fcgi_audiences_post(struct fcgi_call *call, GError **error);
bool fcgi_audiences_list(struct fcgi_call *call, GError **error);
bool fcgi_audiences_get(struct fcgi_call *call, GError **error);
bool fcgi_audiences_delete(struct fcgi_call *call, GError **error);

/* audit.c, /v1/audit */
bool fcgi_audit_list(struct fcgi_call *call, GError **error);

/* automation_contacts.c, /v1/automation/contacts */
bool fcgi_automation_contacts_list(struct fcgi_call *call, GError **error);
bool fcgi_automation_contacts_get(struct fcgi_call *call, GError **error);
bool fcgi_automation_contacts_patch(struct fcgi_call *call, GError **error);
bool fcgi_automation_contacts_delete(struct fcgi_call *call, GError **error);
bool fcgi_automation_contacts_list_events(struct fcgi_call *call, GError **error);

/* contacts.c, /v1/audiences/{audience}/contacts */
bool fcgi_contacts_list(struct fcgi_call *call, GError **error);
bool fcgi_contacts_get(struct fcgi_call *call, GError **error);
bool fcgi_contacts_patch(struct fcgi_call *call, GError **error);
bool fcgi_contacts_delete(struct fcgi_call *call, GError **error);

/* creator.c, /avatar/{file} */
bool fcgi_avatar_get(struct fcgi_call *call, GError **error);

/* domain_parts.c, below /v1/domains/{id} */
bool fcgi_domain_keys_list(struct fcgi_call *call, GError **error);
bool fcgi_domain_relays_get(struct fcgi_call *call, GError **error);
bool fcgi_domain_zone_get(struct fcgi_call *call, GError **error);

/* domains.c, /v1/domains */
bool fcgi_domains_post(struct fcgi_call *call, GError **error);
bool fcgi_domains_list(struct fcgi_call *call, GError **error);
bool fcgi_domains_get(struct fcgi_call *call, GError **error);
bool fcgi_domains_verify(struct fcgi_call *call, GError **error);
bool fcgi_domains_rotate(struct fcgi_call *call, GError **error);
bool fcgi_domains_patch(struct fcgi_call *call, GError **error);
bool fcgi_domains_delete(struct fcgi_call *call, GError **error);

/* download.c, /t/a */
bool fcgi_download_get(struct fcgi_call *call, GError **error);

/* emails.c, /v1/emails */
bool fcgi_emails_list(struct fcgi_call *call, GError **error);
bool fcgi_emails_get(struct fcgi_call *call, GError **error);
bool fcgi_emails_events(struct fcgi_call *call, GError **error);
bool fcgi_emails_patch(struct fcgi_call *call, GError **error);
bool fcgi_emails_cancel(struct fcgi_call *call, GError **error);

/* email_message.c, /v1/emails/{id}/message */
bool fcgi_email_message_get(struct fcgi_call *call, GError **error);

/* email_waiting.c, /v1/emails/{id}/waiting and /v1/emails/{id}/release */
bool fcgi_email_waiting_get(struct fcgi_call *call, GError **error);
bool fcgi_email_waiting_release(struct fcgi_call *call, GError **error);

/* emails_batch.c, /v1/emails/batch */

/* executions.c, /v1/executions, and those of a workflow or a contact */
bool fcgi_executions_list_of_workflow(struct fcgi_call *call, GError **error);
bool fcgi_executions_list_of_contact(struct fcgi_call *call, GError **error);
bool fcgi_executions_get(struct fcgi_call *call, GError **error);
bool fcgi_executions_cancel(struct fcgi_call *call, GError **error);
bool fcgi_execution_emails_list_of_workflow(struct fcgi_call *call, GError **error);
bool fcgi_execution_emails_list(struct fcgi_call *call, GError **error);

/* execution_steps.c */
bool fcgi_execution_steps_list(struct fcgi_call *call, GError **error);

/* import_files.c, /v1/imports */
bool fcgi_import_files_post(struct fcgi_call *call, GError **error);
bool fcgi_import_files_list(struct fcgi_call *call, GError **error);
bool fcgi_import_files_get(struct fcgi_call *call, GError **error);
bool fcgi_import_files_faults(struct fcgi_call *call, GError **error);

/* imports.c, /v1/audiences/{id}/import and /v1/people/import */
bool fcgi_imports_contacts(struct fcgi_call *call, GError **error);
bool fcgi_imports_people(struct fcgi_call *call, GError **error);

/* keys.c, /v1/keys */
bool fcgi_keys_post(struct fcgi_call *call, GError **error);
bool fcgi_keys_list(struct fcgi_call *call, GError **error);
bool fcgi_keys_revoke(struct fcgi_call *call, GError **error);

/* looks.c, /v1/page */
bool fcgi_looks_get(struct fcgi_call *call, GError **error);
bool fcgi_looks_patch(struct fcgi_call *call, GError **error);

/* notes.c, /v1/session/notes */
bool fcgi_notes_list(struct fcgi_call *call, GError **error);
bool fcgi_notes_get(struct fcgi_call *call, GError **error);
bool fcgi_notes_put(struct fcgi_call *call, GError **error);
bool fcgi_notes_delete(struct fcgi_call *call, GError **error);

/* people.c, /v1/people */
bool fcgi_people_post(struct fcgi_call *call, GError **error);
bool fcgi_people_list(struct fcgi_call *call, GError **error);
bool fcgi_people_get(struct fcgi_call *call, GError **error);
bool fcgi_people_patch(struct fcgi_call *call, GError **error);
bool fcgi_people_delete(struct fcgi_call *call, GError **error);
bool fcgi_people_history(struct fcgi_call *call, GError **error);
bool fcgi_people_emails(struct fcgi_call *call, GError **error);

/* properties.c, /v1/properties */
bool fcgi_properties_post(struct fcgi_call *call, GError **error);
bool fcgi_properties_list(struct fcgi_call *call, GError **error);
bool fcgi_properties_patch(struct fcgi_call *call, GError **error);
bool fcgi_properties_delete(struct fcgi_call *call, GError **error);

/* providers.c, /in */
bool fcgi_providers_take(struct fcgi_call *call, GError **error);

/* requests.c, /v1/requests */
bool fcgi_requests_list(struct fcgi_call *call, GError **error);

/* service.c, /health and /openapi.json */
bool fcgi_health_get(struct fcgi_call *call, GError **error);
bool fcgi_metrics_get(struct fcgi_call *call, GError **error);
bool fcgi_openapi_get(struct fcgi_call *call, GError **error);

/* sessions.c, /v1/session and /v1/sessions */
bool fcgi_sessions_ask(struct fcgi_call *call, GError **error);
bool fcgi_sessions_post(struct fcgi_call *call, GError **error);
bool fcgi_sessions_get(struct fcgi_call *call, GError **error);
bool fcgi_sessions_patch(struct fcgi_call *call, GError **error);
bool fcgi_sessions_answer_invitation(struct fcgi_call *call, GError **error);
bool fcgi_sessions_leave(struct fcgi_call *call, GError **error);
bool fcgi_sessions_list(struct fcgi_call *call, GError **error);
bool fcgi_sessions_delete(struct fcgi_call *call, GError **error);

/* simulation.c, /v1/workflows/simulate */
bool fcgi_simulation_run(struct fcgi_call *call, GError **error);

/* stats.c, /v1/stats */
bool fcgi_stats_list(struct fcgi_call *call, GError **error);

/* suppressions.c, /v1/suppressions */
bool fcgi_suppressions_post(struct fcgi_call *call, GError **error);
bool fcgi_suppressions_list(struct fcgi_call *call, GError **error);
bool fcgi_suppressions_get(struct fcgi_call *call, GError **error);
bool fcgi_suppressions_delete(struct fcgi_call *call, GError **error);

/* templates.c, /v1/templates */
bool fcgi_templates_post(struct fcgi_call *call, GError **error);
bool fcgi_templates_list(struct fcgi_call *call, GError **error);
bool fcgi_templates_get(struct fcgi_call *call, GError **error);
bool fcgi_templates_layout(struct fcgi_call *call, GError **error);
bool fcgi_templates_patch(struct fcgi_call *call, GError **error);
bool fcgi_templates_delete(struct fcgi_call *call, GError **error);
bool fcgi_templates_render(struct fcgi_call *call, GError **error);
bool fcgi_templates_preview(struct fcgi_call *call, GError **error);

/* segments.c, /v1/segments */
bool fcgi_segments_post(struct fcgi_call *call, GError **error);
bool fcgi_segments_list(struct fcgi_call *call, GError **error);
bool fcgi_segments_get(struct fcgi_call *call, GError **error);
bool fcgi_segments_patch(struct fcgi_call *call, GError **error);
bool fcgi_segments_delete(struct fcgi_call *call, GError **error);
bool fcgi_segments_count(struct fcgi_call *call, GError **error);
bool fcgi_segments_people(struct fcgi_call *call, GError **error);
bool fcgi_segments_preview(struct fcgi_call *call, GError **error);
bool fcgi_segments_freeze(struct fcgi_call *call, GError **error);

/* tracking.c, /t/o and /t/c */
bool fcgi_tracking_open(struct fcgi_call *call, GError **error);
bool fcgi_tracking_click(struct fcgi_call *call, GError **error);

/* topics.c, /v1/topics */
bool fcgi_topics_post(struct fcgi_call *call, GError **error);
bool fcgi_topics_list(struct fcgi_call *call, GError **error);
bool fcgi_topics_get(struct fcgi_call *call, GError **error);
bool fcgi_topics_patch(struct fcgi_call *call, GError **error);
bool fcgi_topics_delete(struct fcgi_call *call, GError **error);

/* unsubscribe.c, /t/u: GET shows the page and changes nothing. POST comes from the page's button or
   from the recipient's mail program (RFC 8058). */
bool fcgi_opt_in_get(struct fcgi_call *call, GError **error);
bool fcgi_opt_in_put(struct fcgi_call *call, GError **error);
bool fcgi_opt_in_again(struct fcgi_call *call, GError **error);
bool fcgi_confirm_get(struct fcgi_call *call, GError **error);
bool fcgi_confirm_post(struct fcgi_call *call, GError **error);
bool fcgi_forms_post(struct fcgi_call *call, GError **error);
bool fcgi_forms_list(struct fcgi_call *call, GError **error);
bool fcgi_forms_get(struct fcgi_call *call, GError **error);
bool fcgi_forms_patch(struct fcgi_call *call, GError **error);
bool fcgi_forms_delete(struct fcgi_call *call, GError **error);
bool fcgi_form_show(struct fcgi_call *call, GError **error);
bool fcgi_form_take(struct fcgi_call *call, GError **error);
bool fcgi_form_ask(struct fcgi_call *call, GError **error);
bool fcgi_unsubscribe_get(struct fcgi_call *call, GError **error);
bool fcgi_unsubscribe_post(struct fcgi_call *call, GError **error);

/* users.c, /v1/users */
bool fcgi_users_post(struct fcgi_call *call, GError **error);
bool fcgi_users_list(struct fcgi_call *call, GError **error);
bool fcgi_users_patch(struct fcgi_call *call, GError **error);
bool fcgi_users_delete(struct fcgi_call *call, GError **error);

/* broadcast_trial.c, /v1/broadcasts/{id} */
bool fcgi_broadcasts_check(struct fcgi_call *call, GError **error);
bool fcgi_broadcasts_test(struct fcgi_call *call, GError **error);

/* broadcasts.c, /v1/broadcasts */
bool fcgi_broadcasts_post(struct fcgi_call *call, GError **error);
bool fcgi_broadcasts_list(struct fcgi_call *call, GError **error);
bool fcgi_broadcasts_get(struct fcgi_call *call, GError **error);
bool fcgi_broadcasts_patch(struct fcgi_call *call, GError **error);
bool fcgi_broadcasts_delete(struct fcgi_call *call, GError **error);
bool fcgi_broadcasts_send(struct fcgi_call *call, GError **error);
bool fcgi_broadcasts_unschedule(struct fcgi_call *call, GError **error);
bool fcgi_broadcasts_pause(struct fcgi_call *call, GError **error);
bool fcgi_broadcasts_resume(struct fcgi_call *call, GError **error);
bool fcgi_broadcasts_cancel(struct fcgi_call *call, GError **error);
bool fcgi_broadcasts_winner(struct fcgi_call *call, GError **error);
bool fcgi_broadcasts_recipients(struct fcgi_call *call, GError **error);
bool fcgi_broadcasts_duplicate(struct fcgi_call *call, GError **error);

/* versions.c, /v1/templates/{id}/versions and /v1/broadcasts/{id}/versions */
bool fcgi_template_versions_list(struct fcgi_call *call, GError **error);
bool fcgi_template_versions_get(struct fcgi_call *call, GError **error);
bool fcgi_template_versions_restore(struct fcgi_call *call, GError **error);
bool fcgi_broadcast_versions_list(struct fcgi_call *call, GError **error);
bool fcgi_broadcast_versions_get(struct fcgi_call *call, GError **error);
bool fcgi_broadcast_versions_restore(struct fcgi_call *call, GError **error);

/* webhooks.c, /v1/webhooks */
bool fcgi_webhooks_post(struct fcgi_call *call, GError **error);
bool fcgi_webhooks_list(struct fcgi_call *call, GError **error);
bool fcgi_webhooks_get(struct fcgi_call *call, GError **error);
bool fcgi_webhooks_patch(struct fcgi_call *call, GError **error);
bool fcgi_webhooks_delete(struct fcgi_call *call, GError **error);
bool fcgi_webhooks_rotate(struct fcgi_call *call, GError **error);
bool fcgi_webhooks_replay(struct fcgi_call *call, GError **error);

/* waiting.c, /v1/waiting */
bool fcgi_waiting_get(struct fcgi_call *call, GError **error);

/* webhook_deliveries.c, /v1/webhooks/{id}/deliveries, and webhook.test */
bool fcgi_webhook_deliveries_list(struct fcgi_call *call, GError **error);
bool fcgi_webhook_deliveries_get(struct fcgi_call *call, GError **error);
bool fcgi_webhook_deliveries_replay(struct fcgi_call *call, GError **error);
bool fcgi_webhook_deliveries_test(struct fcgi_call *call, GError **error);

/* workflows.c, /v1/workflows */
bool fcgi_workflows_post(struct fcgi_call *call, GError **error);
bool fcgi_workflows_list(struct fcgi_call *call, GError **error);
bool fcgi_workflows_get(struct fcgi_call *call, GError **error);
bool fcgi_workflows_patch(struct fcgi_call *call, GError **error);
bool fcgi_workflows_delete(struct fcgi_call *call, GError **error);

/* workflow_versions.c, /v1/workflows/{id}/versions */
bool fcgi_workflow_versions_list(struct fcgi_call *call, GError **error);
bool fcgi_workflow_versions_get(struct fcgi_call *call, GError **error);
bool fcgi_workflow_versions_restore(struct fcgi_call *call, GError **error);

/* workspace.c, /v1/workspace */
bool fcgi_workspace_get(struct fcgi_call *call, GError **error);
bool fcgi_workspace_patch(struct fcgi_call *call, GError **error);

/* The operations that store a request: contacts.c, emails.c, emails_batch.c, events.c */
extern const struct fcgi_storing fcgi_contacts_storing, fcgi_emails_batch_storing,
    fcgi_emails_storing, fcgi_events_storing;

/* The fields of the bodies that these operations take. */
extern const struct json_table fcgi_audiences_body, fcgi_automation_contacts_change,
    fcgi_broadcasts_check_body, fcgi_broadcasts_test_body, fcgi_broadcasts_time,
    fcgi_broadcasts_winner_body, fcgi_contacts_body, fcgi_domains_body, fcgi_domains_change,
    fcgi_emails_batch_body, fcgi_emails_body, fcgi_emails_change, fcgi_events_body, fcgi_forms_body,
    fcgi_forms_change, fcgi_imports_contacts_body, fcgi_imports_people_body, fcgi_keys_body,
    fcgi_looks_change, fcgi_notes_body, fcgi_opt_in_body, fcgi_people_body, fcgi_people_change,
    fcgi_properties_body, fcgi_properties_change, fcgi_segments_body, fcgi_segments_change,
    fcgi_segments_freeze_body, fcgi_segments_preview_body, fcgi_sessions_answer, fcgi_sessions_body,
    fcgi_sessions_change, fcgi_sessions_link, fcgi_simulation_body, fcgi_suppressions_body,
    fcgi_templates_body, fcgi_templates_draft, fcgi_templates_values, fcgi_topics_body,
    fcgi_topics_change, fcgi_users_body, fcgi_users_change, fcgi_webhooks_body, fcgi_webhooks_span,
    fcgi_workflows_body, fcgi_workspace_change;

/* Failures as HTML pages, for links that people follow. */
extern const struct fcgi_failure fcgi_failure_notice;

/* Finds the contact whose email is the path's first argument. NOT_FOUND "Contact not found" when
   there is none, or when the argument is not an email address. */
bool fcgi_automation_contacts_find(struct fcgi_call *call, struct base_id *id_r, GError **error);

/* Writes the members of a created_by object; the caller begins and ends the object. The picture of
   a user who has none is that user's avatar (fcgi_avatar_get). */
void fcgi_creator_write(struct json_writer *writer, const struct config_settings *settings,
    const struct store_creator *creator);

/* Writes an email as GET /v1/emails/{id} shows it, with the events of its recipients, both as
   store_email_show reads them. Sets error when its address lists or its content cannot be read. */
bool fcgi_email_view_write(struct json_writer *writer, struct service *service,
    const struct store_email *email, const struct store_event_history *histories, GError **error);

/* Writes an email as a row of GET /v1/emails. Sets error when its address lists cannot be read. */
bool fcgi_email_view_write_row(
    struct json_writer *writer, const struct store_email *email, GError **error);

/* Writes an event of an email as a row of GET /v1/emails/{id}/events. recipient is the address, or
   NULL when the address has been erased. */
void fcgi_email_view_write_event(
    struct json_writer *writer, const char *recipient, const struct store_event *event);

/* The text of a design that is given as its text or as an object, and its size; NULL for NULL. An
   object is printed into *printed_r, which the caller frees. */
const char *fcgi_workflows_design(const struct json *design, gsize *size_r, char **printed_r);

/* Reads the id of the domain in the path. NOT_FOUND "Domain not found" when it is none. */
bool fcgi_domains_id(const struct fcgi_call *call, struct base_id *id_r, GError **error);

/* Writes the relays of routes (relay/route.h) as the member relays. */
void fcgi_waiting_write_relays(
    struct json_writer *writer, const struct service *service, const GPtrArray *routes);

/* Reads the cursor parameter of a list, which is the id of the last row of the page before.
   *given_r tells whether there is one, and then *before_r is set. opaque: the cursor is the base64
   of the id's text; otherwise it is that text. INVALID when it is malformed. */
bool fcgi_page_cursor(
    struct fcgi_call *call, bool opaque, struct base_id *before_r, bool *given_r, GError **error);

/* The same for a list in the order of times: the cursor is the base64url of time and id of that
   row, which fcgi_page_place_cursor makes; the caller owns it. */
bool fcgi_page_place(
    struct fcgi_call *call, gint64 *time_r, struct base_id *id_r, bool *given_r, GError **error);
char *fcgi_page_place_cursor(gint64 time, const struct base_id *id);

/* Reads a parameter of the query; *text_r is NULL when it is empty or not given. */
bool fcgi_page_text(struct fcgi_call *call, const char *name, const char **text_r, GError **error);

/* Reads the parameter search; *given_r: there is one. INVALID by its length. The caller clears
   search_r in any case. */
struct store_search;
bool fcgi_page_search(
    struct fcgi_call *call, struct store_search *search_r, bool *given_r, GError **error);

/* Sets the error of a cursor that cannot be read, and returns false. */
bool fcgi_page_malformed(GError **error);

/* Reads the number of a version, the path's second argument. NOT_FOUND "Version not found". */
bool fcgi_versions_number(const struct fcgi_call *call, guint *number_r, GError **error);

/* Reads the cursor of a list of versions: those before *before_r are its page. */
bool fcgi_versions_before(struct fcgi_call *call, guint *before_r, GError **error);

/* Begins the reply to a list: {collection: [ */
void fcgi_page_begin(struct json_writer *writer, const char *collection);

/* Ends it with count and cursor, and replies with status 200. last is the id of the page's last row
   when more rows follow, otherwise NULL. */
void fcgi_page_end(struct fcgi_call *call, struct json_writer *writer, bool opaque, guint count,
    const struct base_id *last);

/* The same for a list that makes its own cursor; NULL when no more rows follow. */
void fcgi_page_end_text(
    struct fcgi_call *call, struct json_writer *writer, guint count, const char *cursor);

/* A page of a list whose rows always can be written. */
struct fcgi_page {
	const char *collection; /* the name of the list in the reply */
	const GPtrArray *rows;	/* from the store: one more than most when more rows follow; NULL
				   when  the store has failed */
	guint most;
	bool opaque;	 /* as for fcgi_page_cursor */
	gsize id_offset; /* of the struct base_id in a row that becomes the cursor */
	void (*write)(struct json_writer *writer, const struct service *service, const void *row);
	const char *(*cursor)(const void *row); /* the cursor, if it is no id; otherwise NULL */
	const struct base_id *rest; /* the cursor of a page that ends early; NULL if it does not */
};

/* Replies with the page, status 200. False when rows is NULL; the store has set the error then. */
bool fcgi_page_reply(struct fcgi_call *call, const struct fcgi_page *page, GError **error);

/* Replies with one row as write writes it, status 200. False when row is NULL; the store has set
   the error then. */
bool fcgi_page_reply_row(struct fcgi_call *call,
    void (*write)(struct json_writer *writer, const struct service *service, const void *row),
    const void *row);

/* Reads the word of duplicates. INVALID "duplicates must be update, skip or refuse". */
bool fcgi_imports_duplicates(const char *word, int *existing_r, GError **error);

/* Writes {id: ...}. */
void fcgi_write_id(struct json_writer *writer, const struct base_id *id);

/* Writes a time in epoch milliseconds, or null for 0, which stands for none. */
void fcgi_write_time(struct json_writer *writer, const char *key, gint64 time);

#endif
