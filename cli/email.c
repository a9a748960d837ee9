/* SPDX-License-Identifier: MIT */
/* posthouse email: what was sent or is to be sent, and what became of it. */
#include "cli/email.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/log.h"
#include "cli/call.h"
#include "cli/count.h"
#include "cli/nouns.h"
#include "cli/output.h"
#include "cli/page.h"
#include "cli/wrap.h"
#include "core/cancel.h"
#include "core/core.h"
#include "core/envelope.h"
#include "store/email.h"
#include "store/workspace.h"

enum { LIST_STATUS, LIST_TO, LIST_BEFORE, LIST_LIMIT };
static const struct cli_parameter list_parameters[] = {
    [LIST_STATUS] = {"--status",
	"only what some recipient's latest event is: sent, delivered, delayed, bounced, failed, "
	"suppressed, opened, clicked, unsubscribed or complained",
	"STATUS", .max = LIMIT_NAME_LENGTH},
    [LIST_TO] = {"--to", "only to this recipient", "EMAIL", PARAMETER_ADDRESS},
    [LIST_BEFORE] = PAGE_BEFORE,
    [LIST_LIMIT] = PAGE_LIMIT,
};

#define INDENT 4

static bool
read_status(const char *given, enum store_event_status *status_r, GError **error)
{
	*status_r = given ? store_event_status(given) : EVENT_NONE;
	if (!given || *status_r != EVENT_NONE)
		return true;
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
	    "--status must be the name of an email event, not \"%s\"", given);
	return false;
}

/* What of a recipient no event has told yet. */
static const char *
state_of(const struct store_email *email, const struct store_email_recipient *recipient, gint64 now)
{
	if (recipient->status != EVENT_NONE)
		return store_event_name(recipient->status);
	return email->cancelled ? "cancelled" : email->scheduled_at > now ? "scheduled" : "waiting";
}

/* The states of all recipients: "delivered", "48 delivered, 2 bounced". The caller owns it. */
static char *
describe_states(const struct store_email *email, gint64 now)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	g_autoptr(GHashTable) counts = g_hash_table_new(g_str_hash, g_str_equal);
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < email->recipients->len; i++) {
		char *name = (char *)state_of(email, email->recipients->pdata[i], now);
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

/* Whom it is to. The caller owns it. */
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
show_row(struct cli_output *output, const struct store_email *email, gint64 now)
{
	const struct store_event *last = email->last_event;
	g_autofree char *states = describe_states(email, now);
	g_autofree char *recipients = describe_recipients(email);
	g_autofree char *what = g_strdup_printf("%s: %s", recipients, email->subject);
	g_autofree char *shown = base_log_escape(what);
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

static bool
list(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	const char *to = values[LIST_TO].text;
	guint limit = cli_page_limit(&values[LIST_LIMIT]);
	gint64 now = base_clock_now();
	g_autofree char *address = to ? core_envelope_recipient(to) : NULL;
	struct store_email_filter filter = {
	    .address = address, .before = cli_page_before(&values[LIST_BEFORE])};

	if (!read_status(values[LIST_STATUS].text, &filter.status, error))
		return false;
	g_autoptr(GPtrArray) emails =
	    store_email_list(call->db, &call->workspace->id, &filter, limit + 1, error);
	if (!emails)
		return false;
	guint count = MIN(emails->len, limit);
	cli_output_list_begin(call->output, "emails", count > 0 ? NULL : "There is no such email.");
	for (guint i = 0; i < count; i++)
		show_row(call->output, emails->pdata[i], now);
	cli_output_list_end(call->output);
	if (emails->len > count)
		cli_page_rest(
		    call->output, &((const struct store_email *)emails->pdata[count - 1])->id);
	return true;
}

enum { ID };
const struct cli_parameter cli_email_id_parameters[EMAIL_ID_PARAMETERS] = {
    [ID] = {"ID", "of the email", .type = PARAMETER_ID},
};

static bool
cancel(struct cli_call *call, GError **error)
{
	AUTO(core) core = core_open(call->settings);
	const struct base_id *id = &call->values[ID].id;

	if (!core_ensure(core, error) || !core_cancel(core, &call->workspace->id, id, error))
		return false;
	cli_output_say(call->output, FIELDS(cli_id("id", id), cli_truth("cancelled", true)),
	    "The email is cancelled.");
	return true;
}

static const struct cli_command commands[] = {
    {"list", "List emails, newest first: to whom they are, and what became of them.",
	NEED_WORKSPACE, PARAMETERS(list_parameters), .run = list},
    {"show", "Tell of an email what became of it: each recipient, with its events in their order.",
	NEED_WORKSPACE, PARAMETERS(cli_email_id_parameters), .run = cli_email_show},
    {"cancel", "Take back an email that is scheduled and has not left.", NEED_WORKSPACE,
	PARAMETERS(cli_email_id_parameters), .run = cancel},
};

const struct cli_noun cli_noun_email = {"email", commands, G_N_ELEMENTS(commands)};
