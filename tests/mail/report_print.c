/* SPDX-License-Identifier: MIT */
/* Prints what was read from a report. */
#include "tests/mail/report_print.h"

#include "mail/report.h"

static void
print_all(GString *lines, const char *name, const GPtrArray *texts)
{
	for (guint i = 0; i < texts->len; i++)
		g_string_append_printf(lines, "%s %s\n", name, (const char *)texts->pdata[i]);
}

static const char *
or_none(const char *text)
{
	return text && *text ? text : "-";
}

char *
report_print(const struct mail_report *report)
{
	static const char *const kinds[] = {[MAIL_REPORT_NONE] = "none",
	    [MAIL_REPORT_DELIVERY] = "delivery",
	    [MAIL_REPORT_COMPLAINT] = "complaint"};
	GString *lines = g_string_new(NULL);

	g_string_append_printf(lines, "%s %s\n", kinds[report->kind], or_none(report->format));
	if (report->feedback)
		g_string_append_printf(lines, "feedback %s\n", report->feedback);
	for (guint i = 0; i < report->recipients->len; i++) {
		const struct mail_report_recipient *r = report->recipients->pdata[i];

		g_string_append_printf(lines, "%s %s %s %s %d %s\n",
		    mail_report_action_name(r->action), or_none(r->original), or_none(r->final),
		    or_none(r->status), r->code, or_none(r->diagnostic));
	}
	if (report->envid)
		g_string_append_printf(lines, "envid %s\n", report->envid);
	print_all(lines, "path", report->paths);
	print_all(lines, "message-id", report->message_ids);
	print_all(lines, "addressee", report->addressees);
	return g_string_free(lines, FALSE);
}
