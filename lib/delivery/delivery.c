/* SPDX-License-Identifier: MIT */
/* Delivers a batch of claimed outbox entries: composes, sends and records at the same time.

   A session that waits for a message to be composed, or for an outcome to be stored, costs its
   relay's connection. So two threads share the work. The sender's thread (delivery/sender.h) owns
   the SMTP session and does nothing else; the caller's thread does all that needs the database:
   1. It composes messages ahead, and hands them over. The journal's mark names the message that is
      being composed, should that kill the process.
   2. It takes the outcomes of messages that were sent. When there are RECORD_COUNT of them, or
   after RECORD_MS, one transaction stores them (delivery/outcome.h), with the token of the claim.
   3. It renews the lease in time. A claim that is lost ends the session before its next message.
   4. Entries that LIMIT_DEATHS processes died of come last, each in a delivery of its own, whose
      message a child process composes.

   If the process dies, the journal knows what was sent (service/journal.h). If outcomes cannot be
   stored, they stay in the journal, and recovery records them (delivery/recover.c). */
#include "delivery/delivery.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/process.h"
#include "base/secret.h"
#include "config/settings.h"
#include "delivery/attempt_log.h"
#include "delivery/message.h"
#include "delivery/outcome.h"
#include "delivery/sender.h"
#include "delivery/sending.h"
#include "delivery/stream.h"
#include "delivery/warmup.h"
#include "email/test_address.h"
#include "email/watched.h"
#include "relay/relay.h"
#include "service/journal.h"
#include "service/metrics.h"
#include "service/service.h"
#include "store/email/email.h"

#define RECORD_COUNT 50 /* outcomes are recorded when there are so many, */
#define RECORD_MS 1000	/* or after this time */
#define RECORD_TRIES 5
#define TICK_MS 200

struct delivery {
	struct service *service;
	struct store_outbox_claim claim;
	gint64 lease_end; /* this and the next two are on base_clock_boot */
	gint64 renew_at;
	gint64 record_at;
	GPtrArray *messages; /* all; those with a fault are only recorded */
	GPtrArray *sendable; /* those to send */
	GArray *suspects; /* struct store_outbox_entry: entries that may kill this process; they are
			    claimed too, and composed later in a child process */
	GBytes *content; /* of the only message, which a child process composed; NULL: compose it */
	struct delivery_sender *sender;
	GError *claim_fault;   /* why there is no sender: the journal's error */
	GPtrArray *unrecorded; /* messages whose outcome is known */
	struct email_watch *watch;
	GError *record_fault; /* why the last outcomes could not be recorded */
	bool over;	      /* the session has ended */
	bool finished;	      /* and all its messages are recorded, or left to the journal */
};

struct store_outbox_claim
delivery_claim(const struct service *service)
{
	struct store_outbox_claim claim = {
	    .owner = service_journal_owner(service->process->journal)};

	base_secret_random(&claim.token, sizeof(claim.token));
	claim.until = base_clock_now() +
		      config_settings_number(service->settings, SETTING_SPOOL_LEASE) * 1000;
	return claim;
}

/* Composes in this process. The journal's mark tells which message was being composed if the
   process dies. */
static GBytes *
compose_here(struct delivery *delivery, const struct delivery_message *message,
    GBytes **seven_bit_r, GError **error)
{
	struct service *service = delivery->service;
	const struct store_email *email = message->email;
	bool lacked_link = false;

	if (!service_ensure(service, error))
		return NULL;
	service_journal_compose(
	    service->process->journal, &message->entry.id, delivery->claim.token);
	GBytes *content =
	    delivery_message_compose(service, message, seven_bit_r, &lacked_link, error);
	service_journal_idle(service->process->journal);
	if (lacked_link)
		email_watch_lack(delivery->watch, &email->workspace_id, &email->broadcast_id);
	return content;
}

static void
delivery_compose(struct delivery *delivery, struct delivery_message *message)
{
	GError *fault = NULL;
	GBytes *seven_bit = NULL;
	GBytes *content = delivery->content ? g_steal_pointer(&delivery->content)
					    : compose_here(delivery, message, &seven_bit, &fault);

	delivery_sender_give(delivery->sender, message, content, seven_bit, fault);
}

