/* SPDX-License-Identifier: MIT */
/* Sends messages to a relay, in a thread of its own. */
#include "core/sender.h"

#include "base/clock.h"
#include "base/fault.h"
#include "core/core.h"
#include "core/journal.h"
#include "core/message.h"
#include "core/relay.h"
#include "smtp/session.h"

#define AHEAD 4 /* messages are composed before the relay wants them, up to so many */
#define AHEAD_BYTES (8 * 1024 * 1024) /* and up to this size */

struct core_sender {
	struct core *core;
	struct core_relay_slot *slot; /* of the session; only the thread uses it */
	gint64 token;
	struct core_message *const *messages;
	guint count;
	GThread *thread;
	GAsyncQueue *results; /* of struct core_message; the sender itself: it is over */
	GError *fault;	      /* only the thread uses these two until it is over */
	GError *journal_fault;

	GMutex mutex; /* guards the members below, and content and fault of the messages */
	GCond changed;
	struct smtp_session *session; /* the running one; NULL: none */
	bool interrupted;
	gint64 lease_end;
	guint taken;	/* the session has taken the messages below this place */
	guint composed; /* the messages below this place are composed */
	gsize ahead_bytes;
};

/* Waits until the relay's rate allows another message. False when the session is to end. */
static bool
await_turn(struct core_sender *sender)
{
	gint64 end = g_get_monotonic_time() + core_relay_slot_wait(sender->slot) * 1000;

	g_mutex_lock(&sender->mutex);
	while (!sender->interrupted && g_get_monotonic_time() < end)
		g_cond_wait_until(&sender->changed, &sender->mutex, end);
	bool go_on = !sender->interrupted;
	g_mutex_unlock(&sender->mutex);
	return go_on;
}

static GBytes *
on_content(struct smtp_message *smtp, void *context)
{
	struct core_sender *sender = context;
	struct core_message *message = smtp->context;
	GBytes *content = NULL;

	if (!await_turn(sender) || sender->journal_fault)
		return NULL;
	g_mutex_lock(&sender->mutex);
	bool go_on = !sender->interrupted;
	if (go_on)
		sender->taken = MAX(sender->taken, message->place + 1);
	while (go_on && !message->content && !message->fault)
		g_cond_wait(&sender->changed, &sender->mutex);
	if (go_on && message->content)
		content = g_bytes_ref(message->content);
	g_mutex_unlock(&sender->mutex);
	return content;
}

static bool
on_before_dot(struct smtp_message *smtp, void *context)
{
	struct core_sender *sender = context;
	const struct core_message *message = smtp->context;

	g_mutex_lock(&sender->mutex);
	bool ours = base_clock_boot() < sender->lease_end && !sender->journal_fault;
	g_mutex_unlock(&sender->mutex);
	return ours && core_journal_data(sender->core->journal, &message->entry.id, sender->token,
			   &sender->journal_fault);
}

static void
forget_content(struct core_sender *sender, struct core_message *message)
{
	g_mutex_lock(&sender->mutex);
	if (message->content)
		sender->ahead_bytes -= g_bytes_get_size(message->content);
	g_clear_pointer(&message->content, g_bytes_unref);
	g_mutex_unlock(&sender->mutex);
}

static void
on_done(struct smtp_message *smtp, void *context)
{
	struct core_sender *sender = context;
	struct core_message *message = smtp->context;

	FAULT("reply");
	message->finished = base_clock_now();
	/* An error is ignored: the outcome is recorded in a moment. If this process dies before
	   that, the message is uncertain. */
	core_journal_done(sender->core->journal, &message->entry.id, sender->token,
	    message->finished, smtp, message->entry.recipients, NULL);
	forget_content(sender, message);
	g_async_queue_push(sender->results, message);
}

/* Makes session the one that can be interrupted; NULL: none. False when the sender was interrupted.
 */
static bool
announce(struct core_sender *sender, struct smtp_session *session)
{
	g_mutex_lock(&sender->mutex);
	bool go_on = !sender->interrupted;
	sender->session = go_on ? session : NULL;
	g_mutex_unlock(&sender->mutex);
	return go_on;
}

/* Copies the messages without an outcome to messages_r. Returns their number. */
static guint
unanswered(const struct core_sender *sender, struct smtp_message *messages_r)
{
	guint count = 0;

	for (guint i = 0; i < sender->count; i++)
		if (sender->messages[i]->finished == 0)
			messages_r[count++] = sender->messages[i]->smtp;
	return count;
}

