/* SPDX-License-Identifier: MIT */
#ifndef AUTOMATION_CANCEL_H
#define AUTOMATION_CANCEL_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct core;

/* Cancels an execution, by hand. NOT_FOUND "Execution not found"; CONFLICT when it has finished. */
bool automation_execution_cancel(
    struct core *core, const struct base_id *workspace, const struct base_id *id, GError **error);

#endif
