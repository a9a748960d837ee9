/* SPDX-License-Identifier: MIT */
/* Records the events that a provider reports. */
#include "feedback/provider_record.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/email.h"
#include "consent/unsubscribe.h"
#include "db/transaction.h"
#include "delivery/bounce.h"
#include "email/watched.h"
#include "feedback/broadcast_health.h"
#include "feedback/provider_match.h"
#include "link/robot.h"
#include "person/suppress.h"
#include "service/metrics.h"
#include "service/service.h"
#include "smtp/message.h"
#include "store/broadcast/engagement.h"
#include "store/common/settle.h"
#include "store/email/event.h"
#include "text/network.h"

#define AHEAD_MS ((gint64)5 * 60 * 1000)

static const struct {
	enum store_event_status status;
	enum store_bounce_type bounce;
	bool once;	/* for each recipient */
	bool responded; /* the event shows a response */
} kinds[] = {
    [PROVIDER_DELIVERED] = {EVENT_DELIVERED, .once = true},
    [PROVIDER_DELAYED] = {EVENT_DELAYED, .responded = true},
    [PROVIDER_BOUNCED] = {EVENT_BOUNCED, BOUNCE_PERMANENT, true, true},
    [PROVIDER_BOUNCED_NOW] = {EVENT_BOUNCED, BOUNCE_TRANSIENT, .responded = true},
    [PROVIDER_SUPPRESSED] = {EVENT_SUPPRESSED, .responded = true},
    [PROVIDER_FAILED] = {EVENT_FAILED, .responded = true},
    [PROVIDER_COMPLAINED] = {EVENT_COMPLAINED, .once = true},
    [PROVIDER_OPENED] = {EVENT_OPENED},
    [PROVIDER_CLICKED] = {EVENT_CLICKED},
    [PROVIDER_UNSUBSCRIBED] = {EVENT_UNSUBSCRIBED, .once = true},
};

/* The matches of a request that are being recorded, sorted by recipient and time. */
struct recording {
	struct service *service;
	const struct store_provider *endpoint;
	const struct feedback_provider_signed *signed_alone;
	const struct feedback_provider_match *matches;
	const struct store_provider_digest *digests; /* of the matches */
	gint64 *times;				     /* of the matches */
	guint count;
	GStringChunk *texts; /* of the events */
	gint64 now;
	GArray *events;	   /* struct store_event: the result */
	GArray *additions; /* struct person_suppress_addition: the addresses that bounced */
	struct delivery_bounce_counts *transients;
};

static struct store_engagement_name
provider_record_name_of(const struct feedback_provider_match *match)
{
	return (struct store_engagement_name){match->email_id, match->number};
}

static gint64
provider_record_time_of(const struct feedback_provider_match *match, gint64 now)
{
	gint64 time = match->event->time;

	if (time <= 0 || time > now + AHEAD_MS)
		time = now;
	return MAX(time, match->sent);
}

static int
by_recipient_and_time(const void *a, const void *b, void *now)
{
	const struct feedback_provider_match *one = a, *other = b;
	struct store_engagement_name first = provider_record_name_of(one),
				     second = provider_record_name_of(other);
	gint64 before = provider_record_time_of(one, *(gint64 *)now),
	       after = provider_record_time_of(other, *(gint64 *)now);
	int order = store_engagement_compare(&first, &second);

	return order ? order : (before > after) - (before < after);
}

/* The key of an event, by which it is recorded once. */
static void
digest(const struct feedback_provider_match *match, struct store_provider_digest *digest_r)
{
	g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
	const guint32 numbers[] = {
	    match->number, kinds[match->event->kind].status, kinds[match->event->kind].bounce};
	gsize size = SHA256_SIZE;

	g_checksum_update(
	    checksum, (const guchar *)match->email_id.bytes, sizeof(match->email_id.bytes));
	g_checksum_update(checksum, (const guchar *)numbers, sizeof(numbers));
	g_checksum_update(checksum, (const guchar *)match->event->key, -1);
	g_checksum_get_digest(checksum, digest_r->bytes, &size);
}

/* Whether a bounce for good speaks about our mail, its content or its size, and not about the
   mailbox. */
