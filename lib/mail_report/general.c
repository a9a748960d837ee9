/* SPDX-License-Identifier: MIT */
/* Reads bounces in words that no pattern knows: servers word their reports as they like, but nearly
   all repeat a reply's code or say in some words that a message did not arrive. */

#include <string.h>

#include "base/limits/email.h"
#include "base/limits/report.h"
#include "mail/words.h"
#include "mail_report/report.h"

static bool
general_has_word(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (strstr(text, *words))
			return true;
	return false;
}

/* The value of a field in lower case, with its encoded words as they stand; "" without it. */
static char *
lower_field(const struct mail_slice *header, const char *name)
{
	g_autofree char *value = mail_part_field(header, name);

	return g_ascii_strdown(value ? value : "", -1);
}

static bool
is_daemon(const char *from)
{
	static const char *const names[] = {"post_master", "imss@", "mailer-daemon", "mailerdaemon",
	    "mail-daemon", "mailer daemon", "postmaster", "mail delivery", "maildelivery",
	    "mdaemon", "daemon@", "mail system", "mailsystem", "mail administrator", "mailadmin",
	    "email system", "delivery subsystem", "delivery system", "delivery service",
	    "delivery notification", "delivery status", "mail subsystem", "undeliverable",
	    "microsoft exchange", "system administrator", "system attendant", "mail router",
	    "mail server", "mailserver", "mta@", "mail transport", "mailgate", NULL};

	return general_has_word(from, names);
}

/* The subject as a reader sees it; "" without one. */
static char *
general_subject_of(const struct mail_slice *header)
{
	g_autofree char *value = mail_part_field(header, "Subject");

	return mail_words_decode(value ? value : "");
}

