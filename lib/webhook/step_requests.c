/* SPDX-License-Identifier: MIT */
/* Makes the requests of workflows' steps. */
#include "webhook/step_requests.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fault.h"
#include "base/limits/workflow.h"
#include "base/secret.h"
#include "fetch/fetch.h"
#include "fetch/post.h"
#include "fetch/url.h"
#include "json/strict.h"
#include "service/journal.h"
#include "service/service.h"
#include "store/automation/step_request.h"
#include "webhook/step_answers.h"
#include "webhook/step_headers.h"

#define HOSTS 500      /* of one search */
#define BEGIN_MS 5000  /* an attempt begins within this time, or is not made */
#define LEASE_MS 10000 /* that a lease lasts longer than the attempt */
#define GATHER_MS 20   /* an answer waits at most so long for others */
#define AHEAD 8	       /* requests for each connection to a host that answers promptly */
#define AHEAD_BYTES (4 * 1024 * 1024) /* of bodies under way, when no more are read ahead */
#define AGAIN_MOST_MS (60 * 60 * 1000)

/* ms between attempts */
static const gint64 pauses[] = {60000, 5 * 60000, 15 * 60000, AGAIN_MOST_MS};

struct webhook_step_requests {
	struct service *service;
	const struct fetch_rules *rules;
	guint host_connections;
	bool ended;	       /* a request ended that could not be made */
	GHashTable *under_way; /* struct fetch_lane → struct attempt */
	GHashTable *hosts;     /* name → struct step_host */
	guint busy;	       /* connections that those under way may use */
	gsize bytes;	       /* of their bodies */
	bool looks_ahead;      /* requests may wait for connections of their host */
	gint64 begin_by;       /* of the attempts of a lease, on base_clock_boot */
	struct webhook_step_keys *keys;
	struct webhook_step_answers *answers;
};

/* An attempt under way. */
struct attempt {
	struct store_step_request *request;
	struct fetch_lane *lane;
};

/* A host that was asked lately. */
struct step_host {
	guint under_way;
	bool is_prompt; /* its last answer came promptly */
};

static void
step_requests_free_attempt(void *data)
{
	struct attempt *attempt = data;

	g_clear_pointer(&attempt->request, store_step_request_free);
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
	requests->under_way = g_hash_table_new_full(NULL, NULL, NULL, step_requests_free_attempt);
	requests->hosts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	requests->answers = webhook_step_answers_new(service, move);
	return requests;
}

void
webhook_step_requests_free(struct webhook_step_requests *requests)
{
	g_hash_table_unref(requests->under_way);
	g_hash_table_unref(requests->hosts);
	webhook_step_answers_free(requests->answers);
	g_free(requests);
}

guint
webhook_step_requests_count(const struct webhook_step_requests *requests)
{
	return g_hash_table_size(requests->under_way) +
	       webhook_step_answers_count(requests->answers);
}

bool
webhook_step_requests_are_gathered(const struct webhook_step_requests *requests)
{
	guint count = webhook_step_answers_count(requests->answers);

	return count > 0 &&
	       (g_hash_table_size(requests->under_way) == 0 || count >= STORE_STEP_REQUESTS_MOST ||
		   webhook_step_answers_age(requests->answers) >= GATHER_MS);
}

bool
webhook_step_requests_store(
    struct webhook_step_requests *requests, GError **trouble_r, GError **error)
{
	return webhook_step_answers_store(requests->answers, trouble_r, error);
}

static gboolean
step_requests_is_idle(void *name, void *value, void *context)
{
	return ((const struct step_host *)value)->under_way == 0;
}

static struct step_host *
step_requests_host(struct webhook_step_requests *requests, const char *name)
{
	struct step_host *host = g_hash_table_lookup(requests->hosts, name);

	if (host)
		return host;
	if (g_hash_table_size(requests->hosts) >= 2 * HOSTS)
		g_hash_table_foreach_remove(requests->hosts, step_requests_is_idle, NULL);
	host = g_new0(struct step_host, 1);
	g_hash_table_insert(requests->hosts, g_strdup(name), host);
	return host;
}

static gsize
step_request_size(const struct store_step_request *request)
{
	return request->body ? strlen(request->body) : 0;
}

