/* SPDX-License-Identifier: MIT */
/* The table of the keys of [relay NAME], their defaults, and the rules between them. */
#include "config/settings_relay.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/domain.h"
#include "base/limits/stream.h"
#include "text/hostname.h"

static bool
is_address_form(char *entry)
{
	struct in_addr address;

	return inet_pton(AF_INET, entry, &address) == 1;
}

static bool
is_host_form(char *entry)
{
	return is_address_form(entry) || text_hostname_is_host(entry);
}

static bool
settings_relay_is_name_form(char *entry)
{
	return text_hostname_is_host(entry);
}

static bool
settings_relay_is_helo_form(char *entry)
{
	return config_settings_describe(SETTING_SMTP_HELO)->check(entry);
}

static bool
settings_relay_is_mailbox_form(char *entry)
{
	return config_settings_describe(SETTING_SMTP_RETURN_PATH)->check(entry);
}

static const struct config_setting_row rows[] = {
#define RELAY(name, ...) [name] = {__VA_ARGS__},
#include "config/settings.def"
};

G_STATIC_ASSERT(G_N_ELEMENTS(rows) == RELAY_KEY_COUNT);

const struct config_setting_row *
config_relay_describe(enum config_relay_key key)
{
	g_assert(key < RELAY_KEY_COUNT);
	return &rows[key];
}

bool
config_relay_is_name(const char *name)
{
	gsize size = strlen(name);

	return size > 0 && size <= LIMIT_RELAY_NAME_LENGTH &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == size;
}

bool
config_relay_is_local(const char *host)
{
	struct in_addr address;

	if (inet_pton(AF_INET, host, &address) == 1)
		return ntohl(address.s_addr) >> 24 == 127;
	return g_ascii_strcasecmp(host, "localhost") == 0;
}

static bool
settings_relay_is_given(const struct config_relay_values *values, enum config_relay_key key)
{
	return *values->text[key] != '\0';
}

static gint64
number_or(const struct config_relay_values *values, enum config_relay_key key, gint64 fallback)
{
	return settings_relay_is_given(values, key) ? values->number[key] : fallback;
}

static const char *
text_or(const struct config_relay_values *values, enum config_relay_key key, const char *fallback)
{
	return settings_relay_is_given(values, key) ? values->text[key] : fallback;
}

static void
fill_connection(struct config_relay *relay, const struct config_relay_values *values)
{
	bool has_user = settings_relay_is_given(values, RELAY_USER);
	enum config_setting_tls usual = has_user ? TLS_REQUIRED : TLS_OPPORTUNISTIC;

	relay->host = values->text[RELAY_HOST];
	if (values->number[RELAY_PORT] == 465)
		usual = TLS_IMPLICIT;
	relay->tls = (enum config_setting_tls)number_or(values, RELAY_TLS, usual);
	relay->port = (guint)number_or(values, RELAY_PORT,
	    relay->tls == TLS_IMPLICIT ? 465
	    : has_user		       ? 587
				       : 25);
	bool proves = relay->tls != TLS_NONE && (relay->tls != TLS_OPPORTUNISTIC || has_user);
	relay->verifies = number_or(values, RELAY_TLS_VERIFY, proves && !relay->unverified) &&
			  relay->tls != TLS_NONE;
	relay->unverified = !number_or(values, RELAY_TLS_VERIFY, !relay->unverified);
	relay->tls_ca = values->text[RELAY_TLS_CA];
	relay->tls_name = text_or(values, RELAY_TLS_NAME, relay->host);
	relay->tls_cert = values->text[RELAY_TLS_CERT];
	relay->tls_key = values->text[RELAY_TLS_KEY];
	relay->sources = values->list[RELAY_SOURCE];
	relay->source = relay->sources[0] ? relay->sources[0] : "";
}

