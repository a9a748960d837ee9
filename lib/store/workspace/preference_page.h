/* SPDX-License-Identifier: MIT */
/* The appearance of a workspace's page on which people choose what they get. Errors that a function
   does not name are those of db/statement.h. */
#ifndef STORE_PREFERENCE_PAGE_H
#define STORE_PREFERENCE_PAGE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

/* All texts are "" where there is none. */
struct store_preference_page {
	struct base_id workspace_id;
	char *title;
	char *text;   /* JSON object, language to text */
	char *colour; /* "#rrggbb" */
	char *logo_url, *address;
};

void store_preference_page_free(struct store_preference_page *looks);
DEFINE_AUTO(store_preference_page, store_preference_page_free)

/* The appearance of a workspace's page, empty if none was stored. NULL on error. The caller frees
   it. */
struct store_preference_page *store_preference_page_get(
    struct db *db, const struct base_id *workspace, GError **error);

/* Stores the appearance of the page of looks->workspace_id, in place of an earlier one. */
bool store_preference_page_put(
    struct db *db, const struct store_preference_page *looks, GError **error);

#endif
