/* SPDX-License-Identifier: MIT */
/* posthouse route: says what becomes of mail for a receiving domain. */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/domain.h"
#include "base/limits/email.h"
#include "base/limits/received.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "received/rule.h"
#include "store/domain/domain.h"
#include "store/received/route.h"
#include "store/workspace/workspace.h"
#include "text/hostname.h"

#define DOMAIN_PARAMETER                                                                           \
	{                                                                                          \
		"DOMAIN", "the domain, in any script", .min = LIMIT_DOMAIN_MIN_LENGTH,             \
						       .max = LIMIT_DOMAIN_LENGTH                  \
	}

enum { ADD_DOMAIN, ADD_MATCH, ADD_ACTION, ADD_ADDRESSES, ADD_REASON };
static const struct cli_parameter add_parameters[] = {
    [ADD_DOMAIN] = DOMAIN_PARAMETER,
    [ADD_MATCH] = {"MATCH", "a local part, the start of one with *, or *",
	.max = LIMIT_ADDRESS_BYTES},
    [ADD_ACTION] = {"ACTION", "store, forward, drop or refuse", .max = LIMIT_NAME_LENGTH},
    [ADD_ADDRESSES] = {"ADDRESS", "to whom mail is forwarded", .max = LIMIT_ADDRESS_BYTES,
	.optional = true, .repeated = true},
    [ADD_REASON] = {"--reason", "why mail is refused", "TEXT", .max = LIMIT_RECEIVED_REASON},
};

/* Finds the domain that the command line names first. */
static struct store_domain *
route_domain(const struct cli_call *call, GError **error)
{
	g_autofree char *name = text_hostname_ascii(call->values[0].text);

	if (name)
		return store_domain_find(call->db, &call->workspace->id, name, error);
	base_invalid(error, "DOMAIN must be a domain name");
	return NULL;
}

static bool
route_add(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	AUTO(store_domain) domain = route_domain(call, error);
	AUTO(store_receiving_route) route = g_new0(struct store_receiving_route, 1);
	const struct received_rule_wish wish = {values[ADD_MATCH].text, values[ADD_ACTION].text,
	    (const char *const *)values[ADD_ADDRESSES].texts, values[ADD_REASON].text, false};

	if (!domain || !received_rule_set(route, domain->name, &wish, error))
		return false;
	route->id = base_id_new();
	route->created = base_clock_now();
	route->workspace_id = call->workspace->id;
	route->domain_id = domain->id;
	if (!store_receiving_route_add(call->db, route, error))
		return false;
	char id[ID_TEXT_SIZE];
	cli_output_say_view(call->output, &(struct cli_thing){&received_rule_view, route},
	    "Route added: %s", base_id_format(&route->id, id));
	return true;
}

static const struct cli_parameter list_parameters[] = {DOMAIN_PARAMETER};

static bool
route_list(struct cli_call *call, GError **error)
{
	AUTO(store_domain) domain = route_domain(call, error);
	g_autoptr(GPtrArray) routes =
	    domain ? store_receiving_route_list(call->db, &call->workspace->id, &domain->id, error)
		   : NULL;

	if (!routes)
		return false;
	cli_output_list_begin(call->output, "routes", "There are no routes yet.");
	for (guint i = 0; i < routes->len; i++)
		cli_output_row_view(
		    call->output, &(struct cli_thing){&received_rule_view, routes->pdata[i]});
	cli_output_list_end(call->output);
	return true;
}

enum { REMOVE_DOMAIN, REMOVE_ID };
static const struct cli_parameter remove_parameters[] = {
    [REMOVE_DOMAIN] = DOMAIN_PARAMETER,
    [REMOVE_ID] = {"ID", "of the route, as posthouse route list shows it", .type = PARAMETER_ID},
};

static bool
route_remove(struct cli_call *call, GError **error)
{
	const struct base_id *id = &call->values[REMOVE_ID].id;
	AUTO(store_domain) domain = route_domain(call, error);

	if (!domain ||
	    !store_receiving_route_remove(call->db, &call->workspace->id, &domain->id, id, error))
		return false;
	cli_output_say(call->output,
	    FIELDS(
		cli_id("id", id), cli_truth("removed", true), cli_text("message", "Route deleted")),
	    "Route removed: %s", call->values[REMOVE_ID].text);
	return true;
}

static const struct cli_command commands[] = {
    {"add", "Say what becomes of mail for a local part of a receiving domain.", NEED_WORKSPACE,
	PARAMETERS(add_parameters), .audit = "route.created", .run = route_add},
    {"list", "List the routes of a domain.", NEED_WORKSPACE, PARAMETERS(list_parameters),
	.run = route_list},
    {"remove", "Remove a route.", NEED_WORKSPACE, PARAMETERS(remove_parameters),
	.audit = "route.deleted", .run = route_remove},
};

const struct cli_noun cli_noun_route = {"route", commands, G_N_ELEMENTS(commands)};
