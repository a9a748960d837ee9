/* SPDX-License-Identifier: MIT */
/* Writes the metrics of the installation as OpenMetrics 1.0. */
#include "upkeep/metrics_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "config/settings.h"
#include "relay/relay.h"
#include "service/metrics.h"
#include "service/service.h"
#include "store/common/metric.h"
#include "store/common/schema.h"

#define LOST_MS 30000 /* a worker that has not been heard of for so long is gone */
#define LABELS 3
#define SUM "sum"
#define OTHER "other"

enum type { TYPE_COUNTER, TYPE_HISTOGRAM, TYPE_GAUGE };

/* The metrics with labels, in the order in which they are shown. */
static const struct family {
	enum service_metric metric;
	enum type type;
	const char *name, *help;
	const char *labels[LABELS + 1];
} families[] = {
    {METRIC_REQUESTS, TYPE_COUNTER, "posthouse_requests", "Requests that were answered.",
	{"method", "route", "status"}},
    {METRIC_REQUEST_SECONDS, TYPE_HISTOGRAM, "posthouse_request_duration_seconds",
	"Time from the arrival of a request to its answer.", {"route"}},
    {METRIC_ATTEMPTS, TYPE_COUNTER, "posthouse_attempts",
	"Recipients that a relay was asked to take.", {"relay", "destination", "result"}},
    {METRIC_SOURCE_ATTEMPTS, TYPE_COUNTER, "posthouse_source_attempts",
	"Recipients that a relay was asked to take, by the address that it was asked from.",
	{"relay", "source", "result"}},
    {METRIC_ATTEMPT_SECONDS, TYPE_HISTOGRAM, "posthouse_attempt_duration_seconds",
	"Time from the handing over of a message to the last reply.", {"relay"}},
    {METRIC_REFUSALS, TYPE_COUNTER, "posthouse_relay_refusals", "Sessions that a relay refused.",
	{"relay", "reason"}},
    {METRIC_RESTS, TYPE_GAUGE, "posthouse_relay_resting",
	"1 while the relay rests after a refusal.", {"relay"}},
    {METRIC_CERTIFICATES, TYPE_GAUGE, "posthouse_relay_certificate_end_seconds",
	"When the certificate of the relay ends, since 1970.", {"relay"}},
    {METRIC_EVENTS, TYPE_COUNTER, "posthouse_events", "Events of recipients.",
	{"domain", "status"}},
    {METRIC_PROVIDER_EVENTS, TYPE_COUNTER, "posthouse_provider_events",
	"Events that providers reported.", {"provider", "relay", "result"}},
    {METRIC_MESSAGES, TYPE_GAUGE, "posthouse_messages", "Messages that have not left.", {"state"}},
    {METRIC_LAST_RUN, TYPE_GAUGE, "posthouse_spool_last_run_seconds",
	"When posthouse-spool last worked, since 1970.", {NULL}},
    {METRIC_EXECUTIONS, TYPE_GAUGE, "posthouse_executions", "Executions that are not finished.",
	{"state"}},
    {METRIC_EXECUTIONS_ENDED, TYPE_COUNTER, "posthouse_executions_ended",
	"Executions that are finished.", {"status"}},
    {METRIC_WEBHOOK_DELIVERIES, TYPE_COUNTER, "posthouse_webhook_deliveries",
	"Attempts to tell webhooks.", {"result"}},
    {METRIC_SMTP_SESSIONS, TYPE_GAUGE, "posthouse_smtp_sessions",
	"Sessions of posthouse-smtpd that are open.", {NULL}},
    {METRIC_SMTP_MESSAGES, TYPE_COUNTER, "posthouse_smtp_messages", "Messages that came by SMTP.",
	{"kind"}},
    {METRIC_SMTP_SECONDS, TYPE_HISTOGRAM, "posthouse_smtp_duration_seconds",
	"Time from the end of a message to the reply.", {NULL}},
    {METRIC_SMTP_LOGINS, TYPE_COUNTER, "posthouse_smtp_logins", "Logins by SMTP.", {"result"}},
    {METRIC_RECEIVED, TYPE_COUNTER, "posthouse_received", "Mail that came in.",
	{"domain", "action"}},
    {METRIC_STARTS, TYPE_COUNTER, "posthouse_starts", "Starts of workflows.", {"source"}},
    {METRIC_MAILINGS_HELD, TYPE_COUNTER, "posthouse_mailings_held",
	"Mailings that wait for their hours or for a place.", {"reason"}},
    {METRIC_MAILINGS_SKIPPED, TYPE_COUNTER, "posthouse_mailings_skipped",
	"Mailings that do not leave for a person.", {"reason"}},
    {METRIC_REPORTS, TYPE_COUNTER, "posthouse_reports", "Reports that came in.",
	{"kind", "result"}},
    {METRIC_STEP_REQUESTS, TYPE_COUNTER, "posthouse_step_requests",
	"Attempts of requests that steps of workflows make.", {"result"}},
    {METRIC_LOOK_SECONDS, TYPE_GAUGE, "posthouse_look_duration_seconds",
	"How long the last look at segments and dates took.", {NULL}},
};

