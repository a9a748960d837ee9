/* SPDX-License-Identifier: MIT */
/* posthouse domain: registers sending domains, and shows the DNS records to publish for them. */
#include "base/error.h"
#include "base/limits/domain.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "domain/dns_check.h"
#include "domain/domain.h"
#include "domain/receiving.h"
#include "domain/view.h"
#include "domain/settings.h"
#include "domain/tracking.h"
#include "domain/zone.h"
#include "store/domain/domain.h"
#include "store/domain/key.h"
#include "store/workspace/workspace.h"
#include "text/hostname.h"

/* Writes an empty line, for people. */
static void
gap(struct cli_output *output)
{
	cli_output_progress(output, "%s", "");
}

static void
domain_show_facts(struct cli_output *output, const struct store_domain *domain)
{
	cli_output_facts_view(output, &(struct cli_thing){&domain_view, domain});
}

/* Returns the state of a DKIM record's key; NULL for other records. */
static const char *
key_state(const struct domain_zone_record *record)
{
	static const char *const names[] = {[DOMAIN_KEY_ACTIVE] = "signs",
	    [DOMAIN_KEY_PENDING] = "new",
	    [DOMAIN_KEY_RETIRING] = "retires"};

	return record->key ? names[record->key->state] : NULL;
}

static void
domain_show_row(struct cli_call *call, const struct domain_zone_record *record, const char *apex)
{
	g_autofree char *host = domain_zone_relative(record, apex);
	g_autofree char *text = domain_zone_text(record), *line = domain_zone_line(record);
	const char *priority = domain_zone_is_mx(record) ? ZONE_MX_PRIORITY_TEXT : NULL;
	const struct cli_field common[] = {
	    cli_text("type", domain_zone_type(record)),
	    cli_text("name", host),
	    cli_text("priority", priority),
	    cli_truth("required", record->required),
	    cli_text("status", domain_zone_state_name(record->state)),
	    cli_text("key", key_state(record)),
	    cli_text("value", call->json ? record->value : text),
	    /* only in JSON */
	    cli_text("for", domain_zone_label(record)),
	    cli_text("found", record->found),
	    cli_text("zone_line", line),
	};

	cli_output_row(call->output, common, G_N_ELEMENTS(common) - (call->json ? 0 : 3));
}

/* Shows the record that DNS has instead of the expected one. */
static void
show_wrong(struct cli_output *output, const struct domain_zone_record *record)
{
	g_auto(GStrv) lines = g_strsplit(record->found ? record->found : "", "\n", -1);

	if (record->state != ZONE_WRONG)
		return;
	gap(output);
	cli_output_progress(
	    output, "Wrong: DNS has this as %s of %s:", domain_zone_type(record), record->name);
	for (char **line = lines; *line; line++)
		cli_output_progress(output, "  %s", *line);
}

static void
show_zone(struct cli_output *output, const GPtrArray *records)
{
	gap(output);
	cli_output_progress(output, "; The records as lines of a zone file:");
	for (guint i = 0; i < records->len; i++) {
		g_autofree char *line = domain_zone_line(records->pdata[i]);

		cli_output_progress(output, "%s", line);
	}
}

static void
domain_show_tracking(struct cli_call *call, const struct store_domain *domain)
{
	cli_output_facts(call->output,
	    FIELDS(cli_text("tracking_host", domain->tracking_host),
		cli_text("tracking_status", domain_tracking_status(domain, call->settings)),
		cli_text("tracking_error", domain->check.tracking_error)));
}

static void
show_zone_records(struct cli_call *call, const struct store_domain *domain)
{
	g_autoptr(GPtrArray) records = domain_zone_records(domain, call->settings);

	gap(call->output);
	cli_output_list_begin(call->output, "dns_records", NULL);
	for (guint i = 0; i < records->len; i++)
		domain_show_row(call, records->pdata[i], domain_zone_apex(domain->name));
	cli_output_list_end(call->output);
	for (guint i = 0; i < records->len; i++)
		show_wrong(call->output, records->pdata[i]);
	show_zone(call->output, records);
}

static bool
show_records(struct cli_call *call, const struct base_id *id, GError **error)
{
	AUTO(store_domain) domain = store_domain_get(call->db, &call->workspace->id, id, error);

	if (!domain)
		return false;
	domain_show_facts(call->output, domain);
	if (domain->tracking_host)
		domain_show_tracking(call, domain);
	show_zone_records(call, domain);
	return true;
}

