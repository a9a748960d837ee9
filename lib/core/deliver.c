/* SPDX-License-Identifier: MIT */
/* One attempt at delivering a batch: composing, sending and recording side by side. */
#include "core/deliver.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/secret.h"
#include "base/settings.h"
#include "core/core.h"
#include "core/sender.h"
#include "core/journal.h"
#include "core/message.h"
#include "core/record.h"
#include "core/relay_slot.h"

#define RECORD_COUNT 20 /* results are recorded when there are so many, */
#define RECORD_MS 1000	/* or after this time */
#define RECORD_TRIES 5
#define TICK_MS 200

struct core_delivery {
	struct core *core;
	struct store_outbox_claim claim;
	gint64 lease_end; /* these are on base_clock_boot */
	gint64 renew_at;
	gint64 record_at;
	GPtrArray *parcels;  /* all; those that cannot be sent are only recorded */
	GPtrArray *sendable; /* the others */
	GArray *poisons;     /* struct store_outbox_entry: have been claimed too, and are composed
				apart, later */
	GBytes *content;     /* of the only parcel, which was composed apart; NULL: compose it */
	struct core_sender *courier;
	GError *claim_fault;   /* why there is no courier */
	GPtrArray *unrecorded; /* parcels whose outcome is known */
	GError *record_fault;  /* why the last results could not be recorded */
	bool over;	       /* the session */
	bool finished;	       /* and what it left behind */
};

struct store_outbox_claim
core_deliver_claim(const struct core *core)
{
	struct store_outbox_claim claim = {.owner = core_journal_owner(core->journal)};

	base_secret_random(&claim.token, sizeof(claim.token));
	claim.until =
	    base_clock_now() + base_settings_number(core->settings, SETTING_SPOOL_LEASE) * 1000;
	return claim;
}

/* A message can kill whoever composes it; the journal says then which one it was. */
static GBytes *
compose_here(struct core_delivery *delivery, const struct core_message *parcel, GError **error)
{
	struct core *core = delivery->core;

	if (!core_ensure(core, error))
		return NULL;
	core_journal_compose(core->journal, &parcel->copy.id, delivery->claim.token);
	GBytes *content = core_message_compose(core, parcel, error);
	core_journal_idle(core->journal);
	return content;
}

static void
compose(struct core_delivery *delivery, struct core_message *parcel)
{
	GError *fault = NULL;
	GBytes *content = delivery->content ? g_steal_pointer(&delivery->content)
					    : compose_here(delivery, parcel, &fault);

	core_sender_give(delivery->courier, parcel, content, fault);
}

/* Why no session could be had, when it is over. */
static const GError *
why_none(const struct core_delivery *delivery)
{
	return delivery->over && delivery->courier ? core_sender_fault(delivery->courier) : NULL;
}

/* Why the journal could not be written. */
static const GError *
journal_fault(const struct core_delivery *delivery)
{
	return delivery->courier ? core_sender_journal_fault(delivery->courier)
				 : delivery->claim_fault;
}

static bool
record(struct core_delivery *delivery)
{
	g_clear_error(&delivery->record_fault);
	if (delivery->unrecorded->len == 0)
		return true;
	if (core_ensure(delivery->core, &delivery->record_fault) &&
	    core_record(delivery->core, &delivery->claim,
		(struct core_message *const *)delivery->unrecorded->pdata,
		delivery->unrecorded->len, why_none(delivery), &delivery->record_fault)) {
		g_ptr_array_set_size(delivery->unrecorded, 0);
		return true;
	}
	delivery->record_at = base_clock_boot() + RECORD_MS;
	return false;
}

/* Takes the next result, if there is one within wait_ms. */
static void
take_result(struct core_delivery *delivery, gint64 wait_ms)
{
	struct core_message *parcel = core_sender_take(delivery->courier, wait_ms, &delivery->over);

	if (!parcel)
		return;
	g_ptr_array_add(delivery->unrecorded, parcel);
	if (delivery->unrecorded->len == 1)
		delivery->record_at = base_clock_boot() + RECORD_MS;
	if (delivery->unrecorded->len == RECORD_COUNT)
		delivery->record_at = 0;
}

