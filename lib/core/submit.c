/* SPDX-License-Identifier: MIT */
/* Stores emails, and attempts them once in sync mode. */
#include "core/submit.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/settings.h"
#include "core/core.h"
#include "core/deliver.h"
#include "core/draft.h"
#include "core/journal.h"
#include "core/quota.h"
#include "core/relay.h"
#include "db/connection.h"
#include "db/transaction.h"
#include "store/email.h"
#include "store/webhook_tell.h"

/* Records an event for each suppressed recipient. */
static bool
store_suppressed(struct db *db, const struct core_draft *const *drafts, guint count, GError **error)
{
	g_autoptr(GArray) events = g_array_new(FALSE, FALSE, sizeof(struct store_event));

	for (guint d = 0; d < count; d++) {
		const struct store_email *email = drafts[d]->email;

		for (guint i = 0; i < email->recipients->len; i++) {
			const struct store_event event = {
			    .workspace_id = email->workspace_id,
			    .email_id = email->id,
			    .type = email->type,
			    .recipient = i,
			    .status = EVENT_SUPPRESSED,
			    .timestamp = email->created,
			};

			if (drafts[d]->suppressed[i])
				g_array_append_val(events, event);
		}
	}
	return store_event_insert(
	    db, (struct store_event *)(void *)events->data, events->len, error);
}

/* Stores the outbox entries, which are due when their drafts are. */
static bool
store_entries(struct db *db, const struct core_draft *const *drafts, guint count,
    const struct store_outbox_claim *claim, GError **error)
{
	g_autoptr(GArray) entries = g_array_new(FALSE, FALSE, sizeof(struct store_outbox_entry));

	for (guint i = 0; i < count; i++)
		if (drafts[i]->count > 0)
			g_array_append_vals(entries, drafts[i]->entries, drafts[i]->count);
	return store_outbox_insert(
	    db, (struct store_outbox_entry *)(void *)entries->data, entries->len, 0, claim, error);
}

/* Tells webhooks of the emails that are scheduled. */
static bool
tell(struct db *db, const struct store_email *const *emails, guint count, GError **error)
{
	for (guint i = 0; i < count; i++)
		if (emails[i]->scheduled_at &&
		    !store_webhook_tell_email(db, &emails[i]->workspace_id, &emails[i]->id,
			WEBHOOK_EMAIL_SCHEDULED, error))
			return false;
	return true;
}

static bool
store_drafts(struct db *db, const struct core_draft *const *drafts, guint count,
    const struct store_outbox_claim *claim, GError **error)
{
	g_autofree const struct store_email **emails = g_new(const struct store_email *, count);

	for (guint i = 0; i < count; i++)
		emails[i] = drafts[i]->email;
	return store_email_insert(db, emails, count, error) &&
	       store_suppressed(db, drafts, count, error) &&
	       store_entries(db, drafts, count, claim, error) && tell(db, emails, count, error);
}

bool
core_submit_store(
    struct db *db, const struct core_draft *const *drafts, guint count, GError **error)
{
	return store_drafts(db, drafts, count, NULL, error);
}

static struct core_sending *
sending_of(const struct core_request *request)
{
	return (struct core_sending *)request;
}

/* The keys come first, so that a repeated request waits before it does any work. The quotas come
   last, since many transactions count in the same rows. */
static bool
store(struct core *core, struct core_request *const *requests, guint count, GError **error)
{
	bool done = core_request_take(core, requests, count, error);

	for (guint i = 0; done && i < count; i++) {
		const struct core_sending *sending = sending_of(requests[i]);

		done = store_drafts(core->db, (const struct core_draft *const *)&sending->draft, 1,
		    sending->slot ? &sending->claim : NULL, error);
	}
	for (guint i = 0; done && i < count; i++) {
		const struct core_sending *sending = sending_of(requests[i]);
		const struct store_email *email = sending->draft->email;

		done = store_quota_add(core->db, &email->workspace_id, &sending->draft->quota,
		    email->recipients->len, sending->now, error);
	}
	return done;
}

