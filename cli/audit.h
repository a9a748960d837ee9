/* SPDX-License-Identifier: MIT */
/* The record of what operators change at the terminal (GET /v1/audit). */
#ifndef CLI_AUDIT_H
#define CLI_AUDIT_H

#include <stdbool.h>

#include "store/workspace/audit.h"

struct cli_call;

/* A row of the audit about an action of this operator in a workspace. */
struct store_audit cli_audit_operator(const struct base_id *workspace, const char *action);

/* Before a command: keeps the name of what it is about to remove. A failure is logged. */
void cli_audit_foresee(struct cli_call *call);

/* After a command: notes the action of its row in the grammar, with what the answer names, in the
   workspace that the command was about. Does nothing for a command without an action, or that has
   only read. A failure is logged. */
void cli_audit_note(struct cli_call *call);

#endif
