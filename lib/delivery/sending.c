/* SPDX-License-Identifier: MIT */
/* Decides for each recipient of a claimed mailing whether it leaves now.

   1. The rules of the workspace and its topics are read, where an email says that there are some;
      an email has those of its broadcast or workflow.
   2. Who is outside the hours waits for the next opening.
   3. The places of all others are locked, in the order of their addresses, and read.
   4. Each takes a place, waits for one, or is skipped, in the order of the messages.
   All is one transaction, behind the one of the claim and fenced by its token. Until it has
   committed, no message is changed, since the transaction may be run again. */
#include "delivery/sending.h"

#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "db/transaction.h"
#include "delivery/message.h"
#include "mail/address.h"
#include "sending/rules.h"
#include "service/metrics.h"
#include "service/service.h"
#include "store/broadcast/recipient.h"
#include "store/email/email.h"
#include "store/outbox/outbox.h"
#include "store/outbox/place.h"
#include "store/outbox/sending.h"

/* A mailing that is being sent may be given back soon: who waits for its place looks again. */
#define LOOK_AGAIN_MS ((gint64)60 * 1000)

/* The fate of a recipient. */
enum candidate_fate {
	CANDIDATE_LEAVES,
	CANDIDATE_WAITS_FOR_HOURS,
	CANDIDATE_WAITS_FOR_PLACE,
	CANDIDATE_IS_SKIPPED
};

/* The rules of a workspace, or of a topic. */
struct rules {
	bool has_topic;
	struct base_id topic_id;
	struct sending_rules rules;
	gint64 capped_since;
};

/* A recipient of a message. */
struct candidate {
	struct delivery_message *message;
	guint16 number;
	char *address; /* as suppressions compare it; owned by the batch */
	enum candidate_fate fate;
	gint64 until;		       /* when it may leave, */
	gint64 due;		       /* and when it is looked at again */
	const struct sending_cap *cap; /* which keeps it back */
};

/* The rules for a message. */
struct governed {
	struct delivery_message *message;
	const struct rules *workspace, *topic; /* NULL: there are none */
	struct sending_own own;
};

/* The messages of one workspace. */
struct batch {
	struct service *service;
	const struct store_outbox_claim *claim;
	const struct base_id *workspace;
	gint64 now;
	GArray *governed;     /* struct governed */
	GArray *rules;	      /* struct rules */
	GArray *candidates;   /* struct candidate, those of one message together */
	GPtrArray *addresses; /* char *, of the candidates */
	GHashTable *zones;    /* address → time zone */
	GPtrArray *places;    /* struct store_place */
	GArray *taken;	      /* struct store_place: those that this batch takes */
	GArray *waits;	      /* struct store_broadcast_wait */
	guint ruled;	      /* the kinds of rules that the workspace has */
};

static void
back_clear(void *data)
{
	struct delivery_back *back = data;

	g_free(back->why);
}

/* Whether rules may keep the message back. A test of a broadcast leaves at once. */
static bool
sending_is_concerned(const struct delivery_message *message)
{
	const struct store_email *email = message->email;

	return email && !message->fault && message->smtp.count > 0 &&
	       store_email_is_mailing(email) && !(email->tracking & TRACK_TEST) &&
	       (email->ruled != 0 || email->sending);
}

static void
sending_batch_clear(struct batch *batch)
{
	g_clear_pointer(&batch->rules, g_array_unref);
	g_clear_pointer(&batch->candidates, g_array_unref);
	g_clear_pointer(&batch->addresses, g_ptr_array_unref);
	g_clear_pointer(&batch->zones, g_hash_table_unref);
	g_clear_pointer(&batch->places, g_ptr_array_unref);
	g_clear_pointer(&batch->taken, g_array_unref);
	g_clear_pointer(&batch->waits, g_array_unref);
}

static void
sending_batch_begin(struct batch *batch)
{
	sending_batch_clear(batch);
	batch->rules = g_array_new(FALSE, TRUE, sizeof(struct rules));
	batch->candidates = g_array_new(FALSE, TRUE, sizeof(struct candidate));
	batch->addresses = g_ptr_array_new_with_free_func(g_free);
	batch->taken = g_array_new(FALSE, TRUE, sizeof(struct store_place));
	batch->waits = g_array_new(FALSE, TRUE, sizeof(struct store_broadcast_wait));
}

