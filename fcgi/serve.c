/* One request on its way: route, method, key, scope, size, JSON, handler, answer. */
#include "fcgi/serve.h"

#include <malloc.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/settings.h"
#include "core/core.h"
#include "core/deliver.h"
#include "core/visit.h"
#include "fcgi/auth.h"
#include "fcgi/call.h"
#include "fcgi/handlers/idempotency.h"
#include "fcgi/io.h"
#include "fcgi/large.h"
#include "fcgi/router.h"
#include "fcgi/routes.h"
#include "json/strict.h"
#include "json/unknown.h"

static bool
authenticate(struct call *call, struct auth *auth, const struct route *route, GError **error)
{
	const char *key;

	if (route->scope == ROUTE_PUBLIC)
		return true;
	return auth_credentials(call->request, &key, call->reply) &&
	       core_ensure(call->core, error) &&
	       auth_check(auth, call->core->db, key, route->scope, &call->key, call->reply, error);
}

static bool
take_body(struct call *call, const struct route *route, GError **error)
{
	gint64 limit = base_settings_number(call->core->settings, SETTING_LIMITS_REQUEST_BYTES);

	if (!route->body)
		return true;
	GBytes *body = request_body(call->request, (gsize)limit, error);
	if (!body)
		return false;
	char *bytes = g_bytes_unref_to_data(body, &call->body_size);
	idempotency_digest(call, bytes, call->body_size);
	call->json = json_parse_take(bytes, call->body_size, error);
	return call->json != NULL;
}

static bool
check_parameters(
    struct call *call, const struct route *route, struct json_unknown *unknown, GError **error)
{
	const char *const *names = request_parameters(call->request, error);

	unknown->noun = "a parameter of this request";
	for (const char *const *name = names; name && *name; name++)
		if (!json_unknown_check_name(*name, route->parameters, unknown, error))
			return false;
	return names != NULL;
}

/* Whether no member and no parameter is misspelled. Links that are public hold what we wrote. */
static bool
check_names(struct call *call, const struct route *route, GError **error)
{
	struct json_unknown unknown = {
	    .noun = "a field of this request",
	    .refuse = base_settings_choice(call->core->settings, SETTING_SERVICE_UNKNOWN) ==
		      UNKNOWN_REFUSE,
	};
	bool good =
	    route->scope == ROUTE_PUBLIC ||
	    ((!route->body || json_unknown_check(call->json, route->body, NULL, &unknown, error)) &&
		check_parameters(call, route, &unknown, error));

	call->ignored = unknown.list;
	return good;
}

static void
operate(struct call *call, struct auth *auth, const struct route *route, GError **error)
{
	if (authenticate(call, auth, route, error) && take_body(call, route, error) &&
	    check_names(call, route, error))
		route->handler(call, error);
	g_clear_pointer(&call->json, json_free);
	if (call->core->db)
		auth_confirm(auth, call->core->db, call->reply, error);
}

/* Answers, or sets error. */
static void
handle(struct call *call, struct auth *auth, const struct match *match, GError **error)
{
	static const char *const none[] = {NULL};

	if (match->route) {
		call->arguments = match->arguments;
		call->request->known = match->route->parameters ? match->route->parameters : none;
		operate(call, auth, match->route, error);
	} else if (match->allowed->len > 0) {
		reply_header(call->reply, "Allow", match->allowed->str);
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "Method not allowed");
	} else {
		g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Not found");
	}
}

/* What a client is told of the quota that its emails did not fit into. */
static void
tell_excess(struct call *call)
{
	const struct quota_excess *excess = &call->core->excess;
	gint64 reset_s = (excess->end - base_clock_now() + 999) / 1000;

	if (!excess->name)
		return;
	call->reply->wait_s = MAX(reset_s, 1);
	reply_limit(call->reply, &(struct reply_limit){excess->name, excess->most, excess->length_s,
				     excess->left, call->reply->wait_s});
}

static void
finish_delivery(struct call *call)
{
	if (!call->delivery)
		return;
	core_deliver_wait(call->delivery, 0);
	if (core_deliver_trouble(call->delivery))
		base_log("delivery: %s", core_deliver_trouble(call->delivery)->message);
	core_deliver_free(call->delivery);
}

/* Nobody waits for it, and nobody is told when it cannot be done. */
static void
record_visit(struct call *call)
{
	g_autoptr(GError) error = NULL;

	if (!call->visit)
		return;
	if (core_ensure(call->core, &error))
		core_visit_record(call->core, call->visit, &error);
	if (error && !g_error_matches(error, PH_ERROR, PH_ERROR_NOT_FOUND))
		base_log("an open or a click was not recorded: %s", error->message);
	core_visit_free(call->visit);
}

void
serve_request(struct core *core, struct auth *auth, struct io *io)
{
	g_autoptr(GError) error = NULL;
	struct large large = {.settings = core->settings};
	struct request request;
	struct match match = {.allowed = NULL};
	struct reply reply;
	struct call call = {.core = core, .request = &request, .reply = &reply};
	bool routable = request_read(&request, io);
	request.large = &large;

	reply_init(&reply);
	core->excess.name = NULL;
	match = router_find(
	    routes, routable ? route_count : 0, routable ? request.path : "", request.method);
	handle(&call, auth, &match, &error);
	if (g_error_matches(error, PH_ERROR, PH_ERROR_LIMITED))
		tell_excess(&call);
	if (error)
		reply_failure(&reply, match.route ? match.route->failure : &failure_message, error);
	if (!match.route && match.allowed->len > 0)
		reply.status = 405;
	if (call.ignored && reply.status / 100 == 2)
		reply_header(&reply, "Ignored-Members", call.ignored->str);
	reply_write(&reply, io, request.head);
	gsize weight = call.body_size + (reply.body ? g_bytes_get_size(reply.body) : 0);
	if (call.ignored)
		g_string_free(call.ignored, TRUE);
	reply_clear(&reply);
	router_match_clear(&match);
	request_clear(&request);
	io_finish(io);
	record_visit(&call);
	finish_delivery(&call);
	/* Its memory is given back to the system. */
	if (weight > LARGE_BYTES)
		malloc_trim(0);
	large_leave(&large);
}
