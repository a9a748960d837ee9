/* SPDX-License-Identifier: MIT */
/* Checks the requests of a design: URLs and secrets. */
#include "automation/design_check_request.h"

#include <stdbool.h>

#include "automation/design.h"
#include "automation/design_checking.h"
#include "automation/design_lookup.h"
#include "automation/node_request.h"

/* A node whose secrets are checked. */
struct secret_check {
	struct automation_design_checking *check;
	const struct automation_design_node *node;
};

static bool
design_check_secret(const char *header, const char *secret, void *context, GError **error)
{
	const struct secret_check *of = context;
	const struct automation_design_lookup *lookup = of->check->lookup;
	bool found;

	if (!lookup->secret_find(secret, &found, lookup->context, error))
		return false;
	if (!found)
		automation_design_note(of->check, of->node->id,
		    "node \"%s\": data.headers.%s: no secret \"%s\"", of->node->id, header, secret);
	return true;
}

static void
design_check_url(
    struct automation_design_checking *check, const struct automation_design_node *node)
{
	g_autofree char *base = automation_node_request_base(&node->request);
	g_autoptr(GError) fault = NULL;

	if (check->lookup->url_check &&
	    !check->lookup->url_check(base, check->lookup->context, &fault))
		automation_design_note(
		    check, node->id, "node \"%s\": data.%s", node->id, fault->message);
}

bool
automation_design_check_request(struct automation_design_checking *check,
    const struct automation_design_node *node, GError **error)
{
	struct secret_check of = {check, node};

	design_check_url(check, node);
	return !check->lookup->secret_find ||
	       automation_node_request_each_secret(&node->request, design_check_secret, &of, error);
}
