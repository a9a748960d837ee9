/* SPDX-License-Identifier: MIT */
/* Reads and sets the cookies of sessions, and checks the session of a request. */
#include "fcgi/api/session.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "config/log.h"
#include "config/settings.h"
#include "fcgi/api/auth.h"
#include "fcgi/api/context.h"
#include "fcgi/api/routes.h"
#include "fcgi/http/reply.h"
#include "fcgi/http/request.h"
#include "service/service.h"
#include "store/workspace/limit.h"
#include "store/workspace/session.h"
#include "text/hostname.h"

#define COOKIE "posthouse_session"
#define HOST_COOKIE "__Host-" COOKIE
#define CSRF "csrf"
#define WORKSPACE_HEADER "X-Posthouse-Workspace"
#define KNOWN_S (180 * 24 * 60 * 60) /* how long a browser is known after it signed in */
#define SEEN_MS 60000		     /* last_seen is exact to this */

static const char *
cookie_name(const struct config_settings *settings)
{
	return submit_sign_in_is_https(settings) ? HOST_COOKIE : COOKIE;
}

bool
fcgi_session_cookie(const struct fcgi_request *request, const char *name, char **token_r)
{
	const char *header = fcgi_request_header(request, "HTTP_COOKIE");
	g_auto(GStrv) cookies = g_strsplit(header ? header : "", ";", -1);
	gsize length = strlen(name);
	guint8 hash[SHA256_SIZE];
	const char *token = NULL;
	guint found = 0;

	*token_r = NULL;
	for (char **cookie = cookies; *cookie; cookie++) {
		const char *text = g_strstrip(*cookie);

		if (strncmp(text, name, length) == 0 && text[length] == '=') {
			token = text + length + 1;
			found++;
		}
	}
	if (found == 1 && submit_sign_in_hash(token, hash))
		*token_r = g_strdup(token);
	return found > 0;
}

static void
set_cookie(const struct config_settings *settings, const char *name, const char *token,
    const char *age, struct fcgi_reply *reply)
{
	const char *secure = submit_sign_in_is_https(settings) ? " Secure;" : "";
	g_autofree char *value =
	    g_strdup_printf("%s=%s; Path=/;%s%s HttpOnly; SameSite=Lax", name, token, age, secure);

	fcgi_reply_header(reply, "Set-Cookie", value);
}

void
fcgi_session_set_cookie(
    const struct config_settings *settings, const char *token, struct fcgi_reply *reply)
{
	set_cookie(
	    settings, cookie_name(settings), token ? token : "", token ? "" : " Max-Age=0;", reply);
}

void
fcgi_session_set_browser(
    const struct config_settings *settings, const char *token, struct fcgi_reply *reply)
{
	g_autofree char *age = g_strdup_printf(" Max-Age=%" G_GINT64_FORMAT ";",
	    config_settings_number(settings, SETTING_SESSION_LINK));

	set_cookie(settings, FCGI_SESSION_BROWSER, token, age, reply);
}

void
fcgi_session_set_known(
    const struct config_settings *settings, const char *proof, struct fcgi_reply *reply)
{
	g_autoptr(GDateTime) end = g_date_time_new_from_unix_utc(base_clock_now() / 1000 + KNOWN_S);
	g_autofree char *age = g_date_time_format(end, " Expires=%a, %d %b %Y %H:%M:%S GMT;");

	set_cookie(settings, FCGI_SESSION_KNOWN, proof, age, reply);
}

void
fcgi_session_csrf(const struct config_settings *settings, const guint8 hash[SHA256_SIZE],
    char text_r[LINK_SIGN_IN_TOKEN_SIZE])
{
	guint8 tag[SHA256_SIZE];

	base_secret_sign(
	    config_settings_secret(settings), CSRF, hash, SHA256_SIZE, tag, sizeof(tag));
	g_autofree char *text = base_secret_base64url(tag, sizeof(tag));
	g_strlcpy(text_r, text, LINK_SIGN_IN_TOKEN_SIZE);
}

/* SCHEME://HOST[:PORT] of the service, as browsers write it (RFC 6454 section 6.2): in lower case,
   without the port of the scheme. The caller owns it. */
static char *
own_origin(const struct config_settings *settings)
{
	g_autoptr(GUri) uri = g_uri_parse(
	    config_settings_text(settings, SETTING_SERVICE_URL), G_URI_FLAGS_NONE, NULL);
	int port = g_uri_get_port(uri);
	bool is_https = submit_sign_in_is_https(settings), is_v6 = strchr(g_uri_get_host(uri), ':');
	g_autofree char *lower = g_ascii_strdown(g_uri_get_host(uri), -1);
	g_autofree char *ascii = g_str_is_ascii(lower) ? NULL : text_hostname_host(lower);
	g_autofree char *end = port == -1 || port == (is_https ? 443 : 80)
				   ? g_strdup("")
				   : g_strdup_printf(":%d", port);

	return g_strdup_printf("%s://%s%s%s%s", is_https ? "https" : "http", is_v6 ? "[" : "",
	    ascii ? ascii : lower, is_v6 ? "]" : "", end);
}

/* Whether the request comes from a page of this service, by its Origin. One without an Origin is
   good where none is needed. */
static bool
session_is_own(const struct fcgi_call *call, bool needs_origin)
{
	const char *origin = fcgi_request_header(call->request, "HTTP_ORIGIN");

	if (!origin || !*origin)
		return !needs_origin;
	g_autofree char *own = own_origin(call->service->settings);
	return strcmp(origin, own) == 0;
}

static bool
session_deny(struct fcgi_call *call, enum fcgi_denial denial)
{
	call->reply->form->denied(call->reply, denial);
	return false;
}

