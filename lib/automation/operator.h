/* SPDX-License-Identifier: MIT */
/* The operators of rules. */
#ifndef AUTOMATION_OPERATOR_H
#define AUTOMATION_OPERATOR_H

#include <stdbool.h>

struct json;

enum automation_operator {
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
const char *automation_operator_name(enum automation_operator op);

/* Returns the operator of this name; OPERATOR_COUNT when there is none, also for NULL. */
enum automation_operator automation_operator_find(const char *name);

/* Returns whether an operator compares the property with a value. */
bool automation_operator_takes_value(enum automation_operator op);

/* Returns whether an operator holds for a property (NULL: missing or null) and a value, as
   automation/rules.h defines it. */
bool automation_operator_holds(
    enum automation_operator op, const struct json *property, const struct json *value);

/* Returns the words for an operator that holds, or does not hold: "is greater than", "does not
   contain". */
const char *automation_operator_phrase(enum automation_operator op, bool holds);

#endif
