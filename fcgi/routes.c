/* The operations of the service, one row each. */
#include "fcgi/routes.h"

#include "fcgi/handlers/emails.h"
#include "fcgi/handlers/health.h"
#include "fcgi/handlers/templates.h"

/* clang-format off */
const struct route routes[] = {
	{METHOD_GET, "/health", ROUTE_PUBLIC, false, health_get, &failure_message},

	{METHOD_POST, "/v1/emails", KEY_SEND, true, emails_post, &failure_message},
	{METHOD_GET, "/v1/emails", KEY_READ, false, emails_list, &failure_message},
	{METHOD_GET, "/v1/emails/{id}", KEY_READ, false, emails_get, &failure_message},
	{METHOD_DELETE, "/v1/emails/{id}", KEY_FULL, false, emails_delete, &failure_message},

	{METHOD_POST, "/v1/templates", KEY_FULL, true, templates_post, &failure_message},
	{METHOD_GET, "/v1/templates", KEY_READ, false, templates_list, &failure_message},
	{METHOD_GET, "/v1/templates/{id}", KEY_READ, false, templates_get, &failure_message},
	{METHOD_PATCH, "/v1/templates/{id}", KEY_FULL, true, templates_patch, &failure_message},
	{METHOD_DELETE, "/v1/templates/{id}", KEY_FULL, false, templates_delete, &failure_message},
};
/* clang-format on */

const guint route_count = G_N_ELEMENTS(routes);
