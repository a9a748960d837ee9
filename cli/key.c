/* SPDX-License-Identifier: MIT */
/* posthouse key: makes, lists and revokes API keys. */
#include "store/workspace/key.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/domain.h"
#include "base/limits/person.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "service/key.h"
#include "store/domain/domain.h"
#include "store/workspace/user.h"
#include "store/workspace/workspace.h"
#include "text/hostname.h"

enum { CREATE_USER, CREATE_SCOPE, CREATE_DOMAIN, CREATE_NAME, CREATE_EXPIRES };
static const struct cli_parameter create_parameters[] = {
    [CREATE_USER] = {"--user", "the user who owns the key", "EMAIL", PARAMETER_ADDRESS,
	.required = true},
    [CREATE_SCOPE] = {"--scope",
	"its scope: send posts emails and events, read reads, full (the default) does everything, "
	"metrics reads the metrics and nothing else",
	.type = PARAMETER_CHOICE, .choices = {"full", "send", "read", "metrics"}},
    [CREATE_DOMAIN] = {"--domain", "the only domain to send from, of a key of scope send", "NAME",
	.max = LIMIT_DOMAIN_LENGTH},
    [CREATE_NAME] = {"--name", "its name", "TEXT", .max = LIMIT_NAME_LENGTH},
    [CREATE_EXPIRES] = {"--expires", "when it expires, ISO 8601; UTC if no zone is given", "TIME",
	PARAMETER_TIME},
};

/* Indexed like the choices of --scope. */
static const enum store_key_scope scopes[] = {KEY_FULL, KEY_SEND, KEY_READ, KEY_METRICS};

/* Holds the key to the domain of this name, if there is one. */
static bool
key_set_domain(struct cli_call *call, const char *name, struct store_key *key, GError **error)
{
	if (!name)
		return true;
	if (key->scope != KEY_SEND)
		return base_invalid(error, "--domain is for keys of --scope send");
	g_autofree char *ascii = text_hostname_ascii(name);
	if (!ascii)
		return base_invalid(error, "--domain must be a domain name");
	AUTO(store_domain)
	domain = store_domain_find(call->db, &call->workspace->id, ascii, error);
	if (!domain)
		return false;
	key->has_domain = true;
	key->domain_id = domain->id;
	return true;
}

static bool
key_create(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	const char *user = values[CREATE_USER].text, *name = values[CREATE_NAME].text;
	const char *domain = values[CREATE_DOMAIN].text;
	gint64 expires = values[CREATE_EXPIRES].number;
	struct store_key key = {
	    .workspace_id = call->workspace->id, .scope = scopes[values[CREATE_SCOPE].number]};
	guint8 hash[SHA256_SIZE];

	if (values[CREATE_EXPIRES].text && expires <= base_clock_now()) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "--expires must lie in the future");
		return false;
	}
	g_autofree char *secret = service_key_text(hash);
	if (!store_user_find(call->db, &call->workspace->id, user, &key.user_id, error) ||
	    !key_set_domain(call, domain, &key, error) ||
	    !store_key_create(call->db, &key, hash, name ? name : "", expires, error))
		return false;
	const struct cli_field fields[] = {cli_id("id", &key.id), cli_text("key", secret),
	    cli_text("user", user), cli_text("scope", service_key_scopes[key.scope - 1]),
	    cli_text("name", name), cli_time("expires", expires), cli_text("domain", domain)};
	cli_output_say(call->output, fields, G_N_ELEMENTS(fields) - !domain, "%s", secret);
	return true;
}

#define MEMBER(name, member) cli_member(name, &service_key_view, member, row)

static void
key_show(const struct store_key_row *row, void *context)
{
	struct cli_call *call = context;

	cli_output_row(call->output,
	    FIELDS(MEMBER("id", "id"), MEMBER("name", "name"), MEMBER("user", "owner"),
		MEMBER("scope", "scope"), MEMBER("created", "created"), MEMBER("domain", "domain"),
		MEMBER("used", "last_used_at"), MEMBER("expires", "expires_at"),
		MEMBER("revoked", "revoked_at")));
}

static bool
key_list(struct cli_call *call, GError **error)
{
	cli_output_list_begin(call->output, "keys", "There are no keys yet.");
	if (!store_key_list(call->db, &call->workspace->id, key_show, call, error))
		return false;
	cli_output_list_end(call->output);
	return true;
}

enum { REVOKE_ID };
static const struct cli_parameter revoke_parameters[] = {
    [REVOKE_ID] = {"ID", "of the key, as posthouse key list shows it", .type = PARAMETER_ID},
};

static bool
revoke_key(struct cli_call *call, GError **error)
{
	const struct base_id *id = &call->values[REVOKE_ID].id;

	if (!store_key_revoke(call->db, &call->workspace->id, id, error))
		return false;
	cli_output_say(call->output, FIELDS(cli_id("id", id), cli_truth("revoked", true)),
	    "The key is revoked.");
	return true;
}

static const struct cli_command commands[] = {
    {"create",
	"Make an API key and print it. It cannot be shown again, since only its hash is stored.",
	NEED_WORKSPACE, PARAMETERS(create_parameters), .audit = "key.created", .run = key_create},
    {"list", "List the API keys.", NEED_WORKSPACE, .run = key_list},
    {"revoke", "End an API key at once.", NEED_WORKSPACE, PARAMETERS(revoke_parameters),
	.audit = "key.deleted", .run = revoke_key},
};

const struct cli_noun cli_noun_key = {"key", commands, G_N_ELEMENTS(commands)};
