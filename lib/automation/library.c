/* The designs that a process has read, and keeps. */
#include "automation/library.h"

#include <string.h>

#include "automation/design.h"
#include "core/core.h"
#include "store/workflow_write.h"

#define VOLUMES_MAX 1000

struct library {
	GHashTable *volumes; /* struct key → struct volume */
};

struct key {
	struct id workflow;
	guint version;
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
free_volume(void *data)
{
	struct volume *volume = data;

	g_clear_pointer(&volume->design, automation_design_free);
	g_free(volume);
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
		    g_hash_table_new_full(hash_key, equal_keys, g_free, free_volume);
		core->library_free = library_free;
	}
	return core->library;
}

void
automation_library_trim(struct core *core)
{
	struct library *library = library_of(core);

	if (g_hash_table_size(library->volumes) > VOLUMES_MAX)
		g_hash_table_remove_all(library->volumes);
}

const struct volume *
automation_library_get(struct core *core, const struct id *workflow, guint version, GError **error)
{
	struct library *library = library_of(core);
	struct key key = {*workflow, version};
	struct volume *volume = g_hash_table_lookup(library->volumes, &key);
	g_autofree char *text = NULL;
	gsize size;

	if (volume)
		return volume;
	if (!store_workflow_design(core->db, workflow, version, &text, &size, error))
		return NULL;
	volume = g_new0(struct volume, 1);
	volume->design = text ? automation_design_parse(text, size, NULL) : NULL;
	volume->asks_event = text && g_strstr_len(text, (gssize)size, "event.");
	g_hash_table_insert(library->volumes, g_memdup2(&key, sizeof(key)), volume);
	return volume;
}