/* Whether a subject is that of an answer or of a forwarded message. */
static bool
is_prefixed(const char *subject)
{
	static const char *const prefixes[] = {"re:", "fw:", "fwd:", "aw:", "wg:", "tr:", "sv:"};

	for (gsize i = 0; i < G_N_ELEMENTS(prefixes); i++)
		if (g_ascii_strncasecmp(subject, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/* Whether a subject tells a failure. */
static bool
is_title(const char *subject)
{
	return !is_prefixed(subject) &&
	       mail_report_failure_topics(subject) &
		   (MAIL_REPORT_FAILURE_REFUSED | MAIL_REPORT_FAILURE_WAITING);
}

static bool
is_robot(const char *from)
{
	return strcmp(from, "<>") == 0 || is_daemon(from);
}

/* A field that only answers of persons' programs have. */
static bool
is_answer(const struct mail_slice *header)
{
	static const char *const fields[] = {"X-Autoreply", "X-Autorespond", "X-Autoresponder",
	    "X-Mail-Autoreply", "X-Vacation", "X-Apple-Action"};

	for (gsize i = 0; i < G_N_ELEMENTS(fields); i++) {
		g_autofree char *value = mail_part_field(header, fields[i]);

		if (value)
			return true;
	}
	g_autofree char *precedence = lower_field(header, "Precedence");
	return strcmp(precedence, "auto_reply") == 0;
}

bool
mail_report_is_automatic(const struct mail_slice *header)
{
	g_autofree char *from = lower_field(header, "From");
	g_autofree char *path = lower_field(header, "Return-Path");
	g_autofree char *subject = general_subject_of(header);
	g_autofree char *answered = mail_part_field(header, "In-Reply-To");
	g_autofree char *automatic = lower_field(header, "Auto-Submitted");
	g_autofree char *failed = mail_part_field(header, "X-Failed-Recipients");
	bool absent = mail_report_failure_topics(subject) & MAIL_REPORT_FAILURE_ABSENT;

	if (failed || strstr(automatic, "rejected"))
		return true;
	/* The subject of a bounce may repeat that of an answer. */
	if (is_answer(header) || (absent && !(is_daemon(from) && is_title(subject))))
		return false;
	return is_robot(from) || is_daemon(path) || is_title(subject) ||
	       (strcmp(path, "<>") == 0 && !g_str_has_prefix(automatic, "auto-replied") &&
		   !answered && !is_prefixed(subject));
}

/* A field that stands in returned messages, and in no report's own words. */
static bool
begins_header(const char *lower)
{
	/* The last one begins fields whose MIME type was lost. */
	static const char *const fields[] = {"received: ", "received:from", "message-id:<",
	    "return-path: ", "message-id: ", "dkim-signature: ", "mime-version: ", "delivered-to: ",
	    "x-mailer: ", "reporting-mta: "};

	for (gsize i = 0; i < G_N_ELEMENTS(fields); i++)
		if (g_str_has_prefix(lower, fields[i]))
			return true;
	return false;
}

struct mail_slice
mail_report_cut_copy(const char *text, struct mail_slice *returned_r)
{
	struct mail_slice rest = {text, strlen(text)}, line;
	const char *block = text; /* the begin of these lines without an empty one */

	while (mail_part_line(&rest, &line)) {
		g_autofree char *head = g_strndup(line.text, MIN(line.size, (gsize)200));
		g_autofree char *lower = g_ascii_strdown(head, -1);

		if (mail_report_begins_copy(lower)) {
			while (rest.size > 0 && g_ascii_isspace(*rest.text))
				mail_part_line(&rest, &line);
			*returned_r = rest;
			return (struct mail_slice){text, (gsize)(line.text - text)};
		}
		if (begins_header(lower)) {
			*returned_r =
			    (struct mail_slice){block, (gsize)(rest.text + rest.size - block)};
			return (struct mail_slice){text, (gsize)(block - text)};
		}
		if (!*g_strchug(lower))
			block = rest.text;
	}
	*returned_r = (struct mail_slice){text, 0};
	return (struct mail_slice){text, strlen(text)};
}

/* Keeps the addresses in the words. */
static void
mention(struct mail_report *report, const char *words)
{
	for (const char *at = words; (at = strchr(at, '@')); at++) {
		const char *begin = at, *rest;

		while (begin > words && at - begin < LIMIT_ADDRESS_BYTES &&
		       !strchr(" \t\n<>()[]{}\"',;:=", begin[-1]))
			begin--;
		if (report->mentioned->len >= LIMIT_REPORT_NAMES)
			return;
		char *address = mail_report_leading_address(begin, &rest);
		if (address)
			g_ptr_array_add(report->mentioned, address);
	}
}

#define MAILBOX (MAIL_REPORT_FAILURE_GONE | MAIL_REPORT_FAILURE_DISABLED | MAIL_REPORT_FAILURE_FULL)

/* The place from which on the words speak of the recipient: the first line with an address, a code,
   a status or words about the mailbox. In front of it stands what a server says to everybody. */
static const char *
general_body_of(const char *words)
{
	for (const char *line = words; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		g_autofree char *text = g_strndup(line, strcspn(line, "\n"));
		char status[12];

		if (strchr(text, '@') || mail_report_failure_find_code(text) ||
		    mail_report_failure_find_status(text, status) ||
		    mail_report_failure_topics(text) & MAILBOX)
			return line;
		if (!*line)
			break;
	}
	return words;
}

#define REASONS                                                                                    \
	(MAIL_REPORT_FAILURE_GONE | MAIL_REPORT_FAILURE_DISABLED | MAIL_REPORT_FAILURE_FULL |      \
	    MAIL_REPORT_FAILURE_SIZE | MAIL_REPORT_FAILURE_POLICY | MAIL_REPORT_FAILURE_HOST |     \
	    MAIL_REPORT_FAILURE_NETWORK | MAIL_REPORT_FAILURE_UNAVAILABLE)

static bool
tells_reason(const char *text)
{
	char status[12];

	return mail_report_failure_find_code(text) ||
	       mail_report_failure_find_status(text, status) ||
	       mail_report_failure_topics(text) & REASONS;
}

/* The action that these words tell. */
static enum mail_report_action
action_of(const struct mail_slice *header, const char *words)
{
	g_autofree char *subject = general_subject_of(header);
	g_autofree char *from = lower_field(header, "From");
	guint topics = mail_report_failure_topics(words);
	guint titled = is_title(subject) ? mail_report_failure_topics(subject) : 0;

	if ((topics | titled) & MAIL_REPORT_FAILURE_WAITING)
		return MAIL_REPORT_DELAYED;
	if ((topics | titled) & MAIL_REPORT_FAILURE_REFUSED)
		return is_robot(from) || !(topics & MAIL_REPORT_FAILURE_ABSENT)
			   ? MAIL_REPORT_FAILED
			   : MAIL_REPORT_UNKNOWN;
	return is_robot(from) && !(topics & MAIL_REPORT_FAILURE_ABSENT) && tells_reason(words)
		   ? MAIL_REPORT_FAILED
		   : MAIL_REPORT_UNKNOWN;
}

static void
general_complete(struct mail_report *report, const char *words)
{
	for (guint i = 0; i < report->recipients->len; i++) {
		struct mail_report_recipient *recipient = report->recipients->pdata[i];

		if (!recipient->diagnostic)
			mail_report_say(recipient, words);
	}
}

/* Adds a recipient for each line that begins with an address and tells a reason behind it. */
static void
general_add_lines(struct mail_report *report, enum mail_report_action action, const char *words)
{
	struct mail_slice rest = {words, strlen(words)}, line;

	while (mail_part_line(&rest, &line)) {
		g_autofree char *own = g_strndup(line.text, line.size);
		const char *reason;
		char *address = mail_report_leading_address(own, &reason);

		if (!address || !tells_reason(reason)) {
			g_free(address);
			continue;
		}
		struct mail_report_recipient *recipient =
		    mail_report_add(report, NULL, address, action);
		if (recipient && !recipient->diagnostic)
			mail_report_say(recipient, reason);
	}
}

/* Reads words about several recipients, each in a line of its own, for those whose line it is. */
static void
general_read_lines(struct mail_report *report, enum mail_report_action action, const char *words)
{
	AUTO(mail_report) lines = mail_report_new();

	general_add_lines(lines, action, words);
	if (lines->recipients->len > 1)
		general_add_lines(report, action, words);
}

void
mail_report_read_general(struct mail_report *report, const struct mail_slice *header,
    const char *text, struct mail_slice *returned_r)
{
	struct mail_slice front = mail_report_cut_copy(text, returned_r);
	g_autofree char *words = g_strndup(front.text, MIN(front.size, MAIL_REPORT_FAILURE_BYTES));
	g_autofree char *valid = g_utf8_make_valid(words, -1);
	const char *body = general_body_of(valid);

	if (!mail_report_is_automatic(header))
		return;
	if (!tells_reason(body))
		body = valid;
	if (report->recipients->len > 0) {
		if (tells_reason(body))
			general_complete(report, body);
		return;
	}
	enum mail_report_action action = action_of(header, valid);
	if (action == MAIL_REPORT_UNKNOWN)
		return;
	mail_report_say(mail_report_add(report, NULL, NULL, action), body);
	general_read_lines(report, action, valid);
	mention(report, valid);
	report->kind = MAIL_REPORT_DELIVERY;
	report->format = "words";
}
