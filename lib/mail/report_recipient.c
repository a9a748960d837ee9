/* SPDX-License-Identifier: MIT */
/* What reports say of one recipient: addresses in all their forms, and what was the matter. */
#include "mail/report_recipient.h"

#include <string.h>

#include "base/limits.h"
#include "mail/address.h"

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
	g_autofree char *from_xtext = mail_report_decode_xtext(bare);
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

/* What diagnostics may grow to before they are cut: a code may stand at their end. */
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
