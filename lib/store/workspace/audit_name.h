/* SPDX-License-Identifier: MIT */
/* The names of the things that the audit speaks of. */
#ifndef STORE_WORKSPACE_AUDIT_NAME_H
#define STORE_WORKSPACE_AUDIT_NAME_H

#include <stdbool.h>

#include <glib.h>

struct base_id;
struct db;

/* The name of a thing, by the type and the id that the audit has of it, as long as it is there. It
   is NULL where there is no such thing, or where things of this type have no name that tells more
   than the id. The caller owns *name_r. Errors are those of db/statement.h. */
bool store_audit_name_get(struct db *db, const struct base_id *workspace, const char *type,
    const char *id, char **name_r, GError **error);

#endif
