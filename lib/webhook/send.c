/* SPDX-License-Identifier: MIT */
/* Finds webhooks that have something due, and keeps requests to them under way. */
#include "webhook/send.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fault.h"
#include "base/limits/webhook.h"
#include "base/secret.h"
#include "config/settings.h"
#include "db/connection.h"
#include "fetch/post.h"
#include "service/journal.h"
#include "service/service.h"
#include "webhook/lease.h"

#define FOUND 100	 /* webhooks of one search */
#define RECORD_COUNT 250 /* results are recorded when there are so many, */
#define RECORD_MS 100	 /* or when the oldest waits for so long */
#define IDLE_MS 500	 /* between two searches that find nothing */
#define WAIT_MS 20
#define TROUBLE_MS 5000 /* after an error of the database */
#define AVOID_MS 60000	/* a webhook that cannot be sent to, since its secret cannot be read */
#define TURN_MS 1000	/* others wait: a webhook's turn ends after this time */
#define GRACE_MS 2000	/* for attempts under way, when we are to leave */

struct webhook_sender {
	const struct config_settings *settings;
	enum delivery_pace (*pace)(const void *context);
	const void *context;
	void (*log)(const char *text);
	GThread *thread;
	struct fetch_rules rules;
	struct webhook_means means; /* poster NULL: not needed yet */
	guint connections;

	GPtrArray *holds;
	struct webhook_step_requests *requests;
	GHashTable *avoided;  /* id, as GBytes → until when, on base_clock_boot */
	struct base_id after; /* where the search goes on */
	gint64 search_at;     /* on base_clock_boot */
	guint found;	      /* by the searches of this round */
	guint steps_found;    /* hosts of steps' requests that were due at the last search */
	guint round;	      /* the question that was asked when the round began */
	bool crowded;	      /* a webhook was found and could not be taken */

	GMutex mutex; /* guards the members below */
	GCond changed;
	guint asked, answered; /* questions of webhook_sender_settle */
	bool worked, troubled, stopping, over;
};

static const struct base_id first;

static GBytes *
send_key_of(const struct base_id *id)
{
	return g_bytes_new(id, sizeof(*id));
}

static struct webhook_lease *
find_hold(const struct webhook_sender *sender, const struct base_id *webhook)
{
	for (guint i = 0; i < sender->holds->len; i++) {
		struct webhook_lease *hold = sender->holds->pdata[i];

		if (base_id_equal(&hold->state->id, webhook))
			return hold;
	}
	return NULL;
}

static void
send_complain(const struct webhook_sender *sender, const GError *error)
{
	sender->log(error->message);
}

/* Whether requests to another webhook of this host and kind can be sent now. */
static bool
send_has_room(const struct webhook_sender *sender, const struct store_webhook_due *due)
{
	g_autofree char *host = fetch_post_host(due->url);
	guint slow = 0, same = 0;

	for (guint i = 0; i < sender->holds->len; i++) {
		const struct webhook_lease *hold = sender->holds->pdata[i];

		slow += hold->slow;
		same += g_strcmp0(hold->host, host) == 0;
	}
	return sender->holds->len < sender->connections && same < sender->means.host_connections &&
	       (!due->slow || slow < MAX(1, sender->connections / 2));
}

/* Whether another process tells this webhook something. */
static bool
send_is_taken(const struct webhook_sender *sender, const struct store_webhook_due *due)
{
	const char *dir = config_settings_text(sender->settings, SETTING_SPOOL_DIR);

	return due->owner && due->lease_until > base_clock_now() &&
	       strcmp(due->owner, service_journal_owner(sender->means.service->process->journal)) !=
		   0 &&
	       service_journal_ask(dir, due->owner) != OWNER_GONE;
}

static bool
is_avoided(struct webhook_sender *sender, const struct base_id *webhook)
{
	g_autoptr(GBytes) key = send_key_of(webhook);
	const gint64 *until = g_hash_table_lookup(sender->avoided, key);

	return until && *until > base_clock_boot();
}

