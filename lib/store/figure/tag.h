/* SPDX-License-Identifier: MIT */
/* The values of tags that have figures of their own. Errors that a function does not name are those
   of db/statement.h. */
#ifndef STORE_FIGURE_TAG_H
#define STORE_FIGURE_TAG_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct db;

/* The values of a tag's name that have figures of their own, as a set of texts. They only become
   more. The caller owns it. */
GHashTable *store_figure_tag_values(
    struct db *db, const struct base_id *workspace, const char *name, GError **error);

/* Gives a value figures of its own, unless most values have them. Another process that does so at
   the same moment may come first: look again, then. */
bool store_figure_tag_add(struct db *db, const struct base_id *workspace, const char *name,
    const char *value, guint most, GError **error);

/* Inside a transaction, before the tags of an email are erased: values that no other email has may
   be about a person, and lose their own figures. */
bool store_figure_tag_forget(
    struct db *db, const struct base_id *workspace, const struct base_id *email, GError **error);

#endif
