#ifndef CORE_CORE_H
#define CORE_CORE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "store/quota.h"

struct db;
struct derived;
struct journal;
struct keyring;
struct library;
struct settings;

/* What a process that handles emails holds: made by its main and handed down. */
struct core {
	const struct settings *settings; /* not owned */
	struct db *db;			 /* NULL until core_ensure found the database */
	struct keyring *keyring;
	struct derived *derived;
	struct journal *journal; /* NULL until core_ensure_journal */
	struct library *library; /* what lib/automation keeps, and how that is freed; NULL */
	void (*library_free)(struct library *library);
	struct quota_excess excess; /* of the last LIMITED of core/quota.h */
};

struct core *core_open(const struct settings *settings);
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