/* What the session leaves behind is recorded too: what it never got to is due again. */
static void
finish(struct core_delivery *delivery)
{
	const GError *journal = journal_fault(delivery);

	for (guint i = 0; i < delivery->parcels->len; i++) {
		struct core_message *parcel = delivery->parcels->pdata[i];

		if (parcel->finished != 0)
			continue;
		/* Trouble of our own, which is for the log alone. */
		if (journal && !parcel->fault)
			parcel->fault =
			    g_error_new_literal(PH_ERROR, PH_ERROR_TEMPORARY, journal->message);
		g_ptr_array_add(delivery->unrecorded, parcel);
	}
	for (guint i = 1; !record(delivery) && i < RECORD_TRIES; i++)
		g_usleep(RECORD_MS * 1000);
	if (delivery->unrecorded->len == 0) {
		core_journal_cut(delivery->core->journal);
		return;
	}
	/* What cannot be recorded now stands in the journal, for core_recover; this process goes on
	 * with another. */
	core_journal_abandon(g_steal_pointer(&delivery->core->journal));
}

/* Keeps the claim while the session goes on; where that fails, it ends with the lease. One that has
   ended may be somebody else's by now. */
static void
renew(struct core_delivery *delivery)
{
	gint64 lease = base_settings_number(delivery->core->settings, SETTING_SPOOL_LEASE) * 1000;
	gint64 now = base_clock_boot();
	guint count = 0;

	if (delivery->lease_end - now > lease / 2 || now < delivery->renew_at ||
	    now >= delivery->lease_end)
		return;
	delivery->renew_at = now + RECORD_MS;
	delivery->claim.until = base_clock_now() + lease;
	g_autofree struct base_id *ids =
	    g_new(struct base_id, delivery->parcels->len + delivery->poisons->len);
	for (guint i = 0; i < delivery->parcels->len; i++)
		ids[count++] = ((const struct core_message *)delivery->parcels->pdata[i])->copy.id;
	for (guint i = 0; i < delivery->poisons->len; i++)
		ids[count++] = g_array_index(delivery->poisons, struct store_outbox_entry, i).id;
	if (!core_ensure(delivery->core, NULL) ||
	    !store_outbox_renew(delivery->core->db, &delivery->claim, ids, count, NULL))
		return;
	delivery->lease_end = now + lease;
	if (delivery->courier)
		core_sender_extend(delivery->courier, delivery->lease_end);
}

/* Composes a message if one is wanted, else waits for a result until the next tick or deadline. */
static void
step(struct core_delivery *delivery, gint64 deadline)
{
	struct core_message *next = core_sender_next(delivery->courier);
	gint64 wait = deadline ? MIN(deadline - base_clock_boot(), TICK_MS) : TICK_MS;

	if (next)
		compose(delivery, next);
	take_result(delivery, next ? 0 : wait);
	if (delivery->unrecorded->len > 0 && !delivery->over &&
	    base_clock_boot() >= delivery->record_at)
		record(delivery);
	renew(delivery);
}

/* Once, when the session is over. */
static void
conclude(struct core_delivery *delivery)
{
	if (!delivery->finished)
		finish(delivery);
	delivery->finished = true;
}

bool
core_deliver_wait(struct core_delivery *delivery, gint64 deadline)
{
	while (!delivery->over) {
		if (deadline && base_clock_boot() >= deadline) {
			if (!core_sender_interrupt(delivery->courier))
				return false;
			deadline = 0;
		}
		step(delivery, deadline);
	}
	conclude(delivery);
	return true;
}

