/* SPDX-License-Identifier: MIT */
/* Stores emails, attempts them once in sync mode, and cancels scheduled ones. */
#include "core/submit.h"

#include <string.h>

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
#include "json/writer.h"
#include "store/email.h"
#include "store/idempotency.h"
#include "store/key.h"
#include "store/outbox.h"

#define TRIES 3

/* A draft and all that is stored with it. */
struct storing {
	const struct core_draft *draft;
	const struct store_idempotency *idempotency;
	const struct store_outbox_claim *claim;
	gint64 now; /* when it is accepted */
};

static char *
answer_of(const struct store_email *email)
{
	AUTO(json_writer) writer = json_writer_new();
	char id[ID_TEXT_SIZE];

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", base_id_format(&email->id, id));
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

/* Records an event for each suppressed recipient. */
static bool
store_suppressed(struct db *db, const struct core_draft *draft, GError **error)
{
	const struct store_email *email = draft->email;
	g_autofree struct store_event *events = g_new0(struct store_event, email->recipients->len);
	guint count = 0;

	for (guint i = 0; i < email->recipients->len; i++) {
		if (!draft->suppressed[i])
			continue;
		events[count++] = (struct store_event){
		    .workspace_id = email->workspace_id,
		    .email_id = email->id,
		    .type = email->type,
		    .recipient = i,
		    .status = EVENT_SUPPRESSED,
		    .timestamp = email->created,
		};
	}
	return store_event_insert(db, events, count, error);
}

static bool
store_draft(struct db *db, const struct core_draft *draft, const struct store_outbox_claim *claim,
    GError **error)
{
	return store_email_insert(db, draft->email, error) && store_suppressed(db, draft, error) &&
	       store_outbox_insert(db, draft->entries, draft->count, draft->due, claim, error);
}

bool
core_submit_store(struct db *db, const struct core_draft *draft, GError **error)
{
	return store_draft(db, draft, NULL, error);
}

static bool
store(struct db *db, void *context, GError **error)
{
	const struct storing *storing = context;
	const struct store_email *email = storing->draft->email;

	return (!storing->idempotency ||
		   store_idempotency_take(db, storing->idempotency, email->created, error)) &&
	       store_draft(
		   db, storing->draft, email->scheduled_at ? NULL : storing->claim, error) &&
	       store_quota_add(db, &email->workspace_id, &storing->draft->quota,
		   email->recipients->len, storing->now, error);
}

/* Stores a draft exactly once, although the answer to a COMMIT may be lost:
   1. The COMMIT's answer is lost: the transaction may be stored, or may still be on its way.
   2. The same transaction runs again, with the same ids. A query instead could miss a transaction
   that is still on its way.
   3. If the first one was stored, the second fails with a duplicate email id, or with the
   idempotency key taken, which core_submit resolves: the draft is stored. Else the second one
   stores it. The transaction also runs again when another one has removed a shared content
   meanwhile (DB_CAUSE_MISSING). */
static bool
store_once(struct core *core, struct storing *storing, GError **error)
{
	bool uncertain = false;

	for (guint tries = 1;; tries++) {
		g_autoptr(GError) local = NULL;

		if (db_transact(core->db, store, storing, &local))
			return true;
		bool conflict = g_error_matches(local, PH_ERROR, PH_ERROR_CONFLICT);
		bool lost = g_error_matches(local, PH_ERROR, PH_ERROR_UNCERTAIN);
		if (conflict && uncertain && !storing->idempotency &&
		    db_cause(core->db) == DB_CAUSE_DUPLICATE)
			return true;
		uncertain |= lost;
		if (tries < TRIES && ((lost && core_ensure(core, NULL)) ||
					 (conflict && db_cause(core->db) == DB_CAUSE_MISSING)))
			continue;
		if (uncertain && !conflict)
			local->code = PH_ERROR_UNCERTAIN;
		g_propagate_error(error, g_steal_pointer(&local));
		return false;
	}
}

bool
core_submit_replay(struct core *core, struct store_idempotency *idempotency,
    struct core_submit_answer *answer_r, GError **error)
{
	*answer_r = (struct core_submit_answer){NULL, false};
	if (!store_idempotency_find(core->db, idempotency, base_clock_now(), error))
		return false;
	answer_r->text = g_steal_pointer(&idempotency->answer);
	answer_r->replayed = answer_r->text != NULL;
	return true;
}

/* Replays the answer of the request that has stored this key: another one, or this one if the
   answer to its COMMIT was lost. */
static bool
replay(struct core *core, struct store_idempotency *idempotency, const char *own,
    struct core_submit_answer *answer_r, GError **error)
{
	if (!core_submit_replay(core, idempotency, answer_r, error))
		return false;
	if (!answer_r->text) {
		g_set_error(error, PH_ERROR, PH_ERROR_CONFLICT,
		    "A request with this Idempotency-Key is still in progress");
		return false;
	}
	answer_r->replayed = strcmp(answer_r->text, own) != 0;
	return true;
}

bool
core_submit(struct core *core, const struct core_draft *draft,
    struct store_idempotency *idempotency, const struct store_outbox_claim *claim,
    struct core_submit_answer *answer_r, GError **error)
{
	struct storing storing = {draft, idempotency, claim, base_clock_now()};
	const struct store_email *email = draft->email;
	g_autofree char *answer = answer_of(email);
	g_autoptr(GError) local = NULL;

	*answer_r = (struct core_submit_answer){NULL, false};
	if (!core_quota_check(core, &email->workspace_id, &draft->quota, email->recipients->len,
		storing.now, error))
		return false;
	if (idempotency) {
		idempotency->status = 201;
		idempotency->answer = answer;
	}
	bool stored = store_once(core, &storing, &local);
	if (idempotency)
		idempotency->answer = NULL;
	if (stored) {
		answer_r->text = g_steal_pointer(&answer);
		return true;
	}
	if (g_error_matches(local, PH_ERROR, PH_ERROR_LIMITED))
		return core_quota_refuse(core, &email->workspace_id, &draft->quota,
		    email->recipients->len, storing.now, error);
	if (idempotency && g_error_matches(local, PH_ERROR, PH_ERROR_CONFLICT))
		return replay(core, idempotency, answer, answer_r, error);
	g_propagate_error(error, g_steal_pointer(&local));
	return false;
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

/* A stored draft whose entries this process has claimed, and a slot for a session. */
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
	    core, attempt->slot, &attempt->claim, draft->entries, draft->count, email);

	g_free(attempt);
	if (!core_deliver_wait(delivery, base_clock_boot() + LIMIT_SYNC_ATTEMPT_MS))
		return delivery;
	core_deliver_free(delivery);
	return NULL;
}

