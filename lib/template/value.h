/* SPDX-License-Identifier: MIT */
/* The values that templates are filled with. */
#ifndef TEMPLATE_VALUE_H
#define TEMPLATE_VALUE_H

#include <glib.h>
#include <stdbool.h>

enum template_value_kind {
	VALUE_NONE, /* null, or missing */
	VALUE_FALSE,
	VALUE_TRUE,
	VALUE_NUMBER,
	VALUE_TEXT,
	VALUE_ARRAY,
	VALUE_OBJECT,
};

struct template_value {
	enum template_value_kind kind;
	const char *text; /* of a boolean, a number as it is written, or a text; else NULL */
	const void *node; /* of an array or an object: what the functions below take */
	gsize count;	  /* its elements or members */
};

/* Gives the values. All that it returns lives as long as the rendering. */
struct template_values {
	/* The variable with this whole name. */
	struct template_value (*variable)(const char *name, void *context);
	/* A member of an object. */
	struct template_value (*member)(const void *node, const char *name);
	/* An element of an array, or a member of an object and its name. */
	struct template_value (*at)(const void *node, gsize index, const char **name_r);
	void *context;
	gsize bytes; /* of all values, about; 0: they are small */
};

/* The facts that a rendering has found about its values. Zeroed, it is nothing; the caller clears
 * it. */
struct template_measures {
	char number[24];   /* of the length that was found last */
	GHashTable *found; /* the lengths and numbers of long texts, found once; NULL: none yet */
	gint64 steps;	   /* of the work so far: names, and each 64 bytes that were read */
};
void template_measures_clear(struct template_measures *measures);

/* The value of a variable at a path: that of the variable with this whole name, or else of a member
   or element of the variable with which the path begins; or that of x for "this.x"; NONE. A length
   points into the measures, until the next call. */
struct template_value template_value_find(
    const struct template_values *values, const char *path, struct template_measures *measures);

/* The same below a value. */
struct template_value template_value_below(const struct template_values *values,
    struct template_value value, const char *path, struct template_measures *measures);

/* The number that a text or a number is, as g_ascii_strtod reads it. Returns false for one with
   more than a number in it; *number_r is set all the same. */
bool template_value_number(
    const struct template_value *value, struct template_measures *measures, double *number_r);

/* Whether {{#if}} holds: not for null, false, 0, "" and []. */
bool template_value_holds(const struct template_value *value, struct template_measures *measures);

/* The text that {{value}} shows; "" for arrays and objects, NULL for NONE and for an object without
   members, in place of which a fallback stands. */
const char *template_value_text(const struct template_value *value);

#endif
