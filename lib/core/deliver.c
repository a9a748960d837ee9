/* One attempt at delivering a batch: composing, sending and recording side by side. */
#include "core/deliver.h"

#include "base/clock.h"
#include "base/fault.h"
#include "base/secret.h"
#include "base/settings.h"
#include "core/core.h"
#include "core/journal.h"
#include "core/parcel.h"
#include "core/record.h"
#include "core/slot.h"
#include "smtp/session.h"

#define AHEAD 4			      /* messages that are composed before the relay wants them, */
#define AHEAD_BYTES (8 * 1024 * 1024) /* as long as they are not larger than this */
#define RECORD_COUNT 20		      /* results are recorded when there are so many, */
#define RECORD_MS 1000		      /* or after this time */
#define RECORD_TRIES 5
#define TICK_MS 200

struct delivery {
	struct core *core;
	struct claim claim;
	GPtrArray *parcels;	       /* all; those that cannot be sent are only recorded */
	GPtrArray *sendable;	       /* the others, */
	struct smtp_message *messages; /* and what the session sees of them */
	struct slot *slot;	       /* of the session; the thread's */
	GThread *thread;
	GAsyncQueue
	    *results; /* of struct parcel; the delivery itself says that the session is over */
	GError *session_fault; /* why no session could be had; the thread's until it is over */
	GError *record_fault;  /* why the last results could not be recorded */

	guint composed;	       /* sendable ones up to here have been */
	GPtrArray *unrecorded; /* parcels whose outcome is known */
	gint64 record_at;      /* on base_clock_boot */
	bool over;	       /* the session */
	bool finished;	       /* and what it left behind */
	gint64 renew_at;       /* on base_clock_boot */

	GMutex mutex; /* guards what follows, and content and fault of the parcels */
	GCond changed;
	struct smtp_session *session; /* the one that runs, NULL when none does */
	bool interrupted;
	gint64 lease_end; /* on base_clock_boot: nothing is sent after it */
	guint taken;	  /* sendable ones up to here the session has got */
	gsize ahead_bytes;
};

struct claim
core_deliver_claim(const struct core *core)
{
	struct claim claim = {.owner = core_journal_owner(core->journal)};

	base_secret_random(&claim.token, sizeof(claim.token));
	claim.until =
	    base_clock_now() + base_settings_number(core->settings, SETTING_SPOOL_LEASE) * 1000;
	return claim;
}

/* The session's thread. */

/* Waits until the relay's rate allows another message; false when the session is to end. */
static bool
await_turn(struct delivery *delivery)
{
	gint64 end = g_get_monotonic_time() + core_slot_wait(delivery->slot) * 1000;
	bool go_on;

	g_mutex_lock(&delivery->mutex);
	while (!delivery->interrupted && g_get_monotonic_time() < end)
		g_cond_wait_until(&delivery->changed, &delivery->mutex, end);
	go_on = !delivery->interrupted;
	g_mutex_unlock(&delivery->mutex);
	return go_on;
}

static GBytes *
on_content(struct smtp_message *message, void *context)
{
	struct delivery *delivery = context;
	struct parcel *parcel = message->context;
	GBytes *content = NULL;

	if (!await_turn(delivery))
		return NULL;
	g_mutex_lock(&delivery->mutex);
	delivery->taken = MAX(delivery->taken, (guint)(message - delivery->messages) + 1);
	while (!parcel->content && !parcel->fault)
		g_cond_wait(&delivery->changed, &delivery->mutex);
	if (parcel->content)
		content = g_bytes_ref(parcel->content);
	g_mutex_unlock(&delivery->mutex);
	return content;
}

static bool
on_before_dot(struct smtp_message *message, void *context)
{
	struct delivery *delivery = context;
	const struct parcel *parcel = message->context;

	g_mutex_lock(&delivery->mutex);
	bool ours = base_clock_boot() < delivery->lease_end;
	g_mutex_unlock(&delivery->mutex);
	return ours && core_journal_data(
			   delivery->core->journal, &parcel->copy.id, delivery->claim.token, NULL);
}

static void
on_done(struct smtp_message *message, void *context)
{
	struct delivery *delivery = context;
	struct parcel *parcel = message->context;

	FAULT("reply");
	parcel->finished = base_clock_now();
	/* Should it not be written, what is recorded in a moment counts; a crash before that leaves
	 * the message uncertain. */
	core_journal_done(delivery->core->journal, &parcel->copy.id, delivery->claim.token,
	    parcel->finished, message, parcel->copy.recipients, NULL);
	g_async_queue_push(delivery->results, parcel);
}

/* Makes session the one that can be interrupted; false when it is too late for another. */
static bool
announce(struct delivery *delivery, struct smtp_session *session)
{
	g_mutex_lock(&delivery->mutex);
	bool welcome = !delivery->interrupted;
	delivery->session = welcome ? session : NULL;
	g_mutex_unlock(&delivery->mutex);
	return welcome;
}

