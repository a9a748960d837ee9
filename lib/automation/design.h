/* SPDX-License-Identifier: MIT */
/* A workflow's design: the JSON that React Flow editors save, {"nodes": [{id, type, data, ...}],
   "edges": [{id, source, target, sourceHandle, ...}]}. Members that are not ours are kept, in the
   text, and mean nothing. */
#ifndef AUTOMATION_DESIGN_H
#define AUTOMATION_DESIGN_H

#include <glib.h>
#include <stdbool.h>

#include "automation/node.h"
#include "base/scope.h"

/* A design as read; nothing changes it. */
struct automation_design;

/* Whatever text is an object with arrays nodes and edges is a design, however incomplete: what is
   wrong with it beyond that, automation_design_check (automation/design_check.h) tells. INVALID,
   with a sentence that begins with "design", when it is not JSON (as json/strict.h reads it), not
   such an object, or more than LIMIT_DESIGN_BYTES. text need not live on. The caller frees it. */
struct automation_design *automation_design_parse(const char *text, gsize size, GError **error);

/* The same of a design that somebody gives: none of its strings may hold U+0000 either. */
struct automation_design *automation_design_take(const char *text, gsize size, GError **error);

void automation_design_free(struct automation_design *design);
DEFINE_AUTO(automation_design, automation_design_free)

/* Bytes of memory that it takes, rather more than less. */
gsize automation_design_weight(const struct automation_design *design);

/* Its nodes in their order, of struct automation_design_node: those with an id, the first of each.
 */
const GPtrArray *automation_design_nodes(const struct automation_design *design);

/* NULL when there is none. */
const struct automation_design_node *automation_design_node(
    const struct automation_design *design, const char *id);

/* The first trigger node; NULL when there is none. */
const struct automation_design_node *automation_design_start(
    const struct automation_design *design);

/* Its data; NULL when there is none, or it has a fault. */
const struct automation_node_trigger *automation_design_trigger(
    const struct automation_design *design);

/* Where the edge of that handle (NULL: the only one) leads; NULL when there is no such edge: the
   execution ends. */
const struct automation_design_node *automation_design_next(const struct automation_design *design,
    const struct automation_design_node *node, const char *handle);

/* An edge as it stands there. Texts are NULL where they are missing, ends where there is no such
   node. */
struct automation_design_edge {
	const char *id, *source_id, *target_id, *handle;
	struct automation_design_node *source, *target;
};

/* Of struct automation_design_edge. */
const GArray *automation_design_edges(const struct automation_design *design);

/* Something that keeps a design from being active. */
struct automation_design_fault {
	char *node;	/* the id of the node it is about, NULL where there is none to name */
	char *message;	/* a sentence, one line, that names the node and says what to do */
	bool of_sender; /* it is about a sender's domain, which may be registered later */
};

/* What was wrong with the shape of nodes and edges, of struct automation_design_fault. */
const GPtrArray *automation_design_shape_faults(const struct automation_design *design);

void automation_design_fault_free(gpointer fault);
void automation_design_fault_add(GPtrArray *faults, const char *node, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

#endif