/* The parameters of the verbs that take one domain. */
enum { NAME };
static const struct cli_parameter name_parameters[] = {
    [NAME] = {"NAME", "the domain, in any script", .min = LIMIT_DOMAIN_MIN_LENGTH,
	.max = LIMIT_DOMAIN_LENGTH},
};

static bool
domain_add(struct cli_call *call, GError **error)
{
	const struct base_id *user;
	struct base_id first;

	if (!cli_call_user(call, &first, &user, error))
		return false;
	AUTO(store_domain) domain = domain_register(
	    call->service, &call->workspace->id, user, call->values[NAME].text, false, error);
	if (!domain)
		return false;
	cli_output_about(call->output, &domain->id, domain->name);
	cli_output_progress(call->output,
	    "Domain %s is registered. It may send once it is verified or trusted. Publish these "
	    "records; posthouse domain show %s shows them again.",
	    domain->name, domain->name);
	if (call->json)
		domain_show_facts(call->output, domain);
	show_zone_records(call, domain);
	return true;
}

/* Finds the domain that the command line names. */
static struct store_domain *
cli_domain_find(const struct cli_call *call, GError **error)
{
	g_autofree char *name = text_hostname_ascii(call->values[NAME].text);
	g_autoptr(GError) failure = NULL;

	if (!name) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "NAME must be a domain name");
		return NULL;
	}
	struct store_domain *domain =
	    store_domain_find(call->db, &call->workspace->id, name, &failure);
	if (domain) {
		cli_output_about(call->output, &domain->id, domain->name);
		return domain;
	}
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
		g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND,
		    "%s; add it first: posthouse domain add %s", failure->message, name);
	else
		g_propagate_error(error, g_steal_pointer(&failure));
	return NULL;
}

static bool
domain_show(struct cli_call *call, GError **error)
{
	AUTO(store_domain) domain = cli_domain_find(call, error);

	return domain && show_records(call, &domain->id, error);
}

static bool
domain_verify(struct cli_call *call, GError **error)
{
	struct service *service = call->service;
	AUTO(store_domain) domain = cli_domain_find(call, error);

	return domain &&
	       domain_dns_check_domain(service, &call->workspace->id, &domain->id, error) &&
	       show_records(call, &domain->id, error);
}

static bool
domain_trust(struct cli_call *call, GError **error)
{
	AUTO(store_domain) domain = cli_domain_find(call, error);

	if (!domain || !store_domain_trust(call->db, &call->workspace->id, domain->name, error))
		return false;
	cli_output_say(call->output,
	    FIELDS(cli_text("name", domain->name), cli_truth("trusted", true)),
	    "Domain %s is trusted: it may send, whatever DNS says.", domain->name);
	return true;
}

static bool
domain_rotate(struct cli_call *call, GError **error)
{
	struct service *service = call->service;
	AUTO(store_domain) domain = cli_domain_find(call, error);

	if (!domain || !domain_keys_rotate(service, &call->workspace->id, &domain->id, error))
		return false;
	cli_output_progress(call->output,
	    domain->trusted
		? "Domain %s signs with new keys from now on. Publish them, and keep the old ones "
		  "for a week."
		: "Domain %s has new keys. Publish them beside the old ones. They sign as soon as "
		  "DNS has them, and the old ones are listed for a week more.",
	    domain->name);
	cli_output_progress(call->output, "%s", "");
	return show_records(call, &domain->id, error);
}

static bool
domain_remove_one(struct cli_call *call, GError **error)
{
	AUTO(store_domain) domain = cli_domain_find(call, error);

	if (!domain || !store_domain_remove(call->db, &call->workspace->id, &domain->id, error))
		return false;
	cli_output_say(call->output,
	    FIELDS(cli_text("name", domain->name), cli_truth("removed", true)),
	    "Domain %s and its keys are removed. Emails that wait to be sent from it will fail.",
	    domain->name);
	return true;
}

enum { RELAY_DOMAIN, RELAY_NAMES, RELAY_FOR };
static const struct cli_parameter relay_parameters[] = {
    [RELAY_DOMAIN] = {"NAME", "the domain, in any script", .min = LIMIT_DOMAIN_MIN_LENGTH,
	.max = LIMIT_DOMAIN_LENGTH},
    [RELAY_NAMES] = {"RELAY", "a relay of the settings; without any, the route is taken away",
	.max = LIMIT_DOMAIN_LENGTH + 6, .optional = true, .repeated = true},
    [RELAY_FOR] = CLI_CALL_FOR_STREAM,
};

