/* SPDX-License-Identifier: MIT */
/* Counts in memory, and adds the counts to the installation's. */
#include "service/metrics.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "config/settings.h"
#include "db/after_commit.h"
#include "db/transaction.h"
#include "service/key_use.h"
#include "service/service.h"
#include "store/common/metric.h"

#define FLUSH_MS 4000
#define LIVE_MS 8000
#define LOST_MS 30000	 /* a worker that has not been heard of for so long is gone */
#define COST 200	 /* counting may take one part of so many of the time */
#define SERVING_MS 60000 /* for how long those that serve requests leave a count to others */
#define LABELS_BYTES 700
#define EVENTS_MAX 20000 /* whose domains are still to be read */
#define SUM "sum"
#define OTHER "other"

/* The key of a request's counter: the addresses of literals. */
struct request_key {
	const char *method, *route;
	guint status;
};

/* A request's counter. */
struct request_count {
	struct request_key key;
	gint64 count;
};

/* The durations of a route: a count for each bucket, one for those above, and the sum. */
struct durations {
	const char *route;
	gint64 sum;
	guint64 counts[];
};

/* An event whose domain is still to be read. */
struct waiting_event {
	struct base_id email;
	enum store_event_status status;
};

static struct {
	GMutex mutex;	      /* guards the members up to the blank line */
	GHashTable *counters; /* "NAME 0x1f LABELS" → gint64 */
	GArray *events;	      /* struct waiting_event */
	gint64 since;	      /* when the first of these was counted, on base_clock_boot; 0: none */

	GArray *bounds;	      /* gint64: those of the buckets; NULL: not read yet */
	GHashTable *requests; /* struct request_key → struct request_count */
	GHashTable *routes;   /* route → struct durations */
	GHashTable *known[3]; /* by store_metric_kind: values with counters of their own */
	bool full[3];	      /* there are no more */
	struct base_id worker;
	bool serves;
	gint64 lived, recount; /* when to live and to count the next time, on base_clock_boot */
} kept;

static void
metrics_note(void)
{
	if (kept.since == 0)
		kept.since = base_clock_boot();
}

/* Whether the metric is a time of which the latest counts. */
static bool
is_latest(guint metric)
{
	return metric == METRIC_RESTS || metric == METRIC_LAST_RUN;
}

/* Whether the metric is a value that is set, not a counter. */
static bool
is_set(guint metric)
{
	return is_latest(metric) || metric == METRIC_CERTIFICATES || metric == METRIC_LOOK_SECONDS;
}

static void
add_named(const char *name, gint64 more)
{
	gint64 *value;

	g_mutex_lock(&kept.mutex);
	if (!kept.counters)
		kept.counters = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	value = g_hash_table_lookup(kept.counters, name);
	if (!value) {
		value = g_new0(gint64, 1);
		g_hash_table_insert(kept.counters, g_strdup(name), value);
	}
	*value = is_set((guint)g_ascii_strtoull(name, NULL, 10)) ? more : *value + more;
	metrics_note();
	g_mutex_unlock(&kept.mutex);
}

void
service_metrics_add(enum service_metric metric, gint64 more, ...)
{
	g_autoptr(GString) name = g_string_new(NULL);
	const char *label;
	va_list labels;

	g_string_printf(name, "%d", metric);
	va_start(labels, more);
	while ((label = va_arg(labels, const char *)))
		g_string_append_printf(name, STORE_METRIC_SEPARATOR "%s", label);
	va_end(labels);
	add_named(name->str, more);
}

/* The bounds of the buckets in microseconds, read once. */
static const GArray *
bounds_of(const struct service *service)
{
	const char *const *bounds =
	    config_settings_list(service->settings, SETTING_METRICS_BUCKETS);

	if (kept.bounds)
		return kept.bounds;
	kept.bounds = g_array_new(FALSE, FALSE, sizeof(gint64));
	for (; *bounds; bounds++) {
		gint64 bound = (gint64)(g_ascii_strtod(*bounds, NULL) * G_USEC_PER_SEC + 0.5);

		g_array_append_val(kept.bounds, bound);
	}
	return kept.bounds;
}

/* The place of a duration among the buckets of the settings. */
static guint
bucket_of(const struct service *service, gint64 microseconds)
{
	const GArray *bounds = bounds_of(service);
	guint i = 0;

	while (i < bounds->len && microseconds > g_array_index(bounds, gint64, i))
		i++;
	return i;
}