/* Stores a draft, and takes it. */
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
		/* The COMMIT may have stored the claim. Close the journal, so that recovery can
		   take the claim over while this process lives on. */
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

struct cancellation {
	const struct base_id *workspace, *id;
};

static bool
cancel(struct db *db, void *context, GError **error)
{
	const struct cancellation *cancellation = context;
	AUTO(store_email)
	email = store_email_get(db, cancellation->workspace, cancellation->id, 0, error);
	guint withdrawn = 0;

	if (!email)
		return false;
	if (email->scheduled_at && !store_outbox_withdraw(db, cancellation->workspace,
				       cancellation->id, &withdrawn, error))
		return false;
	if (withdrawn > 0)
		return store_email_cancel(
		    db, cancellation->workspace, cancellation->id, base_clock_now(), error);
	g_set_error(error, PH_ERROR, PH_ERROR_CONFLICT, "%s",
	    email->cancelled	  ? "Email is cancelled already"
	    : email->scheduled_at ? "Email has left already"
				  : "Email is not scheduled");
	return false;
}

bool
core_cancel(
    struct core *core, const struct base_id *workspace, const struct base_id *email, GError **error)
{
	struct cancellation cancellation = {workspace, email};

	return db_transact(core->db, cancel, &cancellation, error);
}
