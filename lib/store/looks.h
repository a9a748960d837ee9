/* SPDX-License-Identifier: MIT */
/* The looks of a workspace's page on which people choose what they get. */
#ifndef STORE_LOOKS_H
#define STORE_LOOKS_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

/* All texts are "" where there is none. */
struct store_looks {
	struct base_id workspace_id;
	char *title;
	char *text;   /* JSON object, language to text */
	char *colour; /* "#rrggbb" */
	char *logo_url, *address;
};

void store_looks_free(struct store_looks *looks);
DEFINE_AUTO(store_looks, store_looks_free)

/* The looks of a workspace, empty ones where none were stored. The caller frees them. */
struct store_looks *store_looks_get(struct db *db, const struct base_id *workspace, GError **error);

bool store_looks_put(struct db *db, const struct store_looks *looks, GError **error);

#endif
