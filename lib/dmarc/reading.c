/* SPDX-License-Identifier: MIT */
/* Reads reports about a domain in a child process, and sums them up there. */
#include "dmarc/reading.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/domain_report.h"
#include "domain_report/report.h"
#include "json/strict.h"
#include "json/writer.h"
#include "process/isolate.h"
#include "store/domain/report.h"

#define UNKNOWN_SOURCE "unknown"

struct reading {
	const void *data;
	gsize size;
	const struct dmarc_reading_domain *domain; /* NULL: the report is shown as it is */
};

bool
dmarc_reading_is_within(const char *name, const char *domain)
{
	gsize size = strlen(name), end = strlen(domain);

	return size >= end && strcmp(name + size - end, domain) == 0 &&
	       (size == end || name[size - end - 1] == '.');
}

static bool
reading_is_selector(const struct dmarc_reading_domain *domain, const char *name)
{
	for (const char *const *selector = domain->selectors; name && *selector; selector++)
		if (g_ascii_strcasecmp(*selector, name) == 0)
			return true;
	return false;
}

/* Whether a signature of the record has a key of ours; passes: and is good. */
static bool
reading_has_key(const struct dmarc_reading_domain *domain,
    const struct domain_report_record *record, bool passes)
{
	const GArray *results = record->dkim_results;

	for (guint i = 0; results && i < results->len; i++) {
		const struct domain_report_result *result =
		    &g_array_index(results, struct domain_report_result, i);

		if (g_ascii_strcasecmp(result->domain, domain->name) == 0 &&
		    reading_is_selector(domain, result->name) &&
		    (!passes || g_strcmp0(result->result, "pass") == 0))
			return true;
	}
	return false;
}

/* Whether SPF passed for the host of our return paths. */
static bool
reading_has_path(
    const struct dmarc_reading_domain *domain, const struct domain_report_record *record)
{
	const GArray *results = record->spf_results;

	for (guint i = 0; results && i < results->len; i++) {
		const struct domain_report_result *result =
		    &g_array_index(results, struct domain_report_result, i);

		if (g_ascii_strcasecmp(result->domain, domain->return_path) == 0 &&
		    g_strcmp0(result->result, "pass") == 0)
			return true;
	}
	return false;
}

static enum store_dmarc_fate
reading_fate(const struct dmarc_reading_domain *domain, const struct domain_report_record *record)
{
	if (!record->dkim && !record->spf)
		return reading_has_key(domain, record, false) ? DMARC_FATE_BEARS : DMARC_FATE_FAILS;
	return (record->dkim && reading_has_key(domain, record, true)) ||
		       (record->spf && reading_has_path(domain, record))
		   ? DMARC_FATE_OURS
		   : DMARC_FATE_OTHER;
}

/* The address in its one form. */
static const char *
reading_source(const char *source, char text_r[INET6_ADDRSTRLEN])
{
	guint8 address[sizeof(struct in6_addr)];

	for (guint i = 0; i < 2; i++) {
		int family = i == 0 ? AF_INET : AF_INET6;

		if (inet_pton(family, source, address) == 1)
			return inet_ntop(family, address, text_r, INET6_ADDRSTRLEN);
	}
	return UNKNOWN_SOURCE;
}

static guint
reading_hash(gconstpointer pointer)
{
	const struct store_dmarc_source *source = pointer;

	return g_str_hash(source->source) * 4 + source->fate;
}

static gboolean
reading_equal(gconstpointer a, gconstpointer b)
{
	const struct store_dmarc_source *left = a, *right = b;

	return left->fate == right->fate && strcmp(left->source, right->source) == 0;
}

/* The sum of a source and a fate. */
static struct store_dmarc_source *
reading_row(
    GHashTable *rows, struct domain_report *report, const char *source, enum store_dmarc_fate fate)
{
	const struct store_dmarc_source key = {.source = source, .fate = fate};
	struct store_dmarc_source *row = g_hash_table_lookup(rows, &key);

	if (row)
		return row;
	row = g_new0(struct store_dmarc_source, 1);
	row->source = g_string_chunk_insert_const(report->texts, source);
	row->fate = fate;
	g_hash_table_add(rows, row);
	return row;
}

static void
reading_add(
    struct store_dmarc_source *row, const struct domain_report_record *record, gint64 *messages)
{
	*messages += record->count;
	row->messages += record->count;
	row->passed += record->dkim || record->spf ? record->count : 0;
	row->dkim_aligned += record->dkim ? record->count : 0;
	row->spf_aligned += record->spf ? record->count : 0;
	row->quarantined += strcmp(record->disposition, "quarantine") == 0 ? record->count : 0;
	row->rejected += strcmp(record->disposition, "reject") == 0 ? record->count : 0;
}

