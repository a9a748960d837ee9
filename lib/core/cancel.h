/* SPDX-License-Identifier: MIT */
#ifndef CORE_CANCEL_H
#define CORE_CANCEL_H

#include <glib.h>
#include <stdbool.h>

struct core;
struct base_id;

/* Cancels an email that is scheduled and has not left. NOT_FOUND; CONFLICT when it was not
 * scheduled, or it is too late. */
bool core_cancel(struct core *core, const struct base_id *workspace, const struct base_id *email,
    GError **error);

#endif
