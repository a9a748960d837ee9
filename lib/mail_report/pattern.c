/* SPDX-License-Identifier: MIT */
/* Recognises bounces of servers that follow no standard, by their text. */

#include <string.h>

#include "base/limits/report.h"
#include "mail_report/report.h"

/* A line with begin starts a list of recipients, each at the start of a line, with the reasons
   between them. A line with end ends the list; a line with session starts text about all of
   them, or about the only one. Lower case. */
static const struct pattern {
	const char *name, *begin;
	enum mail_report_action action;
	bool leads;	   /* the recipient follows begin in the same line */
	bool reason_first; /* the reason precedes the recipient */
	const char *end, *session;
} patterns[] = {
#define FAILED .action = MAIL_REPORT_FAILED
#define DELAYED .action = MAIL_REPORT_DELAYED
    {"qmail", "able to deliver your message to the following addresses", FAILED},
    {"qmail", "unable to deliver message to the following address", FAILED},
    {"Exim", "the following address(es) failed:", FAILED},
    {"Exim", "the following address failed:", FAILED},
    {"Exim", "to which the message has not yet been delivered", DELAYED,
	.end = "no action is required on your part"},
    {"Exchange", "the following recipient(s) could not be reached:", FAILED},
    {"Exchange", "the following recipient(s) cannot be reached:", FAILED},
    {"Exchange", "delivery has failed to these recipients", FAILED},
    {"Exchange", "delivery is delayed to these recipients", DELAYED},
    {"Sendmail", "had permanent fatal errors", FAILED, .session = "transcript of session"},
    {"Sendmail", "had permanent delivery errors", FAILED, .session = "transcript of session"},
    {"Sendmail", "had transient non-fatal errors", DELAYED, .session = "transcript of session"},
    {"Sendmail", "had successful delivery notifications", .action = MAIL_REPORT_DELIVERED,
	.session = "transcript of session"},
    {"Postfix", "be delivered to one or more recipients", FAILED},
    {"Postfix", "be delivered to one or more destinations", FAILED},
    {"Postfix", "your message could not be delivered for more than", DELAYED},
    {"Gmail", "delivery to the following recipient failed permanently", FAILED},
    {"Gmail", "delivery to the following recipients failed permanently", FAILED},
    {"Gmail", "delivery to the following recipient has been delayed", DELAYED},
    {"Courier", "message to the following recipients cannot be delivered", FAILED, .end = "-----"},
    {"Domino", "failure reasons", FAILED, .reason_first = true},
    {"GroupWise", "was undeliverable to the following:", FAILED},
    {"smail", "failed addresses follow", FAILED},
    {"SES", "while trying to deliver the mail to the following recipients", FAILED},
    {"IMail", "unknown user: ", FAILED, .leads = true},
    {"IMail", "user mailbox exceeds allowed size: ", FAILED, .leads = true},
    {"MDaemon", "failed address: ", FAILED, .leads = true, .end = "end transcript"},
    {"CommuniGate", "failed to deliver to '", FAILED, .leads = true},
};

/* The returned message follows such a line. Lower case. */
static const char *const copies[] = {
    "below this line is a copy of the message",
    "this is a copy of ",
    "original message headers:",
    "original message follows",
    "message header follows",
    "message headers follow",
    "unsent message follows",
    "unsent message below",
    "----- original message -----",
    "returned message",
    "message text follows",
    "message contents follow",
    "original message header",
    "header of the original message",
    "headers of the original message",
    "included is a copy of",
    "below is a copy of",
    "a copy of the original message",
    "copy of the message header",
    "-original message",
    "original message -",
    "original message below",
    "original message is below",
    "original message text",
    "original message attached",
    "original text follows",
    "start of original message",
    "begin original message",
    "bounced e-mail:",
    "your message reads",
    "----- message header",
    "--- message header",
    "message header:",
    "first few lines of your message",
    "beginning of the original message",
    "undeliverable message header",
    "the following is the header",
    "*** original message",
};

struct reading {
	struct mail_report *report;
	const struct pattern *pattern; /* the pattern of this list; NULL: none has begun */
	const char *name;	       /* of the last list */
	struct mail_report_recipient *recipient;
	guint count;  /* recipients in this list */
	char *reason; /* the text before the next recipient */
	char *before; /* the line before, in lower case: a sentence may go on in the next one */
};

/* The pattern that begins in this line, or in the line before and ends in this one. */
static const struct pattern *
find_pattern(const char *before, const char *lower)
{
	g_autofree char *folded = g_strconcat(before, " ", lower, NULL);
	gsize size = strlen(before);

	for (guint i = 0; i < G_N_ELEMENTS(patterns); i++) {
		const char *at = strstr(folded, patterns[i].begin);

		if (at && (gsize)(at - folded) + strlen(patterns[i].begin) > size)
			return &patterns[i];
	}
	return NULL;
}

bool
mail_report_begins_copy(const char *lower)
{
	for (guint i = 0; i < G_N_ELEMENTS(copies); i++)
		if (strstr(lower, copies[i]))
			return true;
	return false;
}

