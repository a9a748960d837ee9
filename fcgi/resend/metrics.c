/* SPDX-License-Identifier: MIT */
/* Figures under /resend: sums over days, by day, week or month, or counts of events by hour, by
   sending domain or broadcast. */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/list.h"
#include "broadcast/content.h"
#include "config/settings.h"
#include "email/figures.h"
#include "fcgi/api/context.h"
#include "fcgi/resend/error.h"
#include "fcgi/resend/handlers.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/broadcast/broadcast.h"
#include "store/domain/domain.h"
#include "store/figure/figure.h"
#include "store/figure/hour.h"

#define DAY_MS ((gint64)24 * 60 * 60 * 1000)
#define HOUR_MS ((gint64)60 * 60 * 1000)
#define DAYS_BACK 6   /* of a request without start_date */
#define HOURS_DAYS 30 /* at most, of figures by the hour */
#define MONDAY 4      /* days since 1970 */
/* An email is scheduled 30 days ahead at most, and what happens later than another 30 days is not
   looked for. */
#define EMAIL_AGE_MS (60 * DAY_MS)

/* A metric is a figure, or the percentage of it among those that were sent; or it is not kept, and
   left out of all answers: clients want numbers. */
static const struct metric {
	const char *name;
	enum { COUNT, RATE, UNKEPT } kind;
	enum store_figure figure;
} metrics[] = {
    {"received", UNKEPT, 0},
    {"delivered", COUNT, FIGURE_DELIVERED},
    {"complained", COUNT, FIGURE_COMPLAINED},
    {"suppressed", UNKEPT, 0},
    {"bounced", COUNT, FIGURE_BOUNCED},
    {"bounced_transient", UNKEPT, 0},
    {"bounced_permanent", UNKEPT, 0},
    {"bounced_undetermined", UNKEPT, 0},
    {"opened", COUNT, FIGURE_OPENED},
    {"clicked", COUNT, FIGURE_CLICKED},
    {"unsubscribed", COUNT, FIGURE_UNSUBSCRIBED},
    {"delivery_delayed", UNKEPT, 0},
    {"failed", UNKEPT, 0},
    {"sent", COUNT, FIGURE_SENT},
    {"unique_opened", COUNT, FIGURE_OPENED_PEOPLE},
    {"unique_clicked", COUNT, FIGURE_CLICKED_PEOPLE},
    {"delivery_rate", RATE, FIGURE_DELIVERED},
    {"open_rate", RATE, FIGURE_OPENED_PEOPLE},
    {"click_rate", RATE, FIGURE_CLICKED_PEOPLE},
    {"bounce_rate", RATE, FIGURE_BOUNCED},
    {"complaint_rate", RATE, FIGURE_COMPLAINED},
    {"unsubscribe_rate", RATE, FIGURE_UNSUBSCRIBED},
};

enum granularity { DAILY, WEEKLY, MONTHLY, HOURLY };
static const char *const granularities[] = {"daily", "weekly", "monthly", "hourly"};

struct wish {
	gint64 from, until; /* epoch ms */
	enum granularity granularity;
	guint chosen[G_N_ELEMENTS(metrics)]; /* metrics, in the order of the answer */
	guint count;
	bool by_period, by_domain, by_broadcast;
	char **domains, **broadcasts; /* ids, NULL-terminated; NULL: all */
};

static void
metrics_clear(struct wish *wish)
{
	g_strfreev(wish->domains);
	g_strfreev(wish->broadcasts);
}

/* Sets NOT_IMPLEMENTED: figures are not kept so. Returns false. */
static bool
metrics_refuse(GError **error, const char *name, const char *value)
{
	return fcgi_resend_fail(error, RESEND_NOT_IMPLEMENTED,
	    "`%s` %s is not implemented by this service.", name, value);
}

static bool
metrics_invalid(GError **error, const char *name, const char *rule)
{
	return fcgi_resend_fail(
	    error, RESEND_INVALID, "Invalid `%s` field. %s must be %s.", name, name, rule);
}

