/* SPDX-License-Identifier: MIT */
/* Reads the deliveries of a leased webhook, keeps their order, and records what became of them.

   The events of one email must arrive in their order, and a webhook that fails must rest as a
   whole. Both are simple when one process at a time sends to a webhook. So the lease is on the
   webhook and not on its deliveries: a delivery costs no write before it is sent, and its order is
   kept in memory.
   1. webhook/send.c finds a webhook with something due, and writes owner, token and end of the
      lease into its row.
   2. refill reads due deliveries in pages. A delivery that is in hand is not taken twice. A page
      begins LATE_MS back, since an event may be committed later than its time says.
   3. line_up lets the first attempt of a delivery wait for that of the email's earlier one. A
      webhook with batches gets several events in one request; the batch is stored before it is
      sent, so that a retry has the same members and id.
   4. lease_dispatch hands requests to the poster: many at once while the webhook works, one at a
      time after a failure.
   5. webhook_lease_record writes the results in one transaction, which locks the webhook by its
      token, counts failures, sets the time of rest, switches it off or not, and renews the lease,
      or ends it when nothing is left.

   A process that dies leaves its lease. Another one takes the webhook when the lease ends, or at
   once if the journal shows that the owner has ended, and sends again what was not recorded, under
   the same ids. A delivery thus arrives at least once. A process whose lease was taken finds no row
   with its token: it records nothing, and gives the webhook up (lost). */
#include "webhook/lease.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fault.h"
#include "base/limits/webhook.h"
#include "db/transaction.h"
#include "fetch/post.h"
#include "service/journal.h"
#include "service/metrics.h"
#include "service/service.h"
#include "webhook/batch.h"
#include "webhook/notice.h"
#include "webhook/schedule.h"

#define PAGE 250      /* deliveries that are read at once, */
#define LOW_WATER 250 /* when there are fewer */
#define AHEAD 250     /* handed over before the connections are free */

/* Rows may be committed in front of deliveries that were read already, since the time of an event
   is that before its COMMIT. Pages begin at least so far back. */
#define LATE_MS 10000

static GBytes *
lease_key_of(const struct base_id *id)
{
	return g_bytes_new(id, sizeof(*id));
}

static GHashTable *
new_table(GDestroyNotify free_value)
{
	return g_hash_table_new_full(
	    g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, free_value);
}

static bool
holds_key(GHashTable *table, const struct base_id *id)
{
	g_autoptr(GBytes) key = lease_key_of(id);

	return g_hash_table_contains(table, key);
}

static void
forget_key(GHashTable *table, const struct base_id *id)
{
	g_autoptr(GBytes) key = lease_key_of(id);

	g_hash_table_remove(table, key);
}

static void
forget_keys(struct webhook_lease *hold)
{
	for (guint i = 0; i < G_N_ELEMENTS(hold->keys); i++)
		g_clear_pointer(&hold->keys[i], g_bytes_unref);
	hold->key_count = 0;
}

void
webhook_lease_free(struct webhook_lease *hold)
{
	forget_keys(hold);
	store_webhook_state_free(hold->state);
	g_free(hold->host);
	fetch_lane_free(hold->lane);
	g_hash_table_unref(hold->in_hand);
	g_hash_table_unref(hold->last);
	g_queue_clear(&hold->ready);
	g_queue_clear(&hold->loose);
	g_ptr_array_unref(hold->done);
	g_ptr_array_unref(hold->waiting);
	g_free(hold);
}

bool
webhook_lease_renew(struct webhook_lease *hold, struct store_webhook_state *state, GError **error)
{
	if (state) {
		bool moved = strcmp(hold->state->url, state->url) != 0;

		store_webhook_state_free(hold->state);
		hold->state = state;
		hold->ended = hold->ended || !state->enabled || moved;
	}
	forget_keys(hold);
	return webhook_batch_keys(
	    hold->means->service, hold->state, hold->keys, &hold->key_count, error);
}

struct webhook_lease *
webhook_lease_new(
    const struct webhook_means *means, struct store_webhook_state *state, gint64 token)
{
	struct webhook_lease *hold = g_new0(struct webhook_lease, 1);

	hold->means = means;
	hold->state = state;
	hold->token = token;
	hold->host = fetch_post_host(state->url);
	if (!hold->host)
		hold->host = g_strdup("");
	hold->lane = fetch_lane_new(hold->host);
	hold->failures = state->failures;
	hold->slow = state->slow;
	hold->since = base_clock_boot();
	hold->in_hand = new_table(NULL);
	hold->last = new_table(NULL);
	hold->waiting = g_ptr_array_new_with_free_func(webhook_batch_destroy);
	hold->done = g_ptr_array_new();
	g_queue_init(&hold->ready);
	g_queue_init(&hold->loose);
	return hold;
}

