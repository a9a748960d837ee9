/* SPDX-License-Identifier: MIT */
/* One request: finds its route, checks it in a fixed order, runs its handler or stores it, replies.
 */
#include "fcgi/api/transaction.h"

#include <malloc.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/request.h"
#include "config/log_line.h"
#include "config/settings.h"
#include "db/connection.h"
#include "db/precondition.h"
#include "fcgi/api/audit.h"
#include "fcgi/api/auth.h"
#include "fcgi/api/front.h"
#include "fcgi/api/host.h"
#include "fcgi/api/request_log.h"
#include "fcgi/api/session.h"
#include "fcgi/http/io.h"
#include "json/strict.h"
#include "json/unknown.h"
#include "link/token_cut.h"
#include "service/metrics.h"
#include "service/once.h"
#include "service/service.h"

/* The ids of a front that has UUIDs are always new ones. */
static void
set_request_id(struct fcgi_exchange *exchange)
{
	struct base_id id;

	if (!exchange->front->has_uuids) {
		fcgi_request_id(&exchange->request, exchange->call.request_id);
		return;
	}
	id = base_id_new();
	base_id_format(&id, exchange->call.request_id);
}

struct fcgi_exchange *
fcgi_exchange_new(struct service *service, struct fcgi_auth *auth, struct fcgi_io *io)
{
	struct fcgi_exchange *exchange = g_new0(struct fcgi_exchange, 1);

	exchange->begun = base_clock_boot_ns();
	fcgi_request_read(&exchange->request, io);
	exchange->io = io;
	exchange->front = fcgi_front_of(
	    exchange->request.path ? exchange->request.path : fcgi_io_param(io, "PATH_INFO"));
	exchange->auth = auth;
	exchange->large.settings = service->settings;
	exchange->request.large = &exchange->large;
	exchange->service = exchange->call.service = service;
	exchange->call.request = &exchange->request;
	exchange->call.reply = &exchange->reply;
	fcgi_reply_init(&exchange->reply, exchange->front->form);
	set_request_id(exchange);
	exchange->match = fcgi_route_find(exchange->front,
	    exchange->request.refusal ? NULL : exchange->request.path, exchange->request.method);
	return exchange;
}

const struct fcgi_storing *
fcgi_exchange_storing(const struct fcgi_exchange *exchange)
{
	return exchange->match.route ? exchange->match.route->storing : NULL;
}

/* Serves the request through another handle, which confirms its key. */
static void
transaction_guard(struct fcgi_exchange *exchange, struct db *guarded)
{
	g_clear_pointer(&exchange->guarded, service_close);
	exchange->call.service = exchange->guarded = service_guarded(exchange->service, guarded);
}

static bool
transaction_check_key(struct fcgi_exchange *exchange, const char *key)
{
	struct db *guarded;

	if (!service_ensure(exchange->service, &exchange->error) ||
	    !fcgi_auth_check(exchange->auth, &exchange->call, key, &guarded, &exchange->error))
		return false;
	if (guarded)
		transaction_guard(exchange, guarded);
	return true;
}

static bool
transaction_is_allowed(struct fcgi_exchange *exchange)
{
	struct fcgi_call *call = &exchange->call;
	enum fcgi_denial denial;

	if (fcgi_route_allows(call->route, &call->key, call->session.role, &denial))
		return true;
	call->reply->form->denied(call->reply, denial);
	return false;
}

static bool
transaction_authenticate(struct fcgi_exchange *exchange, const struct fcgi_route *route)
{
	struct fcgi_call *call = &exchange->call;
	const char *key;

	if (route->scope == ROUTE_PUBLIC)
		return route->right != RIGHT_SESSION || fcgi_session_may_begin(call);
	if (fcgi_auth_credentials(call->request, &key)
		? !transaction_check_key(exchange, key)
		: !fcgi_session_check(call, exchange->auth, &exchange->error))
		return false;
	return transaction_is_allowed(exchange);
}

/* Keys and sessions may have ended while the request waited for its body, for memory or for its
   turn. A key is confirmed with the next statement. */
static bool
transaction_admit_again(struct fcgi_exchange *exchange)
{
	struct fcgi_call *call = &exchange->call;

	if (call->route->scope == ROUTE_PUBLIC)
		return true;
	if (!service_ensure(exchange->service, &exchange->error))
		return false;
	if (call->key.is_session)
		return fcgi_session_check(call, NULL, &exchange->error) &&
		       transaction_is_allowed(exchange);
	transaction_guard(
	    exchange, store_key_guard(exchange->service->db, call->key_hash, 1, base_clock_now()));
	return true;
}

