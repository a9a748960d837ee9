/* SPDX-License-Identifier: MIT */
/* Makes versions of templates that change (store/template/version.h), and removes them. For this
   room. All functions run in the transaction that has locked the template, and add contents that it
   has no more to those that change drops. Errors that a function does not name are those of
   db/statement.h. */
#ifndef STORE_TEMPLATE_KEEP_H
#define STORE_TEMPLATE_KEEP_H

#include <glib.h>
#include <stdbool.h>

struct db;
struct store_edit;
struct store_template_change;

/* Before a change: makes a version of a published template that has none yet. */
bool store_template_version_keep(
    struct db *db, const struct store_template_change *change, GError **error);

/* After a change: makes a version of what the template is now, unless its newest one is the same,
   and removes those past the limit. */
bool store_template_version_add(struct db *db, struct store_template_change *change,
    const struct store_edit *edit, GError **error);

/* Before a template is removed, with which its versions go: finds their contents. */
bool store_template_version_drop(
    struct db *db, struct store_template_change *change, GError **error);

#endif
