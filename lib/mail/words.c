/* SPDX-License-Identifier: MIT */
/* Decodes encoded words (RFC 2047) of header fields as the world writes them. */
#include "mail/words.h"

#include <gmime/gmime.h>
#include <string.h>

#include "mail/charset.h"
#include "mail/part.h"

#define CHARSET 40 /* longer names are not known */

/* The parts of an encoded word: =?charset*language?q?content?= */
struct encoded_word {
	const char *begin, *content, *end; /* end: of the content */
	char charset[CHARSET];		   /* as readers take it (mail/charset.h) */
};

/* Reads the charset of a word, whose name ends at the mark. False: it stays as it is. */
static bool
words_read_charset(struct encoded_word *word, const char *mark)
{
	const char *name = word->begin + strlen("=?");
	const char *language = memchr(name, '*', (gsize)(mark - name));
	g_autofree char *given = g_strndup(name, (gsize)((language ? language : mark) - name));
	const char *real = mail_charset_real(given);

	g_strlcpy(word->charset, real, sizeof(word->charset));
	return strcmp(given, word->charset) == 0;
}

/* Whether GMime would not read a word as readers do. It reads words in a row as one, and base64
   ends where a padding is, which each word may have; it knows no charset by the name of another;
   and it leaves out what is not ASCII. */
static bool
words_must_change(struct encoded_word *word, const char *mark)
{
	bool must = g_ascii_tolower(mark[1]) == 'b';

	must = (mark - word->begin < CHARSET && !words_read_charset(word, mark)) || must;
	for (const char *p = word->content; p < word->end && !must; p++)
		must = *p & 0x80;
	return must;
}

/* Finds the next encoded word from p on that must be written otherwise. */
static bool
words_find(const char *p, struct encoded_word *word_r)
{
	const char *begin, *mark, *end;

	while ((begin = strstr(p, "=?")) && (mark = strchr(begin + 2, '?'))) {
		p = begin + 2;
		if (!mark[1] || !strchr("bBqQ", mark[1]) || mark[2] != '?')
			continue;
		if (!(end = strstr(mark + 3, "?=")))
			return false;
		*word_r = (struct encoded_word){begin, mark + 3, end, ""};
		if (mark - begin < CHARSET && words_must_change(word_r, mark))
			return true;
		p = end + 2;
	}
	return false;
}

static void
words_put_bytes(GString *out, const char *bytes, gsize size)
{
	for (gsize i = 0; i < size; i++)
		g_string_append_printf(out, "=%02X", (guchar)bytes[i]);
}

/* Writes a piece of the content, which is ASCII or has nothing of it, as a word of its own. */
static void
words_put_piece(
    GString *out, const struct encoded_word *word, const char *piece, gsize size, bool is_ascii)
{
	bool is_base64 = is_ascii && g_ascii_tolower(word->content[-2]) == 'b';
	gsize length = size;
	g_autofree char *bytes =
	    is_base64 ? mail_part_unpack((struct mail_slice){piece, size}, "base64", &length)
		      : NULL;

	g_string_append_printf(out, "=?%s?q?", is_ascii ? word->charset : "utf-8");
	if (is_ascii && !is_base64)
		g_string_append_len(out, piece, (gssize)size);
	else
		words_put_bytes(out, bytes ? bytes : piece, length);
	g_string_append(out, "?=");
}

/* Writes a word as words: its content without what is not ASCII, which is in words of UTF-8. */
static void
words_divide(GString *out, const struct encoded_word *word)
{
	const char *next;

	for (const char *p = word->content; p < word->end; p = next) {
		bool is_ascii = !(*p & 0x80);

		for (next = p; next < word->end && !(*next & 0x80) == is_ascii;)
			next++;
		words_put_piece(out, word, p, (gsize)(next - p), is_ascii);
	}
}

char *
mail_words_repair(const char *text)
{
	GString *out = g_string_new(NULL);
	struct encoded_word word;

	while (words_find(text, &word)) {
		g_string_append_len(out, text, word.begin - text);
		words_divide(out, &word);
		text = word.end + 2;
	}
	g_string_append(out, text);
	return g_string_free(out, FALSE);
}

char *
mail_words_decode(const char *text)
{
	g_autofree char *ascii = mail_words_repair(text);

	mail_gmime_use();
	g_autofree char *decoded = g_mime_utils_header_decode_text(NULL, ascii);
	return g_utf8_make_valid(decoded, -1);
}

char *
mail_words_decode_phrase(const char *phrase)
{
	g_autofree char *ascii = mail_words_repair(phrase);

	mail_gmime_use();
	g_autofree char *decoded = g_mime_utils_header_decode_phrase(NULL, ascii);
	return g_utf8_make_valid(decoded, -1);
}
