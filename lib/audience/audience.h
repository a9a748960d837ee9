/* SPDX-License-Identifier: MIT */
/* Audiences, lists of contacts: how they are named by those who ask, and their JSON. Errors that a
   function does not name are those of the store. */
#ifndef AUDIENCE_H
#define AUDIENCE_H

#include <glib.h>
#include <stdbool.h>

#include "json/view.h"
#include "store/person/audience.h"

struct db;

/* The members of an audience (struct store_audience): id, name, created_by, created, updated,
   contact_count, unsubscribers. The context of json_view_write is struct service. */
extern const struct json_view audience_view;

/* Reads the id of an audience. A text that is none is an unknown audience: NOT_FOUND. */
bool audience_id(const char *text, struct base_id *id_r, GError **error);

/* Finds an audience by its id or, if the text is none, by its name. NOT_FOUND; INVALID when several
   have the name. */
bool audience_find(struct db *db, const struct base_id *workspace, const char *text,
    struct base_id *id_r, GError **error);

/* Gives an audience another name; NULL: it keeps its own. NOT_FOUND. */
bool audience_rename(struct db *db, const struct base_id *workspace, const struct base_id *id,
    const char *name, GError **error);

#endif
