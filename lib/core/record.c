/* What became of parcels: from outcomes to events, and to what stays in the outbox. */
#include "core/record.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/settings.h"
#include "core/core.h"
#include "core/parcel.h"
#include "core/retry.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/email.h"
#include "store/event.h"

#define MINUTE_MS 60000

/* What is to be written for one or more parcels. */
struct entry {
	const struct claim *claim;
	GArray *events;	  /* struct event */
	GArray *sent;	  /* struct id of emails that the relay has accepted now */
	GArray *ends;	  /* struct copy_end */
	GPtrArray *owned; /* copies and texts that the others point to */
};

static struct entry
entry_new(const struct claim *claim)
{
	return (struct entry){
	    .claim = claim,
	    .events = g_array_new(FALSE, TRUE, sizeof(struct event)),
	    .sent = g_array_new(FALSE, TRUE, sizeof(struct id)),
	    .ends = g_array_new(FALSE, TRUE, sizeof(struct copy_end)),
	    .owned = g_ptr_array_new_with_free_func(g_free),
	};
}

static void
entry_clear(struct entry *entry)
{
	g_array_unref(entry->events);
	g_array_unref(entry->sent);
	g_array_unref(entry->ends);
	g_ptr_array_unref(entry->owned);
}

static void *
own(struct entry *entry, void *pointer)
{
	g_ptr_array_add(entry->owned, pointer);
	return pointer;
}

static char *
response_of(const struct smtp_recipient *recipient)
{
	GString *text = g_string_new(NULL);

	if (recipient->code > 0)
		g_string_append_printf(text, "%d ", recipient->code);
	if (recipient->enhanced[0])
		g_string_append_printf(text, "%s ", recipient->enhanced);
	g_string_append(text, recipient->text ? recipient->text : "");
	return g_strchomp(g_string_free(text, FALSE));
}

static void
add_event(struct entry *entry, const struct parcel *parcel, guint number, enum event_status status,
    const char *response, const char *enhanced)
{
	struct event event = {
	    .workspace_id = parcel->copy.workspace_id,
	    .email_id = parcel->copy.email_id,
	    .recipient = number,
	    .status = status,
	    .timestamp = parcel->finished,
	    .smtp_response = response,
	    .enhanced_code = enhanced && *enhanced ? enhanced : NULL,
	    .bounce_type = status == EVENT_BOUNCED ? BOUNCE_PERMANENT : BOUNCE_NONE,
	};

	g_array_append_val(entry->events, event);
}

/* The same event for each recipient that is left. */
static void
add_events(struct entry *entry, const struct parcel *parcel, const struct copy *left,
    enum event_status status, const char *response)
{
	for (guint i = 0; i < left->count; i++) {
		const char *own_response = response, *enhanced = NULL;

		for (guint j = 0; !response && j < parcel->message.count; j++) {
			const struct smtp_recipient *recipient = &parcel->message.recipients[j];

			if (parcel->copy.recipients[j] != left->recipients[i] ||
			    recipient->outcome == SMTP_NOT_TRIED)
				continue;
			own_response = own(entry, response_of(recipient));
			enhanced = recipient->enhanced;
		}
		add_event(entry, parcel, left->recipients[i], status, own_response, enhanced);
	}
}

static gint64
now_jittered(gint64 delay)
{
	return base_clock_now() + delay +
	       (gint64)((double)delay * g_random_double_range(-0.1, 0.1));
}

/* The recipients of which the relay has said its last word get their events; the others stay in
 * left. */
static void
settle(const struct core *core, struct entry *entry, const struct parcel *parcel, struct copy *left,
    bool *tried_r, bool *uncertain_r)
{
	bool final = base_settings_switch(core->settings, SETTING_SMTP_FINAL);
	bool sent = false;

	left->count = 0;
	for (guint i = 0; i < parcel->message.count; i++) {
		const struct smtp_recipient *recipient = &parcel->message.recipients[i];
		guint16 number = parcel->copy.recipients[i];

		if (recipient->outcome == SMTP_SENT) {
			sent = true;
			add_event(entry, parcel, number, EVENT_SENT, NULL, NULL);
			if (final)
				add_event(entry, parcel, number, EVENT_DELIVERED, NULL, NULL);
		} else if (recipient->outcome == SMTP_PERMANENT) {
			add_event(entry, parcel, number,
			    recipient->stage == SMTP_STAGE_RCPT ? EVENT_BOUNCED : EVENT_FAILED,
			    own(entry, response_of(recipient)), recipient->enhanced);
		} else {
			left->recipients[left->count++] = number;
			*tried_r |= recipient->outcome != SMTP_NOT_TRIED;
			*uncertain_r |= recipient->outcome == SMTP_UNCERTAIN;
		}
	}
	if (sent)
		g_array_append_val(entry->sent, parcel->email->id);
}

