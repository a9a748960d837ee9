/* SPDX-License-Identifier: MIT */
/* The results of the steps of one execution: the JSON object that each node gave at its last visit.
   Rules, values and emails name a value of them "step.ID.path". */
#ifndef AUTOMATION_RESULTS_H
#define AUTOMATION_RESULTS_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct json;
struct automation_results;

#define AUTOMATION_RESULTS_PREFIX "step."

/* No results yet. nodes: the ids of the design's nodes (automation_design_ids), borrowed. The
   caller frees it. */
struct automation_results *automation_results_new(GHashTable *nodes);
void automation_results_free(struct automation_results *results);
DEFINE_AUTO(automation_results, automation_results_free)

/* Takes what a node gave, a JSON object, in place of what it gave before. INVALID "results of steps
   are larger than 256 KiB", with the results as they were. */
bool automation_results_set(
    struct automation_results *results, const char *node, const char *text, GError **error);

/* Whether a path names a step of the design; *value_r is then its value, which results own (NULL:
   the node gave none). Of nodes whose ids begin alike the longest id decides. False for other
   paths, and for results NULL. */
bool automation_results_find(
    const struct automation_results *results, const char *path, const struct json **value_r);

/* The result of the digest that was left last; NULL: none was. results own it. */
const struct json *automation_results_digest(const struct automation_results *results);

/* The result of a wait for an event: the properties of the event that came (NULL: none), and its
   time. JSON text; the caller owns it. */
char *automation_results_event(const struct json *properties, gint64 time);

#endif