/* Reads a parameter; "" counts as none. */
static bool
metrics_read_text(struct fcgi_call *call, const char *name, const char **text_r, GError **error)
{
	if (!fcgi_request_query(call->request, name, text_r, error))
		return false;
	if (*text_r && !**text_r)
		*text_r = NULL;
	return true;
}

static bool
metrics_read_time(
    struct fcgi_call *call, const char *name, bool is_end, gint64 *time_r, GError **error)
{
	const char *text;

	if (!metrics_read_text(call, name, &text, error))
		return false;
	if (!text)
		return true;
	if (!base_clock_parse(text, time_r) || *time_r < 0 || *time_r > LIMIT_FIGURE_MS)
		return metrics_invalid(error, name, "an ISO 8601 date or time");
	/* A date is all of its day. */
	if (is_end && !strchr(text, 'T'))
		*time_r += DAY_MS - 1;
	return true;
}

static bool
read_times(struct fcgi_call *call, struct wish *wish, GError **error)
{
	gint64 now = base_clock_now();

	wish->until = now;
	if (!metrics_read_time(call, "end_date", true, &wish->until, error))
		return false;
	wish->until = MIN(wish->until, now);
	wish->from = MAX(wish->until - DAYS_BACK * DAY_MS, 0);
	if (!metrics_read_time(call, "start_date", false, &wish->from, error))
		return false;
	if (wish->from > wish->until)
		return metrics_invalid(error, "start_date", "before end_date");
	return (wish->until - wish->from) / DAY_MS < LIMIT_FIGURE_DAYS ||
	       fcgi_resend_fail(error, RESEND_INVALID,
		   "Invalid `start_date` field. start_date must be at most %d days before "
		   "end_date.",
		   LIMIT_FIGURE_DAYS);
}

/* Whether all days between the times begin when those of UTC do, for which figures are kept. */
static bool
has_days_of_utc(GTimeZone *zone, const struct wish *wish)
{
	for (gint64 day = wish->from / DAY_MS; day <= wish->until / DAY_MS + 1; day++) {
		int now =
		    g_time_zone_find_interval(zone, G_TIME_TYPE_UNIVERSAL, day * (DAY_MS / 1000));

		if (g_time_zone_get_offset(zone, now) != 0)
			return false;
	}
	return true;
}

static bool
check_zone(const char *name, const struct wish *wish, GError **error)
{
	g_autoptr(GTimeZone) zone = g_time_zone_new_identifier(name);

	if (!zone)
		return metrics_invalid(error, "timezone", "an IANA time zone");
	return has_days_of_utc(zone, wish) || metrics_refuse(error, "timezone", name);
}

static bool
read_periods(struct fcgi_call *call, struct wish *wish, GError **error)
{
	const char *zone, *text;
	guint i = 0;

	if (!metrics_read_text(call, "timezone", &zone, error) ||
	    !metrics_read_text(call, "granularity", &text, error))
		return false;
	if (zone && g_ascii_strcasecmp(zone, "UTC") != 0 && !check_zone(zone, wish, error))
		return false;
	while (text && i < G_N_ELEMENTS(granularities) && strcmp(granularities[i], text) != 0)
		i++;
	if (i == G_N_ELEMENTS(granularities))
		return metrics_invalid(error, "granularity", "hourly, daily, weekly or monthly");
	wish->granularity = (enum granularity)i;
	return i != HOURLY || wish->until - wish->from <= HOURS_DAYS * DAY_MS ||
	       fcgi_resend_fail(error, RESEND_INVALID,
		   "Invalid `start_date` field. start_date must be at most %d days before end_date "
		   "where granularity is hourly.",
		   HOURS_DAYS);
}