static void
avoid(struct webhook_sender *sender, const struct base_id *webhook)
{
	gint64 *until = g_new(gint64, 1);

	*until = base_clock_boot() + AVOID_MS;
	g_hash_table_replace(sender->avoided, send_key_of(webhook), until);
}

static gint64
send_new_token(void)
{
	gint64 token;

	base_secret_random(&token, sizeof(token));
	return (token & G_MAXINT64) | 1;
}

static void
send_open_poster(struct webhook_sender *sender)
{
	if (!sender->means.poster)
		sender->means.poster = fetch_poster_new(
		    &sender->rules, sender->connections, sender->means.host_connections, NULL);
}

/* Takes the lease of a webhook that is due, if it is to be had. */
static bool
send_take(struct webhook_sender *sender, const struct store_webhook_due *due, GError **error)
{
	struct service *service = sender->means.service;
	const struct store_webhook_lease lease = {service_journal_owner(service->process->journal),
	    send_new_token(), base_clock_now() + WEBHOOK_LEASE_MS};
	g_autoptr(GError) fault = NULL;
	bool taken;

	if (!store_webhook_take(service->db, due, &lease, base_clock_now(), &taken, error))
		return false;
	if (!taken)
		return true;
	struct store_webhook_state *state =
	    store_webhook_state_read(service->db, NULL, &due->id, &fault);
	if (!state)
		return g_error_matches(fault, PH_ERROR, PH_ERROR_NOT_FOUND) ||
		       (g_propagate_error(error, g_steal_pointer(&fault)), false);
	struct webhook_lease *hold = webhook_lease_new(&sender->means, state, lease.token);
	if (webhook_lease_renew(hold, NULL, &fault)) {
		send_open_poster(sender);
		g_ptr_array_add(sender->holds, hold);
		return true;
	}
	send_complain(sender, fault);
	avoid(sender, &due->id);
	webhook_lease_free(hold);
	return store_webhook_give_back(service->db, &due->id, lease.token, error);
}

static bool
consider(struct webhook_sender *sender, const struct store_webhook_due *due, GError **error)
{
	if (is_avoided(sender, &due->id))
		return true;
	sender->found++;
	if (find_hold(sender, &due->id) || send_is_taken(sender, due))
		return true;
	if (send_has_room(sender, due))
		return send_take(sender, due, error);
	sender->crowded = true;
	return true;
}

/* A round of all webhooks begins. */
static void
begin_round(struct webhook_sender *sender)
{
	sender->found = 0;
	sender->crowded = false;
	g_mutex_lock(&sender->mutex);
	sender->round = sender->asked;
	g_mutex_unlock(&sender->mutex);
}

/* Whether steps have requests that are due or under way. */
static bool
send_has_steps(const struct webhook_sender *sender)
{
	return sender->steps_found > 0 || webhook_step_requests_count(sender->requests) > 0;
}

/* A round of all webhooks is over. */
static void
end_round(struct webhook_sender *sender)
{
	g_mutex_lock(&sender->mutex);
	if (sender->found == 0 && sender->holds->len == 0 && !send_has_steps(sender))
		sender->answered = sender->round;
	bool is_asked = sender->asked != sender->answered;
	g_cond_broadcast(&sender->changed);
	g_mutex_unlock(&sender->mutex);
	sender->after = first;
	sender->search_at =
	    base_clock_boot() + (is_asked || send_has_steps(sender) ? WAIT_MS : IDLE_MS);
}

/* Makes requests of steps that are due. */
static bool
send_search_steps(struct webhook_sender *sender, GError **error)
{
	g_autoptr(GPtrArray) hosts = webhook_step_requests_find(sender->requests, error);

	if (!hosts)
		return false;
	sender->steps_found = hosts->len;
	if (hosts->len == 0)
		return true;
	send_open_poster(sender);
	bool ended;
	if (!webhook_step_requests_begin(
		sender->requests, sender->means.poster, hosts, sender->connections, &ended, error))
		return false;
	g_mutex_lock(&sender->mutex);
	sender->worked = sender->worked || ended;
	g_mutex_unlock(&sender->mutex);
	return true;
}

