/* SPDX-License-Identifier: MIT */
/* Decides from the outcomes of messages which events to record and what stays in the outbox. */
#include "delivery/outcome.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/id.h"
#include "base/secret.h"
#include "config/settings.h"
#include "delivery/bounce.h"
#include "delivery/message.h"
#include "delivery/outcome_rows.h"
#include "email/test_address.h"
#include "email/watched.h"
#include "mail/address.h"
#include "mail_report/failure.h"
#include "provider/provider.h"
#include "service/metrics.h"
#include "service/service.h"
#include "store/broadcast/broadcast.h"
#include "store/common/settle.h"
#include "store/consent/snooze.h"
#include "store/email/email.h"
#include "store/email/event.h"
#include "store/outbox/outbox.h"
#include "store/outbox/place.h"
#include "store/outbox/relay_copy.h"
#include "store/outbox/sending.h"

#define MINUTE ((gint64)60 * 1000)
#define HOUR (60 * MINUTE)
#define GIVE_UP (48 * HOUR)
#define TELL_AGAIN (4 * HOUR)

/* The pauses by the number of attempts made; the last one holds for all further attempts. */
static const gint64 delays[] = {
    MINUTE, MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR};

gint64
delivery_outcome_retry_at(guint attempts, gint64 since, gint64 now, double jitter)
{
	gint64 delay = delays[MIN(attempts, G_N_ELEMENTS(delays) - 1)];
	gint64 at = now + delay + (gint64)((double)delay * jitter / 10);

	return at - since > GIVE_UP ? 0 : at;
}

bool
delivery_outcome_tells_delay(gint64 last, gint64 now)
{
	return last == 0 || now - last >= TELL_AGAIN;
}

/* The recipients of a message that still have to get it. */
struct rest {
	struct store_outbox_entry entry;
	enum store_email_type type;	 /* of its email; 0: not known */
	const char *domain;		 /* the sender's; NULL: not known */
	const struct store_email *email; /* NULL: it could not be read */
	struct store_figure_origin origin;
	gint64 at;	    /* when the outcome was known */
	const char *reason; /* why it waits, though no event says so; NULL: none */
	const char *relay;  /* the name of the one that it went to; NULL: none */
	const struct smtp_recipient
	    *replies[OUTBOX_ENTRY_RECIPIENTS]; /* NULL: the relay was not asked */
};

static void
outcome_keep(struct rest *rest, guint16 number, const struct smtp_recipient *reply)
{
	rest->replies[rest->entry.count] = reply;
	rest->entry.recipients[rest->entry.count++] = number;
}

/* Whether the events of this status name the relay. */
static bool
tells_relay(enum store_event_status status)
{
	return status == EVENT_SENT || status == EVENT_DELAYED || status == EVENT_BOUNCED ||
	       status == EVENT_FAILED;
}

static struct store_event *
outcome_add_event(struct delivery_outcome_rows *changes, const struct rest *rest, guint number,
    enum store_event_status status)
{
	const struct store_event event = {
	    .workspace_id = rest->entry.workspace_id,
	    .email_id = rest->entry.email_id,
	    .type = rest->type,
	    .recipient = number,
	    .mailed = rest->email ? store_email_mailed(rest->email, number) : NULL,
	    .status = status,
	    .timestamp = rest->at,
	    .domain = rest->domain,
	    .relay = tells_relay(status) ? rest->relay : NULL,
	    .is_test = rest->entry.is_test,
	    .origin = rest->email ? &rest->origin : NULL,
	    .address = rest->email ? store_email_address(rest->email, number) : NULL,
	};

	g_array_append_val(changes->events, event);
	return &g_array_index(changes->events, struct store_event, changes->events->len - 1);
}

/* When the relay got the message. A report about it may come before the relay's reply was read, and
   belongs after this time. */
static gint64
outcome_sent_at(const struct delivery_message *message, const struct rest *rest)
{
	return message->handed ? message->handed : rest->at;
}

static struct mail_report_failure
failure_of(const struct smtp_recipient *reply)
{
	return mail_report_failure_read(reply->code, reply->enhanced, reply->text,
	    reply->stage == SMTP_STAGE_RCPT ? MAIL_REPORT_FAILURE_RCPT : MAIL_REPORT_FAILURE_DATA);
}

static enum store_bounce_type
bounce_type_of(const struct smtp_recipient *reply)
{
	return failure_of(reply).is_transient ? BOUNCE_TRANSIENT : BOUNCE_PERMANENT;
}

