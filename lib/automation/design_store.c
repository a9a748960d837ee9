/* SPDX-License-Identifier: MIT */
/* Looks for the templates and the domains that designs name. */
#include "automation/design_store.h"

#include "base/error.h"
#include "store/domain.h"
#include "store/template.h"

bool
automation_design_template(
    const char *id, bool *found_r, bool *subject_r, void *context, GError **error)
{
	const struct automation_design_store *store = context;

	return store_template_find(store->db, store->workspace, id, found_r, subject_r, error);
}

bool
automation_design_domain(const char *domain, bool *found_r, void *context, GError **error)
{
	const struct automation_design_store *store = context;
	g_autoptr(GError) local = NULL;
	AUTO(store_domain)
	found = store_domain_find_sender(store->db, store->workspace, domain, &local);

	*found_r = found != NULL;
	if (found || g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND))
		return true;
	g_propagate_error(error, g_steal_pointer(&local));
	return false;
}
