/* SPDX-License-Identifier: MIT */
/* Sessions of browsers: their cookies, and the check of a request that has one. */
#ifndef FCGI_API_SESSION_H
#define FCGI_API_SESSION_H

#include <glib.h>
#include <stdbool.h>

#include "submit/sign_in.h"

struct config_settings;
struct fcgi_auth;
struct fcgi_call;
struct fcgi_reply;
struct fcgi_request;

/* The cookie of a browser that asks for a link. */
#define FCGI_SESSION_BROWSER "posthouse_browser"

/* Reads a cookie that holds a token. False when there is none of the name; *token_r is NULL when it
   is there and malformed, or there twice. The caller frees it. */
bool fcgi_session_cookie(const struct fcgi_request *request, const char *name, char **token_r);

/* Checks the session of a request that has no key: its cookie, in the workspace that the header
   X-Posthouse-Workspace names or else the last one chosen, then CSRF token and Origin of a request
   that may change something, then the role that the route needs. Fills call->session,
   call->csrf and call->key, for which the session stands. False with error set when it cannot be
   checked, the header is malformed or a rate is exceeded; false without error when it is refused,
   and call->reply tells it. auth: whose rates it is held to; NULL for a request that was held to
   them and is checked once more. */
bool fcgi_session_check(struct fcgi_call *call, struct fcgi_auth *auth, GError **error);

/* The epoch ms after which a session must have been seen to be alive now. */
gint64 fcgi_session_seen_after(const struct config_settings *settings);

/* When a session ends if no request follows, epoch ms. */
gint64 fcgi_session_end(
    const struct config_settings *settings, const struct store_session *session);

/* Whether a request may begin a session: people may sign in here, and its Origin, if it has one, is
   ours. If not, call->reply tells it. */
bool fcgi_session_may_begin(struct fcgi_call *call);

/* Sets the cookie of a session; NULL clears it. */
void fcgi_session_set_cookie(
    const struct config_settings *settings, const char *token, struct fcgi_reply *reply);

/* The cookie of a browser that had a session (submit_sign_in_proof). */
#define FCGI_SESSION_KNOWN "posthouse_known"

/* Sets that cookie, which outlives the session. */
void fcgi_session_set_known(
    const struct config_settings *settings, const char *proof, struct fcgi_reply *reply);

/* Sets the cookie of the browser. */
void fcgi_session_set_browser(
    const struct config_settings *settings, const char *token, struct fcgi_reply *reply);

/* Writes the CSRF token of the session with this cookie's SHA-256. */
void fcgi_session_csrf(const struct config_settings *settings, const guint8 hash[SHA256_SIZE],
    char text_r[LINK_SIGN_IN_TOKEN_SIZE]);

#endif
