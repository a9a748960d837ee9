/* SPDX-License-Identifier: MIT */
/* Which executions wait for which event of their contact. All inside a transaction. */
#ifndef STORE_EXECUTION_WAIT_H
#define STORE_EXECUTION_WAIT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct db;

struct store_execution_wait {
	const struct base_id *workspace, *contact, *execution;
	const char *event_name;
};

bool store_execution_wait_insert(
    struct db *db, const struct store_execution_wait *waits, guint count, GError **error);

bool store_execution_wait_remove(
    struct db *db, const struct store_execution_wait *waits, guint count, GError **error);

#endif
