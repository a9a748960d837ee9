/* SPDX-License-Identifier: MIT */
/* Sends messages to a relay, in a thread of its own. */
#include "delivery/sender.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/fault.h"
#include "config/settings.h"
#include "delivery/attempt_log.h"
#include "delivery/message.h"
#include "delivery/pacing.h"
#include "mail/steering.h"
#include "provider/provider.h"
#include "relay/relay.h"
#include "service/journal.h"
#include "service/service.h"
#include "smtp/session.h"
#include "store/email/email.h"

#define TOGETHER 100 /* so many messages in a row are sorted by their relays */
#define AHEAD 8	     /* messages are composed before the relay wants them, up to so many; */
#define AHEAD_LOW 4  /* the next ones when there are less than so many, */
#define AHEAD_BYTES (8 * 1024 * 1024) /* and up to this size */

struct delivery_sender {
	struct service *service;
	gint64 token;
	struct delivery_message **messages; /* in the order in which they are sent */
	guint count;
	struct relay_choice *choice; /* only the thread uses these three */
	struct relay_slot *slot;     /* of the session */
	struct delivery_pacing *pacing;
	GThread *thread;
	GError *journal_fault; /* only the thread uses it until it is over */

	GMutex mutex;  /* guards the members below, and content and fault of the messages */
	GCond changed; /* for the thread */
	GCond due;     /* for the other one: there is work, see is_due */
	bool thread_waits, other_waits;
	GQueue results;		      /* of struct delivery_message */
	bool over;		      /* the thread ends */
	struct smtp_session *session; /* the running one; NULL: none */
	bool interrupted;
	bool leaving; /* interrupted because the process has to leave */
	gint64 lease_end;
	guint taken;	/* the session has taken the messages below this place */
	guint composed; /* the messages below this place are composed */
	gsize ahead_bytes;
};

/* The message to compose, where so many are to be composed ahead; NULL: none now. To be called with
   the mutex, as the next four. */
static struct delivery_message *
next_of(struct delivery_sender *sender, guint most)
{
	while (sender->composed < sender->count && sender->messages[sender->composed]->is_held)
		sender->composed++;
	if (sender->composed == sender->count)
		return NULL;
	struct delivery_message *next = sender->messages[sender->composed];
	bool waits = sender->taken > sender->composed;
	bool ahead = sender->composed < sender->taken + most && sender->ahead_bytes < AHEAD_BYTES;
	/* A message that has killed a process, or that has to wait for its turn, is composed only
	   when the session waits for it. */
	return waits || (ahead && next->entry.deaths == 0 && !next->is_slowed) ? next : NULL;
}

/* Whether the other thread has something to do. Outcomes do not wait until more messages are to be
   composed: that was measured, and is no faster. */
static bool
sender_is_due(struct delivery_sender *sender)
{
	return sender->over || sender->results.length > 0 || next_of(sender, AHEAD_LOW);
}

static void
wake_other(struct delivery_sender *sender)
{
	if (!sender->other_waits || !sender_is_due(sender))
		return;
	sender->other_waits = false;
	g_cond_signal(&sender->due);
}

/* The thread waits until end, on the clock of g_get_monotonic_time; 0: without a limit. It may be
   woken earlier for nothing. */
static void
pause_thread(struct delivery_sender *sender, gint64 end)
{
	sender->thread_waits = true;
	wake_other(sender);
	if (end)
		g_cond_wait_until(&sender->changed, &sender->mutex, end);
	else
		g_cond_wait(&sender->changed, &sender->mutex);
	sender->thread_waits = false;
}

static void
wake_thread(struct delivery_sender *sender)
{
	if (!sender->thread_waits)
		return;
	sender->thread_waits = false;
	g_cond_signal(&sender->changed);
}

/* Wakes the thread that waits for its message: when the next ones are composed, too, so that it
   waits once for several. */
static void
give_thread(struct delivery_sender *sender)
{
	if (!next_of(sender, AHEAD_LOW))
		wake_thread(sender);
}

