/* SPDX-License-Identifier: MIT */
/* Goes through the people of a start in parts.

   One transaction for a million people would hold their locks for minutes and lose all of it when
   it fails, so each transaction takes LIMIT_START_BATCH people at most.
   1. start_run reads the start, and finds the next people behind its place, outside of any
      transaction, since a search may be long.
   2. The transaction locks workflow and start. A process that has other work leaves a start that
      another process has locked. If place is no longer the one that was read, another process has
      taken these people, and this one does nothing.
   3. It locks the people, tells each the event, and stores executions, counts and the new place.
   Addresses that a start names are rows; the transaction that takes them removes them.

   A process that dies leaves place in front of the people of its transaction, none of whom has an
   execution yet: any process goes on there, and nobody is begun twice. */
#include "start/run.h"

#include <string.h>

#include "automation/design_cache.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits/list.h"
#include "base/limits/workflow.h"
#include "db/transaction.h"
#include "segment/segment.h"
#include "service/service.h"
#include "start/begin.h"
#include "store/automation/start.h"
#include "store/automation/workflow.h"
#include "store/person/audience.h"

struct part {
	struct service *service;
	const struct store_start *start; /* as it was read */
	GArray *ids;			 /* of struct base_id; NULL: the start names addresses */
	struct base_id place;		 /* behind these people */
	bool more;			 /* there may be more of them */
	bool waits;			 /* for another process that has locked the start */
	const char *gone;		 /* what is not there any more; NULL: all is there */
	bool worked;
};

/* A segment of the people who are subscribed in an audience. The caller frees it. */
static struct store_segment *
run_audience(const struct store_start *start)
{
	struct store_segment *segment = g_new0(struct store_segment, 1);
	char id[ID_TEXT_SIZE];

	segment->workspace_id = start->workspace_id;
	segment->rules = g_strdup_printf("{\"match\":\"all\",\"rules\":[{\"audience\":\"%s\","
					 "\"operator\":\"subscribed\"}]}",
	    base_id_format(&start->audience_id, id));
	return segment;
}

/* The people of the start as a segment. NULL without an error: part->gone is set. The caller frees
   it. */
static struct store_segment *
run_segment(struct part *part, GError **error)
{
	const struct store_start *start = part->start;
	struct db *db = part->service->db;
	g_autoptr(GError) failure = NULL;
	struct store_segment *segment = NULL;

	if (start->has_segment)
		segment = store_segment_get(db, &start->workspace_id, &start->segment_id, &failure);
	else if (store_audience_check(db, &start->workspace_id, &start->audience_id, &failure))
		segment = run_audience(start);
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
		part->gone = start->has_segment ? "The segment is gone" : "The audience is gone";
	else if (failure)
		g_propagate_error(error, g_steal_pointer(&failure));
	return segment;
}

/* Finds the next people of an audience or segment. */
static bool
run_find(struct part *part, GError **error)
{
	const struct store_start *start = part->start;
	GError *failure = NULL;

	if (!start->has_audience && !start->has_segment)
		return true;
	AUTO(store_segment) segment = run_segment(part, &failure);
	if (segment)
		part->ids = segment_people(part->service, segment,
		    &(struct segment_page){&start->place, LIMIT_START_BATCH, LIMIT_LOOK_NS},
		    &part->place, &part->more, &failure);
	if (failure)
		g_propagate_error(error, failure);
	return !failure;
}

/* The people whom the start names, as far as they are left. The caller owns the array. */
static GPtrArray *
run_lock_addresses(struct part *part, struct db *db, GError **error)
{
	g_autoptr(GPtrArray) rows =
	    store_start_addresses(db, &part->start->id, LIMIT_START_BATCH, error);

	if (!rows)
		return NULL;
	g_autofree const char **addresses = g_new(const char *, rows->len);
	g_autofree const char **emails = g_new(const char *, rows->len);
	for (guint i = 0; i < rows->len; i++) {
		const struct store_start_address *row = rows->pdata[i];

		addresses[i] = row->address;
		emails[i] = row->email;
	}
	part->more = rows->len == LIMIT_START_BATCH;
	if (rows->len > 0 &&
	    !store_start_addresses_take(db, &part->start->id, addresses[rows->len - 1], error))
		return NULL;
	return start_begin_addresses(
	    part->service, part->start, addresses, emails, rows->len, error);
}

static bool
run_begin(struct part *part, struct db *db, struct store_start *start,
    const struct store_start_workflow *workflow, GError **error)
{
	g_autoptr(GPtrArray) people = part->ids
					  ? start_begin_ids(part->service, start, part->ids, error)
					  : run_lock_addresses(part, db, error);

	if (!people || !start_begin(part->service, start, workflow, people, NULL, error))
		return false;
	start->status = part->more ? START_RUNNING : START_DONE;
	if (part->more && part->ids)
		start->place = part->place;
	return true;
}

static bool
run_part(struct db *db, void *context, GError **error)
{
	struct part *part = context;
	const struct store_start *read = part->start;
	struct store_start_workflow workflow;

	part->worked = false;
	if (!store_start_workflow(db, &read->workspace_id, &read->workflow_id, &workflow, error))
		return false;
	GError *failure = NULL;
	AUTO(store_start)
	start = (part->waits ? store_start_lock : store_start_lock_free)(
	    db, &read->workspace_id, &read->workflow_id, &read->id, &failure);
	if (!start) {
		if (failure)
			g_propagate_error(error, failure);
		return !failure;
	}
	bool is_off = workflow.is_deleted || workflow.status == WORKFLOW_DRAFT;
	if (store_start_is_over(start) || !base_id_equal(&start->place, &read->place) ||
	    (!is_off && workflow.status == WORKFLOW_PAUSED))
		return true;
	if (is_off) {
		start->status = START_CANCELLED;
	} else if (part->gone) {
		start->status = START_FAILED;
		start->error = g_strdup(part->gone);
	} else if (!run_begin(part, db, start, &workflow, error)) {
		return false;
	}
	if (store_start_is_over(start))
		start->completed = base_clock_now();
	part->worked = true;
	return store_start_put(db, start, error);
}

/* The next start behind the last, or from the first on. */
static struct store_start *
run_next(struct db *db, struct base_id *last, GError **error)
{
	static const struct base_id zero = {{0}};
	GError *failure = NULL;
	struct store_start *start = store_start_next(db, last, &failure);

	if (!start && !failure && !base_id_equal(last, &zero))
		start = store_start_next(db, &zero, &failure);
	*last = start ? start->id : zero;
	if (failure)
		g_propagate_error(error, failure);
	return start;
}

bool
start_run(struct service *service, struct base_id *last, bool waits, bool *worked_r, GError **error)
{
	GError *failure = NULL;
	AUTO(store_start) start = run_next(service->db, last, &failure);
	struct part part = {.service = service, .start = start, .waits = waits};

	*worked_r = false;
	if (!start) {
		if (failure)
			g_propagate_error(error, failure);
		return !failure;
	}
	automation_design_cache_trim(service);
	bool done = run_find(&part, error) && db_transact(service->db, run_part, &part, error);
	g_clear_pointer(&part.ids, g_array_unref);
	*worked_r = done && part.worked;
	return done;
}
