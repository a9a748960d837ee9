/* SPDX-License-Identifier: MIT */
/* What is known of a report. */
#include "mail/report.h"

const char *
mail_report_action_name(enum mail_report_action action)
{
	static const char *const names[] = {
	    [MAIL_REPORT_UNKNOWN] = "unknown",
	    [MAIL_REPORT_FAILED] = "failed",
	    [MAIL_REPORT_DELAYED] = "delayed",
	    [MAIL_REPORT_DELIVERED] = "delivered",
	    [MAIL_REPORT_RELAYED] = "relayed",
	    [MAIL_REPORT_EXPANDED] = "expanded",
	};

	return names[action];
}

static void
free_recipient(void *pointer)
{
	struct mail_report_recipient *recipient = pointer;

	g_free(recipient->original);
	g_free(recipient->final);
	g_free(recipient->diagnostic);
	g_free(recipient);
}

struct mail_report *
mail_report_new(void)
{
	struct mail_report *report = g_new0(struct mail_report, 1);

	report->format = "";
	report->recipients = g_ptr_array_new_with_free_func(free_recipient);
	report->paths = g_ptr_array_new_with_free_func(g_free);
	report->message_ids = g_ptr_array_new_with_free_func(g_free);
	report->addressees = g_ptr_array_new_with_free_func(g_free);
	return report;
}

void
mail_report_free(struct mail_report *report)
{
	g_ptr_array_unref(report->recipients);
	g_ptr_array_unref(report->paths);
	g_ptr_array_unref(report->message_ids);
	g_ptr_array_unref(report->addressees);
	g_free(report->envid);
	g_free(report->feedback);
	g_free(report->junk);
	g_free(report);
}

/* "+2B" is a byte; whatever else a plus is in front of stays. */
char *
mail_report_decode_xtext(const char *text)
{
	GString *plain = g_string_new(NULL);

	for (; *text; text++) {
		if (text[0] == '+' && g_ascii_isxdigit(text[1]) && g_ascii_isxdigit(text[2])) {
			int byte =
			    g_ascii_xdigit_value(text[1]) * 16 + g_ascii_xdigit_value(text[2]);

			g_string_append_c(plain, (char)byte);
			text += 2;
		} else {
			g_string_append_c(plain, *text);
		}
	}
	return g_string_free(plain, FALSE);
}

bool
mail_report_names(const char *given, const char *address)
{
	if (g_ascii_strcasecmp(given, address) == 0)
		return true;
	g_autofree char *plain = mail_report_decode_xtext(given);
	return g_ascii_strcasecmp(plain, address) == 0;
}
