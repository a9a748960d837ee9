/* SPDX-License-Identifier: MIT */
/* Random designs without faults, and functions to change them. */
#ifndef TESTS_AUTOMATION_RANDOM_DESIGN_H
#define TESTS_AUTOMATION_RANDOM_DESIGN_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

/* A node or an edge. Texts are owned; handle is NULL when the node has only one edge. */
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

/* Makes a design without faults. It borrows rand. The caller frees it. */
struct random_design *random_design_new(GRand *rand);
void random_design_free(struct random_design *design);
DEFINE_AUTO(random_design, random_design_free)

/* Makes a design whose steps depend neither on the contact nor on other executions, so that the
   result is the same however late the engine runs. */
struct random_design *random_design_steady(GRand *rand);

/* Return the nodes and the edges for sample_design_text. The caller owns them. */
char *random_design_nodes(const struct random_design *design);
char *random_design_edges(const struct random_design *design);

/* Returns the design as JSON, which the caller owns. */
char *random_design_text(const struct random_design *design);

/* Returns the id to which an edge leads; NULL when there is none. */
const char *random_design_next(
    const struct random_design *design, const char *source, const char *handle);

/* Returns the node of this id, or NULL. */
const struct random_node *random_design_node(const struct random_design *design, const char *id);

/* Returns one of the words at random. */
const char *random_word(GRand *rand, const char *const *words, gsize count);

void random_design_add_node(
    struct random_design *design, const char *id, const char *type, const char *data);
void random_design_add_edge(
    struct random_design *design, const char *source, const char *handle, const char *target);

/* Gives the handles of a node type: NULL for a single edge; none for an exit. Returns their number.
 */
guint random_design_handles(const char *type, const char *handles_r[2]);

#endif
