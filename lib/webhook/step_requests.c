/* SPDX-License-Identifier: MIT */
/* Makes the requests of workflows' steps. */
#include "webhook/step_requests.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fault.h"
#include "base/limits/workflow.h"
#include "base/secret.h"
#include "db/transaction.h"
#include "fetch/fetch.h"
#include "fetch/post.h"
#include "fetch/url.h"
#include "json/strict.h"
#include "service/journal.h"
#include "service/metrics.h"
#include "service/secret.h"
#include "service/service.h"
#include "store/automation/step_request.h"
#include "webhook/request.h"

#define HOSTS 500      /* of one search */
#define LEASE_MS 10000 /* that a lease lasts longer than the attempt, which waits its turn */
#define AGAIN_MOST_MS (60 * 60 * 1000)

/* ms between attempts */
static const gint64 pauses[] = {60000, 5 * 60000, 15 * 60000, AGAIN_MOST_MS};

struct webhook_step_requests {
	struct service *service;
	const struct fetch_rules *rules;
	guint host_connections;
	webhook_step_move move;
	bool ended;	       /* a request ended that could not be made */
	GHashTable *under_way; /* struct fetch_lane → struct attempt */
};

/* An attempt under way. */
struct attempt {
	struct store_step_request *request;
	struct fetch_lane *lane;
	gint64 token;
};

static void
step_requests_free_attempt(void *data)
{
	struct attempt *attempt = data;

	store_step_request_free(attempt->request);
	fetch_lane_free(attempt->lane);
	g_free(attempt);
}

struct webhook_step_requests *
webhook_step_requests_new(struct service *service, const struct fetch_rules *rules,
    guint host_connections, webhook_step_move move)
{
	struct webhook_step_requests *requests = g_new0(struct webhook_step_requests, 1);

	requests->service = service;
	requests->rules = rules;
	requests->host_connections = host_connections;
	requests->move = move;
	requests->under_way = g_hash_table_new_full(NULL, NULL, NULL, step_requests_free_attempt);
	return requests;
}

void
webhook_step_requests_free(struct webhook_step_requests *requests)
{
	g_hash_table_unref(requests->under_way);
	g_free(requests);
}

guint
webhook_step_requests_count(const struct webhook_step_requests *requests)
{
	return g_hash_table_size(requests->under_way);
}

static guint
step_requests_to(const struct webhook_step_requests *requests, const char *host)
{
	GHashTableIter all;
	void *value;
	guint count = 0;

	g_hash_table_iter_init(&all, requests->under_way);
	while (g_hash_table_iter_next(&all, NULL, &value)) {
		const struct attempt *attempt = value;

		count += strcmp(attempt->request->host, host) == 0;
	}
	return count;
}

/* Appends the parts of a header's value, the secrets among them decrypted. INVALID when one does
   not exist. */
