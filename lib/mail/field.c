/* SPDX-License-Identifier: MIT */
/* Writes header fields: folding, encoded words, addresses and parameters. */
#include "mail/field.h"

#include <string.h>

#include "mail/address.h"

#define ENCODED_LINE_LENGTH 76 /* RFC 2047 section 2: of a line with an encoded word in it */

#define FRAME "=?utf-8?%c?"
#define FRAME_LENGTH 12 /* with the ?= at the end */

/* Whether a character stands for itself in every Q encoded word (RFC 2047 section 5, rule 3). */
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

/* The form that makes text shorter. */
static enum mail_encoded_word
shorter_form(const char *text)
{
	gsize size = strlen(text);

	return q_size(text, size) <= b_size(size) ? MAIL_ENCODED_WORD_Q : MAIL_ENCODED_WORD_B;
}

/* The number of bytes of text, in whole characters, whose encoding fits into room. In base64
   only the last word may end in padding, for readers that join the words before they decode
   them; so this may be 0. */
static gsize
fitting_bytes(enum mail_encoded_word form, const char *text, gsize room)
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
	gsize size = fitting_bytes(form, text, limit);

	if (size == 0) {
		form = MAIL_ENCODED_WORD_Q;
		size = fitting_bytes(form, text, limit);
	}
	g_string_append_printf(out, FRAME, form == MAIL_ENCODED_WORD_Q ? 'q' : 'b');
	if (form == MAIL_ENCODED_WORD_Q)
		append_q(out, text, size);
	else
		append_b(out, text, size);
	g_string_append(out, "?=");
	return size;
}

static gsize
column(const struct mail_field *field)
{
	return field->out->len - field->line;
}

static void
field_fold(struct mail_field *field)
{
	g_string_append(field->out, "\r\n");
	field->line = field->out->len;
}

static void
field_put(struct mail_field *field, const char *gap, gsize gap_size, const char *word, gsize size)
{
	gsize limit = field->empty ? MAIL_LINE_LENGTH_MAX : MAIL_LINE_LENGTH;

	if (column(field) + gap_size + size > limit) {
		field_fold(field);
		if (gap_size == 0)
			g_string_append_c(field->out, ' ');
	}
	g_string_append_len(field->out, gap, (gssize)gap_size);
	g_string_append_len(field->out, word, (gssize)size);
	field->empty = false;
}

void
mail_field_begin(struct mail_field *field, GString *out, const char *name)
{
	*field = (struct mail_field){.out = out, .line = out->len, .empty = true};
	g_string_append(out, name);
	g_string_append_c(out, ':');
}

void
mail_field_end(struct mail_field *field)
{
	g_string_append(field->out, "\r\n");
}

void
mail_field_word(struct mail_field *field, const char *gap, const char *word)
{
	field_put(field, gap, strlen(gap), word, strlen(word));
}

void
mail_field_fill(struct mail_field *field, const char *text)
{
	gsize left = strlen(text);

	while (left > 0) {
		gsize room = MAIL_LINE_LENGTH - MIN(column(field), MAIL_LINE_LENGTH);
		gsize size = MIN(left, MAX(room, 1));

		field_put(field, "", 0, text, size);
		text += size;
		left -= size;
	}
}

void
mail_field_words(struct mail_field *field, const char *text)
{
	const char *gap = " ";
	gsize gap_size = 1;

	text += strspn(text, " \t");
	while (*text) {
		gsize size = strcspn(text, " \t");

		field_put(field, gap, gap_size, text, size);
		gap = text + size;
		gap_size = strspn(gap, " \t");
		text = gap + gap_size;
	}
}

bool
mail_field_fits(const char *text)
{
	while (*text) {
		gsize gap = strspn(text, " \t");
		gsize size = strcspn(text + gap, " \t");

		if (MAX(gap, 1) + size > MAIL_LINE_LENGTH_MAX)
			return false;
		text += gap + size;
	}
	return true;
}

static void
put_encoded(struct mail_field *field, const char *gap, const char *text)
{
	enum mail_encoded_word form = shorter_form(text);

	while (*text) {
		gsize used = column(field) + strlen(gap);

		if (used + MAIL_ENCODED_WORD_MIN > ENCODED_LINE_LENGTH) {
			field_fold(field);
			gap = " ";
			used = 1;
		}
		g_string_append(field->out, gap);
		text +=
		    mail_encoded_word_append(field->out, form, text, ENCODED_LINE_LENGTH - used);
		gap = " ";
	}
	field->empty = false;
}

