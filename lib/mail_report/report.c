/* SPDX-License-Identifier: MIT */
/* The parts of a report: addresses, recipients, diagnostics, and the status and code in them. */
#include "mail_report/report.h"

#include <string.h>

#include "base/limits/email.h"
#include "base/limits/report.h"
#include "mail/address.h"

static void
report_free_recipient(void *pointer)
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
	report->recipients = g_ptr_array_new_with_free_func(report_free_recipient);
	report->paths = g_ptr_array_new_with_free_func(g_free);
	report->message_ids = g_ptr_array_new_with_free_func(g_free);
	report->addressees = g_ptr_array_new_with_free_func(g_free);
	report->mentioned = g_ptr_array_new_with_free_func(g_free);
	report->lists = g_ptr_array_new_with_free_func(g_free);
	report->feedback_ids = g_ptr_array_new_with_free_func(g_free);
	return report;
}

void
mail_report_free(struct mail_report *report)
{
	g_ptr_array_unref(report->recipients);
	g_ptr_array_unref(report->paths);
	g_ptr_array_unref(report->message_ids);
	g_ptr_array_unref(report->addressees);
	g_ptr_array_unref(report->mentioned);
	g_ptr_array_unref(report->lists);
	g_ptr_array_unref(report->feedback_ids);
	g_free(report->envid);
	g_free(report->feedback);
	g_free(report->junk);
	g_free(report);
}

/* "+2B" is a byte; a plus before anything else stays. */
static char *
decode_xtext(const char *text)
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
	g_autofree char *plain = decode_xtext(given);
	return g_ascii_strcasecmp(plain, address) == 0;
}

/* "\x{e4}" is a character. */
static char *
decode_unitext(const char *text)
{
	GString *plain = g_string_new(NULL);

	while (*text) {
		char *end = NULL;
		guint64 point = g_str_has_prefix(text, "\\x{")
				    ? g_ascii_strtoull(text + strlen("\\x{"), &end, 16)
				    : 0;

		if (point > 0 && *end == '}' && point <= 0x10ffff &&
		    g_unichar_validate((gunichar)point)) {
			g_string_append_unichar(plain, (gunichar)point);
			text = end + 1;
		} else {
			g_string_append_c(plain, *text++);
		}
	}
	return g_string_free(plain, FALSE);
}

static char *
normal_of(const char *text)
{
	char *normal = NULL;

	return strlen(text) <= 4 * LIMIT_ADDRESS_BYTES && mail_address_valid(text, &normal) ? normal
											    : NULL;
}

char *
mail_report_address(const char *text)
{
	const char *type = strchr(text, ';');
	g_autofree char *bare = g_strstrip(g_strdup(type ? type + 1 : text));
	gsize size = strlen(bare);

	if (size > 2 && bare[0] == '<' && bare[size - 1] == '>') {
		bare[size - 1] = '\0';
		memmove(bare, bare + 1, size - 1);
	}
	char *normal = normal_of(bare);
	if (normal)
		return normal;
	g_autofree char *from_xtext = decode_xtext(bare);
	g_autofree char *plain = decode_unitext(from_xtext);
	return normal_of(plain);
}

char *
mail_report_leading_address(const char *line, const char **rest_r)
{
	line += strspn(line, " \t*-'\"");
	bool bracketed = *line == '<';
	line += bracketed;
	gsize length = strcspn(line, bracketed ? "> \t" : " \t,;()<>'\"");

	if (length > LIMIT_ADDRESS_BYTES)
		return NULL;
	while (!bracketed && length > 0 && strchr(":.", line[length - 1]))
		length--;
	g_autofree char *address = g_strndup(line, length);
	char *normal = normal_of(address);
	line += length;
	*rest_r = line + strspn(line, bracketed ? "> \t:.,;'\"" : " \t:.,;'\"");
	return normal;
}

static bool
report_is_same(const char *a, const char *b)
{
	return a && b ? g_ascii_strcasecmp(a, b) == 0 : a == b;
}

struct mail_report_recipient *
mail_report_add(
    struct mail_report *report, char *original, char *final, enum mail_report_action action)
{
	g_autofree char *first = original, *second = final;

	for (guint i = 0; i < report->recipients->len; i++) {
		struct mail_report_recipient *known = report->recipients->pdata[i];

		if (known->action == action && report_is_same(known->original, original) &&
		    report_is_same(known->final, final))
			return known;
	}
	if (report->recipients->len == LIMIT_REPORT_RECIPIENTS)
		return NULL;
	struct mail_report_recipient *recipient = g_new0(struct mail_report_recipient, 1);
	recipient->original = g_steal_pointer(&first);
	recipient->final = g_steal_pointer(&second);
	recipient->action = action;
	g_ptr_array_add(report->recipients, recipient);
	return recipient;
}

