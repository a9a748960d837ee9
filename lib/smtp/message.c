/* SPDX-License-Identifier: MIT */
/* Messages to send, and the outcome of each recipient. */
#include "smtp/message.h"

#include <stdbool.h>
#include <string.h>

void
smtp_message_clear(struct smtp_message *message)
{
	for (guint i = 0; i < message->count; i++) {
		struct smtp_recipient *recipient = &message->recipients[i];
		recipient->outcome = SMTP_NOT_TRIED;
		recipient->stage = SMTP_STAGE_SESSION;
		recipient->code = 0;
		recipient->enhanced[0] = '\0';
		g_clear_pointer(&recipient->text, g_free);
	}
}

enum smtp_outcome
smtp_message_outcome(int code)
{
	/* 503 says that a command came out of order; it judges neither recipient nor message. */
	return code / 100 == 5 && code != 503 ? SMTP_PERMANENT : SMTP_TEMPORARY;
}

char *
smtp_message_text(const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);
	GString *line = g_string_new(NULL);

	for (const char *p = valid; *p; p = g_utf8_next_char(p)) {
		gunichar c = g_utf8_get_char(p);
		bool blank = g_unichar_isspace(c) || !g_unichar_isprint(c);
		if (blank && (line->len == 0 || line->str[line->len - 1] == ' '))
			continue;
		gsize size = blank ? 1 : (gsize)(g_utf8_next_char(p) - p);
		if (line->len + size > SMTP_TEXT_BYTES)
			break;
		g_string_append_unichar(line, blank ? ' ' : c);
	}
	if (line->len > 0 && line->str[line->len - 1] == ' ')
		g_string_truncate(line, line->len - 1);
	return g_string_free(line, FALSE);
}

/* The length of the enhanced status code at the beginning of text (RFC 3463 section 2); 0: none. */
static gsize
enhanced_size(const char *text)
{
	static const gsize most_digits[] = {1, 3, 3};
	const char *p = text;

	if (*p != '2' && *p != '4' && *p != '5')
		return 0;
	for (int i = 0; i < 3; i++) {
		gsize digits = strspn(p, "0123456789");
		if (digits < 1 || digits > most_digits[i])
			return 0;
		p += digits;
		if (i < 2 && *p++ != '.')
			return 0;
	}
	return *p == '\0' || g_ascii_isspace(*p) ? (gsize)(p - text) : 0;
}

static void
message_set(struct smtp_recipient *recipient, enum smtp_outcome outcome, enum smtp_stage stage,
    int code, const char *text)
{
	recipient->outcome = outcome;
	recipient->stage = stage;
	recipient->code = code;
	g_free(recipient->text);
	recipient->text = smtp_message_text(text);
}

void
smtp_message_set_reply(struct smtp_recipient *recipient, enum smtp_outcome outcome,
    enum smtp_stage stage, int code, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
	GString *rest = g_string_new(NULL);

	recipient->enhanced[0] = '\0';
	if (lines[0])
		g_strlcpy(recipient->enhanced, lines[0], enhanced_size(lines[0]) + 1);
	for (char **line = lines; *line; line++)
		g_string_append_printf(rest, "%s\n", *line + enhanced_size(*line));
	message_set(recipient, outcome, stage, code, rest->str);
	g_string_free(rest, TRUE);
}

void
smtp_message_set_reason(struct smtp_recipient *recipient, enum smtp_outcome outcome,
    enum smtp_stage stage, const char *enhanced, const char *text)
{
	g_strlcpy(recipient->enhanced, enhanced, SMTP_ENHANCED_SIZE);
	message_set(recipient, outcome, stage, 0, text);
}
