/* SPDX-License-Identifier: MIT */
/* Opens, joins and closes digests. */
#include "automation/digest_stored.h"

#include "automation/digest.h"
#include "base/fault.h"
#include "base/limits/workflow.h"
#include "rule/operator.h"
#include "store/automation/digest.h"
#include "store/automation/execution.h"

G_STATIC_ASSERT(RULE_HASH_SIZE == DIGEST_HASH_SIZE);

bool
automation_digest_join(struct db *db, const struct store_execution *execution,
    const struct automation_digest_arrival *arrival, bool *joined_r, GError **error)
{
	struct store_digest_place place = {
	    .workspace = &execution->workspace_id,
	    .workflow = &execution->workflow_id,
	    .contact = &execution->contact_id,
	    .step_id = execution->step_id,
	    .ends = arrival->ends,
	};
	gint64 time = base_id_time(&execution->event_id);
	g_autofree char *properties = automation_digest_event(arrival->event, time);
	const struct store_digest_event gathered = {execution->event_id, time, properties};
	struct base_id first = execution->id;

	rule_operator_hash(arrival->key, place.hash);
	if (!store_digest_find(db, &place, execution, joined_r, &first, error) ||
	    (!*joined_r && !store_digest_open(db, &place, execution, error)))
		return false;
	FAULT("digest-joined");
	return store_digest_add(db, place.workspace, &first, &gathered, LIMIT_DIGEST_EVENTS, error);
}

char *
automation_digest_close(struct db *db, const struct store_execution *execution, GError **error)
{
	guint count;
	g_autoptr(GPtrArray) events = store_digest_take(db, &execution->id, &count, error);
	g_autoptr(GPtrArray) texts = g_ptr_array_new();

	if (!events)
		return NULL;
	FAULT("digest-taken");
	for (guint i = 0; i < events->len; i++)
		g_ptr_array_add(texts, ((struct store_digest_event *)events->pdata[i])->properties);
	return automation_digest_result(texts, count);
}
