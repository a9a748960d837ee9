/* SPDX-License-Identifier: MIT */
/* Digests of executions, inside the transaction that steps them and has locked the person:
   1. An execution reaches the node and locks the digest that is open for its workflow, node, person
      and key.
   2. There is none: it opens one with its own event, and waits for the end of the window.
   3. There is one: its event is added, and it is COMPLETED.
   4. At the end the first one takes the events and closes the digest, and goes on. */
#ifndef AUTOMATION_DIGEST_STORED_H
#define AUTOMATION_DIGEST_STORED_H

#include <glib.h>
#include <stdbool.h>

struct db;
struct json;
struct store_execution;

/* An execution that reaches the node. */
struct automation_digest_arrival {
	const struct json *key;	  /* the value by which the node gathers; NULL: none */
	const struct json *event; /* the properties of the event that started it; NULL: none */
	gint64 ends;		  /* of the window that it opens, epoch ms */
};

/* Steps 1 to 3. *joined_r: it is step 3. Errors of db/statement.h. */
bool automation_digest_join(struct db *db, const struct store_execution *execution,
    const struct automation_digest_arrival *arrival, bool *joined_r, GError **error);

/* Step 4. Returns the result of the node (automation/digest.h), which the caller owns; NULL with
   errors of db/statement.h. */
char *automation_digest_close(
    struct db *db, const struct store_execution *execution, GError **error);

#endif