/* Diagnostics grow up to this size before they are cut: a code may stand at their end. */
#define ROOM (8 * LIMIT_REPORT_DIAGNOSTIC_LENGTH)

void
mail_report_say(struct mail_report_recipient *recipient, const char *text)
{
	gsize known = recipient->diagnostic ? strlen(recipient->diagnostic) : 0;
	g_autoptr(GString) line = g_string_new(recipient->diagnostic);

	if (known >= ROOM)
		return;
	if (known > 0)
		g_string_append_c(line, ' ');
	for (const char *p = text; *p && line->len < ROOM; p = g_utf8_next_char(p)) {
		gunichar c = g_utf8_get_char(p);

		if (!g_unichar_isspace(c) && !g_unichar_iscntrl(c)) {
			g_string_append_unichar(line, c);
		} else if (line->len > 0 && line->str[line->len - 1] != ' ') {
			g_string_append_c(line, ' ');
		}
	}
	while (line->len > 0 && line->str[line->len - 1] == ' ')
		g_string_truncate(line, line->len - 1);
	if (line->len == known)
		return;
	g_free(recipient->diagnostic);
	recipient->diagnostic = g_strdup(line->str);
}

/* Words by which reports show the command that was answered, in lower case. */
static const struct sign {
	const char *text;
	enum mail_report_failure_stage stage;
} signs[] = {
    {"rcpt to", MAIL_REPORT_FAILURE_RCPT},
    {"[rcpt_to]", MAIL_REPORT_FAILURE_RCPT},
    {"rcpt command", MAIL_REPORT_FAILURE_RCPT},
    {"end of data", MAIL_REPORT_FAILURE_DATA},
    {"data command", MAIL_REPORT_FAILURE_DATA},
    {"after data", MAIL_REPORT_FAILURE_DATA},
    {">>> data", MAIL_REPORT_FAILURE_DATA},
    {"[data]", MAIL_REPORT_FAILURE_DATA},
    {"mail from command", MAIL_REPORT_FAILURE_MAIL},
    {"after mail from", MAIL_REPORT_FAILURE_MAIL},
    {">>> mail from", MAIL_REPORT_FAILURE_MAIL},
    {"after initial connection", MAIL_REPORT_FAILURE_MAIL},
    {"after helo", MAIL_REPORT_FAILURE_MAIL},
    {"after ehlo", MAIL_REPORT_FAILURE_MAIL},
    {"refused to talk to me", MAIL_REPORT_FAILURE_MAIL},
};

enum mail_report_failure_stage
mail_report_stage(const char *text)
{
	g_autofree char *lower = g_ascii_strdown(text, -1);

	for (gsize i = 0; i < G_N_ELEMENTS(signs); i++)
		if (strstr(lower, signs[i].text))
			return signs[i].stage;
	return MAIL_REPORT_FAILURE_UNKNOWN;
}

/* The reply in the diagnostic is nearer to the truth than the status beside it: some servers write
   5.1.1 for whatever they hear. */
static void
believe_reply(struct mail_report_recipient *recipient)
{
	char *status = recipient->status;
	char found[12];

	if (mail_report_failure_find_status(recipient->diagnostic, found) &&
	    (!mail_report_failure_is_vague(found) || !*status))
		g_strlcpy(status, found, sizeof(recipient->status));
	else if (recipient->code && *status && *status != '2')
		*status = (char)('0' + recipient->code / 100);
}

/* Whether the reply has no status of its own, and the one beside it says nothing. */
static bool
is_bare(const struct mail_report_recipient *recipient)
{
	char found[12];

	return recipient->code && mail_report_failure_is_vague(recipient->status) &&
	       !mail_report_failure_find_status(recipient->diagnostic, found);
}

void
mail_report_conclude(struct mail_report_recipient *recipient)
{
	const char *words = recipient->diagnostic;

	if (recipient->action != MAIL_REPORT_FAILED && recipient->action != MAIL_REPORT_DELAYED &&
	    !words)
		return;
	if (words) {
		recipient->code = mail_report_failure_find_code(words);
		believe_reply(recipient);
		if (recipient->stage == MAIL_REPORT_FAILURE_UNKNOWN)
			recipient->stage = mail_report_stage(words);
	}
	const char *own = is_bare(recipient) ? "" : recipient->status;
	struct mail_report_failure failure =
	    mail_report_failure_read(recipient->code, own, words, recipient->stage);
	if (*recipient->status != '2' && *failure.status)
		g_strlcpy(recipient->status, failure.status, sizeof(recipient->status));
	recipient->is_transient = failure.is_transient;
	recipient->is_gone = failure.is_gone;
	if (words && g_utf8_strlen(words, -1) > LIMIT_REPORT_DIAGNOSTIC_LENGTH)
		*g_utf8_offset_to_pointer(recipient->diagnostic, LIMIT_REPORT_DIAGNOSTIC_LENGTH) =
		    '\0';
}
