/* SPDX-License-Identifier: MIT */
/* Records the journals of processes that have ended without recording them. */
#include "delivery/recover.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "config/settings.h"
#include "delivery/message.h"
#include "delivery/outcome.h"
#include "relay/relay.h"
#include "service/journal.h"
#include "service/service.h"
#include "store/automation/execution.h"
#include "store/automation/step_request.h"
#include "store/common/settle.h"
#include "store/outbox/outbox.h"

static struct smtp_recipient *
recipient_of(struct delivery_message *message, guint16 number)
{
	for (guint i = 0; i < message->smtp.count; i++)
		if (message->entry.recipients[i] == number)
			return &message->smtp.recipients[i];
	return NULL;
}

/* Sets the outcomes from the journal, as the session would have. */
static void
set_outcomes(const struct service *service, struct delivery_message *message,
    const struct service_journal_entry *journaled)
{
	/* A done record has all recipients, so without one they are all uncertain. */
	for (guint i = 0; journaled->data && !journaled->done && i < message->smtp.count; i++) {
		struct smtp_recipient *recipient = &message->smtp.recipients[i];

		recipient->outcome = SMTP_UNCERTAIN;
		recipient->stage = SMTP_STAGE_DATA;
		recipient->text = g_strdup(
		    "The process that sent it was ended before the relay's reply was read");
	}
	for (guint i = 0; i < journaled->replies->len; i++) {
		const struct service_journal_reply *reply =
		    &g_array_index(journaled->replies, struct service_journal_reply, i);
		struct smtp_recipient *recipient = recipient_of(message, reply->number);

		if (!recipient)
			continue;
		recipient->outcome = (enum smtp_outcome)reply->outcome;
		recipient->stage = (enum smtp_stage)reply->stage;
		recipient->code = reply->code;
		g_strlcpy(recipient->enhanced, reply->enhanced, sizeof(recipient->enhanced));
		g_free(recipient->text);
		recipient->text = g_strdup(reply->text);
	}
	message->relay =
	    journaled->relay ? relay_find(service->settings, journaled->relay) : RELAY_NONE;
	message->finished = journaled->done ? journaled->finished : base_clock_now();
}

/* Counts the death as an attempt too. The entry is due again at once, behind all others. */
static void
count_death(struct store_outbox_entry *entry)
{
	entry->attempts++;
	entry->deaths++;
}

/* Counts a death for the execution, then clears the mark, so that it is counted once. If this
   process dies in between, it is counted twice; the execution is then stepped in a child process
   earlier, which does no harm. */
static bool
recover_execution(struct service *service, struct service_journal *journal,
    const struct base_id *execution, GError **error)
{
	if (!store_execution_blame(service->db, execution, error))
		return false;
	service_journal_idle(journal);
	return true;
}

static bool
recover_entry(struct service *service, const struct service_journal_entry *journaled,
    struct email_watch *watch, GError **error)
{
	struct store_outbox_claim claim = {.token = journaled->token};
	struct store_outbox_entry entry;
	bool found;

	if (!store_outbox_find(service->db, journaled->has_email ? &journaled->email : NULL,
		&journaled->id, journaled->token, &entry, &found, error))
		return false;
	if (!found)
		return true;
	if (journaled->composing)
		count_death(&entry);
	g_autoptr(GPtrArray) messages = g_ptr_array_new_with_free_func(delivery_message_destroy);
	delivery_message_read(service, &entry, 1, messages);
	struct delivery_message *message = messages->pdata[0];
	if (message->email) {
		set_outcomes(service, message, journaled);
	} else if (!g_error_matches(message->fault, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_propagate_error(error, g_steal_pointer(&message->fault));
		return false;
	}
	return delivery_outcome_record(service, &claim, &message, 1, watch, error);
}

bool
delivery_recover(struct service *service, struct email_watch *watch, GError **error)
{
	const char *dir = config_settings_text(service->settings, SETTING_SPOOL_DIR);
	GPtrArray *read;
	struct service_journal *journal;

	while ((journal = service_journal_next(dir, &read))) {
		g_autoptr(GPtrArray) entries = read;

		for (guint i = 0; i < entries->len; i++) {
			const struct service_journal_entry *journaled = entries->pdata[i];

			if (service_ensure(service, error) &&
			    (journaled->stepping
				    ? recover_execution(service, journal, &journaled->id, error)
				    : recover_entry(service, journaled, watch, error)))
				continue;
			service_journal_abandon(journal);
			return false;
		}
		/* An entry that is not found any more may have been recorded by a COMMIT that still
		   waits for the disk. */
		if (!service_ensure(service, error) ||
		    !store_step_request_release(
			service->db, service_journal_owner(journal), base_clock_now(), error) ||
		    (entries->len > 0 && !store_settle(service->db, error))) {
			service_journal_abandon(journal);
			return false;
		}
		service_journal_close(journal);
	}
	return true;
}
