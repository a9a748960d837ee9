/* SPDX-License-Identifier: MIT */
/* Writes what became of parcels. */
#include "core/record_entry.h"

#include "base/error.h"
#include "core/bounce.h"
#include "core/core.h"
#include "db/transaction.h"
#include "store/email.h"
#include "store/outbox.h"

void
core_record_entry_begin(
    struct core_record_entry *entry, struct core *core, const struct store_outbox_claim *claim)
{
	*entry = (struct core_record_entry){
	    .core = core,
	    .claim = claim,
	    .events = g_array_new(FALSE, TRUE, sizeof(struct store_event)),
	    .sent = g_array_new(FALSE, TRUE, sizeof(struct store_email_sent)),
	    .ends = g_array_new(FALSE, TRUE, sizeof(struct store_outbox_end)),
	    .bounces = g_array_new(FALSE, TRUE, sizeof(struct core_bounce)),
	    .owned = g_ptr_array_new_with_free_func(g_free),
	};
}

void
core_record_entry_clear(struct core_record_entry *entry)
{
	g_array_unref(entry->events);
	g_array_unref(entry->sent);
	g_array_unref(entry->ends);
	g_array_unref(entry->bounces);
	g_ptr_array_unref(entry->owned);
}

void *
core_record_entry_own(struct core_record_entry *entry, void *pointer)
{
	g_ptr_array_add(entry->owned, pointer);
	return pointer;
}

static bool
suppress_bounced(const struct core_record_entry *entry, GError **error)
{
	bool suppressed;

	for (guint i = 0; i < entry->bounces->len; i++) {
		const struct core_bounce *bounce =
		    &g_array_index(entry->bounces, struct core_bounce, i);

		if (!core_bounce_suppress(entry->core, bounce->workspace, bounce->address,
			bounce->type, bounce->gone, &suppressed, error))
			return false;
	}
	return true;
}

static bool
write_entry(struct db *db, void *context, GError **error)
{
	struct core_record_entry *entry = context;
	guint kept;

	if (!store_outbox_end(db, entry->claim,
		(const struct store_outbox_end *)(void *)entry->ends->data, entry->ends->len, &kept,
		error))
		return false;
	if (kept != entry->ends->len) {
		g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "a claim has been lost");
		return false;
	}
	return store_email_sent(db, (const struct store_email_sent *)(void *)entry->sent->data,
		   entry->sent->len, error) &&
	       suppress_bounced(entry, error) &&
	       store_event_insert(db, (struct store_event *)(void *)entry->events->data,
		   entry->events->len, error);
}

bool
core_record_entry_write(struct core_record_entry *entry, GError **error)
{
	return db_transact(entry->core->db, write_entry, entry, error);
}
