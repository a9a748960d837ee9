/* SPDX-License-Identifier: MIT */
/* Opens and closes the resources of a process that handles emails. */
#include "service/service.h"

#include "base/id.h"
#include "base/secret.h"
#include "config/settings.h"
#include "db/connection.h"
#include "mail/part.h"
#include "process/seccomp.h"
#include "service/journal.h"
#include "store/common/schema.h"

void
service_load(void)
{
	guint8 hash[SHA256_SIZE];

	mail_gmime_use();
	base_id_new();
	base_secret_sha256("", 0, hash);
}

struct service *
service_open(const struct config_settings *settings)
{
	struct service *service = g_new0(struct service, 1);

	service->settings = settings;
	service->process = g_new0(struct service_process, 1);
	return service;
}

void
service_limit_reads(struct service *service, guint seconds)
{
	service->process->reads_s = seconds;
}

struct service *
service_guarded(const struct service *service, struct db *db)
{
	struct service *guarded = g_new(struct service, 1);

	*guarded = (struct service){service->settings, db, service->process, true};
	return guarded;
}

static void
service_end(struct service_process *process)
{
	for (guint i = 0; i < SERVICE_CACHES; i++)
		if (process->caches[i].cache)
			process->caches[i].free(process->caches[i].cache);
	g_clear_pointer(&process->engagements.waiting, g_ptr_array_unref);
	g_clear_pointer(&process->calls.waiting, g_ptr_array_unref);
	g_clear_pointer(&process->key_uses, g_array_unref);
	g_clear_pointer(&process->journal, service_journal_close);
	g_free(process);
}

void
service_close(struct service *service)
{
	g_clear_pointer(&service->db, db_close);
	if (!service->is_guarded)
		service_end(service->process);
	g_free(service);
}

void *
service_cache(struct service *service, enum service_cache cache, void *(*make)(void),
    void (*free_cache)(void *cache))
{
	struct service_owned *owned = &service->process->caches[cache];

	if (!owned->cache)
		*owned = (struct service_owned){make(), free_cache};
	return owned->cache;
}

bool
service_ensure(struct service *service, GError **error)
{
	if (service->db)
		return db_ensure(service->db, error);
	AUTO(db) db = db_open(service->settings, error);
	if (!db)
		return false;
	db_limit_reads(db, service->process->reads_s);
	if (!store_schema_check(db, error))
		return false;
	service->db = g_steal_pointer(&db);
	return true;
}

bool
service_ensure_journal(struct service *service, GError **error)
{
	if (!service->process->journal)
		service->process->journal = service_journal_open(
		    config_settings_text(service->settings, SETTING_SPOOL_DIR), error);
	return service->process->journal != NULL;
}

bool
service_confine(const struct service *service, guint rights, GError **error)
{
	return !config_settings_switch(service->settings, SETTING_SERVICE_SECCOMP) ||
	       process_seccomp(rights, error);
}