static void
fill_rest(struct config_relay *relay, const struct config_relay_values *values)
{
	relay->user = values->text[RELAY_USER];
	relay->password = values->text[RELAY_PASSWORD];
	relay->auth = (enum config_relay_auth)values->number[RELAY_AUTH];
	relay->token_command = values->text[RELAY_TOKEN_COMMAND];
	relay->connections = (guint)values->number[RELAY_CONNECTIONS];
	relay->rate = (guint)values->number[RELAY_RATE];
	relay->messages = (guint)values->number[RELAY_MESSAGES];
	relay->order = (guint)values->number[RELAY_ORDER];
	relay->weight = (guint)values->number[RELAY_WEIGHT];
	relay->is_default = values->number[RELAY_DEFAULT] != 0;
	relay->provider = values->text[RELAY_PROVIDER];
	relay->dsn = number_or(values, RELAY_DSN, relay->dsn && !*relay->provider) != 0;
	relay->provider_headers =
	    number_or(values, RELAY_ALLOW_PROVIDER_HEADERS, relay->provider_headers) != 0;
	relay->final = number_or(values, RELAY_FINAL, relay->final) != 0;
	relay->timeout_s = (guint)number_or(values, RELAY_TIMEOUT, relay->timeout_s);
	relay->connect_timeout_s =
	    (guint)number_or(values, RELAY_CONNECT_TIMEOUT, relay->connect_timeout_s);
	relay->helo = text_or(values, RELAY_HELO, relay->helo);
	relay->return_path = text_or(values, RELAY_RETURN_PATH, relay->return_path);
}

bool
config_relay_fill(struct config_relay *relay, const struct config_relay_values *values,
    enum config_relay_key *key_r, GError **error)
{
	fill_connection(relay, values);
	fill_rest(relay, values);
	bool has_user = *relay->user, is_oauth = relay->auth == RELAY_AUTH_XOAUTH2;
	bool bares = has_user && relay->tls == TLS_NONE && !config_relay_is_local(relay->host);
	bool repeats = false;
	guint sources = 0;

	for (; relay->sources[sources]; sources++)
		for (guint i = 0; i < sources; i++)
			repeats = repeats || !strcmp(relay->sources[i], relay->sources[sources]);
	const struct {
		bool is_wrong;
		enum config_relay_key key;
		const char *why;
	} rules[] = {
	    {bares, RELAY_TLS,
		"is none, but there is a user: without TLS a password goes to localhost and "
		"127.0.0.0/8 alone"},
	    {*relay->tls_cert && !*relay->tls_key, RELAY_TLS_CERT, "needs tls_key"},
	    {*relay->tls_key && !*relay->tls_cert, RELAY_TLS_KEY, "needs tls_cert"},
	    {has_user && !is_oauth && !*relay->password, RELAY_USER,
		"needs a password or password_file, or auth = xoauth2"},
	    {is_oauth && !has_user, RELAY_AUTH, "is xoauth2, which needs a user"},
	    {is_oauth && !*relay->token_command, RELAY_AUTH,
		"is xoauth2, which needs a token_command"},
	    {sources > LIMIT_SOURCES, RELAY_SOURCE,
		"takes at most " G_STRINGIFY(LIMIT_SOURCES) " addresses"},
	    {repeats, RELAY_SOURCE, "takes each address once"},
	    {!is_oauth && *relay->token_command, RELAY_TOKEN_COMMAND, "is only for auth = xoauth2"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rules); i++)
		if (rules[i].is_wrong) {
			*key_r = rules[i].key;
			return base_invalid(error, "%s", rules[i].why);
		}
	return true;
}

guint64
config_relay_identity(const struct config_relay *relay)
{
	g_autofree char *sources = g_strjoinv(" ", (char **)relay->sources);
	const char *const texts[] = {relay->host, relay->tls_ca, relay->tls_name, relay->tls_cert,
	    relay->tls_key, relay->user, relay->password, relay->token_command, sources,
	    relay->helo};
	const guint numbers[] = {relay->port, relay->tls, relay->auth, relay->verifies};
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	guint8 digest[32];
	gsize size = sizeof(digest);
	guint64 identity;

	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
		const char *text = texts[i] ? texts[i] : "";
		g_checksum_update(sum, (const guchar *)text, (gssize)strlen(text) + 1);
	}
	g_checksum_update(sum, (const guchar *)numbers, sizeof(numbers));
	g_checksum_get_digest(sum, digest, &size);
	memcpy(&identity, digest, sizeof(identity));
	return identity;
}
