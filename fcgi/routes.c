/* The operations of the service, one row each. */
#include "fcgi/routes.h"

#include "fcgi/handlers/audiences.h"
#include "fcgi/handlers/automation_contacts.h"
#include "fcgi/handlers/avatar.h"
#include "fcgi/handlers/contacts.h"
#include "fcgi/handlers/domains.h"
#include "fcgi/handlers/emails.h"
#include "fcgi/handlers/events.h"
#include "fcgi/handlers/execution_emails.h"
#include "fcgi/handlers/executions.h"
#include "fcgi/handlers/health.h"
#include "fcgi/handlers/notice.h"
#include "fcgi/handlers/suppressions.h"
#include "fcgi/handlers/templates.h"
#include "fcgi/handlers/tracking.h"
#include "fcgi/handlers/unsubscribe.h"
#include "fcgi/handlers/workflows.h"

/* clang-format off */
#define NO_EXECUTION "Execution not found"
#define NO_CONTACT "Contact not found"
static const struct failure
	workflow_executions = {.error = "Failed to list executions"},
	workflow_emails = {.error = "Failed to get workflow emails", .fault = ""},
	execution_get = {"Internal server error", NO_EXECUTION, "Failed to retrieve execution", NULL},
	execution_cancel = {.error = "Failed to cancel execution", .missing = NO_EXECUTION},
	execution_emails = {"Failed to get execution emails", NO_EXECUTION, "", NULL},
	contact_list = {.error = "Failed to list contacts", .fault = ""},
	contact_get = {"Failed to get contact", NO_CONTACT, "", NULL},
	contact_patch = {.error = "Failed to update contact", .missing = NO_CONTACT},
	contact_delete = {.error = "Failed to delete contact", .missing = NO_CONTACT},
	contact_executions = {"Failed to list contact executions", NO_CONTACT, "", NULL},
	contact_events = {"Failed to list contact events", NO_CONTACT, "", NULL};

static const char *const page[] = {"cursor", NULL}, *const destination[] = {"d", NULL},
	*const email_filters[] = {"cursor", "status", "to", NULL},
	*const event_filters[] = {"cursor", "recipient", NULL}, *const override[] = {"override", NULL},
	*const execution_filters[] = {"cursor", "status", NULL};