static void
reading_write_row(struct json_writer *writer, const struct store_dmarc_source *row)
{
	const gint64 numbers[] = {row->fate, row->messages, row->passed, row->dkim_aligned,
	    row->spf_aligned, row->quarantined, row->rejected};

	json_writer_begin_array(writer, NULL);
	json_writer_string(writer, NULL, row->source);
	for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
		json_writer_integer(writer, NULL, numbers[i]);
	json_writer_end_array(writer);
}

static void
reading_write_dmarc(struct json_writer *writer, struct domain_report *report,
    const struct dmarc_reading_domain *domain)
{
	g_autoptr(GHashTable) rows =
	    g_hash_table_new_full(reading_hash, reading_equal, g_free, NULL);
	GHashTableIter iterator;
	gint64 messages = 0;
	void *row;

	for (guint i = 0; i < report->records->len; i++) {
		const struct domain_report_record *record = report->records->pdata[i];
		char text[INET6_ADDRSTRLEN];
		const char *source = reading_source(record->source, text);

		reading_add(reading_row(rows, report, source, reading_fate(domain, record)), record,
		    &messages);
	}
	json_writer_string(writer, "domain", report->domain);
	domain_report_write_policy(writer, "policy", &report->policy);
	json_writer_integer(writer, "messages", messages);
	json_writer_begin_array(writer, "rows");
	g_hash_table_iter_init(&iterator, rows);
	while (g_hash_table_iter_next(&iterator, &row, NULL))
		reading_write_row(writer, row);
	json_writer_end_array(writer);
}

static void
reading_write_tls(struct json_writer *writer, struct domain_report *report,
    const struct dmarc_reading_domain *domain)
{
	struct domain_report_tls sum;

	if (!domain_report_tls_sum(report, domain->name, &sum)) {
		g_array_unref(sum.failures);
		domain_report_tls_sum(report, NULL, &sum);
	}
	json_writer_string(writer, "domain", sum.domain);
	json_writer_string(writer, "policy_type", sum.policy_type);
	json_writer_integer(writer, "successful", sum.successful);
	json_writer_integer(writer, "failed", sum.failed);
	domain_report_write_failures(writer, "failures", sum.failures);
	g_array_unref(sum.failures);
}

static void
reading_write_sum(struct json_writer *writer, struct domain_report *report,
    const struct dmarc_reading_domain *domain)
{
	domain_report_write_head(writer, report);
	if (report->kind == DOMAIN_REPORT_TLS)
		reading_write_tls(writer, report, domain);
	else
		reading_write_dmarc(writer, report, domain);
	json_writer_begin_array(writer, "errors");
	for (guint i = 0; i < report->errors->len; i++)
		json_writer_string(writer, NULL, report->errors->pdata[i]);
	json_writer_end_array(writer);
}

/* Runs in the child. */
static GBytes *
reading_work(void *context, GError **error)
{
	const struct reading *reading = context;
	AUTO(domain_report) report = domain_report_read(reading->data, reading->size, error);
	AUTO(json_writer) writer = json_writer_new();

	if (!report)
		return NULL;
	json_writer_begin_object(writer, NULL);
	if (reading->domain)
		reading_write_sum(writer, report, reading->domain);
	else
		domain_report_write(writer, report);
	json_writer_end_object(writer);
	return json_writer_take_bytes(writer);
}

static GBytes *
reading_run(struct reading *reading, GError **error)
{
	const struct process_isolate apart = {
	    .what = "The report could not be read",
	    .work = reading_work,
	    .context = reading,
	    .ms = LIMIT_DOMAIN_REPORT_MS,
	    .cpu_s = LIMIT_DOMAIN_REPORT_MS / 1000,
	    .bytes = LIMIT_DOMAIN_REPORT_BYTES,
	    .finishes = true,
	};
	g_autoptr(GError) failure = NULL;
	GBytes *result = process_isolate(&apart, &failure);

	if (!result && g_error_matches(failure, PH_ERROR, PH_ERROR_TOO_LARGE))
		base_invalid(
		    error, "This is no report: it takes too much time or memory to be read");
	else if (!result)
		g_propagate_error(error, g_steal_pointer(&failure));
	return result;
}

char *
dmarc_reading_show(const void *data, gsize size, GError **error)
{
	struct reading reading = {data, size, NULL};
	g_autoptr(GBytes) result = reading_run(&reading, error);

	return result ? g_strndup(g_bytes_get_data(result, NULL), g_bytes_get_size(result)) : NULL;
}

struct json *
dmarc_reading_sum(
    const void *data, gsize size, const struct dmarc_reading_domain *domain, GError **error)
{
	struct reading reading = {data, size, domain};
	g_autoptr(GBytes) result = reading_run(&reading, error);

	return result ? json_parse(g_bytes_get_data(result, NULL), g_bytes_get_size(result), error)
		      : NULL;
}
