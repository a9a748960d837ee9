/* SPDX-License-Identifier: MIT */
/* Reads reports: the machine-readable parts, and the message that came back. */

#include <string.h>

#include "base/limits.h"
#include "mail/part.h"
#include "mail/report.h"
#include "mail/textpart.h"

static enum mail_report_action
read_action(const char *text)
{
	for (int action = MAIL_REPORT_FAILED; action <= MAIL_REPORT_EXPANDED; action++) {
		const char *name = mail_report_action_name((enum mail_report_action)action);
		gsize length = strlen(name);

		/* A comment may follow. */
		if (g_ascii_strncasecmp(text, name, length) == 0 && !g_ascii_isalpha(text[length]))
			return (enum mail_report_action)action;
	}
	return MAIL_REPORT_UNKNOWN;
}

/* The action for a status, for servers that leave the action out. */
static enum mail_report_action
action_of_status(const char *status)
{
	switch (*status) {
	case '2':
		return MAIL_REPORT_DELIVERED;
	case '4':
		return MAIL_REPORT_DELAYED;
	case '5':
		return MAIL_REPORT_FAILED;
	default:
		return MAIL_REPORT_UNKNOWN;
	}
}

/* The address in the first of these fields that holds one. */
static char *
read_address(const struct mail_slice *group, const char *const *names)
{
	for (; *names; names++) {
		g_autofree char *value = mail_part_field(group, *names);
		char *address = value ? mail_report_address(value) : NULL;

		if (address)
			return address;
	}
	return NULL;
}

