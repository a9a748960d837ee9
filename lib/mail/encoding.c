/* SPDX-License-Identifier: MIT */
/* Writes text and bytes in a content transfer encoding. */
#include "mail/encoding.h"

#include <gmime/gmime-encodings.h>
#include <stdbool.h>
#include <string.h>

#include "mail/field.h"

#define PIECE 4096
#define ENCODED_PIECE (8 * PIECE) /* room for two bytes each, and four for each of these */
#define BASE64_LINE 76

const char *
mail_encoding_name(enum mail_encoding encoding)
{
	static const char *const names[] = {"7bit", "quoted-printable", "base64"};

	return names[encoding];
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

static struct survey
survey_text(const char *text, gsize size)
{
	struct survey survey = {.seven_bit = true};
	gsize line = 0, breaks = 0;

	for (gsize i = 0; i < size; i++) {
		guchar c = (guchar)text[i];
		if (c == '\n' || c == '\r') {
			if (c == '\r' && i + 1 < size && text[i + 1] == '\n')
				i++;
			survey.longest = MAX(survey.longest, line);
			survey.length += line + 2;
			line = 0;
			breaks++;
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

/* Appends text with CRLF for the encoders' line break, LF. */
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
encode(GString *out, GMimeEncoding *state, const char *data, gsize size)
{
	char encoded[ENCODED_PIECE];

	g_assert(g_mime_encoding_outlen(state, size) <= sizeof(encoded));
	append_lines(out, encoded, g_mime_encoding_step(state, data, size, encoded));
}

/* Removes the line break that the encoders add at the end (a soft one in quoted-printable) when
   the text does not end in one. */
static void
finish(GString *out, GMimeEncoding *state, const char *ending)
{
	char encoded[ENCODED_PIECE];

	append_lines(out, encoded, g_mime_encoding_flush(state, "", 0, encoded));
	if (g_str_has_suffix(out->str, ending))
		g_string_truncate(out, out->len - strlen(ending));
}

/* Converts a piece to canonical form. *cr tells whether the byte before it was a CR. */
static gsize
canonical(const char *text, gsize size, char *out, bool *cr)
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

void
mail_encoding_text(GString *out, enum mail_encoding encoding, const char *text, gsize size)
{
	char piece[2 * PIECE];
	GMimeEncoding state;
	bool cr = false;

	g_mime_encoding_init_encode(&state, encoding == MAIL_ENCODING_BASE64
						? GMIME_CONTENT_ENCODING_BASE64
						: GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE);
	for (gsize done = 0; done < size; done += PIECE) {
		gsize length = canonical(text + done, MIN(PIECE, size - done), piece, &cr);
		if (encoding == MAIL_ENCODING_7BIT)
			g_string_append_len(out, piece, (gssize)length);
		else
			encode(out, &state, piece, length);
	}
	if (size > 0 && encoding != MAIL_ENCODING_7BIT)
		finish(out, &state, encoding == MAIL_ENCODING_BASE64 ? "\r\n" : "=\r\n");
}

void
mail_encoding_bytes(GString *out, const void *data, gsize size)
{
	const char *bytes = data;
	GMimeEncoding state;

	g_mime_encoding_init_encode(&state, GMIME_CONTENT_ENCODING_BASE64);
	for (gsize done = 0; done < size; done += PIECE)
		encode(out, &state, bytes + done, MIN(PIECE, size - done));
	if (size > 0)
		finish(out, &state, "\r\n");
}

gsize
mail_encoding_bytes_size(gsize size)
{
	gsize base64 = (size + 2) / 3 * 4;

	return base64 + base64 / BASE64_LINE * 2;
}