static bool
metrics_choose(struct wish *wish, const char *name, GError **error)
{
	for (guint i = 0; i < G_N_ELEMENTS(metrics); i++) {
		if (strcmp(metrics[i].name, name) != 0)
			continue;
		if (metrics[i].kind == UNKEPT)
			return true;
		for (guint k = 0; k < wish->count; k++)
			if (wish->chosen[k] == i)
				return true;
		wish->chosen[wish->count++] = i;
		return true;
	}
	return metrics_invalid(error, "metrics", "names of metrics with commas between them");
}

static bool
read_metrics(struct fcgi_call *call, struct wish *wish, GError **error)
{
	g_autofree char *text = NULL;

	if (!fcgi_request_query_list(call->request, "metrics", &text, error))
		return false;
	for (guint i = 0; !text && i < G_N_ELEMENTS(metrics); i++)
		if (metrics[i].kind != UNKEPT)
			wish->chosen[wish->count++] = i;
	g_auto(GStrv) names = g_strsplit(text ? text : "", ",", -1);
	for (guint i = 0; names[i]; i++)
		if (!metrics_choose(wish, g_strstrip(names[i]), error))
			return false;
	return true;
}

static bool
read_dimensions(struct fcgi_call *call, struct wish *wish, GError **error)
{
	g_autofree char *text = NULL;

	if (!fcgi_request_query_list(call->request, "dimensions", &text, error))
		return false;
	g_auto(GStrv) names = g_strsplit(text ? text : "", ",", -1);
	for (guint i = 0; names[i]; i++) {
		const char *name = g_strstrip(names[i]);

		if (strcmp(name, "email") == 0)
			return metrics_refuse(error, "dimensions", name);
		if (strcmp(name, "period") == 0)
			wish->by_period = true;
		else if (strcmp(name, "domain") == 0)
			wish->by_domain = true;
		else if (strcmp(name, "broadcast") == 0)
			wish->by_broadcast = true;
		else
			return metrics_invalid(
			    error, "dimensions", "of period, domain and broadcast");
	}
	return true;
}

static bool
metrics_read_ids(struct fcgi_call *call, const char *name, char ***ids_r, GError **error)
{
	g_autofree char *text = NULL;
	struct base_id id;

	if (!fcgi_request_query_list(call->request, name, &text, error))
		return false;
	if (!text)
		return true;
	*ids_r = g_strsplit(text, ",", -1);
	for (guint i = 0; (*ids_r)[i]; i++) {
		if (!base_id_parse(g_strstrip((*ids_r)[i]), &id))
			return metrics_invalid(error, name, "UUIDs with commas between them");
		char lower[ID_TEXT_SIZE];
		strcpy((*ids_r)[i], base_id_format(&id, lower));
	}
	return true;
}

/* There are no figures of single emails. */
static bool
read_filters(struct fcgi_call *call, struct wish *wish, GError **error)
{
	g_autofree char *email = NULL;

	if (!fcgi_request_query_list(call->request, "email_id", &email, error) ||
	    !metrics_read_ids(call, "domain_id", &wish->domains, error) ||
	    !metrics_read_ids(call, "broadcast_id", &wish->broadcasts, error))
		return false;
	return !email || metrics_refuse(error, "email_id", "with figures");
}

/* Whether the figures wanted are those of broadcasts; a broadcast has one sending domain. */
static bool
is_of_broadcasts(const struct wish *wish)
{
	return wish->by_broadcast || wish->broadcasts;
}

/* Takes the figures of a row. */
typedef void taker(const struct store_figure_row *row, void *context);

#define TOGETHER 1000 /* rows that are read at once */

static enum store_figure_group
group_of(const struct wish *wish)
{
	return is_of_broadcasts(wish)		  ? FIGURES_BY_BROADCAST
	       : wish->by_domain || wish->domains ? FIGURES_BY_DOMAIN
						  : FIGURES_BY_DAY;
}

/* Whether the rows of a key are wanted. */
static bool
metrics_is_wanted(const struct wish *wish, const char *key)
{
	char **wanted = is_of_broadcasts(wish) ? wish->broadcasts : wish->domains;

	return !wanted || g_strv_contains((const char *const *)wanted, key);
}

