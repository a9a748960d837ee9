/* SPDX-License-Identifier: MIT */
/* The record of who changed what in a workspace. Errors that a function does not name are those of
   db/statement.h. */
#ifndef STORE_WORKSPACE_AUDIT_H
#define STORE_WORKSPACE_AUDIT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

/* Stored as number. */
enum store_audit_actor { AUDIT_USER = 1, AUDIT_KEY = 2, AUDIT_OPERATOR = 3 };

/* "user", "key", "operator". */
const char *store_audit_actor_name(enum store_audit_actor actor);

/* A change. Texts are borrowed, and NULL where there is none. */
struct store_audit {
	struct base_id workspace_id;
	enum store_audit_actor actor;
	const struct base_id *actor_id; /* of a user or a key; NULL: an operator */
	const char *actor_name;		/* of a key NULL: the key has it */
	const char *action;		/* "session.created", "domain.changed" */
	const char *target_type, *target_id, *target_name;
	const char *address, *request_id; /* of the client; NULL at the terminal */
};

/* Stores a change, with the time of now. A name is cut to what the table holds. In a transaction
   it is deferred (db_defer in db/statement.h). */
bool store_audit_add(struct db *db, const struct store_audit *audit, GError **error);

/* A change as a list shows it. The caller of the list owns it. */
struct store_audit_row {
	struct base_id id; /* begins with the time */
	enum store_audit_actor actor;
	bool has_actor;
	struct base_id actor_id;
	char *actor_name, *action, *target_type, *target_id, *target_name, *address, *request_id;
};

/* A page of changes that is asked for. */
struct store_audit_search {
	const char *action;	      /* NULL: any */
	const struct base_id *actor;  /* NULL: any */
	const struct base_id *before; /* only older ones; NULL: from the newest on */
	guint limit;
};

/* Reads it, newest first, as an array of struct store_audit_row. The caller owns it. */
GPtrArray *store_audit_page(struct db *db, const struct base_id *workspace,
    const struct store_audit_search *search, GError **error);

/* Removes some of the changes before a time (epoch ms). */
bool store_audit_sweep(struct db *db, gint64 before, guint *count_r, GError **error);

#endif