/* Runs one session with the slot's relay. False when it could not be had. */
static bool
attempt(struct core_sender *sender)
{
	static const struct smtp_callbacks callbacks = {on_content, on_before_dot, on_done};
	g_autofree struct smtp_message *messages = g_new(struct smtp_message, sender->count);
	guint count = unanswered(sender, messages);
	AUTO(smtp_session)
	session = smtp_session_new(core_relay_slot_relay(sender->slot), &callbacks, sender);
	bool had = true;

	if (announce(sender, session)) {
		g_clear_error(&sender->fault);
		had = smtp_session_run(session, messages, count, &sender->fault);
		announce(sender, NULL);
	}
	if (!had)
		core_relay_slot_rest(sender->slot);
	return had;
}

static void *
run(void *context)
{
	struct core_sender *sender = context;

	while (sender->slot) {
		bool had = sender->count == 0 || attempt(sender);
		guint next = core_relay_slot_index(sender->slot) + 1;

		g_clear_pointer(&sender->slot, core_relay_slot_free);
		if (!had)
			sender->slot = core_relay_slot_take(sender->core->settings, next, NULL);
	}
	g_async_queue_push(sender->results, sender);
	return NULL;
}

/* The functions below are called by the other thread. */

struct core_sender *
core_sender_start(struct core *core, struct core_relay_slot *slot, gint64 token, gint64 lease_end,
    struct core_message *const *messages, guint count)
{
	struct core_sender *sender = g_new0(struct core_sender, 1);

	sender->core = core;
	sender->slot = slot;
	sender->token = token;
	sender->lease_end = lease_end;
	sender->messages = messages;
	sender->count = count;
	sender->results = g_async_queue_new();
	g_mutex_init(&sender->mutex);
	g_cond_init(&sender->changed);
	for (guint i = 0; i < count; i++)
		messages[i]->place = i;
	sender->thread = g_thread_new("smtp", run, sender);
	return sender;
}

struct core_message *
core_sender_next(struct core_sender *sender)
{
	g_mutex_lock(&sender->mutex);
	bool waits = sender->taken > sender->composed;
	bool ahead = sender->composed < sender->taken + AHEAD && sender->ahead_bytes < AHEAD_BYTES;
	struct core_message *next =
	    sender->composed < sender->count ? sender->messages[sender->composed] : NULL;
	/* A message that has killed a process is composed only when the session waits for it. */
	if (next && !waits && (!ahead || next->entry.deaths > 0))
		next = NULL;
	g_mutex_unlock(&sender->mutex);
	return next;
}

void
core_sender_give(
    struct core_sender *sender, struct core_message *message, GBytes *content, GError *fault)
{
	g_mutex_lock(&sender->mutex);
	message->content = content;
	message->fault = fault;
	sender->composed = message->place + 1;
	if (content)
		sender->ahead_bytes += g_bytes_get_size(content);
	g_cond_broadcast(&sender->changed);
	g_mutex_unlock(&sender->mutex);
}

struct core_message *
core_sender_take(struct core_sender *sender, gint64 wait_ms, bool *over_r)
{
	void *result = wait_ms > 0
			   ? g_async_queue_timeout_pop(sender->results, (guint64)wait_ms * 1000)
			   : g_async_queue_try_pop(sender->results);

	*over_r = result == sender;
	if (!*over_r)
		return result;
	g_thread_join(g_steal_pointer(&sender->thread));
	return NULL;
}

void
core_sender_extend(struct core_sender *sender, gint64 lease_end)
{
	g_mutex_lock(&sender->mutex);
	sender->lease_end = lease_end;
	g_mutex_unlock(&sender->mutex);
}

bool
core_sender_interrupt(struct core_sender *sender)
{
	g_mutex_lock(&sender->mutex);
	sender->interrupted = true;
	g_cond_broadcast(&sender->changed);
	bool done = !sender->session || smtp_session_interrupt(sender->session);
	g_mutex_unlock(&sender->mutex);
	return done;
}

void
core_sender_wind_up(struct core_sender *sender)
{
	g_mutex_lock(&sender->mutex);
	sender->interrupted = true;
	g_cond_broadcast(&sender->changed);
	g_mutex_unlock(&sender->mutex);
}

const GError *
core_sender_fault(const struct core_sender *sender)
{
	return sender->interrupted ? NULL : sender->fault;
}

const GError *
core_sender_journal_fault(const struct core_sender *sender)
{
	return sender->journal_fault;
}

void
core_sender_free(struct core_sender *sender)
{
	g_assert(!sender->thread);
	g_async_queue_unref(sender->results);
	g_clear_error(&sender->fault);
	g_clear_error(&sender->journal_fault);
	g_mutex_clear(&sender->mutex);
	g_cond_clear(&sender->changed);
	g_free(sender);
}
