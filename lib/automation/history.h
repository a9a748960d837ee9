/* SPDX-License-Identifier: MIT */
/* The steps of an execution, as answers show them. */
#ifndef AUTOMATION_HISTORY_H
#define AUTOMATION_HISTORY_H

#include <glib.h>

struct base_id;
struct db;

/* The steps behind the sequence after (0: from the first on), oldest first, at most limit, as an
   array of struct store_execution_step (store/automation/execution_step.h). The last step of an
   execution is that at which it stands or ended. An execution that ran before steps were kept has
   no rows of its steps until then, so the first sequence may be larger than 1. NOT_FOUND "Execution
   not found". The caller owns it. */
GPtrArray *automation_history_list(struct db *db, const struct base_id *workspace,
    const struct base_id *execution, guint after, guint limit, GError **error);

/* The word of a result (enum store_execution_result); NULL for RESULT_NONE. */
const char *automation_history_result(guint result);

#endif