static bool
domain_set_route(struct cli_call *call, GError **error)
{
	AUTO(store_domain) domain = cli_domain_find(call, error);
	enum store_stream stream = cli_call_stream(&call->values[RELAY_FOR]);
	g_autofree char *route = NULL;

	if (!domain || !cli_call_route(call, call->values[RELAY_NAMES].texts, &route, error) ||
	    !store_domain_set_relays(
		call->db, &call->workspace->id, &domain->id, stream, route, error))
		return false;
	if (stream) {
		const char *word = store_stream_name(stream);

		cli_output_say(call->output,
		    FIELDS(cli_text("name", domain->name), cli_text("stream", word),
			cli_text("relays", route)),
		    route ? "Mail of stream %s of domain %s leaves by %s from now on."
			  : "Stream %s of domain %s has no route of its own any more.",
		    word, domain->name, route);
		return true;
	}
	cli_output_say(call->output,
	    FIELDS(cli_text("name", domain->name), cli_text("relays", route)),
	    route ? "Mail of domain %s leaves by %s from now on."
		  : "Domain %s has no route of its own any more.",
	    domain->name, route);
	return true;
}

enum { SET_DOMAIN, SET_SETTINGS };
static const struct cli_parameter set_parameters[] = {
    [SET_DOMAIN] = {"NAME", "the domain, in any script", .min = LIMIT_DOMAIN_MIN_LENGTH,
	.max = LIMIT_DOMAIN_LENGTH},
    [SET_SETTINGS] = {"KEY=VALUE",
	"tls=opportunistic, tls=enforced, or tracking_subdomain=LABELS; without LABELS there is "
	"none",
	.max = LIMIT_DOMAIN_LENGTH + 20, .repeated = true},
};

/* Reads KEY=VALUE into the settings to change. */
static bool
domain_read_setting(const char *given, struct domain_settings_wish *wish, GError **error)
{
	const char *sign = strchr(given, '=');

	if (!sign || sign == given)
		return base_invalid(
		    error, "KEY=VALUE must have a key and a value, not \"%s\"", given);
	g_autofree char *key = g_strndup(given, (gsize)(sign - given));
	if (strcmp(key, "custom_return_path") == 0)
		return base_invalid(error, "custom_return_path cannot be changed");
	if (strcmp(key, "tls") == 0) {
		wish->tls = sign + 1;
	} else if (strcmp(key, "tracking_subdomain") == 0) {
		wish->sets_subdomain = true;
		wish->subdomain = sign[1] ? sign + 1 : NULL;
	} else {
		return base_invalid(error, "KEY must be tls or tracking_subdomain, not %s", key);
	}
	return true;
}

static bool
domain_set(struct cli_call *call, GError **error)
{
	char *const *given = call->values[SET_SETTINGS].texts;
	struct domain_settings_wish wish = {NULL};

	for (; *given; given++)
		if (!domain_read_setting(*given, &wish, error))
			return false;
	AUTO(store_domain) named = cli_domain_find(call, error);
	if (!named ||
	    !domain_settings_change(call->service, &call->workspace->id, &named->id, &wish, error))
		return false;
	AUTO(store_domain)
	domain = store_domain_get(call->db, &call->workspace->id, &named->id, error);
	if (!domain)
		return false;
	cli_output_say_view(call->output,
	    &(struct cli_thing){&domain_settings_view, domain, call->settings},
	    "Domain %s: tls = %s, %s%s.", domain->name,
	    domain_settings_tls_name(domain->tls_enforced),
	    domain->tracking_host ? "links in its mail go to " : "no tracking host",
	    domain->tracking_host ? domain->tracking_host : "");
	return true;
}

enum { SWITCH_DOMAIN, SWITCH_ON, SWITCH_OVERRIDE };
static const struct cli_parameter receiving_parameters[] = {
    [SWITCH_DOMAIN] = {"NAME", "the domain, in any script", .min = LIMIT_DOMAIN_MIN_LENGTH,
	.max = LIMIT_DOMAIN_LENGTH},
    [SWITCH_ON] = {"STATE", "on or off", .type = PARAMETER_CHOICE, .choices = {"off", "on"}},
    [SWITCH_OVERRIDE] = {"--override", "although its mail goes elsewhere", .type = PARAMETER_FLAG},
};

static const struct cli_parameter replies_parameters[] = {
    [SWITCH_DOMAIN] = {"NAME", "the domain, in any script", .min = LIMIT_DOMAIN_MIN_LENGTH,
	.max = LIMIT_DOMAIN_LENGTH},
    [SWITCH_ON] = {"STATE", "on or off", .type = PARAMETER_CHOICE, .choices = {"off", "on"}},
};

