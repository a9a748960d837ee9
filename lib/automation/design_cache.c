/* SPDX-License-Identifier: MIT */
/* The designs that a process has read, and keeps. */
#include "automation/design_cache.h"

#include <string.h>

#include "automation/design.h"
#include "base/limits.h"
#include "core/core.h"
#include "store/workflow_write.h"

struct library {
	GHashTable *volumes; /* struct key → struct shelf */
	GQueue used;	     /* the shelves, the one used last in front */
	gsize weight;
};

struct key {
	struct base_id workflow;
	guint version;
};

/* A volume in its place. */
struct shelf {
	struct automation_cached_design volume; /* first: what is handed out */
	struct key key;
	gsize weight;
	GList link; /* in library.used */
};

static guint
hash_key(const void *data)
{
	const struct key *key = data;
	guint hash;

	memcpy(&hash, &key->workflow.bytes[12], sizeof(hash));
	return hash ^ key->version;
}

static gboolean
equal_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	return x->version == y->version && base_id_equal(&x->workflow, &y->workflow);
}

static void
free_shelf(void *data)
{
	struct shelf *shelf = data;

	g_clear_pointer(&shelf->volume.design, automation_design_free);
	g_free(shelf);
}

static void
library_free(struct library *library)
{
	g_hash_table_unref(library->volumes);
	g_free(library);
}

static struct library *
library_of(struct core *core)
{
	if (!core->library) {
		core->library = g_new0(struct library, 1);
		core->library->volumes =
		    g_hash_table_new_full(hash_key, equal_keys, NULL, free_shelf);
		core->library_free = library_free;
	}
	return core->library;
}

bool
automation_design_cache_is_full(struct core *core)
{
	return library_of(core)->weight > LIMIT_LIBRARY_BYTES;
}

void
automation_design_cache_trim(struct core *core)
{
	struct library *library = library_of(core);

	while (library->weight > LIMIT_LIBRARY_BYTES) {
		struct shelf *oldest = g_queue_pop_tail_link(&library->used)->data;

		library->weight -= oldest->weight;
		g_hash_table_remove(library->volumes, &oldest->key);
	}
}

static void
add(struct library *library, struct shelf *shelf)
{
	const struct automation_design *design = shelf->volume.design;

	shelf->weight = sizeof(*shelf) + 64 + (design ? automation_design_weight(design) : 0);
	library->weight += shelf->weight;
	shelf->link.data = shelf;
	g_queue_push_head_link(&library->used, &shelf->link);
	g_hash_table_insert(library->volumes, &shelf->key, shelf);
}

const struct automation_cached_design *
automation_design_cache_get(
    struct core *core, const struct base_id *workflow, guint version, GError **error)
{
	struct library *library = library_of(core);
	struct key key = {*workflow, version};
	struct shelf *shelf = g_hash_table_lookup(library->volumes, &key);
	g_autofree char *text = NULL;
	gsize size;

	if (shelf) {
		g_queue_unlink(&library->used, &shelf->link);
		g_queue_push_head_link(&library->used, &shelf->link);
		return &shelf->volume;
	}
	if (!store_workflow_design(core->db, workflow, version, &text, &size, error))
		return NULL;
	shelf = g_new0(struct shelf, 1);
	shelf->key = key;
	shelf->volume.design = text ? automation_design_parse(text, size, NULL) : NULL;
	shelf->volume.asks_event = text && g_strstr_len(text, (gssize)size, "event.");
	add(library, shelf);
	return &shelf->volume;
}
