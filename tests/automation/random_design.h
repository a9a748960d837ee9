/* SPDX-License-Identifier: MIT */
/* Designs at random: all may be active, until something is done to them. */
#ifndef TESTS_AUTOMATION_RANDOM_DESIGN_H
#define TESTS_AUTOMATION_RANDOM_DESIGN_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

/* A node or an edge; texts are owned, handle is NULL where there is only one way out. */
struct random_node {
	char *id, *data;
	const char *type;
};

struct random_edge {
	char *source, *target, *handle;
};

struct random_design {
	GRand *rand;
	GPtrArray *nodes; /* of struct random_node; the trigger is the first */
	GPtrArray *edges; /* of struct random_edge */
};

/* One that may be active. The caller frees it; rand stays the caller's. */
struct random_design *random_design_new(GRand *rand);
void random_design_free(struct random_design *design);
DEFINE_AUTO(random_design, random_design_free)

/* Nothing it does depends on what the contact is like or on how far others are: then it does not
   matter how late the engine makes its steps. */
struct random_design *random_design_steady(GRand *rand);

/* Its nodes and its edges as sample_design_text takes them, which the caller owns. */
char *random_design_nodes(const struct random_design *design);
char *random_design_edges(const struct random_design *design);

/* Its JSON, which the caller owns. */
char *random_design_text(const struct random_design *design);

/* Where its edge of that handle leads: an id, or NULL. */
const char *random_design_next(
    const struct random_design *design, const char *source, const char *handle);

/* NULL when there is none of that id. */
const struct random_node *random_design_node(const struct random_design *design, const char *id);

/* At random one of the words. */
const char *random_word(GRand *rand, const char *const *words, gsize count);

void random_design_add_node(
    struct random_design *design, const char *id, const char *type, const char *data);
void random_design_add_edge(
    struct random_design *design, const char *source, const char *handle, const char *target);

/* The handles that a node of a type may have, NULL-terminated: NULL first where there is one way
   out; none of an exit. Returns how many. */
guint random_design_handles(const char *type, const char *handles_r[2]);

#endif
