/* SPDX-License-Identifier: MIT */
/* Checks the web: the public address, the MX of delivery reports, and whether the web server passes
   requests and keys on. */
#include "cli/doctor.h"

#include <string.h>

#include "base/clock.h"
#include "base/secret.h"
#include "config/settings.h"
#include "domain/zone.h"
#include "fetch/ask.h"
#include "json/strict.h"
#include "link/tracking.h"
#include "store/common/server.h"
#include "store/workspace/key.h"
#include "text/hostname.h"

static bool
check_web_is_local(const char *host)
{
	return strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0 ||
	       g_str_has_prefix(host, "127.");
}

void
cli_check_url(struct cli_doctor *doctor)
{
	if (!doctor->settings)
		return;
	const char *url = config_settings_text(doctor->settings, SETTING_SERVICE_URL);
	g_autoptr(GUri) uri = g_uri_parse(url, G_URI_FLAGS_NONE, NULL);
	const char *host = uri ? g_uri_get_host(uri) : NULL;
	bool encrypted = uri && strcmp(g_uri_get_scheme(uri), "https") == 0;

	if (!link_tracking_base(doctor->settings))
		cli_check_bad(doctor, "url", STATE_WARN,
		    cli_check_advice("Set SETTING to the public address.", SETTING_SERVICE_URL),
		    "it is not set, so opens and clicks are not tracked, and there is no page to "
		    "unsubscribe");
	else if (!host || check_web_is_local(host))
		cli_check_bad(doctor, "url", STATE_WARN,
		    cli_check_advice("Set SETTING to the public address.", SETTING_SERVICE_URL),
		    "links in mail lead to %s, which is each reader's own machine", url);
	else if (!encrypted)
		cli_check_bad(doctor, "url", STATE_WARN,
		    cli_check_advice("Serve https, and set SETTING.", SETTING_SERVICE_URL),
		    "%s is not encrypted, so API keys are sent in plain text", url);
	else
		cli_check_ok(doctor, "url", "%s", url);
}

/* The MX that every domain is shown to publish. */
void
cli_check_mx(struct cli_doctor *doctor)
{
	if (!doctor->settings)
		return;
	g_autofree char *mx = domain_zone_mx(doctor->settings);
	g_autofree char *name = text_hostname_ascii(mx);

	if (name)
		cli_check_ok(doctor, "mx", "delivery reports come back to %s", mx);
	else
		cli_check_bad(doctor, "mx", STATE_WARN,
		    cli_check_advice("Set SETTING to the DNS name of the server that receives "
				     "delivery reports.",
			SETTING_SERVICE_MAIL_FROM_MX),
		    "domains publish the MX \"%s\", which DNS does not have, so no delivery report "
		    "comes back",
		    mx);
}

#define WEB_MS 5000
#define KEY_MS 60000
#define KEY_BYTES 32

/* Asks a path below [service] url. header: one more, or NULL. The caller owns the
   answer. */
static struct fetch_answer *
check_web_ask(const struct cli_doctor *doctor, const char *path, const char *header, GError **error)
{
	const char *url = config_settings_text(doctor->settings, SETTING_SERVICE_URL);
	gsize size = strlen(url);
	g_autofree char *full =
	    g_strdup_printf("%.*s%s", (int)(size - g_str_has_suffix(url, "/")), url, path);
	struct fetch_answer *answer =
	    fetch_ask(full, (const char *const[]){header, NULL}, WEB_MS, error);

	if (!answer)
		g_prefix_error(error, "%s: ", full);
	return answer;
}

/* Whether an answer of /health is ours. */
static bool
check_web_is_ours(const struct fetch_answer *answer)
{
	AUTO(json) document = json_parse(answer->text->str, answer->text->len, NULL);
	const char *status = json_string(json_member_get(document, "status"), NULL);

	return answer->status == 200 && g_strcmp0(status, "ok") == 0;
}

static bool
check_health(struct cli_doctor *doctor)
{
	static const char remedy[] =
	    "Correct url in section [service], or let the web server hand these requests to "
	    "posthouse.fcgi; the folder apache has samples.";
	const char *url = config_settings_text(doctor->settings, SETTING_SERVICE_URL);
	g_autoptr(GError) error = NULL;
	AUTO(fetch_answer) answer = check_web_ask(doctor, "/health", NULL, &error);

	if (!answer)
		cli_check_bad(doctor, "web", STATE_FAIL, remedy, "%s", error->message);
	else if (!check_web_is_ours(answer) && answer->status == 503)
		cli_check_bad(doctor, "web", STATE_FAIL,
		    "Read the web server's log: posthouse.fcgi tells there what it lacks.",
		    "%s/health answers 503: the service does not work", url);
	else if (!check_web_is_ours(answer))
		cli_check_bad(doctor, "web", STATE_FAIL, remedy,
		    "%s/health is not ours: it answers %u", url, answer->status);
	return answer && check_web_is_ours(answer);
}

