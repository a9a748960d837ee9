/* SPDX-License-Identifier: MIT */
/* The table of operations of posthouse-api(7). */
#include "fcgi/api/routes.h"

#include "broadcast/draft.h"
#include "fcgi/v1/handlers.h"
#include "store/domain/domain.h"
#include "store/email/email.h"
#include "store/person/contact.h"

/* clang-format off */
#define NO_EXECUTION "Execution not found"
#define NO_CONTACT "Contact not found"
static const struct fcgi_failure
	workflow_executions = {.error = "Failed to list executions"},
	workflow_emails = {.error = "Failed to get workflow emails", .fault = ""},
	execution_get = {"Internal server error", NO_EXECUTION, "Failed to retrieve execution", NULL},
	execution_cancel = {.error = "Failed to cancel execution", .missing = NO_EXECUTION},
	execution_steps = {"Failed to list execution steps", NO_EXECUTION, "", NULL},
	execution_emails = {"Failed to get execution emails", NO_EXECUTION, "", NULL},
	contact_list = {.error = "Failed to list contacts", .fault = ""},
	contact_get = {"Failed to get contact", NO_CONTACT, "", NULL},
	contact_patch = {.error = "Failed to update contact", .missing = NO_CONTACT},
	contact_delete = {.error = "Failed to delete contact", .missing = NO_CONTACT},
	contact_executions = {"Failed to list contact executions", NO_CONTACT, "", NULL},
	contact_events = {"Failed to list contact events", NO_CONTACT, "", NULL};

static const char *const page[] = {"cursor", NULL}, *const destination[] = {"d", NULL},
	*const expiry[] = {"e", NULL},
	*const snippet[] = {"snippet", NULL},
	*const email_filters[] = {"cursor", "status", "to", "tag", "from", "since", "until", "type", "search", NULL},
	*const searched[] = {"cursor", "search", NULL}, *const contact_filters[] = {"cursor", "search", "status", NULL},
	*const erasure[] = {"erase", NULL},
	*const event_filters[] = {"cursor", "recipient", NULL}, *const recipient[] = {"recipient", NULL},
	*const override[] = {"override", NULL},
	*const kept_keys[] = {"keep_keys", NULL},
	*const execution_filters[] = {"cursor", "status", NULL},
	*const history_filters[] = {"cursor", "kind", NULL},
	*const delivery_filters[] = {"cursor", "status", "type", NULL},
	*const audit_filters[] = {"cursor", "action", "actor", NULL},
	*const request_filters[] = {"cursor", "result", "actor", NULL},
	*const figures[] = {"cursor", "group_by", "from", "to", "broadcast_id", "workflow_id", NULL};

