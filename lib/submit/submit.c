/* SPDX-License-Identifier: MIT */
/* Takes each email from its request to the spool.

   The way of an email is the same from every door, and stands here from top to bottom. The door
   (/v1, /resend, the SMTP door and sendmail by submit/sendmail.c, confirmations of contacts) calls
   submit_send_check; lib/service/once.c calls the other phases, by the row `kind`.
   submit_send_draft runs all of them for mail of the service and tests of broadcasts.
   1. Check (submit_send_check): an earlier request with the same key is found, and else the draft
      is made (email/draft.h), its recipients are held against the quotas and, where an attempt is
      to follow in sync mode, the claim of its outbox entries is made.
   2. Store: in one transaction, of one request or of several, the keys are taken, the emails, the
      events of suppressed recipients and the outbox entries are stored, and the quotas are counted.
      Emails of batches (submit/batch.c), workflows, forwarded mail and notices to users, which are
      stored with the work of another transaction, come in here by submit_store.
   3. Follow: makes the attempt, before the client has its answer.
   4. Finish, when the client has it: waits for the reply to a final dot that the attempt may still
      await. */
#include "submit/submit.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits/request.h"
#include "config/settings.h"
#include "db/after_commit.h"
#include "db/connection.h"
#include "db/transaction.h"
#include "delivery/delivery.h"
#include "email/draft.h"
#include "email/submission.h"
#include "relay/relay.h"
#include "service/journal.h"
#include "service/metrics.h"
#include "service/quota.h"
#include "service/service.h"
#include "store/consent/snooze.h"
#include "store/email/email.h"
#include "store/webhook/enqueue.h"

/* The phases, at the end of this file. */
static const struct service_once_kind kind;

static struct submit_sending *
sending_of(const struct service_once *request)
{
	return (struct submit_sending *)request;
}

/* Check */

/* Takes a draft, which has to fit into the workspace's quotas. */
static bool
take_draft(struct service *service, struct submit_sending *sending, struct email_draft *draft,
    GError **error)
{
	const struct store_email *email = draft->email;

	sending->draft = draft;
	sending->id = email->id;
	sending->now = base_clock_now();
	return service_quota_check(service, &email->workspace_id, &draft->quota,
	    email->recipients->len, sending->now, error);
}

/* Makes the draft of a request that is not replayed. */
static bool
submit_make_draft(struct service *service, const struct base_id *workspace,
    const struct email_submission *submission, struct submit_sending *sending, GError **error)
{
	struct email_draft *draft = email_draft_new(service, workspace, submission, error);

	return draft && take_draft(service, sending, draft, error);
}

/* The same for a request whose key is probably new: one that was stored before counts as it did
   then, though it would be refused now. */
