/* SPDX-License-Identifier: MIT */
#include "delivery/outcome_rows.h"

#include "base/error.h"
#include "db/transaction.h"
#include "delivery/bounce.h"
#include "service/service.h"
#include "store/broadcast/broadcast.h"
#include "store/broadcast/recipient.h"
#include "store/email/email.h"
#include "store/outbox/outbox.h"
#include "store/outbox/place.h"
#include "store/outbox/relay_copy.h"

#define PAUSED_MS                                                                                  \
	((gint64)60 * 60 * 1000) /* until a message of a paused broadcast is looked at again */

void
delivery_outcome_rows_begin(struct delivery_outcome_rows *changes, struct service *service,
    const struct store_outbox_claim *claim)
{
	*changes = (struct delivery_outcome_rows){
	    .service = service,
	    .claim = claim,
	    .events = g_array_new(FALSE, TRUE, sizeof(struct store_event)),
	    .ends = g_array_new(FALSE, TRUE, sizeof(struct store_outbox_end)),
	    .bounces = g_array_new(FALSE, TRUE, sizeof(struct delivery_bounce)),
	    .results = g_array_new(FALSE, TRUE, sizeof(struct store_broadcast_result)),
	    .places = g_array_new(FALSE, TRUE, sizeof(struct store_place_sent)),
	    .copies = g_array_new(FALSE, TRUE, sizeof(struct store_relay_copy)),
	    .pauses = g_array_new(FALSE, TRUE, sizeof(struct delivery_record_pause)),
	    .splits = g_ptr_array_new(),
	    .owned = g_ptr_array_new_with_free_func(g_free),
	};
}

void
delivery_outcome_rows_clear(struct delivery_outcome_rows *changes)
{
	g_array_unref(changes->events);
	g_array_unref(changes->ends);
	g_array_unref(changes->bounces);
	g_array_unref(changes->results);
	g_array_unref(changes->places);
	g_array_unref(changes->copies);
	g_array_unref(changes->pauses);
	g_ptr_array_unref(changes->splits);
	g_ptr_array_unref(changes->owned);
}

void *
delivery_outcome_rows_own(struct delivery_outcome_rows *changes, void *pointer)
{
	g_ptr_array_add(changes->owned, pointer);
	return pointer;
}

static bool
suppress_bounced(const struct delivery_outcome_rows *changes, GError **error)
{
	bool suppressed;

	for (guint i = 0; i < changes->bounces->len; i++) {
		const struct delivery_bounce *bounce =
		    &g_array_index(changes->bounces, struct delivery_bounce, i);

		if (!delivery_bounce_suppress(changes->service, bounce, &suppressed, error))
			return false;
	}
	return true;
}

/* Makes messages due at once whose broadcast is paused no more:
   1. The message is read, and its broadcast is paused.
   2. The broadcast goes on, and hastens what waits for it, but not what is claimed.
   3. We end the claim. From now on the broadcast is locked, so that it cannot go on meanwhile. */
static bool
end_pauses(struct db *db, const struct delivery_outcome_rows *changes, GError **error)
{
	const struct base_id *known = NULL;
	bool is_paused = false;

	for (guint i = 0; i < changes->pauses->len; i++) {
		const struct delivery_record_pause *pause =
		    &g_array_index(changes->pauses, struct delivery_record_pause, i);

		if ((!known || !base_id_equal(known, &pause->broadcast)) &&
		    !store_broadcast_hold_pause(
			db, &pause->workspace, &pause->broadcast, &is_paused, error))
			return false;
		known = &pause->broadcast;
		g_array_index(changes->ends, struct store_outbox_end, pause->place).ready_at =
		    is_paused ? pause->at + PAUSED_MS : pause->at;
	}
	return true;
}

/* Makes entries for recipients that wait apart from the others of their message, with the claim,
   which is ended with that of the others. */
static bool
outcome_rows_split(struct db *db, const struct delivery_outcome_rows *changes, GError **error)
{
	for (guint i = 0; i < changes->splits->len; i++)
		if (!store_outbox_insert(
			db, changes->splits->pdata[i], 1, 0, changes->claim, error))
			return false;
	return true;
}

static bool
outcome_rows_write_changes(struct db *db, void *context, GError **error)
{
	struct delivery_outcome_rows *changes = context;
	guint kept;

	if (!end_pauses(db, changes, error) || !outcome_rows_split(db, changes, error))
		return false;
	if (!store_outbox_end(db, changes->claim,
		(const struct store_outbox_end *)(void *)changes->ends->data, changes->ends->len,
		&kept, error))
		return false;
	if (kept != changes->ends->len) {
		g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "a claim has been lost");
		return false;
	}
	return store_place_keep(db, (const struct store_place_sent *)(void *)changes->places->data,
		   changes->places->len, error) &&
	       store_relay_copy_add(db,
		   (const struct store_relay_copy *)(void *)changes->copies->data,
		   changes->copies->len, error) &&
	       suppress_bounced(changes, error) &&
	       store_broadcast_settle(db,
		   (const struct store_broadcast_result *)(void *)changes->results->data,
		   changes->results->len, error) &&
	       store_event_insert(db, (struct store_event *)(void *)changes->events->data,
		   changes->events->len, error);
}

bool
delivery_outcome_rows_write(struct delivery_outcome_rows *changes, GError **error)
{
	return db_transact(changes->service->db, outcome_rows_write_changes, changes, error);
}