/* Gives back a request that is not made now, which it takes over: the attempt does not count. */
static void
step_requests_return(struct webhook_step_requests *requests, struct store_step_request *request)
{
	struct webhook_step_answer *answer = webhook_step_answer_new(request);

	answer->is_unsent = true;
	webhook_step_answers_add(requests->answers, answer);
}

/* Ends a request that cannot be made, which it takes over. */
static void
step_requests_refuse(
    struct webhook_step_requests *requests, struct store_step_request *request, const char *why)
{
	struct webhook_step_answer *answer = webhook_step_answer_new(request);

	answer->outcome.error = answer->error = g_strdup(why);
	answer->outcome.time = base_clock_now();
	requests->ended = true;
	webhook_step_answers_add(requests->answers, answer);
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

static void
step_requests_send(struct webhook_step_requests *requests, struct fetch_poster *poster,
    struct store_step_request *request, char **headers)
{
	struct fetch_post *post = g_new0(struct fetch_post, 1);
	struct attempt *attempt = g_new0(struct attempt, 1);
	gsize size = step_request_size(request);

	attempt->request = request;
	attempt->lane = fetch_lane_new(request->host);
	post->lane = attempt->lane;
	post->width = 1;
	post->slow = request->attempts > 0;
	post->begin_by = requests->begin_by;
	post->method = request->method;
	post->timeout_ms = request->timeout * 1000;
	post->most = LIMIT_REQUEST_RESULT_BYTES + 1;
	post->url = g_strdup(request->url);
	post->headers = headers;
	post->body = request->body ? g_bytes_new(request->body, size) : NULL;
	requests->bytes += size;
	if (step_requests_host(requests, request->host)->under_way++ < requests->host_connections)
		requests->busy++;
	g_hash_table_insert(requests->under_way, attempt->lane, attempt);
	fetch_poster_send(poster, post);
}

/* Makes the attempt of a request whose lease is ours, or gives it back. */
static bool
step_requests_ask(struct webhook_step_requests *requests, struct fetch_poster *poster,
    struct store_step_request *given, GError **error)
{
	AUTO(store_step_request) request = given;
	g_autoptr(GBytes) body =
	    request->body ? g_bytes_new_static(request->body, strlen(request->body)) : NULL;
	g_autofree char *fault = step_request_fault(requests, request);
	g_autoptr(GError) failure = NULL;

	if (fault) {
		step_requests_refuse(requests, g_steal_pointer(&request), fault);
		return true;
	}
	char **headers = webhook_step_headers(requests->keys, request, body, &failure);
	if (headers) {
		step_requests_send(requests, poster, g_steal_pointer(&request), headers);
		return true;
	}
	if (!g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID)) {
		step_requests_return(requests, g_steal_pointer(&request));
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	step_requests_refuse(requests, g_steal_pointer(&request), failure->message);
	return true;
}

/* How many more requests to a host are to be under way, where room connections are free. They are
   as many as it may have connections; a host that answers promptly has others wait for these, so
   that many answers come together, unless another host has no connection. */
static guint
step_requests_wanted(
    const struct webhook_step_requests *requests, const struct step_host *host, guint room)
{
	guint connections = requests->host_connections, wanted = 0;

	if (host->under_way < connections)
		wanted = MIN(connections - host->under_way, room);
	if (host->is_prompt && requests->looks_ahead && requests->bytes < AHEAD_BYTES &&
	    (host->under_way > 0 || room > 0) && host->under_way < connections * AHEAD)
		wanted = connections * AHEAD - host->under_way;
	return MIN(wanted, STORE_STEP_REQUESTS_MOST);
}

static bool
step_requests_search_host(struct webhook_step_requests *requests, struct fetch_poster *poster,
    const char *host, guint room, GError **error)
{
	gint64 now = base_clock_now();
	struct store_step_lease lease = {.host = host,
	    .owner = service_journal_owner(requests->service->process->journal),
	    .now = now,
	    .until = now + LEASE_MS,
	    .limit = step_requests_wanted(requests, step_requests_host(requests, host), room)};

	if (lease.limit == 0)
		return true;
	/* The attempt ends within the lease, however long it takes to get it. */
	requests->begin_by = base_clock_boot() + BEGIN_MS;
	base_secret_random(&lease.token, sizeof(lease.token));
	lease.token = (lease.token & G_MAXINT64) | 1;
	g_autoptr(GPtrArray) due = store_step_request_lease(requests->service->db, &lease, error);
	if (!due)
		return false;
	if (due->len > 0)
		FAULT("request-leased");
	bool done = true;
	while (done && due->len > 0)
		done = step_requests_ask(requests, poster, g_ptr_array_steal_index(due, 0), error);
	while (due->len > 0)
		step_requests_return(requests, g_ptr_array_steal_index(due, 0));
	return done;
}

/* Whether requests may wait for connections: no host that has something due is without one, and
   there are not too many. */
static bool
step_requests_may_look_ahead(
    struct webhook_step_requests *requests, const GPtrArray *hosts, guint room)
{
	if (webhook_step_requests_count(requests) >= room * AHEAD)
		return false;
	for (guint i = 0; requests->busy >= room && i < hosts->len; i++)
		if (step_requests_host(requests, hosts->pdata[i])->under_way == 0)
			return false;
	return true;
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
	AUTO(webhook_step_keys) keys = webhook_step_keys_new(requests->service);
	bool done = true;

