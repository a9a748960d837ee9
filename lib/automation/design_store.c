/* Looks for the templates that designs name. */
#include "automation/design_store.h"

#include "base/error.h"
#include "store/template.h"

bool
automation_design_template(
    const char *id, bool *found_r, bool *subject_r, void *context, GError **error)
{
	const struct design_store *store = context;
	g_autoptr(GError) failure = NULL;
	AUTO(template) template = store_template_get(store->db, store->workspace, id, &failure);

	*found_r = template != NULL;
	*subject_r = template && template->subject;
	if (template || g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
		return true;
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}