static bool
is_printable(const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			return false;
	return true;
}

/* A reader would decode text that looks like an encoded word. */
static bool
reads_as_itself(const char *text)
{
	return is_printable(text) && !strstr(text, "=?");
}

void
mail_field_text(struct mail_field *field, const char *text)
{
	bool edges = *text == ' ' || g_str_has_suffix(text, " ");

	if (reads_as_itself(text) && !edges && mail_field_fits(text))
		mail_field_words(field, text);
	else
		put_encoded(field, " ", text);
}

void
mail_field_value(struct mail_field *field, const char *value)
{
	g_autofree char *spaced = g_strdelimit(g_strdup(value), "\t", ' ');

	if (is_printable(spaced))
		mail_field_words(field, value);
	else
		mail_field_text(field, value);
}

/* Atoms with one space between each (RFC 5322 section 3.2.3). */
static bool
field_is_phrase(const char *text)
{
	char last = ' ';

	for (; *text; last = *text++)
		if (*text == ' ' ? last == ' ' : !mail_addr_spec_is_atext(*text))
			return false;
	return last != ' ';
}

/* A name is folded only between encoded words, since some readers keep the line break in it. */
void
mail_field_phrase(struct mail_field *field, const char *text)
{
	g_autofree char *quoted = mail_addr_spec_quote(text);

	if (!reads_as_itself(text) || strlen(quoted) >= MAIL_LINE_LENGTH)
		put_encoded(field, " ", text);
	else
		mail_field_word(field, " ", field_is_phrase(text) ? text : quoted);
}

void
mail_field_address(struct mail_field *field, const struct mail_address *address, bool comma)
{
	bool named = address->name && *address->name;
	g_autofree char *text =
	    g_strdup_printf(named ? "<%s>%s" : "%s%s", address->address, comma ? "," : "");

	if (named)
		mail_field_phrase(field, address->name);
	mail_field_word(field, " ", text);
}

static void
put_parameter(struct mail_field *field, const char *name, const char *mark, const char *value)
{
	g_autofree char *text = g_strdup_printf("%s%s=%s", name, mark, value);

	g_string_append_c(field->out, ';');
	mail_field_word(field, " ", text);
}

/* Splits the value into percent-encoded pieces that fit on a line, each of whole characters. */
static GPtrArray *
split_encoded(const char *name, const char *value)
{
	/* Space, name, "*99*=" and ";". */
	gsize room = MAIL_LINE_LENGTH - strlen(name) - 7;
	GPtrArray *pieces = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GString) piece = g_string_new("utf-8''");

	while (*value) {
		const char *next = g_utf8_next_char(value);
		g_autofree char *character = g_strndup(value, (gsize)(next - value));
		g_autofree char *encoded = g_uri_escape_string(character, NULL, false);

		if (piece->len + strlen(encoded) > room) {
			g_ptr_array_add(pieces, g_strdup(piece->str));
			g_string_truncate(piece, 0);
		}
		g_string_append(piece, encoded);
		value = next;
	}
	g_ptr_array_add(pieces, g_strdup(piece->str));
	return pieces;
}

void
mail_field_parameter(struct mail_field *field, const char *name, const char *value)
{
	g_autoptr(GPtrArray) pieces = NULL;

	if (reads_as_itself(value)) {
		g_autofree char *quoted = mail_addr_spec_quote(value);
		put_parameter(field, name, "", quoted);
		return;
	}
	pieces = split_encoded(name, value);
	if (pieces->len == 1)
		put_parameter(field, name, "*", pieces->pdata[0]);
	for (guint i = 0; pieces->len > 1 && i < pieces->len; i++) {
		g_autofree char *mark = g_strdup_printf("*%u*", i);
		put_parameter(field, name, mark, pieces->pdata[i]);
	}
}

void
mail_field_parameter_words(struct mail_field *field, const char *name, const char *value)
{
	if (reads_as_itself(value)) {
		mail_field_parameter(field, name, value);
		return;
	}
	g_string_append_c(field->out, ';');
	field_fold(field);
	g_string_append_printf(field->out, " %s=\"", name);
	put_encoded(field, "", value);
	g_string_append_c(field->out, '"');
}