static bool
is_about_mail(const char *enhanced)
{
	return enhanced &&
	       (g_str_has_prefix(enhanced, "5.7.") || g_str_has_prefix(enhanced, "5.6.") ||
		   strcmp(enhanced, "5.3.4") == 0);
}

static void
provider_record_suppress(struct recording *recording, const struct store_engagement *reader)
{
	const struct person_suppress_addition addition = {
	    reader->workspace_id, reader->email_id, reader->address, SUPPRESSION_BOUNCED};

	g_array_append_val(recording->additions, addition);
}

/* Counts a transient bounce of a reader, and suppresses the address if it is one too many. */
static bool
count_transient(struct recording *recording, const struct store_engagement *reader, GError **error)
{
	const struct delivery_bounce bounce = {
	    &reader->workspace_id, &reader->email_id, reader->address, BOUNCE_TRANSIENT, false};
	bool suppress;

	if (!delivery_bounce_judge(
		recording->service, &bounce, recording->transients, &suppress, error))
		return false;
	if (suppress)
		provider_record_suppress(recording, reader);
	return true;
}

/* Does what the event means for its recipient besides the event. */
static bool
provider_record_act(struct recording *recording, const struct store_engagement *reader,
    struct store_event *event, GError **error)
{
	const struct service *service = recording->service;
	bool done;

	if (event->status == EVENT_BOUNCED && event->bounce_type == BOUNCE_TRANSIENT)
		return count_transient(recording, reader, error);
	if (event->status == EVENT_BOUNCED && !is_about_mail(event->enhanced_code))
		provider_record_suppress(recording, reader);
	/* A person who complains wants no mailings any more. */
	if (event->status == EVENT_COMPLAINED)
		return person_suppress_put(service,
		    &(struct person_suppress_addition){reader->workspace_id, reader->email_id,
			reader->address, SUPPRESSION_COMPLAINED},
		    error);
	return event->status != EVENT_UNSUBSCRIBED ||
	       consent_unsubscribe_reader(service->db, service, reader, &done, error);
}

/* At most count characters of a text; NULL for NULL. */
static const char *
provider_record_cut(struct recording *recording, const char *text, glong count)
{
	if (!text)
		return NULL;
	g_autofree char *head = g_utf8_substring(text, 0, MIN(g_utf8_strlen(text, -1), count));
	return g_string_chunk_insert(recording->texts, head);
}

static const char *
provider_record_address_of(struct recording *recording, const char *ip)
{
	char text[ADDRESS_TEXT_SIZE];
	struct text_network_address address;

	return ip && text_network_address(ip, &address)
		   ? g_string_chunk_insert(recording->texts, text_network_format(&address, text))
		   : NULL;
}

static struct store_event
make_event(struct recording *recording, const struct feedback_provider_match *match, gint64 time,
    const struct store_engagement *reader)
{
	const struct provider_event *given = match->event;
	struct store_event event = {
	    .workspace_id = reader->workspace_id,
	    .email_id = reader->email_id,
	    .type = reader->type,
	    .recipient = reader->number,
	    .mailed = reader->is_mailing ? reader->address : NULL,
	    .status = kinds[given->kind].status,
	    .bounce_type = kinds[given->kind].bounce,
	    .timestamp = time,
	    .origin = &reader->origin,
	    .address = reader->address,
	};

	if (kinds[given->kind].responded && given->response) {
		g_autofree char *line = smtp_message_text(given->response);
		event.smtp_response = g_string_chunk_insert(recording->texts, line);
	}
	if (kinds[given->kind].responded)
		event.enhanced_code = given->enhanced;
	if (event.status == EVENT_DELAYED || event.status == EVENT_BOUNCED ||
	    event.status == EVENT_FAILED)
		event.relay = recording->endpoint->relay;
	if (event.status != EVENT_OPENED && event.status != EVENT_CLICKED)
		return event;
	event.ip = provider_record_address_of(recording, given->ip);
	event.user_agent =
	    provider_record_cut(recording, given->user_agent, LIMIT_USER_AGENT_LENGTH);
	/* Not every provider tells the User-Agent. */
	event.automated = given->automated || (event.user_agent && *event.user_agent &&
						  link_robot_is_agent(event.user_agent));
	if (event.status == EVENT_CLICKED)
		event.link = provider_record_cut(recording, given->link, LIMIT_URL_LENGTH);
	return event;
}

