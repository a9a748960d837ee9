/* SPDX-License-Identifier: MIT */
/* The words of steps and connections, and those of designs that mean the same. */
#ifndef FCGI_RESEND_STEPS_WORDS_H
#define FCGI_RESEND_STEPS_WORDS_H

#include <glib.h>
#include <stdbool.h>

#include "json/fields.h"

struct json;
struct json_writer;

enum fcgi_resend_step {
	RESEND_STEP_TRIGGER,
	RESEND_STEP_EMAIL,
	RESEND_STEP_DELAY,
	RESEND_STEP_WAIT,
	RESEND_STEP_CONDITION,
	RESEND_STEP_UPDATE,
	RESEND_STEP_DELETE,
	RESEND_STEP_SEGMENT,
	RESEND_STEPS
};

/* The types, and the nodes that they become. */
extern const struct fcgi_resend_step_type {
	const char *name, *node;
} fcgi_resend_step_types[RESEND_STEPS];

/* The types of connections, and the handles of edges; NULL: none. */
enum { RESEND_HANDLES = 5 };
extern const struct fcgi_resend_handle {
	const char *name, *handle;
} fcgi_resend_handles[RESEND_HANDLES];

/* The operators of rules. With two of ours, either holds. */
enum fcgi_resend_compared { COMPARED_SCALAR, COMPARED_NUMBER, COMPARED_TEXT, COMPARED_NONE };
enum { RESEND_OPERATORS = 11 };
extern const struct fcgi_resend_operator {
	const char *name, *first, *second;
	enum fcgi_resend_compared value;
} fcgi_resend_operators[RESEND_OPERATORS];

/* The units of durations: words for them, the singular and the plural first, and the word of
   designs. */
enum { RESEND_UNITS = 4 };
extern const struct fcgi_resend_unit {
	const char *const words[6];
	const char *unit;
	gint64 minutes;
} fcgi_resend_units[RESEND_UNITS];

/* The members of a step, with those of the config of each type. */
enum { RESEND_STEP_FIELDS = 3 };
extern const struct json_field fcgi_resend_step_fields[RESEND_STEP_FIELDS];

/* The prefixes of paths. */
#define RESEND_EVENT "event."
#define RESEND_CONTACT "contact."

/* The number of a type of step, or of connection; behind the last when the name is unknown. */
guint fcgi_resend_step_find(const char *name);
guint fcgi_resend_handle_find(const char *name);

/* The text of a member, or NULL. */
const char *fcgi_resend_step_text(const struct json *object, const char *name);

/* Whether a value is a text, a number or a boolean. */
bool fcgi_resend_step_is_scalar(const struct json *value);

/* Writes a member, unless the text is NULL or empty. */
void fcgi_resend_step_write(struct json_writer *writer, const char *key, const char *text);

/* Sets INVALID "Invalid `steps` field. The step `key` <sentence>." and returns false. */
bool fcgi_resend_step_fail(GError **error, const char *key, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* Sets NOT_IMPLEMENTED, naming the member and the step's key, and returns false. */
bool fcgi_resend_step_refuse(GError **error, const char *key, const char *member);

#endif
