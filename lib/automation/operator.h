/* SPDX-License-Identifier: MIT */
/* The operators of rules, each on one value. */
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

/* Its word, as designs have it. */
const char *automation_operator_name(enum automation_operator op);

/* OPERATOR_COUNT when there is none of that name (NULL too). */
enum automation_operator automation_operator_find(const char *name);

/* Whether it compares with a value. */
bool automation_operator_takes_value(enum automation_operator op);

/* Whether it holds of a property (NULL: missing or null); automation/rules.h says when. */
bool automation_operator_holds(
    enum automation_operator op, const struct json *property, const struct json *value);

/* For people, when it holds or does not: "is greater than", "does not contain". */
const char *automation_operator_phrase(enum automation_operator op, bool holds);

#endif
