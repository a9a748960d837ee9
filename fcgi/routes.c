/* The operations of the service, one row each. */
#include "fcgi/routes.h"

#include "fcgi/handlers/audiences.h"
#include "fcgi/handlers/avatar.h"
#include "fcgi/handlers/contacts.h"
#include "fcgi/handlers/domains.h"
#include "fcgi/handlers/emails.h"
#include "fcgi/handlers/health.h"
#include "fcgi/handlers/suppressions.h"
#include "fcgi/handlers/templates.h"

/* clang-format off */
const struct route routes[] = {
	{METHOD_GET, "/health", ROUTE_PUBLIC, false, health_get, &failure_message},
	{METHOD_GET, "/avatar/{file}", ROUTE_PUBLIC, false, avatar_get, &failure_message},

	{METHOD_POST, "/v1/emails", KEY_SEND, true, emails_post, &failure_message},
	{METHOD_GET, "/v1/emails", KEY_READ, false, emails_list, &failure_message},
	{METHOD_GET, "/v1/emails/{id}", KEY_READ, false, emails_get, &failure_message},
	{METHOD_DELETE, "/v1/emails/{id}", KEY_FULL, false, emails_delete, &failure_message},

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
};
/* clang-format on */

const guint route_count = G_N_ELEMENTS(routes);