/* Why the journal could not be written. */
static const GError *
journal_fault(const struct delivery *delivery)
{
	return delivery->sender ? delivery_sender_journal_fault(delivery->sender)
				: delivery->claim_fault;
}

static bool
delivery_record(struct delivery *delivery)
{
	struct relay_destinations *destinations =
	    delivery->sender ? delivery_sender_destinations(delivery->sender) : NULL;

	g_clear_error(&delivery->record_fault);
	if (delivery->unrecorded->len == 0)
		return true;
	if (service_ensure(delivery->service, &delivery->record_fault) &&
	    delivery_outcome_record(delivery->service, &delivery->claim,
		(struct delivery_message *const *)delivery->unrecorded->pdata,
		delivery->unrecorded->len, delivery->watch, &delivery->record_fault)) {
		for (guint i = 0; i < delivery->unrecorded->len; i++)
			delivery_attempt_log_tell(
			    delivery->service, destinations, delivery->unrecorded->pdata[i]);
		g_ptr_array_set_size(delivery->unrecorded, 0);
		return true;
	}
	delivery->record_at = base_clock_boot() + RECORD_MS;
	return false;
}

/* Takes the next message whose outcome is known, if there is one within wait_ms. */
static void
take_outcome(struct delivery *delivery, gint64 wait_ms)
{
	struct delivery_message *message =
	    delivery_sender_take(delivery->sender, wait_ms, &delivery->over);

	if (!message)
		return;
	g_ptr_array_add(delivery->unrecorded, message);
	if (delivery->unrecorded->len == 1)
		delivery->record_at = base_clock_boot() + RECORD_MS;
	if (delivery->unrecorded->len == RECORD_COUNT)
		delivery->record_at = 0;
}

/* Records the messages that the session left: those that it did not reach are due again. */
static void
delivery_finish(struct delivery *delivery)
{
	const GError *journal = journal_fault(delivery);

	for (guint i = 0; i < delivery->messages->len; i++) {
		struct delivery_message *message = delivery->messages->pdata[i];

		if (message->finished != 0)
			continue;
		/* The journal is our own trouble, which only the log tells. */
		if (journal && !message->fault)
			message->fault =
			    g_error_new_literal(PH_ERROR, PH_ERROR_TEMPORARY, journal->message);
		g_ptr_array_add(delivery->unrecorded, message);
	}
	for (guint i = 1; !delivery_record(delivery) && i < RECORD_TRIES; i++)
		g_usleep(RECORD_MS * 1000);
	if (delivery->unrecorded->len == 0) {
		delivery_stream_return(delivery->service, delivery->messages);
		service_journal_cut(delivery->service->process->journal);
		return;
	}
	/* The outcomes stand in the journal: abandon it, so that delivery_recover can record them.
	   This process goes on with a new journal. */
	service_journal_abandon(g_steal_pointer(&delivery->service->process->journal));
}

/* The number of entries that this delivery has claimed, and one of them. */
static guint
delivery_claimed(const struct delivery *delivery)
{
	return delivery->messages->len + delivery->suspects->len;
}

static const struct store_outbox_entry *
delivery_claimed_entry(const struct delivery *delivery, guint i)
{
	guint messages = delivery->messages->len;

	return i < messages
		   ? &((const struct delivery_message *)delivery->messages->pdata[i])->entry
		   : &g_array_index(delivery->suspects, struct store_outbox_entry, i - messages);
}

/* Renews the claim when half of its lease is over. If that fails, the session ends with the lease.
   A lease that has ended is not renewed: another process may have claimed the entries since. */