const struct route routes[] = {
	{METHOD_GET, "/health", ROUTE_PUBLIC, NULL, health_get, &failure_message, NULL},
	{METHOD_GET, "/avatar/{file}", ROUTE_PUBLIC, NULL, avatar_get, &failure_message, NULL},

	{METHOD_GET, "/t/o/{token}", ROUTE_PUBLIC, NULL, tracking_open, &failure_message, NULL},
	{METHOD_GET, "/t/c/{token}", ROUTE_PUBLIC, NULL, tracking_click, &failure_notice, destination},
	{METHOD_GET, "/t/u/{token}", ROUTE_PUBLIC, NULL, unsubscribe_get, &failure_notice, NULL},
	{METHOD_POST, "/t/u/{token}", ROUTE_PUBLIC, NULL, unsubscribe_post, &failure_notice, NULL},

	{METHOD_POST, "/v1/emails", KEY_SEND, &emails_body, emails_post, &failure_message, NULL},
	{METHOD_GET, "/v1/emails", KEY_READ, NULL, emails_list, &failure_message, email_filters},
	{METHOD_GET, "/v1/emails/{id}", KEY_READ, NULL, emails_get, &failure_message, NULL},
	{METHOD_DELETE, "/v1/emails/{id}", KEY_FULL, NULL, emails_delete, &failure_message, NULL},
	{METHOD_GET, "/v1/emails/{id}/events", KEY_READ, NULL, emails_events, &failure_message, event_filters},

	{METHOD_POST, "/v1/domains", KEY_FULL, &domains_body, domains_post, &failure_message, NULL},
	{METHOD_GET, "/v1/domains", KEY_READ, NULL, domains_list, &failure_message, page},
	{METHOD_GET, "/v1/domains/{id}", KEY_READ, NULL, domains_get, &failure_message, NULL},
	{METHOD_PATCH, "/v1/domains/{id}", KEY_FULL, &domains_change, domains_patch, &failure_message, NULL},
	{METHOD_DELETE, "/v1/domains/{id}", KEY_FULL, NULL, domains_delete, &failure_message, NULL},
	{METHOD_POST, "/v1/domains/{id}/verify", KEY_FULL, NULL, domains_verify, &failure_message, NULL},

	{METHOD_POST, "/v1/templates", KEY_FULL, &templates_body, templates_post, &failure_message, NULL},
	{METHOD_GET, "/v1/templates", KEY_READ, NULL, templates_list, &failure_message, page},
	{METHOD_GET, "/v1/templates/{id}", KEY_READ, NULL, templates_get, &failure_message, NULL},
	{METHOD_PATCH, "/v1/templates/{id}", KEY_FULL, &templates_body, templates_patch, &failure_message, NULL},
	{METHOD_DELETE, "/v1/templates/{id}", KEY_FULL, NULL, templates_delete, &failure_message, NULL},

	{METHOD_POST, "/v1/audiences", KEY_FULL, &audiences_body, audiences_post, &failure_message, NULL},
	{METHOD_GET, "/v1/audiences", KEY_READ, NULL, audiences_list, &failure_message, page},
	{METHOD_GET, "/v1/audiences/{id}", KEY_READ, NULL, audiences_get, &failure_message, NULL},
	{METHOD_DELETE, "/v1/audiences/{id}", KEY_FULL, NULL, audiences_delete, &failure_message, NULL},
	{METHOD_POST, "/v1/audiences/{id}/contacts", KEY_FULL, &contacts_body, contacts_post, &failure_message, NULL},
	{METHOD_GET, "/v1/audiences/{id}/contacts", KEY_READ, NULL, contacts_list, &failure_message, page},
	{METHOD_GET, "/v1/audiences/{id}/contacts/{contact}", KEY_READ, NULL, contacts_get, &failure_message, NULL},
	{METHOD_PATCH, "/v1/audiences/{id}/contacts/{contact}", KEY_FULL, &contacts_body, contacts_patch, &failure_message, NULL},
	{METHOD_DELETE, "/v1/audiences/{id}/contacts/{contact}", KEY_FULL, NULL, contacts_delete, &failure_message, NULL},

	{METHOD_POST, "/v1/suppressions", KEY_FULL, &suppressions_body, suppressions_post, &failure_message, NULL},
	{METHOD_GET, "/v1/suppressions", KEY_READ, NULL, suppressions_list, &failure_message, page},
	{METHOD_GET, "/v1/suppressions/{email}", KEY_READ, NULL, suppressions_get, &failure_message, NULL},
	{METHOD_DELETE, "/v1/suppressions/{email}", KEY_FULL, NULL, suppressions_delete, &failure_message, override},

	{METHOD_POST, "/v1/events", KEY_SEND, &events_body, events_post, &failure_message, NULL},

	{METHOD_POST, "/v1/workflows", KEY_FULL, &workflows_body, workflows_post, &failure_message, NULL},
	{METHOD_GET, "/v1/workflows", KEY_READ, NULL, workflows_list, &failure_message, page},
	{METHOD_GET, "/v1/workflows/{id}", KEY_READ, NULL, workflows_get, &failure_message, NULL},
	{METHOD_PATCH, "/v1/workflows/{id}", KEY_FULL, &workflows_body, workflows_patch, &failure_message, NULL},
	{METHOD_DELETE, "/v1/workflows/{id}", KEY_FULL, NULL, workflows_delete, &failure_message, NULL},
	{METHOD_GET, "/v1/workflows/{id}/executions", KEY_READ, NULL, executions_list_of_workflow, &workflow_executions, execution_filters},
	{METHOD_GET, "/v1/workflows/{id}/emails", KEY_READ, NULL, execution_emails_list_of_workflow, &workflow_emails, page},

	{METHOD_GET, "/v1/executions/{id}", KEY_READ, NULL, executions_get, &execution_get, NULL},
	{METHOD_GET, "/v1/executions/{id}/emails", KEY_READ, NULL, execution_emails_list, &execution_emails, NULL},
	{METHOD_POST, "/v1/executions/{id}/cancel", KEY_FULL, NULL, executions_cancel, &execution_cancel, NULL},

	{METHOD_GET, "/v1/automation/contacts", KEY_READ, NULL, automation_contacts_list, &contact_list, page},
	{METHOD_GET, "/v1/automation/contacts/{email}/executions", KEY_READ, NULL, executions_list_of_contact, &contact_executions, execution_filters},
	{METHOD_GET, "/v1/automation/contacts/{email}/events", KEY_READ, NULL, automation_contacts_list_events, &contact_events, page},
	{METHOD_GET, "/v1/automation/contacts/{email}", KEY_READ, NULL, automation_contacts_get, &contact_get, NULL},
	{METHOD_PATCH, "/v1/automation/contacts/{email}", KEY_FULL, &automation_contacts_change, automation_contacts_patch, &contact_patch, NULL},
	{METHOD_DELETE, "/v1/automation/contacts/{email}", KEY_FULL, NULL, automation_contacts_delete, &contact_delete, NULL},
};
/* clang-format on */

const guint route_count = G_N_ELEMENTS(routes);