static const struct config_relay *
sender_relay_of(const struct delivery_sender *sender, int index)
{
	return config_settings_relay(sender->service->settings, (guint)index);
}

/* Waits until the relay's rate allows another message. False when the session is to end. */
static bool
sender_await_turn(struct delivery_sender *sender)
{
	gint64 end = g_get_monotonic_time() + relay_slot_wait(sender->slot) * 1000;

	g_mutex_lock(&sender->mutex);
	while (!sender->interrupted && g_get_monotonic_time() < end)
		pause_thread(sender, end);
	bool go_on = !sender->interrupted;
	g_mutex_unlock(&sender->mutex);
	return go_on;
}

/* The content with the provider's fields in front, and without those that the relay does not take
   from clients: only here is the relay known. No DKIM signature covers them. */
static GBytes *
set_fields(
    const struct delivery_sender *sender, const struct delivery_message *message, GBytes *content)
{
	const struct config_relay *relay = sender_relay_of(sender, message->relay);
	char id[ID_TEXT_SIZE];
	g_autofree char *fields = provider_fields(
	    provider_by_word(relay->provider), base_id_format(&message->entry.id, id));
	g_autoptr(GBytes) sender_rest =
	    mail_steering_remove(content, fields, relay->provider_headers);
	gsize size, more = strlen(fields);

	if (more == 0)
		return g_steal_pointer(&sender_rest);
	const void *bytes = g_bytes_get_data(sender_rest, &size);
	GByteArray *all = g_byte_array_sized_new((guint)(size + more));
	g_byte_array_append(all, (const guint8 *)fields, (guint)more);
	g_byte_array_append(all, bytes, (guint)size);
	return g_byte_array_free_to_bytes(all);
}

static gsize
content_size(const struct delivery_message *message)
{
	return (message->content ? g_bytes_get_size(message->content) : 0) +
	       (message->seven_bit ? g_bytes_get_size(message->seven_bit) : 0);
}

/* To be called with the mutex. */
static void
forget_content(struct delivery_sender *sender, struct delivery_message *message)
{
	sender->ahead_bytes -= content_size(message);
	g_clear_pointer(&message->content, g_bytes_unref);
	g_clear_pointer(&message->seven_bit, g_bytes_unref);
}

/* A message waits for its turn: it is not tried in this delivery. */
static void
sender_hold(struct delivery_sender *sender, struct delivery_message *message)
{
	g_mutex_lock(&sender->mutex);
	message->is_held = true;
	sender->taken = MAX(sender->taken, message->place + 1);
	forget_content(sender, message);
	wake_other(sender);
	g_mutex_unlock(&sender->mutex);
	message->is_passed = true;
}

static GBytes *
on_content(struct smtp_message *smtp, void *context)
{
	struct delivery_sender *sender = context;
	struct delivery_message *message = smtp->context;
	g_autoptr(GBytes) content = NULL, seven_bit = NULL;

	if (!delivery_pacing_take(sender->pacing, message)) {
		sender_hold(sender, message);
		return NULL;
	}
	if (!sender_await_turn(sender) || sender->journal_fault)
		return NULL;
	message->begun = base_clock_boot_ns() / 1000;
	g_mutex_lock(&sender->mutex);
	bool go_on = !sender->interrupted;
	if (go_on)
		sender->taken = MAX(sender->taken, message->place + 1);
	wake_other(sender);
	while (go_on && !message->content && !message->fault)
		pause_thread(sender, 0);
	if (go_on && message->content)
		content = g_bytes_ref(message->content);
	if (content && message->seven_bit)
		seven_bit = g_bytes_ref(message->seven_bit);
	g_mutex_unlock(&sender->mutex);
	smtp->seven_bit = seven_bit ? set_fields(sender, message, seven_bit) : NULL;
	return content ? set_fields(sender, message, content) : NULL;
}