static void
delivery_renew(struct delivery *delivery)
{
	gint64 lease =
	    config_settings_number(delivery->service->settings, SETTING_SPOOL_LEASE) * 1000;
	gint64 now = base_clock_boot();
	guint count = 0;

	if (delivery->lease_end - now > lease / 2 || now < delivery->renew_at ||
	    now >= delivery->lease_end)
		return;
	delivery->renew_at = now + RECORD_MS;
	delivery->claim.until = base_clock_now() + lease;
	g_autofree struct store_outbox_key *keys =
	    g_new(struct store_outbox_key, delivery_claimed(delivery));
	for (; count < delivery_claimed(delivery); count++) {
		const struct store_outbox_entry *entry = delivery_claimed_entry(delivery, count);

		keys[count] = (struct store_outbox_key){entry->email_id, entry->id};
	}
	if (!service_ensure(delivery->service, NULL) ||
	    !store_outbox_renew(delivery->service->db, &delivery->claim, keys, count, NULL))
		return;
	delivery->lease_end = now + lease;
	if (delivery->sender)
		delivery_sender_extend(delivery->sender, delivery->lease_end);
}

/* Composes a message if one is wanted, else waits for a result until the next tick or deadline. */
static void
delivery_step(struct delivery *delivery, gint64 deadline)
{
	struct delivery_message *next = delivery_sender_next(delivery->sender);
	gint64 wait = deadline ? MIN(deadline - base_clock_boot(), TICK_MS) : TICK_MS;

	if (next)
		delivery_compose(delivery, next);
	take_outcome(delivery, next ? 0 : wait);
	if (delivery->unrecorded->len > 0 && !delivery->over &&
	    base_clock_boot() >= delivery->record_at)
		delivery_record(delivery);
	delivery_renew(delivery);
}

/* Finishes once, when the session is over. */
static void
delivery_conclude(struct delivery *delivery)
{
	if (!delivery->finished)
		delivery_finish(delivery);
	delivery->finished = true;
}

bool
delivery_wait(struct delivery *delivery, gint64 deadline)
{
	while (!delivery->over) {
		if (deadline && base_clock_boot() >= deadline) {
			if (!delivery_sender_give_up(delivery->sender))
				return false;
			deadline = 0;
		}
		delivery_step(delivery, deadline);
	}
	delivery_conclude(delivery);
	return true;
}

static void
delivery_run_session(
    struct delivery *delivery, enum delivery_pace (*pace)(const void *context), const void *context)
{
	enum delivery_pace now = DELIVER_GO_ON;

	while (!delivery->over) {
		enum delivery_pace next = pace(context);

		if (next == DELIVER_BEGIN_NONE && now < next)
			delivery_sender_wind_up(delivery->sender);
		if (next == DELIVER_LEAVE && now < next)
			delivery_sender_leave(delivery->sender);
		now = next;
		delivery_step(delivery, 0);
		service_metrics_flush(delivery->service, false);
	}
	delivery_conclude(delivery);
}

static bool
journal_claim(struct delivery *delivery)
{
	for (guint i = 0; i < delivery_claimed(delivery); i++) {
		const struct store_outbox_entry *entry = delivery_claimed_entry(delivery, i);

		if (!service_journal_claim(delivery->service->process->journal, &entry->email_id,
			&entry->id, delivery->claim.token, &delivery->claim_fault))
			return false;
	}
	return true;
}

/* Whether a message is to be held and not sent: its entry was taken over from another machine,
   which may have sent it before that machine was lost, and [smtp] uncertain is hold. Then sets the
   outcomes. */
static bool
is_doubtful(const struct service *service, struct delivery_message *message)
{
	if (!message->entry.lost ||
	    config_settings_choice(service->settings, SETTING_SMTP_UNCERTAIN) == UNCERTAIN_RETRY)
		return false;
	for (guint i = 0; i < message->smtp.count; i++) {
		struct smtp_recipient *recipient = &message->smtp.recipients[i];

		recipient->outcome = SMTP_UNCERTAIN;
		recipient->text =
		    g_strdup("Another machine, which was lost, may have sent the message.");
	}
	return true;
}

/* Chooses the messages to send. Those that never killed a process come first, so that they have
   left if one of the others kills this process. */
