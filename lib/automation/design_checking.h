/* SPDX-License-Identifier: MIT */
/* The check of a design that is under way. */
#ifndef AUTOMATION_DESIGN_CHECKING_H
#define AUTOMATION_DESIGN_CHECKING_H

#include <glib.h>

struct automation_design;
struct automation_design_lookup;

struct automation_design_checking {
	const struct automation_design *design;
	const struct automation_design_lookup *lookup;
	GPtrArray *faults;
	GHashTable *registered; /* domains that a lookup has found */
};

/* Adds a fault of a node (NULL: of the design). */
void automation_design_note(struct automation_design_checking *check, const char *node,
    const char *format, ...) G_GNUC_PRINTF(3, 4);

#endif
