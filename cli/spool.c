/* SPDX-License-Identifier: MIT */
/* posthouse spool: counts and lists the emails that are waiting or held, and holds or releases
 * them. */
#include "store/outbox/outbox.h"

#include "base/clock.h"
#include "base/error.h"
#include "cli/call.h"
#include "cli/email.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "cli/text.h"
#include "config/log.h"
#include "relay/relay.h"
#include "store/workspace/workspace.h"

static bool
spool_status(struct cli_call *call, GError **error)
{
	struct store_outbox_counts counts;
	struct relay_report relay;

	if (!store_outbox_count(call->db, base_clock_now(), &counts, error))
		return false;
	cli_output_facts(
	    call->output, FIELDS(cli_number("due", counts.due), cli_number("later", counts.later),
			      cli_number("claimed", counts.claimed),
			      cli_number("held", counts.held), cli_time("oldest", counts.oldest)));
	cli_output_list_begin(call->output, "relays", "There are no relays.");
	for (guint i = 0; relay_slot_report(call->settings, i, &relay); i++) {
		const char *reason = *relay.refusal.text ? relay.refusal.text : NULL;

		cli_output_row(call->output,
		    FIELDS(cli_text("relay", relay.relay->name),
			cli_text("host", relay.relay->host), cli_number("port", relay.relay->port),
			cli_number("sessions", relay.sessions),
			cli_time("rests_until", relay.rests_until), cli_text("reason", reason)));
	}
	cli_output_list_end(call->output);
	return true;
}

enum { WAITING_LIMIT };
static const struct cli_parameter waiting_parameters[] = {
    [WAITING_LIMIT] = PAGE_LIMIT,
};

#define INDENT 4

/* Describes a waiting outbox entry in lines. The caller owns the text. */
static char *
spool_describe(const struct store_outbox_waiting *waiting, gint64 now)
{
	GString *text = g_string_new(NULL);
	char id[ID_TEXT_SIZE], time[CLOCK_ISO_SIZE];
	g_autofree char *attempts = cli_count(waiting->attempts, "attempt", "attempts");
	g_autofree char *names = cli_email_names(waiting->recipients, EMAIL_NAMES);
	g_autofree char *whose = g_strdup_printf("%s: %s", waiting->workspace, names);
	g_autofree char *reason = config_log_escape(waiting->reason ? waiting->reason : "");

	g_string_append_printf(text, "%s  %s  %s%s\n", base_id_format(&waiting->email_id, id),
	    base_clock_format(waiting->ready_at, time), waiting->ready_at <= now ? "due, " : "",
	    attempts);
	cli_wrap_words(text, INDENT, whose);
	if (*reason)
		cli_wrap_words(text, INDENT, reason);
	return g_string_free(text, FALSE);
}

static void
show_waiting(struct cli_output *output, const struct store_outbox_waiting *waiting, gint64 now)
{
	g_autofree char *text = spool_describe(waiting, now);
	g_autofree char *names = cli_email_names(waiting->recipients, G_MAXUINT);

	cli_output_item(output,
	    FIELDS(cli_id("id", &waiting->email_id), cli_text("workspace", waiting->workspace),
		cli_time("next_attempt", waiting->ready_at),
		cli_number("attempts", waiting->attempts), cli_time("since", waiting->since),
		cli_number("recipients", waiting->recipients->len), cli_text("addresses", names),
		cli_text("reason", waiting->reason)),
	    text);
}

static bool
list_waiting(struct cli_call *call, GError **error)
{
	guint limit = cli_page_limit(&call->values[WAITING_LIMIT]);
	gint64 now = base_clock_now();
	g_autoptr(GPtrArray) list = store_outbox_list_waiting(call->db, limit + 1, error);

	if (!list)
		return false;
	cli_output_list_begin(call->output, "waiting", list->len > 0 ? NULL : "Nothing waits.");
	for (guint i = 0; i < MIN(list->len, limit); i++)
		show_waiting(call->output, list->pdata[i], now);
	cli_output_list_end(call->output);
	if (list->len > limit)
		cli_output_progress(
		    call->output, "There are more: posthouse spool status counts them.");
	return true;
}

static void
show_held(const struct store_outbox_entry *entry, void *context)
{
	struct cli_call *call = context;

	cli_output_row(call->output,
	    FIELDS(cli_id("id", &entry->email_id), cli_number("recipients", entry->count),
		cli_number("attempts", entry->attempts), cli_time("since", entry->since)));
}

static bool
list_held(struct cli_call *call, GError **error)
{
	cli_output_list_begin(call->output, "held", "Nothing is held.");
	if (!store_outbox_list_held(call->db, &call->workspace->id, show_held, call, error))
		return false;
	cli_output_list_end(call->output);
	return true;
}

enum { CHANGE_ID };
static const struct cli_parameter change_parameters[] = {
    [CHANGE_ID] = {"ID", "of the email", .type = PARAMETER_ID},
};

/* Answers hold, release and retry. count: the entries changed; 0 is NOT_FOUND with the text none.
 */
static bool
spool_say(struct cli_call *call, guint count, const char *done, const char *none, GError **error)
{
	if (count == 0) {
		g_set_error_literal(error, PH_ERROR, PH_ERROR_NOT_FOUND, none);
		return false;
	}
	cli_output_say(call->output,
	    FIELDS(cli_id("id", &call->values[CHANGE_ID].id), cli_number("messages", count)), "%s",
	    done);
	return true;
}

static bool
spool_hold(struct cli_call *call, GError **error)
{
	guint count;

	return store_outbox_hold(
		   call->db, &call->workspace->id, &call->values[CHANGE_ID].id, &count, error) &&
	       spool_say(call, count, "The email is held until it is released.",
		   "no message of this email waits: it has left, or is being sent now", error);
}

static bool
spool_release(struct cli_call *call, GError **error)
{
	guint count;

	return store_outbox_release(call->db, &call->workspace->id, &call->values[CHANGE_ID].id,
		   base_clock_now(), &count, error) &&
	       spool_say(call, count,
		   "The email is released: it is due now, or at its scheduled time.",
		   "no message of this email is held", error);
}

static bool
retry(struct cli_call *call, GError **error)
{
	guint count;

	return store_outbox_hasten(call->db, &call->workspace->id, &call->values[CHANGE_ID].id,
		   base_clock_now(), &count, error) &&
	       spool_say(call, count, "The email is due now.",
		   "no message of this email waits for another attempt", error);
}

static const struct cli_command commands[] = {
    {"status", "Count the messages that have not left, and show the state of the relays.",
	NEED_SCHEMA, .run = spool_status},
    {"waiting",
	"List the messages of all workspaces that have not left, sorted by time: the next attempt, "
	"the recipients, and the reason for the delay.",
	NEED_SCHEMA, PARAMETERS(waiting_parameters), .run = list_waiting},
    {"held", "List the emails that are held.", NEED_WORKSPACE, .run = list_held},
    {"hold", "Hold an email that has not left.", NEED_WORKSPACE, PARAMETERS(change_parameters),
	.run = spool_hold},
    {"release", "Release a held email: it is due now, or at its scheduled time.", NEED_WORKSPACE,
	PARAMETERS(change_parameters), .audit = "email.changed", .run = spool_release},
    {"retry", "Make an email due now that waits for its next attempt.", NEED_WORKSPACE,
	PARAMETERS(change_parameters), .run = retry},
};

const struct cli_noun cli_noun_spool = {"spool", commands, G_N_ELEMENTS(commands)};