/* A key that lives as long as the check. */
struct key {
	struct store_key row;
	char *secret;
};

static bool
check_web_make_key(struct cli_doctor *doctor, struct key *key_r, GError **error)
{
	guint8 bytes[KEY_BYTES], hash[SHA256_SIZE];
	bool found;

	if (!store_server_user(
		doctor->db, &key_r->row.workspace_id, &key_r->row.user_id, &found, error) ||
	    !found)
		return false;
	base_secret_random(bytes, sizeof(bytes));
	g_autofree char *text = base_secret_base64url(bytes, sizeof(bytes));
	key_r->secret = g_strconcat("ph_", text, NULL);
	key_r->row.scope = KEY_READ;
	base_secret_sha256(key_r->secret, strlen(key_r->secret), hash);
	return store_key_create(
	    doctor->db, &key_r->row, hash, "posthouse doctor", base_clock_now() + KEY_MS, error);
}

/* 401: no key has arrived. 403: the service does not know the key. */
static bool
is_refused(const struct fetch_answer *answer)
{
	return answer->status == 401 || answer->status == 403;
}

/* Tells of a key that did not arrive in Authorization, or was not known. */
static void
check_web_tell_refusal(
    struct cli_doctor *doctor, const struct fetch_answer *answer, const struct fetch_answer *second)
{
	const char *url = config_settings_text(doctor->settings, SETTING_SERVICE_URL);
	bool is_missing = strstr(answer->text->str, "api_key_missing") != NULL;

	if (!is_refused(second))
		cli_check_bad(doctor, "web", STATE_WARN,
		    "Let the web server pass it on (Apache: CGIPassAuth On); until then, clients "
		    "have to send the key as X-API-Key.",
		    "the web server at %s takes Authorization away (X-API-Key arrives)", url);
	else if (is_missing)
		cli_check_bad(doctor, "web", STATE_FAIL,
		    "Let the web server pass Authorization on (Apache: CGIPassAuth On).",
		    "the web server at %s takes both Authorization and X-API-Key away", url);
	else
		cli_check_bad(doctor, "web", STATE_FAIL,
		    cli_check_advice(
			"Correct SETTING, or give both the same settings.", SETTING_SERVICE_URL),
		    "%s does not know a key of this database: it is another installation, or has "
		    "other settings",
		    url);
}

/* Asks with the key, first in Authorization. */
static void
check_web_check_key(struct cli_doctor *doctor, const char *secret)
{
	const char *url = config_settings_text(doctor->settings, SETTING_SERVICE_URL);
	g_autofree char *bearer = g_strconcat("Authorization: Bearer ", secret, NULL);
	g_autofree char *own = g_strconcat("X-API-Key: ", secret, NULL);
	g_autoptr(GError) error = NULL;
	AUTO(fetch_answer) first = check_web_ask(doctor, "/v1/domains", bearer, &error);
	AUTO(fetch_answer) second =
	    first && is_refused(first) ? check_web_ask(doctor, "/v1/domains", own, &error) : NULL;

	if (!first || (is_refused(first) && !second))
		cli_check_bad(doctor, "web", STATE_FAIL,
		    "Read the web server's log, and run posthouse doctor again.", "%s",
		    error->message);
	else if (second)
		check_web_tell_refusal(doctor, first, second);
	else if (first->status != 200 && first->status != 429)
		cli_check_bad(doctor, "web", STATE_FAIL,
		    "Let the web server hand all requests below url to posthouse.fcgi.",
		    "%s/v1/domains answers %u", url, first->status);
	else
		cli_check_ok(doctor, "web", "%s answers, and keys arrive", url);
}

void
cli_check_web(struct cli_doctor *doctor)
{
	g_autoptr(GError) error = NULL;
	struct key key = {.secret = NULL};

	if (!doctor->settings || !check_health(doctor))
		return;
	if (doctor->db && check_web_make_key(doctor, &key, &error)) {
		check_web_check_key(doctor, key.secret);
		if (!store_key_remove(doctor->db, &key.row.workspace_id, &key.row.id, &error))
			cli_check_failed(doctor, "web", error);
	} else if (error) {
		cli_check_failed(doctor, "web", error);
	} else {
		cli_check_ok(doctor, "web", "%s answers",
		    config_settings_text(doctor->settings, SETTING_SERVICE_URL));
	}
	g_free(key.secret);
}
