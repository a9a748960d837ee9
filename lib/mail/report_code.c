/* SPDX-License-Identifier: MIT */
/* What was the matter: codes and phrases in the diagnostics of reports. */
#include <string.h>

#include "base/limits.h"
#include "mail/report_recipient.h"

/* What servers say for want of a code, in lower case; the first that is found counts. */
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

/* A number of at most digits digits; the place behind it, NULL when there is none. */
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

	/* Longer ones are addresses of machines, or versions of programs. */
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

/* Words tell what a code leaves open, but not against the class that a code has. */
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
