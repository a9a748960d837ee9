/* SPDX-License-Identifier: MIT */
/* From a draft to an email that is stored and due. */
#include "core/submit.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "core/core.h"
#include "core/draft.h"
#include "core/quota.h"
#include "db/connection.h"
#include "db/transaction.h"
#include "json/writer.h"
#include "store/email.h"
#include "store/idempotency.h"
#include "store/outbox.h"

#define TRIES 3

/* What is stored together. */
struct entry {
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

/* What is told of the recipients who get nothing. */
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
	       store_outbox_insert(db, draft->copies, draft->count, draft->due, claim, error);
}

bool
core_submit_store(struct db *db, const struct core_draft *draft, GError **error)
{
	return store_draft(db, draft, NULL, error);
}

static bool
store(struct db *db, void *context, GError **error)
{
	const struct entry *entry = context;
	const struct store_email *email = entry->draft->email;

	return (!entry->idempotency ||
		   store_idempotency_take(db, entry->idempotency, email->created, error)) &&
	       store_draft(db, entry->draft, email->scheduled_at ? NULL : entry->claim, error) &&
	       store_quota_add(db, &email->workspace_id, &entry->draft->quota,
		   email->recipients->len, entry->now, error);
}

/* Stores it, once: where COMMIT had no answer the same is done again, and finds itself there if it
   had happened (a look would not see what is still on its way). Where a content that is shared was
   removed by somebody else in between, it is done again too. */
static bool
store_surely(struct core *core, struct entry *entry, GError **error)
{
	bool uncertain = false;

	for (guint tries = 1;; tries++) {
		g_autoptr(GError) local = NULL;

		if (db_transact(core->db, store, entry, &local))
			return true;
		bool conflict = g_error_matches(local, PH_ERROR, PH_ERROR_CONFLICT);
		bool lost = g_error_matches(local, PH_ERROR, PH_ERROR_UNCERTAIN);
		if (conflict && uncertain && !entry->idempotency &&
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

/* Somebody was faster with this key: another request, or this one when the answer to its COMMIT was
   lost. */
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
	struct entry entry = {draft, idempotency, claim, base_clock_now()};
	const struct store_email *email = draft->email;
	g_autofree char *answer = answer_of(email);
	g_autoptr(GError) local = NULL;

	*answer_r = (struct core_submit_answer){NULL, false};
	if (!core_quota_check(core, &email->workspace_id, &draft->quota, email->recipients->len,
		entry.now, error))
		return false;
	if (idempotency) {
		idempotency->status = 201;
		idempotency->answer = answer;
	}
	bool stored = store_surely(core, &entry, &local);
	if (idempotency)
		idempotency->answer = NULL;
	if (stored) {
		answer_r->text = g_steal_pointer(&answer);
		return true;
	}
	if (g_error_matches(local, PH_ERROR, PH_ERROR_LIMITED))
		return core_quota_refuse(core, &email->workspace_id, &draft->quota,
		    email->recipients->len, entry.now, error);
	if (idempotency && g_error_matches(local, PH_ERROR, PH_ERROR_CONFLICT))
		return replay(core, idempotency, answer, answer_r, error);
	g_propagate_error(error, g_steal_pointer(&local));
	return false;
}
