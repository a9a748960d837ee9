/* SPDX-License-Identifier: MIT */
/* Takes recipients of broadcasts whose turn has come, and makes parts of them.

   Each step is one transaction on one broadcast: the one that has been due longest and that no
   other process has locked. Workers thus share the broadcasts, and never work on the same one. The
   status says which step it is:
   1. REMOVED: some of its rows are removed. SCHEDULED: it begins. SENDING and not complete: the
      next page of recipients is made (both in broadcast/start.c).
   2. SENDING and complete: the recipients whose time has come are taken out of their queue. There
      is a queue for each variant; those who wait for the winner of a test have one, too, once there
      is a winner. They become a part: one email, with an outbox entry for each of them.
   3. Nobody's time has come: the broadcast ends if all have a final state, begins its test, or
      waits until the next one is due.
   4. TESTING: the winner is chosen at its time.

   The outbox entries are already claimed by this process when the COMMIT makes them visible, and
   are delivered next. So the outbox holds only what is on its way and what is tried again, and a
   pause takes effect at once. A process that dies before COMMIT has changed nothing. One that dies
   after it leaves claimed entries, which are taken over like any others (store/outbox/claim.c). */
#include "broadcast/send_step.h"

#include <string.h>

#include "base/clock.h"
#include "broadcast/ab_test.h"
#include "broadcast/start.h"
#include "db/transaction.h"
#include "email/test_address.h"
#include "mail/address.h"
#include "service/service.h"
#include "store/broadcast/origin.h"
#include "store/broadcast/part.h"
#include "store/outbox/outbox.h"

#define LOOK_AGAIN_MS                                                                              \
	60000 /* in case that nobody wakes it: the last result that is recorded does */
#define SPREAD_STEPS 1000
#define SPREAD_STEP_MS 60000

/* One step of a broadcast. */
struct leaving {
	struct service *service;
	const struct store_outbox_claim *claim;
	struct store_outbox_entry *entries;
	guint limit, count;
	bool worked;
	gint64 now;
};

/* The recipients of a part. */
struct part {
	GArray *people;	      /* struct base_id */
	GPtrArray *addresses; /* char * */
	GArray *skips;	      /* struct store_broadcast_skip */
};

static void
part_begin(struct part *part)
{
	part->people = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	part->skips = g_array_new(FALSE, FALSE, sizeof(struct store_broadcast_skip));
	part->addresses = g_ptr_array_new_with_free_func(g_free);
}

static void
part_clear(struct part *part)
{
	g_array_unref(part->people);
	g_array_unref(part->skips);
	g_ptr_array_unref(part->addresses);
}

static void
part_fill(struct part *part, const struct store_broadcast *broadcast, const GPtrArray *turns)
{
	for (guint i = 0; i < turns->len; i++) {
		const struct store_broadcast_turn *turn = turns->pdata[i];
		AUTO(mail_address)
		address = turn->email ? mail_address_parse(turn->email, NULL) : NULL;

		bool blocked = address && email_test_address(address->address,
					      broadcast->compat_tests) == TEST_ADDRESS_SUPPRESSED;
		const struct store_broadcast_skip skip = {
		    turn->person_id, blocked ? REASON_SUPPRESSED : REASON_DELETED};

		if (!address || blocked) {
			g_array_append_val(part->skips, skip);
			continue;
		}
		g_array_append_val(part->people, turn->person_id);
		g_ptr_array_add(part->addresses, g_steal_pointer(&address->address));
	}
}

static void
fill_entries(struct leaving *leaving, const struct store_broadcast *broadcast,
    const struct base_id *email, const struct part *part)
{
	leaving->count = part->people->len;
	for (guint i = 0; i < leaving->count; i++) {
		struct store_outbox_entry *entry = &leaving->entries[i];

		*entry = (struct store_outbox_entry){.id = base_id_new(),
		    .workspace_id = broadcast->workspace_id,
		    .email_id = *email,
		    .count = 1,
		    .since = leaving->now,
		    .due_at = leaving->now,
		    .is_test = email_test_address(part->addresses->pdata[i],
				   broadcast->compat_tests) != TEST_ADDRESS_NONE,
		    .is_bulk = true};
		entry->recipients[0] = (guint16)i;
	}
}

static bool
make_part(struct db *db, struct leaving *leaving, const struct store_broadcast *broadcast,
    int variant, const struct part *part, GError **error)
{
	const struct store_broadcast_making making = {broadcast, base_id_new(), variant,
	    leaving->now, (const struct base_id *)(void *)part->people->data,
	    (const char *const *)part->addresses->pdata, part->people->len};

	if (!store_broadcast_part_skip(db, broadcast, variant,
		(const struct store_broadcast_skip *)(void *)part->skips->data, part->skips->len,
		error))
		return false;
	if (making.count == 0)
		return true;
	fill_entries(leaving, broadcast, &making.email_id, part);
	return store_broadcast_part_make(db, &making, error) &&
	       store_outbox_insert(
		   db, leaving->entries, leaving->count, leaving->now, leaving->claim, error);
}