static void
work(struct core_delivery *delivery, enum core_deliver_pace (*pace)(const void *context),
    const void *context)
{
	enum core_deliver_pace now = DELIVER_GO_ON;

	while (!delivery->over) {
		enum core_deliver_pace next = pace(context);

		if (next == DELIVER_BEGIN_NONE && now < next)
			core_sender_wind_up(delivery->courier);
		if (next == DELIVER_LEAVE && now < next)
			core_sender_interrupt(delivery->courier);
		now = next;
		step(delivery, 0);
	}
	conclude(delivery);
}

static bool
journal_claim(struct core_delivery *delivery)
{
	for (guint i = 0; i < delivery->parcels->len; i++)
		if (!core_journal_claim(delivery->core->journal,
			&((const struct core_message *)delivery->parcels->pdata[i])->copy.id,
			delivery->claim.token, &delivery->claim_fault))
			return false;
	for (guint i = 0; i < delivery->poisons->len; i++)
		if (!core_journal_claim(delivery->core->journal,
			&g_array_index(delivery->poisons, struct store_outbox_entry, i).id,
			delivery->claim.token, &delivery->claim_fault))
			return false;
	return true;
}

/* A copy that another machine may have sent before it was lost: held where the settings say so. */
static bool
is_doubtful(const struct core *core, struct core_message *parcel)
{
	if (!parcel->copy.lost ||
	    base_settings_choice(core->settings, SETTING_SMTP_UNCERTAIN) == UNCERTAIN_RETRY)
		return false;
	for (guint i = 0; i < parcel->message.count; i++) {
		struct smtp_recipient *recipient = &parcel->message.recipients[i];

		recipient->outcome = SMTP_UNCERTAIN;
		recipient->text = g_strdup("Another machine may have sent it before it was lost.");
	}
	return true;
}

static void
free_parcel(void *parcel)
{
	core_message_free(parcel);
}

/* Those of whom nothing bad is known come first: should one of the others kill this process, they
   have left. */
static void
choose_sendable(struct core_delivery *delivery)
{
	const struct core *core = delivery->core;

	for (int suspect = 0; suspect < 2; suspect++)
		for (guint i = 0; i < delivery->parcels->len; i++) {
			struct core_message *parcel = delivery->parcels->pdata[i];

			if ((parcel->copy.deaths > 0) == suspect && !parcel->fault &&
			    parcel->message.count > 0 && !is_doubtful(core, parcel))
				g_ptr_array_add(delivery->sendable, parcel);
		}
}

/* Reads what has been claimed; nothing is sent of it yet. */
static struct core_delivery *
prepare(struct core *core, const struct store_outbox_claim *claim, gint64 lease_end,
    const struct store_outbox_entry *copies, guint count, struct store_email *email)
{
	struct core_delivery *delivery = g_new0(struct core_delivery, 1);

	delivery->core = core;
	delivery->claim = *claim;
	delivery->lease_end = lease_end;
	delivery->parcels = g_ptr_array_new_with_free_func(free_parcel);
	delivery->sendable = g_ptr_array_new();
	delivery->unrecorded = g_ptr_array_new();
	delivery->poisons = g_array_new(FALSE, FALSE, sizeof(struct store_outbox_entry));
	delivery->over = true;
	if (email) {
		g_ptr_array_add(delivery->parcels, core_message_new(core, copies, email));
	} else {
		core_message_read(core, copies, count, delivery->parcels);
		core_message_suppress(core, delivery->parcels);
	}
	choose_sendable(delivery);
	return delivery;
}

/* Without a journal nothing is sent: all of it is due again. Takes slot. */
static void
begin(struct core_delivery *delivery, struct core_relay_slot *slot)
{
	if (slot && journal_claim(delivery))
		delivery->courier = core_sender_start(delivery->core, g_steal_pointer(&slot),
		    delivery->claim.token, delivery->lease_end,
		    (struct core_message *const *)delivery->sendable->pdata,
		    delivery->sendable->len);
	g_clear_pointer(&slot, core_relay_slot_free);
	delivery->over = !delivery->courier;
}

