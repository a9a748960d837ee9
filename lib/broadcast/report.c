/* SPDX-License-Identifier: MIT */
/* Collects the findings of a check. */
#include "broadcast/report.h"

#include <string.h>

static void
free_finding(void *data)
{
	struct broadcast_finding *finding = data;

	g_free(finding->message);
	g_free(finding);
}

void
broadcast_report_begin(struct broadcast_report *report)
{
	*report = (struct broadcast_report){
	    .ok = true, .findings = g_ptr_array_new_with_free_func(free_finding)};
}

void
broadcast_report_clear(struct broadcast_report *report)
{
	g_clear_pointer(&report->findings, g_ptr_array_unref);
}

void
broadcast_report_add(struct broadcast_report *report, const char *level, const char *code,
    const char *message, gint64 count)
{
	struct broadcast_finding *finding;

	for (guint i = 0; i < report->findings->len; i++) {
		finding = report->findings->pdata[i];
		if (strcmp(finding->code, code) == 0 && strcmp(finding->message, message) == 0) {
			finding->count += count;
			return;
		}
	}
	finding = g_new(struct broadcast_finding, 1);
	*finding = (struct broadcast_finding){level, code, g_strdup(message), count};
	g_ptr_array_add(report->findings, finding);
	if (strcmp(level, LEVEL_OF_ERROR) == 0)
		report->ok = false;
}
