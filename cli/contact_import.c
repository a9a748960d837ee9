/* SPDX-License-Identifier: MIT */
/* posthouse contact import: contacts out of a file of comma-separated values. */
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "cli/audience.h"
#include "cli/call.h"
#include "cli/columns.h"
#include "cli/contact.h"
#include "cli/count.h"
#include "cli/intake.h"
#include "cli/output.h"
#include "core/consent.h"
#include "core/core.h"
#include "core/import.h"
#include "store/workspace.h"

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

const struct cli_parameter cli_contact_import_parameters[CONTACT_IMPORT_PARAMETERS] = {
    [AUDIENCE] = {"AUDIENCE", AUDIENCE_HELP, .max = LIMIT_NAME_LENGTH},
    [FROM] = {"FILE", "comma-separated values in UTF-8; - is standard input",
	.type = PARAMETER_FILE},
    [DUPLICATES] = {"--duplicates",
	"what is done with contacts that are there: update (the default) takes what the file says, "
	"skip leaves them as they are",
	.type = PARAMETER_CHOICE, .choices = {"update", "skip"}},
    [EMAIL] = {"--email", "the header of the column with the emails, or its number", "COLUMN",
	.max = COLUMN_LENGTH},
    [FIRST_NAME] = {"--first-name", "likewise", "COLUMN", .max = COLUMN_LENGTH},
    [LAST_NAME] = {"--last-name", "likewise", "COLUMN", .max = COLUMN_LENGTH},
    [SUBSCRIBED] = {"--subscribed", "likewise, with true or false", "COLUMN", .max = COLUMN_LENGTH},
    [NO_HEADER] = {"--no-header", "the first line is a contact, and columns go by their numbers",
	.type = PARAMETER_FLAG},
    [RAW] = {"--raw", "take fields as they stand: see contact export", .type = PARAMETER_FLAG},
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

/* Words for yes and for no; nothing at all says nothing. */
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

/* A name that is empty is none. */
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
	const struct cli_intake intake = {
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
	return cli_intake_run(call, &intake, bad_r, error) && core_import_flush(import, error);
}

/* "" where there is nobody to tell of. The caller owns it. */
static char *
describe_left(guint64 left)
{
	if (left == 0)
		return g_strdup("");
	return g_strdup_printf(
	    " %" G_GUINT64_FORMAT
	    " stored as unsubscribed: these people have unsubscribed themselves.",
	    left);
}

bool
cli_contact_import(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	bool update = !values[DUPLICATES].text || values[DUPLICATES].number == 0;
	AUTO(core) core = core_open(call->settings);
	struct store_consent_override override = {0};
	const struct store_consent_override *given;
	struct base_id audience;
	guint64 bad;

	if (!core_consent_read(values[OVERRIDE].text, &override, &given, error) ||
	    !cli_audience_find(call, values[AUDIENCE].text, &audience, error) ||
	    !core_ensure(core, error))
		return false;
	AUTO(core_import)
	import = core_import_new(core, &call->workspace->id, &audience, update, given);
	g_autoptr(GPtrArray) unused = g_ptr_array_new_with_free_func(g_free);
	if (!run(call, import, unused, &bad, error))
		return false;
	g_autofree char *unused_json = cli_intake_unused(unused);
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
	    " just like that already, %" G_GUINT64_FORMAT " skipped, %s.%s",
	    tally->created, tally->updated, tally->unchanged, tally->skipped, bad_lines, left);
	return cli_intake_end(bad, error);
}
