/* SPDX-License-Identifier: MIT */
#ifndef CORE_TIDY_H
#define CORE_TIDY_H

#include <glib.h>
#include <stdbool.h>

struct core;

/* Removes what [retention] no longer keeps and what is left of deleted audiences, and notes which
   domains are warmed up (core/warmup.h), a batch of each kind; *more_r tells whether there may be
   more. Errors of db/statement.h. */
bool core_tidy(struct core *core, bool *more_r, GError **error);

#endif