/* The text behind "smtp;". */
static const char *
diagnostic_of(const char *field)
{
	gsize type =
	    strspn(field, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");
	const char *rest = field + type + strspn(field + type, " \t");

	return type > 0 && *rest == ';' ? rest + 1 : field;
}

static void
read_recipient(struct mail_report *report, const struct mail_slice *group)
{
	static const char *const originals[] = {"Original-Recipient", NULL};
	static const char *const finals[] = {"Final-Recipient", "X-Actual-Recipient", NULL};
	g_autofree char *action_field = mail_part_field(group, "Action");
	g_autofree char *status_field = mail_part_field(group, "Status");
	g_autofree char *diagnostic = mail_part_field(group, "Diagnostic-Code");
	char status[12] = "";

	if (status_field)
		mail_report_read_status(status_field, status);
	enum mail_report_action action =
	    action_field ? read_action(action_field) : MAIL_REPORT_UNKNOWN;
	if (action == MAIL_REPORT_UNKNOWN)
		action = action_of_status(status);
	if (action == MAIL_REPORT_UNKNOWN)
		return;
	struct mail_report_recipient *recipient = mail_report_add(
	    report, read_address(group, originals), read_address(group, finals), action);
	if (!recipient)
		return;
	g_strlcpy(recipient->status, status, sizeof(recipient->status));
	if (diagnostic && !recipient->diagnostic)
		mail_report_say(recipient, diagnostic_of(diagnostic));
}

/* The next group of fields: those up to an empty line. */
static bool
next_group(struct mail_slice *rest, struct mail_slice *group_r)
{
	struct mail_slice line;

	while (rest->size > 0 && *rest->text == '\n')
		mail_part_line(rest, &line);
	*group_r = (struct mail_slice){rest->text, 0};
	while (mail_part_line(rest, &line) && line.size > 0 && strspn(line.text, " \t") < line.size)
		group_r->size = (gsize)(rest->text - group_r->text);
	return group_r->size > 0;
}

/* Adds the statements of a decoded message/delivery-status (RFC 3464 section 2). */
static void
read_delivery(struct mail_report *report, struct mail_slice content)
{
	struct mail_slice group;

	while (next_group(&content, &group)) {
		if (!report->envid)
			report->envid = mail_part_field(&group, "Original-Envelope-Id");
		read_recipient(report, &group);
	}
}

static void
add_name(GPtrArray *names, char *name)
{
	if (name && *name && names->len < LIMIT_REPORT_NAMES)
		g_ptr_array_add(names, name);
	else
		g_free(name);
}

/* Adds each <...> of a field. */
static void
add_ids(GPtrArray *ids, const char *value)
{
	const char *end;

	for (const char *p = value; (p = strchr(p, '<')) && (end = strchr(p, '>')); p = end)
		add_name(ids, g_strndup(p + 1, (gsize)(end - p) - 1));
}

static bool
read_feedback_field(const char *name, const char *value, void *context)
{
	struct mail_report *report = context;

	if (g_ascii_strcasecmp(name, "Feedback-Type") == 0 && !report->feedback) {
		report->feedback = g_ascii_strdown(value, (gssize)strcspn(value, " \t;("));
	} else if (g_ascii_strcasecmp(name, "Original-Envelope-Id") == 0 && !report->envid) {
		report->envid = g_strdup(value);
	} else if (g_ascii_strcasecmp(name, "Original-Mail-From") == 0) {
		add_name(report->paths, g_strdup(value));
	} else if (g_ascii_strcasecmp(name, "Original-Rcpt-To") == 0 ||
		   g_ascii_strcasecmp(name, "Removal-Recipient") == 0) {
		char *address = mail_report_address(value);

		if (address)
			mail_report_add(report, address, NULL, MAIL_REPORT_UNKNOWN);
	}
	return true;
}

/* Adds the statements of a decoded message/feedback-report (RFC 5965 section 3). */
static void
read_feedback(struct mail_report *report, struct mail_slice content)
{
	mail_part_fields(&content, read_feedback_field, report);
}

/* Adds the addresses of a list with names; skips anything else. */
static void
add_addresses(GPtrArray *addresses, const char *list)
{
	g_auto(GStrv) elements = g_strsplit(list, ",", 4 * LIMIT_REPORT_NAMES);

	for (char **element = elements; *element; element++) {
		const char *bracket = strrchr(*element, '<');

		add_name(addresses, mail_report_address(bracket ? bracket : g_strstrip(*element)));
	}
}

static bool
read_returned_field(const char *name, const char *value, void *context)
{
	struct mail_report *report = context;

	if (g_ascii_strcasecmp(name, "Message-ID") == 0) {
		add_ids(report->message_ids, value);
	} else if (g_ascii_strcasecmp(name, "Return-Path") == 0) {
		add_name(report->paths, g_strdup(value));
	} else if (g_ascii_strcasecmp(name, "To") == 0 || g_ascii_strcasecmp(name, "Cc") == 0) {
		add_addresses(report->addressees, value);
	} else if (g_ascii_strcasecmp(name, "X-HmXmrOriginalRecipient") == 0 && !report->junk) {
		report->junk = mail_report_address(value);
	}
	return true;
}

/* Adds the statements of the returned message's header. */
static void
read_returned(struct mail_report *report, const struct mail_slice *header)
{
	mail_part_fields(header, read_returned_field, report);
}

static bool
read_own_field(const char *name, const char *value, void *context)
{
	static const char *const paths[] = {
	    "Delivered-To", "X-Original-To", "Envelope-To", "X-Envelope-To", "To"};
	static const char *const answers[] = {
	    "In-Reply-To", "References", "X-Original-Message-ID", "Original-Message-ID"};
	struct mail_report *report = context;

	for (guint i = 0; i < G_N_ELEMENTS(paths); i++)
		if (g_ascii_strcasecmp(name, paths[i]) == 0)
			add_name(report->paths, g_strdup(value));
	for (guint i = 0; i < G_N_ELEMENTS(answers); i++)
		if (g_ascii_strcasecmp(name, answers[i]) == 0)
			add_ids(report->message_ids, value);
	return true;
}

/* Adds the statements of the report's own header: its recipient, and the message that it
   answers. */
static void
read_own(struct mail_report *report, const struct mail_slice *header)
{
	mail_part_fields(header, read_own_field, report);
}

/* The parts of the message that were found so far. */
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
	/* Only the first part that shows the kind of the report counts. */
	bool open = !sorting->status && !sorting->feedback;
	bool status = open && is_one_of(type, statuses);
	bool feedback = open && strcmp(type, "message/feedback-report") == 0;
	bool returned = is_one_of(type, messages) && !sorting->returned;

	if (status || feedback || returned) {
		gsize size;
		g_autofree char *content = mail_part_decode(part, &size);
		struct mail_part message = mail_part_split(content, size);

		if (status)
			read_delivery(sorting->report, (struct mail_slice){content, size});
		else if (feedback)
			read_feedback(sorting->report, (struct mail_slice){content, size});
		else
			read_returned(sorting->report, &message.header);
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
	read_returned(sorting->report, &message.header);
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

/* Takes missing diagnostics from the text beside the fields (Exim gives no Diagnostic-Code for
   its own refusals). */
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

/* Decides the kind of the report from its parts; text counts only where no part tells. */
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
	read_own(report, &whole.header);
	g_free(sorting.text);
	g_free(sorting.html);
	return report;
}