/* Counts the figures of a wish by the hour, a part of the emails at a time. */
static bool
read_hours(
    struct fcgi_call *call, const struct wish *wish, taker *take, void *context, GError **error)
{
	const struct store_figure_hours query = {group_of(wish), wish->from, wish->until};
	gint64 most_ms = config_settings_number(call->service->settings, SETTING_LIMITS_COUNT_MS);
	gint64 end = base_clock_boot_ns() + most_ms * 1000 * 1000;
	struct base_id after = base_id_floor(MAX(wish->from - EMAIL_AGE_MS, 0));
	bool more = true;

	while (more) {
		if (base_clock_boot_ns() > end)
			return base_fail(error, PH_ERROR_TEMPORARY,
			    "figures by the hour took too long ([limits] count_ms)");
		g_autoptr(GPtrArray) rows = store_figure_hour_list(
		    call->service->db, &call->key.workspace_id, &query, &after, &more, error);
		if (!rows)
			return false;
		for (guint i = 0; i < rows->len; i++) {
			const struct store_figure_row *row = rows->pdata[i];

			if (metrics_is_wanted(wish, row->key))
				take(row, context);
		}
	}
	return true;
}

/* Reads the figures of a wish, row by row. */
static bool
metrics_read_rows(
    struct fcgi_call *call, const struct wish *wish, taker *take, void *context, GError **error)
{
	struct store_figure_query query = {.group = group_of(wish),
	    .by_day = true,
	    .from = wish->from / DAY_MS,
	    .to = wish->until / DAY_MS + 1};
	g_autofree char *after = NULL;
	guint count = TOGETHER;

	while (count == TOGETHER) {
		g_autoptr(GPtrArray) rows = store_figure_list(
		    call->service->db, &call->key.workspace_id, &query, TOGETHER, error);

		if (!rows)
			return false;
		count = rows->len;
		for (guint i = 0; i < count; i++) {
			const struct store_figure_row *row = rows->pdata[i];

			query.after_day = row->day;
			if (metrics_is_wanted(wish, row->key))
				take(row, context);
		}
		if (count == 0)
			break;
		g_free(after);
		after = g_strdup(((struct store_figure_row *)rows->pdata[count - 1])->key);
		query.after = after;
	}
	return true;
}

/* The first day of the period in which a day is; an hour is its own. */
static gint64
period_of(enum granularity granularity, gint64 day)
{
	if (granularity == WEEKLY)
		return day - (day + 7 - MONDAY) % 7;
	if (granularity == DAILY || granularity == HOURLY)
		return day;
	g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(day * (DAY_MS / 1000));
	return day - g_date_time_get_day_of_month(time) + 1;
}

/* The sums of an answer. */
struct sums {
	struct fcgi_call *call;
	const struct wish *wish;
	gint64 totals[FIGURES];
	GPtrArray *rows;     /* of struct store_figure_row: each period and key */
	GHashTable *known;   /* the same, by period and key */
	GHashTable *domains; /* ids of sending domains by those of broadcasts; "": it is gone */
};

static void
metrics_free_row(void *data)
{
	struct store_figure_row *row = data;

	g_free(row->key);
	g_free(row);
}

static struct store_figure_row *
metrics_row_of(struct sums *sums, gint64 period, const char *key)
{
	g_autofree char *name = g_strdup_printf("%" G_GINT64_FORMAT " %s", period, key);
	struct store_figure_row *row = g_hash_table_lookup(sums->known, name);

	if (row)
		return row;
	row = g_new0(struct store_figure_row, 1);
	row->day = period;
	row->key = g_strdup(key);
	g_ptr_array_add(sums->rows, row);
	g_hash_table_insert(sums->known, g_steal_pointer(&name), row);
	return row;
}

