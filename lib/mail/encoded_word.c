/* SPDX-License-Identifier: MIT */
/* Puts UTF-8 text into encoded words, in whole characters. */
#include "mail/encoded_word.h"

#include <stdbool.h>
#include <string.h>

#define FRAME "=?utf-8?%c?"
#define FRAME_LENGTH 12 /* with what ends it, ?= */

/* The characters that stand for themselves in a Q encoded word, wherever it stands (RFC 2047
 * section 5, rule 3). */
static bool
is_q_literal(char c)
{
	return g_ascii_isalnum(c) || (c && strchr("!*+-/", c));
}

static gsize
q_size(const char *text, gsize size)
{
	gsize total = 0;

	for (gsize i = 0; i < size; i++)
		total += is_q_literal(text[i]) || text[i] == ' ' ? 1 : 3;
	return total;
}

static gsize
b_size(gsize size)
{
	return (size + 2) / 3 * 4;
}

static void
append_q(GString *out, const char *text, gsize size)
{
	for (gsize i = 0; i < size; i++) {
		if (is_q_literal(text[i]))
			g_string_append_c(out, text[i]);
		else if (text[i] == ' ')
			g_string_append_c(out, '_');
		else
			g_string_append_printf(out, "=%02X", (guchar)text[i]);
	}
}

static void
append_b(GString *out, const char *text, gsize size)
{
	g_autofree char *base64 = g_base64_encode((const guchar *)text, size);

	g_string_append(out, base64);
}

static gsize
encoded_size(enum mail_encoded_word form, const char *text, gsize size)
{
	return form == MAIL_ENCODED_WORD_Q ? q_size(text, size) : b_size(size);
}

enum mail_encoded_word
mail_encoded_word_choose(const char *text)
{
	gsize size = strlen(text);

	return q_size(text, size) <= b_size(size) ? MAIL_ENCODED_WORD_Q : MAIL_ENCODED_WORD_B;
}

/* How many bytes, in whole characters, come to no more than room. In base64, padding may end the
 * last word alone, for readers that join the words before they decode them; so this may be none. */
static gsize
take(enum mail_encoded_word form, const char *text, gsize room)
{
	gsize size = 0;

	for (const char *end = text; *end;) {
		end = g_utf8_next_char(end);
		gsize next = (gsize)(end - text);
		if (encoded_size(form, text, next) > room)
			break;
		if (form == MAIL_ENCODED_WORD_Q || next % 3 == 0 || !*end)
			size = next;
	}
	return size;
}

gsize
mail_encoded_word_append(GString *out, enum mail_encoded_word form, const char *text, gsize room)
{
	gsize limit = MIN(room, MAIL_ENCODED_WORD_MAX) - FRAME_LENGTH;
	gsize size = take(form, text, limit);

	if (size == 0) {
		form = MAIL_ENCODED_WORD_Q;
		size = take(form, text, limit);
	}
	g_string_append_printf(out, FRAME, form == MAIL_ENCODED_WORD_Q ? 'q' : 'b');
	if (form == MAIL_ENCODED_WORD_Q)
		append_q(out, text, size);
	else
		append_b(out, text, size);
	g_string_append(out, "?=");
	return size;
}
