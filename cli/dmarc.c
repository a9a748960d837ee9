/* SPDX-License-Identifier: MIT */
/* posthouse dmarc: shows what the world reports about a domain, and reads reports. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits/domain.h"
#include "base/limits/domain_report.h"
#include "base/limits/list.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/maildir.h"
#include "cli/output.h"
#include "dmarc/figures.h"
#include "dmarc/policy.h"
#include "dmarc/reading.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "store/domain/domain.h"
#include "store/domain/report.h"
#include "store/workspace/workspace.h"
#include "text/hostname.h"

enum { PARSE_FILE };
static const struct cli_parameter parse_parameters[] = {
    [PARSE_FILE] = {"FILE", "a report, or a mail with one; - is standard input",
	.type = PARAMETER_FILE},
};

/* Reads the file of the command line. */
static GByteArray *
dmarc_read_file(const char *name, GError **error)
{
	bool is_input = strcmp(name, "-") == 0;
	int file = is_input ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);

	if (file < 0) {
		base_fail(
		    error, PH_ERROR_NOT_FOUND, "%s cannot be read: %s", name, g_strerror(errno));
		return NULL;
	}
	GByteArray *data = cli_maildir_read(file, LIMIT_DOMAIN_REPORT_FILE + 1, error);
	if (!is_input)
		close(file);
	return data;
}

static struct cli_field
dmarc_text(const struct json *object, const char *name)
{
	return cli_text(name, json_string(json_member_get(object, name), NULL));
}

static struct cli_field
dmarc_time(const struct json *object, const char *name)
{
	return cli_time(name, json_integer(json_member_get(object, name)));
}

static struct cli_field
dmarc_number(const struct json *object, const char *name)
{
	return cli_number(name, json_integer(json_member_get(object, name)));
}

/* The texts of an array, with "; " between them. The caller owns it. */
static char *
dmarc_join(const struct json *array)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (gsize i = 0; i < json_array_length(array); i++)
		g_string_append_printf(
		    text, "%s%s", i > 0 ? "; " : "", json_string(json_array_at(array, i), NULL));
	return text->len > 0 ? g_strdup(text->str) : NULL;
}

static void
dmarc_print_records(struct cli_output *output, const struct json *records)
{
	cli_output_list_begin(output, "records", "There are no records.");
	for (gsize i = 0; i < json_array_length(records); i++) {
		const struct json *record = json_array_at(records, i);

		cli_output_row(
		    output, FIELDS(dmarc_text(record, "source"), dmarc_number(record, "count"),
				dmarc_text(record, "disposition"), dmarc_text(record, "dkim"),
				dmarc_text(record, "spf"), dmarc_text(record, "header_from"),
				dmarc_text(record, "envelope_from")));
	}
	cli_output_list_end(output);
}

static void
dmarc_print_failures(struct cli_output *output, const struct json *report)
{
	const struct json *failures = json_member_get(report, "failures");

	cli_output_facts(
	    output, FIELDS(dmarc_text(report, "policy_type"), dmarc_number(report, "successful"),
			dmarc_number(report, "failed")));
	cli_output_list_begin(output, "failures", "There are no failures.");
	for (gsize i = 0; i < json_array_length(failures); i++) {
		const struct json *failure = json_array_at(failures, i);

		cli_output_row(output,
		    FIELDS(dmarc_text(failure, "result_type"), dmarc_number(failure, "count"),
			dmarc_text(failure, "sending_ip"), dmarc_text(failure, "receiving_host")));
	}
	cli_output_list_end(output);
}

/* Prints a report for people. */
static void
dmarc_print(struct cli_output *output, const struct json *report)
{
	const struct json *records = json_member_get(report, "records");
	g_autofree char *errors = dmarc_join(json_member_get(report, "errors"));

	cli_output_facts(output, FIELDS(dmarc_text(report, "kind"), dmarc_text(report, "reporter"),
				     dmarc_text(report, "email"), dmarc_text(report, "report_id"),
				     dmarc_time(report, "begin"), dmarc_time(report, "end"),
				     dmarc_text(report, "domain"), cli_text("errors", errors)));
	if (records)
		dmarc_print_records(output, records);
	else
		dmarc_print_failures(output, report);
}

