/* SPDX-License-Identifier: MIT */
/* posthouse email: lists emails, shows the events of each recipient, and cancels scheduled emails.
 */
#include "cli/email.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/email.h"
#include "base/limits/person.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "cli/text.h"
#include "config/log.h"
#include "email/schedule.h"
#include "email/submission.h"
#include "store/common/listing.h"
#include "store/email/email.h"
#include "store/outbox/outbox.h"
#include "store/workspace/workspace.h"

#define INDENT 4

enum { ID };

static void
email_show_facts(struct cli_output *output, const struct store_email *email)
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
email_append_part(GString *text, const char *before, const char *part)
{
	if (part && *part)
		g_string_append_printf(text, "%s%s%s", text->len > 0 ? ", " : "", before, part);
}

/* Returns the details of an event; "" when it has none. The caller owns the text. */
static char *
email_describe(const struct store_event *event)
{
	const char *reply = event->smtp_response, *code = event->enhanced_code;
	g_autoptr(GString) text = g_string_new(NULL);

	email_append_part(text, "", reply);
	if (code && (!reply || !strstr(reply, code)))
		email_append_part(text, "", code);
	if (event->bounce_type == BOUNCE_TRANSIENT)
		email_append_part(text, "", "for a temporary reason");
	email_append_part(text, "", event->link);
	email_append_part(text, "from ", event->ip);
	if (event->automated)
		email_append_part(text, "", "by a program");
	return config_log_escape(text->str);
}

static void
append_event(GString *text, const struct store_event *event)
{
	g_autofree char *more = email_describe(event);
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

/* Writes an event, only in JSON: people have seen it with its recipient. */
static void
show_event(
    struct cli_output *output, const struct store_email *email, const struct store_event *event)
{
	cli_output_item(output,
	    FIELDS(cli_text("recipient", store_email_address(email, event->recipient)),
		cli_text("status", store_event_name(event->status)),
		cli_time("timestamp", event->timestamp),
		cli_text("smtp_response", event->smtp_response),
		cli_text("enhanced_code", event->enhanced_code), cli_text("relay", event->relay),
		cli_text("type", bounce_name(event->bounce_type)), cli_text("ip", event->ip),
		cli_text("user_agent", event->user_agent), cli_text("link", event->link),
		cli_truth("automated", event->automated)),
	    "");
}

static const char *
waiting_state(const struct store_outbox_waiting *entry, gint64 now)
{
	if (entry->claimed)
		return "leaving";
	if (entry->ready_at == 0)
		return "held";
	return entry->ready_at <= now ? "due" : "waiting";
}

/* Shows an outbox entry: the recipients still to be sent to, and the next attempt. */
static void
show_entry(struct cli_output *output, const struct store_outbox_waiting *entry, gint64 now)
{
	gint64 next = entry->claimed ? 0 : entry->ready_at;
	g_autofree char *attempts = cli_count(entry->attempts, "attempt", "attempts");
	g_autofree char *all = cli_email_names(entry->recipients, G_MAXUINT);
	g_autofree char *some = cli_email_names(entry->recipients, EMAIL_NAMES);
	char time[CLOCK_ISO_SIZE];
	g_autofree char *words = g_strdup_printf("%s%s%s, after %s: %s", waiting_state(entry, now),
	    !next		     ? ""
	    : entry->ready_at <= now ? " since "
				     : " until ",
	    next ? base_clock_format(next, time) : "", attempts, some);
	g_autoptr(GString) text = g_string_new(NULL);

	cli_wrap_words(text, 0, words);
	cli_output_item(output,
	    FIELDS(cli_text("state", waiting_state(entry, now)), cli_time("next_attempt", next),
		cli_number("attempts", entry->attempts), cli_time("since", entry->since),
		cli_number("recipients", entry->recipients->len), cli_text("addresses", all)),
	    text->str);
}

static int
email_oldest_first(const void *a, const void *b)
{
	return store_event_compare(
	    *(const struct store_event *const *)a, *(const struct store_event *const *)b);
}

/* Merges the events of all recipients, oldest first. They are borrowed; the caller owns the array.
 */
static GPtrArray *
email_merge(const struct store_event_history *histories, guint count)
{
	GPtrArray *events = g_ptr_array_new();

	for (guint i = 0; i < count; i++)
		for (guint e = 0; e < histories[i].events->len; e++)
			g_ptr_array_add(events, histories[i].events->pdata[e]);
	g_ptr_array_sort(events, email_oldest_first);
	return events;
}

static void
show_all(struct cli_output *output, const struct store_email *email, const GPtrArray *copies,
    const struct store_event_history *histories)
{
	g_autoptr(GPtrArray) events = email_merge(histories, email->recipients->len);
	gint64 now = base_clock_now();

	email_show_facts(output, email);
	cli_output_progress(output, "%s", "");
	cli_output_list_begin(output, "outbox", NULL);
	for (guint i = 0; i < copies->len; i++)
		show_entry(output, copies->pdata[i], now);
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

static bool
show_email(struct cli_call *call, GError **error)
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

enum { LIST_STATUS, LIST_TO, LIST_FROM, LIST_TAG, LIST_SINCE, LIST_UNTIL, LIST_BEFORE, LIST_LIMIT };
static const struct cli_parameter list_parameters[] = {
    [LIST_STATUS] = {"--status",
	"only emails in which some recipient's latest event is this: sent, delivered, delayed, "
	"bounced, failed, "
	"suppressed, opened, clicked, unsubscribed or complained",
	"STATUS", .max = LIMIT_NAME_LENGTH},
    [LIST_TO] = {"--to", "only emails to this recipient", "EMAIL", PARAMETER_ADDRESS},
    [LIST_FROM] = {"--from", "only emails from this sender", "EMAIL", PARAMETER_ADDRESS},
    [LIST_TAG] = {"--tag", "only emails with this tag: NAME, or NAME:VALUE", "TAG",
	.max = 2 * LIMIT_TAG_LENGTH + 1},
    [LIST_SINCE] = {"--since", "only emails accepted since this time", "TIME", PARAMETER_TIME},
    [LIST_UNTIL] = {"--until", "only emails accepted before this time", "TIME", PARAMETER_TIME},
    [LIST_BEFORE] = PAGE_BEFORE,
    [LIST_LIMIT] = PAGE_LIMIT,
};

static bool
email_read_status(const char *given, enum store_event_status *status_r, GError **error)
{
	*status_r = given ? store_event_status(given) : EVENT_NONE;
	if (!given || *status_r != EVENT_NONE)
		return true;
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
	    "--status must be the name of an email event, not \"%s\"", given);
	return false;
}

/* Returns the state of a recipient: its latest event or, before the first, the state of the email.
 */
static const char *
email_state_of(
    const struct store_email *email, const struct store_email_recipient *recipient, gint64 now)
{
	if (recipient->status != EVENT_NONE)
		return store_event_name(recipient->status);
	return email->cancelled ? "cancelled" : email->scheduled_at > now ? "scheduled" : "waiting";
}

/* Counts the states of all recipients: "delivered", "48 delivered, 2 bounced". The caller owns it.
 */
static char *
describe_states(const struct store_email *email, gint64 now)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	g_autoptr(GHashTable) counts = g_hash_table_new(g_str_hash, g_str_equal);
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < email->recipients->len; i++) {
		char *name = (char *)email_state_of(email, email->recipients->pdata[i], now);
		guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, name));

		if (count == 0)
			g_ptr_array_add(names, name);
		g_hash_table_insert(counts, name, GUINT_TO_POINTER(count + 1));
	}
	for (guint i = 0; i < names->len; i++) {
		const char *name = names->pdata[i];

		if (i > 0)
			g_string_append(text, ", ");
		if (email->recipients->len > 1)
			g_string_append_printf(
			    text, "%u ", GPOINTER_TO_UINT(g_hash_table_lookup(counts, name)));
		g_string_append(text, name);
	}
	return g_string_free(text, FALSE);
}

