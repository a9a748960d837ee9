/* SPDX-License-Identifier: MIT */
/* Takes messages to a relay, in a thread of its own. */
#include "core/sender.h"

#include "base/clock.h"
#include "base/fault.h"
#include "core/core.h"
#include "core/journal.h"
#include "core/message.h"
#include "core/relay_slot.h"
#include "smtp/session.h"

#define AHEAD 4			      /* messages that are composed before the relay wants them, */
#define AHEAD_BYTES (8 * 1024 * 1024) /* as long as they are not larger than this */

struct core_sender {
	struct core *core;
	struct core_relay_slot *slot; /* of the session; the thread's */
	gint64 token;
	struct core_message *const *parcels;
	guint count;
	GThread *thread;
	GAsyncQueue *results; /* of struct core_message; the courier itself says that it is over */
	GError *fault;	      /* these are the thread's until it is over */
	GError *journal_fault;

	GMutex mutex; /* guards what follows, and content and fault of the parcels */
	GCond changed;
	struct smtp_session *session; /* the one that runs, NULL when none does */
	bool interrupted;
	gint64 lease_end;
	guint taken;	/* the session has got the parcels up to here, */
	guint composed; /* and could get those up to here */
	gsize ahead_bytes;
};

/* Waits until the relay's rate allows another message; false when the session is to end. */
static bool
await_turn(struct core_sender *courier)
{
	gint64 end = g_get_monotonic_time() + core_relay_slot_wait(courier->slot) * 1000;

	g_mutex_lock(&courier->mutex);
	while (!courier->interrupted && g_get_monotonic_time() < end)
		g_cond_wait_until(&courier->changed, &courier->mutex, end);
	bool go_on = !courier->interrupted;
	g_mutex_unlock(&courier->mutex);
	return go_on;
}

static GBytes *
on_content(struct smtp_message *message, void *context)
{
	struct core_sender *courier = context;
	struct core_message *parcel = message->context;
	GBytes *content = NULL;

	if (!await_turn(courier) || courier->journal_fault)
		return NULL;
	g_mutex_lock(&courier->mutex);
	bool welcome = !courier->interrupted;
	if (welcome)
		courier->taken = MAX(courier->taken, parcel->place + 1);
	while (welcome && !parcel->content && !parcel->fault)
		g_cond_wait(&courier->changed, &courier->mutex);
	if (welcome && parcel->content)
		content = g_bytes_ref(parcel->content);
	g_mutex_unlock(&courier->mutex);
	return content;
}

static bool
on_before_dot(struct smtp_message *message, void *context)
{
	struct core_sender *courier = context;
	const struct core_message *parcel = message->context;

	g_mutex_lock(&courier->mutex);
	bool ours = base_clock_boot() < courier->lease_end && !courier->journal_fault;
	g_mutex_unlock(&courier->mutex);
	return ours && core_journal_data(courier->core->journal, &parcel->copy.id, courier->token,
			   &courier->journal_fault);
}

static void
forget_content(struct core_sender *courier, struct core_message *parcel)
{
	g_mutex_lock(&courier->mutex);
	if (parcel->content)
		courier->ahead_bytes -= g_bytes_get_size(parcel->content);
	g_clear_pointer(&parcel->content, g_bytes_unref);
	g_mutex_unlock(&courier->mutex);
}

static void
on_done(struct smtp_message *message, void *context)
{
	struct core_sender *courier = context;
	struct core_message *parcel = message->context;

	FAULT("reply");
	parcel->finished = base_clock_now();
	/* Should it not be written, what is recorded in a moment counts; a crash before that leaves
	 * the message uncertain. */
	core_journal_done(courier->core->journal, &parcel->copy.id, courier->token,
	    parcel->finished, message, parcel->copy.recipients, NULL);
	forget_content(courier, parcel);
	g_async_queue_push(courier->results, parcel);
}

/* Makes session the one that can be interrupted; false when it is too late for another. */
static bool
announce(struct core_sender *courier, struct smtp_session *session)
{
	g_mutex_lock(&courier->mutex);
	bool welcome = !courier->interrupted;
	courier->session = welcome ? session : NULL;
	g_mutex_unlock(&courier->mutex);
	return welcome;
}

/* The messages that no relay has answered yet, and that none was refused before it got there. */
static guint
unanswered(const struct core_sender *courier, struct smtp_message *messages_r)
{
	guint count = 0;

	for (guint i = 0; i < courier->count; i++)
		if (courier->parcels[i]->finished == 0)
			messages_r[count++] = courier->parcels[i]->message;
	return count;
}

