/* SPDX-License-Identifier: MIT */
/* The operators of rules. */
#ifndef RULE_OPERATOR_H
#define RULE_OPERATOR_H

#include <glib.h>
#include <stdbool.h>

struct json;

enum rule_operator {
	OPERATOR_EQUALS,
	OPERATOR_NOT_EQUALS,
	OPERATOR_GREATER_THAN,
	OPERATOR_LESS_THAN,
	OPERATOR_CONTAINS,
	OPERATOR_NOT_CONTAINS,
	OPERATOR_BEGINS_WITH,
	OPERATOR_ENDS_WITH,
	OPERATOR_EXISTS,
	OPERATOR_NOT_EXISTS,
	OPERATOR_COUNT,
};

/* Returns an operator's name in designs. */
const char *rule_operator_name(enum rule_operator op);

/* Returns the operator of this name; OPERATOR_COUNT when there is none, also for NULL. */
enum rule_operator rule_operator_find(const char *name);

/* Returns whether an operator compares the property with a value. */
bool rule_operator_takes_value(enum rule_operator op);

/* Returns whether an operator holds for a property (NULL: missing or null) and a value, as
   automation/rules.h defines it. */
bool rule_operator_holds(
    enum rule_operator op, const struct json *property, const struct json *value);

/* Returns the words for an operator that holds, or does not hold: "is greater than", "does not
   contain". */
const char *rule_operator_phrase(enum rule_operator op, bool holds);

#define RULE_HASH_SIZE 16

/* Hashes a value so that two of which equals holds have the same hash: 7, 7.0 and "7". NULL, an
   object and an array have that of the empty text. */
void rule_operator_hash(const struct json *value, guint8 hash_r[RULE_HASH_SIZE]);

#endif