static bool
on_before_dot(struct smtp_message *smtp, void *context)
{
	struct delivery_sender *sender = context;
	struct delivery_message *message = smtp->context;

	message->handed = base_clock_now();
	g_mutex_lock(&sender->mutex);
	bool ours = base_clock_boot() < sender->lease_end && !sender->journal_fault;
	g_mutex_unlock(&sender->mutex);
	return ours && service_journal_data(sender->service->process->journal, &message->entry.id,
			   sender->token, sender_relay_of(sender, message->relay)->name,
			   &sender->journal_fault);
}

static void
on_done(struct smtp_message *smtp, void *context)
{
	struct delivery_sender *sender = context;
	struct delivery_message *message = smtp->context;

	FAULT("reply");
	message->finished = base_clock_now();
	message->took_us = message->begun ? base_clock_boot_ns() / 1000 - message->begun : 0;
	/* An error is ignored: the outcome is recorded in a moment. If this process dies before
	   that, the message is uncertain. */
	service_journal_done(sender->service->process->journal,
	    &(struct service_journal_ending){&message->entry.id, sender->token, message->finished,
		smtp, message->entry.recipients, sender_relay_of(sender, message->relay)->name},
	    NULL);
	delivery_pacing_learn(sender->pacing, message);
	g_mutex_lock(&sender->mutex);
	forget_content(sender, message);
	g_queue_push_tail(&sender->results, message);
	wake_other(sender);
	g_mutex_unlock(&sender->mutex);
}

/* Makes session the one that can be interrupted; NULL: none. False when the sender was interrupted.
 */
static bool
announce(struct delivery_sender *sender, struct smtp_session *session)
{
	g_mutex_lock(&sender->mutex);
	bool go_on = !sender->interrupted;
	sender->session = go_on ? session : NULL;
	g_mutex_unlock(&sender->mutex);
	return go_on;
}

/* Gives back the recipients of the message's address that were not tried. */
static void
sender_return_source(struct delivery_sender *sender, struct delivery_message *message)
{
	guint tried = 0;

	if (message->source.index < 0)
		return;
	for (guint i = 0; message->finished != 0 && i < message->smtp.count; i++)
		tried += message->smtp.recipients[i].outcome != SMTP_NOT_TRIED;
	if (message->source.granted > tried)
		relay_source_return(sender->service->settings,
		    sender_relay_of(sender, message->relay), &message->source,
		    message->source.granted - tried);
}

/* Takes the address from which the message's relay is connected. False when all are full today. */
static bool
sender_take_source(struct delivery_sender *sender, struct delivery_message *message)
{
	relay_source_take(sender->service->settings, sender_relay_of(sender, message->relay),
	    message->smtp.count, &message->source);
	if (message->source.granted > 0)
		return true;
	message->wait = delivery_message_source_wait(message);
	message->is_passed = true;
	return false;
}

/* Chooses the relay of a message. False when there is none now: it is passed over. */
static bool
sender_choose(struct delivery_sender *sender, struct delivery_message *message)
{
	struct relay_refusal refusal = {.text = ""};
	int resting;

	sender_return_source(sender, message);
	message->source = (struct relay_source){.index = -1};
	int relay = relay_choose(sender->choice, message->email->relays, message->email->domain,
	    message->email->tls_enforced, &refusal, &resting);

	message->relay = relay >= 0 ? relay : resting;
	message->is_passed = relay < 0;
	message->is_busy = relay == RELAY_BUSY;
	if (relay == RELAY_NONE)
		message->refusal = refusal;
	return relay >= 0 && sender_take_source(sender, message);
}

/* The domain of a message that enforces TLS; NULL: it does not. Its session is for it alone, so
   that what the relay lacks is told of the right one. */
static const char *
sender_enforced(const struct delivery_message *message)
{
	return message->email->tls_enforced ? message->email->domain : NULL;
}

/* Whether a message is still to be tried. */
static bool
sender_is_open(const struct delivery_message *message)
{
	return message->finished == 0 && !message->is_passed;
}

