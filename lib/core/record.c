/* SPDX-License-Identifier: MIT */
/* Judges what became of parcels: which events tell it, and what stays in the outbox. */
#include "core/record.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/settings.h"
#include "core/bounce.h"
#include "core/core.h"
#include "core/message.h"
#include "core/record_entry.h"
#include "core/retry.h"
#include "core/suppress.h"
#include "store/email.h"
#include "store/event.h"

/* A parcel's recipients that still have to be reached. */
struct rest {
	struct store_outbox_entry copy;
	enum store_email_type type;			       /* of its email; 0: not known */
	gint64 at;					       /* when the outcome was known */
	const struct smtp_recipient *replies[COPY_RECIPIENTS]; /* NULL: nobody was asked */
};

static void
keep(struct rest *rest, guint16 number, const struct smtp_recipient *reply)
{
	rest->replies[rest->copy.count] = reply;
	rest->copy.recipients[rest->copy.count++] = number;
}

static char *
response_of(const struct smtp_recipient *reply)
{
	GString *text = g_string_new(NULL);

	if (reply->code > 0)
		g_string_append_printf(text, "%d ", reply->code);
	if (reply->enhanced[0])
		g_string_append_printf(text, "%s ", reply->enhanced);
	g_string_append(text, reply->text ? reply->text : "");
	return g_strchomp(g_string_free(text, FALSE));
}

static struct store_event *
add_event(struct core_record_entry *entry, const struct rest *rest, guint number,
    enum store_event_status status)
{
	const struct store_event event = {
	    .workspace_id = rest->copy.workspace_id,
	    .email_id = rest->copy.email_id,
	    .type = rest->type,
	    .recipient = number,
	    .status = status,
	    .timestamp = rest->at,
	};

	g_array_append_val(entry->events, event);
	return &g_array_index(entry->events, struct store_event, entry->events->len - 1);
}

static void
add_reply(struct core_record_entry *entry, const struct rest *rest, guint number,
    enum store_event_status status, const struct smtp_recipient *reply)
{
	struct store_event *event = add_event(entry, rest, number, status);

	event->smtp_response = core_record_entry_own(entry, response_of(reply));
	event->enhanced_code = reply->enhanced[0] ? reply->enhanced : NULL;
	if (status == EVENT_BOUNCED)
		event->bounce_type = core_bounce_type(reply->code, reply->enhanced);
}

/* Tells all that is left: of what they were answered or, where nobody was asked, why not. why NULL:
   those are not told. */
static void
tell(struct core_record_entry *entry, const struct rest *rest, enum store_event_status status,
    const char *why)
{
	for (guint i = 0; i < rest->copy.count; i++) {
		guint number = rest->copy.recipients[i];

		if (rest->replies[i])
			add_reply(entry, rest, number, status, rest->replies[i]);
		else if (why)
			add_event(entry, rest, number, status)->smtp_response =
			    core_record_entry_own(entry, g_strdup(why));
	}
}

/* Whoever the server has refused for good; the mailbox itself may be what is wrong. */
static void
refuse(struct core_record_entry *entry, const struct core_message *parcel, const struct rest *rest,
    guint number, const struct smtp_recipient *reply)
{
	const struct core_bounce bounce = {&parcel->copy.workspace_id, reply->address,
	    core_bounce_type(reply->code, reply->enhanced),
	    core_suppress_is_final(reply->code, reply->enhanced)};

	if (reply->stage != SMTP_STAGE_RCPT) {
		add_reply(entry, rest, number, EVENT_FAILED, reply);
		return;
	}
	add_reply(entry, rest, number, EVENT_BOUNCED, reply);
	g_array_append_val(entry->bounces, bounce);
}

/* Takes out of rest those of whom the relay has said its last word. *tried_r: it was asked of some
   of the others; *uncertain_r: and may have taken it. */
static void
settle(struct core_record_entry *entry, const struct core_message *parcel, struct rest *rest,
    bool *tried_r, bool *uncertain_r)
{
	bool final = base_settings_switch(entry->core->settings, SETTING_SMTP_FINAL);
	bool sent = false;

	for (guint i = 0; i < parcel->message.count; i++) {
		const struct smtp_recipient *reply = &parcel->message.recipients[i];
		guint16 number = parcel->copy.recipients[i];

		switch (reply->outcome) {
		case SMTP_SENT:
			sent = true;
			add_event(entry, rest, number, EVENT_SENT);
			if (final)
				add_event(entry, rest, number, EVENT_DELIVERED);
			break;
		case SMTP_PERMANENT:
			refuse(entry, parcel, rest, number, reply);
			break;
		case SMTP_NOT_TRIED:
			keep(rest, number, NULL);
			break;
		case SMTP_UNCERTAIN:
			*uncertain_r = true;
			/* fall through */
		case SMTP_TEMPORARY:
			*tried_r = true;
			keep(rest, number, reply);
			break;
		}
	}
	struct store_email_sent accepted = {parcel->email->id, rest->at};
	if (sent)
		g_array_append_val(entry->sent, accepted);
}

