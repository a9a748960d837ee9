/* SPDX-License-Identifier: MIT */
/* For template*.c: the parts of a template: itself and those that it includes. */
#ifndef MAIL_TEMPLATE_PART_H
#define MAIL_TEMPLATE_PART_H

#include <glib.h>
#include <stdbool.h>

struct template_part {
	const char *id; /* "": the template itself, or its layout; NUL-terminated */
	const char *source, *end;
};

/* Reads the next part: *p is the template's source before the first call. Returns false after the
   last one. */
bool template_part_next(const char **p, const char *end, struct template_part *part_r);

#endif
