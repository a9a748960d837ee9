/* SPDX-License-Identifier: MIT */
/* Makes reports, and keeps their texts. */
#include "domain_report/report.h"

#include <string.h>

#include "base/limits/domain_report.h"

static void
report_record_free(void *pointer)
{
	struct domain_report_record *record = pointer;

	g_clear_pointer(&record->dkim_results, g_array_unref);
	g_clear_pointer(&record->spf_results, g_array_unref);
	g_free(record);
}

static void
report_tls_free(void *pointer)
{
	struct domain_report_tls *policy = pointer;

	g_array_unref(policy->failures);
	g_free(policy);
}

struct domain_report *
domain_report_new(enum domain_report_kind kind)
{
	struct domain_report *report = g_new0(struct domain_report, 1);

	report->kind = kind;
	report->policy.pct = -1;
	report->errors = g_ptr_array_new_with_free_func(g_free);
	report->records = g_ptr_array_new_with_free_func(report_record_free);
	report->policies = g_ptr_array_new_with_free_func(report_tls_free);
	report->texts = g_string_chunk_new(4096);
	report->known = g_hash_table_new(g_str_hash, g_str_equal);
	return report;
}

void
domain_report_free(struct domain_report *report)
{
	g_hash_table_unref(report->known);
	g_ptr_array_unref(report->errors);
	g_ptr_array_unref(report->records);
	g_ptr_array_unref(report->policies);
	g_string_chunk_free(report->texts);
	g_free(report);
}

/* Cuts a text at a limit, where a character ends. */
static void
report_cut(char *text)
{
	gsize size = strlen(text);

	if (size <= LIMIT_DOMAIN_REPORT_TEXT)
		return;
	text[LIMIT_DOMAIN_REPORT_TEXT] = '\0';
	const char *end;
	if (!g_utf8_validate(text, -1, &end))
		text[end - text] = '\0';
}

/* A text, trimmed and cut, on one line. The caller owns it; NULL: it is empty. */
static char *
report_trim(const char *text, gsize size)
{
	g_autofree char *own = g_strstrip(g_strndup(text, size));

	report_cut(own);
	for (char *c = own; *c; c++)
		if (g_ascii_iscntrl(*c))
			*c = ' ';
	return *own ? g_steal_pointer(&own) : NULL;
}

const char *
domain_report_text(struct domain_report *report, const char *text, gsize size)
{
	g_autofree char *own = report_trim(text, size);

	return own ? g_string_chunk_insert_const(report->texts, own) : NULL;
}

const char *
domain_report_lower(struct domain_report *report, const char *text, gsize size)
{
	g_autofree char *own = report_trim(text, size);
	g_autofree char *lower = own ? g_ascii_strdown(own, -1) : NULL;

	if (lower && g_str_has_suffix(lower, "."))
		lower[strlen(lower) - 1] = '\0';
	return lower && *lower ? g_string_chunk_insert_const(report->texts, lower) : NULL;
}

void
domain_report_tell(struct domain_report *report, const char *fault)
{
	if (report->errors->len >= LIMIT_DOMAIN_REPORT_ERRORS ||
	    g_hash_table_contains(report->known, fault))
		return;
	char *own = g_strdup(fault);
	g_ptr_array_add(report->errors, own);
	g_hash_table_add(report->known, own);
}
