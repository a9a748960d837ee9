/* SPDX-License-Identifier: MIT */
/* The limits of a workspace: the settings of [limits], and the values that replace them for a
   workspace. Errors that a function does not name are those of db/statement.h. */
#ifndef STORE_WORKSPACE_LIMIT_H
#define STORE_WORKSPACE_LIMIT_H

#include <glib.h>
#include <stdbool.h>

#include "config/settings_table.h"

struct db;
struct db_rows;
struct base_id;

/* The settings that are limits of a workspace, in the order of their table. */
#define STORE_LIMIT_FIRST SETTING_LIMITS_REQUESTS_PER_SECOND
#define STORE_LIMIT_LAST SETTING_LIMITS_RECEIVED_BYTES
#define STORE_LIMIT_COUNT (STORE_LIMIT_LAST - STORE_LIMIT_FIRST + 1)

/* All limits of a workspace, indexed by setting less STORE_LIMIT_FIRST. */
struct store_limits {
	gint64 values[STORE_LIMIT_COUNT]; /* 0 = no limit */
	bool own[STORE_LIMIT_COUNT];	  /* set for the workspace, not by the settings */
};

/* The limit of this setting that counts for the workspace; 0: there is none. */
gint64 store_limit_value(const struct store_limits *limits, enum config_setting limit);

/* The limit of this name; SETTING_COUNT when there is none. */
enum config_setting store_limit_find(const char *name);

/* All limits of a workspace. */
bool store_limit_read(
    struct db *db, const struct base_id *workspace, struct store_limits *limits_r, GError **error);

/* The numbers of a workspace's things that limits count, indexed like struct store_limits; -1 for
   rates and quotas. SETTING_LIMITS_WORKFLOWS_PER_EVENT counts those of the event with the most. */
bool store_limit_use(struct db *db, const struct base_id *workspace,
    gint64 used_r[STORE_LIMIT_COUNT], GError **error);

/* Sets the limits from the settings and from rows of name and value, the workspace's own. */
void store_limit_take(struct db *db, struct db_rows *rows, struct store_limits *limits_r);

/* Sets limits of a workspace; a value of -1 restores the setting. */
bool store_limit_set(struct db *db, const struct base_id *workspace,
    const enum config_setting *limits, const gint64 *values, guint count, GError **error);

/* Inside a transaction, before it creates something that the limit counts: reserves room until
   the transaction ends. Only where a limit is set does this wait for others who create something
   in the workspace. CONFLICT "Limit reached: at most 5 domains". */
bool store_limit_hold(
    struct db *db, const struct base_id *workspace, enum config_setting limit, GError **error);

/* The same for an active workflow of an event name. */
bool store_limit_hold_event(
    struct db *db, const struct base_id *workspace, const char *event_name, GError **error);

#endif