/* Whether an event is to be recorded for its reader, who has had events of these statuses. */
static bool
provider_record_is_wanted(
    const struct feedback_provider_match *match, struct store_engagement *reader, guint *statuses)
{
	enum store_event_status status = kinds[match->event->kind].status;
	guint bit = 1u << status;

	if (status == EVENT_OPENED || status == EVENT_CLICKED) {
		bool wanted = reader->engagements < LIMIT_ENGAGEMENTS;
		reader->engagements += wanted;
		return wanted;
	}
	if (!kinds[match->event->kind].once)
		return true;
	if (*statuses & bit)
		return false;
	*statuses |= bit;
	return true;
}

/* The readers of the new events, locked, and the events that they are to have. */
struct readers {
	GArray *names;	    /* struct store_engagement_name */
	GPtrArray *readers; /* struct store_engagement; NULL: is gone */
	guint *statuses;
	GPtrArray *engaged; /* those of readers whose opens and clicks are counted */
};

static void
readers_clear(struct readers *readers)
{
	g_array_unref(readers->names);
	g_clear_pointer(&readers->readers, g_ptr_array_unref);
	g_free(readers->statuses);
	g_ptr_array_unref(readers->engaged);
}

static bool
lock_readers(struct db *db, const struct recording *recording, const bool *is_new,
    struct readers *readers, GError **error)
{
	for (guint i = 0; i < recording->count; i++) {
		struct store_engagement_name name = provider_record_name_of(&recording->matches[i]);
		guint count = readers->names->len;

		if (is_new[i] &&
		    (count == 0 || store_engagement_compare(
				       &name, &g_array_index(readers->names,
						  struct store_engagement_name, count - 1)) != 0))
			g_array_append_val(readers->names, name);
	}
	const struct store_engagement_name *names = (void *)readers->names->data;
	readers->statuses = g_new0(guint, readers->names->len);
	readers->readers = store_engagement_lock_all(db, names, readers->names->len, error);
	return readers->readers &&
	       store_engagement_statuses(db, names, readers->names->len, readers->statuses, error);
}

/* Makes the events, and does what they mean besides. */
static bool
provider_record_collect(
    struct recording *recording, const bool *is_new, struct readers *readers, GError **error)
{
	guint place = 0;

	for (guint i = 0; i < recording->count; i++) {
		const struct feedback_provider_match *match = &recording->matches[i];
		struct store_engagement_name name = provider_record_name_of(match);

		if (!is_new[i])
			continue;
		while (store_engagement_compare(
			   &g_array_index(readers->names, struct store_engagement_name, place),
			   &name) != 0)
			place++;
		struct store_engagement *reader = readers->readers->pdata[place];
		gint64 engagements = reader ? reader->engagements : 0;
		if (!reader || !provider_record_is_wanted(match, reader, &readers->statuses[place]))
			continue;
		if (reader->engagements != engagements &&
		    !g_ptr_array_find(readers->engaged, reader, NULL))
			g_ptr_array_add(readers->engaged, reader);
		struct store_event event =
		    make_event(recording, match, recording->times[i], reader);
		if (!provider_record_act(recording, reader, &event, error))
			return false;
		g_array_append_val(recording->events, event);
	}
	return true;
}

static bool
provider_record_write_events(struct db *db, struct recording *recording, const bool *is_new,
    struct readers *readers, GError **error)
{
	GArray *events = recording->events;

	g_array_set_size(events, 0);
	g_array_set_size(recording->additions, 0);
	AUTO(delivery_bounce_counts) transients = delivery_bounce_counts_new();
	recording->transients = transients;
	if (!lock_readers(db, recording, is_new, readers, error) ||
	    !provider_record_collect(recording, is_new, readers, error) ||
	    !person_suppress_put_all(recording->service,
		(const struct person_suppress_addition *)(void *)recording->additions->data,
		recording->additions->len, error))
		return false;
	return events->len == 0 ||
	       (store_event_insert(
		    db, (struct store_event *)(void *)events->data, events->len, error) &&
		   store_engagement_count(db, readers->engaged,
		       (const struct store_event *)(void *)events->data, events->len, error));
}

