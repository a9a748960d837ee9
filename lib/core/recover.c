/* SPDX-License-Identifier: MIT */
/* What processes that were killed have left behind. */
#include "core/recover.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/settings.h"
#include "core/core.h"
#include "core/journal.h"
#include "core/journal_record.h"
#include "core/message.h"
#include "core/record.h"
#include "store/execution_write.h"
#include "store/outbox.h"

static struct smtp_recipient *
recipient_of(struct core_message *parcel, guint16 number)
{
	for (guint i = 0; i < parcel->message.count; i++)
		if (parcel->copy.recipients[i] == number)
			return &parcel->message.recipients[i];
	return NULL;
}

/* The outcomes that the journal knows, as a session would have set them. */
static void
set_outcomes(struct core_message *parcel, const struct core_journal_entry *entry)
{
	/* An answer names all to whom it was sent. */
	for (guint i = 0; entry->data && !entry->done && i < parcel->message.count; i++) {
		struct smtp_recipient *recipient = &parcel->message.recipients[i];

		recipient->outcome = SMTP_UNCERTAIN;
		recipient->stage = SMTP_STAGE_DATA;
		recipient->text = g_strdup(
		    "The process that sent it was ended before the relay's reply was read");
	}
	for (guint i = 0; i < entry->replies->len; i++) {
		const struct core_journal_reply *reply =
		    &g_array_index(entry->replies, struct core_journal_reply, i);
		struct smtp_recipient *recipient = recipient_of(parcel, reply->number);

		if (!recipient)
			continue;
		recipient->outcome = (enum smtp_outcome)reply->outcome;
		recipient->stage = (enum smtp_stage)reply->stage;
		recipient->code = reply->code;
		g_strlcpy(recipient->enhanced, reply->enhanced, sizeof(recipient->enhanced));
		g_free(recipient->text);
		recipient->text = g_strdup(reply->text);
	}
	parcel->finished = entry->done ? entry->finished : base_clock_now();
}

/* An attempt, after which it is due again at once, behind all others. */
static void
count_death(struct store_outbox_entry *copy)
{
	copy->attempts++;
	copy->deaths++;
}

/* Counted once; but for a process that dies between the two, which matters to nobody: one death
   more only has the execution stepped in a child. */
static bool
recover_execution(struct core *core, struct core_journal *journal, const struct base_id *execution,
    GError **error)
{
	if (!store_execution_blame(core->db, execution, error))
		return false;
	core_journal_idle(journal);
	return true;
}

static bool
recover_entry(struct core *core, const struct core_journal_entry *entry, GError **error)
{
	struct store_outbox_claim claim = {.token = entry->token};
	struct store_outbox_entry copy;
	bool found;

	if (!store_outbox_find(core->db, &entry->copy, entry->token, &copy, &found, error))
		return false;
	if (!found)
		return true;
	if (entry->composing)
		count_death(&copy);
	g_autoptr(GPtrArray) parcels =
	    g_ptr_array_new_with_free_func((GDestroyNotify)core_message_free);
	core_message_read(core, &copy, 1, parcels);
	struct core_message *parcel = parcels->pdata[0];
	if (parcel->email) {
		set_outcomes(parcel, entry);
	} else if (!g_error_matches(parcel->fault, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_propagate_error(error, g_steal_pointer(&parcel->fault));
		return false;
	}
	return core_record(core, &claim, &parcel, 1, NULL, error);
}

bool
core_recover(struct core *core, GError **error)
{
	const char *dir = base_settings_text(core->settings, SETTING_SPOOL_DIR);
	GPtrArray *read;
	struct core_journal *journal;

	while ((journal = core_journal_next(dir, &read))) {
		g_autoptr(GPtrArray) entries = read;

		for (guint i = 0; i < entries->len; i++) {
			const struct core_journal_entry *entry = entries->pdata[i];

			if (core_ensure(core, error) &&
			    (entry->stepping ? recover_execution(core, journal, &entry->copy, error)
					     : recover_entry(core, entry, error)))
				continue;
			core_journal_abandon(journal);
			return false;
		}
		core_journal_close(journal);
	}
	return true;
}
