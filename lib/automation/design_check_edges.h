/* SPDX-License-Identifier: MIT */
/* The check of the edges of a design. */
#ifndef AUTOMATION_DESIGN_CHECK_EDGES_H
#define AUTOMATION_DESIGN_CHECK_EDGES_H

struct automation_design_checking;

/* Notes the faults of all edges. */
void automation_design_check_edges(struct automation_design_checking *check);

#endif