static bool
transaction_take_body(struct fcgi_call *call, const struct fcgi_route *route, GError **error)
{
	char *bytes;

	if (!route->body)
		return true;
	gsize most = route->scope == ROUTE_PUBLIC ? LIMIT_PUBLIC_BYTES : route->body->bytes;
	if (!fcgi_call_body(call, most, &bytes, error))
		return false;
	if (call->body_size == 0 && route->body->optional) {
		g_free(bytes);
		return true;
	}
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

/* Refuses misspelled members and parameters. Public routes without a body are not checked: the
   service itself wrote their links. */
static bool
transaction_check_names(struct fcgi_call *call, const struct fcgi_route *route, GError **error)
{
	call->unknown.noun = "a field of this request";
	call->unknown.refuse = config_settings_choice(call->service->settings,
				   SETTING_SERVICE_UNKNOWN) == UNKNOWN_REFUSE;
	return (route->scope == ROUTE_PUBLIC && !route->body) ||
	       ((!route->body ||
		    json_unknown_check(call->json, route->body, NULL, &call->unknown, error)) &&
		   check_parameters(call, route, error));
}

#define ALL_METHODS "GET, HEAD, POST, PUT, PATCH, DELETE"

/* Says what the web server has refused: with its status where ours has one, else as our fault. */
static void
transaction_tell_refusal(struct fcgi_exchange *exchange, guint status)
{
	static const struct {
		guint status;
		enum ph_error code;
		const char *message;
	} refusals[] = {
	    {400, PH_ERROR_INVALID, "The request is malformed"},
	    {413, PH_ERROR_TOO_LARGE, "The request body is too large"},
	    {414, PH_ERROR_INVALID, "The path is too long"},
	    {431, PH_ERROR_INVALID, "The headers are too large"},
	    {505, PH_ERROR_INVALID, "The request is malformed"},
	    {502, PH_ERROR_TEMPORARY, "The service is not available at the moment"},
	    {503, PH_ERROR_TEMPORARY, "The service is not available at the moment"},
	    {504, PH_ERROR_TEMPORARY, "The service is not available at the moment"},
	};
	g_autoptr(GError) error = NULL;

	if (status == 501) { /* a method that no path has; the server does not tell the path */
		fcgi_reply_header(&exchange->reply, "Allow", ALL_METHODS);
		exchange->front->form->lost(&exchange->reply, true);
		return;
	}
	for (guint i = 0; i < G_N_ELEMENTS(refusals); i++)
		if (refusals[i].status == status)
			error =
			    g_error_new_literal(PH_ERROR, refusals[i].code, refusals[i].message);
	if (!error && status >= 500)
		error = g_error_new_literal(PH_ERROR, PH_ERROR_FAILED, "the web server failed");
	if (error)
		exchange->front->form->failed(&exchange->reply, &fcgi_failure_message, error);
	else
		exchange->front->form->lost(&exchange->reply, false);
}

static bool
fail_without_route(struct fcgi_exchange *exchange)
{
	if (exchange->request.refusal) {
		transaction_tell_refusal(exchange, exchange->request.refusal);
		return false;
	}
	const GString *allowed = exchange->match.allowed;

	if (allowed->len > 0)
		fcgi_reply_header(&exchange->reply, "Allow", allowed->str);
	exchange->front->form->lost(&exchange->reply, allowed->len > 0);
	return false;
}

static bool
read_main(struct fcgi_call *call, GError **error)
{
	static const char *const none[] = {NULL};
	const struct fcgi_route *route = call->route;

	call->request->known = route->parameters ? route->parameters : none;
	return transaction_take_body(call, route, error) &&
	       transaction_check_names(call, route, error);
}

static bool
transaction_admit(struct fcgi_exchange *exchange)
{
	struct fcgi_call *call = &exchange->call;
	const struct fcgi_route *route = exchange->match.route;
	bool serves;

	/* If the database is away, an operation answers as it does under the usual host: it cannot
	   look anything up either. */
	if (!fcgi_host_serves(call->service, &exchange->request, &serves, &exchange->error)) {
		g_clear_error(&exchange->error);
		serves = true;
	}
	if (!serves) {
		exchange->front->form->lost(&exchange->reply, false);
		return false;
	}
	if (!route)
		return fail_without_route(exchange);
	call->route = route;
	call->arguments = exchange->match.arguments;
	call->request->skips_rest = route->scope == ROUTE_PUBLIC;
	exchange->is_admitted = transaction_authenticate(exchange, route);
	return exchange->is_admitted;
}

static bool
transaction_read_exchange(struct fcgi_exchange *exchange)
{
	bool (*read)(struct fcgi_call * call, GError * *error) = exchange->front->read;

	exchange->is_read = (read ? read : read_main)(&exchange->call, &exchange->error);
	return exchange->is_read;
}

/* Runs a step, and counts the rows that it reads. */
static bool
run_step(struct fcgi_exchange *exchange, bool (*step)(struct fcgi_exchange *exchange))
{
	const struct service *service = exchange->service;
	guint64 before = service->db ? db_row_count(service->db) : 0;

	bool done = step(exchange);

	exchange->rows += service->db ? db_row_count(service->db) - before : 0;
	return done;
}

bool
fcgi_exchange_admit(struct fcgi_exchange *exchange)
{
	return run_step(exchange, transaction_admit);
}

/* A body that is longer than it may be is refused without memory. */
bool
fcgi_exchange_is_large(const struct fcgi_exchange *exchange)
{
	const struct fcgi_route *route = exchange->match.route;
	gsize own = route->body ? route->body->bytes : 0, size;

	return route->scope != ROUTE_PUBLIC && fcgi_request_announces(&exchange->request, &size) &&
	       size > LARGE_BYTES &&
	       size <= (gsize)config_settings_number(
			   exchange->service->settings, SETTING_LIMITS_REQUEST_BYTES) &&
	       (own == 0 || size <= own);
}

bool
fcgi_exchange_read(struct fcgi_exchange *exchange)
{
	return run_step(exchange, transaction_read_exchange);
}

bool
fcgi_exchange_is_unconfirmed(const struct fcgi_exchange *exchange)
{
	return exchange->guarded && db_precondition_waits(exchange->guarded->db);
}

void
fcgi_exchange_note_confirmed(struct fcgi_exchange *exchange)
{
	if (exchange->guarded)
		db_precondition_drop(exchange->guarded->db);
}

/* Ends the check of the key. False when it was not valid, or could not be checked. */
static bool
transaction_confirm(struct fcgi_exchange *exchange)
{
	return !exchange->guarded || fcgi_auth_confirm(exchange->auth, exchange->guarded->db,
					 &exchange->reply, &exchange->error);
}

static bool
check_exchange(struct fcgi_exchange *exchange)
{
	const struct fcgi_storing *storing = fcgi_exchange_storing(exchange);
	struct fcgi_call *call = &exchange->call;

	if ((exchange->has_waited || call->body_size > LARGE_BYTES) &&
	    !transaction_admit_again(exchange))
		return false;
	if (!storing) {
		fcgi_audit_foresee(call);
		if (exchange->match.route->handler(call, &exchange->error))
			fcgi_audit_store(call->service, &call, 1);
		return false;
	}
	exchange->stored = storing->check(call, &exchange->error);
	if (!exchange->stored)
		return false;
	if (exchange->stored->replayed) {
		fcgi_call_answer(call, storing, exchange->stored);
		return false;
	}
	return fcgi_exchange_is_unconfirmed(exchange) || transaction_confirm(exchange);
}

bool
fcgi_exchange_check(struct fcgi_exchange *exchange)
{
	return run_step(exchange, check_exchange);
}

void
fcgi_exchange_answer(struct fcgi_exchange *exchange)
{
	exchange->is_stored = true;
	fcgi_call_answer(&exchange->call, fcgi_exchange_storing(exchange), exchange->stored);
}

static bool
store_exchange(struct fcgi_exchange *exchange)
{
	if (!service_once_store_one(exchange->call.service, exchange->stored, &exchange->error))
		return false;
	fcgi_exchange_answer(exchange);
	return true;
}

void
fcgi_exchange_store(struct fcgi_exchange *exchange)
{
	run_step(exchange, store_exchange);
}

bool
fcgi_exchange_audit_within(struct db *db, const struct fcgi_exchange *exchange, GError **error)
{
	g_autofree char *answer = fcgi_exchange_storing(exchange)->write(exchange->stored);

	return fcgi_audit_write(db, &exchange->call, answer, error);
}

void
fcgi_exchange_audit(struct service *service, struct fcgi_exchange *const *group, guint count)
{
	struct fcgi_call *calls[IO_REQUESTS];
	guint changes = 0;

	for (guint i = 0; i < count; i++)
		if (!group[i]->error && !group[i]->stored->replayed)
			calls[changes++] = &group[i]->call;
	fcgi_audit_store(service, calls, changes);
}

/* Adds the exceeded quota, if there is one, to the RateLimit headers. */
static void
tell_excess(struct fcgi_reply *reply, const GError *error)
{
	const struct base_error_excess *excess = base_error_excess(error);

	if (!excess)
		return;
	gint64 reset_s = (excess->end - base_clock_now() + 999) / 1000;
	reply->wait_s = MAX(reset_s, 1);
	fcgi_reply_limit(reply, &(struct fcgi_reply_limit){excess->name, excess->most,
				    excess->length_s, excess->left, reply->wait_s, true});
}

/* Fills the reply where the request has failed. */
static void
reply_failure(struct fcgi_exchange *exchange)
{
	const struct fcgi_route *route = exchange->match.route;

	tell_excess(&exchange->reply, exchange->error);
	exchange->reply.accepted_language =
	    fcgi_request_header(&exchange->request, "HTTP_ACCEPT_LANGUAGE");
	if (exchange->error)
		fcgi_reply_failure(&exchange->reply, route ? route->failure : &fcgi_failure_message,
		    exchange->error);
}

/* An answer to a key or a session has no token that acts for a person. */
static void
cut_tokens(struct fcgi_exchange *exchange)
{
	const struct fcgi_route *route = exchange->match.route;
	struct fcgi_reply *reply = &exchange->reply;
	gsize size;

	if (!route || route->scope == ROUTE_PUBLIC || !reply->body)
		return;
	const struct base_secret *secret = config_settings_secret(exchange->call.service->settings);
	const char *text = g_bytes_get_data(reply->body, &size);
	GString *cut = route->has_downloads
			   ? link_token_cut_but_downloads(secret, text ? text : "", size)
			   : link_token_cut(secret, text ? text : "", size);
	if (!cut)
		return;
	g_bytes_unref(reply->body);
	reply->body = g_string_free_to_bytes(cut);
}

static void
transaction_free_exchange(struct fcgi_exchange *exchange)
{
	service_once_free(exchange->stored);
	if (exchange->call.unknown.list)
		g_string_free(exchange->call.unknown.list, TRUE);
	g_free(exchange->call.logged_body);
	g_free(exchange->call.audit_name);
	store_session_clear(&exchange->call.session);
	fcgi_reply_clear(&exchange->reply);
	fcgi_route_match_clear(&exchange->match);
	fcgi_request_clear(&exchange->request);
	g_clear_error(&exchange->error);
	g_free(exchange);
}

void
fcgi_exchange_finish(struct fcgi_exchange *exchange)
{
	struct fcgi_call call = exchange->call; /* without what it owns, below */
	AUTO(service) guarded = exchange->guarded;
	struct service_large large = exchange->large;
	struct fcgi_reply *reply = &exchange->reply;
	struct fcgi_io *io = exchange->io;
	struct config_log_line line;

	if (exchange->is_stored)
		fcgi_call_finish_later(&call, g_steal_pointer(&exchange->stored));
	g_clear_pointer(&exchange->call.json, json_free);
	transaction_confirm(exchange);
	call.service = exchange->service;
	reply_failure(exchange);
	cut_tokens(exchange);
	if (call.unknown.list && reply->status / 100 == 2)
		fcgi_reply_header(reply, "Ignored-Members", call.unknown.list->str);
	fcgi_reply_header(reply, "X-Request-Id", call.request_id);
	const struct fcgi_front *front = exchange->front;
	void *note = front->note ? front->note(&exchange->call) : NULL;
	fcgi_reply_write(reply, io, exchange->request.head);
	const char *route = fcgi_request_log_route(exchange->front, exchange->match.route);
	bool is_logged =
	    fcgi_request_log_begin(&exchange->call, route, exchange->begun, exchange->rows, &line);
	service_metrics_request(call.service, fcgi_request_log_method(&exchange->request), route,
	    reply->status, (base_clock_boot_ns() - exchange->begun) / 1000);
	fcgi_request_log_keep(&exchange->call, route, exchange->begun);
	gsize weight = call.body_size + (reply->body ? g_bytes_get_size(reply->body) : 0);
	fcgi_io_finish(io);
	transaction_free_exchange(exchange);
	if (is_logged)
		config_log_line_end(&line);
	fcgi_call_finish(&call);
	if (note)
		front->store_note(call.service, note);
	/* Return the memory of a large request to the system. */
	if (weight > LARGE_BYTES)
		malloc_trim(0);
	service_large_leave(&large);
}
