/* SPDX-License-Identifier: MIT */
#ifndef AUTOMATION_DESIGN_STORE_H
#define AUTOMATION_DESIGN_STORE_H

#include <glib.h>
#include <stdbool.h>

struct db;
struct base_id;

/* Where templates and domains of a design are looked for: the context of the functions below. */
struct automation_design_store {
	struct db *db;
	const struct base_id *workspace;
};

/* The template_find of struct automation_design_world (automation/design_check.h), with a struct
   automation_design_store as its context. Errors of db/statement.h. */
bool automation_design_template(
    const char *id, bool *found_r, bool *subject_r, void *context, GError **error);

/* The domain_find, likewise: a registered domain, verified or not, or a sub-domain of one. */
bool automation_design_domain(const char *domain, bool *found_r, void *context, GError **error);

#endif
