/* SPDX-License-Identifier: MIT */
/* Serves one request: finds its route, checks it in a fixed order, runs the handler, replies. */
#include "fcgi/serve.h"

#include <malloc.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/settings.h"
#include "core/core.h"
#include "fcgi/auth.h"
#include "fcgi/call.h"
#include "fcgi/io.h"
#include "fcgi/large.h"
#include "fcgi/routes.h"
#include "json/strict.h"
#include "json/unknown.h"

static bool
authenticate(
    struct fcgi_call *call, struct fcgi_auth *auth, const struct fcgi_route *route, GError **error)
{
	const char *key;

	if (route->scope == ROUTE_PUBLIC)
		return true;
	return fcgi_auth_credentials(call->request, &key, call->reply) &&
	       core_ensure(call->core, error) &&
	       fcgi_auth_check(
		   auth, call->core->db, key, route->scope, &call->key, call->reply, error);
}

static bool
take_body(struct fcgi_call *call, const struct fcgi_route *route, GError **error)
{
	gint64 limit = base_settings_number(call->core->settings, SETTING_LIMITS_REQUEST_BYTES);

	if (!route->body)
		return true;
	if (route->body->bytes > 0)
		limit = MIN(limit, (gint64)route->body->bytes);
	GBytes *body = fcgi_request_body(call->request, (gsize)limit, error);
	if (!body)
		return false;
	char *bytes = g_bytes_unref_to_data(body, &call->body_size);
	fcgi_call_digest(call, bytes, call->body_size);
	call->json = json_parse_take(bytes, call->body_size, error);
	return call->json != NULL;
}

static bool
check_parameters(struct fcgi_call *call, const struct fcgi_route *route, GError **error)
{
	const char *const *names = fcgi_request_parameters(call->request, error);

	call->unknown.noun = "a parameter of this request";
	for (const char *const *name = names; name && *name; name++)
		if (!json_unknown_check_name(*name, route->parameters, &call->unknown, error))
			return false;
	return names != NULL;
}

/* Refuses misspelled members and parameters. Public routes are not checked: the service itself
   wrote their links. */
static bool
check_names(struct fcgi_call *call, const struct fcgi_route *route, GError **error)
{
	call->unknown.noun = "a field of this request";
	call->unknown.refuse =
	    base_settings_choice(call->core->settings, SETTING_SERVICE_UNKNOWN) == UNKNOWN_REFUSE;
	return route->scope == ROUTE_PUBLIC ||
	       ((!route->body ||
		    json_unknown_check(call->json, route->body, NULL, &call->unknown, error)) &&
		   check_parameters(call, route, error));
}

static void
operate(
    struct fcgi_call *call, struct fcgi_auth *auth, const struct fcgi_route *route, GError **error)
{
	if (authenticate(call, auth, route, error) && take_body(call, route, error) &&
	    check_names(call, route, error))
		route->handler(call, error);
	g_clear_pointer(&call->json, json_free);
	if (call->core->db)
		fcgi_auth_confirm(auth, call->core->db, call->reply, error);
}

/* Fills the reply, or sets error. */
static void
handle(struct fcgi_call *call, struct fcgi_auth *auth, const struct fcgi_route_match *match,
    GError **error)
{
	static const char *const none[] = {NULL};

	if (match->route) {
		call->arguments = match->arguments;
		call->request->known = match->route->parameters ? match->route->parameters : none;
		operate(call, auth, match->route, error);
	} else if (match->allowed->len > 0) {
		fcgi_reply_header(call->reply, "Allow", match->allowed->str);
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "Method not allowed");
	} else {
		g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Not found");
	}
}

/* Adds the exceeded quota, if there is one, to the RateLimit headers. */
static void
tell_excess(struct fcgi_call *call)
{
	const struct store_quota_excess *excess = &call->core->excess;
	gint64 reset_s = (excess->end - base_clock_now() + 999) / 1000;

	if (!excess->name)
		return;
	call->reply->wait_s = MAX(reset_s, 1);
	fcgi_reply_limit(call->reply, &(struct fcgi_reply_limit){excess->name, excess->most,
					  excess->length_s, excess->left, call->reply->wait_s});
}

void
fcgi_serve_request(struct core *core, struct fcgi_auth *auth, struct fcgi_io *io)
{
	g_autoptr(GError) error = NULL;
	struct fcgi_large large = {.settings = core->settings};
	struct fcgi_request request;
	struct fcgi_route_match match = {.allowed = NULL};
	struct fcgi_reply reply;
	struct fcgi_call call = {.core = core, .request = &request, .reply = &reply};
	bool routable = fcgi_request_read(&request, io);
	request.large = &large;

	fcgi_reply_init(&reply);
	core->excess.name = NULL;
	match = fcgi_route_find(fcgi_routes, routable ? fcgi_route_count : 0,
	    routable ? request.path : "", request.method);
	handle(&call, auth, &match, &error);
	if (g_error_matches(error, PH_ERROR, PH_ERROR_LIMITED))
		tell_excess(&call);
	if (error)
		fcgi_reply_failure(
		    &reply, match.route ? match.route->failure : &fcgi_failure_message, error);
	if (!match.route && match.allowed->len > 0)
		reply.status = 405;
	if (call.unknown.list && reply.status / 100 == 2)
		fcgi_reply_header(&reply, "Ignored-Members", call.unknown.list->str);
	fcgi_reply_write(&reply, io, request.head);
	gsize weight = call.body_size + (reply.body ? g_bytes_get_size(reply.body) : 0);
	if (call.unknown.list)
		g_string_free(call.unknown.list, TRUE);
	fcgi_reply_clear(&reply);
	fcgi_route_match_clear(&match);
	fcgi_request_clear(&request);
	fcgi_io_finish(io);
	fcgi_call_finish(&call);
	/* Return the memory of a large request to the system. */
	if (weight > LARGE_BYTES)
		malloc_trim(0);
	fcgi_large_leave(&large);
}
