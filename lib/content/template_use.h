/* SPDX-License-Identifier: MIT */
/* Keeps templates that something still needs. */
#ifndef CONTENT_TEMPLATE_USE_H
#define CONTENT_TEMPLATE_USE_H

#include <glib.h>
#include <stdbool.h>

struct base_id;
struct db;

#define CONTENT_TEMPLATE_IN_USE "Template is in use"

/* Checks that nothing needs a template: no active workflow, no broadcast that is to leave or
   leaving, no opt-in mail, and no template whose layout it is or that includes it. CONFLICT
   CONTENT_TEMPLATE_IN_USE; then *uses_r (may be NULL) is an array of struct store_template_use,
   which the caller owns; it is NULL otherwise. */
bool content_template_unused(struct db *db, const struct base_id *workspace, const char *id,
    GPtrArray **uses_r, GError **error);

#endif