/* Whether people may sign in here; if not, call->reply tells it. */
static bool
session_is_safe(struct fcgi_call *call)
{
	return submit_sign_in_is_safe(call->service->settings) || session_deny(call, DENIAL_HTTPS);
}

bool
fcgi_session_may_begin(struct fcgi_call *call)
{
	return session_is_safe(call) &&
	       (session_is_own(call, false) || session_deny(call, DENIAL_CSRF));
}

static bool
end(struct fcgi_call *call)
{
	session_deny(call, DENIAL_ENDED);
	fcgi_session_set_cookie(call->service->settings, NULL, call->reply);
	return false;
}

/* last_seen may be this old: a request stores it only when it is older. */
static gint64
slack_ms(const struct config_settings *settings)
{
	return MIN(SEEN_MS, config_settings_number(settings, SETTING_SESSION_IDLE) * 1000 / 20);
}

gint64
fcgi_session_seen_after(const struct config_settings *settings)
{
	return base_clock_now() - slack_ms(settings) -
	       config_settings_number(settings, SETTING_SESSION_IDLE) * 1000;
}

gint64
fcgi_session_end(const struct config_settings *settings, const struct store_session *session)
{
	gint64 idle = config_settings_number(settings, SETTING_SESSION_IDLE) * 1000;

	return MIN(session->last_seen + idle, session->expires);
}

/* The request goes on where this fails: the next one tries again. */
static void
session_see(struct fcgi_call *call)
{
	struct store_session *session = &call->session;
	gint64 now = base_clock_now();
	g_autoptr(GError) error = NULL;

	if (now - session->last_seen >= slack_ms(call->service->settings) &&
	    !store_session_see(call->service->db, session, now, &error))
		config_log("the use of a session is not noted: %s", error->message);
	session->last_seen = now;
}

/* Reads the workspace that the request names. *workspace_r is id, or NULL where it names none.
   INVALID. */
static bool
session_read_workspace(const struct fcgi_call *call, struct base_id *id,
    const struct base_id **workspace_r, GError **error)
{
	const char *given = fcgi_request_header(call->request, "HTTP_X_POSTHOUSE_WORKSPACE");

	*workspace_r = given ? id : NULL;
	return !given || base_id_parse(given, id) ||
	       base_invalid(error, WORKSPACE_HEADER " must be the id of a workspace");
}

/* Replies to a session that is not there, or not in the workspace. Takes any other failure. */
static bool
session_fail(struct fcgi_call *call, GError *failure, GError **error)
{
	bool has_ended = g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND);

	if (!has_ended && !g_error_matches(failure, PH_ERROR, PH_ERROR_FORBIDDEN)) {
		g_propagate_error(error, failure);
		return false;
	}
	g_error_free(failure);
	return has_ended ? end(call) : session_deny(call, DENIAL_WORKSPACE);
}

/* Finds the session, in the workspace that the request names, and holds it to the rates. */
static bool
session_find(struct fcgi_call *call, struct fcgi_auth *auth, const char *token, GError **error)
{
	const struct config_settings *settings = call->service->settings;
	struct store_session *session = &call->session;
	GError *failure = NULL;
	struct store_limits limits;
	guint8 hash[SHA256_SIZE];
	struct store_session_wanted wanted = {
	    hash, base_clock_now(), fcgi_session_seen_after(settings), NULL};
	struct base_id workspace;

	if (!submit_sign_in_hash(token, hash))
		return end(call);
	if (!session_read_workspace(call, &workspace, &wanted.workspace, error) ||
	    !service_ensure(call->service, error))
		return false;
	store_session_clear(session);
	if (!store_session_find(call->service->db, &wanted, session, &limits, &failure))
		return session_fail(call, failure, error);
	call->key = (struct store_key){.id = session->id,
	    .workspace_id = session->workspace_id,
	    .user_id = session->user_id,
	    .scope = fcgi_route_scope_of(session->role),
	    .is_session = true};
	fcgi_session_csrf(settings, hash, call->csrf);
	return !auth || fcgi_auth_rate(auth, &call->key, &limits, call->reply, error);
}

/* Whether the request is meant by a page of this service: its X-CSRF-Token is that of the session,
   compared in constant time, and its Origin is ours. */
static bool
session_is_meant(const struct fcgi_call *call, const char *token)
{
	const char *given = fcgi_request_header(call->request, "HTTP_X_CSRF_TOKEN");
	g_autoptr(GBytes) tag = given ? base_secret_base64url_decode(given) : NULL;
	guint8 hash[SHA256_SIZE];
	gsize size = 0;
	const guint8 *bytes = tag ? g_bytes_get_data(tag, &size) : NULL;

	base_secret_sha256(token, strlen(token), hash);
	return size == SHA256_SIZE && session_is_own(call, true) &&
	       base_secret_verify(config_settings_secret(call->service->settings), CSRF, hash,
		   SHA256_SIZE, bytes, size);
}

bool
fcgi_session_check(struct fcgi_call *call, struct fcgi_auth *auth, GError **error)
{
	const struct config_settings *settings = call->service->settings;
	const struct fcgi_route *route = call->route;
	g_autofree char *token = NULL;

	if (route->right == RIGHT_SESSION && !session_is_safe(call))
		return false;
	if (route->scope == KEY_METRICS ||
	    !fcgi_session_cookie(call->request, cookie_name(settings), &token))
		return session_deny(call, DENIAL_MISSING);
	if (!session_is_safe(call))
		return false;
	if (!token)
		return end(call);
	if (!session_find(call, auth, token, error))
		return false;
	session_see(call);
	return route->method == METHOD_GET || session_is_meant(call, token) ||
	       session_deny(call, DENIAL_CSRF);
}