/* Whether a message can go to its relay; chooses another where it rests by now. */
static bool
sender_is_ready(struct delivery_sender *sender, struct delivery_message *message)
{
	return sender_is_open(message) &&
	       (relay_choice_is_free(sender->choice, message->relay, sender_enforced(message)) ||
		   sender_choose(sender, message));
}

/* Copies to messages_r the next messages in a row that go to one relay from one address, as many as
   one session may have. Returns their number; 0: nothing is left to try. */
static guint
sender_next_group(
    struct delivery_sender *sender, struct smtp_message *messages_r, int *relay_r, int *source_r)
{
	guint count = 0, most = G_MAXUINT;
	const char *enforced = NULL;

	for (guint i = 0; i < sender->count && count < most; i++) {
		struct delivery_message *message = sender->messages[i];

		if (!sender_is_ready(sender, message))
			continue;
		if (count == 0) {
			const struct config_relay *relay = sender_relay_of(sender, message->relay);
			*relay_r = message->relay;
			*source_r = message->source.index;
			enforced = sender_enforced(message);
			most = relay->messages ? relay->messages : G_MAXUINT;
		}
		if (message->relay != *relay_r || message->source.index != *source_r ||
		    g_strcmp0(sender_enforced(message), enforced))
			break;
		messages_r[count++] = message->smtp;
	}
	return count;
}

/* Whether a session with enforced TLS failed for that alone: other mail may still take the relay.
 */
static bool
sender_lacks_tls(const struct delivery_sender *sender, const struct smtp_session *session)
{
	const struct smtp_relay *relay = relay_slot_relay(sender->slot);

	return strcmp(smtp_session_stage(session), "tls") == 0 &&
	       !(relay->tls >= TLS_REQUIRED && relay->verifies);
}

/* The relay rests: its messages go to the next one. enforced: the domain that enforces TLS; NULL:
   none does. Where only its TLS is lacking, the relay rests for that domain alone. */
static void
sender_rest(struct delivery_sender *sender, int relay, const char *enforced,
    const struct smtp_session *session, GError *fault)
{
	struct relay_refusal refusal = {.text = ""};
	g_autofree char *text = smtp_message_text(fault->message);

	g_strlcpy(refusal.text, text, sizeof(refusal.text));
	g_strlcpy(refusal.enhanced, smtp_session_enhanced(session), sizeof(refusal.enhanced));
	delivery_attempt_log_refused(
	    sender_relay_of(sender, relay), smtp_session_stage(session), &refusal);
	if (enforced && sender_lacks_tls(sender, session)) {
		relay_choice_lack(sender->choice, (guint)relay, enforced, &refusal);
	} else {
		relay_slot_rest(sender->slot, &refusal);
		relay_choice_rest(sender->choice, (guint)relay, &refusal);
	}
	g_error_free(fault);
}

/* Whether the relay ended a session by its reply to one of the messages. */
static bool
is_cut_short(const struct smtp_message *messages, guint count)
{
	for (guint i = 0; i < count; i++)
		for (guint r = 0; r < messages[i].count; r++)
			if (messages[i].recipients[r].code == 421)
				return true;
	return false;
}

/* Whether the process has to leave. Then a relay that was not had is not to blame. */
static bool
is_leaving(struct delivery_sender *sender)
{
	g_mutex_lock(&sender->mutex);
	bool is = sender->leaving;
	g_mutex_unlock(&sender->mutex);
	return is;
}

/* Runs a session with messages. A message that it did not get to, though there was a session, is
   tried again only if a deferral of another message ended the session. */
static void
sender_attempt(
    struct delivery_sender *sender, int relay, struct smtp_message *messages, guint count)
{
	static const struct smtp_callbacks callbacks = {on_content, on_before_dot, on_done};
	struct smtp_relay way = *relay_slot_relay(sender->slot);

	way.enforced_for = sender_enforced(messages[0].context);
	AUTO(smtp_session) session = smtp_session_new(&way, &callbacks, sender);
	const char *return_path = sender_relay_of(sender, relay)->return_path;
	GError *fault = NULL;
	bool had = true;