struct core_delivery *
core_deliver_start(struct core *core, struct core_relay_slot *slot,
    const struct store_outbox_claim *claim, const struct store_outbox_entry *copies, guint count,
    struct store_email *email)
{
	g_autofree struct store_outbox_entry *usual = g_new(struct store_outbox_entry, count);
	g_autoptr(GArray) poisons = g_array_new(FALSE, FALSE, sizeof(struct store_outbox_entry));
	gint64 lease_end = base_clock_boot() + claim->until - base_clock_now();
	guint usual_count = 0;

	for (guint i = 0; i < count; i++)
		if (copies[i].deaths < LIMIT_DEATHS)
			usual[usual_count++] = copies[i];
		else
			g_array_append_val(poisons, copies[i]);
	struct core_delivery *delivery = prepare(core, claim, lease_end, usual, usual_count, email);
	g_array_append_vals(delivery->poisons, poisons->data, poisons->len);
	begin(delivery, slot);
	return delivery;
}

static void
keep_claim(void *delivery)
{
	renew(delivery);
}

/* After the session of the others: no other thread runs now. A message that survives is sent like
   any other, one that does not has failed. */
static void
deliver_poison(struct core_delivery *delivery, const struct store_outbox_entry *copy,
    enum core_deliver_pace (*pace)(const void *context), const void *context)
{
	struct core_delivery *own =
	    prepare(delivery->core, &delivery->claim, delivery->lease_end, copy, 1, NULL);
	struct core_message *parcel = own->parcels->pdata[0];
	struct core_relay_slot *slot = NULL;

	if (own->sendable->len > 0 && pace(context) == DELIVER_GO_ON &&
	    base_clock_boot() < own->lease_end && journal_claim(own))
		own->content =
		    core_message_compose_apart(own->core, parcel, keep_claim, own, &parcel->fault);
	/* It was not done because this process has to leave: it is due again at once. */
	if (pace(context) == DELIVER_LEAVE &&
	    g_error_matches(parcel->fault, PH_ERROR, PH_ERROR_TEMPORARY))
		g_clear_error(&parcel->fault);
	if (own->content)
		slot = core_relay_slot_take(own->core->settings, 0, NULL);
	begin(own, slot);
	work(own, pace, context);
	if (core_deliver_trouble(own) && !delivery->record_fault)
		delivery->record_fault = g_error_copy(core_deliver_trouble(own));
	core_deliver_free(own);
}

/* Where the journal was abandoned, what has been claimed through it is recovered. */
static void
deliver_poisons(struct core_delivery *delivery, enum core_deliver_pace (*pace)(const void *context),
    const void *context)
{
	for (guint i = 0; i < delivery->poisons->len && delivery->core->journal; i++)
		deliver_poison(delivery,
		    &g_array_index(delivery->poisons, struct store_outbox_entry, i), pace, context);
	g_array_set_size(delivery->poisons, 0);
}

static enum core_deliver_pace
leave(const void *context)
{
	return DELIVER_LEAVE;
}

void
core_deliver_work(struct core_delivery *delivery,
    enum core_deliver_pace (*pace)(const void *context), const void *context)
{
	work(delivery, pace, context);
	deliver_poisons(delivery, pace, context);
}

const GError *
core_deliver_trouble(const struct core_delivery *delivery)
{
	if (delivery->record_fault)
		return delivery->record_fault;
	return journal_fault(delivery) ? journal_fault(delivery) : why_none(delivery);
}

void
core_deliver_free(struct core_delivery *delivery)
{
	core_deliver_wait(delivery, 0);
	deliver_poisons(delivery, leave, NULL);
	g_clear_pointer(&delivery->courier, core_sender_free);
	g_ptr_array_unref(delivery->parcels);
	g_ptr_array_unref(delivery->sendable);
	g_ptr_array_unref(delivery->unrecorded);
	g_array_unref(delivery->poisons);
	g_clear_pointer(&delivery->content, g_bytes_unref);
	g_clear_error(&delivery->claim_fault);
	g_clear_error(&delivery->record_fault);
	g_free(delivery);
}
