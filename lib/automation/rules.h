/* SPDX-License-Identifier: MIT */
/* Rules, by which conditions decide and filters select events.

	{"match": "all" | "any", "rules": [{property, operator, value}, {segment, operator: "in" |
	"not_in"}, or nested rules]}

   property is a dot path into the contact's properties or, after "event.", into the event's.
   contact.email, contact.first_name and contact.last_name are the contact's property of this path
   or of this name, or, where there is none, its field. contact.language, contact.time_zone,
   contact.created (epoch ms) and contact.subscribed are the property of this path, or the field.
   Numbers, and strings in the syntax of JSON numbers, compare as numbers (whole ones exactly,
   however long); other strings compare byte by byte; booleans compare with booleans. Values of
   different types are not equal, and neither is greater. contains, begins_with and ends_with
   compare the text of strings and numbers; contains also finds an equal element of an array. A
   property that is missing or null fails every operator except not_exists, not_equals and
   not_contains. An empty list of rules holds.

   step.ID.path is a value of what the node ID gave at its last visit (automation/results.h).

   The value may be {"var": path}: that of a property of the execution, whose "event." is the event
   that started it, not the one that comes. Without such a value the rule fails as without its
   property. */
#ifndef AUTOMATION_RULES_H
#define AUTOMATION_RULES_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "rule/operator.h"

struct base_budget;
struct base_id;
struct json;
struct json_place;
struct automation_results;
struct automation_rules;

/* Reads rules, which borrow from value. INVALID, naming the faulty member by its path from place
   on. The caller frees them. */
struct automation_rules *automation_rules_read(
    const struct json *value, const struct json_place *place, GError **error);
void automation_rules_free(struct automation_rules *rules);
DEFINE_AUTO(automation_rules, automation_rules_free)

/* Frees the members of value that rules read from it do not borrow from. */
void automation_rules_forget(const struct json *value);

/* Returns the memory that rules take in addition to the JSON document, in bytes. */
gsize automation_rules_weight(const struct automation_rules *rules);

/* Returns the number of rules, nested ones included; 0 for NULL. */
guint automation_rules_count(const struct automation_rules *rules);

/* Whether a value of rules (NULL: none) is a path into the event that started the execution. */
bool automation_rules_ask_started(const struct automation_rules *rules);

/* Whether a property or a value of rules (NULL: none) may be the result of a step. */
bool automation_rules_ask_results(const struct automation_rules *rules);

/* Calls take with each segment that rules (NULL: none) ask for, and its place behind that of the
   rules, until it returns false. Returns its last result. */
bool automation_rules_each_segment(const struct automation_rules *rules,
    const struct json_place *place,
    bool (*take)(const struct base_id *segment, const struct json_place *place, void *context,
	GError **error),
    void *context, GError **error);

/* An empty set of segments, of struct base_id, which it owns. The caller owns it. */
GHashTable *automation_rules_segments_new(void);

/* Appends a description: `plan equals "pro" and (age less_than 30 or age not_exists)`. */
void automation_rules_describe(const struct automation_rules *rules, GString *text);

/* The properties of a contact and of an event, and the contact's fields, to which rules apply;
   NULL: none. budget: the time that rules may take; once it is spent, they do not hold. NULL: they
   take as long as it takes. */
struct automation_rules_scope {
	const struct json *contact, *event, *fields;
	struct base_budget *budget;
	const struct json *started; /* properties of the event that started the execution, for
				       values that are paths; NULL: none */
	GHashTable *segments; /* those that the contact is in (automation_rules_segments_new); NULL:
				 none */
	const struct automation_results *results; /* of the execution's steps; NULL: "step." is a
						     property like any other */
	bool is_brief; /* reasons say what a property is, not how it compares */
};

/* Finds the value by which a wait that has rules (NULL: none) as its filter is found: with match
   all, a rule `event.X equals` with a value that cannot change while it waits: a fixed one, one of
   the event that started the execution, whose properties are started (NULL: none), or a result of
   its steps (NULL: they are not known, or may change). *property_r: X, which the rules own. Returns
   false if there is no such rule. */
bool automation_rules_correlate(const struct automation_rules *rules, const struct json *started,
    const struct automation_results *results, const char **property_r,
    guint8 hash_r[RULE_HASH_SIZE]);

/* Returns the value of a property, as rules name it, which the scope owns; NULL: none. */
const struct json *automation_rules_value(
    const char *property, const struct automation_rules_scope *scope);

/* Returns whether rules (NULL: none) hold. Appends the reason to why (may be NULL): `plan is "pro":
   it does not equal "free"`. */
bool automation_rules_hold(
    const struct automation_rules *rules, const struct automation_rules_scope *scope, GString *why);

#endif