/* The metrics, which are read before anything is written. */
struct page {
	const struct service *service;
	GString *text;
	gint64 now;
	GHashTable *values[METRIC_END];	    /* by metric: labels → gint64 */
	GPtrArray *keys[METRIC_END];	    /* their keys in order */
	GHashTable *destinations, *domains; /* that are shown */
};

static void
metrics_text_set(struct page *page, guint metric, const char *labels, gint64 value, bool adds)
{
	gint64 *known = g_hash_table_lookup(page->values[metric], labels);

	if (known) {
		*known = adds ? *known + value : value;
		return;
	}
	char *key = g_strdup(labels);
	g_hash_table_insert(page->values[metric], key, g_memdup2(&value, sizeof(value)));
	g_ptr_array_add(page->keys[metric], key);
}

/* The label at place, unless it is beyond the limit of the settings. */
static char *
limited(const char *labels, guint place, GHashTable *shown)
{
	g_auto(GStrv) parts = g_strsplit(labels, STORE_METRIC_SEPARATOR, -1);

	if (g_strv_length(parts) > place && !g_hash_table_contains(shown, parts[place])) {
		g_free(parts[place]);
		parts[place] = g_strdup(OTHER);
	}
	return g_strjoinv(STORE_METRIC_SEPARATOR, parts);
}

/* The name of the relay of labels, if the settings have it with this identity; else NULL. Nothing
   renews the times of another one: they are left out, so that nobody is warned of them. The caller
   frees it. */
static char *
current_relay(const struct config_settings *settings, const char *labels)
{
	g_auto(GStrv) parts = g_strsplit(labels, STORE_METRIC_SEPARATOR, -1);
	int index = g_strv_length(parts) == 2 ? relay_find(settings, parts[0]) : RELAY_NONE;
	char identity[METRIC_IDENTITY_SIZE];

	if (index == RELAY_NONE)
		return NULL;
	service_metrics_identity(config_settings_relay(settings, (guint)index), identity);
	return strcmp(identity, parts[1]) == 0 ? g_strdup(parts[0]) : NULL;
}

static bool
is_of_relay(guint metric)
{
	return metric == METRIC_RESTS || metric == METRIC_CERTIFICATES;
}

/* Takes what is stored. */
static void
metrics_text_take(const struct store_metric *metric, void *context)
{
	struct page *page = context;
	g_autofree char *labels = NULL;

	if (metric->name >= METRIC_END || metric->name == METRIC_COUNTED || metric->name == 0)
		return;
	if (is_of_relay(metric->name))
		labels = current_relay(page->service->settings, metric->labels);
	if (is_of_relay(metric->name) && !labels)
		return;
	if (metric->name == METRIC_ATTEMPTS)
		labels = limited(metric->labels, 1, page->destinations);
	else if (metric->name == METRIC_EVENTS || metric->name == METRIC_RECEIVED)
		labels = limited(metric->labels, 0, page->domains);
	metrics_text_set(page, metric->name, labels ? labels : metric->labels, metric->value, true);
}

static void
metrics_text_append_escaped(GString *text, const char *value)
{
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			g_string_append_c(text, '\\');
		if (*value == '\n')
			g_string_append(text, "\\n");
		else
			g_string_append_c(text, *value);
	}
}

/* Writes the name of a sample with its labels. le: of a bucket, or NULL. */
static void
append_name(GString *text, const struct family *family, const char *suffix, char *const *values,
    const char *le)
{
	const char *separator = "{";

	g_string_append_printf(text, "%s%s", family->name, suffix);
	for (guint i = 0; family->labels[i] && values[i]; i++, separator = ",") {
		g_string_append_printf(text, "%s%s=\"", separator, family->labels[i]);
		metrics_text_append_escaped(text, values[i]);
		g_string_append_c(text, '"');
	}
	if (le) {
		g_string_append_printf(text, "%sle=\"%s\"", separator, le);
		separator = ",";
	}
	g_string_append(text, *separator == ',' ? "} " : " ");
}

static void
metrics_text_append_head(GString *text, const char *name, const char *type, const char *help)
{
	g_string_append_printf(text, "# TYPE %s %s\n# HELP %s %s\n", name, type, name, help);
}

