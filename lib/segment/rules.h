/* SPDX-License-Identifier: MIT */
/* The rules of a segment:

	{"match": "all" | "any", "rules": [a rule of one kind, or rules again]}

   in the language of workflow conditions (automation/rules.h), with kinds of rules of its own
   (segment/leaf.h). */
#ifndef SEGMENT_RULES_H
#define SEGMENT_RULES_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "json/fields.h"
#include "segment/leaf.h"

struct db;

struct segment_rules;

/* The members that any rule may have, and rules as a whole; its kind is not known before it is
   read. */
#define SEGMENT_RULE_FIELDS 13
extern const struct json_field segment_rule_fields[SEGMENT_RULE_FIELDS];
extern const struct json_table segment_rules_body;

/* The members of a row for rules. */
#define SEGMENT_RULES_BELOW .elements = segment_rule_fields, .element_count = SEGMENT_RULE_FIELDS

/* Reads rules from their JSON text. INVALID "rules must be at most 65536 bytes", "rules has more
   than 100 rules", "rules is nested deeper than 8 levels", or a fault that is named by its path.
   The caller frees them. */
struct segment_rules *segment_rules_read(const char *text, GError **error);
void segment_rules_free(struct segment_rules *rules);
DEFINE_AUTO(segment_rules, segment_rules_free)

/* Looks up the audiences, topics and broadcasts of the rules, and counts days back from now.
   strict: INVALID "rules[0].audience is not an audience" for one that is not there, and
   "rules[0].value must be true or false" for a value that the field of a person can never have;
   otherwise such an audience is like one that nobody is in, and the value just does not match. */
bool segment_rules_resolve(struct segment_rules *rules, struct db *db,
    const struct base_id *workspace, bool strict, GError **error);

/* The single rules, in the order of the text. */
const struct segment_leaf *segment_rules_leaf(const struct segment_rules *rules, guint i);
guint segment_rules_count(const struct segment_rules *rules);

/* Appends the single rules of others, which it takes over. The others hold as part 1, 2 and so on
   of the rules, in the order in which they were added. */
void segment_rules_add(struct segment_rules *rules, struct segment_rules *others);

/* As segment_rules_hold, of a part; 0: of the rules themselves. */
bool segment_rules_part_holds(const struct segment_rules *rules, guint part,
    bool (*test)(guint leaf, void *context), void *context);

/* Whether the rules hold; test tells it for a single rule, and is asked only where it matters: in
   each list first about the kinds of rules that are little work. */
bool segment_rules_hold(
    const struct segment_rules *rules, bool (*test)(guint leaf, void *context), void *context);

#endif