static struct store_event *
add_reply(struct delivery_outcome_rows *changes, const struct rest *rest, guint number,
    enum store_event_status status, const struct smtp_recipient *reply)
{
	struct store_event *event = outcome_add_event(changes, rest, number, status);

	event->smtp_response = delivery_outcome_rows_own(changes, delivery_message_reply(reply));
	event->enhanced_code = reply->enhanced[0] ? reply->enhanced : NULL;
	if (status == EVENT_BOUNCED)
		event->bounce_type = bounce_type_of(reply);
	return event;
}

/* Adds an event for each recipient that is left: with the reply or, if the relay was not asked,
   with why and its enhanced code, or NULL. why NULL: no event for those. */
static void
outcome_tell(struct delivery_outcome_rows *changes, const struct rest *rest,
    enum store_event_status status, const char *why, const char *enhanced)
{
	for (guint i = 0; i < rest->entry.count; i++) {
		guint number = rest->entry.recipients[i];

		if (rest->replies[i])
			add_reply(changes, rest, number, status, rest->replies[i]);
		else if (why) {
			struct store_event *event =
			    outcome_add_event(changes, rest, number, status);
			event->smtp_response = delivery_outcome_rows_own(changes, g_strdup(why));
			event->enhanced_code = enhanced;
		}
	}
}

/* Adds the event of a recipient that the relay refused for good: bounced for a reply to RCPT, since
   the mailbox may be wrong, else failed. */
static void
outcome_refuse(struct delivery_outcome_rows *changes, const struct delivery_message *message,
    const struct rest *rest, guint number, const struct smtp_recipient *reply)
{
	const struct delivery_bounce bounce = {&message->entry.workspace_id,
	    &message->entry.email_id, reply->address, bounce_type_of(reply),
	    failure_of(reply).is_gone};

	if (reply->stage != SMTP_STAGE_RCPT) {
		add_reply(changes, rest, number, EVENT_FAILED, reply);
		return;
	}
	if (rest->entry.is_test && email_test_address_bounces_late(reply->address))
		outcome_add_event(changes, rest, number, EVENT_SENT);
	/* The relay refused the recipient before it got the message for the others. */
	add_reply(changes, rest, number, EVENT_BOUNCED, reply)->timestamp =
	    outcome_sent_at(message, rest);
	if (!rest->entry.is_test)
		g_array_append_val(changes->bounces, bounce);
}

/* Adds the events of a test address that is to get the message. */
static void
accept_test(struct delivery_outcome_rows *changes, const struct rest *rest, guint number,
    const char *address)
{
	outcome_add_event(changes, rest, number, EVENT_DELIVERED);
	if (email_test_address(address, true) == TEST_ADDRESS_COMPLAINED)
		outcome_add_event(changes, rest, number, EVENT_COMPLAINED);
}

/* Adds the copy that a provider's relay has taken, by which the provider's reports are matched. */
static void
outcome_add_copy(
    struct delivery_outcome_rows *changes, const struct delivery_message *message, gint64 sent)
{
	const struct config_relay *relay =
	    config_settings_relay(changes->service->settings, (guint)message->relay);
	guint16 *numbers = delivery_outcome_rows_own(changes, g_new(guint16, message->smtp.count));
	struct store_relay_copy copy = {message->entry.id, message->entry.workspace_id,
	    message->entry.email_id, relay->name, NULL, sent, numbers, 0};
	const char *reply = NULL;

	for (guint i = 0; i < message->smtp.count; i++) {
		if (message->smtp.recipients[i].outcome != SMTP_SENT)
			continue;
		numbers[copy.count++] = message->entry.recipients[i];
		reply = message->smtp.recipients[i].text;
	}
	char *id = reply ? delivery_outcome_rows_own(changes, provider_reply_id(reply)) : NULL;
	if (id && strlen(id) <= STORE_RELAY_COPY_REPLY_BYTES && g_str_is_ascii(id))
		copy.reply = id;
	g_array_append_val(changes->copies, copy);
}

/* Makes the places lasting that the reached recipients of a mailing have. */
static void
outcome_keep_places(
    struct delivery_outcome_rows *changes, const struct delivery_message *message, gint64 sent)
{
	for (guint i = 0; i < message->smtp.count; i++) {
		const struct smtp_recipient *recipient = &message->smtp.recipients[i];
		struct store_place_sent place = {
		    message->entry.workspace_id, message->entry.id, NULL, sent};

		if (recipient->outcome != SMTP_SENT)
			continue;
		place.address =
		    delivery_outcome_rows_own(changes, mail_address_key(recipient->address));
		g_array_append_val(changes->places, place);
	}
}