static bool
sending_read_rules(struct db *db, struct batch *batch, GError **error)
{
	g_autoptr(GPtrArray) list =
	    batch->ruled ? store_sending_list(db, batch->workspace, error) : NULL;

	if (batch->ruled && !list)
		return false;
	for (guint i = 0; list && i < list->len; i++) {
		const struct store_sending *stored = list->pdata[i];
		struct rules rules = {.has_topic = stored->has_topic,
		    .topic_id = stored->topic_id,
		    .capped_since = stored->capped_since};

		if (!sending_rules_parse(stored->hours, stored->cap, &rules.rules, error))
			return false;
		g_array_append_val(batch->rules, rules);
	}
	return true;
}

static const struct rules *
rules_of(const struct batch *batch, const struct base_id *topic)
{
	for (guint i = 0; i < batch->rules->len; i++) {
		const struct rules *rules = &g_array_index(batch->rules, struct rules, i);

		if (topic ? rules->has_topic && base_id_equal(&rules->topic_id, topic)
			  : !rules->has_topic)
			return rules;
	}
	return NULL;
}

/* Sets the rules of each message, and its recipients. */
static bool
sending_set_rules(struct batch *batch, GError **error)
{
	for (guint i = 0; i < batch->governed->len; i++) {
		struct governed *governed = &g_array_index(batch->governed, struct governed, i);
		const struct delivery_message *message = governed->message;
		const struct store_email *email = message->email;

		governed->workspace = rules_of(batch, NULL);
		governed->topic = email->has_topic ? rules_of(batch, &email->topic_id) : NULL;
		if (!sending_own_parse(email->sending, &governed->own, error))
			return false;
		for (guint r = 0; r < message->entry.count; r++) {
			const struct candidate candidate = {.message = governed->message,
			    .number = message->entry.recipients[r],
			    .address = mail_address_key(message->smtp.recipients[r].address)};

			g_array_append_val(batch->candidates, candidate);
			g_ptr_array_add(batch->addresses, candidate.address);
		}
	}
	return true;
}

/* The hours of a message; NULL: it may leave at any time. */
static const struct sending_hours *
hours_of(const struct governed *governed)
{
	const struct sending_hours *own = &governed->own.hours;

	if (sending_hours_are_set(own))
		return own->is_any ? NULL : own;
	if (governed->topic && sending_hours_are_set(&governed->topic->rules.hours))
		return &governed->topic->rules.hours;
	return governed->workspace && sending_hours_are_set(&governed->workspace->rules.hours)
		   ? &governed->workspace->rules.hours
		   : NULL;
}

static bool
sending_read_zones(struct db *db, struct batch *batch, GError **error)
{
	bool has_hours = false;

	for (guint i = 0; i < batch->governed->len; i++)
		has_hours |= hours_of(&g_array_index(batch->governed, struct governed, i)) != NULL;
	if (!has_hours)
		return true;
	batch->zones = store_sending_zones(db, batch->workspace,
	    (const char *const *)batch->addresses->pdata, batch->addresses->len, error);
	return batch->zones;
}

/* The number of candidates of a message. */
static guint
candidates_of(const struct governed *governed)
{
	return governed->message->entry.count;
}

static void
sending_decide_hours(struct batch *batch)
{
	guint at = 0;

	for (guint i = 0; i < batch->governed->len; i++) {
		const struct governed *governed =
		    &g_array_index(batch->governed, struct governed, i);
		const struct sending_hours *hours = hours_of(governed);

		for (guint r = 0; r < candidates_of(governed); r++, at++) {
			struct candidate *candidate =
			    &g_array_index(batch->candidates, struct candidate, at);
			gint64 opening =
			    hours ? sending_hours_opening(hours,
					g_hash_table_lookup(batch->zones, candidate->address),
					batch->now)
				  : batch->now;
			const struct store_broadcast_wait wait = {governed->message->broadcast.id,
			    governed->message->broadcast.person_id, opening};

			if (opening <= batch->now)
				continue;
			candidate->fate = CANDIDATE_WAITS_FOR_HOURS;
			candidate->until = candidate->due = opening;
			if (governed->message->broadcast.is_set)
				g_array_append_val(batch->waits, wait);
		}
	}
}