static int
compare_units(const void *a, const void *b, void *context)
{
	const struct webhook_batch *left = a, *right = b;

	return left->number < right->number ? -1 : left->number > right->number;
}

static void
make_ready(struct webhook_lease *hold, struct webhook_batch *unit)
{
	const struct webhook_batch *last = g_queue_peek_tail(&hold->ready);

	if (!last || last->number < unit->number)
		g_queue_push_tail(&hold->ready, unit);
	else
		g_queue_insert_sorted(&hold->ready, unit, compare_units, NULL);
}

/* A unit that has had no attempt waits for the email's earlier one. */
static void
line_up(struct webhook_lease *hold, struct webhook_batch *unit)
{
	const struct store_delivery *delivery =
	    &g_array_index(unit->entries, struct webhook_entry, 0).delivery;

	if (unit->has_batch || !delivery->has_email || delivery->attempts > 0) {
		make_ready(hold, unit);
		return;
	}
	GBytes *key = lease_key_of(&delivery->email_id);
	struct webhook_batch *earlier = g_hash_table_lookup(hold->last, key);
	if (earlier)
		earlier->next = unit;
	else
		make_ready(hold, unit);
	g_hash_table_replace(hold->last, key, unit);
}

/* The unit's attempt has ended. */
static void
let_next_go(struct webhook_lease *hold, struct webhook_batch *unit)
{
	const struct store_delivery *delivery =
	    &g_array_index(unit->entries, struct webhook_entry, 0).delivery;
	g_autoptr(GBytes) key = lease_key_of(&delivery->email_id);

	if (unit->next)
		make_ready(hold, g_steal_pointer(&unit->next));
	else if (g_hash_table_lookup(hold->last, key) == unit)
		g_hash_table_remove(hold->last, key);
}

static struct webhook_batch *
add_unit(struct webhook_lease *hold)
{
	struct webhook_batch *unit = webhook_batch_new();

	unit->number = ++hold->number;
	g_ptr_array_add(hold->waiting, unit);
	return unit;
}

static void
add_delivery(
    struct webhook_lease *hold, struct webhook_batch *unit, const struct store_delivery *delivery)
{
	webhook_batch_add(unit, delivery);
	g_hash_table_add(hold->in_hand, lease_key_of(&delivery->id));
}

/* Makes a unit of what was sent together before. */
static bool
read_batch(struct webhook_lease *hold, const struct store_delivery *delivery, GPtrArray *units,
    GError **error)
{
	g_autoptr(GArray) members = store_webhook_batch(
	    hold->means->service->db, &hold->state->id, &delivery->batch_id, error);

	if (!members)
		return false;
	struct webhook_batch *unit = add_unit(hold);
	unit->has_batch = true;
	unit->batch_id = delivery->batch_id;
	for (guint i = 0; i < members->len; i++)
		add_delivery(hold, unit, &g_array_index(members, struct store_delivery, i));
	if (members->len == 0)
		add_delivery(hold, unit, delivery);
	g_ptr_array_add(units, unit);
	return true;
}

/* Makes units of deliveries that are not in hand. */
static bool
add_page(struct webhook_lease *hold, const GArray *page, GPtrArray *units, GError **error)
{
	for (guint i = 0; i < page->len; i++) {
		const struct store_delivery *delivery =
		    &g_array_index(page, struct store_delivery, i);

		if (holds_key(hold->in_hand, &delivery->id))
			continue;
		if (delivery->has_batch) {
			if (!read_batch(hold, delivery, units, error))
				return false;
			continue;
		}
		struct webhook_batch *unit = add_unit(hold);
		add_delivery(hold, unit, delivery);
		g_ptr_array_add(units, unit);
	}
	return true;
}

static void
go_on_behind(struct webhook_lease *hold, const GArray *page)
{
	gint64 late = base_clock_now() - LATE_MS;
	const struct store_delivery *last =
	    page->len > 0 ? &g_array_index(page, struct store_delivery, page->len - 1) : NULL;

	if (last)
		hold->place = (struct store_webhook_place){
		    .next_attempt = last->next_attempt, .id = last->id};
	if (hold->place.next_attempt > late)
		hold->place = (struct store_webhook_place){.next_attempt = MAX(late, 0)};
}