/* Adds the events of recipients with a final outcome, and keeps the others in rest. *tried_r: the
   relay was asked about some of those. *uncertain_r: the relay may have accepted the message for
   some. */
static void
outcome_settle(struct delivery_outcome_rows *changes, const struct delivery_message *message,
    struct rest *rest, bool *tried_r, bool *uncertain_r)
{
	const struct config_relay *relay =
	    message->relay >= 0
		? config_settings_relay(changes->service->settings, (guint)message->relay)
		: NULL;
	bool final = relay && relay->final, sent = false;
	gint64 sent_at = outcome_sent_at(message, rest);

	for (guint i = 0; i < message->smtp.count; i++) {
		const struct smtp_recipient *reply = &message->smtp.recipients[i];
		guint16 number = message->entry.recipients[i];

		switch (reply->outcome) {
		case SMTP_SENT:
			sent = true;
			outcome_add_event(changes, rest, number, EVENT_SENT)->timestamp = sent_at;
			if (message->entry.is_test)
				accept_test(changes, rest, number, reply->address);
			else if (final)
				outcome_add_event(changes, rest, number, EVENT_DELIVERED)
				    ->timestamp = sent_at;
			break;
		case SMTP_PERMANENT:
			outcome_refuse(changes, message, rest, number, reply);
			break;
		case SMTP_NOT_TRIED:
			outcome_keep(rest, number, NULL);
			break;
		case SMTP_UNCERTAIN:
			*uncertain_r = true;
			/* fall through */
		case SMTP_TEMPORARY:
			*tried_r = true;
			outcome_keep(rest, number, reply);
			break;
		}
	}
	if (sent && message->email->ruled & STORE_SENDING_CAPS)
		outcome_keep_places(changes, message, sent_at);
	if (sent && relay && *relay->provider)
		outcome_add_copy(changes, message, rest->at);
}

static void
outcome_give_up(struct delivery_outcome_rows *changes, struct rest *rest, const char *why)
{
	outcome_tell(changes, rest, EVENT_FAILED, why, NULL);
	rest->entry.count = 0;
}

/* The time at which the rest is due again after an attempt. After the last retry the rest fails,
   and the result is 0. */
static gint64
outcome_postpone(struct delivery_outcome_rows *changes, struct rest *rest, const char *why)
{
	struct store_outbox_entry *entry = &rest->entry;
	guint attempts = entry->attempts + 1;
	gint64 at = delivery_outcome_retry_at(
	    attempts, entry->since, rest->at, g_random_double_range(-1, 1));

	if (at == 0) {
		outcome_give_up(changes, rest, why ? why : "The last retry is over");
		return 0;
	}
	entry->attempts = attempts;
	/* The event before was about a relay or a limit, and it is over. */
	if (entry->told != 0 || delivery_outcome_tells_delay(entry->delayed, rest->at)) {
		outcome_tell(changes, rest, EVENT_DELAYED, why, NULL);
		entry->delayed = rest->at;
		entry->told = 0;
	}
	return at;
}

/* A sum of a sentence, never 0. */
static gint64
outcome_sum_of(const char *sentence)
{
	guint8 digest[SHA256_SIZE];
	gsize size = sizeof(digest);
	g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
	gint64 sum;

	g_checksum_update(checksum, (const guchar *)sentence, -1);
	g_checksum_get_digest(checksum, digest, &size);
	memcpy(&sum, digest, sizeof(sum));
	return sum ? sum : 1;
}

/* The time at which the rest is due again that no relay took, which is no attempt: a minute later
   to the ms, when the relay's rest is over. Earlier it would find the relay resting, and wait for
   another minute. The same sentence is recorded once in a row. */
static gint64
await_relay(
    struct delivery_outcome_rows *changes, struct rest *rest, const struct relay_refusal *refusal)
{
	struct store_outbox_entry *entry = &rest->entry;
	const char *enhanced = *refusal->enhanced ? refusal->enhanced : NULL;
	gint64 sum = outcome_sum_of(refusal->text);
	gint64 at = delivery_outcome_retry_at(0, entry->since, rest->at, 0);

	if (at == 0) {
		outcome_tell(changes, rest, EVENT_FAILED, refusal->text, enhanced);
		entry->count = 0;
	} else if (entry->told != sum) {
		outcome_tell(changes, rest, EVENT_DELAYED, refusal->text, enhanced);
		entry->delayed = rest->at;
		entry->told = sum;
	}
	return at;
}

