/* SPDX-License-Identifier: MIT */
/* Reads reports about TLS (RFC 8460). */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/domain_report.h"
#include "domain_report/read.h"
#include "json/strict.h"
#include "json/value.h"

/* A member that is text; NULL: none. */
static const char *
tls_text(struct domain_report *report, const struct json *object, const char *name)
{
	gsize size;
	const char *text = json_string(json_member_get(object, name), &size);

	return text ? domain_report_text(report, text, size) : NULL;
}

/* A member that is a number of sessions. */
static gint64
tls_count(const struct json *object, const char *name)
{
	const struct json *member = json_member_get(object, name);
	gint64 number = 0;

	if (json_kind(member) == JSON_INTEGER)
		number = json_integer(member);
	else if (json_kind(member) == JSON_STRING)
		g_ascii_string_to_signed(
		    json_string(member, NULL), 10, 0, LIMIT_DOMAIN_REPORT_COUNT, &number, NULL);
	return CLAMP(number, 0, LIMIT_DOMAIN_REPORT_COUNT);
}

static bool
tls_add_failures(struct domain_report *report, const struct json *details,
    struct domain_report_tls *policy, guint *count, GError **error)
{
	for (gsize i = 0; i < json_array_length(details); i++) {
		const struct json *detail = json_array_at(details, i);
		const struct domain_report_failure failure = {
		    .result_type = tls_text(report, detail, "result-type"),
		    .count = tls_count(detail, "failed-session-count"),
		    .sending_ip = tls_text(report, detail, "sending-mta-ip"),
		    .receiving_host = tls_text(report, detail, "receiving-mx-hostname"),
		};

		if (++*count > LIMIT_DOMAIN_REPORT_RECORDS)
			return base_invalid(
			    error, "it has more than %d failures", LIMIT_DOMAIN_REPORT_RECORDS);
		if (failure.result_type)
			g_array_append_val(policy->failures, failure);
		else
			domain_report_tell(report, "failures without a result-type");
	}
	return true;
}

static bool
tls_add_policy(struct domain_report *report, const struct json *given, guint *count, GError **error)
{
	const struct json *policy = json_member_get(given, "policy");
	const struct json *summary = json_member_get(given, "summary");
	const char *domain = tls_text(report, policy, "policy-domain");
	const char *type = tls_text(report, policy, "policy-type");

	if (!domain) {
		domain_report_tell(report, "policies without a policy-domain");
		return true;
	}
	struct domain_report_tls *row = g_new0(struct domain_report_tls, 1);
	row->domain = domain_report_lower(report, domain, strlen(domain));
	row->policy_type = type ? type : "";
	row->successful = tls_count(summary, "total-successful-session-count");
	row->failed = tls_count(summary, "total-failure-session-count");
	row->failures = g_array_new(FALSE, FALSE, sizeof(struct domain_report_failure));
	g_ptr_array_add(report->policies, row);
	return tls_add_failures(
	    report, json_member_get(given, "failure-details"), row, count, error);
}

static bool
tls_time(const struct json *range, const char *name, gint64 *ms_r)
{
	const char *text = json_string(json_member_get(range, name), NULL);

	return text && base_clock_parse(text, ms_r) && *ms_r >= 0;
}

static bool
tls_fill(struct domain_report *report, const struct json *root, GError **error)
{
	const struct json *range = json_member_get(root, "date-range");
	const struct json *policies = json_member_get(root, "policies");
	guint failures = 0;

	report->reporter = tls_text(report, root, "organization-name");
	report->email = tls_text(report, root, "contact-info");
	report->report_id = tls_text(report, root, "report-id");
	if (!report->reporter)
		return base_invalid(error, "it has no organization-name");
	if (!report->report_id)
		return base_invalid(error, "it has no report-id");
	if (!tls_time(range, "start-datetime", &report->begin) ||
	    !tls_time(range, "end-datetime", &report->end))
		return base_invalid(error, "it has no date-range");
	for (gsize i = 0; i < json_array_length(policies); i++)
		if (!tls_add_policy(report, json_array_at(policies, i), &failures, error))
			return false;
	if (report->policies->len == 0)
		return base_invalid(error, "it has no policies");
	report->domain = ((const struct domain_report_tls *)report->policies->pdata[0])->domain;
	return true;
}

