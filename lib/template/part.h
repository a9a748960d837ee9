/* SPDX-License-Identifier: MIT */
/* The parts of a joined template: itself and those that it includes. */
#ifndef TEMPLATE_PART_H
#define TEMPLATE_PART_H

#include <glib.h>
#include <stdbool.h>

struct template_part {
	const char *id; /* "": the template itself, or its layout; NUL-terminated */
	const char *source, *end;
};

/* Reads the next part: *p is the template's source before the first call. Returns false after the
   last one. */
bool template_part_next(const char **p, const char *end, struct template_part *part_r);

/* Adds a source to a joined one: first the template itself with the id "", or its layout, and
   behind a layout what stands at its {{{body}}}, also with the id ""; then those that are included
   with their ids. */
void template_join(GString *joined, const char *id, const char *source, gsize size);

#endif