	for (guint i = 0; i < count && *return_path; i++)
		messages[i].sender = return_path;
	if (announce(sender, session)) {
		had = smtp_session_run(session, messages, count, &fault) || is_leaving(sender);
		announce(sender, NULL);
	}
	delivery_attempt_log_certificate(
	    sender_relay_of(sender, relay), smtp_session_certificate_end(session));
	if (had)
		g_clear_error(&fault);
	else
		sender_rest(sender, relay, way.enforced_for, session, fault);
	delivery_pacing_end(sender->pacing);
	for (guint i = 0; had && !is_cut_short(messages, count) && i < count; i++)
		((struct delivery_message *)messages[i].context)->is_passed = true;
}

static bool
is_interrupted(struct delivery_sender *sender)
{
	g_mutex_lock(&sender->mutex);
	bool is = sender->interrupted;
	g_mutex_unlock(&sender->mutex);
	return is;
}

static void *
sender_run(void *context)
{
	struct delivery_sender *sender = context;
	g_autofree struct smtp_message *messages = g_new(struct smtp_message, sender->count);
	guint count;
	int relay, source;

	while (!is_interrupted(sender) &&
	       (count = sender_next_group(sender, messages, &relay, &source)) > 0) {
		sender->slot = relay_slot_take(sender->service->settings, (guint)relay, NULL);
		if (sender->slot)
			relay_slot_use_source(sender->slot, sender->service->settings, source);
		if (sender->slot)
			sender_attempt(sender, relay, messages, count);
		else
			relay_choice_busy(sender->choice, (guint)relay);
		g_clear_pointer(&sender->slot, relay_slot_free);
	}
	/* The time was over while a relay was waited for: its messages are told so at once, where
	   no other relay is left. */
	for (guint i = 0; i < sender->count && !is_leaving(sender); i++)
		sender_is_ready(sender, sender->messages[i]);
	for (guint i = 0; i < sender->count; i++)
		sender_return_source(sender, sender->messages[i]);
	g_mutex_lock(&sender->mutex);
	sender->over = true;
	wake_other(sender);
	g_mutex_unlock(&sender->mutex);
	return NULL;
}

/* The functions below are called by the other thread. */

static int
by_relay(const void *a, const void *b)
{
	const struct delivery_message *left = *(struct delivery_message *const *)a;
	const struct delivery_message *right = *(struct delivery_message *const *)b;

	if (left->relay != right->relay)
		return left->relay < right->relay ? -1 : 1;
	if (left->source.index != right->source.index)
		return left->source.index < right->source.index ? -1 : 1;
	if (left->is_slowed != right->is_slowed)
		return left->is_slowed ? 1 : -1;
	int order = g_strcmp0(sender_enforced(left), sender_enforced(right));
	if (order)
		return order;
	return left->place < right->place ? -1 : left->place > right->place;
}

/* Chooses the relay of each message, and puts messages of one relay together where they are near
   each other, those to slowed destinations last. Those that killed a process stay behind the
   others. */
static void
arrange(struct delivery_sender *sender)
{
	for (guint i = 0; i < sender->count; i++) {
		sender->messages[i]->place = i;
		sender_choose(sender, sender->messages[i]);
		sender->messages[i]->is_slowed =
		    delivery_pacing_is_slowed(sender->pacing, sender->messages[i]);
	}
	for (guint begin = 0, end; begin < sender->count; begin = end) {
		bool kills = sender->messages[begin]->entry.deaths > 0;

		for (end = begin; end < MIN(begin + TOGETHER, sender->count); end++)
			if ((sender->messages[end]->entry.deaths > 0) != kills)
				break;
		base_array_sort(
		    sender->messages + begin, end - begin, sizeof(*sender->messages), by_relay);
	}
	for (guint i = 0; i < sender->count; i++)
		sender->messages[i]->place = i;
}

struct delivery_sender *
delivery_sender_start(struct service *service, gint64 token, gint64 lease_end,
    struct delivery_message *const *messages, guint count)
{
	struct delivery_sender *sender = g_new0(struct delivery_sender, 1);

