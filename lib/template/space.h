/* SPDX-License-Identifier: MIT */
/* For template*.c: the white space around tags, as Handlebars and so JavaScript see it. */
#ifndef TEMPLATE_SPACE_H
#define TEMPLATE_SPACE_H

#include <stdbool.h>

/* The white space that a tag takes away on one side. */
enum template_space {
	SPACE_NONE,
	SPACE_LINE, /* blanks, and behind the tag also the line break after them */
	SPACE_ALL,
};

/* Whether there is nothing but white space in front of *p on its line, or behind it. The source
   goes from start to end. *p becomes the place up to which that was read. */
bool template_space_before(const char **p, const char *start);
bool template_space_behind(const char **p, const char *end);

/* The place at which a text that ends, or begins, at p does so without that white space. */
const char *template_space_cut_before(const char *p, const char *start, enum template_space space);
const char *template_space_cut_behind(const char *p, const char *end, enum template_space space);

#endif