static bool
step_request_append_value(struct service *service, const struct store_step_request *request,
    const char *name, const struct json *parts, GString *line, GError **error)
{
	for (gsize i = 0; i < json_array_length(parts); i++) {
		const struct json *part = json_array_at(parts, i);
		const char *secret = json_string(json_member_get(part, "secret"), NULL);
		g_autoptr(GError) failure = NULL;

		if (!secret) {
			g_string_append(line, json_string(part, NULL));
			continue;
		}
		g_autofree char *value =
		    service_secret_open(service, &request->workspace_id, secret, &failure);
		if (value) {
			g_string_append(line, value);
			continue;
		}
		if (g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
			return base_invalid(
			    error, "data.headers.%s: no secret \"%s\"", name, secret);
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	return true;
}

static bool
step_request_names(const GPtrArray *lines, const char *name)
{
	gsize length = strlen(name);

	for (guint i = 0; i < lines->len; i++) {
		const char *line = lines->pdata[i];

		if (g_ascii_strncasecmp(line, name, length) == 0 &&
		    (line[length] == ':' || line[length] == ';'))
			return true;
	}
	return false;
}

static void
step_request_add_default(GPtrArray *lines, const char *name, const char *value)
{
	if (!step_request_names(lines, name))
		g_ptr_array_add(lines, g_strdup_printf("%s: %s", name, value));
}

/* Adds webhook-id, webhook-timestamp and, where the workspace has the key, the signature. */
static bool
step_request_sign(struct service *service, const struct store_step_request *request, GBytes *body,
    GPtrArray *lines, GError **error)
{
	char id[ID_TEXT_SIZE];
	g_autofree char *own =
	    g_strdup_printf("%s.%u", base_id_format(&request->execution_id, id), request->sequence);
	g_autofree char *timestamp = g_strdup_printf("%" G_GINT64_FORMAT, base_clock_now() / 1000);
	g_autoptr(GError) failure = NULL;
	g_autoptr(GBytes) key = service_secret_key(service, &request->workspace_id, &failure);

	if (failure && !g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	g_ptr_array_add(lines, g_strdup_printf("webhook-id: %s", own));
	g_ptr_array_add(lines, g_strdup_printf("webhook-timestamp: %s", timestamp));
	if (!key)
		return true;
	g_autoptr(GBytes) nothing = g_bytes_new_static("", 0);
	g_autofree char *signature = webhook_sign(own, timestamp, body ? body : nothing, key);
	g_ptr_array_add(lines, g_strdup_printf("webhook-signature: v1,%s", signature));
	return true;
}

/* The header lines of an attempt, NULL-terminated; the caller owns them. INVALID for a secret that
   does not exist. */
static char **
step_request_headers(
    struct service *service, const struct store_step_request *request, GBytes *body, GError **error)
{
	AUTO(json) headers = json_parse_any(request->headers, strlen(request->headers), error);
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);

	if (!headers)
		return NULL;
	for (gsize i = 0; i < json_array_length(headers); i++) {
		const struct json *header = json_array_at(headers, i);
		const char *name = json_string(json_array_at(header, 0), NULL);
		g_autoptr(GString) value = g_string_new(NULL);

		if (!step_request_append_value(
			service, request, name, json_array_at(header, 1), value, error))
			return NULL;
		/* curl takes "Name:" for none, and "Name;" for an empty one. */
		g_ptr_array_add(lines, value->len > 0 ? g_strdup_printf("%s: %s", name, value->str)
						      : g_strdup_printf("%s;", name));
	}
	if (body)
		step_request_add_default(lines, "Content-Type", "application/json");
	step_request_add_default(lines, "User-Agent", "Posthouse-Workflows/" PACKAGE_VERSION);
	if (!step_request_sign(service, request, body, lines, error))
		return NULL;
	g_ptr_array_add(lines, NULL);
	return (char **)g_ptr_array_free(g_steal_pointer(&lines), FALSE);
}

static void
step_requests_count_result(const char *result)
{
	service_metrics_add(METRIC_STEP_REQUESTS, 1, result, NULL);
}

/* An outcome that is stored. */
struct step_ending {
	struct webhook_step_requests *requests;
	const struct store_step_outcome *outcome;
	bool stored;
};

static bool
step_requests_end_and_move(struct db *db, void *context, GError **error)
{
	struct step_ending *ending = context;

	return store_step_request_end(db, ending->outcome, &ending->stored, error) &&
	       (!ending->stored || ending->requests->move(ending->requests->service,
				       ending->outcome->execution, error));
}

/* Stores an answer and moves the execution on. A step that fails, for a moment or for good, is the
   engine's, which then makes it again: the answer is stored alone, so that it is not asked for
   again. */
static bool
step_requests_move(struct webhook_step_requests *requests, const struct store_step_outcome *outcome,
    bool *stored_r, GError **error)
{
	struct step_ending ending = {requests, outcome, false};
	struct db *db = requests->service->db;

	if (!db_transact(db, step_requests_end_and_move, &ending, NULL))
		return store_step_request_end(db, outcome, stored_r, error);
	*stored_r = ending.stored;
	return true;
}

/* Stores the outcome of an attempt. */
static bool
step_requests_end(
    struct webhook_step_requests *requests, struct store_step_outcome *outcome, GError **error)
{
	bool stored;

	if (outcome->again ? !store_step_request_end(requests->service->db, outcome, &stored, error)
			   : !step_requests_move(requests, outcome, &stored, error))
		return false;
	if (stored)
		step_requests_count_result(outcome->again   ? "retried"
					   : outcome->error ? "failed"
							    : "ok");
	return true;
}

/* Ends a request that cannot be made. */
static bool
step_requests_refuse(struct webhook_step_requests *requests,
    const struct store_step_request *request, gint64 token, const char *why, GError **error)
{
	struct store_step_outcome outcome = {
	    .execution = &request->execution_id,
	    .token = token,
	    .error = why,
	    .time = base_clock_now(),
	};

	requests->ended = true;
	return step_requests_end(requests, &outcome, error);
}

/* The fault of a URL that is filled in, which the caller owns; NULL: it may be asked. */
static char *
step_request_fault(
    const struct webhook_step_requests *requests, const struct store_step_request *request)
{
	guint port = 0;

	switch (fetch_url_check(request->url, requests->rules, &port)) {
	case FETCH_URL_GOOD:
		return NULL;
	case FETCH_URL_PRIVATE:
		return g_strdup("data.url must not lead to a private address");
	case FETCH_URL_PORT:
		return g_strdup_printf("data.url must not use port %u", port);
	case FETCH_URL_MALFORMED:
		break;
	}
	return g_strdup("data.url must be an absolute http or https URL");
}

/* Makes the attempt of a request whose lease is ours. */
static bool
step_requests_ask(struct webhook_step_requests *requests, struct fetch_poster *poster,
    struct store_step_request *given, gint64 token, GError **error)
{
	AUTO(store_step_request) request = given;
	g_autoptr(GBytes) body =
	    request->body ? g_bytes_new(request->body, strlen(request->body)) : NULL;
	g_autofree char *fault = step_request_fault(requests, request);
	g_autoptr(GError) failure = NULL;

	if (fault)
		return step_requests_refuse(requests, request, token, fault, error);
	char **headers = step_request_headers(requests->service, request, body, &failure);
	if (!headers && g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID))
		return step_requests_refuse(requests, request, token, failure->message, error);
	if (!headers) {
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	struct fetch_post *post = g_new0(struct fetch_post, 1);
	struct attempt *attempt = g_new0(struct attempt, 1);

	attempt->lane = fetch_lane_new(request->host);
	attempt->token = token;
	post->lane = attempt->lane;
	post->width = 1;
	post->slow = request->attempts > 0;
	post->method = request->method;
	post->timeout_ms = request->timeout * 1000;
	post->most = LIMIT_REQUEST_RESULT_BYTES + 1;
	post->url = g_strdup(request->url);
	post->headers = headers;
	post->body = g_steal_pointer(&body);
	attempt->request = g_steal_pointer(&request);
	g_hash_table_insert(requests->under_way, attempt->lane, attempt);
	fetch_poster_send(poster, post);
	return true;
}

/* The requests to a host whose leases one transaction takes. */
struct leasing {
	struct webhook_step_requests *requests;
	const GPtrArray *due; /* of struct store_step_request */
	gint64 *tokens;	      /* of the leases; 0: it is not to be had */
};

static bool
step_requests_lease(struct db *db, void *context, GError **error)
{
	const struct leasing *leasing = context;

	for (guint i = 0; i < leasing->due->len; i++) {
		const struct store_step_request *request = leasing->due->pdata[i];
		struct store_step_lease lease = {
		    .owner = service_journal_owner(leasing->requests->service->process->journal)};
		bool taken;

		base_secret_random(&lease.token, sizeof(lease.token));
		lease.token = (lease.token & G_MAXINT64) | 1;
		lease.until = base_clock_now() + (gint64)request->timeout * 1000 + LEASE_MS;
		if (!store_step_request_take(db, request, &lease, &taken, error))
			return false;
		leasing->tokens[i] = taken ? lease.token : 0;
	}
	return true;
}

/* Takes the leases that are to be had, and makes the attempts. */
static bool
step_requests_begin(struct webhook_step_requests *requests, struct fetch_poster *poster,
    GPtrArray *due, GError **error)
{
	g_autofree gint64 *tokens = g_new0(gint64, due->len);
	struct leasing leasing = {requests, due, tokens};

	if (due->len == 0)
		return true;
	if (!db_transact(requests->service->db, step_requests_lease, &leasing, error))
		return false;
	FAULT("request-leased");
	for (guint i = 0; due->len > 0; i++) {
		AUTO(store_step_request) request = g_ptr_array_steal_index(due, 0);

		if (tokens[i] != 0 && !step_requests_ask(requests, poster,
					  g_steal_pointer(&request), tokens[i], error))
			return false;
	}
	return true;
}

static bool
step_requests_search_host(struct webhook_step_requests *requests, struct fetch_poster *poster,
    const char *host, guint room, GError **error)
{
	guint busy = step_requests_to(requests, host);

	if (busy >= requests->host_connections || room == 0)
		return true;
	g_autoptr(GPtrArray) due = store_step_request_due(requests->service->db, host,
	    base_clock_now(), MIN(room, requests->host_connections - busy), error);
	if (!due)
		return false;
	return step_requests_begin(requests, poster, due, error);
}

GPtrArray *
webhook_step_requests_find(struct webhook_step_requests *requests, GError **error)
{
	return store_step_request_hosts(requests->service->db, base_clock_now(), HOSTS, error);
}

bool
webhook_step_requests_begin(struct webhook_step_requests *requests, struct fetch_poster *poster,
    const GPtrArray *hosts, guint room, bool *ended_r, GError **error)
{
	requests->ended = *ended_r = false;
	for (guint i = 0; i < hosts->len; i++) {
		guint busy = webhook_step_requests_count(requests);

		if (busy < room && !step_requests_search_host(
				       requests, poster, hosts->pdata[i], room - busy, error))
			return false;
	}
	*ended_r = requests->ended;
	return true;
}

static bool
step_request_is_again(const struct fetch_post *post)
{
	return post->status == 0 || post->status == 408 || post->status == 429 ||
	       post->status >= 500;
}

/* The answer's JSON, or NULL. */
static const char *
step_request_body(const struct fetch_post *post)
{
	AUTO(json) value = NULL;

	if (!post->text || post->text->len == 0 || post->text->len > LIMIT_REQUEST_RESULT_BYTES)
		return NULL;
	/* Any JSON: a value that is no object is read inside of an array. */
	g_autofree char *text = g_strdup_printf("[%s]", post->text->str);
	value = strlen(post->text->str) == post->text->len
		    ? json_parse_any(text, strlen(text), NULL)
		    : NULL;
	return json_array_length(value) == 1 ? post->text->str : NULL;
}

/* The sentence about an attempt that has failed; the caller owns it. */
static char *
step_request_error(const struct store_step_request *request, const struct fetch_post *post)
{
	g_autofree char *parsed = fetch_url_parse(request->url);
	guint port;
	g_autofree char *host = parsed ? fetch_url_host(parsed, &port) : g_strdup(request->host);

	if (post->status > 0)
		return g_strdup_printf("%s answered %u", host, post->status);
	return g_strdup_printf(
	    "%s: %s", host, post->reason ? g_strerror(post->reason) : post->error);
}

static bool
step_requests_record(struct webhook_step_requests *requests, const struct attempt *attempt,
    const struct fetch_post *post, GError **error)
{
	const struct store_step_request *request = attempt->request;
	guint attempts = request->attempts + 1;
	g_autofree char *failure =
	    fetch_post_succeeded(post) ? NULL : step_request_error(request, post);
	struct store_step_outcome outcome = {
	    .execution = &request->execution_id,
	    .token = attempt->token,
	    .attempts = attempts,
	    .status = post->status,
	    .body = step_request_body(post),
	    .error = failure,
	    .time = post->ended,
	};

	if (failure && step_request_is_again(post) && attempts < request->most) {
		gint64 pause = pauses[MIN(attempts, G_N_ELEMENTS(pauses)) - 1];

		outcome.again = post->ended + MIN(MAX(pause, post->retry_after), AGAIN_MOST_MS);
	}
	FAULT("request-answered");
	return step_requests_end(requests, &outcome, error);
}

bool
webhook_step_requests_take(struct webhook_step_requests *requests, const struct fetch_post *post,
    bool *own_r, GError **error)
{
	const struct attempt *attempt = g_hash_table_lookup(requests->under_way, post->lane);

	*own_r = attempt != NULL;
	if (!attempt)
		return true;
	bool done = post->unsent ? store_step_request_give_back(requests->service->db,
				       &attempt->request->execution_id, attempt->token,
				       base_clock_now(), error)
				 : step_requests_record(requests, attempt, post, error);
	g_hash_table_remove(requests->under_way, post->lane);
	return done;
}

bool
webhook_step_requests_leave(struct webhook_step_requests *requests, GError **error)
{
	GHashTableIter all;
	void *value;

	g_hash_table_iter_init(&all, requests->under_way);
	while (g_hash_table_iter_next(&all, NULL, &value)) {
		const struct attempt *attempt = value;

		if (!store_step_request_give_back(requests->service->db,
			&attempt->request->execution_id, attempt->token, base_clock_now(), error))
			return false;
	}
	g_hash_table_remove_all(requests->under_way);
	return true;
}