static bool
send_search(struct webhook_sender *sender, GError **error)
{
	g_autoptr(GPtrArray) list = NULL;

	if (!service_ensure_journal(sender->means.service, error))
		return false;
	if (base_id_equal(&sender->after, &first)) {
		begin_round(sender);
		if (!send_search_steps(sender, error))
			return false;
	}
	list = store_webhook_due_list(
	    sender->means.service->db, &sender->after, base_clock_now(), FOUND, error);
	for (guint i = 0; list && i < list->len; i++)
		if (!consider(sender, list->pdata[i], error))
			return false;
	if (!list)
		return false;
	if (list->len < FOUND)
		end_round(sender);
	else
		sender->after = ((struct store_webhook_due *)list->pdata[FOUND - 1])->id;
	return true;
}

/* Takes a request of a step that came back. */
static void
send_take_step(struct webhook_sender *sender, const struct fetch_post *post)
{
	bool own = webhook_step_requests_take(sender->requests, post);

	g_mutex_lock(&sender->mutex);
	sender->worked = sender->worked || own;
	g_mutex_unlock(&sender->mutex);
	/* More are under way while the answers are stored. */
	if (!own || webhook_step_requests_are_gathered(sender->requests))
		sender->search_at = 0;
}

/* Stores the answers to steps' requests that have gathered, or all after trouble, when their leases
   may be over. */
static bool
send_record_steps(struct webhook_sender *sender, GError **error)
{
	g_autoptr(GError) trouble = NULL;

	if (!sender->troubled && !webhook_step_requests_are_gathered(sender->requests))
		return true;
	bool recorded = webhook_step_requests_store(sender->requests, &trouble, error);
	if (trouble)
		send_complain(sender, trouble);
	sender->search_at = 0;
	return recorded;
}

static void
take_post(struct webhook_sender *sender, const struct fetch_post *post)
{
	for (guint i = 0; i < sender->holds->len; i++) {
		struct webhook_lease *hold = sender->holds->pdata[i];

		if (hold->lane == post->lane) {
			webhook_lease_take(hold, post);
			return;
		}
	}
	send_take_step(sender, post);
}

/* Takes posts that came back, and waits for one for at most wait_ms. True: there may be more. */
static bool
send_collect(struct webhook_sender *sender, gint64 wait_ms)
{
	for (guint i = 0; i < RECORD_COUNT; i++) {
		AUTO(fetch_post) post =
		    fetch_poster_take(sender->means.poster, i == 0 ? wait_ms : 0);

		if (!post)
			return false;
		take_post(sender, post);
	}
	return true;
}

static void
send_collect_all(struct webhook_sender *sender)
{
	while (sender->means.poster && send_collect(sender, 0))
		continue;
}

static bool
webhook_send_record(struct webhook_sender *sender, struct webhook_lease *hold, GError **error)
{
	g_autoptr(GError) trouble = NULL;
	bool recorded = webhook_lease_record(hold, &trouble, error);

	if (trouble)
		send_complain(sender, trouble);
	g_mutex_lock(&sender->mutex);
	sender->worked = true;
	g_mutex_unlock(&sender->mutex);
	return recorded;
}

/* Records what is to be recorded, and gives back the leases of webhooks that are done with. */
static bool
settle_hold(struct webhook_sender *sender, struct webhook_lease *hold, GError **error)
{
	bool over = webhook_lease_is_over(hold);

	if (hold->done->len > 0 &&
	    (over || hold->under_way == 0 || hold->done->len >= RECORD_COUNT ||
		base_clock_boot() - hold->done_since >= RECORD_MS)) {
		if (!webhook_send_record(sender, hold, error))
			return false;
	} else if (over && !hold->lost &&
		   !store_webhook_give_back(
		       sender->means.service->db, &hold->state->id, hold->token, error)) {
		return false;
	}
	if (over) {
		g_ptr_array_remove(sender->holds, hold);
		sender->search_at = 0;
	}
	return true;
}