	sender->service = service;
	sender->token = token;
	sender->lease_end = lease_end;
	sender->messages = g_memdup2(messages, count * sizeof(struct delivery_message *));
	sender->count = count;
	sender->choice = relay_choice_new(service->settings);
	sender->pacing = delivery_pacing_new(service->settings, sender->messages, count);
	g_mutex_init(&sender->mutex);
	g_cond_init(&sender->changed);
	g_cond_init(&sender->due);
	arrange(sender);
	sender->thread = g_thread_new("smtp", sender_run, sender);
	return sender;
}

struct delivery_message *
delivery_sender_next(struct delivery_sender *sender)
{
	g_mutex_lock(&sender->mutex);
	struct delivery_message *next = next_of(sender, AHEAD);
	g_mutex_unlock(&sender->mutex);
	return next;
}

void
delivery_sender_give(struct delivery_sender *sender, struct delivery_message *message,
    GBytes *content, GBytes *seven_bit, GError *fault)
{
	g_mutex_lock(&sender->mutex);
	message->content = content;
	message->seven_bit = seven_bit;
	message->fault = fault;
	sender->composed = message->place + 1;
	sender->ahead_bytes += content_size(message);
	if (message->is_held)
		forget_content(sender, message);
	give_thread(sender);
	g_mutex_unlock(&sender->mutex);
}

struct delivery_message *
delivery_sender_take(struct delivery_sender *sender, gint64 wait_ms, bool *over_r)
{
	gint64 end = g_get_monotonic_time() + wait_ms * 1000;

	g_mutex_lock(&sender->mutex);
	sender->other_waits = wait_ms > 0 && sender->results.length == 0;
	while (sender->other_waits && !sender_is_due(sender))
		if (!g_cond_wait_until(&sender->due, &sender->mutex, end))
			sender->other_waits = false;
	sender->other_waits = false;
	struct delivery_message *message = g_queue_pop_head(&sender->results);
	*over_r = !message && sender->over;
	g_mutex_unlock(&sender->mutex);
	if (*over_r)
		g_thread_join(g_steal_pointer(&sender->thread));
	return message;
}

void
delivery_sender_extend(struct delivery_sender *sender, gint64 lease_end)
{
	g_mutex_lock(&sender->mutex);
	sender->lease_end = lease_end;
	g_mutex_unlock(&sender->mutex);
}

bool
delivery_sender_give_up(struct delivery_sender *sender)
{
	g_mutex_lock(&sender->mutex);
	sender->interrupted = true;
	wake_thread(sender);
	bool done = !sender->session || smtp_session_give_up(sender->session);
	g_mutex_unlock(&sender->mutex);
	return done;
}

void
delivery_sender_leave(struct delivery_sender *sender)
{
	g_mutex_lock(&sender->mutex);
	sender->leaving = sender->interrupted = true;
	wake_thread(sender);
	if (sender->session)
		smtp_session_interrupt(sender->session);
	g_mutex_unlock(&sender->mutex);
}

void
delivery_sender_wind_up(struct delivery_sender *sender)
{
	g_mutex_lock(&sender->mutex);
	sender->interrupted = true;
	wake_thread(sender);
	g_mutex_unlock(&sender->mutex);
}

struct relay_destinations *
delivery_sender_destinations(const struct delivery_sender *sender)
{
	return delivery_pacing_destinations(sender->pacing);
}

const GError *
delivery_sender_journal_fault(const struct delivery_sender *sender)
{
	return sender->journal_fault;
}

void
delivery_sender_free(struct delivery_sender *sender)
{
	g_assert(!sender->thread);
	g_queue_clear(&sender->results);
	relay_choice_free(sender->choice);
	delivery_pacing_free(sender->pacing);
	g_free(sender->messages);
	g_clear_error(&sender->journal_fault);
	g_mutex_clear(&sender->mutex);
	g_cond_clear(&sender->changed);
	g_cond_clear(&sender->due);
	g_free(sender);
}