/* Refuses a signed text that came with another body before. */
static bool
check_signed(struct db *db, const struct recording *recording, GError **error)
{
	const struct feedback_provider_signed *given = recording->signed_alone;
	g_autofree char *text = given->text ? g_strconcat("signed ", given->text, NULL) : NULL;
	struct store_provider_digest digest;
	guint8 sum[SHA256_SIZE];
	gint64 body;
	bool known;

	if (!text)
		return true;
	base_secret_sha256(text, strlen(text), digest.bytes);
	base_secret_sha256(given->body, given->size, sum);
	memcpy(&body, sum, sizeof(body));
	return store_provider_note_signed(
		   db, &recording->endpoint->id, &digest, body, &known, error) &&
	       (known || base_fail(error, PH_ERROR_FORBIDDEN, "Signature is not valid"));
}

static bool
write_recording(struct db *db, void *context, GError **error)
{
	struct recording *recording = context;
	g_autofree bool *is_new = g_new0(bool, recording->count);
	struct readers readers = {
	    .names = g_array_new(FALSE, FALSE, sizeof(struct store_engagement_name)),
	    .engaged = g_ptr_array_new(),
	};
	bool done = check_signed(db, recording, error) &&
		    (recording->count == 0 ||
			(store_provider_note(db, &recording->endpoint->id, recording->digests,
			     recording->count, is_new, error) &&
			    provider_record_write_events(db, recording, is_new, &readers, error)));

	readers_clear(&readers);
	return done;
}

static bool
provider_record_record(struct recording *recording, GError **error)
{
	g_autofree struct store_provider_digest *digests =
	    g_new(struct store_provider_digest, recording->count);
	g_autofree gint64 *times = g_new(gint64, recording->count);

	for (guint i = 0; i < recording->count; i++) {
		digest(&recording->matches[i], &digests[i]);
		times[i] = provider_record_time_of(&recording->matches[i], recording->now);
	}
	recording->digests = digests;
	recording->times = times;
	recording->texts = g_string_chunk_new(4096);
	recording->additions = g_array_new(FALSE, FALSE, sizeof(struct person_suppress_addition));
	bool done = db_transact(recording->service->db, write_recording, recording, error);
	if (done) {
		const struct store_event *events = (void *)recording->events->data;

		service_metrics_events(events, recording->events->len);
		AUTO(email_watch) watch = email_watch_new();
		email_watch_add(watch, events, recording->events->len);
		feedback_broadcast_health(recording->service, watch);
	}
	g_string_chunk_free(recording->texts);
	g_array_unref(recording->additions);
	return done;
}

bool
feedback_provider_record(struct service *service, const struct store_provider *endpoint,
    const struct provider_batch *batch, const struct feedback_provider_signed *signed_alone,
    struct feedback_provider_result *result, GError **error)
{
	g_autoptr(GArray) matches =
	    feedback_provider_match(service, endpoint->relay, batch, &result->unmatched, error);
	gint64 now = base_clock_now();

	if (!matches)
		return false;
	for (guint i = 0; i < batch->events->len; i++)
		result->ignored += ((const struct provider_event *)batch->events->pdata[i])->kind ==
				   PROVIDER_OTHER;
	g_array_sort_with_data(matches, by_recipient_and_time, &now);
	g_autoptr(GArray) events = g_array_new(FALSE, FALSE, sizeof(struct store_event));
	struct recording recording = {.service = service,
	    .endpoint = endpoint,
	    .signed_alone = signed_alone,
	    .matches = (const struct feedback_provider_match *)(void *)matches->data,
	    .count = matches->len,
	    .now = now,
	    .events = events};
	if ((matches->len > 0 || signed_alone->text) && !provider_record_record(&recording, error))
		return false;
	/* The provider does not send again what was known; the COMMIT of that may still wait for
	   the disk. */
	if (matches->len > 0 && events->len == 0 && !store_settle(service->db, error))
		return false;
	result->recorded = events->len;
	result->duplicate = matches->len - events->len;
	result->received = matches->len + result->unmatched + result->ignored;
	return true;
}
