/* SPDX-License-Identifier: MIT */
#ifndef CORE_RECOVER_H
#define CORE_RECOVER_H

#include <glib.h>
#include <stdbool.h>

struct core;

/* Reads the journals of this machine whose owners are gone, and records what stands in them: what
   was answered is recorded and not sent again, what may have been sent is uncertain, the rest is
   due again. Errors of db/transaction.h; the journal stays then. */
bool core_recover(struct core *core, GError **error);

#endif
