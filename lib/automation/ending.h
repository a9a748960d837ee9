/* SPDX-License-Identifier: MIT */
/* The goal and the exits of a version: events and rules that end its executions. */
#ifndef AUTOMATION_ENDING_H
#define AUTOMATION_ENDING_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct automation_rules;
struct automation_rules_scope;
struct json;
struct json_place;

/* One of the conditions: an event, or rules. */
struct automation_condition {
	char *event_name; /* in normal form; NULL: rules, at each event and before each step */
	struct automation_rules *rules; /* those, or the filter of the event; NULL: none */
	struct base_id segment_id;	/* of an event of a segment; zeros: none */
};

struct automation_endings {
	GArray *goals, *exits; /* of struct automation_condition; empty: none */
	gint64 within;	/* ms from the start in which the goal counts; 0: as long as it runs */
	bool goes_on;	/* the goal is noted and ends nothing */
	bool has_rules; /* one of the conditions is rules */
};

/* Reads the goal and the exits of a trigger's data (NULL: none). *endings_r borrows from both, and
   is NULL if there is neither. INVALID, naming the faulty member. The caller frees it. */
bool automation_endings_read(const struct json *goal, const struct json *exits,
    struct automation_endings **endings_r, GError **error);
void automation_endings_free(struct automation_endings *endings);
DEFINE_AUTO(automation_endings, automation_endings_free)

/* Returns the memory that they take in addition to the JSON document, in bytes; 0 for NULL. */
gsize automation_endings_weight(const struct automation_endings *endings);

/* Calls take with each condition (endings may be NULL) and its place, until it returns false.
   Returns its last result. */
bool automation_endings_each(const struct automation_endings *endings,
    bool (*take)(const struct automation_condition *condition, bool is_goal,
	const struct json_place *place, void *context, GError **error),
    void *context, GError **error);

/* Returns whether one of the conditions holds: one that is this event (NULL: there is none), in its
   normal form, or one that is rules. scope: the event, the contact, and the event that started the
   execution, which rules ask for. Appends the reason to why (may be NULL): `order.paid came`, `plan
   is "pro"`. */
bool automation_endings_hold(const GArray *conditions, const char *event_name,
    const struct automation_rules_scope *scope, GString *why);

/* Returns whether rules among the goals or the exits (NULL allowed) hold. */
bool automation_endings_bar(
    const struct automation_endings *endings, const struct automation_rules_scope *scope);

#endif