static const struct sending_cap *
cap_of(const struct rules *rules)
{
	return rules && rules->rules.cap.mailings > 0 ? &rules->rules.cap : NULL;
}

static bool
is_capped(const struct governed *governed)
{
	return cap_of(governed->workspace) || cap_of(governed->topic);
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The addresses whose places are asked for: sorted, each once. The caller frees the array. */
static GPtrArray *
sending_addresses(const struct batch *batch)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new();
	GPtrArray *different = g_ptr_array_new();
	guint at = 0;

	for (guint i = 0; i < batch->governed->len; i++) {
		const struct governed *governed =
		    &g_array_index(batch->governed, struct governed, i);

		for (guint r = 0; r < candidates_of(governed); r++, at++) {
			const struct candidate *candidate =
			    &g_array_index(batch->candidates, struct candidate, at);

			if (is_capped(governed) && candidate->fate == CANDIDATE_LEAVES)
				g_ptr_array_add(all, candidate->address);
		}
	}
	g_ptr_array_sort(all, by_text);
	for (guint i = 0; i < all->len; i++)
		if (i == 0 || strcmp(all->pdata[i], all->pdata[i - 1]) != 0)
			g_ptr_array_add(different, all->pdata[i]);
	return different;
}

static gint64
longest_of(const struct batch *batch)
{
	gint64 longest = 0;

	for (guint i = 0; i < batch->rules->len; i++)
		longest = MAX(longest,
		    sending_cap_length(&g_array_index(batch->rules, struct rules, i).rules.cap));
	return longest;
}

/* Locks and reads the places of all who may leave. */
static bool
sending_read_places(struct db *db, struct batch *batch, GError **error)
{
	g_autoptr(GPtrArray) addresses = sending_addresses(batch);
	const char *const *list = (const char *const *)addresses->pdata;

	if (addresses->len == 0)
		return true;
	if (!store_place_lock(db, batch->workspace, list, addresses->len, batch->now, error))
		return false;
	batch->places = store_place_list(
	    db, batch->workspace, list, addresses->len, batch->now - longest_of(batch), error);
	return batch->places;
}

static int
by_time(const void *a, const void *b)
{
	gint64 one = *(const gint64 *)a, other = *(const gint64 *)b;

	return (one > other) - (one < other);
}

/* Whether a place counts for the cap of these rules, and is not the candidate's own. */
static bool
place_counts(
    const struct store_place *place, const struct rules *rules, const struct candidate *candidate)
{
	return strcmp(place->address, candidate->address) == 0 &&
	       !base_id_equal(&place->entry_id, &candidate->message->entry.id) &&
	       (!rules->has_topic ||
		   (place->has_topic && base_id_equal(&place->topic_id, &rules->topic_id))) &&
	       (place->sent == 0 || place->sent >= rules->capped_since);
}

/* Adds the time at which a place is free again. */
static void
add_end(const struct store_place *place, const struct rules *rules, gint64 now, GArray *ends,
    guint *under_way)
{
	gint64 end =
	    (place->sent ? place->sent : place->taken) + sending_cap_length(&rules->rules.cap);

	if (place->sent && end <= now)
		return;
	*under_way += !place->sent;
	g_array_append_val(ends, end);
}

/* When the cap of these rules has a place for the candidate; now: it has one. *soon_r: it has one
   before, if a mailing that is being sent now gives its place back. */
static gint64
place_free_at(const struct batch *batch, const struct rules *rules,
    const struct candidate *candidate, bool *soon_r)
{
	g_autoptr(GArray) ends = g_array_new(FALSE, FALSE, sizeof(gint64));
	gint64 most = rules->rules.cap.mailings;
	guint under_way = 0;

	for (guint i = 0; i < batch->places->len; i++)
		if (place_counts(batch->places->pdata[i], rules, candidate))
			add_end(batch->places->pdata[i], rules, batch->now, ends, &under_way);
	for (guint i = 0; i < batch->taken->len; i++) {
		const struct store_place *place =
		    &g_array_index(batch->taken, struct store_place, i);

		if (place_counts(place, rules, candidate))
			add_end(place, rules, batch->now, ends, &under_way);
	}
	*soon_r = ends->len - under_way < most;
	if (ends->len < most)
		return batch->now;
	base_array_sort(ends->data, ends->len, sizeof(gint64), by_time);
	return MAX(g_array_index(ends, gint64, ends->len - (guint)most), batch->now + 1);
}