/* One session with the slot's relay; false when it could not be had. */
static bool
attempt(struct core_sender *courier)
{
	static const struct smtp_callbacks callbacks = {on_content, on_before_dot, on_done};
	g_autofree struct smtp_message *messages = g_new(struct smtp_message, courier->count);
	guint count = unanswered(courier, messages);
	AUTO(smtp_session)
	session = smtp_session_new(core_relay_slot_relay(courier->slot), &callbacks, courier);
	bool had = true;

	if (announce(courier, session)) {
		g_clear_error(&courier->fault);
		had = smtp_session_run(session, messages, count, &courier->fault);
		announce(courier, NULL);
	}
	if (!had)
		core_relay_slot_rest(courier->slot);
	return had;
}

static void *
run(void *context)
{
	struct core_sender *courier = context;

	while (courier->slot) {
		bool had = courier->count == 0 || attempt(courier);
		guint next = core_relay_slot_index(courier->slot) + 1;

		g_clear_pointer(&courier->slot, core_relay_slot_free);
		if (!had)
			courier->slot = core_relay_slot_take(courier->core->settings, next, NULL);
	}
	g_async_queue_push(courier->results, courier);
	return NULL;
}

/* What follows is for the other thread. */

struct core_sender *
core_sender_start(struct core *core, struct core_relay_slot *slot, gint64 token, gint64 lease_end,
    struct core_message *const *parcels, guint count)
{
	struct core_sender *courier = g_new0(struct core_sender, 1);

	courier->core = core;
	courier->slot = slot;
	courier->token = token;
	courier->lease_end = lease_end;
	courier->parcels = parcels;
	courier->count = count;
	courier->results = g_async_queue_new();
	g_mutex_init(&courier->mutex);
	g_cond_init(&courier->changed);
	for (guint i = 0; i < count; i++)
		parcels[i]->place = i;
	courier->thread = g_thread_new("smtp", run, courier);
	return courier;
}

struct core_message *
core_sender_next(struct core_sender *courier)
{
	g_mutex_lock(&courier->mutex);
	bool waits = courier->taken > courier->composed;
	bool ahead =
	    courier->composed < courier->taken + AHEAD && courier->ahead_bytes < AHEAD_BYTES;
	struct core_message *next =
	    courier->composed < courier->count ? courier->parcels[courier->composed] : NULL;
	/* One that may kill this process is composed when nothing else is left to send. */
	if (next && !waits && (!ahead || next->copy.deaths > 0))
		next = NULL;
	g_mutex_unlock(&courier->mutex);
	return next;
}

void
core_sender_give(
    struct core_sender *courier, struct core_message *parcel, GBytes *content, GError *fault)
{
	g_mutex_lock(&courier->mutex);
	parcel->content = content;
	parcel->fault = fault;
	courier->composed = parcel->place + 1;
	if (content)
		courier->ahead_bytes += g_bytes_get_size(content);
	g_cond_broadcast(&courier->changed);
	g_mutex_unlock(&courier->mutex);
}

struct core_message *
core_sender_take(struct core_sender *courier, gint64 wait_ms, bool *over_r)
{
	void *result = wait_ms > 0
			   ? g_async_queue_timeout_pop(courier->results, (guint64)wait_ms * 1000)
			   : g_async_queue_try_pop(courier->results);

	*over_r = result == courier;
	if (!*over_r)
		return result;
	g_thread_join(g_steal_pointer(&courier->thread));
	return NULL;
}

void
core_sender_extend(struct core_sender *courier, gint64 lease_end)
{
	g_mutex_lock(&courier->mutex);
	courier->lease_end = lease_end;
	g_mutex_unlock(&courier->mutex);
}

bool
core_sender_interrupt(struct core_sender *courier)
{
	g_mutex_lock(&courier->mutex);
	courier->interrupted = true;
	g_cond_broadcast(&courier->changed);
	bool done = !courier->session || smtp_session_interrupt(courier->session);
	g_mutex_unlock(&courier->mutex);
	return done;
}

void
core_sender_wind_up(struct core_sender *courier)
{
	g_mutex_lock(&courier->mutex);
	courier->interrupted = true;
	g_cond_broadcast(&courier->changed);
	g_mutex_unlock(&courier->mutex);
}

const GError *
core_sender_fault(const struct core_sender *courier)
{
	return courier->interrupted ? NULL : courier->fault;
}

const GError *
core_sender_journal_fault(const struct core_sender *courier)
{
	return courier->journal_fault;
}

void
core_sender_free(struct core_sender *courier)
{
	g_assert(!courier->thread);
	g_async_queue_unref(courier->results);
	g_clear_error(&courier->fault);
	g_clear_error(&courier->journal_fault);
	g_mutex_clear(&courier->mutex);
	g_cond_clear(&courier->changed);
	g_free(courier);
}