static void
choose_sendable(struct delivery *delivery)
{
	const struct service *service = delivery->service;

	for (int suspect = 0; suspect < 2; suspect++)
		for (guint i = 0; i < delivery->messages->len; i++) {
			struct delivery_message *message = delivery->messages->pdata[i];

			if ((message->entry.deaths > 0) == suspect && !message->fault &&
			    message->smtp.count > 0 && !message->entry.is_test &&
			    !is_doubtful(service, message))
				g_ptr_array_add(delivery->sendable, message);
		}
}

static void
set_reply(
    struct smtp_recipient *recipient, enum smtp_outcome outcome, int code, const char *enhanced)
{
	recipient->outcome = outcome;
	recipient->stage = SMTP_STAGE_RCPT;
	recipient->code = code;
	g_strlcpy(recipient->enhanced, enhanced, sizeof(recipient->enhanced));
	recipient->text = g_strdup("test address");
}

/* Sets the outcome of a message whose entry is a test, as a relay's replies would. */
static void
answer_test(struct delivery_message *message)
{
	for (guint i = 0; i < message->smtp.count; i++) {
		struct smtp_recipient *recipient = &message->smtp.recipients[i];
		enum email_test_address behaviour = email_test_address(recipient->address, true);

		if (behaviour == TEST_ADDRESS_BOUNCED || behaviour == TEST_ADDRESS_UNKNOWN)
			set_reply(recipient, SMTP_PERMANENT, 550, "5.1.1");
		else if (behaviour == TEST_ADDRESS_DELAYED && message->entry.attempts == 0)
			set_reply(recipient, SMTP_TEMPORARY, 450, "4.2.0");
		else
			recipient->outcome = SMTP_SENT;
	}
	message->finished = base_clock_now();
}

/* Answers the messages to test addresses, which go to no relay. */
static void
answer_tests(struct delivery *delivery)
{
	for (guint i = 0; i < delivery->messages->len; i++) {
		struct delivery_message *message = delivery->messages->pdata[i];

		if (!message->entry.is_test || message->fault)
			continue;
		answer_test(message);
		g_ptr_array_add(delivery->unrecorded, message);
	}
}

/* Reads the emails of claimed entries, and sends nothing yet. */
static struct delivery *
delivery_prepare(struct service *service, const struct store_outbox_claim *claim, gint64 lease_end,
    const struct store_outbox_entry *entries, guint count, struct store_email *email)
{
	struct delivery *delivery = g_new0(struct delivery, 1);

	delivery->service = service;
	delivery->claim = *claim;
	delivery->lease_end = lease_end;
	delivery->messages = g_ptr_array_new_with_free_func(delivery_message_destroy);
	delivery->sendable = g_ptr_array_new();
	delivery->unrecorded = g_ptr_array_new();
	delivery->watch = email_watch_new();
	delivery->suspects = g_array_new(FALSE, FALSE, sizeof(struct store_outbox_entry));
	delivery->over = true;
	if (email) {
		g_ptr_array_add(delivery->messages, delivery_message_new(service, entries, email));
	} else {
		delivery_message_read(service, entries, count, delivery->messages);
		delivery_message_suppress(service, delivery->messages);
	}
	delivery_stream_hold(service, claim, delivery->messages);
	delivery_sending_hold(service, claim, delivery->messages);
	delivery_warmup_hold(service, claim, delivery->messages);
	choose_sendable(delivery);
	answer_tests(delivery);
	return delivery;
}

/* Starts the sender. If the claims cannot be journaled, nothing is sent and all entries are due
   again. */
static void
delivery_begin(struct delivery *delivery)
{
	if (journal_claim(delivery))
		delivery->sender = delivery_sender_start(delivery->service, delivery->claim.token,
		    delivery->lease_end,
		    (struct delivery_message *const *)delivery->sendable->pdata,
		    delivery->sendable->len);
	delivery->over = !delivery->sender;
}

