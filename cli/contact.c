/* SPDX-License-Identifier: MIT */
/* posthouse contact: the people of audiences, many at once. */
#include "cli/contact.h"

#include "base/limits.h"
#include "cli/audience.h"
#include "cli/call.h"
#include "cli/nouns.h"
#include "cli/outlet.h"
#include "cli/output.h"
#include "store/audience.h"
#include "store/contact.h"
#include "store/workspace.h"

enum { EXPORT_AUDIENCE, EXPORT_FILE, EXPORT_RAW };
static const struct cli_parameter export_parameters[] = {
    [EXPORT_AUDIENCE] = {"AUDIENCE", AUDIENCE_HELP, .max = LIMIT_NAME_LENGTH},
    [EXPORT_FILE] = OUTLET_FILE,
    [EXPORT_RAW] = OUTLET_RAW,
};

#define PAGE 1000
#define COLUMNS 4

static bool
write_contacts(struct cli_outlet *outlet, const GPtrArray *contacts, GError **error)
{
	for (guint i = 0; i < contacts->len; i++) {
		const struct store_contact *contact = contacts->pdata[i];
		const char *const fields[COLUMNS] = {contact->email, contact->first_name,
		    contact->last_name, contact->is_subscribed ? "true" : "false"};

		if (!cli_outlet_write(outlet, fields, COLUMNS, error))
			return false;
	}
	return true;
}

/* Page by page, in the order of the emails. */
static bool
write_all(struct cli_call *call, const struct base_id *audience, struct cli_outlet *outlet,
    GError **error)
{
	static const char *const header[COLUMNS] = {
	    "email", "first_name", "last_name", "is_subscribed"};
	g_autofree char *after = NULL;
	guint got = PAGE;

	if (!cli_outlet_write(outlet, header, COLUMNS, error))
		return false;
	while (got == PAGE) {
		g_autoptr(GPtrArray) contacts = store_contact_list(
		    call->db, &call->workspace->id, audience, after, PAGE, error);

		if (!contacts || !write_contacts(outlet, contacts, error))
			return false;
		got = contacts->len;
		g_free(after);
		after = got > 0
			    ? g_strdup(
				  ((const struct store_contact *)contacts->pdata[got - 1])->address)
			    : NULL;
	}
	return cli_outlet_finish(outlet, error);
}

static bool export(struct cli_call *call, GError **error)
{
	const char *path = cli_outlet_path(call->values[EXPORT_FILE].text);
	struct base_id id;

	if (!cli_audience_find(call, call->values[EXPORT_AUDIENCE].text, &id, error))
		return false;
	AUTO(store_audience)
	audience = store_audience_get(call->db, &call->workspace->id, &id, error);
	if (!audience)
		return false;
	AUTO(cli_outlet)
	outlet = cli_outlet_open(
	    path, call->values[EXPORT_RAW].text != NULL, (guint64)audience->contacts, error);
	if (!outlet || !write_all(call, &id, outlet, error))
		return false;
	guint64 count = cli_outlet_count(outlet);
	if (path)
		cli_output_say(call->output,
		    FIELDS(cli_id("id", &id), cli_number("contacts", (gint64)count)),
		    "Contacts written to %s: %" G_GUINT64_FORMAT ".", path, count);
	return true;
}

static const struct cli_command commands[] = {
    {"import",
	"Put the contacts of a file into an audience. A line that is no good is told of and passed "
	"over; when it was broken off, run it again.",
	NEED_WORKSPACE, PARAMETERS(cli_contact_import_parameters), .run = cli_contact_import},
    {"export", "Write the contacts of an audience to a file, which contact import reads.",
	NEED_WORKSPACE, PARAMETERS(export_parameters), .run = export},
    {"erase",
	"Forget a person: remove contacts, emails, events and automation of that email, and leave "
	"a hash of it on the suppression list. There is no way back.",
	NEED_WORKSPACE, PARAMETERS(cli_contact_erase_parameters), .run = cli_contact_erase},
};

const struct cli_noun cli_noun_contact = {"contact", commands, G_N_ELEMENTS(commands)};