/* One session with the slot's relay; false when it could not be had. */
static bool
attempt(struct delivery *delivery)
{
	static const struct smtp_callbacks callbacks = {on_content, on_before_dot, on_done};
	AUTO(smtp_session)
	session = smtp_session_new(core_slot_relay(delivery->slot), &callbacks, delivery);
	bool had = true;

	if (announce(delivery, session)) {
		g_clear_error(&delivery->session_fault);
		had = smtp_session_run(
		    session, delivery->messages, delivery->sendable->len, &delivery->session_fault);
		announce(delivery, NULL);
	}
	if (!had)
		core_slot_rest(delivery->slot);
	return had;
}

static void *
run(void *context)
{
	struct delivery *delivery = context;

	while (delivery->slot) {
		bool had = delivery->sendable->len == 0 || attempt(delivery);
		guint next = core_slot_index(delivery->slot) + 1;

		g_clear_pointer(&delivery->slot, core_slot_free);
		if (!had)
			delivery->slot = core_slot_take(delivery->core->settings, next, NULL);
	}
	g_async_queue_push(delivery->results, delivery);
	return NULL;
}

/* The caller's thread. */

static void
compose_next(struct delivery *delivery)
{
	struct parcel *parcel = delivery->sendable->pdata[delivery->composed++];
	GError *fault = NULL;
	GBytes *content = core_ensure(delivery->core, &fault)
			      ? core_parcel_compose(delivery->core, parcel, &fault)
			      : NULL;

	g_mutex_lock(&delivery->mutex);
	parcel->content = content;
	parcel->fault = fault;
	if (content)
		delivery->ahead_bytes += g_bytes_get_size(content);
	g_cond_broadcast(&delivery->changed);
	g_mutex_unlock(&delivery->mutex);
}

static bool
may_compose(struct delivery *delivery)
{
	if (delivery->composed == delivery->sendable->len)
		return false;
	g_mutex_lock(&delivery->mutex);
	bool may =
	    delivery->taken > delivery->composed ||
	    (delivery->composed < delivery->taken + AHEAD && delivery->ahead_bytes < AHEAD_BYTES);
	g_mutex_unlock(&delivery->mutex);
	return may;
}

static void
forget_content(struct delivery *delivery, struct parcel *parcel)
{
	g_mutex_lock(&delivery->mutex);
	if (parcel->content)
		delivery->ahead_bytes -= g_bytes_get_size(parcel->content);
	g_clear_pointer(&parcel->content, g_bytes_unref);
	g_mutex_unlock(&delivery->mutex);
}

/* Why no session could be had; that we ended it ourselves is no fault of the relay's. */
static const GError *
why_none(const struct delivery *delivery)
{
	return delivery->over && !delivery->interrupted ? delivery->session_fault : NULL;
}

static bool
record(struct delivery *delivery)
{
	g_clear_error(&delivery->record_fault);
	if (delivery->unrecorded->len == 0)
		return true;
	if (core_ensure(delivery->core, &delivery->record_fault) &&
	    core_record(delivery->core, &delivery->claim,
		(struct parcel *const *)delivery->unrecorded->pdata, delivery->unrecorded->len,
		why_none(delivery), &delivery->record_fault)) {
		g_ptr_array_set_size(delivery->unrecorded, 0);
		return true;
	}
	delivery->record_at = base_clock_boot() + RECORD_MS;
	return false;
}

/* Takes the next result, if there is one within wait_ms. */
static void
take_result(struct delivery *delivery, gint64 wait_ms)
{
	void *result =
	    g_async_queue_timeout_pop(delivery->results, (guint64)MAX(wait_ms, 0) * 1000);

	if (result == delivery) {
		delivery->over = true;
	} else if (result) {
		forget_content(delivery, result);
		g_ptr_array_add(delivery->unrecorded, result);
		if (delivery->unrecorded->len == 1)
			delivery->record_at = base_clock_boot() + RECORD_MS;
		if (delivery->unrecorded->len == RECORD_COUNT)
			delivery->record_at = 0;
	}
}

/* Ends the session; false when a final dot's reply is awaited. */
static bool
interrupt(struct delivery *delivery)
{
	g_mutex_lock(&delivery->mutex);
	delivery->interrupted = true;
	g_cond_broadcast(&delivery->changed);
	bool done = !delivery->session || smtp_session_interrupt(delivery->session);
	g_mutex_unlock(&delivery->mutex);
	return done;
}

/* What the session leaves behind is recorded too: what it never got to is due again. */
static void
finish(struct delivery *delivery)
{
	if (delivery->thread)
		g_thread_join(g_steal_pointer(&delivery->thread));
	for (guint i = 0; i < delivery->parcels->len; i++) {
		struct parcel *parcel = delivery->parcels->pdata[i];

		if (parcel->finished == 0)
			g_ptr_array_add(delivery->unrecorded, parcel);
	}
	for (guint i = 1; !record(delivery) && i < RECORD_TRIES; i++)
		g_usleep(RECORD_MS * 1000);
	if (delivery->unrecorded->len == 0) {
		core_journal_cut(delivery->core->journal);
		return;
	}
	/* What cannot be recorded now stands in the journal, for core_recover; this process goes on
	 * with another. */
	core_journal_abandon(g_steal_pointer(&delivery->core->journal));
}

