/* SPDX-License-Identifier: MIT */
/* posthouse email show: an email, its recipients, and their events. */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "cli/call.h"
#include "cli/count.h"
#include "cli/email.h"
#include "cli/output.h"
#include "cli/wrap.h"
#include "store/email.h"
#include "store/outbox.h"
#include "store/workspace.h"

#define INDENT 4

enum { ID };

static void
show_facts(struct cli_output *output, const struct store_email *email)
{
	cli_output_facts(output,
	    FIELDS(cli_id("id", &email->id), cli_text("type", store_email_type_name(email->type)),
		cli_time("created", email->created), cli_time("scheduled_at", email->scheduled_at),
		cli_time("cancelled", email->cancelled), cli_time("sent", email->sent),
		cli_text("from", email->sender), cli_text("to", email->to),
		cli_text("cc", email->cc), cli_text("bcc", email->bcc),
		cli_text("reply_to", email->reply_to), cli_text("subject", email->subject),
		cli_text("template_id", email->template_id), cli_text("domain", email->domain)));
}

static const char *
bounce_name(enum store_bounce_type type)
{
	return type == BOUNCE_TRANSIENT	  ? "Transient"
	       : type == BOUNCE_PERMANENT ? "Permanent"
					  : NULL;
}

static void
append_part(GString *text, const char *before, const char *part)
{
	if (part && *part)
		g_string_append_printf(text, "%s%s%s", text->len > 0 ? ", " : "", before, part);
}

/* What there is to know of an event beside its name; "" where that is nothing. The caller owns it.
 */
static char *
describe(const struct store_event *event)
{
	const char *reply = event->smtp_response, *code = event->enhanced_code;
	g_autoptr(GString) text = g_string_new(NULL);

	append_part(text, "", reply);
	if (code && (!reply || !strstr(reply, code)))
		append_part(text, "", code);
	if (event->bounce_type == BOUNCE_TRANSIENT)
		append_part(text, "", "for a passing reason");
	append_part(text, "", event->link);
	append_part(text, "from ", event->ip);
	if (event->automated)
		append_part(text, "", "by a program");
	return base_log_escape(text->str);
}

static void
append_event(GString *text, const struct store_event *event)
{
	g_autofree char *more = describe(event);
	char time[CLOCK_ISO_SIZE];

	g_string_append_printf(text, "%*s%s  %s%s", INDENT, "",
	    base_clock_format(event->timestamp, time), store_event_name(event->status),
	    *more ? ":" : "");
	if (*more)
		cli_wrap_words(text, (gsize)2 * INDENT, more);
	else
		g_string_append_c(text, '\n');
}

static void
show_recipient(struct cli_output *output, const struct store_email *email, guint number,
    const struct store_event_history *history)
{
	static const char *const kinds[] = {
	    [RECIPIENT_TO] = "to", [RECIPIENT_CC] = "cc", [RECIPIENT_BCC] = "bcc"};
	const struct store_email_recipient *recipient = email->recipients->pdata[number];
	const char *status =
	    recipient->status == EVENT_NONE ? NULL : store_event_name(recipient->status);
	g_autoptr(GString) text = g_string_new(NULL);

	g_string_append_printf(text, "%s %s: %s\n", kinds[recipient->kind], recipient->address,
	    status	       ? status
	    : email->cancelled ? "cancelled"
			       : "no event yet");
	if (history->more)
		g_string_append(text, "  older events are not shown\n");
	for (guint i = 0; i < history->events->len; i++)
		append_event(text, history->events->pdata[i]);
	cli_output_item(output,
	    FIELDS(cli_text("recipient", recipient->address),
		cli_text("kind", kinds[recipient->kind]), cli_text("status", status),
		cli_time("timestamp", recipient->status_at), cli_truth("more", history->more)),
	    text->str);
}

