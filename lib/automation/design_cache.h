/* SPDX-License-Identifier: MIT */
/* The design cache: parsed designs that a process keeps from one event or batch to the next. */
#ifndef AUTOMATION_DESIGN_CACHE_H
#define AUTOMATION_DESIGN_CACHE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct service;
struct automation_design;

/* One version of a workflow. A version never changes, so it is read once. */
struct automation_cached_design {
	struct automation_design *design; /* NULL: the version is missing or cannot be parsed */
	bool asks_event;		  /* some property of the design may begin with "event." */
	bool
	    asks_fields; /* some may begin with "contact.", or a step asks for the person's clock */
	bool has_endings;     /* the trigger has a goal or an exit */
	bool asks_results;    /* some property of the design may begin with "step." */
	bool keeps_results;   /* that, or an email whose template may have such a variable */
	bool forgets_results; /* neither, and the results of all its steps have room together */
	bool has_form;	      /* it was made of steps (store_workflow_design) */
};

/* Returns whether the cache holds more than LIMIT_DESIGN_CACHE_BYTES. The caller then ends its
   batch soon and trims the cache. */
bool automation_design_cache_is_full(struct service *service);

/* Drops the designs that were not used for longest until the cache is within its limit. Designs
   from earlier calls of automation_design_cache_get may be freed by it. */
void automation_design_cache_trim(struct service *service);

/* Returns a version of a workflow; the cache owns it. NULL with errors of db/statement.h. */
const struct automation_cached_design *automation_design_cache_get(
    struct service *service, const struct base_id *workflow, guint version, GError **error);

#endif