/* A bound as OpenMetrics has floats: 1.0, 0.25. */
static char *
float_of(const char *bound)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	g_ascii_formatd(text, sizeof(text), "%.15g", g_ascii_strtod(bound, NULL));
	return g_strconcat(text, strchr(text, '.') ? "" : ".0", NULL);
}

static gint64
value_at(const struct page *page, enum service_metric metric, const char *labels)
{
	const gint64 *value = g_hash_table_lookup(page->values[metric], labels);

	return value ? *value : 0;
}

/* The observations of a histogram up to a bound that were not counted yet: also those of bounds
   that the settings had before. */
static gint64
metrics_text_up_to(const struct page *page, const struct family *family, const char *label,
    gdouble after, gdouble bound)
{
	g_autofree char *prefix = g_strconcat(label, STORE_METRIC_SEPARATOR, NULL);
	gint64 sum = 0;

	for (guint i = 0; i < page->keys[family->metric]->len; i++) {
		const char *key = page->keys[family->metric]->pdata[i];
		if (!g_str_has_prefix(key, prefix) || g_str_has_suffix(key, SUM))
			continue;
		gdouble own = strcmp(key + strlen(prefix), "+Inf") == 0
				  ? G_MAXDOUBLE
				  : g_ascii_strtod(key + strlen(prefix), NULL);
		if (own > after && own <= bound)
			sum += value_at(page, family->metric, key);
	}
	return sum;
}

static void
write_one_histogram(const struct page *page, const struct family *family, const char *label)
{
	const char *const *bounds =
	    config_settings_list(page->service->settings, SETTING_METRICS_BUCKETS);
	char *values[] = {(char *)label, NULL};
	g_autofree char *key = g_strconcat(label, STORE_METRIC_SEPARATOR SUM, NULL);
	char number[G_ASCII_DTOSTR_BUF_SIZE];
	gdouble after = -1;
	gint64 count = 0;

	for (guint i = 0; bounds[i]; i++) {
		gdouble bound = g_ascii_strtod(bounds[i], NULL);
		g_autofree char *le = float_of(bounds[i]);
		count += metrics_text_up_to(page, family, label, after, bound);
		after = bound;
		append_name(page->text, family, "_bucket", values, le);
		g_string_append_printf(page->text, "%" G_GINT64_FORMAT "\n", count);
	}
	count += metrics_text_up_to(page, family, label, after, G_MAXDOUBLE);
	append_name(page->text, family, "_bucket", values, "+Inf");
	g_string_append_printf(page->text, "%" G_GINT64_FORMAT "\n", count);
	append_name(page->text, family, "_count", values, NULL);
	g_string_append_printf(page->text, "%" G_GINT64_FORMAT "\n", count);
	append_name(page->text, family, "_sum", values, NULL);
	g_ascii_formatd(number, sizeof(number), "%.6f",
	    (gdouble)value_at(page, family->metric, key) / G_USEC_PER_SEC);
	g_string_append_printf(page->text, "%s\n", number);
}

/* A histogram has one sum for each label; the sums lead to the rest. */
static void
write_histogram(const struct page *page, const struct family *family)
{
	const GPtrArray *keys = page->keys[family->metric];

	metrics_text_append_head(page->text, family->name, "histogram", family->help);
	for (guint i = 0; i < keys->len; i++) {
		g_auto(GStrv) parts = g_strsplit(keys->pdata[i], STORE_METRIC_SEPARATOR, -1);

		if (g_strv_length(parts) == 2 && strcmp(parts[1], SUM) == 0)
			write_one_histogram(page, family, parts[0]);
	}
}

static int
metrics_text_by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void
write_values(const struct page *page, const struct family *family)
{
	GPtrArray *keys = page->keys[family->metric];
	bool counts = family->type == TYPE_COUNTER;

	metrics_text_append_head(
	    page->text, family->name, counts ? "counter" : "gauge", family->help);
	g_ptr_array_sort(keys, metrics_text_by_text);
	for (guint i = 0; i < keys->len; i++) {
		g_auto(GStrv) values = g_strsplit(keys->pdata[i], STORE_METRIC_SEPARATOR, -1);
		gint64 value = value_at(page, family->metric, keys->pdata[i]);

		if (family->metric == METRIC_RESTS)
			value = value > page->now;
		else if (!counts)
			value = MAX(value, 0); /* changes may be known before what they changed */
		append_name(page->text, family, counts ? "_total" : "", values, NULL);
		if (family->metric == METRIC_LOOK_SECONDS) /* kept in ms */
			g_string_append_printf(page->text, "%" G_GINT64_FORMAT ".%03d\n",
			    value / 1000, (int)(value % 1000));
		else
			g_string_append_printf(page->text, "%" G_GINT64_FORMAT "\n", value);
	}
}

