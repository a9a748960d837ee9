/* SPDX-License-Identifier: MIT */
/* posthouse contact: imports and exports the contacts of an audience, and erases a person. */
#include "audience/audience.h"
#include "base/limits/person.h"
#include "cli/audience.h"
#include "cli/call.h"
#include "cli/export.h"
#include "cli/export_people.h"
#include "cli/grammar.h"
#include "cli/import_people.h"
#include "cli/output.h"
#include "cli/text.h"
#include "person/erase.h"
#include "store/workspace/workspace.h"

enum { ERASE_EMAIL };
static const struct cli_parameter erase_parameters[] = {
    [ERASE_EMAIL] = {"EMAIL", "the person's email", .type = PARAMETER_ADDRESS},
};

/* Lists the numbers of removed rows. The caller owns the text. */
static char *
contact_describe(const struct store_erasure *erased)
{
	g_autofree char *contacts = cli_count(erased->contacts, "contact", "contacts");
	g_autofree char *emails = cli_count(erased->emails, "email", "emails");
	g_autofree char *places =
	    cli_count(erased->shared, "place in an email with other recipients, and its contents",
		"places in emails with other recipients, and their contents");
	g_autofree char *events = cli_count(erased->events, "event", "events");
	g_autofree char *messages =
	    cli_count(erased->messages, "message that had not left", "messages that had not left");
	g_autofree char *people =
	    cli_count(erased->automation_contacts, "automation contact", "automation contacts");
	g_autofree char *deeds = cli_count(erased->automation_events, "event", "events");
	g_autofree char *runs = cli_count(erased->executions, "execution", "executions");

	return g_strdup_printf("%s, %s, %s, %s, %s, %s with %s and %s", contacts, emails, places,
	    events, messages, people, deeds, runs);
}

static bool
contact_erase(struct cli_call *call, GError **error)
{
	const char *email = call->values[ERASE_EMAIL].text;
	struct service *service = call->service;
	struct store_erasure erased;

	if (!person_erase(service, &call->workspace->id, email, &erased, error))
		return false;
	g_autofree char *removed = contact_describe(&erased);
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
	    "Removed: %s. %s just being sent. The suppression list keeps a hash of the address.",
	    removed, leaving);
	return true;
}

enum { IMPORT_AUDIENCE, IMPORT_FIRST };
static const struct cli_parameter import_parameters[] = {
    [IMPORT_AUDIENCE] = {"AUDIENCE", AUDIENCE_HELP, .max = LIMIT_NAME_LENGTH},
    IMPORT_PEOPLE_PARAMETERS,
};

static bool
contact_import_contacts(struct cli_call *call, GError **error)
{
	struct base_id audience;

	return audience_find(call->db, &call->workspace->id, call->values[IMPORT_AUDIENCE].text,
		   &audience, error) &&
	       cli_import_people(call, &audience, call->values + IMPORT_FIRST, error);
}

enum { EXPORT_AUDIENCE, EXPORT_FILE, EXPORT_RAW };
static const struct cli_parameter export_parameters[] = {
    [EXPORT_AUDIENCE] = {"AUDIENCE", AUDIENCE_HELP, .max = LIMIT_NAME_LENGTH},
    [EXPORT_FILE] = EXPORT_PARAMETER_FILE,
    [EXPORT_RAW] = EXPORT_PARAMETER_RAW,
};

static bool export(struct cli_call *call, GError **error)
{
	const char *path = cli_export_path(call->values[EXPORT_FILE].text);
	struct base_id id;
	guint64 count;

	if (!audience_find(
		call->db, &call->workspace->id, call->values[EXPORT_AUDIENCE].text, &id, error))
		return false;
	AUTO(store_audience) audience =
	    store_audience_get(call->db, &call->workspace->id, &id, error);
	if (!audience)
		return false;
	const struct cli_export_people given = {
	    &id, path, call->values[EXPORT_RAW].text != NULL, (guint64)audience->contacts};
	if (!cli_export_people(call, &given, &count, error))
		return false;
	if (path)
		cli_output_say(call->output,
		    FIELDS(cli_id("id", &id), cli_number("contacts", (gint64)count)),
		    "Contacts written to %s: %" G_GUINT64_FORMAT ".", path, count);
	return true;
}

static const struct cli_command commands[] = {
    {"import",
	"Import the contacts of a file into an audience. Invalid lines are reported and skipped. "
	"If it was interrupted, run it again.",
	NEED_WORKSPACE, PARAMETERS(import_parameters), .audit = "contact.created",
	.run = contact_import_contacts},
    {"export", "Export the contacts of an audience to a file that contact import reads.",
	NEED_WORKSPACE, PARAMETERS(export_parameters), .run = export},
    {"erase",
	"Erase a person: remove the contacts, emails, events and automation of an email, and keep "
	"its hash on the suppression list. This cannot be undone.",
	NEED_WORKSPACE, PARAMETERS(erase_parameters), .audit = "contact.deleted",
	.run = contact_erase},
};

const struct cli_noun cli_noun_contact = {"contact", commands, G_N_ELEMENTS(commands)};
