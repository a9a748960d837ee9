/* SPDX-License-Identifier: MIT */
/* posthouse contact: imports and exports the contacts of an audience, and erases a person. */
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "cli/audience.h"
#include "cli/call.h"
#include "cli/export.h"
#include "cli/grammar.h"
#include "cli/import.h"
#include "cli/output.h"
#include "cli/text.h"
#include "core/consent.h"
#include "core/erase.h"
#include "core/import.h"
#include "store/audience.h"
#include "store/contact.h"
#include "store/workspace.h"

enum { ERASE_EMAIL };
static const struct cli_parameter erase_parameters[] = {
    [ERASE_EMAIL] = {"EMAIL", "the person's email", .type = PARAMETER_ADDRESS},
};

/* Lists the numbers of removed rows. The caller owns the text. */
static char *
describe(const struct store_erasure *erased)
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
erase(struct cli_call *call, GError **error)
{
	const char *email = call->values[ERASE_EMAIL].text;
	struct core *core = call->core;
	struct store_erasure erased;

	if (!core_erase(core, &call->workspace->id, email, &erased, error))
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
	    "Removed: %s. %s just being sent. The suppression list keeps a hash of the address.",
	    removed, leaving);
	return true;
}

enum {
	AUDIENCE,
	FROM,
	DUPLICATES,
	EMAIL,
	FIRST_NAME,
	LAST_NAME,
	SUBSCRIBED,
	NO_HEADER,
	RAW,
	OVERRIDE
};
#define COLUMN_LENGTH 200

static const struct cli_parameter import_parameters[] = {
    [AUDIENCE] = {"AUDIENCE", AUDIENCE_HELP, .max = LIMIT_NAME_LENGTH},
    [FROM] = {"FILE", "comma-separated values in UTF-8; - is standard input",
	.type = PARAMETER_FILE},
    [DUPLICATES] = {"--duplicates",
	"how to treat contacts that exist: update (the default) changes them as the file says, "
	"skip leaves them unchanged",
	.type = PARAMETER_CHOICE, .choices = {"update", "skip"}},
    [EMAIL] = {"--email", "the header of the column with the emails, or its number", "COLUMN",
	.max = COLUMN_LENGTH},
    [FIRST_NAME] = {"--first-name", "likewise", "COLUMN", .max = COLUMN_LENGTH},
    [LAST_NAME] = {"--last-name", "likewise", "COLUMN", .max = COLUMN_LENGTH},
    [SUBSCRIBED] = {"--subscribed", "the same for the column with true or false", "COLUMN",
	.max = COLUMN_LENGTH},
    [NO_HEADER] = {"--no-header", "the first line is a contact, and columns have numbers",
	.type = PARAMETER_FLAG},
    [RAW] = {"--raw", "read fields unchanged: see contact export", .type = PARAMETER_FLAG},
    [OVERRIDE] = PARAMETER_OVERRIDE("also subscribe people who have unsubscribed"),
};

static const char *const emails[] = {"email", "emailaddress", "mail", "mailaddress", NULL};
static const char *const first_names[] = {"firstname", "givenname", "forename", NULL};
static const char *const last_names[] = {"lastname", "familyname", "surname", NULL};
static const char *const subscribed[] = {"issubscribed", "subscribed", NULL};

enum { COLUMN_EMAIL, COLUMN_FIRST_NAME, COLUMN_LAST_NAME, COLUMN_SUBSCRIBED, COLUMNS };
static const struct cli_column columns[COLUMNS] = {
    [COLUMN_EMAIL] = {"email", "--email", NULL, emails, .required = true},
    [COLUMN_FIRST_NAME] = {"first_name", "--first-name", NULL, first_names},
    [COLUMN_LAST_NAME] = {"last_name", "--last-name", NULL, last_names},
    [COLUMN_SUBSCRIBED] = {"is_subscribed", "--subscribed", NULL, subscribed},
};

/* Reads a word for true or false. *given_r: false for an empty field or a missing column. */
static bool
read_truth(const char *text, bool *given_r, bool *truth_r, GError **error)
{
	static const char *const words[] = {"true", "false", "1", "0", "yes", "no", "y", "n"};

	*given_r = text && *text;
	if (!*given_r)
		return true;
	for (guint i = 0; i < G_N_ELEMENTS(words); i++)
		if (g_ascii_strcasecmp(text, words[i]) == 0) {
			*truth_r = i % 2 == 0;
			return true;
		}
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "is_subscribed must be true or false");
	return false;
}

/* Returns a name; NULL when it is empty. */
static const char *
name_of(const char *text)
{
	return text && *text ? text : NULL;
}

static bool
take(const char *const *values, void *context, GError **error)
{
	struct core_import_contact contact = {
	    .fields = {values[COLUMN_EMAIL], name_of(values[COLUMN_FIRST_NAME]),
		name_of(values[COLUMN_LAST_NAME])},
	    .first_name_given = values[COLUMN_FIRST_NAME] != NULL,
	    .last_name_given = values[COLUMN_LAST_NAME] != NULL,
	};

	return read_truth(values[COLUMN_SUBSCRIBED], &contact.is_subscribed_given,
		   &contact.is_subscribed, error) &&
	       core_import_add(context, &contact, error);
}

