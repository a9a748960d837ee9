/* SPDX-License-Identifier: MIT */
/* What a process keeps of automation from one event or batch to the next. */
#ifndef AUTOMATION_DESIGN_CACHE_H
#define AUTOMATION_DESIGN_CACHE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct core;
struct automation_design;

/* A version of a workflow. Versions never change, so they are read once. */
struct automation_cached_design {
	struct automation_design *design; /* NULL: there is no such version, or it cannot be read */
	bool asks_event;		  /* something in it names a property of the event */
};

/* Whether there is more than LIMIT_LIBRARY_BYTES in it: those who can should trim it soon. */
bool automation_design_cache_is_full(struct core *core);

/* Where it is full, drops what was not used for longest; what automation_design_cache_get gave
   before may be gone then. */
void automation_design_cache_trim(struct core *core);

/* The version, which belongs to the library; NULL with errors of db/statement.h. */
const struct automation_cached_design *automation_design_cache_get(
    struct core *core, const struct base_id *workflow, guint version, GError **error);

#endif
