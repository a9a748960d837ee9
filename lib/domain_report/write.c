/* SPDX-License-Identifier: MIT */
/* Writes reports about a domain as JSON. */
#include "base/limits/domain_report.h"
#include "domain_report/report.h"
#include "json/writer.h"

void
domain_report_write_policy(
    struct json_writer *writer, const char *key, const struct domain_report_policy *policy)
{
	json_writer_begin_object(writer, key);
	json_writer_string(writer, "p", policy->p);
	json_writer_string(writer, "sp", policy->sp);
	json_writer_string(writer, "np", policy->np);
	json_writer_string(writer, "adkim", policy->adkim);
	json_writer_string(writer, "aspf", policy->aspf);
	if (policy->pct >= 0)
		json_writer_integer(writer, "pct", policy->pct);
	else
		json_writer_null(writer, "pct");
	if (policy->testing)
		json_writer_boolean(writer, "testing", *policy->testing == 'y');
	else
		json_writer_null(writer, "testing");
	json_writer_end_object(writer);
}

void
domain_report_write_failures(struct json_writer *writer, const char *key, const GArray *failures)
{
	json_writer_begin_array(writer, key);
	for (guint i = 0; i < failures->len; i++) {
		const struct domain_report_failure *failure =
		    &g_array_index(failures, struct domain_report_failure, i);

		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "result_type", failure->result_type);
		json_writer_integer(writer, "count", failure->count);
		json_writer_string(writer, "sending_ip", failure->sending_ip);
		json_writer_string(writer, "receiving_host", failure->receiving_host);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

/* Writes the results of DKIM or SPF; name: the key of the selector or scope. */
static void
write_results(struct json_writer *writer, const char *key, const char *name, const GArray *results)
{
	json_writer_begin_array(writer, key);
	for (guint i = 0; results && i < results->len; i++) {
		const struct domain_report_result *result =
		    &g_array_index(results, struct domain_report_result, i);

		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "domain", result->domain);
		json_writer_string(writer, name, result->name);
		json_writer_string(writer, "result", result->result);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

static void
write_record(struct json_writer *writer, const struct domain_report_record *record)
{
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "source", record->source);
	json_writer_integer(writer, "count", record->count);
	json_writer_string(writer, "disposition", record->disposition);
	json_writer_string(writer, "dkim", record->dkim ? "pass" : "fail");
	json_writer_string(writer, "spf", record->spf ? "pass" : "fail");
	json_writer_string(writer, "header_from", record->header_from);
	json_writer_string(writer, "envelope_from", record->envelope_from);
	write_results(writer, "dkim_results", "selector", record->dkim_results);
	write_results(writer, "spf_results", "scope", record->spf_results);
	json_writer_end_object(writer);
}

static void
write_errors(struct json_writer *writer, const struct domain_report *report)
{
	json_writer_begin_array(writer, "errors");
	for (guint i = 0; i < report->errors->len; i++)
		json_writer_string(writer, NULL, report->errors->pdata[i]);
	json_writer_end_array(writer);
}

static void
write_tls(struct json_writer *writer, const struct domain_report *report)
{
	struct domain_report_tls sum;

	domain_report_tls_sum(report, NULL, &sum);
	json_writer_string(writer, "policy_type", sum.policy_type);
	json_writer_integer(writer, "successful", sum.successful);
	json_writer_integer(writer, "failed", sum.failed);
	domain_report_write_failures(writer, "failures", sum.failures);
	g_array_unref(sum.failures);
}

void
domain_report_write_head(struct json_writer *writer, const struct domain_report *report)
{
	json_writer_string(writer, "kind", report->kind == DOMAIN_REPORT_TLS ? "tls" : "dmarc");
	json_writer_string(writer, "reporter", report->reporter);
	json_writer_string(writer, "email", report->email);
	json_writer_string(writer, "report_id", report->report_id);
	json_writer_integer(writer, "begin", report->begin);
	json_writer_integer(writer, "end", report->end);
}

void
domain_report_write(struct json_writer *writer, const struct domain_report *report)
{
	bool is_tls = report->kind == DOMAIN_REPORT_TLS;

	domain_report_write_head(writer, report);
	json_writer_string(writer, "domain", report->domain);
	if (is_tls) {
		write_tls(writer, report);
		write_errors(writer, report);
		return;
	}
	domain_report_write_policy(writer, "policy", &report->policy);
	json_writer_string(writer, "generator", report->generator);
	write_errors(writer, report);
	json_writer_begin_array(writer, "records");
	for (guint i = 0; i < report->records->len; i++)
		write_record(writer, report->records->pdata[i]);
	json_writer_end_array(writer);
}
