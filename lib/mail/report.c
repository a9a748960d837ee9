/* SPDX-License-Identifier: MIT */
/* The parts of a report: addresses, recipients, diagnostics, and the status and code in them. */
#include "mail/report.h"

#include <string.h>

#include "base/limits.h"
#include "mail/address.h"

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
is_same(const char *a, const char *b)
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

		if (known->action == action && is_same(known->original, original) &&
		    is_same(known->final, final))
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

/* Phrases of servers that give no code, in lower case; the first that is found counts. */
static const struct phrase {
	const char *text, *status;
} phrases[] = {
    {"user unknown", "5.1.1"},
    {"unknown user", "5.1.1"},
    {"unknown recipient", "5.1.1"},
    {"recipient unknown", "5.1.1"},
    {"no such user", "5.1.1"},
    {"no such mailbox", "5.1.1"},
    {"no such recipient", "5.1.1"},
    {"no such account", "5.1.1"},
    {"no mailbox here by that name", "5.1.1"},
    {"user not found", "5.1.1"},
    {"mailbox not found", "5.1.1"},
    {"recipient not found", "5.1.1"},
    {"recipnotfound", "5.1.1"},
    {"address was not found", "5.1.1"},
    {"user doesn't have a", "5.1.1"},
    {"account does not exist", "5.1.1"},
    {"mailbox does not exist", "5.1.1"},
    {"user does not exist", "5.1.1"},
    {"address does not exist", "5.1.1"},
    {"not listed in domino directory", "5.1.1"},
    {"not a known user", "5.1.1"},
    {"unrouteable address", "5.1.1"},
    {"invalid mailbox", "5.1.1"},
    {"account has been disabled", "5.2.1"},
    {"account is disabled", "5.2.1"},
    {"mailbox disabled", "5.2.1"},
    {"mailbox is full", "5.2.2"},
    {"mailbox full", "5.2.2"},
    {"mailbox exceeds allowed size", "5.2.2"},
    {"exceeded storage allocation", "5.2.2"},
    {"over quota", "5.2.2"},
    {"over its quota", "5.2.2"},
    {"quota exceeded", "5.2.2"},
    {"exceeded the quota", "5.2.2"},
    {"out of storage space", "5.2.2"},
    {"message too large", "5.2.3"},
    {"host unknown", "5.1.2"},
    {"unknown host", "5.1.2"},
    {"couldn't find any host named", "5.1.2"},
    {"host not found", "5.1.2"},
    {"queue too long", "4.4.7"},
    {"retry timeout exceeded", "4.4.7"},
    {"retry time not reached", "4.4.7"},
};

/* The place behind a number of at most so many digits; NULL without one. */
static const char *
skip_number(const char *text, gsize digits)
{
	gsize length = strspn(text, "0123456789");

	return length > 0 && length <= digits ? text + length : NULL;
}

bool
mail_report_read_status(const char *text, char status_r[12])
{
	const char *begin = text + strspn(text, " \t");
	const char *end = strchr("245", *begin) && *begin && begin[1] == '.' && begin[2] >= '0' &&
				  begin[2] <= '7' && begin[3] == '.'
			      ? skip_number(begin + 4, 3)
			      : NULL;

	/* Longer ones are IP addresses or versions of programs. */
	if (!end || g_ascii_isalnum(*end) || (*end == '.' && g_ascii_isdigit(end[1])))
		return false;
	g_strlcpy(status_r, begin, MIN((gsize)12, (gsize)(end - begin) + 1));
	return true;
}

static bool
begins_word(const char *text, const char *at)
{
	return at == text || (!g_ascii_isalnum(at[-1]) && at[-1] != '.' && at[-1] != '-');
}

static bool
find_status(const char *text, char class, char status_r[12])
{
	for (const char *p = text; *p; p++)
		if ((class ? *p == class : *p == '4' || *p == '5') && begins_word(text, p) &&
		    mail_report_read_status(p, status_r))
			return true;
	return false;
}

static int
find_code(const char *text)
{
	for (const char *p = text; *p; p++)
		if ((*p == '4' || *p == '5') && begins_word(text, p) && p[1] >= '0' &&
		    p[1] <= '5' && g_ascii_isdigit(p[2]) && strchr(" -\t,;:)]>", p[3]))
			return (p[0] - '0') * 100 + (p[1] - '0') * 10 + (p[2] - '0');
	return 0;
}

static const char *
find_phrase(const char *text)
{
	g_autofree char *lower = g_ascii_strdown(text, -1);

	for (gsize i = 0; i < G_N_ELEMENTS(phrases); i++)
		if (strstr(lower, phrases[i].text))
			return phrases[i].status;
	return NULL;
}

static bool
is_vague(const char *status)
{
	return !*status || g_str_has_suffix(status, ".0.0");
}

/* A phrase completes a code, but does not contradict the code's class. */
static void
conclude_status(struct mail_report_recipient *recipient)
{
	char class = recipient->status[0];
	char found[12];

	if (!class && recipient->code)
		class = (char)('0' + recipient->code / 100);
	if (find_status(recipient->diagnostic, class, found) && !is_vague(found)) {
		g_strlcpy(recipient->status, found, sizeof(recipient->status));
		return;
	}
	const char *phrase = find_phrase(recipient->diagnostic);
	if (!phrase || class == '2')
		return;
	g_strlcpy(recipient->status, phrase, sizeof(recipient->status));
	if (class)
		recipient->status[0] = class;
}

void
mail_report_conclude(struct mail_report_recipient *recipient)
{
	if (!recipient->diagnostic)
		return;
	recipient->code = find_code(recipient->diagnostic);
	if (is_vague(recipient->status))
		conclude_status(recipient);
	if (g_utf8_strlen(recipient->diagnostic, -1) > LIMIT_REPORT_DIAGNOSTIC_LENGTH)
		*g_utf8_offset_to_pointer(recipient->diagnostic, LIMIT_REPORT_DIAGNOSTIC_LENGTH) =
		    '\0';
}
