/* SPDX-License-Identifier: MIT */
/* Writes text and bytes in a content transfer encoding. */
#include "mail/encoding.h"

#include <gmime/gmime-encodings.h>
#include <stdbool.h>
#include <string.h>

#include "mail/field.h"

#define PIECE 4096
#define ENCODED_PIECE                                                                              \
	(8 * PIECE) /* of base64: room for two bytes each, and four for each of these */
#define BASE64_LINE 76

const char *
mail_encoding_name(enum mail_encoding encoding)
{
	static const char *const names[] = {"7bit", "quoted-printable", "base64"};

	return names[encoding];
}

bool
mail_encoding_is_7bit(const char *text, gsize size)
{
	guchar bits = 0;

	for (gsize i = 0; i < size; i++)
		bits |= (guchar)text[i];
	return bits < 0x80;
}

void
mail_encoding_field(GString *out, enum mail_encoding encoding)
{
	g_string_append_printf(
	    out, "Content-Transfer-Encoding: %s\r\n", mail_encoding_name(encoding));
}

/* Facts about a text; a CR, an LF and a CRLF are one line break each. */
struct survey {
	gsize length;	/* in canonical form, line breaks of two bytes */
	gsize escapes;	/* bytes that quoted-printable writes as three */
	gsize longest;	/* line */
	bool seven_bit; /* neither 8-bit bytes nor control characters */
};

#define BLOCK 16 /* bytes that the compiler looks at together */

/* Whether so many bytes are neither line breaks nor any that count as escapes. */
static bool
encoding_is_plain(const char text[BLOCK])
{
	guchar odd = 0;

	for (guint i = 0; i < BLOCK; i++) {
		guchar c = (guchar)text[i];

		odd |= (guchar)((c < ' ') | (c > '~') | (c == '='));
	}
	return !odd;
}

static struct survey
survey_text(const char *text, gsize size)
{
	struct survey survey = {.seven_bit = true};
	gsize line = 0, looked = 0; /* up to there one of a block is not plain */

	for (gsize i = 0; i < size; i++) {
		for (; i >= looked && i + BLOCK < size; looked = i + BLOCK)
			for (; i + BLOCK < size && encoding_is_plain(text + i); i += BLOCK)
				line += BLOCK;
		guchar c = (guchar)text[i];
		if (c == '\n' || c == '\r') {
			if (c == '\r' && i + 1 < size && text[i + 1] == '\n')
				i++;
			survey.longest = MAX(survey.longest, line);
			survey.length += line + 2;
			line = 0;
			continue;
		}
		line++;
		if (c == '=') {
			survey.escapes++;
		} else if ((c < ' ' && c != '\t') || c > '~') {
			survey.escapes++;
			survey.seven_bit = false;
		}
	}
	survey.longest = MAX(survey.longest, line);
	survey.length += line;
	return survey;
}

static bool
occurs(const char *word, const char *text, gsize size)
{
	return size > 0 && memmem(text, size, word, strlen(word));
}

enum mail_encoding
mail_encoding_choose(const char *text, gsize size, const char *reserved, gsize *size_r)
{
	struct survey survey = survey_text(text, size);
	gsize quoted = survey.length + 2 * survey.escapes;
	gsize base64 = mail_encoding_bytes_size(survey.length);

	if (survey.seven_bit && survey.longest <= MAIL_LINE_LENGTH_MAX &&
	    !occurs(reserved, text, size)) {
		*size_r = survey.length;
		return MAIL_ENCODING_7BIT;
	}
	/* Three bytes for each soft line break. */
	quoted += quoted / (BASE64_LINE - 1) * 3;
	*size_r = MIN(quoted, base64);
	return quoted <= base64 ? MAIL_ENCODING_QUOTED_PRINTABLE : MAIL_ENCODING_BASE64;
}

/* Appends text with CRLF for the encoder's line break, LF. */
static void
append_lines(GString *out, const char *text, gsize size)
{
	while (size > 0) {
		const char *end = memchr(text, '\n', size);
		gsize line = end ? (gsize)(end - text) : size;

		g_string_append_len(out, text, (gssize)line);
		if (!end)
			return;
		g_string_append_len(out, "\r\n", 2);
		text = end + 1;
		size -= line + 1;
	}
}

static void
encoding_encode(GString *out, GMimeEncoding *state, const char *data, gsize size)
{
	char encoded[ENCODED_PIECE];

	g_assert(g_mime_encoding_outlen(state, size) <= sizeof(encoded));
	append_lines(out, encoded, g_mime_encoding_step(state, data, size, encoded));
}

/* Removes the line break that the encoder adds at the end. */
static void
encoding_finish(GString *out, GMimeEncoding *state)
{
	char encoded[ENCODED_PIECE];

	append_lines(out, encoded, g_mime_encoding_flush(state, "", 0, encoded));
	if (out->len >= 2 && memcmp(out->str + out->len - 2, "\r\n", 2) == 0)
		g_string_truncate(out, out->len - 2);
}