static const char *
bound_of(const struct service *service, guint bucket)
{
	const char *bound =
	    config_settings_list(service->settings, SETTING_METRICS_BUCKETS)[bucket];

	return bound ? bound : "+Inf";
}

void
service_metrics_observe(const struct service *service, enum service_metric metric,
    const char *label, gint64 microseconds)
{
	service_metrics_add(
	    metric, 1, label, bound_of(service, bucket_of(service, microseconds)), NULL);
	service_metrics_add(metric, microseconds, label, SUM, NULL);
}

static guint
request_hash(const void *data)
{
	const struct request_key *key = data;

	return g_direct_hash(key->route) ^ g_direct_hash(key->method) << 1 ^ key->status << 5;
}

static gboolean
request_equal(const void *a, const void *b)
{
	const struct request_key *one = a, *other = b;

	return one->route == other->route && one->method == other->method &&
	       one->status == other->status;
}

static struct durations *
durations_of(const struct service *service, const char *route)
{
	struct durations *durations = g_hash_table_lookup(kept.routes, route);
	guint buckets = g_strv_length(
	    (char **)config_settings_list(service->settings, SETTING_METRICS_BUCKETS));

	if (durations)
		return durations;
	durations = g_malloc0(sizeof(*durations) + (buckets + 1) * sizeof(guint64));
	durations->route = route;
	g_hash_table_insert(kept.routes, (char *)route, durations);
	return durations;
}

void
service_metrics_request(const struct service *service, const char *method, const char *route,
    guint status, gint64 microseconds)
{
	const struct request_key key = {method, route, status};

	if (!kept.requests) {
		kept.requests = g_hash_table_new_full(request_hash, request_equal, NULL, g_free);
		kept.routes = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
	}
	struct request_count *count = g_hash_table_lookup(kept.requests, &key);
	if (!count) {
		count = g_new0(struct request_count, 1);
		count->key = key;
		g_hash_table_insert(kept.requests, &count->key, count);
	}
	count->count++;
	struct durations *durations = durations_of(service, route);
	durations->sum += microseconds;
	durations->counts[bucket_of(service, microseconds)]++;
	metrics_note();
}

static void
metrics_add_event(const struct base_id *email, const char *domain, enum store_event_status status)
{
	const struct waiting_event event = {*email, status};

	if (domain) {
		service_metrics_add(METRIC_EVENTS, 1, domain, store_event_name(status), NULL);
		return;
	}
	g_mutex_lock(&kept.mutex);
	if (!kept.events)
		kept.events = g_array_new(FALSE, FALSE, sizeof(struct waiting_event));
	if (kept.events->len < EVENTS_MAX)
		g_array_append_val(kept.events, event);
	metrics_note();
	g_mutex_unlock(&kept.mutex);
}

void
service_metrics_events(const struct store_event *events, guint count)
{
	for (guint i = 0; i < count; i++)
		metrics_add_event(&events[i].email_id, events[i].domain, events[i].status);
}

void
service_metrics_identity(const struct config_relay *relay, char identity_r[METRIC_IDENTITY_SIZE])
{
	g_snprintf(identity_r, METRIC_IDENTITY_SIZE, "%016" G_GINT64_MODIFIER "x",
	    config_relay_identity(relay));
}

/* Sets a time of a relay. */
static void
set_relay(enum service_metric metric, gint64 time, const struct config_relay *relay)
{
	char identity[METRIC_IDENTITY_SIZE];

	service_metrics_identity(relay, identity);
	service_metrics_add(metric, time, relay->name, identity, NULL);
}

void
service_metrics_refused(const struct config_relay *relay, const char *stage, gint64 until)
{
	service_metrics_add(METRIC_REFUSALS, 1, relay->name, stage, NULL);
	set_relay(METRIC_RESTS, until, relay);
}

void
service_metrics_certificate(const struct config_relay *relay, gint64 end)
{
	set_relay(METRIC_CERTIFICATES, end / 1000, relay);
}

void
service_metrics_forget(void)
{
	memset(&kept, 0, sizeof(kept));
}

void
service_metrics_serve(void)
{
	kept.worker = base_id_new();
	kept.serves = true;
}

gint64
service_metrics_patience(void)
{
	gint64 due = G_MAXINT64;

	if (kept.since > 0)
		due = kept.since + FLUSH_MS;
	if (kept.recount > 0)
		due = MIN(due, kept.recount);
	if (kept.serves)
		due = MIN(due, kept.lived + LIVE_MS);
	return due == G_MAXINT64 ? -1 : MAX(due - base_clock_boot(), 0);
}