/* The time at which the rest is due again that waits for its turn, which is no attempt and no
   event. */
static gint64
outcome_await_turn(
    struct delivery_outcome_rows *changes, struct rest *rest, const struct relay_pace_wait *wait)
{
	if (wait->is_long)
		rest->entry.since = wait->until;
	if (wait->until - rest->entry.since > GIVE_UP) {
		outcome_give_up(changes, rest, wait->text);
		return 0;
	}
	rest->reason = wait->text;
	return wait->until;
}

/* The time at which the rest is due again that exceeds its domain's limit of a day, or the pace of
   its stream. The retry
   schedule counts from then on. */
static gint64
await_day(struct delivery_outcome_rows *changes, struct rest *rest,
    const struct delivery_message *message)
{
	struct store_outbox_entry *entry = &rest->entry;
	gint64 sum = outcome_sum_of(message->held_why);

	if (entry->told != sum && !message->held_quietly) {
		outcome_tell(changes, rest, EVENT_DELAYED, message->held_why, NULL);
		entry->delayed = rest->at;
		entry->told = sum;
	}
	rest->reason = message->held_why;
	entry->since = message->held_until;
	return message->held_until;
}

/* The time at which the rest is due again if the broadcast, which was paused, goes on meanwhile. It
   is no attempt and no event; the retry schedule counts from then on. */
static gint64
await_broadcast(struct delivery_outcome_rows *changes, struct rest *rest,
    const struct delivery_message *message)
{
	const struct delivery_record_pause pause = {
	    rest->entry.workspace_id, message->broadcast.id, changes->ends->len, rest->at};

	g_array_append_val(changes->pauses, pause);
	rest->reason = STORE_BROADCAST_PAUSED;
	rest->entry.since = rest->at;
	return rest->at;
}

/* Adds the events of recipients that rules of sending skip, and the others of those that they keep
   back to entry. Returns when the first of these may leave, and sets *why_r; 0: there is none. */
static gint64
outcome_keep_back(struct delivery_outcome_rows *changes, const struct rest *rest,
    const struct delivery_message *message, struct store_outbox_entry *entry, const char **why_r)
{
	const GArray *back = message->back;
	gint64 first = 0;

	for (guint i = 0; back && i < back->len; i++) {
		const struct delivery_back *one = &g_array_index(back, struct delivery_back, i);

		if (one->until == 0) {
			struct store_event *event =
			    outcome_add_event(changes, rest, one->number, EVENT_SUPPRESSED);
			event->timestamp = outcome_sent_at(message, rest);
			event->smtp_response = one->why;
			continue;
		}
		entry->recipients[entry->count++] = one->number;
		if (first && first <= one->until)
			continue;
		first = one->until;
		*why_r = one->why;
	}
	return first;
}

/* Recipients that rules keep back wait, which is no attempt and no event; the retry schedule counts
   from then on. Beside others that are tried again they get an entry of their own. Returns whether
   they are all that is left, due at *at_r. */
static bool
outcome_wait(struct delivery_outcome_rows *changes, const struct delivery_message *message,
    struct rest *rest, gint64 *at_r)
{
	bool is_whole = rest->entry.count + message->held_count == 0;
	struct store_outbox_entry *entry =
	    is_whole ? &rest->entry
		     : delivery_outcome_rows_own(changes, g_new0(struct store_outbox_entry, 1));
	const char *why = NULL;

	if (!is_whole) {
		entry->id = base_id_new();
		entry->workspace_id = rest->entry.workspace_id;
		entry->email_id = rest->entry.email_id;
		entry->is_test = rest->entry.is_test;
		entry->is_bulk = rest->entry.is_bulk;
	}
	gint64 opening = outcome_keep_back(changes, rest, message, entry, &why);
	*at_r = opening;
	if (opening == 0)
		return false;
	entry->since = opening;
	if (is_whole) {
		rest->reason = why;
		return true;
	}
	const struct store_outbox_end end = {entry, opening, why};
	g_array_append_val(changes->ends, end);
	g_ptr_array_add(changes->splits, entry);
	return false;
}

/* Holds the rest, until an operator has found out whether the relay accepted it. */
static gint64
outcome_hold(struct delivery_outcome_rows *changes, struct rest *rest)
{
	rest->entry.attempts++;
	outcome_tell(changes, rest, EVENT_DELAYED, NULL, NULL);
	rest->entry.told = 0;
	rest->entry.delayed = rest->at;
	return 0;
}