static bool
submit_make_or_find(struct service *service, const struct base_id *workspace,
    const struct email_submission *submission, struct submit_sending *sending, GError **error)
{
	g_autoptr(GError) failure = NULL;

	if (submit_make_draft(service, workspace, submission, sending, &failure))
		return true;
	if (service_once_find(service, &sending->request, NULL) && sending->request.replayed)
		return true;
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

static bool
is_fetching(const struct email_submission *submission)
{
	const GArray *given = submission->attachments;

	for (guint i = 0; given && i < given->len; i++)
		if (g_array_index(given, struct email_submission_attachment, i).path)
			return true;
	return false;
}

/* Whether some recipient is a test, who needs no relay. */
static bool
has_test(const struct email_draft *draft)
{
	for (guint i = 0; i < draft->count; i++)
		if (draft->entries[i].is_test)
			return true;
	return false;
}

/* Whether an attempt is made now. It is left to the spool in spool mode, for a scheduled email,
   without a journal, and while all relays rest or are busy; and there is none when there is nothing
   to send. */
static bool
submit_is_due(struct service *service, const struct email_draft *draft, GError **trouble)
{
	return config_settings_choice(service->settings, SETTING_SERVICE_MODE) == MODE_SYNC &&
	       !draft->email->scheduled_at && draft->count > 0 &&
	       service_ensure_journal(service, trouble) &&
	       (has_test(draft) || relay_is_any_free(service->settings, false, trouble));
}

/* Takes what an attempt right after the request is stored needs, so that its outbox entries are
   claimed from the start. */
static void
submit_claim(struct service *service, struct submit_sending *sending)
{
	if (sending->draft)
		sending->is_due = submit_is_due(service, sending->draft, &sending->trouble);
	if (sending->is_due)
		sending->claim = delivery_claim(service);
}

struct submit_sending *
submit_send_check(struct service *service, const struct base_id *workspace,
    const struct email_submission *submission, const struct service_idempotency *idempotency,
    bool is_attempted, GError **error)
{
	struct submit_sending *sending = g_new0(struct submit_sending, 1);
	AUTO(service_once) request = &sending->request;

	request->kind = &kind;
	if (idempotency)
		request->idempotency = *idempotency;
	if (request->idempotency.is_derived
		? !submit_make_or_find(service, workspace, submission, sending, error)
		: !(is_fetching(submission) ? service_once_wait : service_once_find)(
		      service, request, error) ||
		      (!request->replayed &&
			  !submit_make_draft(service, workspace, submission, sending, error)))
		return NULL;
	if (is_attempted)
		submit_claim(service, sending);
	request = NULL;
	return sending;
}

/* Store */

static void
submit_count_events(void *data)
{
	const GArray *events = data;

	service_metrics_events((const struct store_event *)(void *)events->data, events->len);
	for (guint i = 0; i < events->len; i++)
		if (g_array_index(events, struct store_event, i).smtp_response)
			service_metrics_add(METRIC_MAILINGS_SKIPPED, 1, "snoozed", NULL);
}

static void
free_events(void *data)
{
	GArray *events = data;

	for (guint i = 0; i < events->len; i++)
		g_free((char *)g_array_index(events, struct store_event, i).domain);
	g_array_unref(events);
}

/* Has events counted when they are stored. The drafts may be gone by then. */
static void
count_later(struct db *db, const GArray *events)
{
	GArray *copy = g_array_copy((GArray *)events);

	for (guint i = 0; i < copy->len; i++) {
		struct store_event *event = &g_array_index(copy, struct store_event, i);
		event->domain = g_strdup(event->domain);
		/* The text is gone by then; that there was one tells of a snooze. */
		event->smtp_response = event->smtp_response ? "" : NULL;
	}
	db_after_commit(db, submit_count_events, copy, free_events);
}

/* Records an event for each recipient who is suppressed or has snoozed. */
static bool
store_suppressed(
    struct db *db, const struct email_draft *const *drafts, guint count, GError **error)
{
	g_autoptr(GArray) events = g_array_new(FALSE, FALSE, sizeof(struct store_event));
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);

	for (guint d = 0; d < count; d++) {
		const struct store_email *email = drafts[d]->email;

		for (guint i = 0; i < email->recipients->len; i++) {
			gint64 snoozed = drafts[d]->snoozed[i];
			struct store_event event = {
			    .workspace_id = email->workspace_id,
			    .email_id = email->id,
			    .type = email->type,
			    .recipient = i,
			    .status = EVENT_SUPPRESSED,
			    .timestamp = email->created,
			    .domain = email->domain,
			};

			if (!drafts[d]->suppressed[i] && !snoozed)
				continue;
			if (!drafts[d]->suppressed[i]) {
				g_ptr_array_add(texts, store_snooze_text(snoozed));
				event.smtp_response = texts->pdata[texts->len - 1];
			}
			g_array_append_val(events, event);
		}
	}
	if (events->len > 0)
		count_later(db, events);
	return store_event_insert(
	    db, (struct store_event *)(void *)events->data, events->len, error);
}