/* Turns the counts of requests into counters, so that all are alike. */
static void
gather_requests(const struct service *service)
{
	GHashTableIter iter;
	struct request_count *count;
	struct durations *durations;

	if (!kept.requests)
		return;
	g_hash_table_iter_init(&iter, kept.requests);
	while (g_hash_table_iter_next(&iter, NULL, (void **)&count)) {
		char status[16];
		g_snprintf(status, sizeof(status), "%u", count->key.status);
		service_metrics_add(METRIC_REQUESTS, count->count, count->key.method,
		    count->key.route, status, NULL);
	}
	g_hash_table_remove_all(kept.requests);
	guint buckets = g_strv_length(
	    (char **)config_settings_list(service->settings, SETTING_METRICS_BUCKETS));
	g_hash_table_iter_init(&iter, kept.routes);
	while (g_hash_table_iter_next(&iter, NULL, (void **)&durations)) {
		for (guint i = 0; i <= buckets; i++)
			if (durations->counts[i] > 0)
				service_metrics_add(METRIC_REQUEST_SECONDS,
				    (gint64)durations->counts[i], durations->route,
				    bound_of(service, i), NULL);
		service_metrics_add(
		    METRIC_REQUEST_SECONDS, durations->sum, durations->route, SUM, NULL);
	}
	g_hash_table_remove_all(kept.routes);
}

/* Turns the events whose domains are known now into counters. Those of emails that are gone are
   counted as of other domains. */
static bool
gather_events(struct db *db, GError **error)
{
	g_mutex_lock(&kept.mutex);
	g_autoptr(GArray) events = g_steal_pointer(&kept.events);
	g_mutex_unlock(&kept.mutex);
	if (!events || events->len == 0)
		return true;
	g_autofree struct base_id *ids = g_new(struct base_id, events->len);
	for (guint i = 0; i < events->len; i++)
		ids[i] = g_array_index(events, struct waiting_event, i).email;
	g_autoptr(GHashTable) names = store_metric_domains(db, ids, events->len, error);
	for (guint i = 0; i < events->len; i++) {
		const struct waiting_event *event = &g_array_index(events, struct waiting_event, i);
		char text[ID_TEXT_SIZE];
		const char *name =
		    names ? g_hash_table_lookup(names, base_id_format(&event->email, text)) : NULL;

		metrics_add_event(&event->email, names && !name ? OTHER : name, event->status);
	}
	return names != NULL;
}

static bool
metrics_is_known(struct service *service, enum store_metric_kind kind, const char *value,
    bool *known_r, GError **error)
{
	guint most = (guint)config_settings_number(service->settings, SETTING_METRICS_LABELS);

	if (!kept.known[kind])
		kept.known[kind] = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	*known_r = g_hash_table_contains(kept.known[kind], value);
	if (*known_r || kept.full[kind])
		return true;
	if (!store_metric_admit(service->db, kind, value, most, known_r, error))
		return false;
	if (*known_r) {
		g_hash_table_add(kept.known[kind], g_strdup(value));
		return true;
	}
	GHashTable *all = store_metric_labels(service->db, kind, most, error);
	if (!all)
		return false;
	g_hash_table_unref(kept.known[kind]);
	kept.known[kind] = all;
	kept.full[kind] = true;
	return true;
}

/* Replaces a label whose values are limited by "other". */
static bool
limit_label(struct service *service, guint metric, char **labels, GError **error)
{
	guint place = metric == METRIC_ATTEMPTS ? 1 : 0;
	enum store_metric_kind kind =
	    metric == METRIC_ATTEMPTS ? METRIC_KIND_DESTINATION : METRIC_KIND_DOMAIN;
	bool known;

	if (metric != METRIC_ATTEMPTS && metric != METRIC_EVENTS && metric != METRIC_RECEIVED)
		return true;
	if (strcmp(labels[place], OTHER) == 0)
		return true;
	if (!metrics_is_known(service, kind, labels[place], &known, error))
		return false;
	if (!known) {
		g_free(labels[place]);
		labels[place] = g_strdup(OTHER);
	}
	return true;
}

/* Puts a counter that is taken into the table by its final name. */
static bool
metrics_settle(
    struct service *service, const char *name, gint64 value, GHashTable *settled, GError **error)
{
	g_auto(GStrv) parts = g_strsplit(name, STORE_METRIC_SEPARATOR, -1);
	guint metric = (guint)g_ascii_strtoull(parts[0], NULL, 10);

