/* Puts replies into words and numbers that can be kept. */
#include "smtp/result.h"

#include <stdbool.h>
#include <string.h>

enum smtp_outcome
smtp_result_of(int code)
{
	/* 503 says that we spoke out of turn; it is no verdict on anything. libesmtp also shows it
	   in place of a 4xx to an earlier part of a message sent by BDAT. */
	return code / 100 == 5 && code != 503 ? SMTP_PERMANENT : SMTP_TEMPORARY;
}

char *
smtp_result_text(const char *text)
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

/* Reads "5.1.1 " at the beginning of text (RFC 3463 2); returns what follows, or text. */
static const char *
read_enhanced(const char *text, char enhanced_r[SMTP_ENHANCED_SIZE])
{
	static const gsize most_digits[] = {1, 3, 3};
	const char *p = text;

	if (*p != '2' && *p != '4' && *p != '5')
		return text;
	for (int i = 0; i < 3; i++) {
		gsize digits = strspn(p, "0123456789");
		if (digits < 1 || digits > most_digits[i])
			return text;
		p += digits;
		if (i < 2 && *p++ != '.')
			return text;
	}
	if (*p != '\0' && !g_ascii_isspace(*p))
		return text;
	g_strlcpy(enhanced_r, text, (gsize)(p - text) + 1);
	return p;
}

static void
set(struct smtp_recipient *recipient, enum smtp_outcome outcome, enum smtp_stage stage, int code,
    const char *text)
{
	recipient->outcome = outcome;
	recipient->stage = stage;
	recipient->code = code;
	g_free(recipient->text);
	recipient->text = smtp_result_text(text);
}

void
smtp_result_set(struct smtp_recipient *recipient, enum smtp_outcome outcome, enum smtp_stage stage,
    int code, const int enhanced[3], const char *text)
{
	text = text ? text : "";
	recipient->enhanced[0] = '\0';
	if ((enhanced[0] == 2 || enhanced[0] == 4 || enhanced[0] == 5) && enhanced[1] >= 0 &&
	    enhanced[1] <= 999 && enhanced[2] >= 0 && enhanced[2] <= 999)
		g_snprintf(recipient->enhanced, SMTP_ENHANCED_SIZE, "%d.%d.%d", enhanced[0],
		    enhanced[1], enhanced[2]);
	else
		text = read_enhanced(text, recipient->enhanced);
	set(recipient, outcome, stage, code, text);
}

void
smtp_result_explain(struct smtp_recipient *recipient, enum smtp_outcome outcome,
    enum smtp_stage stage, const char *enhanced, const char *text)
{
	g_strlcpy(recipient->enhanced, enhanced, SMTP_ENHANCED_SIZE);
	set(recipient, outcome, stage, 0, text);
}
