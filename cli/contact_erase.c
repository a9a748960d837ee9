/* posthouse contact erase: forgets a person. */
#include "base/error.h"
#include "cli/call.h"
#include "cli/contact.h"
#include "cli/output.h"
#include "core/core.h"
#include "core/erase.h"
#include "store/workspace.h"

enum { EMAIL };
const struct parameter cli_contact_erase_parameters[CONTACT_ERASE_PARAMETERS] = {
    [EMAIL] = {"EMAIL", "the person's email", .type = PARAMETER_ADDRESS},
};

bool
cli_contact_erase(struct call *call, GError **error)
{
	const char *email = call->values[EMAIL].text;
	AUTO(core) core = core_open(call->settings);
	struct erasure erased;

	if (!core_ensure(core, error) ||
	    !core_erase(core, &call->workspace->id, email, &erased, error))
		return false;
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
	    "Removed: %" G_GUINT64_FORMAT " contacts, %" G_GUINT64_FORMAT
	    " emails, %" G_GUINT64_FORMAT
	    " places among the recipients of emails with what these say, %" G_GUINT64_FORMAT
	    " events, %" G_GUINT64_FORMAT " messages that had to leave, %" G_GUINT64_FORMAT
	    " automation contacts with %" G_GUINT64_FORMAT " events and %" G_GUINT64_FORMAT
	    " executions. %" G_GUINT64_FORMAT
	    " messages were just being sent. A hash of the address stands on the suppression list.",
	    erased.contacts, erased.emails, erased.shared, erased.events, erased.messages,
	    erased.automation_contacts, erased.automation_events, erased.executions,
	    erased.leaving);
	return true;
}
