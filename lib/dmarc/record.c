/* SPDX-License-Identifier: MIT */
/* Records the reports about a domain. */
#include "dmarc/record.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/received.h"
#include "config/log.h"
#include "dmarc/reading.h"
#include "domain/dns_check.h"
#include "domain_report/report.h"
#include "json/value.h"
#include "json/writer.h"
#include "link/own_address.h"
#include "mail/address.h"
#include "mail/part.h"
#include "received/authentication.h"
#include "received/door.h"
#include "service/metrics.h"
#include "link/return_path.h"
#include "service/service.h"
#include "store/common/found.h"
#include "store/domain/domain.h"
#include "store/domain/key.h"
#include "store/domain/report.h"

#define DAY_MS ((gint64)24 * 60 * 60 * 1000)

const char *
dmarc_record_name(enum dmarc_record_outcome outcome)
{
	static const char *const names[] = {
	    [DMARC_RECORD_NONE] = "no report",
	    [DMARC_RECORD_STRANGE] = "not ours",
	    [DMARC_RECORD_REPEATED] = "repeated",
	    [DMARC_RECORD_DMARC] = "dmarc report",
	    [DMARC_RECORD_TLS] = "tls report",
	};

	return names[outcome];
}

bool
dmarc_record_is_for(const struct service *service, const char *address)
{
	return link_own_address(service, address, NULL) == LINK_OWN_REPORTS;
}

static const char *
record_text(const struct json *report, const char *name)
{
	return json_string(json_member_get(report, name), NULL);
}

static gint64
record_number(const struct json *report, const char *name)
{
	return json_integer(json_member_get(report, name));
}

/* Whether a report about a name is about our domain: the name is the domain, below it, or its
   organizational domain. */
static bool
record_is_ours(const struct service *service, const char *name, const char *domain)
{
	if (dmarc_reading_is_within(name, domain))
		return true;
	if (!dmarc_reading_is_within(domain, name))
		return false;
	g_autofree char *organization =
	    domain_dns_check_organization(service->settings, domain, NULL);
	return g_strcmp0(organization, name) == 0;
}

/* The address of the mail's From; NULL: there is not one alone. The caller owns it. */
static char *
record_writer(const void *data, gsize size)
{
	gsize length, most = MIN(size, LIMIT_RECEIVED_HEADER_BYTES);
	g_autofree char *text = mail_part_text(data, most, &length);
	const struct mail_part part = mail_part_split(text, length);
	g_autofree char *from = mail_part_field(&part.header, "From");
	g_autoptr(GPtrArray) list = from ? mail_address_reread_list(from, NULL) : NULL;

	return list && list->len == 1
		   ? g_strdup(((const struct mail_address *)list->pdata[0])->address)
		   : NULL;
}

/* Whether the domain of the mail's writer has vouched for the report. */
static bool
record_is_verified(const struct service *service, const struct received_session *session,
    const void *data, gsize size)
{
	g_autofree char *from = record_writer(data, size);
	struct received_authentication authentication;

	received_authentication_read(service, session, data, size, from, &authentication);
	bool passes = g_strcmp0(authentication.dmarc, "pass") == 0;
	received_authentication_clear(&authentication);
	return passes;
}

/* The policy that a report found for our domain: 0 none, 1 quarantine, 2 reject. */
static guint
record_enforced(const struct json *report, const char *domain)
{
	const struct json *policy = json_member_get(report, "policy");
	const char *name = record_text(report, "domain");
	const char *word = record_text(policy, "p"), *below = record_text(policy, "sp");
	guint strength;

	if (below && strcmp(name, domain) != 0 && dmarc_reading_is_within(domain, name))
		word = below;
	strength = g_strcmp0(word, "reject") == 0 ? 2 : g_strcmp0(word, "quarantine") == 0 ? 1 : 0;
	if (strength > 0 && json_boolean(json_member_get(policy, "testing")))
		strength--;
	return strength;
}

/* The hash of what makes a report known again. */
static void
record_digest(const struct json *report, guint8 digest_r[SHA256_SIZE])
{
	g_autofree char *key =
	    g_strdup_printf("%s\n%s\n%" G_GINT64_FORMAT, record_text(report, "reporter"),
		record_text(report, "report_id"), record_number(report, "begin"));

	base_secret_sha256(key, strlen(key), digest_r);
}

