/* SPDX-License-Identifier: MIT */
/* The rows of the metrics (lib/service/metrics.h). Errors that a function does not name are those
   of db/statement.h. */
#ifndef STORE_COMMON_METRIC_H
#define STORE_COMMON_METRIC_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct db;

/* A value of a metric. */
struct store_metric {
	guint name;	    /* a number, which the caller knows */
	const char *labels; /* the values of its labels, with STORE_METRIC_SEPARATOR between */
	gint64 value;
};

#define STORE_METRIC_SEPARATOR "\x1f"

/* Adds to counters, in one transaction. Sorted by name and labels, each once. TEMPORARY: nothing
   was added. */
bool store_metric_add(
    struct db *db, const struct store_metric *metrics, guint count, GError **error);

/* Sets a value; with only_up, unless it is greater. */
bool store_metric_set(
    struct db *db, const struct store_metric *metric, bool only_up, GError **error);

/* Calls row for each value, by name and labels. */
bool store_metric_list(struct db *db, void (*row)(const struct store_metric *metric, void *context),
    void *context, GError **error);

/* Kinds of labels whose values are limited. */
enum store_metric_kind { METRIC_KIND_DESTINATION = 1, METRIC_KIND_DOMAIN = 2 };

/* Makes value one of at most most values that have counters of their own. *has_r: it is. */
bool store_metric_admit(struct db *db, enum store_metric_kind kind, const char *value, guint most,
    bool *has_r, GError **error);

/* The values of a kind that came first, at most most. The caller frees the set. */
GHashTable *store_metric_labels(
    struct db *db, enum store_metric_kind kind, guint most, GError **error);

/* Says that a worker lives, and forgets those that have not said so since before. */
bool store_metric_live(
    struct db *db, const struct base_id *worker, gint64 now, gint64 memory, GError **error);
/* Forgets this worker, and those that have not said so since before. */
bool store_metric_leave(struct db *db, const struct base_id *worker, gint64 before, GError **error);

/* The workers that have said so since since. */
bool store_metric_workers(
    struct db *db, gint64 since, gint64 *count_r, gint64 *memory_r, GError **error);

/* The states of messages and executions that are counted. The functions that change rows add to the
   tallies (db/after_commit.h) of these places. */
enum store_metric_state {
	STORE_MESSAGES_WAITING,
	STORE_MESSAGES_HELD,
	STORE_EXECUTIONS_IN_PROGRESS,
	STORE_EXECUTIONS_WAITING,
};
#define STORE_METRIC_STATES 4

/* Counts the rows of each state, which reads their keys: not for every request. */
bool store_metric_count(struct db *db, gint64 counts_r[STORE_METRIC_STATES], GError **error);

/* Gives a counter this value, whatever was added to it. In one transaction. */
bool store_metric_replace(
    struct db *db, const struct store_metric *metrics, guint count, GError **error);

/* The time from which on states may be counted again, and a pause that is kept with it under the
   label STORE_METRIC_PAUSE; 0: none. */
#define STORE_METRIC_PAUSE "pause"
bool store_metric_counted(
    struct db *db, guint name, gint64 *until_r, gint64 *pause_r, GError **error);

/* Takes the right to count: true for one caller, from the time on that the last one has set. */
bool store_metric_may_count(
    struct db *db, guint name, gint64 now, gint64 until, bool *may_r, GError **error);

/* The time at which the oldest message that is due was due; 0: none. One row of a key is read. */
bool store_metric_oldest(struct db *db, gint64 now, gint64 *time_r, GError **error);

/* The names of the domains of some emails, in a table by the ids' texts; without those that are
   gone. The caller frees it. */
GHashTable *store_metric_domains(
    struct db *db, const struct base_id *emails, guint count, GError **error);

#endif
