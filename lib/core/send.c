/* SPDX-License-Identifier: MIT */
/* One request to send: stored, and in sync mode attempted once. */
#include "core/send.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/settings.h"
#include "core/core.h"
#include "core/deliver.h"
#include "core/draft.h"
#include "core/journal.h"
#include "core/relay_slot.h"
#include "core/submit.h"
#include "store/email.h"
#include "store/key.h"

/* Where an attempt may be made now. NULL without a journal and while all relays rest or are busy:
   then it is left to the spool; and where there is nothing to send. */
static struct core_relay_slot *
find_slot(struct core *core, const struct core_draft *draft, GError **trouble)
{
	if (base_settings_choice(core->settings, SETTING_SERVICE_MODE) != MODE_SYNC ||
	    draft->email->scheduled_at || draft->count == 0 || !core_ensure_journal(core, trouble))
		return NULL;
	return core_relay_slot_take(core->settings, 0, trouble);
}

/* A stored draft whose copies this process has claimed, with leave for a session. */
struct core_attempt {
	struct core_relay_slot *slot;
	struct store_outbox_claim claim;
	struct core_draft *draft;
};

struct core_delivery *
core_send_attempt(struct core *core, struct core_attempt *attempt)
{
	AUTO(core_draft) draft = attempt->draft;
	struct store_email *email = draft->count == 1 ? g_steal_pointer(&draft->email) : NULL;
	struct core_delivery *delivery = core_deliver_start(
	    core, attempt->slot, &attempt->claim, draft->copies, draft->count, email);

	g_free(attempt);
	if (!core_deliver_wait(delivery, base_clock_boot() + LIMIT_SYNC_ATTEMPT_MS))
		return delivery;
	core_deliver_free(delivery);
	return NULL;
}

/* Takes the draft. */
static bool
send_draft(struct core *core, struct core_draft *given, struct store_idempotency *idempotency,
    struct core_send_result *sending, GError **error)
{
	AUTO(core_draft) draft = given;
	AUTO(core_relay_slot) slot = find_slot(core, draft, &sending->trouble);
	struct store_outbox_claim claim = {0};
	struct core_submit_answer answer;

	if (slot)
		claim = core_deliver_claim(core);
	if (!core_submit(core, draft, idempotency, slot ? &claim : NULL, &answer, error)) {
		/* A claim that may be there is not this process's for as long as it lives. */
		if (slot && error && g_error_matches(*error, PH_ERROR, PH_ERROR_UNCERTAIN))
			core_journal_close(g_steal_pointer(&core->journal));
		g_clear_error(&sending->trouble);
		return false;
	}
	sending->answer = answer.text;
	sending->replayed = answer.replayed;
	if (slot && !answer.replayed) {
		sending->attempt = g_new(struct core_attempt, 1);
		*sending->attempt =
		    (struct core_attempt){g_steal_pointer(&slot), claim, g_steal_pointer(&draft)};
	}
	return true;
}

bool
core_send(struct core *core, const struct store_key *key, const struct core_submission *submission,
    struct store_idempotency *idempotency, struct core_send_result *sending_r, GError **error)
{
	struct core_submit_answer answer;

	*sending_r = (struct core_send_result){0};
	if (idempotency) {
		if (!core_submit_replay(core, idempotency, &answer, error))
			return false;
		sending_r->answer = answer.text;
		sending_r->replayed = answer.replayed;
		if (answer.replayed)
			return true;
	}
	struct core_draft *draft = core_draft_new(core, &key->workspace_id, submission, error);
	return draft && send_draft(core, draft, idempotency, sending_r, error);
}
