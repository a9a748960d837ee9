/* SPDX-License-Identifier: MIT */
/* The results of an execution's steps, as its rows have them. */
#ifndef AUTOMATION_RESULTS_STORED_H
#define AUTOMATION_RESULTS_STORED_H

#include <glib.h>

struct automation_design;
struct automation_results;
struct base_id;
struct service;

/* Reads them, for the design of the execution's version, which they borrow from. NULL with errors
   of db/statement.h. The caller frees them. */
struct automation_results *automation_results_stored(struct service *service,
    const struct base_id *workspace, const struct base_id *execution,
    const struct automation_design *design, GError **error);

#endif