/* Keeps the claim while the session goes on; where that fails, it ends with the lease. */
static void
renew(struct delivery *delivery)
{
	gint64 lease = base_settings_number(delivery->core->settings, SETTING_SPOOL_LEASE) * 1000;
	gint64 now = base_clock_boot();

	if (delivery->lease_end - now > lease / 2 || now < delivery->renew_at)
		return;
	delivery->renew_at = now + RECORD_MS;
	delivery->claim.until = base_clock_now() + lease;
	g_autofree struct id *ids = g_new(struct id, delivery->parcels->len);
	for (guint i = 0; i < delivery->parcels->len; i++)
		ids[i] = ((const struct parcel *)delivery->parcels->pdata[i])->copy.id;
	if (!core_ensure(delivery->core, NULL) ||
	    !store_outbox_renew(
		delivery->core->db, &delivery->claim, ids, delivery->parcels->len, NULL))
		return;
	g_mutex_lock(&delivery->mutex);
	delivery->lease_end = now + lease;
	g_mutex_unlock(&delivery->mutex);
}

bool
core_deliver_wait(struct delivery *delivery, gint64 deadline)
{
	while (!delivery->over) {
		gint64 now = base_clock_boot();

		if (deadline && now >= deadline) {
			if (!interrupt(delivery))
				return false;
			deadline = 0;
		}
		bool compose = may_compose(delivery);
		if (compose)
			compose_next(delivery);
		take_result(delivery, compose	 ? 0
				      : deadline ? MIN(deadline - now, TICK_MS)
						 : TICK_MS);
		if (delivery->unrecorded->len > 0 && !delivery->over &&
		    base_clock_boot() >= delivery->record_at)
			record(delivery);
		renew(delivery);
	}
	if (!delivery->finished) {
		delivery->finished = true;
		finish(delivery);
	}
	return true;
}

static bool
journal_claim(struct delivery *delivery)
{
	for (guint i = 0; i < delivery->parcels->len; i++)
		if (!core_journal_claim(delivery->core->journal,
			&((const struct parcel *)delivery->parcels->pdata[i])->copy.id,
			delivery->claim.token, &delivery->session_fault))
			return false;
	return true;
}

/* A copy that another machine may have sent before it was lost: held where the settings say so. */
static bool
is_doubtful(const struct core *core, struct parcel *parcel)
{
	if (!parcel->copy.lost ||
	    base_settings_choice(core->settings, SETTING_SMTP_UNCERTAIN) == UNCERTAIN_RETRY)
		return false;
	for (guint i = 0; i < parcel->message.count; i++)
		parcel->message.recipients[i].outcome = SMTP_UNCERTAIN;
	return true;
}

static void
free_parcel(void *parcel)
{
	core_parcel_free(parcel);
}

struct delivery *
core_deliver_start(struct core *core, struct slot *slot, const struct claim *claim,
    const struct copy *copies, guint count, struct email *email)
{
	struct delivery *delivery = g_new0(struct delivery, 1);

	delivery->core = core;
	delivery->claim = *claim;
	delivery->lease_end = base_clock_boot() + claim->until - base_clock_now();
	delivery->parcels = g_ptr_array_new_with_free_func(free_parcel);
	delivery->sendable = g_ptr_array_new();
	delivery->messages = g_new0(struct smtp_message, MAX(count, 1));
	delivery->slot = slot;
	delivery->results = g_async_queue_new();
	delivery->unrecorded = g_ptr_array_new();
	g_mutex_init(&delivery->mutex);
	g_cond_init(&delivery->changed);
	for (guint i = 0; i < count; i++) {
		struct parcel *parcel = core_parcel_new(core, &copies[i], email);

		g_ptr_array_add(delivery->parcels, parcel);
		if (parcel->fault || is_doubtful(core, parcel))
			continue;
		delivery->messages[delivery->sendable->len] = parcel->message;
		g_ptr_array_add(delivery->sendable, parcel);
	}
	/* Without a journal nothing is sent: all of it is due again. */
	if (slot && journal_claim(delivery))
		delivery->thread = g_thread_new("smtp", run, delivery);
	else
		delivery->over = true;
	return delivery;
}

const GError *
core_deliver_trouble(const struct delivery *delivery)
{
	return delivery->record_fault ? delivery->record_fault : delivery->session_fault;
}

void
core_deliver_free(struct delivery *delivery)
{
	core_deliver_wait(delivery, 0);
	g_ptr_array_unref(delivery->parcels);
	g_ptr_array_unref(delivery->sendable);
	g_ptr_array_unref(delivery->unrecorded);
	g_clear_pointer(&delivery->slot, core_slot_free);
	g_async_queue_unref(delivery->results);
	g_clear_error(&delivery->session_fault);
	g_clear_error(&delivery->record_fault);
	g_mutex_clear(&delivery->mutex);
	g_cond_clear(&delivery->changed);
	g_free(delivery->messages);
	g_free(delivery);
}