static bool
dmarc_parse(struct cli_call *call, GError **error)
{
	g_autoptr(GByteArray) data = dmarc_read_file(call->values[PARSE_FILE].text, error);
	g_autoptr(GError) failure = NULL;

	if (!data) {
		call->status = EX_NOINPUT;
		return false;
	}
	g_autofree char *text = NULL;
	if (data->len > LIMIT_DOMAIN_REPORT_FILE)
		base_invalid(&failure, "This is no report: it has more than %d MiB",
		    LIMIT_DOMAIN_REPORT_FILE / LIMIT_MIB);
	else
		text = dmarc_reading_show(data->data, data->len, &failure);
	if (!text) {
		if (g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID))
			call->status = EX_DATAERR;
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	if (call->json) {
		cli_output_object(call->output, NULL, text);
		return true;
	}
	AUTO(json) report = json_parse(text, strlen(text), error);
	if (report)
		dmarc_print(call->output, report);
	return report != NULL;
}

#define DOMAIN_PARAMETER                                                                           \
	{                                                                                          \
		"DOMAIN", "the domain, in any script", .min = LIMIT_DOMAIN_MIN_LENGTH,             \
						       .max = LIMIT_DOMAIN_LENGTH                  \
	}

enum { DOMAIN };
static const struct cli_parameter domain_parameters[] = {[DOMAIN] = DOMAIN_PARAMETER};

enum { SHOW_DOMAIN, SHOW_BY, SHOW_FROM, SHOW_TO };
static const struct cli_parameter show_parameters[] = {
    [SHOW_DOMAIN] = DOMAIN_PARAMETER,
    [SHOW_BY] = {"--by", "what has rows; source if not given", NULL, .type = PARAMETER_CHOICE,
	.choices = {"source", "day", "reporter"}},
    [SHOW_FROM] = {"--from", "from this day on; 30 days before the last one if not given", "DAY",
	PARAMETER_TIME},
    [SHOW_TO] = {"--to", "and before this day; today is the last one if not given", "DAY",
	PARAMETER_TIME},
};

/* Finds the domain that the command line names first, with its keys. */
static struct store_domain *
dmarc_find_domain(const struct cli_call *call, GError **error)
{
	g_autofree char *name = text_hostname_ascii(call->values[DOMAIN].text);

	if (!name) {
		base_invalid(error, "DOMAIN must be a domain name");
		return NULL;
	}
	AUTO(store_domain)
	domain = store_domain_find(call->db, &call->workspace->id, name, error);
	return domain ? store_domain_get(call->db, &call->workspace->id, &domain->id, error) : NULL;
}

static bool
dmarc_show(struct cli_call *call, GError **error)
{
	AUTO(store_domain) domain = dmarc_find_domain(call, error);
	const struct cli_value *values = call->values;
	const struct dmarc_wish wish = {
	    values[SHOW_BY].text, values[SHOW_FROM].text, values[SHOW_TO].text, NULL};
	struct store_dmarc_query query;
	bool verified;

	if (!domain || !dmarc_figures_read(&wish, &query, &verified, error))
		return false;
	g_autoptr(GPtrArray) list =
	    dmarc_figures_list(call->db, &call->workspace->id, &domain->id, &query, error);
	if (!list)
		return false;
	cli_output_list_begin(call->output, "dmarc", "There are no reports about these days.");
	for (guint i = 0; i < list->len; i++) {
		const struct dmarc_figure *figure = list->pdata[i];

		cli_output_row(call->output,
		    FIELDS(cli_text("key", figure->key),
			cli_text("kind", dmarc_figures_kind(figure->kind)),
			cli_number("messages", figure->messages),
			cli_number("passed", figure->passed),
			cli_number("dkim_aligned", figure->dkim_aligned),
			cli_number("spf_aligned", figure->spf_aligned),
			cli_number("quarantined", figure->quarantined),
			cli_number("rejected", figure->rejected),
			cli_number("reporters", g_hash_table_size(figure->names)),
			cli_time("first", figure->first), cli_time("last", figure->last)));
	}
	cli_output_list_end(call->output);
	return true;
}