/* Reads deliveries when few are left. */
static bool
refill(struct webhook_lease *hold, GError **error)
{
	if (hold->ended || hold->lost || hold->exhausted ||
	    hold->ready.length + hold->loose.length >= LOW_WATER)
		return true;
	g_autoptr(GPtrArray) units = g_ptr_array_new();
	guint limit = PAGE + g_hash_table_size(hold->in_hand);
	g_autoptr(GArray) page = store_webhook_page(hold->means->service->db, &hold->state->id,
	    &hold->place, base_clock_now(), limit, error);
	if (!page || !add_page(hold, page, units, error) ||
	    !webhook_batch_load(hold->means->service, hold->state, units, error))
		return false;
	hold->exhausted = page->len < limit;
	go_on_behind(hold, page);
	for (guint i = 0; i < units->len; i++) {
		struct webhook_batch *unit = units->pdata[i];

		if (hold->state->batch && !unit->has_batch)
			g_queue_push_tail(&hold->loose, unit);
		else
			line_up(hold, unit);
	}
	return true;
}

struct batching {
	struct webhook_lease *hold;
	const struct webhook_batch *unit;
	bool held;
};

static bool
lease_store_batch(struct db *db, void *context, GError **error)
{
	struct batching *batching = context;
	const struct webhook_lease *hold = batching->hold;
	const GArray *entries = batching->unit->entries;
	AUTO(store_webhook_state) state = NULL;
	struct store_delivery deliveries[LIMIT_WEBHOOK_BATCH];

	if (!store_webhook_lock(db, &hold->state->id, hold->token, &state, error))
		return false;
	batching->held = state != NULL;
	for (guint i = 0; i < entries->len; i++)
		deliveries[i] = g_array_index(entries, struct webhook_entry, i).delivery;
	return !state || store_webhook_batch_make(
			     db, state, &batching->unit->batch_id, deliveries, entries->len, error);
}

/* Puts the oldest loose deliveries into one unit, which is then ready. */
static bool
make_batch(struct webhook_lease *hold, GError **error)
{
	struct webhook_batch *batch = add_unit(hold), *loose;

	batch->has_batch = true;
	batch->batch_id = base_id_new();
	while (
	    batch->entries->len < LIMIT_WEBHOOK_BATCH && (loose = g_queue_pop_head(&hold->loose))) {
		struct webhook_entry *entry =
		    &g_array_index(loose->entries, struct webhook_entry, 0);

		entry->delivery.batch_id = batch->batch_id;
		entry->delivery.has_batch = true;
		g_array_append_vals(batch->entries, entry, 1);
		entry->payload = NULL;
		g_ptr_array_remove_fast(hold->waiting, loose);
	}
	struct batching batching = {hold, batch, false};
	if (!db_transact(hold->means->service->db, lease_store_batch, &batching, error))
		return false;
	FAULT("webhook-batch");
	hold->lost = hold->lost || !batching.held;
	g_queue_push_tail(&hold->ready, batch);
	return true;
}

/* The number of requests that may be with the poster, and how many of them under way. */
static guint
ahead_of(const struct webhook_lease *hold, guint *width_r)
{
	bool careful = hold->failures > 0 || (hold->slow && !hold->proven);
	const struct webhook_batch *next = g_queue_peek_head((GQueue *)&hold->ready);

	*width_r = careful ? 1 : MIN(hold->means->host_connections, WEBHOOK_FAILURES);
	if (careful || hold->state->batch || (next && next->has_batch))
		return 1;
	return hold->slow ? *width_r : AHEAD;
}

static void
note_done(struct webhook_lease *hold, struct webhook_batch *unit)
{
	if (hold->done->len == 0)
		hold->done_since = base_clock_boot();
	g_ptr_array_add(hold->done, unit);
}

static void
send_unit(struct webhook_lease *hold, struct webhook_batch *unit, guint width)
{
	struct fetch_post *post =
	    webhook_batch_post(unit, hold->state, hold->keys, hold->key_count);

	if (!post) {
		let_next_go(hold, unit);
		note_done(hold, unit);
		return;
	}
	post->lane = hold->lane;
	post->generation = hold->generation;
	post->width = width;
	post->slow = hold->slow;
	hold->under_way++;
	fetch_poster_send(hold->means->poster, post);
}

/* Hands over as many requests as may be. */
static bool
lease_dispatch(struct webhook_lease *hold, GError **error)
{
	guint width;

	while (!hold->ended && !hold->lost) {
		if (hold->under_way >= ahead_of(hold, &width))
			return true;
		if (hold->ready.length == 0 && hold->loose.length > 0 && !make_batch(hold, error))
			return false;
		/* A batch that is not stored must not go: another process makes one of its own. */
		if (hold->lost)
			return true;
		struct webhook_batch *unit = g_queue_pop_head(&hold->ready);
		if (!unit)
			return true;
		send_unit(hold, unit, width);
	}
	return true;
}

