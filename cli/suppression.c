/* SPDX-License-Identifier: MIT */
/* posthouse suppression: addresses that get no more mail. */
#include "cli/suppression.h"

#include "base/limits.h"
#include "cli/call.h"
#include "cli/nouns.h"
#include "cli/output.h"
#include "cli/page.h"
#include "core/consent.h"
#include "core/core.h"
#include "core/suppress.h"
#include "store/suppression.h"
#include "store/workspace.h"

/* The verbs that take an address and nothing else. */
enum { EMAIL };
#define EMAIL_PARAMETER                                                                            \
	{                                                                                          \
		"EMAIL", "the address", .max = LIMIT_ADDRESS_BYTES                                 \
	}
static const struct cli_parameter email_parameters[] = {
    [EMAIL] = EMAIL_PARAMETER,
};

enum { ADD_EMAIL, ADD_REASON, ADD_SCOPE };
static const struct cli_parameter add_parameters[] = {
    [ADD_EMAIL] = EMAIL_PARAMETER,
    [ADD_REASON] = {"--reason", "bounced, complained, unsubscribed, or manual (the default)",
	"REASON", .max = LIMIT_NAME_LENGTH},
    [ADD_SCOPE] = {"--scope",
	"all: no mail at all; automation: no mailings; the default is all, and automation "
	"for who has unsubscribed",
	"SCOPE", .max = LIMIT_NAME_LENGTH},
};

enum { REMOVE_EMAIL, REMOVE_OVERRIDE };
static const struct cli_parameter remove_parameters[] = {
    [REMOVE_EMAIL] = EMAIL_PARAMETER,
    [REMOVE_OVERRIDE] = PARAMETER_OVERRIDE("also when this person has unsubscribed"),
};

static const char *
reason_of(const struct store_suppression *entry)
{
	return store_suppression_reasons[entry->reason - 1];
}

static const char *
scope_of(const struct store_suppression *entry)
{
	return store_suppression_scopes[entry->scope - 1];
}

static bool
add(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	AUTO(core) core = core_open(call->settings);
	enum store_suppression_reason reason;
	enum store_suppression_scope scope;

	if (!core_suppress_words(
		values[ADD_REASON].text, values[ADD_SCOPE].text, &reason, &scope, error) ||
	    !core_ensure(core, error))
		return false;
	AUTO(store_suppression)
	entry = core_suppress_add(
	    core, &call->workspace->id, values[ADD_EMAIL].text, reason, scope, error);
	if (!entry)
		return false;
	cli_output_say(call->output,
	    FIELDS(cli_text("email", entry->email), cli_text("reason", reason_of(entry)),
		cli_text("scope", scope_of(entry)), cli_time("created", entry->created)),
	    entry->scope == SUPPRESSION_ALL ? "%s gets no more mail: %s."
					    : "%s gets no more mailings: %s.",
	    values[ADD_EMAIL].text, reason_of(entry));
	return true;
}

static bool
show(struct cli_call *call, GError **error)
{
	AUTO(core) core = core_open(call->settings);

	if (!core_ensure(core, error))
		return false;
	AUTO(store_suppression)
	entry = core_suppress_get(core, &call->workspace->id, call->values[EMAIL].text, error);
	if (!entry)
		return false;
	cli_output_thing(call->output,
	    FIELDS(cli_text("email", entry->email), cli_text("reason", reason_of(entry)),
		cli_text("scope", scope_of(entry)), cli_time("created", entry->created)));
	return true;
}

static bool
remove_one(struct cli_call *call, GError **error)
{
	const char *email = call->values[REMOVE_EMAIL].text;
	AUTO(core) core = core_open(call->settings);
	struct store_consent_override override = {0};
	const struct store_consent_override *given;

	if (!core_consent_read(call->values[REMOVE_OVERRIDE].text, &override, &given, error) ||
	    !core_ensure(core, error) ||
	    !core_suppress_remove(core, &call->workspace->id, email, given, error))
		return false;
	g_autoptr(GError) failure = NULL;
	AUTO(store_suppression)
	rest = core_suppress_get(core, &call->workspace->id, email, &failure);
	cli_output_say(call->output, FIELDS(cli_text("email", email), cli_truth("removed", true)),
	    rest ? "%s gets mail again, but no mailings: this person has unsubscribed."
		 : "%s gets mail again.",
	    email);
	return true;
}

enum { LIST_BEFORE, LIST_LIMIT };
static const struct cli_parameter list_parameters[] = {
    [LIST_BEFORE] = PAGE_BEFORE,
    [LIST_LIMIT] = PAGE_LIMIT,
};

/* Its id, by which a list goes on, is for programs alone. */
static void
show_row(struct cli_call *call, const struct store_suppression *entry)
{
	const struct cli_field fields[] = {
	    cli_text("email", entry->email),
	    cli_text("reason", reason_of(entry)),
	    cli_text("scope", scope_of(entry)),
	    cli_time("created", entry->created),
	    cli_id("id", &entry->id),
	};

	cli_output_row(call->output, fields, G_N_ELEMENTS(fields) - (call->json ? 0 : 1));
}

static bool
list(struct cli_call *call, GError **error)
{
	guint limit = cli_page_limit(&call->values[LIST_LIMIT]);
	g_autoptr(GPtrArray) entries = store_suppression_list(call->db, &call->workspace->id,
	    cli_page_before(&call->values[LIST_BEFORE]), limit + 1, error);

	if (!entries)
		return false;
	guint count = MIN(entries->len, limit);
	cli_output_list_begin(
	    call->output, "suppressions", "There is nobody on the suppression list.");
	for (guint i = 0; i < count; i++)
		show_row(call, entries->pdata[i]);
	cli_output_list_end(call->output);
	if (entries->len > count)
		cli_page_rest(call->output,
		    &((const struct store_suppression *)entries->pdata[count - 1])->id);
	return true;
}

static const struct cli_command commands[] = {
    {"list", "List who gets no more mail, and why, newest first.", NEED_WORKSPACE,
	PARAMETERS(list_parameters), .run = list},
    {"show", "Tell why an address gets no mail, and since when.", NEED_WORKSPACE,
	PARAMETERS(email_parameters), .run = show},
    {"add", "Send an address no more mail.", NEED_WORKSPACE, PARAMETERS(add_parameters),
	.run = add},
    {"remove", "Send an address mail again.", NEED_WORKSPACE, PARAMETERS(remove_parameters),
	.run = remove_one},
    {"import",
	"Put the addresses of a file on the suppression list. A line that is no good is told of "
	"and passed over; when it was broken off, run it again.",
	NEED_WORKSPACE, PARAMETERS(cli_suppression_import_parameters),
	.run = cli_suppression_import},
    {"export", "Write the suppression list to a file, which suppression import reads.",
	NEED_WORKSPACE, PARAMETERS(cli_suppression_export_parameters),
	.run = cli_suppression_export},
};

const struct cli_noun cli_noun_suppression = {"suppression", commands, G_N_ELEMENTS(commands)};