static void
give_up(struct core_record_entry *entry, struct rest *rest, const char *why)
{
	tell(entry, rest, EVENT_FAILED, why);
	rest->copy.count = 0;
}

/* The time at which what is left is due again, after an attempt or, with attempted false, because
   none could be made. Past the last retry nothing is left. */
static gint64
postpone(struct core_record_entry *entry, struct rest *rest, bool attempted, const char *why)
{
	struct store_outbox_entry *copy = &rest->copy;
	guint attempts = copy->attempts + attempted;
	gint64 at = core_retry_at(
	    attempted ? attempts : 0, copy->since, rest->at, g_random_double_range(-1, 1));

	if (at == 0) {
		give_up(entry, rest, why ? why : "The last retry is over");
		return 0;
	}
	copy->attempts = attempts;
	if (core_retry_tells(copy->delayed, rest->at)) {
		tell(entry, rest, EVENT_DELAYED, why);
		copy->delayed = rest->at;
	}
	return at;
}

/* Held, until an operator has looked whether the relay took it. */
static gint64
hold(struct core_record_entry *entry, struct rest *rest)
{
	rest->copy.attempts++;
	tell(entry, rest, EVENT_DELAYED, NULL);
	rest->copy.delayed = rest->at;
	return 0;
}

/* After a session: when what is left is due again. */
static gint64
judge_session(struct core_record_entry *entry, const struct core_message *parcel, struct rest *rest,
    const GError *session)
{
	bool tried = false, uncertain = false;

	settle(entry, parcel, rest, &tried, &uncertain);
	if (rest->copy.count == 0)
		return 0;
	if (uncertain &&
	    base_settings_choice(entry->core->settings, SETTING_SMTP_UNCERTAIN) == UNCERTAIN_HOLD)
		return hold(entry, rest);
	if (tried)
		return postpone(entry, rest, true, NULL);
	if (session)
		return postpone(entry, rest, false, session->message);
	return rest->at;
}

static bool
is_permanent(const GError *fault)
{
	return g_error_matches(fault, PH_ERROR, PH_ERROR_NOT_FOUND) ||
	       g_error_matches(fault, PH_ERROR, PH_ERROR_INVALID) ||
	       g_error_matches(fault, PH_ERROR, PH_ERROR_TOO_LARGE);
}

/* A parcel that was not shown to the relay: gone for good, or put off. */
static gint64
judge_fault(struct core_record_entry *entry, const struct core_message *parcel, struct rest *rest)
{
	const GError *fault = parcel->fault;

	for (guint i = 0; i < parcel->copy.count; i++)
		keep(rest, parcel->copy.recipients[i], NULL);
	if (is_permanent(fault)) {
		give_up(entry, rest, parcel->email ? fault->message : NULL);
		return 0;
	}
	if (!g_error_matches(fault, PH_ERROR, PH_ERROR_TEMPORARY))
		return postpone(entry, rest, true, fault->message);
	/* The database was away for a moment: nothing that anybody has to be told. */
	return core_retry_at(0, rest->at, rest->at, g_random_double_range(-1, 1));
}

static void
judge(struct core_record_entry *entry, const struct core_message *parcel, const GError *session)
{
	struct rest *rest = core_record_entry_own(entry, g_new0(struct rest, 1));
	struct store_outbox_end end = {&rest->copy, 0};
	bool shown = parcel->finished != 0;

	rest->copy = parcel->copy;
	rest->copy.count = 0;
	rest->type = parcel->email ? parcel->email->type : 0;
	rest->at = shown ? parcel->finished : base_clock_now();
	for (guint i = 0; i < parcel->suppressed_count; i++)
		add_event(entry, rest, parcel->suppressed[i], EVENT_SUPPRESSED);
	end.ready_at = parcel->fault && !shown ? judge_fault(entry, parcel, rest)
					       : judge_session(entry, parcel, rest, session);
	g_array_append_val(entry->ends, end);
}

bool
core_record(struct core *core, const struct store_outbox_claim *claim,
    struct core_message *const *parcels, guint count, const GError *session, GError **error)
{
	struct core_record_entry entry;
	g_autoptr(GError) local = NULL;

	core_record_entry_begin(&entry, core, claim);
	for (guint i = 0; i < count; i++)
		judge(&entry, parcels[i], session);
	bool done = core_record_entry_write(&entry, &local);
	core_record_entry_clear(&entry);
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
