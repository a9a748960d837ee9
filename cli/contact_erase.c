/* SPDX-License-Identifier: MIT */
/* posthouse contact erase: forgets a person. */
#include "base/error.h"
#include "cli/call.h"
#include "cli/contact.h"
#include "cli/count.h"
#include "cli/output.h"
#include "core/core.h"
#include "core/erase.h"
#include "store/workspace.h"

enum { EMAIL };
const struct cli_parameter cli_contact_erase_parameters[CONTACT_ERASE_PARAMETERS] = {
    [EMAIL] = {"EMAIL", "the person's email", .type = PARAMETER_ADDRESS},
};

/* All that was removed. The caller owns it. */
static char *
describe(const struct store_erasure *erased)
{
	g_autofree char *contacts = cli_count(erased->contacts, "contact", "contacts");
	g_autofree char *emails = cli_count(erased->emails, "email", "emails");
	g_autofree char *places =
	    cli_count(erased->shared, "place among the recipients of an email with what it says",
		"places among the recipients of emails with what these say");
	g_autofree char *events = cli_count(erased->events, "event", "events");
	g_autofree char *messages =
	    cli_count(erased->messages, "message that had to leave", "messages that had to leave");
	g_autofree char *people =
	    cli_count(erased->automation_contacts, "automation contact", "automation contacts");
	g_autofree char *deeds = cli_count(erased->automation_events, "event", "events");
	g_autofree char *runs = cli_count(erased->executions, "execution", "executions");

	return g_strdup_printf("%s, %s, %s, %s, %s, %s with %s and %s", contacts, emails, places,
	    events, messages, people, deeds, runs);
}

bool
cli_contact_erase(struct cli_call *call, GError **error)
{
	const char *email = call->values[EMAIL].text;
	AUTO(core) core = core_open(call->settings);
	struct store_erasure erased;

	if (!core_ensure(core, error) ||
	    !core_erase(core, &call->workspace->id, email, &erased, error))
		return false;
	g_autofree char *removed = describe(&erased);
	g_autofree char *leaving = cli_count(erased.leaving, "message was", "messages were");
	cli_output_say(call->output,
	    FIELDS(cli_number("contacts", (gint64)erased.contacts),
		cli_number("emails", (gint64)erased.emails),
		cli_number("shared_emails", (gint64)erased.shared),
		cli_number("events", (gint64)erased.events),
		cli_number("waiting_messages", (gint64)erased.messages),
		cli_number("leaving_messages", (gint64)erased.leaving),
		cli_number("automation_contacts", (gint64)erased.automation_contacts),
		cli_number("automation_events", (gint64)erased.automation_events),
		cli_number("executions", (gint64)erased.executions)),
	    "Removed: %s. %s just being sent. A hash of the address stands on the suppression "
	    "list.",
	    removed, leaving);
	return true;
}