	if (!limit_label(service, metric, parts + 1, error))
		return false;
	char *final = g_strjoinv(STORE_METRIC_SEPARATOR, parts);
	gint64 *sum = g_hash_table_lookup(settled, final);
	gint64 *more = g_new(gint64, 1);
	*more = value + (sum && !is_set(metric) ? *sum : 0);
	g_hash_table_insert(settled, final, more);
	return true;
}

static int
metrics_by_place(const void *a, const void *b)
{
	const struct store_metric *one = a, *other = b;

	if (one->name != other->name)
		return one->name < other->name ? -1 : 1;
	return strcmp(one->labels, other->labels);
}

static struct store_metric
metric_of(const char *name, gint64 value)
{
	const char *separator = strchr(name, *STORE_METRIC_SEPARATOR);

	return (struct store_metric){
	    (guint)g_ascii_strtoull(name, NULL, 10), separator ? separator + 1 : "", value};
}

/* Stores what is settled. Values that are set come first: to set them twice does no harm. */
static bool
metrics_store(struct db *db, GHashTable *settled, GError **error)
{
	g_autoptr(GArray) added = g_array_new(FALSE, FALSE, sizeof(struct store_metric));
	GHashTableIter iter;
	const char *name;
	const gint64 *value;

	g_hash_table_iter_init(&iter, settled);
	while (g_hash_table_iter_next(&iter, (void **)&name, (void **)&value)) {
		struct store_metric metric = metric_of(name, *value);
		bool sets = is_set(metric.name);

		if (!sets && strlen(metric.labels) <= LABELS_BYTES)
			g_array_append_val(added, metric);
		if (sets && !store_metric_set(db, &metric, is_latest(metric.name), error))
			return false;
	}
	g_array_sort(added, metrics_by_place);
	return store_metric_add(
	    db, (const struct store_metric *)(void *)added->data, added->len, error);
}

/* Takes the counters and stores them; gives them back if that fails before anything is stored. */
static bool
flush_counters(struct service *service, GError **error)
{
	g_autoptr(GHashTable) settled =
	    g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	g_autoptr(GError) local = NULL;
	GHashTableIter iter;
	const char *name;
	const gint64 *value;
	bool done = gather_events(service->db, &local);

	g_mutex_lock(&kept.mutex);
	g_autoptr(GHashTable) counters = g_steal_pointer(&kept.counters);
	kept.since = 0;
	g_mutex_unlock(&kept.mutex);
	if (!counters)
		return true;
	g_hash_table_iter_init(&iter, counters);
	while (done && g_hash_table_iter_next(&iter, (void **)&name, (void **)&value))
		done = metrics_settle(service, name, *value, settled, &local);
	done = done && metrics_store(service->db, settled, &local);
	if (done)
		return true;
	g_hash_table_iter_init(&iter, counters);
	while (!g_error_matches(local, PH_ERROR, PH_ERROR_UNCERTAIN) &&
	       g_hash_table_iter_next(&iter, (void **)&name, (void **)&value))
		add_named(name, *value);
	g_propagate_error(error, g_steal_pointer(&local));
	return false;
}

/* The metrics of the states. */
static const struct {
	enum service_metric metric;
	const char *label;
} states[STORE_METRIC_STATES] = {
    [STORE_MESSAGES_WAITING] = {METRIC_MESSAGES, "waiting"},
    [STORE_MESSAGES_HELD] = {METRIC_MESSAGES, "held"},
    [STORE_EXECUTIONS_IN_PROGRESS] = {METRIC_EXECUTIONS, "in_progress"},
    [STORE_EXECUTIONS_WAITING] = {METRIC_EXECUTIONS, "waiting"},
};

static struct store_metric
metrics_state_of(guint state, gint64 value)
{
	return (struct store_metric){states[state].metric, states[state].label, value};
}

/* Counts the states, and says when the next count may be. The count includes what this process has
   changed. */
static bool
count_now(struct db *db, GError **error)
{
	gint64 begun = base_clock_boot(), counts[STORE_METRIC_STATES];
	struct store_metric metrics[STORE_METRIC_STATES];

	for (guint i = 0; i < STORE_METRIC_STATES; i++)
		db_tally_take(db, i);
	if (!store_metric_count(db, counts, error))
		return false;
	for (guint i = 0; i < STORE_METRIC_STATES; i++)
		metrics[i] = metrics_state_of(i, counts[i]);
	gint64 pause = (base_clock_boot() - begun) * COST;
	const struct store_metric rest = {METRIC_COUNTED, STORE_METRIC_PAUSE, pause},
				  next = {METRIC_COUNTED, "", base_clock_now() + pause};
	return store_metric_replace(db, metrics, STORE_METRIC_STATES, error) &&
	       store_metric_set(db, &rest, false, error) &&
	       (pause <= FLUSH_MS || store_metric_set(db, &next, false, error));
}