/* For programs, which have seen no events yet. */
static void
show_event(
    struct cli_output *output, const struct store_email *email, const struct store_event *event)
{
	cli_output_item(output,
	    FIELDS(cli_text("recipient", store_email_address(email, event->recipient)),
		cli_text("status", store_event_name(event->status)),
		cli_time("timestamp", event->timestamp),
		cli_text("smtp_response", event->smtp_response),
		cli_text("enhanced_code", event->enhanced_code),
		cli_text("type", bounce_name(event->bounce_type)), cli_text("ip", event->ip),
		cli_text("user_agent", event->user_agent), cli_text("link", event->link),
		cli_truth("automated", event->automated)),
	    "");
}

static const char *
state_of(const struct store_outbox_waiting *copy, gint64 now)
{
	if (copy->claimed)
		return "leaving";
	if (copy->ready_at == 0)
		return "held";
	return copy->ready_at <= now ? "due" : "waiting";
}

/* What has still to leave, and when. */
static void
show_copy(struct cli_output *output, const struct store_outbox_waiting *copy, gint64 now)
{
	gint64 next = copy->claimed ? 0 : copy->ready_at;
	g_autofree char *attempts = cli_count(copy->attempts, "attempt", "attempts");
	g_autofree char *all = cli_email_names(copy->recipients, G_MAXUINT);
	g_autofree char *some = cli_email_names(copy->recipients, EMAIL_NAMES);
	char time[CLOCK_ISO_SIZE];
	g_autofree char *words = g_strdup_printf("%s%s%s, after %s: %s", state_of(copy, now),
	    !next		    ? ""
	    : copy->ready_at <= now ? " since "
				    : " until ",
	    next ? base_clock_format(next, time) : "", attempts, some);
	g_autoptr(GString) text = g_string_new(NULL);

	cli_wrap_words(text, 0, words);
	cli_output_item(output,
	    FIELDS(cli_text("state", state_of(copy, now)), cli_time("next_attempt", next),
		cli_number("attempts", copy->attempts), cli_time("since", copy->since),
		cli_number("recipients", copy->recipients->len), cli_text("addresses", all)),
	    text->str);
}

static int
oldest_first(const void *a, const void *b)
{
	return store_event_compare(
	    *(const struct store_event *const *)a, *(const struct store_event *const *)b);
}

/* Those of all recipients, which they are borrowed from, oldest first. */
static GPtrArray *
merge(const struct store_event_history *histories, guint count)
{
	GPtrArray *events = g_ptr_array_new();

	for (guint i = 0; i < count; i++)
		for (guint e = 0; e < histories[i].events->len; e++)
			g_ptr_array_add(events, histories[i].events->pdata[e]);
	g_ptr_array_sort(events, oldest_first);
	return events;
}

static void
show_all(struct cli_output *output, const struct store_email *email, const GPtrArray *copies,
    const struct store_event_history *histories)
{
	g_autoptr(GPtrArray) events = merge(histories, email->recipients->len);
	gint64 now = base_clock_now();

	show_facts(output, email);
	cli_output_progress(output, "%s", "");
	cli_output_list_begin(output, "outbox", NULL);
	for (guint i = 0; i < copies->len; i++)
		show_copy(output, copies->pdata[i], now);
	if (copies->len > 0)
		cli_output_progress(output, "%s", "");
	cli_output_list_next(output);
	cli_output_list_begin(output, "recipients", NULL);
	for (guint i = 0; i < email->recipients->len; i++)
		if (store_email_address(email, i))
			show_recipient(output, email, i, &histories[i]);
	cli_output_list_next(output);
	cli_output_list_begin(output, "events", NULL);
	for (guint i = 0; i < events->len; i++)
		show_event(output, email, events->pdata[i]);
	cli_output_list_end(output);
}

bool
cli_email_show(struct cli_call *call, GError **error)
{
	const struct base_id *workspace = &call->workspace->id, *id = &call->values[ID].id;
	AUTO(store_email) email = store_email_get(call->db, workspace, id, 0, error);

	if (!email)
		return false;
	guint count = email->recipients->len;
	g_autofree struct store_event_history *histories =
	    g_new0(struct store_event_history, count);
	g_autoptr(GPtrArray) copies = store_outbox_list_of(call->db, workspace, id, error);
	if (!copies || !store_event_newest(call->db, id, histories, count, error))
		return false;
	show_all(call->output, email, copies, histories);
	store_event_history_clear(histories, count);
	return true;
}