static void
failed(struct core *core, struct core_request *request)
{
	const struct core_sending *sending = sending_of(request);
	const struct store_email *email = sending->draft->email;

	/* The COMMIT may have stored the claim. Close the journal, so that recovery can take the
	   claim over while this process lives on. */
	if (sending->slot && g_error_matches(request->error, PH_ERROR, PH_ERROR_UNCERTAIN))
		core_journal_close(g_steal_pointer(&core->journal));
	if (!g_error_matches(request->error, PH_ERROR, PH_ERROR_LIMITED))
		return;
	g_clear_error(&request->error);
	core_quota_refuse(core, &email->workspace_id, &sending->draft->quota,
	    email->recipients->len, sending->now, &request->error);
}

static void
free_sending(struct core_request *request)
{
	struct core_sending *sending = sending_of(request);

	g_clear_pointer(&sending->draft, core_draft_free);
	g_clear_pointer(&sending->slot, core_relay_slot_free);
	g_clear_error(&sending->trouble);
	g_free(sending);
}

static const struct core_request_kind kind = {
    .store = store,
    .fixed_ids = true,
    .failed = failed,
    .free = free_sending,
};

/* Makes the draft of a request that is not replayed. */
static bool
make_draft(struct core *core, const struct base_id *workspace,
    const struct core_submission *submission, struct core_sending *sending, GError **error)
{
	sending->draft = core_draft_new(core, workspace, submission, error);
	if (!sending->draft)
		return false;
	const struct store_email *email = sending->draft->email;
	sending->id = email->id;
	sending->now = base_clock_now();
	return core_quota_check(
	    core, workspace, &sending->draft->quota, email->recipients->len, sending->now, error);
}

struct core_sending *
core_send_check(struct core *core, const struct base_id *workspace,
    const struct core_submission *submission, const struct core_idempotency *idempotency,
    GError **error)
{
	struct core_sending *sending = g_new0(struct core_sending, 1);
	AUTO(core_request) request = &sending->request;

	request->kind = &kind;
	if (idempotency)
		request->idempotency = *idempotency;
	if (!core_request_find(core, request, error) ||
	    (!request->replayed && !make_draft(core, workspace, submission, sending, error)))
		return NULL;
	request = NULL;
	return sending;
}

/* Takes a slot for an attempt now. NULL when the attempt is left to the spool: in spool mode, for a
   scheduled email, without a journal, and while all relays rest or are busy. NULL also when there
   is nothing to send. */
static struct core_relay_slot *
find_slot(struct core *core, const struct core_draft *draft, GError **trouble)
{
	if (base_settings_choice(core->settings, SETTING_SERVICE_MODE) != MODE_SYNC ||
	    draft->email->scheduled_at || draft->count == 0 || !core_ensure_journal(core, trouble))
		return NULL;
	return core_relay_slot_take(core->settings, 0, trouble);
}

void
core_send_claim(struct core *core, struct core_sending *sending)
{
	if (sending->draft)
		sending->slot = find_slot(core, sending->draft, &sending->trouble);
	if (sending->slot)
		sending->claim = core_deliver_claim(core);
}

struct core_delivery *
core_send_attempt(struct core *core, struct core_sending *sending)
{
	struct core_draft *draft = sending->draft;

	if (!sending->slot || sending->request.replayed)
		return NULL;
	struct store_email *email = draft->count == 1 ? g_steal_pointer(&draft->email) : NULL;
	struct core_delivery *delivery = core_deliver_start(core, g_steal_pointer(&sending->slot),
	    &sending->claim, draft->entries, draft->count, email);

	if (!core_deliver_wait(delivery, base_clock_boot() + LIMIT_SYNC_ATTEMPT_MS))
		return delivery;
	core_deliver_free(delivery);
	return NULL;
}
