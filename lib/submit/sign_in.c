/* SPDX-License-Identifier: MIT */
/* Makes links to sign in, sends them, and counts attempts. */
#include "submit/sign_in.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "config/settings.h"
#include "mail/address.h"
#include "service/service.h"
#include "store/workspace/workspace.h"
#include "submit/service_mail.h"
#include "text/network.h"

#define SUBJECT "Sign in to Posthouse"
#define PAGE "/dashboard/signin#"
#define INVITATION_PAGE "/dashboard/"
#define TOKEN_BYTES 32

bool
submit_sign_in_is_https(const struct config_settings *settings)
{
	return g_ascii_strncasecmp(
		   config_settings_text(settings, SETTING_SERVICE_URL), "https:", 6) == 0;
}

bool
submit_sign_in_is_safe(const struct config_settings *settings)
{
	g_autoptr(GUri) uri = g_uri_parse(
	    config_settings_text(settings, SETTING_SERVICE_URL), G_URI_FLAGS_NONE, NULL);
	const char *host = uri ? g_uri_get_host(uri) : NULL;

	return submit_sign_in_is_https(settings) ||
	       (host && (config_relay_is_local(host) || strcmp(host, "::1") == 0));
}

void
submit_sign_in_token(char text_r[LINK_SIGN_IN_TOKEN_SIZE], guint8 hash_r[SHA256_SIZE])
{
	guint8 bytes[TOKEN_BYTES];

	base_secret_random(bytes, sizeof(bytes));
	g_autofree char *text = base_secret_base64url(bytes, sizeof(bytes));
	g_strlcpy(text_r, text, LINK_SIGN_IN_TOKEN_SIZE);
	base_secret_sha256(text_r, strlen(text_r), hash_r);
}

bool
submit_sign_in_hash(const char *token, guint8 hash_r[SHA256_SIZE])
{
	g_autoptr(GBytes) bytes = strlen(token) == LINK_SIGN_IN_TOKEN_SIZE - 1
				      ? base_secret_base64url_decode(token)
				      : NULL;

	if (!bytes)
		return false;
	base_secret_sha256(token, strlen(token), hash_r);
	return true;
}

char *
submit_sign_in_link(struct service *service, const char *email,
    const struct store_user_workspace *first, const guint8 *browser, GError **error)
{
	gint64 life_s = config_settings_number(service->settings, SETTING_SESSION_LINK);
	char token[LINK_SIGN_IN_TOKEN_SIZE];
	guint8 hash[SHA256_SIZE];

	submit_sign_in_token(token, hash);
	if (!store_sign_in_add(service->db,
		&(struct store_sign_in_link){
		    hash, email, first, browser, base_clock_now() + life_s * 1000},
		error))
		return NULL;
	return g_strconcat(
	    config_settings_text(service->settings, SETTING_SERVICE_URL), PAGE, token, NULL);
}

static bool
sign_in_send_link(struct service *service, const GPtrArray *memberships, const char *email,
    const char *url, GError **error)
{
	gint64 minutes =
	    (config_settings_number(service->settings, SETTING_SESSION_LINK) + 59) / 60;
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
	const struct submit_service_mail mail = {email, SUBJECT, html, text, memberships};

	return submit_service_mail_send(service, &mail, error);
}

bool
submit_sign_in_mail(struct service *service, const char *email, const guint8 *browser,
    struct base_id *user_r, bool *known_r, GError **error)
{
	g_autoptr(GPtrArray) memberships = store_user_workspaces(service->db, email, error);

	*known_r = memberships && memberships->len > 0;
	if (!*known_r)
		return memberships != NULL;
	*user_r = ((const struct store_user_workspace *)memberships->pdata[0])->user_id;
	g_autofree char *url =
	    submit_sign_in_link(service, email, memberships->pdata[0], browser, error);
	if (url && sign_in_send_link(service, memberships, email, url, error))
		return true;
	g_prefix_error(error, "no link to sign in was sent: ");
	return false;
}

/* The workspace that invites, and then those of the person; NULL: it is the only one. The caller
   owns the array, which borrows. */
static GPtrArray *
senders_of(const struct store_user_workspace *inviting, const GPtrArray *memberships)
{
	GPtrArray *senders = g_ptr_array_new();

	g_ptr_array_add(senders, (void *)inviting);
	for (guint i = 0; memberships && i < memberships->len; i++)
		g_ptr_array_add(senders, memberships->pdata[i]);
	return senders;
}

/* The sentences of an invitation: for somebody who has to accept it, and for a user already. */
struct invitation {
	const char *what, *link, *end;
};
static const struct invitation invited = {"You are invited into the workspace %s in Posthouse.",
    "Sign in and answer the invitation",
    "Nothing changes until you accept it. If you do not know who invites you, decline."};
static const struct invitation active = {"You are a user of the workspace %s in Posthouse now.",
    "Sign in with this address", "If you do not know who added you, ignore this mail."};