#define BUSY_MS 1000 /* until a message is due again whose relays have all their sessions */

/* Judges a message after a session. Returns when the rest is due again; 0: never, or held. *left_r:
   some had no final outcome. */
static gint64
judge_session(struct delivery_outcome_rows *changes, const struct delivery_message *message,
    struct rest *rest, bool *left_r)
{
	bool tried = false, uncertain = false;
	gint64 at;

	outcome_settle(changes, message, rest, &tried, &uncertain);
	guint left = rest->entry.count;
	if (outcome_wait(changes, message, rest, &at))
		return at;
	for (guint i = 0; i < message->held_count; i++)
		outcome_keep(rest, message->held[i], NULL);
	if (rest->entry.count == 0)
		return 0;
	*left_r = true;
	if (message->broadcast.is_paused)
		return await_broadcast(changes, rest, message);
	if (left == 0)
		return await_day(changes, rest, message);
	if (uncertain && config_settings_choice(
			     changes->service->settings, SETTING_SMTP_UNCERTAIN) == UNCERTAIN_HOLD)
		return outcome_hold(changes, rest);
	if (tried)
		return outcome_postpone(changes, rest, NULL);
	if (message->wait.until)
		return outcome_await_turn(changes, rest, &message->wait);
	if (*message->refusal.text)
		return await_relay(changes, rest, &message->refusal);
	return message->is_busy ? rest->at + BUSY_MS : rest->at;
}

static bool
outcome_is_permanent(const GError *fault)
{
	return g_error_matches(fault, PH_ERROR, PH_ERROR_NOT_FOUND) ||
	       g_error_matches(fault, PH_ERROR, PH_ERROR_INVALID) ||
	       g_error_matches(fault, PH_ERROR, PH_ERROR_TOO_LARGE);
}

/* Judges a message that was not given to the relay: it fails or is postponed. */
static gint64
judge_fault(struct delivery_outcome_rows *changes, const struct delivery_message *message,
    struct rest *rest)
{
	const GError *fault = message->fault;

	for (guint i = 0; i < message->entry.count; i++)
		outcome_keep(rest, message->entry.recipients[i], NULL);
	for (guint i = 0; i < message->held_count; i++)
		outcome_keep(rest, message->held[i], NULL);
	gint64 at;
	if (outcome_wait(changes, message, rest, &at))
		return at;
	if (outcome_is_permanent(fault)) {
		outcome_give_up(changes, rest, message->email ? fault->message : NULL);
		return 0;
	}
	if (!g_error_matches(fault, PH_ERROR, PH_ERROR_TEMPORARY))
		return outcome_postpone(changes, rest, fault->message);
	/* The database was not reached for a moment: no event. */
	return delivery_outcome_retry_at(0, rest->at, rest->at, g_random_double_range(-1, 1));
}

static enum store_broadcast_fate
fate_of(const struct delivery_outcome_rows *changes, guint first,
    const struct delivery_message *message)
{
	enum store_broadcast_fate fate =
	    message->broadcast.is_dropped ? FATE_CANCELLED : FATE_SKIPPED;

	for (guint i = first; i < changes->events->len; i++)
		switch (g_array_index(changes->events, struct store_event, i).status) {
		case EVENT_SENT:
			return FATE_SENT;
		case EVENT_BOUNCED:
		case EVENT_FAILED:
			fate = FATE_FAILED;
			break;
		default:
			break;
		}
	return fate;
}

/* Adds what became of the person of a broadcast, of whom nothing is left to do. first: the place of
   the message's first event. */
static void
add_result(struct delivery_outcome_rows *changes, const struct delivery_message *message,
    const struct rest *rest, guint first)
{
	const struct delivery_part_recipient *broadcast = &message->broadcast;
	struct store_broadcast_result result = {.workspace_id = message->entry.workspace_id,
	    .broadcast_id = broadcast->id,
	    .person_id = broadcast->person_id,
	    .variant = broadcast->variant,
	    .fate = fate_of(changes, first, message)};

	result.sent = result.fate == FATE_SENT ? outcome_sent_at(message, rest) : 0;
	result.is_tried = message->finished != 0 && result.fate != FATE_SKIPPED;
	if (result.fate == FATE_SKIPPED)
		result.reason = broadcast->reason ? broadcast->reason : REASON_SUPPRESSED;
	changes->snoozed += result.reason == REASON_SNOOZED;
	g_array_append_val(changes->results, result);
}

