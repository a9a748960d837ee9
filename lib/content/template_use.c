/* SPDX-License-Identifier: MIT */
/* Looks for all that needs a template. */
#include "content/template_use.h"

#include <string.h>

#include "base/error.h"
#include "store/template/use.h"
#include "template/template.h"

/* A template that is looked for in a source. */
struct sought {
	const char *id;
	bool found;
};

static void
template_use_note(const char *id, void *context)
{
	struct sought *sought = context;

	sought->found |= strcmp(id, sought->id) == 0;
}

static bool
includes(const struct store_template_use *use, const char *id)
{
	struct sought sought = {id, !use->source};

	if (use->source)
		template_includes(use->source, strlen(use->source), template_use_note, &sought);
	return sought.found;
}

/* Whether the thing is already among those before it. */
static bool
is_again(const GPtrArray *uses, guint place)
{
	const struct store_template_use *use = uses->pdata[place];

	for (guint i = 0; i < place; i++) {
		const struct store_template_use *other = uses->pdata[i];

		if (strcmp(other->type, use->type) == 0 && strcmp(other->id, use->id) == 0)
			return true;
	}
	return false;
}

bool
content_template_unused(struct db *db, const struct base_id *workspace, const char *id,
    GPtrArray **uses_r, GError **error)
{
	g_autoptr(GPtrArray) uses = store_template_uses(db, workspace, id, error);

	if (uses_r)
		*uses_r = NULL;
	if (!uses)
		return false;
	for (guint i = 0; i < uses->len;)
		if (is_again(uses, i) || !includes(uses->pdata[i], id))
			g_ptr_array_remove_index(uses, i);
		else
			i++;
	if (uses->len == 0)
		return true;
	if (uses_r)
		*uses_r = g_steal_pointer(&uses);
	return base_fail(error, PH_ERROR_CONFLICT, CONTENT_TEMPLATE_IN_USE);
}
