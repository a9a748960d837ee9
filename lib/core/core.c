/* What a process that handles emails holds. */
#include "core/core.h"

#include <unistd.h>

#include "base/id.h"
#include "core/keyring.h"
#include "db/connection.h"
#include "store/schema.h"

struct core *
core_open(const struct settings *settings)
{
	struct core *core = g_new0(struct core, 1);
	struct id id = base_id_new();
	char text[ID_TEXT_SIZE];

	core->settings = settings;
	core->keyring = core_keyring_new();
	core->owner = g_strdup_printf("%.60s/%s", g_get_host_name(), base_id_format(&id, text));
	return core;
}

void
core_close(struct core *core)
{
	g_clear_pointer(&core->db, db_close);
	core_keyring_free(core->keyring);
	g_free(core->owner);
	g_free(core);
}

bool
core_ensure(struct core *core, GError **error)
{
	if (core->db)
		return db_ensure(core->db, error);
	AUTO(db) db = db_open(core->settings, error);
	if (!db || !store_schema_check(db, error))
		return false;
	core->db = g_steal_pointer(&db);
	return true;
}