/* When what is left is due again, with its delayed or failed events. why is what stands in the way
   of all of them; NULL: each has its own reply. */
static gint64
postpone(struct entry *entry, const struct parcel *parcel, struct copy *left, bool counts,
    const char *why)
{
	gint64 at = core_retry_at(MAX(left->attempts + counts, 1), left->since, parcel->finished,
	    g_random_double_range(-1, 1));

	if (at == 0) {
		add_events(entry, parcel, left, EVENT_FAILED, why);
		left->count = 0;
		return 0;
	}
	left->attempts += counts;
	if (core_retry_tells(left->delayed, parcel->finished)) {
		add_events(entry, parcel, left, EVENT_DELAYED, why);
		left->delayed = parcel->finished;
	}
	return counts ? at : now_jittered(MINUTE_MS);
}

static bool
is_permanent(const GError *fault)
{
	return g_error_matches(fault, PH_ERROR, PH_ERROR_NOT_FOUND) ||
	       g_error_matches(fault, PH_ERROR, PH_ERROR_INVALID) ||
	       g_error_matches(fault, PH_ERROR, PH_ERROR_TOO_LARGE);
}

static void
judge(const struct core *core, struct entry *entry, struct parcel *parcel, const GError *session)
{
	struct copy *left = own(entry, g_memdup2(&parcel->copy, sizeof(parcel->copy)));
	struct copy_end end = {left, 0};
	bool tried = false, uncertain = false;

	if (parcel->finished == 0)
		parcel->finished = base_clock_now();
	if (parcel->fault && is_permanent(parcel->fault)) {
		if (parcel->email)
			add_events(entry, parcel, left, EVENT_FAILED, parcel->fault->message);
		left->count = 0;
	} else if (parcel->fault) {
		end.ready_at = postpone(entry, parcel, left, true, parcel->fault->message);
	} else {
		settle(core, entry, parcel, left, &tried, &uncertain);
		if (left->count > 0 && uncertain &&
		    base_settings_choice(core->settings, SETTING_SMTP_UNCERTAIN) == UNCERTAIN_HOLD)
			end.ready_at = 0;
		else if (left->count > 0 && tried)
			end.ready_at = postpone(entry, parcel, left, true, NULL);
		else if (left->count > 0 && session)
			end.ready_at = postpone(entry, parcel, left, false, session->message);
		else
			end.ready_at = parcel->finished;
	}
	g_array_append_val(entry->ends, end);
}

static bool
write_entry(struct db *db, void *context, GError **error)
{
	struct entry *entry = context;
	guint kept;

	if (!store_outbox_end(db, entry->claim, (const struct copy_end *)(void *)entry->ends->data,
		entry->ends->len, &kept, error))
		return false;
	if (kept != entry->ends->len) {
		g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "a claim has been lost");
		return false;
	}
	return store_event_insert(
		   db, (struct event *)(void *)entry->events->data, entry->events->len, error) &&
	       store_email_sent(db, (const struct id *)(void *)entry->sent->data, entry->sent->len,
		   base_clock_now(), error);
}

bool
core_record(struct core *core, const struct claim *claim, struct parcel *const *parcels,
    guint count, const GError *session, GError **error)
{
	struct entry entry = entry_new(claim);
	g_autoptr(GError) local = NULL;

	for (guint i = 0; i < count; i++)
		judge(core, &entry, parcels[i], session);
	bool done = db_transact(core->db, write_entry, &entry, &local);
	entry_clear(&entry);
	if (done)
		return true;
	if (!g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_propagate_error(error, g_steal_pointer(&local));
		return false;
	}
	/* One of them is not ours any more: each by itself, and that one not at all. */
	for (guint i = 0; count > 1 && i < count; i++)
		if (!core_record(core, claim, &parcels[i], 1, session, error))
			return false;
	return true;
}