/* Whether every webhook that is held does all it can. */
static bool
send_serve(struct webhook_sender *sender, GError **error)
{
	for (guint i = sender->holds->len; i > 0; i--) {
		struct webhook_lease *hold = sender->holds->pdata[i - 1];

		if (sender->crowded && base_clock_boot() - hold->since > TURN_MS)
			hold->ended = true;
		if (!webhook_lease_serve(hold, error) || !settle_hold(sender, hold, error))
			return false;
	}
	return true;
}

static void
end_attempts(struct webhook_sender *sender)
{
	if (sender->means.poster)
		fetch_poster_halt(sender->means.poster);
	for (guint i = 0; i < sender->holds->len; i++)
		((struct webhook_lease *)sender->holds->pdata[i])->ended = true;
}

static guint
under_way(const struct webhook_sender *sender)
{
	guint count = webhook_step_requests_count(sender->requests);

	for (guint i = 0; i < sender->holds->len; i++)
		count += ((struct webhook_lease *)sender->holds->pdata[i])->under_way;
	return count;
}

static bool
is_stopping(struct webhook_sender *sender)
{
	g_mutex_lock(&sender->mutex);
	bool stopping = sender->stopping;
	g_mutex_unlock(&sender->mutex);
	return stopping || sender->pace(sender->context) != DELIVER_GO_ON;
}

/* Sleeps until there may be something to do. */
static void
send_rest(struct webhook_sender *sender, gint64 ms)
{
	gint64 end = g_get_monotonic_time() + MIN(ms, 100) * 1000;

	g_mutex_lock(&sender->mutex);
	if (!sender->stopping && ms > 0)
		g_cond_wait_until(&sender->changed, &sender->mutex, end);
	if (sender->asked != sender->answered && sender->asked != sender->round)
		sender->search_at = 0;
	g_mutex_unlock(&sender->mutex);
}

static void
tell_trouble(struct webhook_sender *sender, const GError *error)
{
	if (error)
		send_complain(sender, error);
	g_mutex_lock(&sender->mutex);
	sender->troubled = error != NULL;
	g_cond_broadcast(&sender->changed);
	g_mutex_unlock(&sender->mutex);
}

static void
send_work(struct webhook_sender *sender)
{
	g_autoptr(GError) error = NULL;

	/* Answers are stored before their requests are found due again. */
	if (sender->troubled)
		send_collect_all(sender);
	if (!service_ensure(sender->means.service, &error) || !send_record_steps(sender, &error) ||
	    (base_clock_boot() >= sender->search_at && !send_search(sender, &error)) ||
	    !send_serve(sender, &error)) {
		tell_trouble(sender, error);
		for (gint64 end = base_clock_boot() + TROUBLE_MS;
		     base_clock_boot() < end && !is_stopping(sender);)
			send_rest(sender, WAIT_MS * 5);
		return;
	}
	if (sender->troubled)
		tell_trouble(sender, NULL);
	if (under_way(sender) > 0)
		send_collect(sender, WAIT_MS);
	else if (sender->holds->len == 0)
		send_rest(sender, sender->search_at - base_clock_boot());
}

/* Stores the answers to steps' requests. The attempts that were cut off count as not made. */
static void
send_leave_steps(struct webhook_sender *sender)
{
	g_autoptr(GError) error = NULL, trouble = NULL;

	if (webhook_step_requests_count(sender->requests) > 0 &&
	    (!service_ensure(sender->means.service, &error) ||
		!webhook_step_requests_leave(sender->requests, &trouble, &error)))
		send_complain(sender, error);
	if (trouble)
		send_complain(sender, trouble);
}