char *
cli_email_names(const GPtrArray *addresses, guint most)
{
	GString *names = g_string_new(NULL);

	for (guint i = 0; i < MIN(addresses->len, most); i++)
		g_string_append_printf(
		    names, "%s%s", i > 0 ? ", " : "", (const char *)addresses->pdata[i]);
	if (addresses->len > most) {
		g_autofree char *others = cli_count(addresses->len - most, "other", "others");

		g_string_append_printf(names, " and %s", others);
	}
	return g_string_free(names, FALSE);
}

/* Lists the recipients. The caller owns the text. */
static char *
describe_recipients(const struct store_email *email)
{
	const char *first = store_email_address(email, 0);
	guint others = email->recipients->len > 0 ? email->recipients->len - 1 : 0;
	g_autofree char *more = cli_count(others, "other", "others");

	return others ? g_strconcat(first ? first : "-", " and ", more, NULL)
		      : g_strdup(first ? first : "-");
}

static void
email_show_row(struct cli_output *output, const struct store_email *email, gint64 now)
{
	const struct store_event *last = email->last_event;
	g_autofree char *states = describe_states(email, now);
	g_autofree char *recipients = describe_recipients(email);
	g_autofree char *what = g_strdup_printf("%s: %s", recipients, email->subject);
	g_autofree char *shown = config_log_escape(what);
	g_autofree char *cut = cli_wrap_cut(shown, WRAP_COLUMNS - INDENT);
	char id[ID_TEXT_SIZE], created[CLOCK_ISO_SIZE];
	g_autofree char *text =
	    g_strdup_printf("%s  %s  %s\n%*s%s\n", base_id_format(&email->id, id),
		base_clock_format(email->created, created), states, INDENT, "", cut);

	cli_output_item(output,
	    FIELDS(cli_id("id", &email->id), cli_text("type", store_email_type_name(email->type)),
		cli_time("created", email->created), cli_time("scheduled_at", email->scheduled_at),
		cli_time("cancelled", email->cancelled), cli_time("sent", email->sent),
		cli_text("to", email->to), cli_text("subject", email->subject),
		cli_number("recipients", email->recipients->len), cli_text("states", states),
		cli_text("last_event", last ? store_event_name(last->status) : NULL),
		cli_time("last_event_at", last ? last->timestamp : 0)),
	    text);
}