/* The link is none that signs in: the workspace that invites may get the mail back as a bounce. */
static bool
sign_in_send_invitation(struct service *service, const struct store_workspace *workspace,
    const char *email, const struct invitation *says, const GPtrArray *senders, GError **error)
{
	g_autofree char *url = g_strconcat(
	    config_settings_text(service->settings, SETTING_SERVICE_URL), INVITATION_PAGE, NULL);
	g_auto(GStrv) what = g_strsplit(says->what, "%s", 2);
	g_autofree char *subject =
	    g_strdup_printf("Invitation to %s in Posthouse", workspace->name);
	g_autofree char *text = g_strdup_printf("%s%s%s\n\n%s:\n\n%s\n\n%s\n", what[0],
	    workspace->name, what[1], says->link, url, says->end);
	g_autofree char *html =
	    g_markup_printf_escaped("<p>%s%s%s</p>\n<p><a href=\"%s\">%s</a></p>\n<p>%s</p>\n",
		what[0], workspace->name, what[1], url, says->link, says->end);
	const struct submit_service_mail mail = {email, subject, html, text, senders};

	return submit_service_mail_send(service, &mail, error);
}

bool
submit_sign_in_invite(struct service *service, const struct base_id *workspace, const char *email,
    bool is_active, GError **error)
{
	AUTO(store_workspace) inviting = store_workspace_get(service->db, workspace, error);
	g_autoptr(GPtrArray) memberships =
	    inviting ? store_user_workspaces(service->db, email, error) : NULL;

	if (!memberships)
		return false;
	const struct store_user_workspace first = {
	    .workspace_id = *workspace, .default_sender = inviting->default_sender};
	g_autoptr(GPtrArray) senders = senders_of(&first, is_active ? NULL : memberships);
	if (sign_in_send_invitation(
		service, inviting, email, is_active ? &active : &invited, senders, error))
		return true;
	g_prefix_error(error, "no invitation was sent: ");
	return false;
}

/* The digest by which a subject of this kind is counted. */
static void
sign_in_subject_of(struct service *service, const char *kind, const void *subject, gsize size,
    guint8 digest_r[SHA256_SIZE])
{
	base_secret_sign(
	    config_settings_secret(service->settings), kind, subject, size, digest_r, SHA256_SIZE);
}

static bool
sign_in_refuse(gint64 wait_ms, gint64 *wait_s_r, GError **error)
{
	*wait_s_r = MAX((wait_ms + 999) / 1000, 1);
	return base_fail(error, PH_ERROR_LIMITED,
	    "Too many attempts to sign in. Try again in %" G_GINT64_FORMAT " s", *wait_s_r);
}

/* The network of a client: 24 bits of an IPv4 address, 64 of an IPv6 address; 0 for loopback. */
static gsize
network_of(const char *client, struct text_network_address *address_r)
{
	static const char *const loopback[] = {"127.0.0.0/8", "::1/128", NULL};

	if (!client || !text_network_address(client, address_r) ||
	    text_network_holds(loopback, address_r))
		return 0;
	return address_r->size == 4 ? 3 : 8;
}

bool
submit_sign_in_count_network(
    struct service *service, const char *client, gint64 *wait_s_r, GError **error)
{
	gint64 most = config_settings_number(service->settings, SETTING_SESSION_ATTEMPTS);
	gint64 now = base_clock_now(), begun, made;
	struct text_network_address network;
	gsize size = network_of(client, &network);
	guint8 digest[SHA256_SIZE];

	*wait_s_r = 0;
	if (size == 0)
		return true;
	sign_in_subject_of(service, size == 3 ? "sign-in network 4" : "sign-in network 6",
	    network.bytes, size, digest);
	return store_sign_in_count(service->db, digest, now, &made, &begun, error) &&
	       (made <= most ||
		   sign_in_refuse(begun + STORE_SIGN_IN_HOUR_MS - now, wait_s_r, error));
}

bool
submit_sign_in_count_address(
    struct service *service, const char *email, gint64 *wait_s_r, GError **error)
{
	gint64 most = config_settings_number(service->settings, SETTING_SESSION_ATTEMPTS), wait_ms;
	g_autofree char *key = mail_address_key(email);
	guint8 digest[SHA256_SIZE];

	*wait_s_r = 0;
	sign_in_subject_of(service, "sign-in address", key, strlen(key), digest);
	return store_sign_in_pass(service->db, digest, base_clock_now(), most, &wait_ms, error) &&
	       (wait_ms == 0 || sign_in_refuse(wait_ms, wait_s_r, error));
}

#define KNOWN "known browser"

char *
submit_sign_in_proof(const struct service *service, const char *email)
{
	g_autofree char *key = mail_address_key(email);
	guint8 tag[SHA256_SIZE];

	base_secret_sign(
	    config_settings_secret(service->settings), KNOWN, key, strlen(key), tag, sizeof(tag));
	return base_secret_base64url(tag, sizeof(tag));
}

bool
submit_sign_in_is_proof(const struct service *service, const char *email, const char *proof)
{
	g_autofree char *key = mail_address_key(email);
	g_autoptr(GBytes) bytes = base_secret_base64url_decode(proof);
	gsize size = 0;
	const guint8 *tag = bytes ? g_bytes_get_data(bytes, &size) : NULL;

	return size == SHA256_SIZE && base_secret_verify(config_settings_secret(service->settings),
					  KNOWN, key, strlen(key), tag, size);
}
