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

const struct route routes[] = {
	{METHOD_GET, "/health", ROUTE_PUBLIC, false, health_get, &failure_message},
	{METHOD_GET, "/avatar/{file}", ROUTE_PUBLIC, false, avatar_get, &failure_message},

	{METHOD_GET, "/t/o/{token}", ROUTE_PUBLIC, false, tracking_open, &failure_message},
	{METHOD_GET, "/t/c/{token}", ROUTE_PUBLIC, false, tracking_click, &failure_notice},
	{METHOD_GET, "/t/u/{token}", ROUTE_PUBLIC, false, unsubscribe_get, &failure_notice},
	{METHOD_POST, "/t/u/{token}", ROUTE_PUBLIC, false, unsubscribe_post, &failure_notice},

	{METHOD_POST, "/v1/emails", KEY_SEND, true, emails_post, &failure_message},
	{METHOD_GET, "/v1/emails", KEY_READ, false, emails_list, &failure_message},
	{METHOD_GET, "/v1/emails/{id}", KEY_READ, false, emails_get, &failure_message},
	{METHOD_DELETE, "/v1/emails/{id}", KEY_FULL, false, emails_delete, &failure_message},
	{METHOD_GET, "/v1/emails/{id}/events", KEY_READ, false, emails_events, &failure_message},

	{METHOD_POST, "/v1/domains", KEY_FULL, true, domains_post, &failure_message},
	{METHOD_GET, "/v1/domains", KEY_READ, false, domains_list, &failure_message},
	{METHOD_GET, "/v1/domains/{id}", KEY_READ, false, domains_get, &failure_message},
	{METHOD_PATCH, "/v1/domains/{id}", KEY_FULL, true, domains_patch, &failure_message},
	{METHOD_DELETE, "/v1/domains/{id}", KEY_FULL, false, domains_delete, &failure_message},
	{METHOD_POST, "/v1/domains/{id}/verify", KEY_FULL, false, domains_verify, &failure_message},

	{METHOD_POST, "/v1/templates", KEY_FULL, true, templates_post, &failure_message},
	{METHOD_GET, "/v1/templates", KEY_READ, false, templates_list, &failure_message},
	{METHOD_GET, "/v1/templates/{id}", KEY_READ, false, templates_get, &failure_message},
	{METHOD_PATCH, "/v1/templates/{id}", KEY_FULL, true, templates_patch, &failure_message},
	{METHOD_DELETE, "/v1/templates/{id}", KEY_FULL, false, templates_delete, &failure_message},

	{METHOD_POST, "/v1/audiences", KEY_FULL, true, audiences_post, &failure_message},
	{METHOD_GET, "/v1/audiences", KEY_READ, false, audiences_list, &failure_message},
	{METHOD_GET, "/v1/audiences/{id}", KEY_READ, false, audiences_get, &failure_message},
	{METHOD_DELETE, "/v1/audiences/{id}", KEY_FULL, false, audiences_delete, &failure_message},
	{METHOD_POST, "/v1/audiences/{id}/contacts", KEY_FULL, true, contacts_post, &failure_message},
	{METHOD_GET, "/v1/audiences/{id}/contacts", KEY_READ, false, contacts_list, &failure_message},
	{METHOD_GET, "/v1/audiences/{id}/contacts/{contact}", KEY_READ, false, contacts_get, &failure_message},
	{METHOD_PATCH, "/v1/audiences/{id}/contacts/{contact}", KEY_FULL, true, contacts_patch, &failure_message},
	{METHOD_DELETE, "/v1/audiences/{id}/contacts/{contact}", KEY_FULL, false, contacts_delete, &failure_message},

	{METHOD_POST, "/v1/suppressions", KEY_FULL, true, suppressions_post, &failure_message},
	{METHOD_GET, "/v1/suppressions", KEY_READ, false, suppressions_list, &failure_message},
	{METHOD_GET, "/v1/suppressions/{email}", KEY_READ, false, suppressions_get, &failure_message},
	{METHOD_DELETE, "/v1/suppressions/{email}", KEY_FULL, false, suppressions_delete, &failure_message},

	{METHOD_POST, "/v1/events", KEY_SEND, true, events_post, &failure_message},

	{METHOD_POST, "/v1/workflows", KEY_FULL, true, workflows_post, &failure_message},
	{METHOD_GET, "/v1/workflows", KEY_READ, false, workflows_list, &failure_message},
	{METHOD_GET, "/v1/workflows/{id}", KEY_READ, false, workflows_get, &failure_message},
	{METHOD_PATCH, "/v1/workflows/{id}", KEY_FULL, true, workflows_patch, &failure_message},
	{METHOD_DELETE, "/v1/workflows/{id}", KEY_FULL, false, workflows_delete, &failure_message},
	{METHOD_GET, "/v1/workflows/{id}/executions", KEY_READ, false, executions_list_of_workflow, &workflow_executions},
	{METHOD_GET, "/v1/workflows/{id}/emails", KEY_READ, false, execution_emails_list_of_workflow, &workflow_emails},

	{METHOD_GET, "/v1/executions/{id}", KEY_READ, false, executions_get, &execution_get},
	{METHOD_GET, "/v1/executions/{id}/emails", KEY_READ, false, execution_emails_list, &execution_emails},
	{METHOD_POST, "/v1/executions/{id}/cancel", KEY_FULL, false, executions_cancel, &execution_cancel},

	{METHOD_GET, "/v1/automation/contacts", KEY_READ, false, automation_contacts_list, &contact_list},
	{METHOD_GET, "/v1/automation/contacts/{email}/executions", KEY_READ, false, executions_list_of_contact, &contact_executions},
	{METHOD_GET, "/v1/automation/contacts/{email}/events", KEY_READ, false, automation_contacts_list_events, &contact_events},
	{METHOD_GET, "/v1/automation/contacts/{email}", KEY_READ, false, automation_contacts_get, &contact_get},
	{METHOD_PATCH, "/v1/automation/contacts/{email}", KEY_FULL, true, automation_contacts_patch, &contact_patch},
	{METHOD_DELETE, "/v1/automation/contacts/{email}", KEY_FULL, false, automation_contacts_delete, &contact_delete},
};
/* clang-format on */

const guint route_count = G_N_ELEMENTS(routes);
