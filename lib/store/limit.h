/* SPDX-License-Identifier: MIT */
/* How much a workspace may do and have: the settings of [limits], and what a workspace has been
   given in their place. */
#ifndef STORE_LIMIT_H
#define STORE_LIMIT_H

#include <glib.h>
#include <stdbool.h>

#include "base/settings_table.h"

struct db;
struct db_rows;
struct base_id;

/* The settings that are such limits, in the order of their table. */
#define STORE_LIMIT_FIRST SETTING_LIMITS_REQUESTS_PER_SECOND
#define STORE_LIMIT_LAST SETTING_LIMITS_WORKFLOWS_PER_EVENT
#define STORE_LIMIT_COUNT (STORE_LIMIT_LAST - STORE_LIMIT_FIRST + 1)

/* All limits of a workspace, by place. */
struct store_limits {
	gint64 values[STORE_LIMIT_COUNT]; /* 0 = no limit */
	bool own[STORE_LIMIT_COUNT];	  /* the workspace's, not the settings' */
};

gint64 store_limit_value(const struct store_limits *limits, enum base_setting limit);

/* The limit of this name; SETTING_COUNT when there is none. */
enum base_setting store_limit_find(const char *name);

/* All limits of a workspace. */
bool store_limit_read(
    struct db *db, const struct base_id *workspace, struct store_limits *limits_r, GError **error);

/* The same from rows of name and value, the workspace's own. */
void store_limit_take(struct db *db, struct db_rows *rows, struct store_limits *limits_r);

/* Gives a workspace limits of its own, or, where values[i] is -1, takes them back. */
bool store_limit_set(struct db *db, const struct base_id *workspace,
    const enum base_setting *limits, const gint64 *values, guint count, GError **error);

/* Inside a transaction, before one of what the limit counts is created: makes sure that there is
   room for it until the transaction ends. Only where there is a limit do others who create
   something in the workspace wait. CONFLICT "Limit reached: at most 5 domains". */
bool store_limit_hold(
    struct db *db, const struct base_id *workspace, enum base_setting limit, GError **error);

/* The same for an active workflow of an event name. */
bool store_limit_hold_event(
    struct db *db, const struct base_id *workspace, const char *event_name, GError **error);

#endif