static bool
domain_set_receiving(struct cli_call *call, GError **error)
{
	AUTO(store_domain) domain = cli_domain_find(call, error);
	bool on = call->values[SWITCH_ON].number != 0;
	const struct store_domain_change change = {.receiving = &on};

	if (!domain || (on && !domain->receiving && !call->values[SWITCH_OVERRIDE].number &&
			   !domain_receiving_check(call->settings, domain->name, error)))
		return false;
	if (!store_domain_change(call->db, &call->workspace->id, &domain->id, &change, error))
		return false;
	cli_output_say(call->output,
	    FIELDS(cli_text("name", domain->name), cli_truth("receiving", on)),
	    on ? "Domain %s receives mail; posthouse domain show %s shows its records."
	       : "Domain %s receives no mail any more. Its routes and mail stay.",
	    domain->name, domain->name);
	return true;
}

static bool
domain_set_replies(struct cli_call *call, GError **error)
{
	AUTO(store_domain) domain = cli_domain_find(call, error);
	bool on = call->values[SWITCH_ON].number != 0;
	const struct store_domain_change change = {.reply_tracking = &on};

	if (!domain ||
	    !store_domain_change(call->db, &call->workspace->id, &domain->id, &change, error))
		return false;
	cli_output_say(call->output,
	    FIELDS(cli_text("name", domain->name), cli_truth("reply_tracking", on)),
	    on ? "Replies to emails of domain %s come back here."
	       : "Replies to emails of domain %s go where their senders say.",
	    domain->name);
	return true;
}

static bool
cli_domain_list(struct cli_call *call, GError **error)
{
	g_autoptr(GPtrArray) domains =
	    store_domain_list(call->db, &call->workspace->id, NULL, G_MAXINT32, error);

	if (!domains)
		return false;
	cli_output_list_begin(call->output, "domains", "There are no domains yet.");
	for (guint i = 0; i < domains->len; i++)
		cli_output_row_view(
		    call->output, &(struct cli_thing){&domain_view_list, domains->pdata[i]});
	cli_output_list_end(call->output);
	return true;
}

static const struct cli_command commands[] = {
    {"add",
	"Register a domain to send from, make its DKIM keys, and show the DNS records to publish. "
	"It may send once it is verified or trusted.",
	NEED_WORKSPACE, PARAMETERS(name_parameters), .audit = "domain.created", .run = domain_add},
    {"show",
	"Show the state of a domain and the DNS records to publish for it: as a table, and as "
	"lines of a zone file.",
	NEED_WORKSPACE, PARAMETERS(name_parameters), .run = domain_show},
    {"verify", "Check a domain in DNS now, and show it.", NEED_WORKSPACE,
	PARAMETERS(name_parameters), .audit = "domain.changed", .run = domain_verify},
    {"trust", "Trust a registered domain: it may send from now on, and is not checked in DNS.",
	NEED_WORKSPACE, PARAMETERS(name_parameters), .audit = "domain.changed",
	.run = domain_trust},
    {"rotate",
	"Make new DKIM keys for a domain, and show it. They sign as soon as DNS has them; the old "
	"ones go "
	"7 days later.",
	NEED_WORKSPACE, PARAMETERS(name_parameters), .audit = "domain.changed",
	.run = domain_rotate},
    {"remove", "Remove a domain and its keys. Emails that wait to be sent from it will fail.",
	NEED_WORKSPACE, PARAMETERS(name_parameters), .audit = "domain.deleted",
	.run = domain_remove_one},
    {"relay",
	"Say by which relays the mail of a domain leaves, in place of those of its workspace; "
	"without RELAY, take that back.",
	NEED_WORKSPACE, PARAMETERS(relay_parameters), .audit = "domain.changed",
	.run = domain_set_route},
    {"set",
	"Set what a domain has of its own: tls, and the host of the links in its mail. A new host "
	"is used once its DNS record is there and it answers.",
	NEED_WORKSPACE, PARAMETERS(set_parameters), .audit = "domain.changed", .run = domain_set},
    {"receiving",
	"Say whether mail for a domain is taken. It is not switched on where DNS leads its mail "
	"elsewhere, unless that is overridden.",
	NEED_WORKSPACE, PARAMETERS(receiving_parameters), .audit = "domain.changed",
	.run = domain_set_receiving},
    {"replies", "Say whether replies to the emails of a domain come back here.", NEED_WORKSPACE,
	PARAMETERS(replies_parameters), .audit = "domain.changed", .run = domain_set_replies},
    {"list", "List the domains.", NEED_WORKSPACE, .run = cli_domain_list},
};

const struct cli_noun cli_noun_domain = {"domain", commands, G_N_ELEMENTS(commands)};