/* The broadcast with an id, and its content; NULL: it is gone. The caller frees both. */
static struct json *
read_broadcast(struct fcgi_call *call, const char *key, struct broadcast_content *content)
{
	struct base_id id = {{0}};
	bool is_id = base_id_parse(key, &id);
	AUTO(store_broadcast)
	broadcast = is_id
			? store_broadcast_get(call->service->db, &call->key.workspace_id, &id, NULL)
			: NULL;

	return broadcast ? broadcast_read(broadcast->content, content, NULL) : NULL;
}

/* The id of the domain from which a broadcast is sent; "": there is none. The caller owns it. */
static char *
metrics_find_domain(struct fcgi_call *call, const char *key)
{
	struct broadcast_content content = {0};
	struct base_id domain;
	char text[ID_TEXT_SIZE];
	AUTO(json) document = read_broadcast(call, key, &content);
	bool found = document && broadcast_domain(
				     call->service->db, &call->key.workspace_id, &content, &domain);

	broadcast_clear(&content);
	return g_strdup(found ? base_id_format(&domain, text) : "");
}

static const char *
metrics_domain_of(struct sums *sums, const char *broadcast)
{
	char *domain = g_hash_table_lookup(sums->domains, broadcast);

	if (!domain) {
		domain = metrics_find_domain(sums->call, broadcast);
		g_hash_table_insert(sums->domains, g_strdup(broadcast), domain);
	}
	return domain;
}

/* The key under which a row is added; NULL: it is not wanted. */
static const char *
metrics_key_of(struct sums *sums, const struct store_figure_row *found)
{
	const struct wish *wish = sums->wish;
	bool is_crossed = is_of_broadcasts(wish) && (wish->by_domain || wish->domains);
	const char *domain = is_crossed ? metrics_domain_of(sums, found->key) : found->key;

	if (is_crossed && wish->domains &&
	    !g_strv_contains((const char *const *)wish->domains, domain))
		return NULL;
	return wish->by_broadcast ? found->key : wish->by_domain ? domain : "";
}

static void
metrics_add(const struct store_figure_row *found, void *context)
{
	struct sums *sums = context;
	const struct wish *wish = sums->wish;
	const char *key = metrics_key_of(sums, found);

	if (!key)
		return;
	struct store_figure_row *row = metrics_row_of(
	    sums, wish->by_period ? period_of(wish->granularity, found->day) : -1, key);
	for (guint f = 0; f < FIGURES; f++) {
		sums->totals[f] += found->figures[f];
		row->figures[f] += found->figures[f];
	}
}

static int
metrics_compare(const void *a, const void *b)
{
	const struct store_figure_row *left = *(void *const *)a, *right = *(void *const *)b;

	return left->day != right->day ? (left->day < right->day ? -1 : 1)
				       : strcmp(left->key, right->key);
}

static void
write_metrics(struct json_writer *writer, const struct wish *wish, const gint64 *figures)
{
	gint64 sent = figures[FIGURE_SENT];

	for (guint i = 0; i < wish->count; i++) {
		const struct metric *metric = &metrics[wish->chosen[i]];
		char rate[G_ASCII_DTOSTR_BUF_SIZE];

		if (metric->kind == COUNT) {
			json_writer_integer(writer, metric->name, figures[metric->figure]);
		} else {
			double part = sent > 0 ? 100.0 * figures[metric->figure] / sent : 0;

			g_ascii_formatd(rate, sizeof(rate), "%.1f", MIN(part, 100));
			json_writer_raw(writer, metric->name, rate, strlen(rate));
		}
	}
}

static void
metrics_write_domain(struct json_writer *writer, struct fcgi_call *call, const char *key)
{
	struct base_id id = {{0}};
	bool is_id = base_id_parse(key, &id);
	AUTO(store_domain)
	domain =
	    is_id ? store_domain_get(call->service->db, &call->key.workspace_id, &id, NULL) : NULL;

	json_writer_string(writer, "domain_id", *key ? key : NULL);
	json_writer_string(writer, "domain_name", domain ? domain->name : NULL);
}

