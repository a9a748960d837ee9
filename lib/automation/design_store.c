/* Looks for the templates that designs name. */
#include "automation/design_store.h"

#include "store/template.h"

bool
automation_design_template(
    const char *id, bool *found_r, bool *subject_r, void *context, GError **error)
{
	const struct design_store *store = context;

	return store_template_find(store->db, store->workspace, id, found_r, subject_r, error);
}
