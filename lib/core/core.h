/* SPDX-License-Identifier: MIT */
#ifndef CORE_CORE_H
#define CORE_CORE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "store/quota.h"

struct db;
struct core_derived;
struct core_journal;
struct core_keyring;
struct automation_design_cache;
struct base_settings;

/* What a process that handles emails holds: made by its main and handed down. */
struct core {
	const struct base_settings *settings; /* not owned */
	struct db *db;			      /* NULL until core_ensure found the database */
	struct core_keyring *keyring;
	struct core_derived *derived;
	struct core_journal *journal;		      /* NULL until core_ensure_journal */
	struct automation_design_cache *design_cache; /* of lib/automation; NULL: none yet */
	void (*design_cache_free)(struct automation_design_cache *cache);
	struct store_quota_excess excess; /* of the last LIMITED of core/quota.h */
};

struct core *core_open(const struct base_settings *settings);
void core_close(struct core *core);
DEFINE_AUTO(core, core_close)

/* Between requests or batches: connects to the database where that is needed, and checks that its
   schema is ours. TEMPORARY when it cannot be reached, or its
   schema is another, FAILED when it will not serve us. */
bool core_ensure(struct core *core, GError **error);

/* Before claiming: makes sure that this process has a journal. FAILED when it cannot be written;
 * then nothing may be sent. */
bool core_ensure_journal(struct core *core, GError **error);

#endif