static bool
dmarc_list_reports(struct cli_call *call, GError **error)
{
	AUTO(store_domain) domain = dmarc_find_domain(call, error);
	g_autoptr(GPtrArray) list = domain
					? store_domain_report_list(call->db, &call->workspace->id,
					      &(struct store_domain_report_page){&domain->id,
						  STORE_REPORT_DMARC, NULL, LIMIT_PAGE},
					      error)
					: NULL;

	if (!list)
		return false;
	cli_output_list_begin(call->output, "reports", "There are no reports yet.");
	for (guint i = 0; i < list->len; i++) {
		const struct store_domain_report *report = list->pdata[i];
		AUTO(json) row = json_parse(report->summary, strlen(report->summary), error);

		if (!row)
			return false;
		if (call->json)
			cli_output_object(call->output, &report->id, report->summary);
		else
			cli_output_row(call->output,
			    FIELDS(dmarc_text(row, "reporter"), dmarc_text(row, "report_id"),
				dmarc_time(row, "begin"), dmarc_time(row, "end"),
				dmarc_number(row, "messages"),
				cli_truth("verified", report->verified)));
	}
	cli_output_list_end(call->output);
	return true;
}

/* Prints a policy for people. */
static void
dmarc_print_policy(struct cli_output *output, const struct json *policy)
{
	const struct json *advice = json_member_get(policy, "advice");
	const struct json *bimi = json_member_get(policy, "bimi");
	g_autofree char *asked = dmarc_join(json_member_get(policy, "asked"));
	g_autofree char *warnings = dmarc_join(json_member_get(policy, "warnings"));
	g_autofree char *reasons = dmarc_join(json_member_get(advice, "reasons"));

	cli_output_thing(output,
	    FIELDS(dmarc_text(policy, "domain"), dmarc_text(policy, "found_at"),
		dmarc_text(policy, "record"), dmarc_text(policy, "organizational_domain"),
		cli_text("asked", asked), dmarc_text(policy, "policy"),
		dmarc_text(policy, "applied"),
		cli_truth("testing", json_boolean(json_member_get(policy, "testing"))),
		cli_truth("reports_here", json_boolean(json_member_get(policy, "reports_here"))),
		cli_text("warnings", warnings), dmarc_text(advice, "next"),
		cli_truth("ready", json_boolean(json_member_get(advice, "ready"))),
		cli_text("reasons", reasons),
		cli_text("publish", json_string(json_member_get(advice, "record"), NULL)),
		cli_truth("bimi_allowed", json_boolean(json_member_get(bimi, "allowed"))),
		cli_text("bimi_record", json_string(json_member_get(bimi, "record"), NULL)),
		cli_text("bimi_error", json_string(json_member_get(bimi, "error"), NULL))));
}

static bool
dmarc_show_policy(struct cli_call *call, GError **error)
{
	AUTO(store_domain) domain = dmarc_find_domain(call, error);
	AUTO(json_writer) writer = json_writer_new();

	if (!domain || !dmarc_policy_write(writer, call->service, domain, error))
		return false;
	g_autofree char *text = json_writer_take(writer, NULL);
	if (call->json) {
		cli_output_object(call->output, &domain->id, text);
		return true;
	}
	AUTO(json) policy = json_parse(text, strlen(text), error);
	if (policy)
		dmarc_print_policy(call->output, policy);
	return policy != NULL;
}

static const struct cli_command commands[] = {
    {"show",
	"Show who sent in a domain's name and how it fared with DMARC, by the reports of "
	"receivers.",
	NEED_WORKSPACE, PARAMETERS(show_parameters), .run = dmarc_show},
    {"reports", "List the newest DMARC reports about a domain.", NEED_WORKSPACE,
	PARAMETERS(domain_parameters), .run = dmarc_list_reports},
    {"policy",
	"Ask DNS for the DMARC policy of a domain, and advise what to publish next by its reports.",
	NEED_WORKSPACE, PARAMETERS(domain_parameters), .run = dmarc_show_policy},
    {"parse",
	"Read a report about a domain, of DMARC or TLS, and show it. Nothing is stored. A file "
	"that "
	"is none has the exit status 65.",
	NEED_NOTHING, PARAMETERS(parse_parameters), .run = dmarc_parse},
};

const struct cli_noun cli_noun_dmarc = {"dmarc", commands, G_N_ELEMENTS(commands)};
