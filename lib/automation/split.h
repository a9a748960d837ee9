/* SPDX-License-Identifier: MIT */
#ifndef AUTOMATION_SPLIT_H
#define AUTOMATION_SPLIT_H

#include "base/id.h"

struct automation_node_side;
struct automation_node_split;

/* The side of a split on which a contact falls: always the same for the same node, contact and
   weights, independently of the contact's sides elsewhere, and on each side as many contacts as its
   weight says. A side of weight 0 gets none. */
const struct automation_node_side *automation_split_side(
    const struct automation_node_split *split, const char *node_id, const struct base_id *contact);

#endif