/* Converts a piece to canonical form. *cr tells whether the byte before it was a CR. */
static gsize
encoding_canonical(const char *text, gsize size, char *out, bool *cr)
{
	char *p = out;

	for (gsize i = 0; i < size; i++) {
		char c = text[i];
		if (c == '\r' || (c == '\n' && !*cr)) {
			*p++ = '\r';
			*p++ = '\n';
		} else if (c != '\n') {
			*p++ = c;
		}
		*cr = c == '\r';
	}
	return (gsize)(p - out);
}

static void
append_canonical(GString *out, const char *text, gsize size)
{
	char piece[2 * PIECE];
	bool cr = false;

	for (gsize done = 0; done < size; done += PIECE) {
		gsize length = encoding_canonical(text + done, MIN(PIECE, size - done), piece, &cr);

		g_string_append_len(out, piece, (gssize)length);
	}
}

static void
append_base64(GString *out, const char *text, gsize size)
{
	char piece[2 * PIECE];
	GMimeEncoding state;
	bool cr = false;

	g_mime_encoding_init_encode(&state, GMIME_CONTENT_ENCODING_BASE64);
	for (gsize done = 0; done < size; done += PIECE) {
		gsize length = encoding_canonical(text + done, MIN(PIECE, size - done), piece, &cr);

		encoding_encode(out, &state, piece, length);
	}
	if (size > 0)
		encoding_finish(out, &state);
}

#define QUOTED_LINE 76
#define QUOTED_PIECE 512
#define QUOTED_ROOM (4 * QUOTED_PIECE) /* three bytes each, and soft line breaks */

static bool
is_break(char c)
{
	return c == '\r' || c == '\n';
}

/* Writes the byte at place i of text as quoted-printable (RFC 2045 section 6.7), with a soft line
   break where it does not fit into the line. Returns the end of what it wrote. */
static char *
encoding_quote(char *p, const char *text, gsize size, gsize i, guint *column)
{
	static const char digits[] = "0123456789ABCDEF";
	guchar c = (guchar)text[i];
	bool ends = i + 1 == size || is_break(text[i + 1]);
	bool is_blank = c == ' ' || c == '\t';
	bool is_plain = (c > ' ' && c <= '~' && c != '=') || (is_blank && !ends);
	guint width = is_plain ? 1 : 3;

	/* A line that goes on needs room for the = of a soft line break. */
	if (*column + width > QUOTED_LINE - (ends ? 0 : 1)) {
		p = mempcpy(p, "=\r\n", 3);
		*column = 0;
	}
	*column += width;
	if (is_plain) {
		*p++ = (char)c;
		return p;
	}
	*p++ = '=';
	*p++ = digits[c >> 4];
	*p++ = digits[c & 15];
	return p;
}

/* The number of bytes from place i to end that stand for themselves, as far as the line has room. A
   blank behind them is left to quote. */
static gsize
plain_run(const char *text, gsize i, gsize end, guint column)
{
	gsize room = column < QUOTED_LINE - 1 ? MIN(end - i, QUOTED_LINE - 1 - column) : 0;
	gsize run = 0;

	while (run < room && text[i + run] >= ' ' && text[i + run] <= '~' && text[i + run] != '=')
		run++;
	while (run > 0 && text[i + run - 1] == ' ')
		run--;
	return run;
}

static void
encoding_append_quoted(GString *out, const char *text, gsize size)
{
	guint column = 0;

	for (gsize i = 0, end; i < size;) {
		gsize begin = out->len;

		end = MIN(size, i + QUOTED_PIECE);
		g_string_set_size(out, begin + QUOTED_ROOM);
		char *p = out->str + begin;
		for (; i < end; i++) {
			gsize run = plain_run(text, i, end, column);

			p = mempcpy(p, text + i, run);
			column += (guint)run;
			i += run;
			if (i == end)
				break;
			if (!is_break(text[i])) {
				p = encoding_quote(p, text, size, i, &column);
				continue;
			}
			i += text[i] == '\r' && i + 1 < size && text[i + 1] == '\n';
			p = mempcpy(p, "\r\n", 2);
			column = 0;
		}
		g_string_truncate(out, (gsize)(p - out->str));
	}
}

void
mail_encoding_text(GString *out, enum mail_encoding encoding, const char *text, gsize size)
{
	static void (*const append[])(GString *, const char *, gsize) = {
	    [MAIL_ENCODING_7BIT] = append_canonical,
	    [MAIL_ENCODING_QUOTED_PRINTABLE] = encoding_append_quoted,
	    [MAIL_ENCODING_BASE64] = append_base64,
	};

	append[encoding](out, text, size);
}

void
mail_encoding_bytes(GString *out, const void *data, gsize size)
{
	const char *bytes = data;
	GMimeEncoding state;

	g_mime_encoding_init_encode(&state, GMIME_CONTENT_ENCODING_BASE64);
	for (gsize done = 0; done < size; done += PIECE)
		encoding_encode(out, &state, bytes + done, MIN(PIECE, size - done));
	if (size > 0)
		encoding_finish(out, &state);
}

gsize
mail_encoding_bytes_size(gsize size)
{
	gsize base64 = (size + 2) / 3 * 4;

	return base64 + base64 / BASE64_LINE * 2;
}