void
webhook_lease_take(struct webhook_lease *hold, const struct fetch_post *post)
{
	struct webhook_batch *unit = post->context;

	hold->under_way--;
	if (post->halted && post->generation >= hold->generation)
		hold->generation = post->generation + 1;
	if (post->unsent) {
		make_ready(hold, unit);
		return;
	}
	FAULT("webhook-answer");
	webhook_batch_end(unit, post);
	bool succeeded = webhook_batch_succeeded(unit);
	hold->failures = succeeded ? 0 : hold->failures + 1;
	hold->slow = post->halted;
	hold->proven = succeeded;
	hold->ended = hold->ended || hold->failures >= WEBHOOK_FAILURES ||
		      (!succeeded && post->status == 410);
	let_next_go(hold, unit);
	note_done(hold, unit);
}

bool
webhook_lease_is_over(const struct webhook_lease *hold)
{
	return hold->under_way == 0 &&
	       (hold->ended || hold->lost ||
		   (hold->exhausted && hold->ready.length == 0 && hold->loose.length == 0));
}

/* Applies an outcome to the webhook. *failing: it is to be switched off now. */
static void
lease_apply(struct store_webhook_state *state, const struct webhook_batch *unit, bool *failing)
{
	if (unit->lost)
		return;
	if (webhook_batch_succeeded(unit)) {
		state->failures = 0;
		state->failing_since = state->rest_until = 0;
		return;
	}
	state->failures++;
	if (state->failing_since == 0)
		state->failing_since = unit->attempt.timestamp;
	if (webhook_rest(state->failures) > 0)
		state->rest_until = unit->ended + webhook_rest(state->failures);
	if (!state->enabled)
		return;
	*failing = unit->attempt.status != 410 &&
		   unit->attempt.timestamp - state->failing_since >= WEBHOOK_FAILING_MS;
	if (unit->attempt.status == 410 || *failing) {
		state->enabled = false;
		state->reason = *failing ? WEBHOOK_FAILING : WEBHOOK_GONE;
	}
}

struct recording {
	struct webhook_lease *hold;
	struct store_webhook_state *state; /* NULL: the lease is lost */
	GError *trouble;
};

static bool
record_results(struct db *db, void *context, GError **error)
{
	struct recording *recording = context;
	struct webhook_lease *hold = recording->hold;
	struct service *service = hold->means->service;
	const struct store_webhook_lease lease = {service_journal_owner(service->process->journal),
	    hold->token, base_clock_now() + WEBHOOK_LEASE_MS};
	bool failing = false;

	g_clear_error(&recording->trouble);
	g_clear_pointer(&recording->state, store_webhook_state_free);
	if (!store_webhook_lock(db, &hold->state->id, hold->token, &recording->state, error))
		return false;
	if (!recording->state)
		return true;
	for (guint i = 0; i < hold->done->len; i++)
		lease_apply(recording->state, hold->done->pdata[i], &failing);
	recording->state->slow = hold->slow;
	if (!webhook_batch_store(service, recording->state, hold->done, error) ||
	    (failing && !webhook_notice(service, recording->state, &recording->trouble, error)))
		return false;
	return store_webhook_keep(
	    db, recording->state, webhook_lease_is_over(hold) ? NULL : &lease, error);
}

/* Forgets the units that are recorded. */
static void
clear_done(struct webhook_lease *hold)
{
	for (guint i = 0; i < hold->done->len; i++) {
		struct webhook_batch *unit = hold->done->pdata[i];

		service_metrics_add(METRIC_WEBHOOK_DELIVERIES, unit->entries->len,
		    webhook_batch_succeeded(unit) ? "ok" : "failed", NULL);
		for (guint j = 0; j < unit->entries->len; j++)
			forget_key(hold->in_hand,
			    &g_array_index(unit->entries, struct webhook_entry, j).delivery.id);
		g_ptr_array_remove_fast(hold->waiting, unit);
	}
	g_ptr_array_set_size(hold->done, 0);
}

bool
webhook_lease_record(struct webhook_lease *hold, GError **trouble_r, GError **error)
{
	struct recording recording = {hold, NULL, NULL};
	g_autoptr(GError) fault = NULL;
	bool recorded = db_transact(hold->means->service->db, record_results, &recording, &fault);

	FAULT("webhook-recorded");
	if (!recorded)
		g_clear_pointer(&recording.state, store_webhook_state_free);
	*trouble_r = recording.trouble;
	if (g_error_matches(fault, PH_ERROR, PH_ERROR_TEMPORARY)) {
		g_propagate_error(error, g_steal_pointer(&fault));
		return false;
	}
	clear_done(hold);
	hold->lost = hold->lost || !recording.state;
	if (recording.state && !webhook_lease_renew(hold, recording.state, &fault))
		hold->ended = true;
	if (fault) {
		g_clear_error(trouble_r);
		*trouble_r = g_steal_pointer(&fault);
	}
	return true;
}

bool
webhook_lease_serve(struct webhook_lease *hold, GError **error)
{
	return refill(hold, error) && lease_dispatch(hold, error);
}
