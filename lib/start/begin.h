/* SPDX-License-Identifier: MIT */
/* Begins a workflow for some of the people of a start. */
#ifndef START_BEGIN_H
#define START_BEGIN_H

#include <glib.h>
#include <stdbool.h>

struct automation_beginning;
struct service;
struct store_start;
struct store_start_workflow;

/* Inside a transaction that has locked the workflow: begins it for people, of struct
   automation_locked_contact, each of whom gets the event of the start, and adds to its counts.
   *last_r (may be NULL): the result for the last of them. Errors of db/statement.h. */
bool start_begin(struct service *service, struct store_start *start,
    const struct store_start_workflow *workflow, const GPtrArray *people,
    struct automation_beginning *last_r, GError **error);

/* Locks the people with these addresses, or makes those who are not there; emails are in the
   client's spelling. An array of struct automation_locked_contact, which the caller owns. */
GPtrArray *start_begin_addresses(struct service *service, const struct store_start *start,
    const char *const *addresses, const char *const *emails, guint count, GError **error);

/* Locks the people with these ids likewise, without those who are not there. */
GPtrArray *start_begin_ids(
    struct service *service, const struct store_start *start, const GArray *ids, GError **error);

#endif