/* The text without bytes that are no UTF-8. The caller owns it. */
static char *
tls_clean(struct domain_report *report, const char *data, gsize size, gsize *size_r)
{
	static const char mark[] = "\xef\xbb\xbf";
	g_autoptr(GString) clean = g_string_sized_new(size);
	const char *end = data + size, *good;

	if (size >= sizeof(mark) - 1 && memcmp(data, mark, sizeof(mark) - 1) == 0)
		data += sizeof(mark) - 1;
	while (!g_utf8_validate(data, end - data, &good)) {
		domain_report_tell(report, "bytes that are no UTF-8");
		g_string_append_len(clean, data, good - data);
		data = good + 1;
	}
	g_string_append_len(clean, data, end - data);
	*size_r = clean->len;
	return g_string_free(g_steal_pointer(&clean), FALSE);
}

struct domain_report *
domain_report_read_json(const char *data, gsize size, GError **error)
{
	AUTO(domain_report) report = domain_report_new(DOMAIN_REPORT_TLS);
	char *clean = tls_clean(report, data, size, &size);
	g_autoptr(GError) failure = NULL;
	AUTO(json) root = json_parse_take(clean, size, &failure);

	if (!root) {
		const char *why = strstr(failure->message, ": ");
		base_invalid(error, "it is no JSON: %s", why ? why + 2 : failure->message);
		return NULL;
	}
	return tls_fill(report, root, error) ? g_steal_pointer(&report) : NULL;
}

/* Whether a name is the domain, or below it. */
static bool
tls_is_within(const char *name, const char *domain)
{
	gsize size = strlen(name), end = strlen(domain);

	return size >= end && strcmp(name + size - end, domain) == 0 &&
	       (size == end || name[size - end - 1] == '.');
}

static gint
tls_failure_compare(gconstpointer a, gconstpointer b)
{
	const struct domain_report_failure *left = a, *right = b;

	return left->count == right->count ? 0 : left->count > right->count ? -1 : 1;
}

/* The name that the sums are about: the domain, where a policy is about it or a name below it, else
   the first one above it that has a policy. NULL: none is about it. */
static const char *
tls_name_of(const struct domain_report *report, const char *domain)
{
	const char *above = NULL;

	for (guint i = 0; i < report->policies->len; i++) {
		const char *name =
		    ((const struct domain_report_tls *)report->policies->pdata[i])->domain;

		if (tls_is_within(name, domain))
			return domain;
		if (!above && tls_is_within(domain, name))
			above = name;
	}
	return above;
}

bool
domain_report_tls_sum(
    const struct domain_report *report, const char *domain, struct domain_report_tls *sum_r)
{
	g_autoptr(GPtrArray) types = g_ptr_array_new();
	const char *about = domain ? tls_name_of(report, domain) : NULL;
	bool is_about = false;

	*sum_r = (struct domain_report_tls){.domain = report->domain};
	sum_r->failures = g_array_new(FALSE, FALSE, sizeof(struct domain_report_failure));
	for (guint i = 0; i < report->policies->len; i++) {
		const struct domain_report_tls *policy = report->policies->pdata[i];

		if (domain && (!about || !tls_is_within(policy->domain, about)))
			continue;
		if (!is_about)
			sum_r->domain = policy->domain;
		is_about = true;
		sum_r->successful += policy->successful;
		sum_r->failed += policy->failed;
		g_array_append_vals(sum_r->failures, policy->failures->data, policy->failures->len);
		if (!g_ptr_array_find_with_equal_func(
			types, policy->policy_type, g_str_equal, NULL))
			g_ptr_array_add(types, (void *)policy->policy_type);
	}
	g_ptr_array_add(types, NULL);
	g_autofree char *joined = g_strjoinv(", ", (char **)types->pdata);
	sum_r->policy_type = g_string_chunk_insert_const(report->texts, joined);
	if (sum_r->failures->len > LIMIT_DOMAIN_REPORT_FAILURES) {
		g_array_sort(sum_r->failures, tls_failure_compare);
		g_array_set_size(sum_r->failures, LIMIT_DOMAIN_REPORT_FAILURES);
	}
	return is_about;
}