/* Adds what this process has changed to the last count. */
static bool
add_changes(struct db *db, GError **error)
{
	struct store_metric changes[STORE_METRIC_STATES];
	guint count = 0;

	for (guint i = 0; i < STORE_METRIC_STATES; i++) {
		gint64 more = db_tally_take(db, i);

		if (more != 0)
			changes[count++] = metrics_state_of(i, more);
	}
	base_array_sort(changes, count, sizeof(*changes), metrics_by_place);
	return store_metric_add(db, changes, count, error);
}

/* Brings the numbers of messages and executions up to date. They are counted while that is cheap.
   If it takes long, it is done seldom, if possible by a process that serves no requests; in
   between, each process adds what it has changed. */
static bool
tell_states(struct service *service, bool is_changed, bool is_last, GError **error)
{
	gint64 now = base_clock_now(), until, pause;
	struct db *db = service->db;
	bool may = false;

	if (!is_changed && !kept.serves && !is_last)
		return true;
	if (!store_metric_counted(db, METRIC_COUNTED, &until, &pause, error))
		return false;
	bool is_long = pause > FLUSH_MS;
	bool forced = is_last && !kept.serves && !is_long && db_tally_is_any(db);
	if (forced || now >= until + (is_long && kept.serves ? SERVING_MS : 0)) {
		if (!store_metric_may_count(
			db, METRIC_COUNTED, forced ? G_MAXINT64 : now, now + FLUSH_MS, &may, error))
			return false;
	}
	kept.recount = may || is_long || is_last || !is_changed ? 0 : base_clock_boot() + FLUSH_MS;
	if (may)
		return count_now(db, error);
	return !is_long || add_changes(db, error);
}

/* The resident memory of this process. */
static gint64
metrics_memory(void)
{
	g_autofree char *text = NULL;
	glong pages = 0;

	if (g_file_get_contents("/proc/self/statm", &text, NULL, NULL) &&
	    sscanf(text, "%*d %ld", &pages) != 1)
		pages = 0;
	return (gint64)pages * sysconf(_SC_PAGESIZE);
}

struct life {
	struct service *service;
	bool is_last;
};

static bool
tell_life(struct db *db, void *context, GError **error)
{
	const struct life *life = context;
	gint64 now = base_clock_now();

	return life->is_last ? store_metric_leave(db, &kept.worker, now - LOST_MS, error)
			     : store_metric_live(db, &kept.worker, now, metrics_memory(), error);
}

static bool
tell_life_and_keys(struct db *db, void *context, GError **error)
{
	return service_key_store_uses(((const struct life *)context)->service, error) &&
	       tell_life(db, context, error);
}

/* Says that this worker lives, or leaves. The uses of keys share that write. */
static bool
metrics_live(struct service *service, bool is_last, GError **error)
{
	struct life life = {service, is_last};

	kept.lived = base_clock_boot();
	if (!service_key_has_uses(service))
		return tell_life(service->db, &life, error);
	bool done = db_transact(service->db, tell_life_and_keys, &life, error);
	if (done)
		service_key_forget_uses(service);
	return done;
}

void
service_metrics_flush(struct service *service, bool is_last)
{
	g_autoptr(GError) error = NULL;

	if (!is_last && service_metrics_patience() != 0)
		return;
	bool is_changed =
	    kept.since > 0 || kept.recount > 0 || (service->db && db_tally_is_any(service->db));
	if (!is_changed && !kept.serves)
		return;
	gather_requests(service);
	/* A failure is not reported: the next flush adds what this one could not. */
	bool done = service_ensure(service, &error) && flush_counters(service, &error) &&
		    tell_states(service, is_changed, is_last, &error) &&
		    (!kept.serves || metrics_live(service, is_last, &error));
	if (done)
		return;
	kept.lived = base_clock_boot();
	kept.recount = 0;
	g_mutex_lock(&kept.mutex);
	if (kept.since > 0)
		kept.since = base_clock_boot();
	g_mutex_unlock(&kept.mutex);
}
