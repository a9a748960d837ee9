/* SPDX-License-Identifier: MIT */
/* Holds messages of domains that warm up, as far as they exceed the day's limit. */
#include "delivery/warmup.h"

#include "base/clock.h"
#include "config/settings.h"
#include "db/transaction.h"
#include "delivery/message.h"
#include "service/service.h"
#include "store/email/email.h"
#include "store/outbox/outbox.h"
#include "store/outbox/warmup.h"
#include "store/workspace/workspace.h"

#define DAY_MS ((gint64)24 * 60 * 60 * 1000)

/* The messages of one domain, and its limit today. */
struct batch {
	struct service *service;
	const struct store_outbox_claim *claim;
	const struct base_id *domain;
	GPtrArray *messages; /* struct delivery_message */
	gint64 day;
	struct store_warmup_limit limit;
	guint *granted; /* recipients of each message */
};

/* Whether a message needs permission. Mail of the service itself needs none of a tenant. */
static bool
is_concerned(const struct delivery_message *message)
{
	return !message->fault && message->smtp.count > 0 && !message->entry.is_test &&
	       !store_workspace_is_system(&message->entry.workspace_id);
}

/* The place of the first message of a domain, from begin on; end: there is none. */
static guint
warmup_find(const GPtrArray *messages, guint begin, guint end, const struct base_id *domain)
{
	for (; begin < end; begin++) {
		const struct delivery_message *message = messages->pdata[begin];

		if (message->email && base_id_equal(&message->email->domain_id, domain) &&
		    (is_concerned(message) || message->held_count > 0))
			break;
	}
	return begin;
}

/* Gives the messages in their order what is left of the limit, and returns how many recipients that
   are. Those with permission for the day keep it. */
static guint
warmup_share(struct batch *batch)
{
	gint64 left = MAX(batch->limit.most - batch->limit.recipients, 0), taken = 0;

	for (guint i = 0; i < batch->messages->len; i++) {
		const struct delivery_message *message = batch->messages->pdata[i];
		bool has = message->entry.permit == batch->day;

		batch->granted[i] = message->smtp.count;
		if (!has && batch->limit.is_limited) {
			batch->granted[i] = (guint)MIN(left - taken, message->smtp.count);
			taken += batch->granted[i];
		}
	}
	return (guint)taken;
}

static bool
permit(struct db *db, void *context, GError **error)
{
	struct batch *batch = context;
	const char *const *limits =
	    config_settings_list(batch->service->settings, SETTING_WARMUP_LIMITS);

	if (!store_warmup_limit(db, batch->domain, batch->day, limits, &batch->limit, error))
		return false;
	guint taken = warmup_share(batch);
	if (taken == 0)
		return true;
	g_autofree struct store_outbox_key *keys =
	    g_new(struct store_outbox_key, batch->messages->len);
	guint count = 0;
	for (guint i = 0; i < batch->messages->len; i++) {
		const struct delivery_message *message = batch->messages->pdata[i];

		if (batch->granted[i] == message->smtp.count)
			keys[count++] =
			    (struct store_outbox_key){message->entry.email_id, message->entry.id};
	}
	batch->limit.recipients += taken;
	return store_warmup_permit(db, batch->domain, batch->day, taken, error) &&
	       store_outbox_permit(db, batch->claim, keys, count, batch->day, error);
}

/* Holds what exceeds the limit, with the reason. */
static void
warmup_hold(const struct batch *batch)
{
	g_autoptr(GDateTime) next = g_date_time_new_from_unix_utc((batch->day + 1) * DAY_MS / 1000);
	g_autofree char *date = g_date_time_format(next, "%Y-%m-%d");

	for (guint i = 0; i < batch->messages->len; i++) {
		struct delivery_message *message = batch->messages->pdata[i];

		if (batch->granted[i] == message->smtp.count)
			continue;
		delivery_message_hold(batch->service, message, batch->granted[i]);
		message->held_quietly = false;
		message->held_until = (batch->day + 1) * DAY_MS;
		g_snprintf(message->held_why, sizeof(message->held_why),
		    "warm-up: %s has sent %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
		    " today, the rest leaves from %s",
		    message->email->domain, batch->limit.recipients, batch->limit.most, date);
	}
}

static void
warmup_run(struct batch *batch)
{
	g_autoptr(GError) fault = NULL;

	batch->granted = g_new0(guint, batch->messages->len);
	if (service_ensure(batch->service, &fault) &&
	    db_transact(batch->service->db, permit, batch, &fault))
		warmup_hold(batch);
	for (guint i = 0; fault && i < batch->messages->len; i++) {
		struct delivery_message *message = batch->messages->pdata[i];

		message->fault = g_error_copy(fault);
	}
	g_free(batch->granted);
}

void
delivery_warmup_hold(
    struct service *service, const struct store_outbox_claim *claim, const GPtrArray *messages)
{
	gint64 day = base_clock_now() / DAY_MS;

	if (!config_settings_list(service->settings, SETTING_WARMUP_LIMITS)[0])
		return;
	for (guint i = 0; i < messages->len; i++) {
		const struct delivery_message *first = messages->pdata[i];
		g_autoptr(GPtrArray) own = NULL;

		if (!is_concerned(first) ||
		    warmup_find(messages, 0, i, &first->email->domain_id) < i)
			continue;
		own = g_ptr_array_new();
		for (guint j = i; j < messages->len;
		     j = warmup_find(messages, j + 1, messages->len, &first->email->domain_id))
			g_ptr_array_add(own, messages->pdata[j]);
		struct batch batch = {service, claim, &first->email->domain_id, own, day,
		    {.is_limited = false}, NULL};
		warmup_run(&batch);
	}
}
