/* SPDX-License-Identifier: MIT */
/* The user who created a row, as answers show it. */
#ifndef STORE_WORKSPACE_CREATOR_H
#define STORE_WORKSPACE_CREATOR_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct db;
struct db_rows;

/* The user who created something, as answers show it. All NULL when it was an operator, or the
   user is gone. */
struct store_creator {
	struct base_id id;
	char *email, *first_name, *last_name;
	char *picture; /* a URL; NULL when none was set */
};

/* The columns for statements that join user u; store_creator_read reads them from column on. The
   caller clears the result. */
#define CREATOR_COLUMNS "u.id, u.email, u.first_name, u.last_name, u.picture"
#define CREATOR_COLUMN_COUNT 5
void store_creator_read(const struct db_rows *rows, guint column, struct store_creator *creator_r);

/* A user of any workspace. NOT_FOUND. The caller clears it. */
bool store_creator_get(
    struct db *db, const struct base_id *user, struct store_creator *creator_r, GError **error);

void store_creator_clear(struct store_creator *creator);

#endif