/* Turns that come one by one are taken together, every so many ms, so that there are fewer parts
   than people. */
static gint64
send_step_step_of(const struct store_broadcast *broadcast)
{
	return CLAMP(broadcast->spread / SPREAD_STEPS, 1, SPREAD_STEP_MS);
}

/* Takes recipients of a queue. *found_r: there were some. */
static bool
send_step_take(struct db *db, struct leaving *leaving, const struct store_broadcast *broadcast,
    int queue, bool *found_r, GError **error)
{
	int variant = queue == BROADCAST_REST ? broadcast->winner : queue;
	gint64 step = send_step_step_of(broadcast), until = leaving->now / step * step;
	g_autoptr(GPtrArray) turns =
	    store_broadcast_turns(db, broadcast, queue, until, leaving->limit, error);
	struct part part;

	if (!turns)
		return false;
	*found_r = turns->len > 0;
	if (!*found_r)
		return true;
	if (queue == BROADCAST_REST &&
	    !store_broadcast_count_rest(db, broadcast, variant, turns->len, error))
		return false;
	part_begin(&part);
	part_fill(&part, broadcast, turns);
	bool done = make_part(db, leaving, broadcast, variant, &part, error);
	part_clear(&part);
	return done;
}

/* Reads how many have no final state. Now that the broadcast is locked, whoever records one more
   either has done so, or looks at it after us. */
static bool
count_left(struct db *db, const struct store_broadcast *broadcast, gint64 *left_r, GError **error)
{
	AUTO(store_broadcast)
	now = store_broadcast_get(db, &broadcast->workspace_id, &broadcast->id, error);

	if (!now)
		return false;
	*left_r = now->counts.recipients - now->counts.sent - now->counts.skipped -
		  now->counts.failed - now->counts.cancelled;
	return true;
}

/* Nobody's turn has come: waits for the next one, or ends when all have their final states. */
static bool
send_step_rest(struct db *db, struct leaving *leaving, const struct store_broadcast *broadcast,
    int queues, GError **error)
{
	gint64 next = 0, due, left, step = send_step_step_of(broadcast);
	bool tests;

	if (!count_left(db, broadcast, &left, error))
		return false;
	if (left == 0)
		return store_broadcast_finish(db, broadcast, error);
	if (!broadcast_ab_test_begin(leaving->service, broadcast, leaving->now, &tests, error))
		return false;
	if (tests)
		return true;
	for (int queue = 0; queue <= queues; queue++) {
		if (!store_broadcast_next(db, broadcast, queue, &due, error))
			return false;
		due = (due + step - 1) / step * step;
		if (due && (!next || due < next))
			next = due;
	}
	leaving->worked = false;
	if (!next || next > leaving->now + LOOK_AGAIN_MS)
		next = leaving->now + LOOK_AGAIN_MS;
	return store_broadcast_await(db, broadcast, next, error);
}

static bool
send_some(
    struct db *db, struct leaving *leaving, const struct store_broadcast *broadcast, GError **error)
{
	int queues = broadcast->winner >= 0 ? BROADCAST_REST : BROADCAST_REST - 1;
	bool found = false;

	for (int queue = 0; queue <= queues && !found; queue++)
		if (!send_step_take(db, leaving, broadcast, queue, &found, error))
			return false;
	return found ? store_broadcast_await(db, broadcast, leaving->now, error)
		     : send_step_rest(db, leaving, broadcast, queues, error);
}

static bool
send_step_one(struct db *db, void *context, GError **error)
{
	struct leaving *leaving = context;
	struct store_broadcast *found;

	leaving->count = 0;
	leaving->worked = false;
	if (!store_broadcast_due(db, leaving->now, &found, error))
		return false;
	AUTO(store_broadcast) broadcast = found;
	leaving->worked = found;
	if (!broadcast)
		return true;
	if (broadcast->status == BROADCAST_REMOVED)
		return store_broadcast_sweep(db, broadcast, error);
	if (broadcast->status == BROADCAST_SCHEDULED)
		return broadcast_start_begin(leaving->service, broadcast, error);
	if (broadcast->status == BROADCAST_TESTING)
		return broadcast_ab_test_end(
		    leaving->service, broadcast, leaving->now, &leaving->worked, error);
	if (broadcast->status != BROADCAST_SENDING)
		return store_broadcast_await(db, broadcast, 0, error);
	return broadcast->is_complete ? send_some(db, leaving, broadcast, error)
				      : broadcast_start_step(leaving->service, broadcast, error);
}

bool
broadcast_send_step(struct service *service, const struct store_outbox_claim *claim,
    struct broadcast_step *step, GError **error)
{
	struct leaving leaving = {.service = service,
	    .claim = claim,
	    .entries = step->entries,
	    .limit = step->limit,
	    .now = base_clock_now()};

	if (!db_transact(service->db, send_step_one, &leaving, error))
		return false;
	step->count = leaving.count;
	step->worked = leaving.worked;
	return true;
}

bool
broadcast_is_due(struct service *service)
{
	bool is_due = false;

	return store_broadcast_is_due(service->db, base_clock_now(), &is_due, NULL) && is_due;
}
