/* SPDX-License-Identifier: MIT */
/* Rules: what a condition decides by, and what filters let through.

	{"match": "all" | "any", "rules": [{property, operator, value} or rules again]}

   property is a dot path into the contact's properties, with "event." in front into the event's.
   Numbers, and strings that are written as JSON writes numbers, compare as numbers (whole ones
   exactly, however long); other strings byte by byte; true and false with themselves; unlike types
   are not equal, and neither greater nor less. contains, begins_with and ends_with look at the text
   of strings and numbers; contains also for an equal element of an array. A property that is
   missing or null fails every operator but not_exists, not_equals and not_contains. No rules at all
   hold. */
#ifndef AUTOMATION_RULES_H
#define AUTOMATION_RULES_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct json;
struct json_place;
struct automation_rules;

/* Reads rules, which borrow from the document. INVALID naming what is wrong by its path from place
   on. The caller frees them. */
struct automation_rules *automation_rules_read(
    const struct json *value, const struct json_place *place, GError **error);
void automation_rules_free(struct automation_rules *rules);
DEFINE_AUTO(automation_rules, automation_rules_free)

/* Frees what of the document such rules, and no others, have no use for. */
void automation_rules_forget(const struct json *value);

/* Bytes of memory that they take beside the document. */
gsize automation_rules_weight(const struct automation_rules *rules);

/* How many there are, nested ones included; 0 of NULL. */
guint automation_rules_count(const struct automation_rules *rules);

/* Appends them for people: `plan equals "pro" and (age less_than 30 or age not_exists)`. */
void automation_rules_describe(const struct automation_rules *rules, GString *text);

/* What rules look at: the properties of a contact and of an event; NULL: there are none. */
struct automation_rules_scope {
	const struct json *contact, *event;
};

/* Whether they hold; NULL do. why (may be NULL) is given a clause on what decided: `plan is "pro",
   which is not equal to "free"`. */
bool automation_rules_hold(
    const struct automation_rules *rules, const struct automation_rules_scope *scope, GString *why);

#endif