#define LOOKS 20 /* pages that may be short or empty, one after the other */

/* Reads up to limit emails, of as many as LOOKS pages look at. *rest_r: the last of these, where
   they are fewer than limit and others follow. */
static GPtrArray *
email_read_list(struct cli_call *call, struct store_email_filter *filter, guint limit,
    struct store_rest *rest_r, GError **error)
{
	g_autoptr(GPtrArray) emails = g_ptr_array_new_with_free_func(store_email_destroy);
	struct base_id before;

	for (guint look = 0; look == 0 || (look < LOOKS && rest_r->is_any && emails->len < limit);
	     look++) {
		GPtrArray *page = store_email_list_of(
		    call->db, &call->workspace->id, filter, limit - emails->len, rest_r, error);

		if (!page)
			return NULL;
		g_ptr_array_extend_and_steal(emails, page);
		before = rest_r->id;
		filter->before = &before;
	}
	return g_steal_pointer(&emails);
}

static bool
cli_email_list(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	const char *to = values[LIST_TO].text, *from = values[LIST_FROM].text;
	guint limit = cli_page_limit(&values[LIST_LIMIT]);
	gint64 now = base_clock_now();
	g_autofree char *address = to ? email_envelope_recipient(to) : NULL;
	g_autofree char *sender = from ? email_envelope_recipient(from) : NULL;
	g_auto(GStrv) tag = g_strsplit(values[LIST_TAG].text ? values[LIST_TAG].text : "", ":", 2);
	struct store_email_filter filter = {.address = address,
	    .sender = sender,
	    .tag = tag[0],
	    .value = tag[0] ? tag[1] : NULL,
	    .since = values[LIST_SINCE].text ? &values[LIST_SINCE].number : NULL,
	    .until = values[LIST_UNTIL].text ? &values[LIST_UNTIL].number : NULL,
	    .before = cli_page_before(&values[LIST_BEFORE])};

	if (!email_read_status(values[LIST_STATUS].text, &filter.status, error))
		return false;
	struct store_rest rest;
	g_autoptr(GPtrArray) emails = email_read_list(call, &filter, limit + 1, &rest, error);
	if (!emails)
		return false;
	guint count = MIN(emails->len, limit);
	cli_output_list_begin(call->output, "emails",
	    count > 0	  ? NULL
	    : rest.is_any ? "The newest emails are no such ones."
			  : "There are no such emails.");
	for (guint i = 0; i < count; i++)
		email_show_row(call->output, emails->pdata[i], now);
	cli_output_list_end(call->output);
	if (emails->len > count)
		cli_page_rest(
		    call->output, &((const struct store_email *)emails->pdata[count - 1])->id);
	else if (rest.is_any)
		cli_page_rest(call->output, &rest.id);
	return true;
}

static const struct cli_parameter id_parameters[] = {
    [ID] = {"ID", "of the email", .type = PARAMETER_ID},
};

static bool
email_cancel(struct cli_call *call, GError **error)
{
	struct service *service = call->service;
	const struct base_id *id = &call->values[ID].id;

	if (!email_schedule_cancel(service, &call->workspace->id, id, error))
		return false;
	cli_output_say(call->output, FIELDS(cli_id("id", id), cli_truth("cancelled", true)),
	    "The email is cancelled.");
	return true;
}

static const struct cli_command commands[] = {
    {"list", "List emails, newest first, with their recipients and the states of these.",
	NEED_WORKSPACE, PARAMETERS(list_parameters), .run = cli_email_list},
    {"show", "Show an email: each recipient, with its events in their order.", NEED_WORKSPACE,
	PARAMETERS(id_parameters), .run = show_email},
    {"cancel", "Cancel a scheduled email that has not left.", NEED_WORKSPACE,
	PARAMETERS(id_parameters), .run = email_cancel},
};

const struct cli_noun cli_noun_email = {"email", commands, G_N_ELEMENTS(commands)};
