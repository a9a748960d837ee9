/* SPDX-License-Identifier: MIT */
/* A workflow's design: the JSON that React Flow editors save, {"nodes": [{id, type, data, ...}],
   "edges": [{id, source, target, sourceHandle, ...}]}. Members that Posthouse does not know stay in
   the text and have no meaning. */
#ifndef AUTOMATION_DESIGN_H
#define AUTOMATION_DESIGN_H

#include <glib.h>
#include <stdbool.h>

#include "automation/node.h"
#include "base/scope.h"

/* A parsed design; it never changes. */
struct automation_design;

/* Parses a design: an object with arrays nodes and edges, complete or not. Other faults are found
   by automation_design_check (automation/design_check.h). INVALID, with a sentence that begins with
   "design", when text is not JSON (as json/strict.h reads it), not such an object, or more than
   LIMIT_DESIGN_BYTES. The design does not borrow from text. The caller frees it. */
struct automation_design *automation_design_parse(const char *text, gsize size, GError **error);

/* Parses a design that a client sends. INVALID also when one of its strings holds U+0000, which the
   database refuses. Otherwise like automation_design_parse. */
struct automation_design *automation_design_parse_strict(
    const char *text, gsize size, GError **error);

void automation_design_free(struct automation_design *design);
DEFINE_AUTO(automation_design, automation_design_free)

/* Returns the memory that a design takes, in bytes; an estimate that is rather too high. */
gsize automation_design_weight(const struct automation_design *design);

/* Returns the nodes in their order, of struct automation_design_node. Nodes without an id, and
   later nodes with the same id, are left out. The design owns the array. */
const GPtrArray *automation_design_nodes(const struct automation_design *design);

/* Returns the node with this id; NULL when there is none. */
const struct automation_design_node *automation_design_node(
    const struct automation_design *design, const char *id);

/* Returns the ids of the nodes, as keys. The design owns the table. */
GHashTable *automation_design_ids(const struct automation_design *design);

/* Returns the first trigger node; NULL when there is none. */
const struct automation_design_node *automation_design_start(
    const struct automation_design *design);

/* Returns the data of that node; NULL when there is none, or when it has a fault. */
const struct automation_node_trigger *automation_design_trigger(
    const struct automation_design *design);

/* Returns the node to which a node's edge of this handle leads (NULL: its only edge). NULL when
   there is no such edge, and the execution ends. */
const struct automation_design_node *automation_design_next(const struct automation_design *design,
    const struct automation_design_node *node, const char *handle);

/* An edge. A text is NULL when it is missing, source or target when there is no node of that id. */
struct automation_design_edge {
	const char *id, *source_id, *target_id, *handle;
	struct automation_design_node *source, *target;
};

/* Returns the edges, of struct automation_design_edge. The design owns the array. */
const GArray *automation_design_edges(const struct automation_design *design);

/* A fault that keeps a design from being active. */
struct automation_design_fault {
	char *node;	/* the id of the node at fault; NULL: no single node */
	char *message;	/* a sentence that names the node and the remedy, on one line */
	bool of_sender; /* the sender's domain is not registered; it may be later */
};

/* Returns the faults in the shape of nodes and edges, of struct automation_design_fault. The design
   owns the array. */
const GPtrArray *automation_design_shape_faults(const struct automation_design *design);

void automation_design_fault_free(gpointer fault);

/* Adds a fault to an array of them, unless that holds LIMIT_DESIGN_FAULTS already. node: the id of
   the node at fault; NULL: no single node. */
void automation_design_fault_add(GPtrArray *faults, const char *node, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

#endif
