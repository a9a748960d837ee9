/* SPDX-License-Identifier: MIT */
/* Goals and exits of executions: the events that they watch for, and their end by one of them. */
#ifndef AUTOMATION_WATCH_H
#define AUTOMATION_WATCH_H

#include <glib.h>
#include <stdbool.h>

struct automation_cached_design;
struct automation_endings;
struct automation_locked_contact;
struct automation_recorded_event;
struct db;
struct json;
struct service;
struct store_execution;
struct store_target;

/* Inside the transaction that starts an execution at time (epoch ms), by an event of these
   properties: stores what it watches for. endings may be NULL. Errors of db/statement.h. */
bool automation_watch_begin(struct db *db, const struct store_execution *execution, gint64 time,
    const struct automation_endings *endings, const struct json *started, GError **error);

/* Finds which of the segments that goals and exits (NULL: none) ask for the contact is in now. */
bool automation_watch_read_segments(struct automation_locked_contact *locked,
    const struct automation_endings *endings, GError **error);

/* Inside the event's transaction: ends the execution of a target, a goal or an exit, if that holds,
   and adds its id to ended, of struct base_id; a goal that ends nothing is noted. Errors of
   db/statement.h. */
bool automation_watch_end(struct service *service, const struct automation_recorded_event *recorded,
    const struct store_target *target, const struct automation_cached_design *cached,
    GHashTable *ended, GError **error);

#endif