static bool
run(struct cli_call *call, struct core_import *import, GPtrArray *unused, guint64 *bad_r,
    GError **error)
{
	struct cli_column wanted[COLUMNS];
	const struct cli_import file = {
	    .path = call->values[FROM].text,
	    .columns = wanted,
	    .count = COLUMNS,
	    .header = !call->values[NO_HEADER].text,
	    .raw = call->values[RAW].text != NULL,
	    .take = take,
	    .context = import,
	    .unused = unused,
	};

	memcpy(wanted, columns, sizeof(wanted));
	for (guint i = 0; i < COLUMNS; i++)
		wanted[i].given = call->values[EMAIL + i].text;
	return cli_import_run(call, &file, bad_r, error) && core_import_flush(import, error);
}

/* Returns a sentence about contacts that had unsubscribed; "" when there are none. The caller owns
 * it. */
static char *
describe_left(guint64 left)
{
	if (left == 0)
		return g_strdup("");
	return g_strdup_printf(
	    " %" G_GUINT64_FORMAT
	    " stored as unsubscribed, since these people have unsubscribed themselves.",
	    left);
}

static bool
import_contacts(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	bool update = !values[DUPLICATES].text || values[DUPLICATES].number == 0;
	struct core *core = call->core;
	struct store_consent_override override = {0};
	const struct store_consent_override *given;
	struct base_id audience;
	guint64 bad;

	if (!core_consent_read(values[OVERRIDE].text, &override, &given, error) ||
	    !cli_audience_find(call, values[AUDIENCE].text, &audience, error))
		return false;
	AUTO(core_import) import =
	    core_import_new(core, &call->workspace->id, &audience, update, given);
	g_autoptr(GPtrArray) unused = g_ptr_array_new_with_free_func(g_free);
	if (!run(call, import, unused, &bad, error))
		return false;
	g_autofree char *unused_json = cli_import_unused(unused);
	const struct store_contact_tally *tally = core_import_tally(import);
	g_autofree char *left = describe_left(tally->left);
	g_autofree char *bad_lines = cli_count(bad, "bad line", "bad lines");
	cli_output_say(call->output,
	    FIELDS(cli_id("id", &audience), cli_number("created", (gint64)tally->created),
		cli_number("updated", (gint64)tally->updated),
		cli_number("unchanged", (gint64)tally->unchanged),
		cli_number("skipped", (gint64)tally->skipped),
		cli_number("unsubscribed", (gint64)tally->left), cli_number("bad", (gint64)bad),
		cli_json("unused_columns", unused_json)),
	    "%" G_GUINT64_FORMAT " new, %" G_GUINT64_FORMAT " changed, %" G_GUINT64_FORMAT
	    " unchanged, %" G_GUINT64_FORMAT " skipped, %s.%s",
	    tally->created, tally->updated, tally->unchanged, tally->skipped, bad_lines, left);
	return cli_import_end(bad, error);
}

enum { EXPORT_AUDIENCE, EXPORT_FILE, EXPORT_RAW };
static const struct cli_parameter export_parameters[] = {
    [EXPORT_AUDIENCE] = {"AUDIENCE", AUDIENCE_HELP, .max = LIMIT_NAME_LENGTH},
    [EXPORT_FILE] = EXPORT_PARAMETER_FILE,
    [EXPORT_RAW] = EXPORT_PARAMETER_RAW,
};

#define PAGE 1000

static bool
write_contacts(struct cli_export *export, const GPtrArray *contacts, GError **error)
{
	for (guint i = 0; i < contacts->len; i++) {
		const struct store_contact *contact = contacts->pdata[i];
		const char *const fields[COLUMNS] = {contact->email, contact->first_name,
		    contact->last_name, contact->is_subscribed ? "true" : "false"};

		if (!cli_export_write(export, fields, COLUMNS, error))
			return false;
	}
	return true;
}

/* Writes all contacts, page by page, in the order of their addresses. */
static bool
write_all(struct cli_call *call, const struct base_id *audience, struct cli_export *export,
    GError **error)
{
	static const char *const header[COLUMNS] = {
	    "email", "first_name", "last_name", "is_subscribed"};
	g_autofree char *after = NULL;
	guint got = PAGE;

	if (!cli_export_write(export, header, COLUMNS, error))
		return false;
	while (got == PAGE) {
		g_autoptr(GPtrArray) contacts = store_contact_list(
		    call->db, &call->workspace->id, audience, after, PAGE, error);

		if (!contacts || !write_contacts(export, contacts, error))
			return false;
		got = contacts->len;
		g_free(after);
		after = got > 0
			    ? g_strdup(
				  ((const struct store_contact *)contacts->pdata[got - 1])->address)
			    : NULL;
	}
	return cli_export_finish(export, error);
}

static bool export(struct cli_call *call, GError **error)
{
	const char *path = cli_export_path(call->values[EXPORT_FILE].text);
	struct base_id id;

	if (!cli_audience_find(call, call->values[EXPORT_AUDIENCE].text, &id, error))
		return false;
	AUTO(store_audience) audience =
	    store_audience_get(call->db, &call->workspace->id, &id, error);
	if (!audience)
		return false;
	AUTO(cli_export) export = cli_export_open(
	    path, call->values[EXPORT_RAW].text != NULL, (guint64)audience->contacts, error);
	if (!export || !write_all(call, &id, export, error))
		return false;
	guint64 count = cli_export_count(export);
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
	.run = import_contacts},
    {"export", "Export the contacts of an audience to a file that contact import reads.",
	NEED_WORKSPACE, PARAMETERS(export_parameters), .run = export},
    {"erase",
	"Erase a person: remove the contacts, emails, events and automation of an email, and keep "
	"its hash on the suppression list. This cannot be undone.",
	NEED_WORKSPACE, PARAMETERS(erase_parameters), .audit = "contact.deleted", .run = erase},
};

const struct cli_noun cli_noun_contact = {"contact", commands, G_N_ELEMENTS(commands)};