struct delivery *
delivery_start(struct service *service, const struct store_outbox_claim *claim,
    const struct store_outbox_entry *entries, guint count, struct store_email *email)
{
	g_autofree struct store_outbox_entry *usual = g_new(struct store_outbox_entry, count);
	g_autoptr(GArray) suspects = g_array_new(FALSE, FALSE, sizeof(struct store_outbox_entry));
	gint64 lease_end = base_clock_boot() + claim->until - base_clock_now();
	guint usual_count = 0;

	for (guint i = 0; i < count; i++)
		if (entries[i].deaths < LIMIT_DEATHS)
			usual[usual_count++] = entries[i];
		else
			g_array_append_val(suspects, entries[i]);
	struct delivery *delivery =
	    delivery_prepare(service, claim, lease_end, usual, usual_count, email);
	g_array_append_vals(delivery->suspects, suspects->data, suspects->len);
	delivery_begin(delivery);
	return delivery;
}

static void
keep_claim(void *delivery)
{
	delivery_renew(delivery);
}

/* Delivers one entry that may kill this process, after the session of the others, when no other
   thread runs. A child process composes its message: if the child survives, the message is sent
   like any other; if it dies, the message has failed. */
static void
deliver_suspect(struct delivery *delivery, const struct store_outbox_entry *entry,
    enum delivery_pace (*pace)(const void *context), const void *context)
{
	struct delivery *own = delivery_prepare(
	    delivery->service, &delivery->claim, delivery->lease_end, entry, 1, NULL);
	struct delivery_message *message = own->messages->len > 0 ? own->messages->pdata[0] : NULL;

	if (own->sendable->len > 0 && pace(context) == DELIVER_GO_ON &&
	    base_clock_boot() < own->lease_end && journal_claim(own))
		own->content = delivery_message_compose_apart(
		    own->service, message, keep_claim, own, &message->fault);
	/* It was interrupted because this process has to leave: make it due again at once. */
	if (message && pace(context) == DELIVER_LEAVE &&
	    g_error_matches(message->fault, PH_ERROR, PH_ERROR_TEMPORARY))
		g_clear_error(&message->fault);
	if (own->content)
		delivery_begin(own);
	delivery_run_session(own, pace, context);
	if (delivery_trouble(own) && !delivery->record_fault)
		delivery->record_fault = g_error_copy(delivery_trouble(own));
	email_watch_join(delivery->watch, own->watch);
	delivery_free(own);
}

/* Delivers the entries that may kill this process. Once the journal is abandoned, delivery_recover
   takes care of them. */
static void
deliver_suspects(
    struct delivery *delivery, enum delivery_pace (*pace)(const void *context), const void *context)
{
	for (guint i = 0; i < delivery->suspects->len && delivery->service->process->journal; i++)
		deliver_suspect(delivery,
		    &g_array_index(delivery->suspects, struct store_outbox_entry, i), pace,
		    context);
	g_array_set_size(delivery->suspects, 0);
}

static enum delivery_pace
delivery_leave(const void *context)
{
	return DELIVER_LEAVE;
}

void
delivery_work(
    struct delivery *delivery, enum delivery_pace (*pace)(const void *context), const void *context)
{
	delivery_run_session(delivery, pace, context);
	deliver_suspects(delivery, pace, context);
}

const struct email_watch *
delivery_watch(const struct delivery *delivery)
{
	return delivery->watch;
}

const GError *
delivery_trouble(const struct delivery *delivery)
{
	if (delivery->record_fault)
		return delivery->record_fault;
	return journal_fault(delivery);
}

gint64
delivery_waits(const struct delivery *delivery)
{
	gint64 until = 0;

	for (guint i = 0; i < delivery->messages->len; i++) {
		const struct delivery_message *message = delivery->messages->pdata[i];

		until = MAX(until, message->wait.until);
	}
	return until;
}

void
delivery_free(struct delivery *delivery)
{
	delivery_wait(delivery, 0);
	deliver_suspects(delivery, delivery_leave, NULL);
	g_clear_pointer(&delivery->sender, delivery_sender_free);
	g_ptr_array_unref(delivery->messages);
	g_ptr_array_unref(delivery->sendable);
	g_ptr_array_unref(delivery->unrecorded);
	g_array_unref(delivery->suspects);
	email_watch_free(delivery->watch);
	g_clear_pointer(&delivery->content, g_bytes_unref);
	g_clear_error(&delivery->claim_fault);
	g_clear_error(&delivery->record_fault);
	g_free(delivery);
}
