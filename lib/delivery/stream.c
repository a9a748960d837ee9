/* SPDX-License-Identifier: MIT */
/* Holds messages of streams that are paused, or have reached the most recipients of an hour. */
#include "delivery/stream.h"

#include <string.h>

#include "base/clock.h"
#include "db/transaction.h"
#include "delivery/message.h"
#include "service/service.h"
#include "store/email/email.h"
#include "store/outbox/outbox.h"
#include "store/outbox/stream.h"
#include "store/workspace/workspace.h"

#define HOUR_MS ((gint64)60 * 60 * 1000)
/* A message of a paused stream is looked at again after this time, if no change of the stream makes
   it due. */
#define PAUSED_MS (24 * HOUR_MS)

/* The decision on a message. */
struct share {
	struct delivery_message *message;
	guint granted;			 /* recipients that it may reach now */
	gint64 until;			 /* when the rest is due again */
	struct store_outbox_entry entry; /* all of it, if nobody may be reached */
};

/* The messages of one stream of a workspace. */
struct stream_batch {
	const struct store_outbox_claim *claim;
	struct base_id workspace;
	enum store_stream stream;
	GArray *shares; /* struct share */
	gint64 now, hour;
	char *reason; /* why some of them wait; NULL: none does */
};

static bool
stream_concerns(const struct delivery_message *message)
{
	return message->email && message->email->is_limited && !message->fault &&
	       message->smtp.count > 0 && !store_workspace_is_system(&message->entry.workspace_id);
}

static bool
stream_is_same(const struct delivery_message *message, const struct stream_batch *batch)
{
	return store_email_stream(message->email) == batch->stream &&
	       base_id_equal(&message->entry.workspace_id, &batch->workspace);
}

/* The whole entry, with the recipients that were suppressed: the next attempt records those. */
static void
stream_take_entry(struct share *share)
{
	const struct delivery_message *message = share->message;
	struct store_outbox_entry *entry = &share->entry;

	*entry = message->entry;
	for (guint i = 0; i < message->suppressed_count; i++)
		entry->recipients[entry->count++] = message->suppressed[i];
}

/* Begins to count the hour, unless it has begun. A machine whose clock is behind counts in the hour
   of the others. */
static void
stream_begin_hour(struct stream_batch *batch, struct store_stream_state *state)
{
	batch->hour = batch->now / HOUR_MS;
	if (state->hour == batch->hour + 1) {
		batch->hour = state->hour;
	} else if (state->hour != batch->hour) {
		state->hour = batch->hour;
		state->used = 0;
	}
}

/* Books the turn of so many recipients: the hour in which those before them are through. */
static gint64
stream_book(struct stream_batch *batch, struct store_stream_state *state, guint recipients)
{
	state->booked = MAX(state->booked, (batch->hour + 1) * HOUR_MS);
	gint64 turn = state->booked / HOUR_MS * HOUR_MS;
	state->booked += recipients * HOUR_MS / state->per_hour;
	return turn;
}

/* Shares the recipients that the hour has left among the messages, in their order. */
static void
stream_share(struct stream_batch *batch, struct store_stream_state *state)
{
	for (guint i = 0; i < batch->shares->len; i++) {
		struct share *share = &g_array_index(batch->shares, struct share, i);
		guint count = share->message->smtp.count;
		gint64 left = MAX(state->per_hour - state->used, 0);

		share->granted = state->paused		? 0
				 : state->per_hour == 0 ? count
							: (guint)MIN(left, count);
		state->used += share->granted;
		if (share->granted == count)
			continue;
		share->until = state->paused ? batch->now + PAUSED_MS
					     : stream_book(batch, state, count - share->granted);
		if (!state->paused)
			share->entry.since = share->until;
		if (!batch->reason)
			batch->reason = state->paused ? store_stream_paused_reason(batch->stream)
						      : store_stream_paced_reason(
							    batch->stream, state->per_hour);
	}
}

/* Gives the entries of whole messages back to the outbox. */
static bool
stream_end(struct db *db, const struct stream_batch *batch, GError **error)
{
	g_autoptr(GArray) ends = g_array_new(FALSE, FALSE, sizeof(struct store_outbox_end));
	guint kept;

	for (guint i = 0; i < batch->shares->len; i++) {
		const struct share *share = &g_array_index(batch->shares, struct share, i);
		const struct store_outbox_end end = {&share->entry, share->until, batch->reason};

		if (share->granted == 0)
			g_array_append_val(ends, end);
	}
	return ends->len == 0 ||
	       store_outbox_end(db, batch->claim,
		   (const struct store_outbox_end *)(void *)ends->data, ends->len, &kept, error);
}