/* Waits for the attempts under way, and records them. */
static void
wind_up(struct webhook_sender *sender)
{
	gint64 begun = base_clock_boot();
	g_autoptr(GError) error = NULL;
	bool records = true;

	end_attempts(sender);
	while (under_way(sender) > 0 &&
	       base_clock_boot() - begun < (sender->pace(sender->context) == DELIVER_LEAVE
						   ? GRACE_MS
						   : LIMIT_WEBHOOK_MS + GRACE_MS)) {
		send_collect(sender, WAIT_MS);
		records = (records || service_ensure(sender->means.service, NULL)) &&
			  send_record_steps(sender, NULL);
	}
	send_collect_all(sender);
	g_clear_pointer(&sender->means.poster, fetch_poster_free);
	send_leave_steps(sender);
	for (guint i = 0; i < sender->holds->len; i++)
		((struct webhook_lease *)sender->holds->pdata[i])->under_way = 0;
	if (sender->holds->len > 0 &&
	    (!service_ensure(sender->means.service, &error) || !send_serve(sender, &error)))
		send_complain(sender, error);
}

static void *
send_run(void *data)
{
	struct webhook_sender *sender = data;

	while (!is_stopping(sender))
		send_work(sender);
	wind_up(sender);
	g_mutex_lock(&sender->mutex);
	sender->over = true;
	g_cond_broadcast(&sender->changed);
	g_mutex_unlock(&sender->mutex);
	return NULL;
}

struct webhook_sender *
webhook_sender_start(const struct config_settings *settings,
    enum delivery_pace (*pace)(const void *context), const void *context,
    void (*log)(const char *text), webhook_step_move move)
{
	struct webhook_sender *sender = g_new0(struct webhook_sender, 1);

	sender->settings = settings;
	sender->pace = pace;
	sender->context = context;
	sender->log = log;
	sender->means.service = service_open(settings);
	sender->connections = (guint)config_settings_number(settings, SETTING_WEBHOOKS_CONNECTIONS);
	sender->means.host_connections =
	    (guint)config_settings_number(settings, SETTING_WEBHOOKS_HOST_CONNECTIONS);
	sender->holds = g_ptr_array_new_with_free_func(webhook_lease_destroy);
	sender->avoided = g_hash_table_new_full(
	    g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, g_free);
	sender->rules.allow = config_settings_list(settings, SETTING_FETCH_ALLOW);
	sender->rules.ports = config_settings_list(settings, SETTING_FETCH_PORTS);
	sender->requests = webhook_step_requests_new(
	    sender->means.service, &sender->rules, sender->means.host_connections, move);
	g_mutex_init(&sender->mutex);
	g_cond_init(&sender->changed);
	sender->thread = g_thread_new("webhooks", send_run, sender);
	return sender;
}

bool
webhook_sender_settle(struct webhook_sender *sender, bool *worked_r)
{
	g_mutex_lock(&sender->mutex);
	guint question = ++sender->asked;

	g_cond_broadcast(&sender->changed);
	while (sender->answered != question && !sender->over && !sender->troubled)
		g_cond_wait(&sender->changed, &sender->mutex);
	bool settled = sender->answered == question;
	*worked_r = sender->worked;
	sender->worked = false;
	g_mutex_unlock(&sender->mutex);
	return settled;
}

void
webhook_sender_stop(struct webhook_sender *sender)
{
	g_mutex_lock(&sender->mutex);
	sender->stopping = true;
	g_cond_broadcast(&sender->changed);
	g_mutex_unlock(&sender->mutex);
	g_thread_join(sender->thread);
	g_ptr_array_unref(sender->holds);
	webhook_step_requests_free(sender->requests);
	g_hash_table_unref(sender->avoided);
	service_close(sender->means.service);
	g_mutex_clear(&sender->mutex);
	g_cond_clear(&sender->changed);
	g_free(sender);
}
