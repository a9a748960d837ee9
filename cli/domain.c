/* posthouse domain: the domains that mail is sent from. */
#include "store/domain.h"

#include "base/error.h"
#include "base/hostname.h"
#include "base/limits.h"
#include "cli/call.h"
#include "cli/nouns.h"
#include "cli/output.h"
#include "core/core.h"
#include "core/register.h"
#include "store/workspace.h"

/* The verbs that take a domain and nothing else. */
enum { NAME };
static const struct parameter name_parameters[] = {
    [NAME] = {"NAME", "the domain, in any script", .min = LIMIT_DOMAIN_MIN_LENGTH,
	.max = LIMIT_DOMAIN_LENGTH},
};

static bool
add(struct call *call, GError **error)
{
	AUTO(core) core = core_open(call->settings);

	if (!core_ensure(core, error))
		return false;
	AUTO(domain)
	domain = core_register_domain(
	    core, &call->workspace->id, NULL, call->values[NAME].text, false, error);
	if (!domain)
		return false;
	cli_output_say(call->output,
	    FIELDS(cli_id("id", &domain->id), cli_text("name", domain->name),
		cli_text("status", store_domain_status_name(domain->status)),
		cli_truth("trusted", domain->trusted)),
	    "Domain %s is registered. It may send once it is verified or trusted.", domain->name);
	return true;
}

static bool
trust(struct call *call, GError **error)
{
	g_autofree char *name = base_hostname_ascii(call->values[NAME].text);
	g_autoptr(GError) failure = NULL;

	if (!name) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "NAME must be a domain name");
		return false;
	}
	if (store_domain_trust(call->db, &call->workspace->id, name, &failure)) {
		cli_output_say(call->output,
		    FIELDS(cli_text("name", name), cli_truth("trusted", true)),
		    "Domain %s is trusted: it may send, whatever DNS says.", name);
		return true;
	}
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
		g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND,
		    "%s; add it first: posthouse domain add %s", failure->message, name);
	else
		g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

static bool
list(struct call *call, GError **error)
{
	g_autoptr(GPtrArray) domains =
	    store_domain_list(call->db, &call->workspace->id, NULL, G_MAXINT32, error);

	if (!domains)
		return false;
	cli_output_list_begin(call->output, "domains", "There is no domain yet.");
	for (guint i = domains->len; i > 0; i--) {
		const struct domain *domain = domains->pdata[i - 1];

		cli_output_row(
		    call->output, FIELDS(cli_id("id", &domain->id), cli_text("name", domain->name),
				      cli_text("status", store_domain_status_name(domain->status)),
				      cli_truth("trusted", domain->trusted),
				      cli_time("created", domain->created)));
	}
	cli_output_list_end(call->output);
	return true;
}

static const struct command commands[] = {
    {"add",
	"Register a domain to send from, with DKIM keys of its own. It may send once it is "
	"verified or trusted.",
	NEED_WORKSPACE, PARAMETERS(name_parameters), .run = add},
    {"trust", "Vouch for a registered domain: it may send from now on, and DNS is not asked.",
	NEED_WORKSPACE, PARAMETERS(name_parameters), .run = trust},
    {"list", "List the domains.", NEED_WORKSPACE, .run = list},
};

const struct noun cli_noun_domain = {"domain", commands, G_N_ELEMENTS(commands)};
