/* SPDX-License-Identifier: MIT */
/* Opens and closes the resources of a process that handles emails. */
#include "core/core.h"

#include "base/id.h"
#include "base/secret.h"
#include "config/settings.h"
#include "core/journal.h"
#include "db/connection.h"
#include "mail/part.h"
#include "process/seccomp.h"
#include "store/schema.h"

void
core_load(void)
{
	guint8 hash[SHA256_SIZE];

	mail_gmime_use();
	base_id_new();
	base_secret_sha256("", 0, hash);
}

struct core *
core_open(const struct config_settings *settings)
{
	struct core *core = g_new0(struct core, 1);

	core->settings = settings;
	return core;
}

void
core_close(struct core *core)
{
	g_clear_pointer(&core->db, db_close);
	for (guint i = 0; i < CORE_CACHES; i++)
		if (core->caches[i].cache)
			core->caches[i].free(core->caches[i].cache);
	g_clear_pointer(&core->engagements.waiting, g_ptr_array_unref);
	g_clear_pointer(&core->calls.waiting, g_ptr_array_unref);
	g_clear_pointer(&core->watched, g_array_unref);
	g_clear_pointer(&core->lacking, g_array_unref);
	g_clear_pointer(&core->key_uses, g_array_unref);
	g_clear_pointer(&core->journal, core_journal_close);
	g_free(core);
}

void *
core_cache(
    struct core *core, enum core_cache cache, void *(*make)(void), void (*free_cache)(void *cache))
{
	struct core_owned *owned = &core->caches[cache];

	if (!owned->cache)
		*owned = (struct core_owned){make(), free_cache};
	return owned->cache;
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

bool
core_ensure_journal(struct core *core, GError **error)
{
	if (!core->journal)
		core->journal = core_journal_open(
		    config_settings_text(core->settings, SETTING_SPOOL_DIR), error);
	return core->journal != NULL;
}

bool
core_confine(const struct core *core, guint rights, GError **error)
{
	return !config_settings_switch(core->settings, SETTING_SERVICE_SECCOMP) ||
	       process_seccomp(rights, error);
}
