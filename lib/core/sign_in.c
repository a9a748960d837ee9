/* SPDX-License-Identifier: MIT */
/* Makes links to sign in, sends them, and counts attempts. */
#include "core/sign_in.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/network.h"
#include "base/settings.h"
#include "core/core.h"
#include "core/deliver.h"
#include "core/submission.h"
#include "core/submit.h"
#include "mail/address.h"

#define SUBJECT "Sign in to Posthouse"
#define PAGE "/dashboard/signin#"
#define TOKEN_BYTES 32

bool
core_sign_in_is_https(const struct base_settings *settings)
{
	return g_ascii_strncasecmp(
		   base_settings_text(settings, SETTING_SERVICE_URL), "https:", 6) == 0;
}

bool
core_sign_in_is_safe(const struct base_settings *settings)
{
	g_autoptr(GUri) uri =
	    g_uri_parse(base_settings_text(settings, SETTING_SERVICE_URL), G_URI_FLAGS_NONE, NULL);
	const char *host = uri ? g_uri_get_host(uri) : NULL;

	return core_sign_in_is_https(settings) ||
	       (host && (base_relay_is_local(host) || strcmp(host, "::1") == 0));
}

void
core_sign_in_token(char text_r[CORE_SIGN_IN_TOKEN_SIZE], guint8 hash_r[SHA256_SIZE])
{
	guint8 bytes[TOKEN_BYTES];

	base_secret_random(bytes, sizeof(bytes));
	g_autofree char *text = base_secret_base64url(bytes, sizeof(bytes));
	g_strlcpy(text_r, text, CORE_SIGN_IN_TOKEN_SIZE);
	base_secret_sha256(text_r, strlen(text_r), hash_r);
}

bool
core_sign_in_hash(const char *token, guint8 hash_r[SHA256_SIZE])
{
	g_autoptr(GBytes) bytes = strlen(token) == CORE_SIGN_IN_TOKEN_SIZE - 1
				      ? base_secret_base64url_decode(token)
				      : NULL;

	if (!bytes)
		return false;
	base_secret_sha256(token, strlen(token), hash_r);
	return true;
}

char *
core_sign_in_link(struct core *core, const char *email, const struct store_user_workspace *first,
    const guint8 *browser, GError **error)
{
	gint64 life_s = base_settings_number(core->settings, SETTING_SESSION_LINK);
	char token[CORE_SIGN_IN_TOKEN_SIZE];
	guint8 hash[SHA256_SIZE];

	core_sign_in_token(token, hash);
	if (!store_sign_in_add(
		core->db, hash, email, first, browser, base_clock_now() + life_s * 1000, error))
		return NULL;
	return g_strconcat(
	    base_settings_text(core->settings, SETTING_SERVICE_URL), PAGE, token, NULL);
}

/* Stores the email, and makes one attempt in sync mode. */
static bool
send(struct core *core, const struct base_id *workspace, const struct core_submission *submission,
    GError **error)
{
	struct core_sending *sending = core_send_check(core, workspace, submission, NULL, error);
	bool done;

	if (!sending)
		return false;
	core_send_claim(core, sending);
	done = core_request_store_one(core, &sending->request, error);
	if (done) {
		struct core_delivery *delivery = core_send_attempt(core, sending);

		if (delivery)
			core_deliver_free(delivery);
	}
	core_request_free(&sending->request);
	return done;
}

static bool
send_link(struct core *core, const struct store_user_workspace *sender, const char *email,
    const char *url, GError **error)
{
	gint64 minutes = (base_settings_number(core->settings, SETTING_SESSION_LINK) + 59) / 60;
	const char *to[] = {email, NULL};
	g_autofree char *shown = g_markup_escape_text(url, -1);
	g_autofree char *text = g_strdup_printf("This link signs you in to Posthouse:\n\n%s\n\n"
						"It is good once, for %" G_GINT64_FORMAT
						" min, in the browser that asked for it.\n"
						"If you did not ask for it, ignore this mail.\n",
	    url, minutes);
	g_autofree char *html = g_strdup_printf(
	    "<p><a href=\"%s\">Sign in to Posthouse</a></p>\n"
	    "<p>The link is good once, for %" G_GINT64_FORMAT " min, in the browser that asked for "
	    "it.<br>\nIf you did not ask for it, ignore this mail.</p>\n",
	    shown, minutes);
	const struct core_submission submission = {.from = sender->default_sender,
	    .to = to,
	    .subject = SUBJECT,
	    .html = html,
	    .text = text,
	    .verbatim = true,
	    .secret = true};

	return send(core, &sender->workspace_id, &submission, error);
}

bool
core_sign_in_mail(struct core *core, const char *email, const guint8 *browser,
    struct base_id *user_r, bool *known_r, GError **error)
{
	g_autoptr(GPtrArray) memberships = store_user_workspaces(core->db, email, error);
	const struct store_user_workspace *sender = NULL;

	*known_r = memberships && memberships->len > 0;
	if (!*known_r)
		return memberships != NULL;
	for (guint i = 0; i < memberships->len && !sender; i++) {
		const struct store_user_workspace *membership = memberships->pdata[i];

		if (membership->default_sender)
			sender = membership;
	}
	*user_r = ((const struct store_user_workspace *)memberships->pdata[0])->user_id;
	if (!sender)
		return base_fail(error, PH_ERROR_FAILED,
		    "no link to sign in was sent: no workspace of its user has a default sender "
		    "(posthouse workspace sender)");
	g_autofree char *url =
	    core_sign_in_link(core, email, memberships->pdata[0], browser, error);
	return url && send_link(core, sender, email, url, error);
}

/* Counts a subject of this kind. *wait_s_r grows to when it may try again. */
static bool
count(struct core *core, const char *kind, const void *subject, gsize size, gint64 *wait_s_r,
    GError **error)
{
	gint64 most = base_settings_number(core->settings, SETTING_SESSION_ATTEMPTS);
	gint64 now = base_clock_now(), begun, made;
	guint8 digest[SHA256_SIZE];

	base_secret_sign(
	    base_settings_secret(core->settings), kind, subject, size, digest, SHA256_SIZE);
	if (!store_sign_in_count(core->db, digest, now, &made, &begun, error))
		return false;
	if (made > most)
		*wait_s_r =
		    MAX(*wait_s_r, MAX((begun + STORE_SIGN_IN_HOUR_MS - now + 999) / 1000, 1));
	return true;
}

/* The network of a client: 24 bits of an IPv4 address, 64 of an IPv6 address; 0 for loopback. */
static gsize
network_of(const char *client, struct base_network_address *address_r)
{
	static const char *const loopback[] = {"127.0.0.0/8", "::1/128", NULL};

	if (!client || !base_network_address(client, address_r) ||
	    base_network_holds(loopback, address_r))
		return 0;
	return address_r->size == 4 ? 3 : 8;
}

bool
core_sign_in_count(
    struct core *core, const char *email, const char *client, gint64 *wait_s_r, GError **error)
{
	struct base_network_address network;
	gsize size = network_of(client, &network);
	g_autofree char *key = email ? mail_address_key(email) : NULL;

	*wait_s_r = 0;
	if (key && !count(core, "sign-in address", key, strlen(key), wait_s_r, error))
		return false;
	if (size > 0 && !count(core, size == 3 ? "sign-in network 4" : "sign-in network 6",
			    network.bytes, size, wait_s_r, error))
		return false;
	return *wait_s_r == 0 ||
	       base_fail(error, PH_ERROR_LIMITED,
		   "Too many attempts to sign in. Try again in %" G_GINT64_FORMAT " s", *wait_s_r);
}
