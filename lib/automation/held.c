/* SPDX-License-Identifier: MIT */
/* Finds the domains from which a workflow sends. */
#include "automation/held.h"

#include "automation/design.h"
#include "automation/node.h"
#include "base/error.h"
#include "base/id.h"
#include "mail/address.h"
#include "service/service.h"
#include "store/common/found.h"
#include "store/domain/domain.h"
#include "store/workspace/workspace.h"

/* False for a sender that is not known (NULL), or whose domain is not there. */
static bool
held_is_of(struct service *service, const struct base_id *workspace, const char *sender,
    const struct base_id *domain, bool *held_r, GError **error)
{
	AUTO(mail_address) address = sender ? mail_address_parse(sender, NULL) : NULL;
	g_autoptr(GError) failure = NULL;

	*held_r = false;
	if (!address)
		return true;
	AUTO(store_domain)
	found = store_domain_find_sender(
	    service->db, workspace, mail_address_domain(address), NULL, &failure);
	*held_r = found && base_id_equal(&found->id, domain);
	return store_found(g_steal_pointer(&failure), NULL, error);
}

bool
automation_held(struct service *service, const struct base_id *workspace,
    const struct automation_design *design, const struct base_id *domain, bool *held_r,
    GError **error)
{
	const GPtrArray *nodes = automation_design_nodes(design);
	g_autofree char *fallback = NULL;

	*held_r = true;
	for (guint i = 0; i < nodes->len && *held_r; i++) {
		const struct automation_design_node *node = nodes->pdata[i];

		if (node->type != NODE_SEND_EMAIL || node->fault)
			continue;
		const char *sender = node->email.from;
		if (!sender && !node->email.published && !fallback &&
		    !store_workspace_sender(service->db, workspace, &fallback, error))
			return false;
		if (!sender && !node->email.published)
			sender = fallback;
		if (!held_is_of(service, workspace, sender, domain, held_r, error))
			return false;
	}
	return true;
}
