/* SPDX-License-Identifier: MIT */
/* Reads the defaults of defined properties. */
#include "content/defaults.h"

#include <string.h>

#include "content/variables.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "store/person/property.h"

#define UNSUBSCRIBE "unsubscribe_url" /* always filled in when it is composed */

struct json *
content_defaults_of(const GPtrArray *properties)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	for (guint i = 0; i < properties->len; i++) {
		const struct store_property *property = properties->pdata[i];

		if (property->value)
			json_writer_raw(
			    writer, property->key, property->value, strlen(property->value));
	}
	json_writer_end_object(writer);
	g_autofree char *text = json_writer_take(writer, NULL);
	return json_parse(text, strlen(text), NULL);
}

struct json *
content_defaults_read(struct db *db, const struct base_id *workspace, GError **error)
{
	g_autoptr(GPtrArray) properties = store_property_list(db, workspace, error);

	return properties ? content_defaults_of(properties) : NULL;
}

struct lookup {
	const struct content_defaults_search *search;
	GError *failure; /* of the database */
};

static struct content_variables_found
defaults_find_default(const char *name, void *context)
{
	struct lookup *lookup = context;
	const struct content_defaults_search *search = lookup->search;
	struct content_variables_found found = {.is_default = true};

	if (lookup->failure || content_variables_has(search->variables, name) ||
	    strcmp(name, UNSUBSCRIBE) == 0)
		return found;
	if (!*search->defaults)
		*search->defaults =
		    content_defaults_read(search->db, search->workspace, &lookup->failure);
	found.value = json_member_get(*search->defaults, name);
	return found;
}

bool
content_defaults_add(const struct content_defaults_search *search, GBytes *part, GError **error)
{
	struct lookup lookup = {search, NULL};
	gsize size = 0;
	const char *source = part ? g_bytes_get_data(part, &size) : NULL;

	if (size > 0 && !content_variables_resolve(
			    search->variables, source, size, defaults_find_default, &lookup, error))
		return false;
	if (lookup.failure)
		g_propagate_error(error, lookup.failure);
	return !lookup.failure;
}