/* Adds the events of recipients who were left out before the message was handed over. */
static void
outcome_add_suppressed(struct delivery_outcome_rows *changes,
    const struct delivery_message *message, const struct rest *rest)
{
	for (guint i = 0; i < message->suppressed_count; i++) {
		struct store_event *event =
		    outcome_add_event(changes, rest, message->suppressed[i], EVENT_SUPPRESSED);

		event->timestamp = outcome_sent_at(message, rest);
		event->smtp_response = message->suppressed_why;
		if (!message->snoozed[i])
			continue;
		event->smtp_response =
		    delivery_outcome_rows_own(changes, store_snooze_text(message->snoozed[i]));
		changes->snoozed++;
	}
}

static void
outcome_judge(struct delivery_outcome_rows *changes, struct delivery_message *message)
{
	guint first = changes->events->len;
	struct rest *rest = delivery_outcome_rows_own(changes, g_new0(struct rest, 1));
	struct store_outbox_end end = {&rest->entry, 0, NULL};
	bool tried = message->finished != 0, left = false;

	rest->entry = message->entry;
	rest->entry.count = 0;
	rest->type = message->email ? message->email->type : 0;
	rest->domain = message->email ? message->email->domain : NULL;
	rest->email = message->email;
	if (rest->email)
		rest->origin = store_email_origin(rest->email);
	rest->at = tried ? message->finished : base_clock_now();
	if (message->relay >= 0 && (tried || *message->refusal.text))
		rest->relay =
		    config_settings_relay(changes->service->settings, (guint)message->relay)->name;
	else if (message->entry.is_test && tried)
		rest->relay = TEST_ADDRESS_RELAY;
	outcome_add_suppressed(changes, message, rest);
	end.ready_at = message->fault && !tried ? judge_fault(changes, message, rest)
						: judge_session(changes, message, rest, &left);
	message->gave_up = left && rest->entry.count == 0;
	if (message->broadcast.is_set && rest->entry.count == 0)
		add_result(changes, message, rest, first);
	end.reason = rest->reason;
	g_array_append_val(changes->ends, end);
}

/* Wakes the broadcasts of results. One that is not woken, because the database was lost meanwhile,
   looks itself after a while. */
static void
wake_broadcasts(struct service *service, const GArray *results)
{
	const struct base_id *known = NULL;

	for (guint i = 0; i < results->len; i++) {
		const struct store_broadcast_result *result =
		    &g_array_index(results, struct store_broadcast_result, i);

		if (!known || !base_id_equal(known, &result->broadcast_id))
			store_broadcast_wake(
			    service->db, &result->workspace_id, &result->broadcast_id, NULL);
		known = &result->broadcast_id;
	}
}

bool
delivery_outcome_record(struct service *service, const struct store_outbox_claim *claim,
    struct delivery_message *const *messages, guint count, struct email_watch *watch,
    GError **error)
{
	struct delivery_outcome_rows changes;
	g_autoptr(GError) local = NULL;

	delivery_outcome_rows_begin(&changes, service, claim);
	for (guint i = 0; i < count; i++)
		outcome_judge(&changes, messages[i]);
	bool done = delivery_outcome_rows_write(&changes, &local);
	if (done) {
		const struct store_event *events = (void *)changes.events->data;

		service_metrics_events(events, changes.events->len);
		if (changes.snoozed > 0)
			service_metrics_add(
			    METRIC_MAILINGS_SKIPPED, changes.snoozed, "snoozed", NULL);
		for (guint i = 0; i < count; i++)
			if (messages[i]->suppressed_why)
				service_metrics_add(METRIC_MAILINGS_SKIPPED, 1, "ended", NULL);
		if (watch)
			email_watch_add(watch, events, changes.events->len);
		wake_broadcasts(service, changes.results);
	}
	delivery_outcome_rows_clear(&changes);
	if (done)
		return true;
	if (!g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_propagate_error(error, g_steal_pointer(&local));
		return false;
	}
	/* The message has no claim any more. If its outcome is recorded, that must be on the disk
	   before the journal forgets it. */
	if (count == 1)
		return store_settle(service->db, error);
	/* A claim was lost: record each message alone, and leave out the one without a claim. */
	for (guint i = 0; i < count; i++)
		if (!delivery_outcome_record(service, claim, &messages[i], 1, watch, error))
			return false;
	return true;
}