/* Stores the outbox entries, which are due when their drafts are. */
static bool
store_entries(struct db *db, const struct email_draft *const *drafts, guint count,
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
submit_tell(struct db *db, const struct store_email *const *emails, guint count, GError **error)
{
	for (guint i = 0; i < count; i++)
		if (emails[i]->scheduled_at &&
		    !store_webhook_enqueue_email(db, &emails[i]->workspace_id, &emails[i]->id,
			WEBHOOK_EMAIL_SCHEDULED, error))
			return false;
	return true;
}

static bool
store_drafts(struct db *db, const struct email_draft *const *drafts, guint count,
    const struct store_outbox_claim *claim, GError **error)
{
	g_autofree const struct store_email **emails = g_new(const struct store_email *, count);

	for (guint i = 0; i < count; i++)
		emails[i] = drafts[i]->email;
	return store_email_insert(db, emails, count, error) &&
	       store_suppressed(db, drafts, count, error) &&
	       store_entries(db, drafts, count, claim, error) &&
	       submit_tell(db, emails, count, error);
}

bool
submit_store(struct db *db, const struct email_draft *const *drafts, guint count, GError **error)
{
	return store_drafts(db, drafts, count, NULL, error);
}

guint
submit_recipients(const struct email_draft *const *drafts, guint count)
{
	guint recipients = 0;

	for (guint i = 0; i < count; i++)
		recipients += drafts[i]->email->recipients->len;
	return recipients;
}

bool
submit_store_counted(
    struct db *db, const struct email_draft *const *drafts, guint count, gint64 now, GError **error)
{
	return count == 0 ||
	       (store_drafts(db, drafts, count, NULL, error) &&
		   store_quota_add(db, &drafts[0]->email->workspace_id, &drafts[0]->quota,
		       submit_recipients(drafts, count), now, error));
}

/* By workspace, and then by key. */
static int
submit_by_lock(const void *a, const void *b)
{
	const struct service_once *const *x = a, *const *y = b;
	const struct store_idempotency *key = &(*x)->idempotency.key,
				       *other = &(*y)->idempotency.key;
	int order = memcmp(&sending_of(*x)->draft->email->workspace_id,
	    &sending_of(*y)->draft->email->workspace_id, sizeof(struct base_id));

	return order ? order : g_strcmp0(key->name, other->name);
}

/* The number of requests, from the first on, of the same workspace. */
static guint
submit_count_same(struct service_once *const *requests, guint count)
{
	const struct base_id *workspace = &sending_of(requests[0])->draft->email->workspace_id;
	guint same = 1;

	while (same < count &&
	       base_id_equal(workspace, &sending_of(requests[same])->draft->email->workspace_id))
		same++;
	return same;
}

/* An email that is attempted at once, and so has a claim, is stored alone. */
static bool
store_workspace(struct db *db, struct service_once *const *requests, guint count, GError **error)
{
	const struct submit_sending *first = sending_of(requests[0]);
	g_autofree const struct email_draft **drafts = g_new(const struct email_draft *, count);

	for (guint i = 0; i < count; i++)
		drafts[i] = sending_of(requests[i])->draft;
	return store_drafts(db, drafts, count, first->is_due ? &first->claim : NULL, error);
}

static bool
submit_count_workspace(
    struct db *db, struct service_once *const *requests, guint count, GError **error)
{
	const struct submit_sending *first = sending_of(requests[0]);
	guint recipients = 0;

	for (guint i = 0; i < count; i++)
		recipients += sending_of(requests[i])->draft->email->recipients->len;
	return store_quota_add(db, &first->draft->email->workspace_id, &first->draft->quota,
	    recipients, first->now, error);
}

static bool
each_workspace(struct db *db, struct service_once *const *requests, guint count,
    bool (*one)(struct db *, struct service_once *const *, guint, GError **), GError **error)
{
	for (guint i = 0, same; i < count; i += same) {
		same = submit_count_same(requests + i, count - i);
		if (!one(db, requests + i, same, error))
			return false;
	}
	return true;
}

/* The keys come first, so that a repeated request waits before it does any work. The quotas come
   last, since many transactions count in the same rows. */
static bool
submit_store_requests(
    struct service *service, struct service_once *const *requests, guint count, GError **error)
{
	g_autofree struct service_once **sorted = g_memdup2(requests, count * sizeof(*requests));

	base_array_sort(sorted, count, sizeof(*sorted), submit_by_lock);
	return service_once_take(service, sorted, count, error) &&
	       each_workspace(service->db, sorted, count, store_workspace, error) &&
	       each_workspace(service->db, sorted, count, submit_count_workspace, error);
}

static void
submit_failed(struct service *service, struct service_once *request)
{
	const struct submit_sending *sending = sending_of(request);
	const struct store_email *email = sending->draft->email;

	/* The COMMIT may have stored the claim. Close the journal, so that recovery can take the
	   claim over while this process lives on. */
	if (sending->is_due && g_error_matches(request->error, PH_ERROR, PH_ERROR_UNCERTAIN))
		service_journal_close(g_steal_pointer(&service->process->journal));
	if (!g_error_matches(request->error, PH_ERROR, PH_ERROR_LIMITED))
		return;
	g_clear_error(&request->error);
	service_quota_refuse(service, &email->workspace_id, &sending->draft->quota,
	    email->recipients->len, sending->now, &request->error);
}

/* Follow and finish */

/* Makes the attempt, for at most LIMIT_SYNC_ATTEMPT_MS. It goes on where the reply to its final dot
   is still awaited then. */
static void
submit_attempt(struct service *service, struct submit_sending *sending)
{
	struct email_draft *draft = sending->draft;
	struct store_email *email = draft->count == 1 ? g_steal_pointer(&draft->email) : NULL;

	sending->delivery =
	    delivery_start(service, &sending->claim, draft->entries, draft->count, email);
	sending->is_due = false;
	g_clear_pointer(&sending->draft, email_draft_free);
	if (!delivery_wait(sending->delivery, base_clock_boot() + LIMIT_SYNC_ATTEMPT_MS))
		return;
	if (delivery_trouble(sending->delivery)) {
		g_clear_error(&sending->trouble);
		sending->trouble = g_error_copy(delivery_trouble(sending->delivery));
	}
	g_clear_pointer(&sending->delivery, delivery_free);
}

/* The attempt. The outcome becomes events. */
static bool
submit_follow(struct service *service, struct service_once *request, GError **error)
{
	struct submit_sending *sending = sending_of(request);

	if (sending->is_due)
		submit_attempt(service, sending);
	if (!sending->trouble)
		return true;
	g_propagate_error(error, g_steal_pointer(&sending->trouble));
	return false;
}

/* A mail that was stored with the work of another request is attempted only now. */
static bool
submit_finish(struct service *service, struct service_once *request, GError **error)
{
	struct submit_sending *sending = sending_of(request);
	bool done = submit_follow(service, request, error);

	if (!sending->delivery)
		return done;
	delivery_wait(sending->delivery, 0);
	if (!delivery_trouble(sending->delivery))
		return done;
	g_clear_error(error);
	g_propagate_prefixed_error(
	    error, g_error_copy(delivery_trouble(sending->delivery)), "delivery: ");
	return false;
}

static void
submit_free(struct service_once *request)
{
	struct submit_sending *sending = sending_of(request);

	g_clear_pointer(&sending->delivery, delivery_free);
	g_clear_pointer(&sending->draft, email_draft_free);
	g_clear_error(&sending->trouble);
	g_free(sending->left_out);
	g_free(sending);
}

static const struct service_once_kind kind = {
    .store = submit_store_requests,
    .fixed_ids = true,
    .failed = submit_failed,
    .follow = submit_follow,
    .finish = submit_finish,
    .free = submit_free,
};

bool
submit_send_draft(struct service *service, struct email_draft *draft, GError **error)
{
	struct submit_sending *sending = g_new0(struct submit_sending, 1);
	AUTO(service_once) request = &sending->request;

	request->kind = &kind;
	if (!take_draft(service, sending, draft, error))
		return false;
	submit_claim(service, sending);
	if (!service_once_store_one(service, request, error))
		return false;
	service_once_follow(service, request, NULL);
	return true;
}