/* When the wait for a place begins: when the mailing was accepted, or was to leave. */
static gint64
wait_begin(const struct delivery_message *message)
{
	if (message->broadcast.is_set)
		return message->broadcast.due;
	return message->email->scheduled_at ? message->email->scheduled_at
					    : message->email->created;
}

/* Asks one cap; a later one that keeps the candidate back longer decides. */
static void
sending_ask(const struct batch *batch, const struct governed *governed, const struct rules *rules,
    struct candidate *candidate, bool *soon)
{
	const struct sending_cap *cap = cap_of(rules);
	bool is_soon;

	if (!cap || candidate->fate == CANDIDATE_IS_SKIPPED)
		return;
	gint64 free = place_free_at(batch, rules, candidate, &is_soon);
	if (free <= batch->now)
		return;
	if (free > wait_begin(governed->message) + cap->wait || cap->wait == 0) {
		candidate->fate = CANDIDATE_IS_SKIPPED;
		candidate->cap = cap;
		return;
	}
	*soon = (candidate->fate == CANDIDATE_LEAVES || *soon) && is_soon;
	candidate->fate = CANDIDATE_WAITS_FOR_PLACE;
	if (free <= candidate->until)
		return;
	candidate->until = free;
	candidate->cap = cap;
}

/* Takes a place, in the memory of the batch. */
static void
sending_take(
    struct batch *batch, const struct governed *governed, const struct candidate *candidate)
{
	const struct store_email *email = governed->message->email;
	const struct store_place place = {.address = candidate->address,
	    .email_id = governed->message->entry.email_id,
	    .entry_id = governed->message->entry.id,
	    .has_topic = email->has_topic,
	    .topic_id = email->topic_id,
	    .taken = batch->now};

	g_array_append_val(batch->taken, place);
}

/* Decides for a candidate of a message with a cap, which is inside its hours. */
static void
sending_decide_place(
    struct batch *batch, const struct governed *governed, struct candidate *candidate)
{
	bool soon = false;

	if (!governed->own.ignores_cap) {
		sending_ask(batch, governed, governed->workspace, candidate, &soon);
		sending_ask(batch, governed, governed->topic, candidate, &soon);
	}
	if (candidate->fate == CANDIDATE_LEAVES)
		sending_take(batch, governed, candidate);
	if (candidate->fate != CANDIDATE_WAITS_FOR_PLACE)
		return;
	gint64 delay = sending_priority_delay(governed->own.priority);
	candidate->until += delay;
	if (hours_of(governed))
		candidate->until = sending_hours_opening(hours_of(governed),
		    g_hash_table_lookup(batch->zones, candidate->address), candidate->until);
	/* They look again by priority, too: by then all may be due, and the first gets the place.
	 */
	candidate->due =
	    soon ? MIN(candidate->until, batch->now + LOOK_AGAIN_MS + delay) : candidate->until;
}

static void
sending_decide_caps(struct batch *batch)
{
	guint at = 0;

	for (guint i = 0; i < batch->governed->len; i++) {
		const struct governed *governed =
		    &g_array_index(batch->governed, struct governed, i);

		for (guint r = 0; r < candidates_of(governed); r++, at++) {
			struct candidate *candidate =
			    &g_array_index(batch->candidates, struct candidate, at);

			if (is_capped(governed) && candidate->fate == CANDIDATE_LEAVES)
				sending_decide_place(batch, governed, candidate);
		}
	}
}

static bool
decide(struct db *db, void *context, GError **error)
{
	struct batch *batch = context;

	sending_batch_begin(batch);
	if (!sending_read_rules(db, batch, error) || !sending_set_rules(batch, error) ||
	    !sending_read_zones(db, batch, error))
		return false;
	sending_decide_hours(batch);
	if (!sending_read_places(db, batch, error))
		return false;
	sending_decide_caps(batch);
	return store_place_take(db, batch->workspace, batch->claim->token,
		   (const struct store_place *)(void *)batch->taken->data, batch->taken->len,
		   error) &&
	       store_broadcast_put_off(db,
		   (const struct store_broadcast_wait *)(void *)batch->waits->data,
		   batch->waits->len, error);
}

