/* SPDX-License-Identifier: MIT */
#ifndef AUTOMATION_CONTACT_H
#define AUTOMATION_CONTACT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct core;
struct json;

/* Merges properties (an object) deeply into a contact's; null deletes. Starts nothing. *merged_r:
   all of them then, JSON text, which the caller owns. NOT_FOUND "Contact not found", also for what
   is no address; INVALID when they would be too large. */
bool automation_contact_patch(struct core *core, const struct base_id *workspace, const char *email,
    const struct json *properties, char **merged_r, GError **error);

/* Removes a contact with its events, and cancels its executions. NOT_FOUND likewise. */
bool automation_contact_remove(
    struct core *core, const struct base_id *workspace, const char *email, GError **error);

#endif