static void
metrics_text_write_number(GString *text, const char *name, const char *help, gint64 value)
{
	metrics_text_append_head(text, name, "gauge", help);
	g_string_append_printf(text, "%s %" G_GINT64_FORMAT "\n", name, value);
}

/* Gives the states and the relays that nothing was counted of a value of 0. */
static void
metrics_text_fill(struct page *page)
{
	static const struct {
		enum service_metric metric;
		const char *label;
	} always[] = {
	    {METRIC_MESSAGES, "held"},
	    {METRIC_MESSAGES, "waiting"},
	    {METRIC_EXECUTIONS, "in_progress"},
	    {METRIC_EXECUTIONS, "waiting"},
	    {METRIC_EXECUTIONS_ENDED, "completed"},
	    {METRIC_EXECUTIONS_ENDED, "failed"},
	    {METRIC_EXECUTIONS_ENDED, "cancelled"},
	    {METRIC_WEBHOOK_DELIVERIES, "ok"},
	    {METRIC_WEBHOOK_DELIVERIES, "failed"},
	    {METRIC_STEP_REQUESTS, "ok"},
	    {METRIC_STEP_REQUESTS, "retried"},
	    {METRIC_STEP_REQUESTS, "failed"},
	};
	const struct config_settings *settings = page->service->settings;

	for (gsize i = 0; i < G_N_ELEMENTS(always); i++)
		metrics_text_set(page, always[i].metric, always[i].label, 0, true);
	for (guint i = 0; i < config_settings_relay_count(settings); i++)
		metrics_text_set(
		    page, METRIC_RESTS, config_settings_relay(settings, i)->name, 0, true);
}

static bool
write_rest(struct page *page, GError **error)
{
	gint64 oldest, workers, memory;
	struct db *db = page->service->db;
	int version;

	if (!store_metric_oldest(db, page->now, &oldest, error) ||
	    !store_metric_workers(db, page->now - LOST_MS, &workers, &memory, error) ||
	    !store_schema_version(db, &version, error))
		return false;
	metrics_text_write_number(page->text, "posthouse_oldest_due_seconds",
	    "For how long the oldest message that is due has been due.",
	    oldest > 0 ? (page->now - oldest) / 1000 : 0);
	metrics_text_write_number(
	    page->text, "posthouse_pool_workers", "Workers that serve requests.", workers);
	metrics_text_write_number(
	    page->text, "posthouse_pool_memory_bytes", "Their resident memory.", memory);
	metrics_text_write_number(
	    page->text, "posthouse_schema_version", "The version of the schema.", version);
	metrics_text_append_head(page->text, "posthouse_build", "info", "The program.");
	g_string_append_printf(
	    page->text, "posthouse_build_info{version=\"%s\"} 1\n# EOF\n", PACKAGE_VERSION);
	return true;
}

static bool
metrics_text_write_page(struct page *page, GError **error)
{
	guint most = (guint)config_settings_number(page->service->settings, SETTING_METRICS_LABELS);
	struct db *db = page->service->db;

	page->destinations = store_metric_labels(db, METRIC_KIND_DESTINATION, most, error);
	if (!page->destinations)
		return false;
	page->domains = store_metric_labels(db, METRIC_KIND_DOMAIN, most, error);
	if (!page->domains || !store_metric_list(db, metrics_text_take, page, error))
		return false;
	metrics_text_fill(page);
	for (gsize i = 0; i < G_N_ELEMENTS(families); i++)
		if (families[i].type == TYPE_HISTOGRAM)
			write_histogram(page, &families[i]);
		else
			write_values(page, &families[i]);
	return write_rest(page, error);
}

char *
upkeep_metrics_text(struct service *service, GError **error)
{
	struct page page = {
	    .service = service, .text = g_string_new(NULL), .now = base_clock_now()};

	for (guint i = 0; i < G_N_ELEMENTS(page.values); i++) {
		page.values[i] = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
		page.keys[i] = g_ptr_array_new();
	}
	bool done = service_ensure(service, error) && metrics_text_write_page(&page, error);
	for (guint i = 0; i < G_N_ELEMENTS(page.values); i++) {
		g_hash_table_unref(page.values[i]);
		g_ptr_array_unref(page.keys[i]);
	}
	g_clear_pointer(&page.destinations, g_hash_table_unref);
	g_clear_pointer(&page.domains, g_hash_table_unref);
	return g_string_free(page.text, !done);
}