/* Why a candidate does not leave. The caller owns it. */
static char *
sending_why(const struct candidate *candidate)
{
	g_autofree char *cap = NULL;
	char time[CLOCK_ISO_SIZE];

	if (candidate->fate == CANDIDATE_WAITS_FOR_HOURS)
		return sending_hours_text(candidate->until);
	cap = sending_cap_text(candidate->cap);
	return candidate->fate == CANDIDATE_IS_SKIPPED
		   ? g_steal_pointer(&cap)
		   : g_strdup_printf(
			 "%s, may leave from %s", cap, base_clock_format(candidate->until, time));
}

static void
sending_count(const struct candidate *candidate)
{
	if (candidate->fate == CANDIDATE_IS_SKIPPED)
		service_metrics_add(METRIC_MAILINGS_SKIPPED, 1, "cap", NULL);
	else if (candidate->fate != CANDIDATE_LEAVES)
		service_metrics_add(METRIC_MAILINGS_HELD, 1,
		    candidate->fate == CANDIDATE_WAITS_FOR_HOURS ? "hours" : "cap", NULL);
}

/* Takes the recipients out of a message that do not leave now. */
static void
sending_apply(
    const struct batch *batch, struct delivery_message *message, const struct candidate *candidates)
{
	guint count = message->entry.count;
	g_autofree bool *marked = g_new0(bool, count);
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct delivery_back));

	g_array_set_clear_func(all, back_clear);
	for (guint i = 0; i < count; i++) {
		const struct candidate *candidate = &candidates[i];
		bool is_skipped = candidate->fate == CANDIDATE_IS_SKIPPED;

		sending_count(candidate);
		marked[i] = candidate->fate != CANDIDATE_LEAVES;
		if (!marked[i])
			continue;
		const struct delivery_back back = {
		    candidate->number, is_skipped ? 0 : candidate->due, sending_why(candidate)};
		g_array_append_val(all, back);
		if (is_skipped)
			message->broadcast.reason = REASON_CAP;
	}
	message->back = all;
	delivery_message_take_out(batch->service, message, marked);
}

static void
sending_run(struct batch *batch)
{
	g_autoptr(GError) fault = NULL;
	guint at = 0;

	batch->now = base_clock_now();
	bool done = service_ensure(batch->service, &fault) &&
		    db_transact(batch->service->db, decide, batch, &fault);
	for (guint i = 0; i < batch->governed->len; i++) {
		struct delivery_message *message =
		    g_array_index(batch->governed, struct governed, i).message;
		guint count = message->entry.count;

		if (done)
			sending_apply(batch, message,
			    &g_array_index(batch->candidates, struct candidate, at));
		else
			message->fault = g_error_copy(fault);
		at += count;
	}
	sending_batch_clear(batch);
}

/* Moves the messages of the first one's workspace into a batch. */
static void
sending_gather(struct batch *batch, GPtrArray *concerned)
{
	const struct delivery_message *first = concerned->pdata[0];

	batch->workspace = &first->email->workspace_id;
	for (guint i = 0; i < concerned->len;) {
		struct governed governed = {.message = concerned->pdata[i]};

		if (!base_id_equal(&governed.message->email->workspace_id, batch->workspace)) {
			i++;
			continue;
		}
		batch->ruled |= governed.message->email->ruled;
		g_array_append_val(batch->governed, governed);
		g_ptr_array_remove_index(concerned, i);
	}
}

void
delivery_sending_hold(
    struct service *service, const struct store_outbox_claim *claim, GPtrArray *messages)
{
	g_autoptr(GPtrArray) concerned = g_ptr_array_new();

	for (guint i = 0; i < messages->len; i++)
		if (sending_is_concerned(messages->pdata[i]))
			g_ptr_array_add(concerned, messages->pdata[i]);
	while (concerned->len > 0) {
		struct batch batch = {.service = service,
		    .claim = claim,
		    .governed = g_array_new(FALSE, TRUE, sizeof(struct governed))};

		sending_gather(&batch, concerned);
		sending_run(&batch);
		g_array_unref(batch.governed);
	}
}