static bool
stream_decide(struct db *db, void *context, GError **error)
{
	struct stream_batch *batch = context;
	struct store_stream_state state;

	g_clear_pointer(&batch->reason, g_free);
	for (guint i = 0; i < batch->shares->len; i++)
		stream_take_entry(&g_array_index(batch->shares, struct share, i));
	if (!store_stream_lock(db, &batch->workspace, batch->stream, &state, error))
		return false;
	stream_begin_hour(batch, &state);
	stream_share(batch, &state);
	return (state.paused || state.per_hour == 0 ||
		   store_stream_count(db, &batch->workspace, batch->stream, &state, error)) &&
	       stream_end(db, batch, error);
}

/* Holds what exceeds the pace, and takes out what was given back. */
static void
stream_apply(struct service *service, const struct stream_batch *batch, GPtrArray *messages)
{
	for (guint i = 0; i < batch->shares->len; i++) {
		const struct share *share = &g_array_index(batch->shares, struct share, i);
		struct delivery_message *message = share->message;

		if (share->granted == 0) {
			g_ptr_array_remove(messages, message);
			continue;
		}
		message->paced = share->granted;
		message->paced_hour = batch->hour;
		if (share->granted == message->smtp.count)
			continue;
		delivery_message_hold(service, message, share->granted);
		message->held_quietly = true;
		message->held_until = share->until;
		g_strlcpy(message->held_why, batch->reason, sizeof(message->held_why));
	}
}

static void
stream_run(struct service *service, struct stream_batch *batch, GPtrArray *messages)
{
	g_autoptr(GError) fault = NULL;

	if (service_ensure(service, &fault) &&
	    db_transact(service->db, stream_decide, batch, &fault))
		stream_apply(service, batch, messages);
	for (guint i = 0; fault && i < batch->shares->len; i++)
		g_array_index(batch->shares, struct share, i).message->fault = g_error_copy(fault);
}

/* The streams of the messages, each once, as an array of struct stream_batch. */
static GArray *
stream_batches(const GPtrArray *messages, const struct store_outbox_claim *claim)
{
	GArray *batches = g_array_new(FALSE, FALSE, sizeof(struct stream_batch));

	for (guint i = 0; i < messages->len; i++) {
		struct delivery_message *message = messages->pdata[i];
		struct share share = {.message = message};
		guint place = 0;

		if (!stream_concerns(message))
			continue;
		while (
		    place < batches->len &&
		    !stream_is_same(message, &g_array_index(batches, struct stream_batch, place)))
			place++;
		if (place == batches->len) {
			const struct stream_batch batch = {.claim = claim,
			    .workspace = message->entry.workspace_id,
			    .stream = store_email_stream(message->email),
			    .shares = g_array_new(FALSE, FALSE, sizeof(struct share)),
			    .now = base_clock_now()};

			g_array_append_val(batches, batch);
		}
		g_array_append_val(
		    g_array_index(batches, struct stream_batch, place).shares, share);
	}
	return batches;
}

void
delivery_stream_hold(
    struct service *service, const struct store_outbox_claim *claim, GPtrArray *messages)
{
	g_autoptr(GArray) batches = stream_batches(messages, claim);

	for (guint i = 0; i < batches->len; i++) {
		struct stream_batch *batch = &g_array_index(batches, struct stream_batch, i);

		stream_run(service, batch, messages);
		g_array_unref(batch->shares);
		g_free(batch->reason);
	}
}

/* The recipients of a message that were counted and not tried. */
static guint
stream_untried(const struct delivery_message *message)
{
	guint tried = 0;

	for (guint i = 0; message->finished != 0 && i < message->smtp.count; i++)
		tried += message->smtp.recipients[i].outcome != SMTP_NOT_TRIED;
	return message->paced > tried ? message->paced - tried : 0;
}

void
delivery_stream_return(struct service *service, const GPtrArray *messages)
{
	for (guint i = 0; i < messages->len; i++) {
		const struct delivery_message *message = messages->pdata[i];
		guint untried = stream_untried(message);

		if (untried > 0 && service_ensure(service, NULL))
			store_stream_return(service->db, &message->entry.workspace_id,
			    store_email_stream(message->email), message->paced_hour, untried, NULL);
	}
}
