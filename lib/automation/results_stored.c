/* SPDX-License-Identifier: MIT */
/* Reads the results of an execution's steps. */
#include "automation/results_stored.h"

#include "automation/design.h"
#include "automation/results.h"
#include "service/service.h"
#include "store/automation/execution_step.h"

struct automation_results *
automation_results_stored(struct service *service, const struct base_id *workspace,
    const struct base_id *execution, const struct automation_design *design, GError **error)
{
	g_autoptr(GPtrArray) rows =
	    store_execution_step_given(service->db, workspace, execution, error);

	if (!rows)
		return NULL;
	struct automation_results *results = automation_results_new(automation_design_ids(design));
	for (guint i = 0; i < rows->len; i++) {
		const struct store_execution_given *row = rows->pdata[i];

		automation_results_set(results, row->step_id, row->given, NULL);
	}
	return results;
}