/* Most rows leave out the last columns. */
const struct fcgi_route fcgi_routes[] = {
	{METHOD_GET, "/openapi.json", ROUTE_PUBLIC, NULL, fcgi_openapi_get, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/health", ROUTE_PUBLIC, NULL, fcgi_health_get, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/metrics", KEY_METRICS, NULL, fcgi_metrics_get, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/avatar/{file}", ROUTE_PUBLIC, NULL, fcgi_avatar_get, &fcgi_failure_message, NULL, NULL},

	{METHOD_GET, "/t/o/{token}", ROUTE_PUBLIC, NULL, fcgi_tracking_open, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/t/a/{token}", ROUTE_PUBLIC, NULL, fcgi_download_get, &fcgi_failure_message, expiry, NULL},
	{METHOD_GET, "/t/c/{token}", ROUTE_PUBLIC, NULL, fcgi_tracking_click, &fcgi_failure_notice, destination, NULL},
	{METHOD_GET, "/t/u/{token}", ROUTE_PUBLIC, NULL, fcgi_unsubscribe_get, &fcgi_failure_notice, NULL, NULL},
	{METHOD_POST, "/t/u/{token}", ROUTE_PUBLIC, NULL, fcgi_unsubscribe_post, &fcgi_failure_notice, NULL, NULL},

	{METHOD_GET, "/t/s/{token}", ROUTE_PUBLIC, NULL, fcgi_confirm_get, &fcgi_failure_notice, NULL, NULL},
	{METHOD_POST, "/t/s/{token}", ROUTE_PUBLIC, NULL, fcgi_confirm_post, &fcgi_failure_notice, NULL, NULL},
	{METHOD_GET, "/f/{id}", ROUTE_PUBLIC, NULL, fcgi_form_show, &fcgi_failure_notice, snippet, NULL},
	{METHOD_POST, "/f/{id}", ROUTE_PUBLIC, NULL, fcgi_form_take, &fcgi_failure_notice, NULL, NULL},
	{METHOD_OPTIONS, "/f/{id}", ROUTE_PUBLIC, NULL, fcgi_form_ask, &fcgi_failure_message, NULL, NULL},

	{METHOD_POST, "/in/{provider}/{token}", ROUTE_PUBLIC, NULL, fcgi_providers_take, &fcgi_failure_message, NULL, NULL},

	{METHOD_POST, "/v1/emails", KEY_SEND, &fcgi_emails_body, NULL, &fcgi_failure_message, NULL, &fcgi_emails_storing},
	{METHOD_GET, "/v1/emails", KEY_READ, NULL, fcgi_emails_list, &fcgi_failure_message, email_filters, NULL},
	{METHOD_POST, "/v1/emails/batch", KEY_SEND, &fcgi_emails_batch_body, NULL, &fcgi_failure_message, NULL, &fcgi_emails_batch_storing},
	{METHOD_GET, "/v1/emails/{id}", KEY_READ, NULL, fcgi_emails_get, &fcgi_failure_message, NULL, NULL, .ahead = &store_email_show_ahead},
	{METHOD_PATCH, "/v1/emails/{id}", KEY_FULL, &fcgi_emails_change, fcgi_emails_patch, &fcgi_failure_message, NULL, NULL},
	{METHOD_DELETE, "/v1/emails/{id}", KEY_FULL, NULL, fcgi_emails_cancel, &fcgi_failure_message, NULL, NULL},
	{METHOD_POST, "/v1/emails/{id}/cancel", KEY_FULL, NULL, fcgi_emails_cancel, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/emails/{id}/events", KEY_READ, NULL, fcgi_emails_events, &fcgi_failure_message, event_filters, NULL},
	{METHOD_GET, "/v1/emails/{id}/message", KEY_READ, NULL, fcgi_email_message_get, &fcgi_failure_message, recipient, NULL},
	{METHOD_GET, "/v1/emails/{id}/waiting", KEY_READ, NULL, fcgi_email_waiting_get, &fcgi_failure_message, NULL, NULL},
	{METHOD_POST, "/v1/emails/{id}/release", KEY_FULL, NULL, fcgi_email_waiting_release, &fcgi_failure_message, NULL, NULL, .audits = true},

	{METHOD_POST, "/v1/domains", KEY_FULL, &fcgi_domains_body, fcgi_domains_post, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/domains", KEY_READ, NULL, fcgi_domains_list, &fcgi_failure_message, page, NULL},
	{METHOD_GET, "/v1/domains/{id}", KEY_READ, NULL, fcgi_domains_get, &fcgi_failure_message, NULL, NULL, .ahead = &store_domain_ahead},
	{METHOD_PATCH, "/v1/domains/{id}", KEY_FULL, &fcgi_domains_change, fcgi_domains_patch, &fcgi_failure_message, NULL, NULL},
	{METHOD_DELETE, "/v1/domains/{id}", KEY_FULL, NULL, fcgi_domains_delete, &fcgi_failure_message, NULL, NULL},
	{METHOD_POST, "/v1/domains/{id}/verify", KEY_FULL, NULL, fcgi_domains_verify, &fcgi_failure_message, NULL, NULL},
	{METHOD_POST, "/v1/domains/{id}/rotate", KEY_FULL, NULL, fcgi_domains_rotate, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/domains/{id}/zone", KEY_READ, NULL, fcgi_domain_zone_get, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/domains/{id}/keys", KEY_READ, NULL, fcgi_domain_keys_list, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/domains/{id}/relays", KEY_READ, NULL, fcgi_domain_relays_get, &fcgi_failure_message, NULL, NULL},

	{METHOD_POST, "/v1/templates", KEY_FULL, &fcgi_templates_body, fcgi_templates_post, &fcgi_failure_message, NULL, NULL},
	{METHOD_POST, "/v1/templates/render", KEY_FULL, &fcgi_templates_draft, fcgi_templates_preview, &fcgi_failure_message, NULL, NULL, .yields = true, .audits = true},
	{METHOD_GET, "/v1/templates", KEY_READ, NULL, fcgi_templates_list, &fcgi_failure_message, page, NULL},
	{METHOD_GET, "/v1/templates/{id}", KEY_READ, NULL, fcgi_templates_get, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/templates/{id}/layout", KEY_READ, NULL, fcgi_templates_layout, &fcgi_failure_message, NULL, NULL},
	{METHOD_PATCH, "/v1/templates/{id}", KEY_FULL, &fcgi_templates_body, fcgi_templates_patch, &fcgi_failure_message, NULL, NULL},
	{METHOD_DELETE, "/v1/templates/{id}", KEY_FULL, NULL, fcgi_templates_delete, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/templates/{id}/versions", KEY_READ, NULL, fcgi_template_versions_list, &fcgi_failure_message, page, NULL},
	{METHOD_GET, "/v1/templates/{id}/versions/{version}", KEY_READ, NULL, fcgi_template_versions_get, &fcgi_failure_message, NULL, NULL},
	{METHOD_POST, "/v1/templates/{id}/versions/{version}/restore", KEY_FULL, NULL, fcgi_template_versions_restore, &fcgi_failure_message, NULL, NULL},
	{METHOD_POST, "/v1/templates/{id}/render", KEY_FULL, &fcgi_templates_values, fcgi_templates_render, &fcgi_failure_message, NULL, NULL, .audits = true},

	{METHOD_POST, "/v1/audiences", KEY_FULL, &fcgi_audiences_body, fcgi_audiences_post, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/audiences", KEY_READ, NULL, fcgi_audiences_list, &fcgi_failure_message, page, NULL},
	{METHOD_GET, "/v1/audiences/{id}", KEY_READ, NULL, fcgi_audiences_get, &fcgi_failure_message, NULL, NULL},
	{METHOD_DELETE, "/v1/audiences/{id}", KEY_FULL, NULL, fcgi_audiences_delete, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/audiences/{id}/opt-in", KEY_READ, NULL, fcgi_opt_in_get, &fcgi_failure_message, NULL, NULL},
	{METHOD_PUT, "/v1/audiences/{id}/opt-in", KEY_FULL, &fcgi_opt_in_body, fcgi_opt_in_put, &fcgi_failure_message, NULL, NULL},
	{METHOD_POST, "/v1/audiences/{id}/contacts", KEY_FULL, &fcgi_contacts_body, NULL, &fcgi_failure_message, NULL, &fcgi_contacts_storing},
	{METHOD_GET, "/v1/audiences/{id}/contacts", KEY_READ, NULL, fcgi_contacts_list, &fcgi_failure_message, contact_filters, NULL},
	{METHOD_GET, "/v1/audiences/{id}/contacts/{contact}", KEY_READ, NULL, fcgi_contacts_get, &fcgi_failure_message, NULL, NULL, .ahead = &store_contact_ahead},
	{METHOD_PATCH, "/v1/audiences/{id}/contacts/{contact}", KEY_FULL, &fcgi_contacts_body, fcgi_contacts_patch, &fcgi_failure_message, NULL, NULL},
	{METHOD_DELETE, "/v1/audiences/{id}/contacts/{contact}", KEY_FULL, NULL, fcgi_contacts_delete, &fcgi_failure_message, NULL, NULL},
	{METHOD_POST, "/v1/audiences/{id}/contacts/{contact}/confirm", KEY_FULL, NULL, fcgi_opt_in_again, &fcgi_failure_message, NULL, NULL},
	{METHOD_POST, "/v1/audiences/{id}/import", KEY_FULL, &fcgi_imports_contacts_body, fcgi_imports_contacts, &fcgi_failure_message, NULL, NULL},

	{METHOD_POST, "/v1/imports", KEY_FULL, NULL, fcgi_import_files_post, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/imports", KEY_READ, NULL, fcgi_import_files_list, &fcgi_failure_message, page, NULL},
	{METHOD_GET, "/v1/imports/{id}", KEY_READ, NULL, fcgi_import_files_get, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/imports/{id}/faults", KEY_READ, NULL, fcgi_import_files_faults, &fcgi_failure_message, page, NULL},

	{METHOD_POST, "/v1/forms", KEY_FULL, &fcgi_forms_body, fcgi_forms_post, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/forms", KEY_READ, NULL, fcgi_forms_list, &fcgi_failure_message, page, NULL},
	{METHOD_GET, "/v1/forms/{id}", KEY_READ, NULL, fcgi_forms_get, &fcgi_failure_message, NULL, NULL},
	{METHOD_PATCH, "/v1/forms/{id}", KEY_FULL, &fcgi_forms_change, fcgi_forms_patch, &fcgi_failure_message, NULL, NULL},
	{METHOD_DELETE, "/v1/forms/{id}", KEY_FULL, NULL, fcgi_forms_delete, &fcgi_failure_message, NULL, NULL},

	{METHOD_POST, "/v1/suppressions", KEY_FULL, &fcgi_suppressions_body, fcgi_suppressions_post, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/suppressions", KEY_READ, NULL, fcgi_suppressions_list, &fcgi_failure_message, searched, NULL},
	{METHOD_GET, "/v1/suppressions/{email}", KEY_READ, NULL, fcgi_suppressions_get, &fcgi_failure_message, NULL, NULL},
	{METHOD_DELETE, "/v1/suppressions/{email}", KEY_FULL, NULL, fcgi_suppressions_delete, &fcgi_failure_message, override, NULL},

	{METHOD_GET, "/v1/waiting", KEY_READ, NULL, fcgi_waiting_get, &fcgi_failure_message, NULL, NULL},

	{METHOD_GET, "/v1/stats", KEY_READ, NULL, fcgi_stats_list, &fcgi_failure_message, figures, NULL},

	{METHOD_POST, "/v1/events", KEY_SEND, &fcgi_events_body, NULL, &fcgi_failure_message, NULL, &fcgi_events_storing},

	{METHOD_POST, "/v1/workflows", KEY_FULL, &fcgi_workflows_body, fcgi_workflows_post, &fcgi_failure_message, NULL, NULL},
	{METHOD_POST, "/v1/workflows/simulate", KEY_READ, &fcgi_simulation_body, fcgi_simulation_run, &fcgi_failure_message, NULL, NULL, .yields = true},
	{METHOD_GET, "/v1/workflows", KEY_READ, NULL, fcgi_workflows_list, &fcgi_failure_message, page, NULL},
	{METHOD_GET, "/v1/workflows/{id}", KEY_READ, NULL, fcgi_workflows_get, &fcgi_failure_message, NULL, NULL},
	{METHOD_PATCH, "/v1/workflows/{id}", KEY_FULL, &fcgi_workflows_body, fcgi_workflows_patch, &fcgi_failure_message, NULL, NULL},
	{METHOD_DELETE, "/v1/workflows/{id}", KEY_FULL, NULL, fcgi_workflows_delete, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/workflows/{id}/versions", KEY_READ, NULL, fcgi_workflow_versions_list, &fcgi_failure_message, page, NULL},
	{METHOD_GET, "/v1/workflows/{id}/versions/{version}", KEY_READ, NULL, fcgi_workflow_versions_get, &fcgi_failure_message, NULL, NULL},
	{METHOD_POST, "/v1/workflows/{id}/versions/{version}/restore", KEY_FULL, NULL, fcgi_workflow_versions_restore, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/workflows/{id}/executions", KEY_READ, NULL, fcgi_executions_list_of_workflow, &workflow_executions, execution_filters, NULL},
	{METHOD_GET, "/v1/workflows/{id}/emails", KEY_READ, NULL, fcgi_execution_emails_list_of_workflow, &workflow_emails, page, NULL},

	{METHOD_GET, "/v1/executions/{id}", KEY_READ, NULL, fcgi_executions_get, &execution_get, NULL, NULL},
	{METHOD_GET, "/v1/executions/{id}/emails", KEY_READ, NULL, fcgi_execution_emails_list, &execution_emails, NULL, NULL},
	{METHOD_GET, "/v1/executions/{id}/steps", KEY_READ, NULL, fcgi_execution_steps_list, &execution_steps, page, NULL},
	{METHOD_POST, "/v1/executions/{id}/cancel", KEY_FULL, NULL, fcgi_executions_cancel, &execution_cancel, NULL, NULL},

	{METHOD_POST, "/v1/broadcasts", KEY_FULL, &broadcast_body, fcgi_broadcasts_post, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/broadcasts", KEY_READ, NULL, fcgi_broadcasts_list, &fcgi_failure_message, page, NULL},
	{METHOD_GET, "/v1/broadcasts/{id}", KEY_READ, NULL, fcgi_broadcasts_get, &fcgi_failure_message, NULL, NULL},
	{METHOD_PATCH, "/v1/broadcasts/{id}", KEY_FULL, &broadcast_body, fcgi_broadcasts_patch, &fcgi_failure_message, NULL, NULL},
	{METHOD_DELETE, "/v1/broadcasts/{id}", KEY_FULL, NULL, fcgi_broadcasts_delete, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/broadcasts/{id}/versions", KEY_READ, NULL, fcgi_broadcast_versions_list, &fcgi_failure_message, page, NULL},
	{METHOD_GET, "/v1/broadcasts/{id}/versions/{version}", KEY_READ, NULL, fcgi_broadcast_versions_get, &fcgi_failure_message, NULL, NULL},
	{METHOD_POST, "/v1/broadcasts/{id}/versions/{version}/restore", KEY_FULL, NULL, fcgi_broadcast_versions_restore, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/broadcasts/{id}/recipients", KEY_READ, NULL, fcgi_broadcasts_recipients, &fcgi_failure_message, execution_filters, NULL},
	{METHOD_POST, "/v1/broadcasts/{id}/send", KEY_FULL, &fcgi_broadcasts_time, fcgi_broadcasts_send, &fcgi_failure_message, NULL, NULL},
	{METHOD_POST, "/v1/broadcasts/{id}/unschedule", KEY_FULL, NULL, fcgi_broadcasts_unschedule, &fcgi_failure_message, NULL, NULL},
	{METHOD_POST, "/v1/broadcasts/{id}/pause", KEY_FULL, NULL, fcgi_broadcasts_pause, &fcgi_failure_message, NULL, NULL},
	{METHOD_POST, "/v1/broadcasts/{id}/resume", KEY_FULL, NULL, fcgi_broadcasts_resume, &fcgi_failure_message, NULL, NULL},
	{METHOD_POST, "/v1/broadcasts/{id}/cancel", KEY_FULL, NULL, fcgi_broadcasts_cancel, &fcgi_failure_message, NULL, NULL},
	{METHOD_POST, "/v1/broadcasts/{id}/winner", KEY_FULL, &fcgi_broadcasts_winner_body, fcgi_broadcasts_winner, &fcgi_failure_message, NULL, NULL},
	{METHOD_POST, "/v1/broadcasts/{id}/test", KEY_FULL, &fcgi_broadcasts_test_body, fcgi_broadcasts_test, &fcgi_failure_message, NULL, NULL, .audits = true},
	{METHOD_POST, "/v1/broadcasts/{id}/check", KEY_FULL, &fcgi_broadcasts_check_body, fcgi_broadcasts_check, &fcgi_failure_message, NULL, NULL, .audits = true},
	{METHOD_POST, "/v1/broadcasts/{id}/duplicate", KEY_FULL, NULL, fcgi_broadcasts_duplicate, &fcgi_failure_message, NULL, NULL, .creates = true},

	{METHOD_POST, "/v1/webhooks", KEY_FULL, &fcgi_webhooks_body, fcgi_webhooks_post, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/webhooks", KEY_READ, NULL, fcgi_webhooks_list, &fcgi_failure_message, page, NULL},
	{METHOD_GET, "/v1/webhooks/{id}", KEY_READ, NULL, fcgi_webhooks_get, &fcgi_failure_message, NULL, NULL},
	{METHOD_PATCH, "/v1/webhooks/{id}", KEY_FULL, &fcgi_webhooks_body, fcgi_webhooks_patch, &fcgi_failure_message, NULL, NULL},
	{METHOD_DELETE, "/v1/webhooks/{id}", KEY_FULL, NULL, fcgi_webhooks_delete, &fcgi_failure_message, NULL, NULL},
	{METHOD_POST, "/v1/webhooks/{id}/rotate", KEY_FULL, NULL, fcgi_webhooks_rotate, &fcgi_failure_message, NULL, NULL},
	{METHOD_POST, "/v1/webhooks/{id}/test", KEY_FULL, NULL, fcgi_webhook_deliveries_test, &fcgi_failure_message, NULL, NULL},
	{METHOD_POST, "/v1/webhooks/{id}/replay", KEY_FULL, &fcgi_webhooks_span, fcgi_webhooks_replay, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/webhooks/{id}/deliveries", KEY_READ, NULL, fcgi_webhook_deliveries_list, &fcgi_failure_message, delivery_filters, NULL},
	{METHOD_GET, "/v1/webhooks/{id}/deliveries/{delivery}", KEY_READ, NULL, fcgi_webhook_deliveries_get, &fcgi_failure_message, NULL, NULL},
	{METHOD_POST, "/v1/webhooks/{id}/deliveries/{delivery}/replay", KEY_FULL, NULL, fcgi_webhook_deliveries_replay, &fcgi_failure_message, NULL, NULL},

	{METHOD_POST, "/v1/topics", KEY_FULL, &fcgi_topics_body, fcgi_topics_post, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/topics", KEY_READ, NULL, fcgi_topics_list, &fcgi_failure_message, page, NULL},
	{METHOD_GET, "/v1/topics/{id}", KEY_READ, NULL, fcgi_topics_get, &fcgi_failure_message, NULL, NULL},
	{METHOD_PATCH, "/v1/topics/{id}", KEY_FULL, &fcgi_topics_change, fcgi_topics_patch, &fcgi_failure_message, NULL, NULL},
	{METHOD_DELETE, "/v1/topics/{id}", KEY_FULL, NULL, fcgi_topics_delete, &fcgi_failure_message, NULL, NULL},

	{METHOD_GET, "/v1/page", KEY_READ, NULL, fcgi_looks_get, &fcgi_failure_message, NULL, NULL},
	{METHOD_PATCH, "/v1/page", KEY_FULL, &fcgi_looks_change, fcgi_looks_patch, &fcgi_failure_message, NULL, NULL},

	{METHOD_POST, "/v1/people", KEY_FULL, &fcgi_people_body, fcgi_people_post, &fcgi_failure_message, NULL, NULL},
	{METHOD_POST, "/v1/people/import", KEY_FULL, &fcgi_imports_people_body, fcgi_imports_people, &fcgi_failure_message, NULL, NULL, .yields = true},
	{METHOD_GET, "/v1/people", KEY_READ, NULL, fcgi_people_list, &fcgi_failure_message, searched, NULL},
	{METHOD_GET, "/v1/people/{email}/history", KEY_READ, NULL, fcgi_people_history, &fcgi_failure_message, history_filters, NULL},
	{METHOD_GET, "/v1/people/{email}/emails", KEY_READ, NULL, fcgi_people_emails, &fcgi_failure_message, page, NULL},
	{METHOD_GET, "/v1/people/{email}", KEY_READ, NULL, fcgi_people_get, &fcgi_failure_message, NULL, NULL},
	{METHOD_PATCH, "/v1/people/{email}", KEY_FULL, &fcgi_people_change, fcgi_people_patch, &fcgi_failure_message, NULL, NULL},
	{METHOD_DELETE, "/v1/people/{email}", KEY_FULL, NULL, fcgi_people_delete, &fcgi_failure_message, erasure, NULL},

	{METHOD_POST, "/v1/properties", KEY_FULL, &fcgi_properties_body, fcgi_properties_post, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/properties", KEY_READ, NULL, fcgi_properties_list, &fcgi_failure_message, NULL, NULL},
	{METHOD_PATCH, "/v1/properties/{key}", KEY_FULL, &fcgi_properties_change, fcgi_properties_patch, &fcgi_failure_message, NULL, NULL},
	{METHOD_DELETE, "/v1/properties/{key}", KEY_FULL, NULL, fcgi_properties_delete, &fcgi_failure_message, NULL, NULL},

	/* The first two begin a session. */
	{METHOD_POST, "/v1/session/link", ROUTE_PUBLIC, &fcgi_sessions_link, fcgi_sessions_ask, &fcgi_failure_message, NULL, NULL, RIGHT_SESSION, .audits = true},
	{METHOD_POST, "/v1/session", ROUTE_PUBLIC, &fcgi_sessions_body, fcgi_sessions_post, &fcgi_failure_message, NULL, NULL, RIGHT_SESSION, .audits = true},
	{METHOD_GET, "/v1/session", KEY_READ, NULL, fcgi_sessions_get, &fcgi_failure_message, NULL, NULL, RIGHT_SESSION},
	{METHOD_PATCH, "/v1/session", KEY_READ, &fcgi_sessions_change, fcgi_sessions_patch, &fcgi_failure_message, NULL, NULL, RIGHT_SESSION},
	{METHOD_DELETE, "/v1/session", KEY_READ, NULL, fcgi_sessions_leave, &fcgi_failure_message, NULL, NULL, RIGHT_SESSION, .audits = true},
	{METHOD_POST, "/v1/session/invitations/{workspace}", KEY_READ, &fcgi_sessions_answer, fcgi_sessions_answer_invitation, &fcgi_failure_message, NULL, NULL, RIGHT_SESSION, .audits = true},
	{METHOD_GET, "/v1/session/notes", KEY_READ, NULL, fcgi_notes_list, &fcgi_failure_message, NULL, NULL, RIGHT_SESSION},
	{METHOD_GET, "/v1/session/notes/{kind}/{id}", KEY_READ, NULL, fcgi_notes_get, &fcgi_failure_message, NULL, NULL, RIGHT_SESSION},
	{METHOD_PUT, "/v1/session/notes/{kind}/{id}", KEY_READ, &fcgi_notes_body, fcgi_notes_put, &fcgi_failure_message, NULL, NULL, RIGHT_SESSION, .audits = true},
	{METHOD_DELETE, "/v1/session/notes/{kind}/{id}", KEY_READ, NULL, fcgi_notes_delete, &fcgi_failure_message, NULL, NULL, RIGHT_SESSION, .audits = true},
	{METHOD_GET, "/v1/sessions", KEY_READ, NULL, fcgi_sessions_list, &fcgi_failure_message, page, NULL, RIGHT_SESSION},
	{METHOD_DELETE, "/v1/sessions/{id}", KEY_READ, NULL, fcgi_sessions_delete, &fcgi_failure_message, NULL, NULL, RIGHT_SESSION, .audits = true},

	{METHOD_POST, "/v1/users", KEY_FULL, &fcgi_users_body, fcgi_users_post, &fcgi_failure_message, NULL, NULL, RIGHT_OWNER, .audits = true},
	{METHOD_GET, "/v1/users", KEY_FULL, NULL, fcgi_users_list, &fcgi_failure_message, page, NULL, RIGHT_OWNER},
	{METHOD_PATCH, "/v1/users/{id}", KEY_FULL, &fcgi_users_change, fcgi_users_patch, &fcgi_failure_message, kept_keys, NULL, RIGHT_OWNER, .audits = true},
	{METHOD_DELETE, "/v1/users/{id}", KEY_FULL, NULL, fcgi_users_delete, &fcgi_failure_message, kept_keys, NULL, RIGHT_OWNER, .audits = true},
	{METHOD_GET, "/v1/audit", KEY_FULL, NULL, fcgi_audit_list, &fcgi_failure_message, audit_filters, NULL, RIGHT_OWNER},
	{METHOD_GET, "/v1/requests", KEY_FULL, NULL, fcgi_requests_list, &fcgi_failure_message, request_filters, NULL, RIGHT_OWNER},

	{METHOD_POST, "/v1/segments", KEY_FULL, &fcgi_segments_body, fcgi_segments_post, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/segments", KEY_READ, NULL, fcgi_segments_list, &fcgi_failure_message, page, NULL},
	{METHOD_POST, "/v1/segments/preview", KEY_FULL, &fcgi_segments_preview_body, fcgi_segments_preview, &fcgi_failure_message, NULL, NULL, .audits = true},
	{METHOD_GET, "/v1/segments/{id}", KEY_READ, NULL, fcgi_segments_get, &fcgi_failure_message, NULL, NULL},
	{METHOD_PATCH, "/v1/segments/{id}", KEY_FULL, &fcgi_segments_change, fcgi_segments_patch, &fcgi_failure_message, NULL, NULL},
	{METHOD_DELETE, "/v1/segments/{id}", KEY_FULL, NULL, fcgi_segments_delete, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/segments/{id}/count", KEY_READ, NULL, fcgi_segments_count, &fcgi_failure_message, NULL, NULL},
	{METHOD_GET, "/v1/segments/{id}/people", KEY_READ, NULL, fcgi_segments_people, &fcgi_failure_message, page, NULL},
	{METHOD_POST, "/v1/segments/{id}/freeze", KEY_FULL, &fcgi_segments_freeze_body, fcgi_segments_freeze, &fcgi_failure_message, NULL, NULL, .creates = true},

	{METHOD_GET, "/v1/automation/contacts", KEY_READ, NULL, fcgi_automation_contacts_list, &contact_list, page, NULL},
	{METHOD_GET, "/v1/automation/contacts/{email}/executions", KEY_READ, NULL, fcgi_executions_list_of_contact, &contact_executions, execution_filters, NULL},
	{METHOD_GET, "/v1/automation/contacts/{email}/events", KEY_READ, NULL, fcgi_automation_contacts_list_events, &contact_events, page, NULL},
	{METHOD_GET, "/v1/automation/contacts/{email}", KEY_READ, NULL, fcgi_automation_contacts_get, &contact_get, NULL, NULL},
	{METHOD_PATCH, "/v1/automation/contacts/{email}", KEY_FULL, &fcgi_automation_contacts_change, fcgi_automation_contacts_patch, &contact_patch, NULL, NULL},
	{METHOD_DELETE, "/v1/automation/contacts/{email}", KEY_FULL, NULL, fcgi_automation_contacts_delete, &contact_delete, NULL, NULL},

	{METHOD_POST, "/v1/keys", KEY_FULL, &fcgi_keys_body, fcgi_keys_post, &fcgi_failure_message, NULL, NULL, RIGHT_OWNER},
	{METHOD_GET, "/v1/keys", KEY_FULL, NULL, fcgi_keys_list, &fcgi_failure_message, page, NULL, RIGHT_OWNER},
	{METHOD_DELETE, "/v1/keys/{id}", KEY_FULL, NULL, fcgi_keys_revoke, &fcgi_failure_message, NULL, NULL, RIGHT_OWNER},
	{METHOD_GET, "/v1/workspace", ROUTE_ANY, NULL, fcgi_workspace_get, &fcgi_failure_message, NULL, NULL},
	{METHOD_PATCH, "/v1/workspace", KEY_FULL, &fcgi_workspace_change, fcgi_workspace_patch, &fcgi_failure_message, NULL, NULL, RIGHT_OWNER},
};
/* clang-format on */

const struct fcgi_front fcgi_front_main = {"", fcgi_routes, sizeof(fcgi_routes[0]),
    G_N_ELEMENTS(fcgi_routes), &fcgi_form_message, NULL, false, NULL, NULL, NULL, NULL};
