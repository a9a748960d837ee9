/* SPDX-License-Identifier: MIT */
/* The user who created a row, as answers show it. */
#ifndef STORE_WORKSPACE_CREATOR_H
#define STORE_WORKSPACE_CREATOR_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct db;

/* The user who created something, as answers show it. All NULL when it was an operator, or the
   user is gone. */
struct store_creator {
	struct base_id id;
	char *email, *first_name, *last_name;
	char *picture; /* a URL; NULL when none was set */
};

/* The columns of a member of this type, for statements that join user u (db/columns.h). of: the
   member with its point. The caller clears it. */
#define CREATOR_COLUMNS(FIRST, NEXT, of)                                                           \
	FIRST(of id, "u.id")                                                                       \
	NEXT(of email, "u.email")                                                                  \
	NEXT(of first_name, "u.first_name")                                                        \
	NEXT(of last_name, "u.last_name")                                                          \
	NEXT(of picture, "u.picture")

/* A user of any workspace. NOT_FOUND. The caller clears it. */
bool store_creator_get(
    struct db *db, const struct base_id *user, struct store_creator *creator_r, GError **error);

void store_creator_clear(struct store_creator *creator);

#endif
