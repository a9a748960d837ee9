/* SPDX-License-Identifier: MIT */
/* Reads what a message that came back says. */
#include "mail/report_parse.h"

#include <string.h>

#include "base/limits.h"
#include "mail/part.h"
#include "mail/report.h"
#include "mail/report_field.h"
#include "mail/report_pattern.h"
#include "mail/report_recipient.h"
#include "mail/textpart.h"

/* What of the message has been found so far. */
struct sorting {
	struct mail_report *report;
	char *text, *html; /* the first of each */
	bool status, feedback, returned;
};

static bool
is_one_of(const char *type, const char *const *types)
{
	return g_strv_contains(types, type);
}

static void
sort_leaf(const struct mail_part *part, const char *type, void *context)
{
	static const char *const statuses[] = {
	    "message/delivery-status", "message/global-delivery-status", NULL};
	static const char *const messages[] = {"message/rfc822", "message/global",
	    "text/rfc822-headers", "text/rfc822-header", "message/global-headers", NULL};
	struct sorting *sorting = context;
	/* The first that says what the report is. */
	bool open = !sorting->status && !sorting->feedback;
	bool status = open && is_one_of(type, statuses);
	bool feedback = open && strcmp(type, "message/feedback-report") == 0;
	bool returned = is_one_of(type, messages) && !sorting->returned;

	if (status || feedback || returned) {
		gsize size;
		g_autofree char *content = mail_part_decode(part, &size);
		struct mail_part message = mail_part_split(content, size);

		if (status)
			mail_report_read_delivery(
			    sorting->report, (struct mail_slice){content, size});
		else if (feedback)
			mail_report_read_feedback(
			    sorting->report, (struct mail_slice){content, size});
		else
			mail_report_read_returned(sorting->report, &message.header);
		sorting->status |= status;
		sorting->feedback |= feedback;
		sorting->returned |= returned;
	} else if (strcmp(type, "text/plain") == 0 && !sorting->text) {
		sorting->text = mail_part_decode_text(part);
	} else if (strcmp(type, "text/html") == 0 && !sorting->html) {
		sorting->html = mail_part_decode_text(part);
	}
}

static const char *
text_of(struct sorting *sorting)
{
	if (!sorting->text && sorting->html)
		sorting->text = mail_textpart_from_html(sorting->html, strlen(sorting->html));
	return sorting->text;
}

static void
read_words(struct sorting *sorting, const struct mail_slice *header)
{
	struct mail_slice returned;

	if (!text_of(sorting))
		return;
	mail_report_read_text(sorting->report, header, sorting->text, &returned);
	if (sorting->returned || returned.size == 0)
		return;
	struct mail_part message = mail_part_split(returned.text, returned.size);
	mail_report_read_returned(sorting->report, &message.header);
}

static bool
lacks_words(const struct mail_report_recipient *recipient)
{
	return !recipient->diagnostic && (recipient->action == MAIL_REPORT_FAILED ||
					     recipient->action == MAIL_REPORT_DELAYED);
}

static const struct mail_report_recipient *
find_final(const struct mail_report *report, const struct mail_report_recipient *wanted)
{
	for (guint i = 0; wanted->final && i < report->recipients->len; i++) {
		const struct mail_report_recipient *recipient = report->recipients->pdata[i];

		if (recipient->final && recipient->action == wanted->action &&
		    g_ascii_strcasecmp(recipient->final, wanted->final) == 0)
			return recipient;
	}
	return NULL;
}

/* What fields do not say (Exim has no Diagnostic-Code for what it refuses itself) the words beside
   them may. */
static void
add_words(struct sorting *sorting, const struct mail_slice *header)
{
	const GPtrArray *recipients = sorting->report->recipients;
	AUTO(mail_report) words = NULL;
	struct mail_slice returned;

	for (guint i = 0; i < recipients->len; i++) {
		struct mail_report_recipient *recipient = recipients->pdata[i];

		if (!lacks_words(recipient) || !text_of(sorting))
			continue;
		if (!words) {
			words = mail_report_new();
			mail_report_read_text(words, header, sorting->text, &returned);
		}
		const struct mail_report_recipient *found = find_final(words, recipient);
		if (found && found->diagnostic)
			mail_report_say(recipient, found->diagnostic);
	}
}

static void
judge_kind(struct sorting *sorting, const struct mail_slice *header)
{
	struct mail_report *report = sorting->report;

	if (sorting->feedback) {
		report->kind = MAIL_REPORT_COMPLAINT;
		report->format = "ARF";
	} else if (report->recipients->len > 0) {
		report->kind = MAIL_REPORT_DELIVERY;
		report->format = "RFC 3464";
		add_words(sorting, header);
	} else if (report->junk) {
		report->kind = MAIL_REPORT_COMPLAINT;
		report->format = "JMRP";
		mail_report_add(report, g_strdup(report->junk), NULL, MAIL_REPORT_UNKNOWN);
	} else {
		read_words(sorting, header);
	}
}

/* What the parts make of the report; the words count only where nothing else says it. */
static void
judge(struct sorting *sorting, const struct mail_slice *header)
{
	const GPtrArray *recipients = sorting->report->recipients;

	judge_kind(sorting, header);
	for (guint i = 0; i < recipients->len; i++)
		mail_report_conclude(recipients->pdata[i]);
}

struct mail_report *
mail_report_parse(const void *message, gsize size)
{
	struct mail_report *report = mail_report_new();
	struct sorting sorting = {.report = report};
	gsize length;
	g_autofree char *text = mail_part_text(message, MIN(size, LIMIT_REPORT_BYTES), &length);
	struct mail_part whole = mail_part_split(text, length);

	base_secret_sha256(whole.body.text, whole.body.size, report->digest);
	mail_part_walk(&whole, sort_leaf, &sorting);
	judge(&sorting, &whole.header);
	mail_report_read_own(report, &whole.header);
	g_free(sorting.text);
	g_free(sorting.html);
	return report;
}
