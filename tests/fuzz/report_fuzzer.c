/* SPDX-License-Identifier: MIT */
/* Delivery reports: mail_report/parse.h of any bytes. */
#include <string.h>

#include "base/limits/report.h"
#include "mail_report/report.h"
#include "tests/fuzz/fuzz.h"

static void
report_fuzzer_check_text(const char *text)
{
	g_assert(!text || g_utf8_validate(text, -1, NULL));
}

static void
report_fuzzer_check_all(const GPtrArray *texts)
{
	g_assert(texts->len <= LIMIT_REPORT_NAMES);
	for (guint i = 0; i < texts->len; i++)
		report_fuzzer_check_text(texts->pdata[i]);
}

static void
check_recipient(const struct mail_report_recipient *recipient)
{
	report_fuzzer_check_text(recipient->original);
	report_fuzzer_check_text(recipient->final);
	report_fuzzer_check_text(recipient->diagnostic);
	g_assert(recipient->action <= MAIL_REPORT_EXPANDED);
	g_assert(memchr(recipient->status, '\0', sizeof(recipient->status)));
	g_assert(recipient->code == 0 || (recipient->code >= 400 && recipient->code <= 559));
	g_assert(!recipient->diagnostic ||
		 (g_utf8_strlen(recipient->diagnostic, -1) <= LIMIT_REPORT_DIAGNOSTIC_LENGTH &&
		     !strpbrk(recipient->diagnostic, "\r\n")));
}

int
LLVMFuzzerTestOneInput(const guint8 *data, gsize size)
{
	AUTO(mail_report) report = mail_report_parse(data, size);

	g_assert(report->recipients->len <= LIMIT_REPORT_RECIPIENTS);
	for (guint i = 0; i < report->recipients->len; i++)
		check_recipient(report->recipients->pdata[i]);
	report_fuzzer_check_all(report->paths);
	report_fuzzer_check_all(report->message_ids);
	report_fuzzer_check_all(report->addressees);
	report_fuzzer_check_all(report->mentioned);
	report_fuzzer_check_all(report->lists);
	report_fuzzer_check_text(report->envid);
	report_fuzzer_check_text(report->feedback);
	return 0;
}
