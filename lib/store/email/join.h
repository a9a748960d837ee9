/* SPDX-License-Identifier: MIT */
/* A step of the schema that works in batches: notes in the emails of workflows which workflow and
   which node of it sent them, where an earlier version has not. Errors that a function does not
   name are those of db/statement.h. */
#ifndef STORE_EMAIL_JOIN_H
#define STORE_EMAIL_JOIN_H

#include <glib.h>
#include <stdbool.h>

struct db;

/* The service may work meanwhile. A step that was interrupted begins anew, and finds nothing to do
   for the emails that are done. */
bool store_email_join(struct db *db, GError **error);

#endif