/* The row of a list, as it is shown. */
static char *
record_summary(const struct store_domain_report *row, const struct json *report)
{
	static const char *const front[] = {
	    "reporter", "email", "report_id", "begin", "end", "domain"};
	static const char *const dmarc[] = {"policy", "messages", NULL};
	static const char *const tls[] = {"policy_type", "successful", "failed", "failures", NULL};
	const char *const *middle = row->kind == STORE_REPORT_TLS ? tls : dmarc;
	AUTO(json_writer) writer = json_writer_new();
	char id[ID_TEXT_SIZE];

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", base_id_format(&row->id, id));
	for (guint i = 0; i < G_N_ELEMENTS(front); i++)
		json_writer_value(writer, front[i], json_member_get(report, front[i]));
	for (; *middle; middle++)
		json_writer_value(writer, *middle, json_member_get(report, *middle));
	json_writer_boolean(writer, "verified", row->verified);
	json_writer_value(writer, "errors", json_member_get(report, "errors"));
	json_writer_integer(writer, "created", base_clock_now());
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

/* The sources of a report; texts stay those of report. */
static GArray *
record_sources(const struct json *report)
{
	const struct json *rows = json_member_get(report, "rows");
	GArray *sources = g_array_new(FALSE, FALSE, sizeof(struct store_dmarc_source));

	for (gsize i = 0; i < json_array_length(rows); i++) {
		const struct json *row = json_array_at(rows, i);
		gsize at = 0;
		const struct store_dmarc_source source = {
		    .source = json_string(json_array_at(row, at++), NULL),
		    .fate = (enum store_dmarc_fate)json_integer(json_array_at(row, at++)),
		    .messages = json_integer(json_array_at(row, at++)),
		    .passed = json_integer(json_array_at(row, at++)),
		    .dkim_aligned = json_integer(json_array_at(row, at++)),
		    .spf_aligned = json_integer(json_array_at(row, at++)),
		    .quarantined = json_integer(json_array_at(row, at++)),
		    .rejected = json_integer(json_array_at(row, at++)),
		};

		g_array_append_val(sources, source);
	}
	return sources;
}

/* A text of at most so many characters. The caller owns it. */
static char *
record_cut(const char *text, glong most)
{
	return g_utf8_strlen(text, -1) > most ? g_utf8_substring(text, 0, most) : g_strdup(text);
}

static bool
record_store(struct service *service, const struct store_domain *domain, const struct json *report,
    bool verified, struct dmarc_record_result *result, GError **error)
{
	AUTO(store_domain_report) row = g_new0(struct store_domain_report, 1);
	g_autoptr(GError) failure = NULL;

	row->id = base_id_new();
	row->workspace_id = domain->workspace_id;
	row->domain_id = domain->id;
	row->kind =
	    strcmp(record_text(report, "kind"), "tls") == 0 ? STORE_REPORT_TLS : STORE_REPORT_DMARC;
	record_digest(report, row->digest);
	row->reporter = record_cut(record_text(report, "reporter"), STORE_REPORTER_LENGTH);
	row->begin = record_number(report, "begin");
	row->end = record_number(report, "end");
	row->day = row->begin / DAY_MS;
	row->verified = verified;
	row->enforced = row->kind == STORE_REPORT_DMARC ? record_enforced(report, domain->name) : 0;
	row->summary = record_summary(row, report);
	row->sources = record_sources(report);
	result->id = row->id;
	result->outcome = row->kind == STORE_REPORT_TLS ? DMARC_RECORD_TLS : DMARC_RECORD_DMARC;
	if (store_domain_report_add(service->db, row, &failure))
		return true;
	result->outcome = DMARC_RECORD_REPEATED;
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT))
		return true;
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

/* The domain of the address; *domain_r is NULL where it is gone. */
static bool
record_find_domain(
    struct service *service, const char *address, struct store_domain **domain_r, GError **error)
{
	struct link_token token;
	struct base_id workspace;
	g_autoptr(GError) failure = NULL;

	*domain_r = NULL;
	if (link_own_address(service, address, &token) == LINK_OWN_REPORTS &&
	    store_domain_report_owner(service->db, &token.email, &workspace, &failure))
		*domain_r = store_domain_get(service->db, &workspace, &token.email, &failure);
	return store_found(g_steal_pointer(&failure), NULL, error);
}

/* Reads the report for the domain. *report_r is NULL where it is none. */
static bool
record_read(const struct store_domain *domain, const void *data, gsize size, struct json **report_r,
    struct dmarc_record_result *result, GError **error)
{
	g_autoptr(GPtrArray) selectors = g_ptr_array_new();
	g_autoptr(GError) failure = NULL;

	for (guint i = 0; i < domain->keys->len; i++)
		g_ptr_array_add(
		    selectors, ((const struct store_domain_key *)domain->keys->pdata[i])->selector);
	g_ptr_array_add(selectors, NULL);
	g_autofree char *host = link_return_path_host(domain->return_path, domain->name);
	const struct dmarc_reading_domain ours = {
	    domain->name, host, (const char *const *)selectors->pdata};
	*report_r = dmarc_reading_sum(data, size, &ours, &failure);
	if (*report_r)
		return true;
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_TEMPORARY)) {
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	result->outcome = DMARC_RECORD_NONE;
	result->why = g_strdup(failure->message);
	return true;
}

static void
record_count(const struct json *report, const struct dmarc_record_result *result)
{
	bool is_tls = report && g_strcmp0(record_text(report, "kind"), "tls") == 0;

	service_metrics_add(METRIC_REPORTS, 1, is_tls ? "tls" : "dmarc",
	    result->outcome == DMARC_RECORD_REPEATED ? "repeated"
	    : result->outcome >= DMARC_RECORD_DMARC  ? "recorded"
						     : "refused",
	    NULL);
}

bool
dmarc_record(struct service *service, const struct received_session *session, const char *address,
    const void *data, gsize size, struct dmarc_record_result *result_r, GError **error)
{
	AUTO(store_domain) domain = NULL;
	AUTO(json) report = NULL;
	bool done = true;

	*result_r = (struct dmarc_record_result){.outcome = DMARC_RECORD_STRANGE};
	if (!record_find_domain(service, address, &domain, error) ||
	    (domain && !record_read(domain, data, size, &report, result_r, error)))
		return false;
	if (report && record_is_ours(service, record_text(report, "domain"), domain->name))
		done = record_store(service, domain, report,
		    record_is_verified(service, session, data, size), result_r, error);
	if (done)
		record_count(report, result_r);
	return done;
}