	requests->keys = keys;
	requests->ended = *ended_r = false;
	requests->looks_ahead = step_requests_may_look_ahead(requests, hosts, room);
	for (guint i = 0; done && i < hosts->len; i++)
		done = step_requests_search_host(requests, poster, hosts->pdata[i],
		    requests->busy < room ? room - requests->busy : 0, error);
	requests->keys = NULL;
	*ended_r = requests->ended;
	return done;
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

/* The outcome of an attempt whose request it takes over. */
static struct webhook_step_answer *
step_requests_answer(struct store_step_request *request, const struct fetch_post *post)
{
	struct webhook_step_answer *answer = webhook_step_answer_new(request);
	struct store_step_outcome *outcome = &answer->outcome;
	guint attempts = request->attempts + 1;

	answer->is_unsent = post->unsent;
	if (post->unsent)
		return answer;
	answer->body = g_strdup(step_request_body(post));
	if (!fetch_post_succeeded(post))
		answer->error = step_request_error(request, post);
	outcome->attempts = attempts;
	outcome->status = post->status;
	outcome->body = answer->body;
	outcome->error = answer->error;
	outcome->time = post->ended;
	if (answer->error && step_request_is_again(post) && attempts < request->most) {
		gint64 pause = pauses[CLAMP(attempts, 1, G_N_ELEMENTS(pauses)) - 1];

		outcome->again = post->ended + MIN(MAX(pause, post->retry_after), AGAIN_MOST_MS);
	}
	return answer;
}

bool
webhook_step_requests_take(struct webhook_step_requests *requests, const struct fetch_post *post)
{
	struct attempt *attempt = g_hash_table_lookup(requests->under_way, post->lane);

	if (!attempt)
		return false;
	struct step_host *host = step_requests_host(requests, attempt->request->host);
	if (--host->under_way < requests->host_connections)
		requests->busy--;
	host->is_prompt =
	    !post->unsent && post->status > 0 && post->ended - post->begun <= FETCH_PROMPT_MS;
	requests->bytes -= step_request_size(attempt->request);
	webhook_step_answers_add(
	    requests->answers, step_requests_answer(g_steal_pointer(&attempt->request), post));
	g_hash_table_remove(requests->under_way, post->lane);
	return true;
}

bool
webhook_step_requests_leave(
    struct webhook_step_requests *requests, GError **trouble_r, GError **error)
{
	GHashTableIter all;
	void *value;

	g_hash_table_iter_init(&all, requests->under_way);
	while (g_hash_table_iter_next(&all, NULL, &value)) {
		struct attempt *attempt = value;

		step_requests_return(requests, g_steal_pointer(&attempt->request));
	}
	g_hash_table_remove_all(requests->under_way);
	g_hash_table_remove_all(requests->hosts);
	requests->busy = 0;
	requests->bytes = 0;
	return webhook_step_requests_store(requests, trouble_r, error);
}
