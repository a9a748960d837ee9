/* SPDX-License-Identifier: MIT */
/* The values that templates are filled with. */
#ifndef MAIL_TEMPLATE_VALUE_H
#define MAIL_TEMPLATE_VALUE_H

#include <glib.h>
#include <stdbool.h>

enum mail_template_value_kind {
	VALUE_NONE, /* null, or missing */
	VALUE_FALSE,
	VALUE_TRUE,
	VALUE_NUMBER,
	VALUE_TEXT,
	VALUE_ARRAY,
	VALUE_OBJECT,
};

struct mail_template_value {
	enum mail_template_value_kind kind;
	const char *text; /* of a boolean, a number as it is written, or a text; else NULL */
	const void *node; /* of an array or an object: what the functions below take */
	gsize count;	  /* its elements or members */
};

/* Gives the values. All that it returns lives as long as the rendering. */
struct mail_template_values {
	/* The variable with this whole name. */
	struct mail_template_value (*variable)(const char *name, void *context);
	/* A member of an object. */
	struct mail_template_value (*member)(const void *node, const char *name);
	/* An element of an array, or a member of an object and its name. */
	struct mail_template_value (*at)(const void *node, gsize index, const char **name_r);
	void *context;
};

/* The value of a variable at a path: that of the variable with this whole name, or else of a member
   or element of the variable with which the path begins; or that of x for "this.x"; NONE. number_r
   has room for the length of an array or a text, to which the result may point. */
#define MAIL_TEMPLATE_NUMBER_SIZE 24
struct mail_template_value mail_template_value_find(const struct mail_template_values *values,
    const char *path, char number_r[MAIL_TEMPLATE_NUMBER_SIZE]);

/* The same below a value. */
struct mail_template_value mail_template_value_below(const struct mail_template_values *values,
    struct mail_template_value value, const char *path, char number_r[MAIL_TEMPLATE_NUMBER_SIZE]);

/* Whether {{#if}} holds: not for null, false, 0, "" and []. */
bool mail_template_value_holds(const struct mail_template_value *value);

/* What {{value}} shows; "" for arrays and objects, NULL for NONE. */
const char *mail_template_value_text(const struct mail_template_value *value);

#endif