static void
write_broadcast(struct json_writer *writer, struct fcgi_call *call, const char *key)
{
	struct broadcast_content content = {0};
	AUTO(json) document = read_broadcast(call, key, &content);

	json_writer_string(writer, "broadcast_id", key);
	json_writer_string(writer, "broadcast_name", document ? broadcast_name(&content) : NULL);
	broadcast_clear(&content);
}

static void
metrics_write_row(struct json_writer *writer, struct sums *sums, const struct store_figure_row *row)
{
	const struct wish *wish = sums->wish;
	g_autofree char *day =
	    wish->by_period && wish->granularity != HOURLY ? email_figures_date(row->day) : NULL;

	json_writer_begin_object(writer, NULL);
	if (day)
		json_writer_string(writer, "period", day);
	else if (wish->by_period)
		fcgi_resend_write_time(writer, "period", row->day * HOUR_MS);
	if (wish->by_domain)
		metrics_write_domain(writer, sums->call,
		    wish->by_broadcast ? metrics_domain_of(sums, row->key) : row->key);
	if (wish->by_broadcast)
		write_broadcast(writer, sums->call, row->key);
	write_metrics(writer, wish, row->figures);
	json_writer_end_object(writer);
}

static void
write_dimensions(struct json_writer *writer, const struct wish *wish)
{
	json_writer_begin_array(writer, "dimensions");
	if (wish->by_period)
		json_writer_string(writer, NULL, "period");
	if (wish->by_domain)
		json_writer_string(writer, NULL, "domain");
	if (wish->by_broadcast)
		json_writer_string(writer, NULL, "broadcast");
	json_writer_end_array(writer);
}

static void
metrics_reply(struct sums *sums)
{
	const struct wish *wish = sums->wish;
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "object", "metrics");
	fcgi_resend_write_time(writer, "start_date", wish->from);
	fcgi_resend_write_time(writer, "end_date", wish->until);
	json_writer_begin_array(writer, "metrics");
	for (guint i = 0; i < wish->count; i++)
		json_writer_string(writer, NULL, metrics[wish->chosen[i]].name);
	json_writer_end_array(writer);
	write_dimensions(writer, wish);
	json_writer_string(writer, "granularity", granularities[wish->granularity]);
	json_writer_begin_object(writer, "totals");
	write_metrics(writer, wish, sums->totals);
	json_writer_end_object(writer);
	if (wish->by_period || wish->by_domain || wish->by_broadcast) {
		json_writer_begin_array(writer, "data");
		for (guint i = 0; i < sums->rows->len; i++)
			metrics_write_row(writer, sums, sums->rows->pdata[i]);
		json_writer_end_array(writer);
	}
	json_writer_end_object(writer);
	fcgi_reply_json(sums->call->reply, 200, writer);
}

static bool
metrics_answer(struct fcgi_call *call, const struct wish *wish, GError **error)
{
	g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func(metrics_free_row);
	g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GHashTable) domains =
	    g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	struct sums sums = {
	    .call = call, .wish = wish, .rows = rows, .known = known, .domains = domains};

	if (wish->granularity == HOURLY ? !read_hours(call, wish, metrics_add, &sums, error)
					: !metrics_read_rows(call, wish, metrics_add, &sums, error))
		return false;
	g_ptr_array_sort(rows, metrics_compare);
	metrics_reply(&sums);
	return true;
}

bool
fcgi_resend_emails_metrics(struct fcgi_call *call, GError **error)
{
	struct wish wish = {0};
	bool done = read_times(call, &wish, error) && read_periods(call, &wish, error) &&
		    read_metrics(call, &wish, error) && read_dimensions(call, &wish, error) &&
		    read_filters(call, &wish, error) && metrics_answer(call, &wish, error);

	metrics_clear(&wish);
	return done;
}
