/* SPDX-License-Identifier: MIT */
/* Reads what reports say in fields. */
#include "mail/report_field.h"

#include <string.h>

#include "base/limits.h"
#include "mail/report_recipient.h"

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

/* Where a server leaves the action out. */
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

void
mail_report_read_delivery(struct mail_report *report, struct mail_slice content)
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

void
mail_report_read_feedback(struct mail_report *report, struct mail_slice content)
{
	mail_part_fields(&content, read_feedback_field, report);
}

/* The addresses in a list of them, names and all; what is none is passed over. */
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

void
mail_report_read_returned(struct mail_report *report, const struct mail_slice *header)
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

void
mail_report_read_own(struct mail_report *report, const struct mail_slice *header)
{
	mail_part_fields(header, read_own_field, report);
}