/* "(generated from a@b)", "(expanded from <a@b>)": the address that we sent to. */
static char *
pattern_read_origin(const char *line)
{
	static const char *const words[] = {
	    "generated from ", "expanded from ", "expanded from: ", "generated by "};
	const char *rest;

	for (guint i = 0; i < G_N_ELEMENTS(words); i++) {
		const char *at = strstr(line, words[i]);
		char *address =
		    at ? mail_report_leading_address(at + strlen(words[i]), &rest) : NULL;

		if (address)
			return address;
	}
	return NULL;
}

static void
pattern_read_address(struct reading *reading, char *address, char *origin)
{
	reading->recipient =
	    mail_report_add(reading->report, origin, address, reading->pattern->action);
	reading->count++;
	if (reading->recipient && reading->reason)
		mail_report_say(reading->recipient, reading->reason);
	g_clear_pointer(&reading->reason, g_free);
}

static void
read_listed(struct reading *reading, const char *line)
{
	const char *rest = line;
	char *address = mail_report_leading_address(line, &rest);
	const char *said = address ? rest : line;
	char *origin = pattern_read_origin(said);

	if (address) {
		pattern_read_address(reading, address, origin);
	} else if (origin && reading->recipient && !reading->recipient->original) {
		reading->recipient->original = origin;
	} else if (origin && !reading->recipient) {
		/* "an undisclosed address" stands in front of it. */
		pattern_read_address(reading, NULL, origin);
	} else {
		g_free(origin);
	}
	if (!address && reading->pattern->reason_first && *line) {
		g_free(reading->reason);
		reading->reason = g_strdup(line);
	} else if (reading->recipient) {
		mail_report_say(reading->recipient, said);
	}
}

/* Reads a line that may begin a list, or contain the only recipient of one. */
static void
begin_list(
    struct reading *reading, const struct pattern *pattern, const char *line, const char *lower)
{
	reading->pattern = pattern;
	reading->name = pattern->name;
	reading->recipient = NULL;
	reading->count = 0;
	g_clear_pointer(&reading->reason, g_free);
	const char *at = strstr(lower, pattern->begin);

	if (!pattern->leads || !at)
		return;
	read_listed(reading, line + (at - lower) + strlen(pattern->begin));
	/* The line may be the only reason given. */
	if (reading->recipient)
		mail_report_say(reading->recipient, line);
}

static bool
pattern_has(const char *line, const char *text)
{
	return text && strstr(line, text);
}

/* Reads a line of a list, or behind one. */
static void
pattern_go_on(struct reading *reading, const char *line, const char *lower)
{
	if (pattern_has(lower, reading->pattern->end))
		reading->pattern = NULL;
	else if (!pattern_has(lower, reading->pattern->session))
		read_listed(reading, line);
	else if (reading->count != 1)
		reading->recipient = NULL;
}

/* False when the rest is the returned message. */
static bool
pattern_read_line(struct reading *reading, const struct mail_slice *slice)
{
	g_autofree char *line = g_strndup(slice->text, MIN(slice->size, LIMIT_FIELD_BYTES));
	g_autofree char *valid = g_strchug(g_utf8_make_valid(line, -1));
	g_autofree char *lower = g_ascii_strdown(valid, -1);
	/* Quoted text is no report. */
	const struct pattern *pattern =
	    *valid == '>' ? NULL : find_pattern(reading->before ? reading->before : "", lower);

	if (pattern)
		begin_list(reading, pattern, valid, lower);
	else if (reading->pattern && mail_report_begins_copy(lower))
		return false;
	else if (reading->pattern)
		pattern_go_on(reading, valid, lower);
	g_free(reading->before);
	reading->before = g_strchomp(g_steal_pointer(&lower));
	return true;
}

static void
read_failed_recipients(struct mail_report *report, const char *field)
{
	g_auto(GStrv) names = g_strsplit(field, ",", LIMIT_REPORT_RECIPIENTS + 1);
	bool listed = report->recipients->len > 0;

	for (char **name = names; *name && !listed; name++) {
		char *address = mail_report_address(*name);

		if (address)
			mail_report_add(report, NULL, address, MAIL_REPORT_FAILED);
	}
}

void
mail_report_read_text(struct mail_report *report, const struct mail_slice *header, const char *text,
    struct mail_slice *returned_r)
{
	struct mail_slice rest = {text, strlen(text)}, line;
	struct reading reading = {.report = report};
	g_autofree char *failed = mail_part_field(header, "X-Failed-Recipients");
	bool more = true;

	*returned_r = (struct mail_slice){text, 0};
	while (more && mail_part_line(&rest, &line))
		more = pattern_read_line(&reading, &line);
	g_free(reading.reason);
	g_free(reading.before);
	if (!more) {
		while (rest.size > 0 && g_ascii_isspace(*rest.text))
			mail_part_line(&rest, &line);
		*returned_r = rest;
	}
	if (failed)
		read_failed_recipients(report, failed);
	if (report->recipients->len == 0)
		return;
	report->kind = MAIL_REPORT_DELIVERY;
	report->format = reading.name ? reading.name : "X-Failed-Recipients";
}
