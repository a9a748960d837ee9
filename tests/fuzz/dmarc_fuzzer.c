/* SPDX-License-Identifier: MIT */
/* Reports about domains: domain_report/report.h of any bytes. */
#include <string.h>

#include "base/limits/domain_report.h"
#include "domain_report/report.h"
#include "json/strict.h"
#include "json/writer.h"
#include "tests/fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const guint8 *data, gsize size)
{
	g_autoptr(GError) error = NULL;
	AUTO(domain_report) report = domain_report_read(data, size, &error);
	AUTO(json_writer) writer = json_writer_new();

	if (!report) {
		g_assert(g_str_has_prefix(error->message, "This is no report: "));
		fuzz_check_error(g_steal_pointer(&error));
		return 0;
	}
	g_assert(report->records->len <= LIMIT_DOMAIN_REPORT_RECORDS);
	g_assert(report->errors->len <= LIMIT_DOMAIN_REPORT_ERRORS);
	/* All texts are UTF-8: the JSON reads. */
	json_writer_begin_object(writer, NULL);
	domain_report_write(writer, report);
	json_writer_end_object(writer);
	gsize length;
	g_autofree char *text = json_writer_take(writer, &length);
	AUTO(json) json = json_parse(text, length, &error);
	g_assert(json);
	return 0;
}
