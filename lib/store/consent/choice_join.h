/* SPDX-License-Identifier: MIT */
/* A step of the schema that works in batches: makes of each suppression that meant "no mailings" a
   choice, and brings people and contacts in step with all choices. Errors that a function does not
   name are those of db/statement.h. */
#ifndef STORE_CONSENT_CHOICE_JOIN_H
#define STORE_CONSENT_CHOICE_JOIN_H

#include <glib.h>
#include <stdbool.h>

struct db;

/* The service may work meanwhile. A step that was interrupted begins anew, and finds nothing to do
   for those that are done. */
bool store_choice_join(struct db *db, GError **error);

#endif
