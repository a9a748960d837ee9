/* SPDX-License-Identifier: MIT */
/* One execution's way through its design, as far as it can go now. */
#ifndef AUTOMATION_WALK_H
#define AUTOMATION_WALK_H

#include <glib.h>
#include <stdbool.h>

struct automation_batch;
struct store_execution_claimed;

/* Inside the batch's transaction: steps an execution of it until it waits, has finished or has gone
   so many steps that others should have their turn; what is to be stored is left in the batch.
   What is wrong with a step becomes the execution's fault, or its next attempt. False for what is
   wrong with the database. */
bool automation_walk(
    struct automation_batch *batch, struct store_execution_claimed *claimed, GError **error);

#endif
