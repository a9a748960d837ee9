/* SPDX-License-Identifier: MIT */
/* Routes of receiving domains: what becomes of their mail (/v1/domains/{id}/routes). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/received.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "json/value.h"
#include "json/writer.h"
#include "received/rule.h"
#include "service/service.h"
#include "store/domain/domain.h"
#include "store/received/route.h"

struct route_input {
	const char *match, *action, *reason;
	const char **forward_to;
	bool has_reason;
};

/* clang-format off */
static const struct json_field route_fields[] = {
	JSON_FIELD("match", FIELD_STRING, struct route_input, match),
	JSON_FIELD("action", FIELD_STRING, struct route_input, action),
	JSON_FIELD("forward_to", FIELD_STRINGS, struct route_input, forward_to, .max = LIMIT_RECEIVED_FORWARDS),
	JSON_FIELD("reason", FIELD_STRING, struct route_input, reason, .min = 1, .max = LIMIT_RECEIVED_REASON,
	    .given = offsetof(struct route_input, has_reason)),
};
/* clang-format on */

const struct json_table fcgi_domain_routes_body = JSON_TABLE(route_fields);

static bool
domain_routes_id(const struct fcgi_call *call, struct base_id *id_r, GError **error)
{
	return base_id_parse(call->arguments[1], id_r) ||
	       base_fail(error, PH_ERROR_NOT_FOUND, "Route not found");
}

/* Reads the body, and sets the route of the domain by it. */
static bool
domain_routes_set(struct fcgi_call *call, const struct store_domain *domain,
    struct store_receiving_route *route, GError **error)
{
	struct route_input input = {.match = NULL};

	if (!json_fields_read(call->json, route_fields, G_N_ELEMENTS(route_fields), &input, error))
		return false;
	const struct received_rule_wish wish = {input.match, input.action,
	    (const char *const *)input.forward_to, input.reason, input.has_reason};
	bool done = received_rule_set(route, domain->name, &wish, error);
	json_fields_free(route_fields, G_N_ELEMENTS(route_fields), &input);
	return done;
}

static struct store_domain *
domain_routes_domain(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	return fcgi_domains_id(call, &id, error)
		   ? store_domain_get(call->service->db, &call->key.workspace_id, &id, error)
		   : NULL;
}

bool
fcgi_domain_routes_post(struct fcgi_call *call, GError **error)
{
	AUTO(store_domain) domain = domain_routes_domain(call, error);
	AUTO(store_receiving_route) route = g_new0(struct store_receiving_route, 1);

	if (!domain || !domain_routes_set(call, domain, route, error))
		return false;
	route->id = base_id_new();
	route->created = base_clock_now();
	route->workspace_id = call->key.workspace_id;
	route->domain_id = domain->id;
	return store_receiving_route_add(call->service->db, route, error) &&
	       fcgi_page_reply_view(call, &received_rule_view, route);
}

bool
fcgi_domain_routes_list(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!fcgi_page_whole(call, error) || !fcgi_domains_id(call, &id, error))
		return false;
	g_autoptr(GPtrArray) routes =
	    store_receiving_route_list(call->service->db, &call->key.workspace_id, &id, error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"routes", routes, LIMIT_RECEIVED_ROUTES, true,
		offsetof(struct store_receiving_route, id), .view = &received_rule_view},
	    error);
}

bool
fcgi_domain_routes_patch(struct fcgi_call *call, GError **error)
{
	AUTO(store_domain) domain = domain_routes_domain(call, error);
	struct base_id id;

	if (!domain || !domain_routes_id(call, &id, error))
		return false;
	AUTO(store_receiving_route)
	route = store_receiving_route_get(
	    call->service->db, &call->key.workspace_id, &domain->id, &id, error);
	return route && domain_routes_set(call, domain, route, error) &&
	       store_receiving_route_change(call->service->db, route, error) &&
	       fcgi_page_reply_view(call, &received_rule_view, route);
}

bool
fcgi_domain_routes_delete(struct fcgi_call *call, GError **error)
{
	AUTO(store_domain) domain = domain_routes_domain(call, error);
	struct base_id id;

	if (!domain || !domain_routes_id(call, &id, error) ||
	    !store_receiving_route_remove(
		call->service->db, &call->key.workspace_id, &domain->id, &id, error))
		return false;
	fcgi_reply_message(call->reply, "Route deleted");
	return true;
}
