/* SPDX-License-Identifier: MIT */
/* Decodes encoded words (RFC 2047) of header fields as the world writes them. */
#include "mail/words.h"

#include <gmime/gmime.h>
#include <string.h>

#include "mail/charset.h"
#include "mail/part.h"

#define CHARSET 40     /* longer names are not known */
#define PIECES_MOST 64 /* of a word that has a charset of its own: iconv is opened for each */

/* The parts of an encoded word: =?charset*language?q?content?= */
struct encoded_word {
	const char *begin, *content, *end; /* end: of the content */
	char charset[CHARSET];		   /* as readers take it (mail/charset.h) */
	bool is_base64, must_change;
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
   and it leaves out what is not ASCII. A word of no charset is text. A content that is no base64
   stays as it is: that word may reach over quotes into the next parameter of a field. */
static bool
words_must_change(struct encoded_word *word, const char *mark)
{
	bool must = word->is_base64;

	must = !words_read_charset(word, mark) || must;
	if (!*word->charset)
		return false;
	for (const char *p = word->content; p < word->end; p++) {
		if (*p & 0x80)
			must = true;
		else if (word->is_base64 && !g_ascii_isalnum(*p) && !strchr("+/= \t\r\n", *p))
			return false;
	}
	return must;
}

/* Reads the next encoded word from p on. */
static bool
words_next(const char *p, struct encoded_word *word_r)
{
	const char *begin, *mark, *end;

	while ((begin = strstr(p, "=?")) && (mark = strchr(begin + 2, '?'))) {
		p = begin + 2;
		if (!mark[1] || !strchr("bBqQ", mark[1]) || mark[2] != '?')
			continue;
		if (!(end = strstr(mark + 3, "?=")))
			return false;
		*word_r = (struct encoded_word){
		    .begin = begin,
		    .content = mark + 3,
		    .end = end,
		    .is_base64 = g_ascii_tolower(mark[1]) == 'b',
		};
		word_r->must_change = mark - begin < CHARSET && words_must_change(word_r, mark);
		return true;
	}
	return false;
}

/* Finds the next encoded word from p on that must be written otherwise. */
static bool
words_find(const char *p, struct encoded_word *word_r)
{
	while (words_next(p, word_r)) {
		if (word_r->must_change)
			return true;
		p = word_r->end + strlen("?=");
	}
	return false;
}

/* Whether the base64 of a word ends within a group of four letters. It adds its letters to those of
   the words that it goes on with. */
static bool
words_is_cut(const struct encoded_word *word, gsize *letters)
{
	for (const char *p = word->content; p < word->end && word->is_base64; p++) {
		if (*p == '=')
			return false;
		*letters += g_ascii_isalnum(*p) || *p == '+' || *p == '/';
	}
	return *letters % 4 != 0;
}

/* Whether the next word is in base64 of the same charset, with nothing but blanks in between. */
static bool
words_goes_on(const struct encoded_word *word, struct encoded_word *next_r)
{
	const char *behind = word->end + strlen("?=");

	return words_next(behind, next_r) && next_r->must_change && next_r->is_base64 &&
	       next_r->begin == behind + strspn(behind, " \t\r\n") &&
	       g_ascii_strcasecmp(next_r->charset, word->charset) == 0;
}

/* The content of a word, and of the words behind it that its base64 goes on in: some programs cut
   it at any letter. Moves the word's end to that of the last one. The caller owns the content. */
static char *
words_join(struct encoded_word *word)
{
	GString *content = g_string_new_len(word->content, word->end - word->content);
	struct encoded_word last = *word, next;
	gsize letters = 0;

	while (words_is_cut(&last, &letters) && words_goes_on(&last, &next)) {
		g_string_append_len(content, next.content, next.end - next.content);
		last = next;
	}
	word->end = last.end;
	return g_string_free(content, FALSE);
}

static void
words_put_bytes(GString *out, const char *bytes, gsize size)
{
	for (gsize i = 0; i < size; i++)
		g_string_append_printf(out, "=%02X", (guchar)bytes[i]);
}

/* Writes a piece of the content, which is ASCII or has nothing of it, as a word of its own. */
static void
words_put_piece(GString *out, const char *charset, bool is_base64, const char *piece, gsize size)
{
	gsize length = size;
	g_autofree char *bytes =
	    is_base64 ? mail_part_unpack((struct mail_slice){piece, size}, "base64", &length)
		      : NULL;

	g_string_append_printf(out, "=?%s?q?", charset);
	if (bytes || *piece & 0x80)
		words_put_bytes(out, bytes ? bytes : piece, length);
	else
		g_string_append_len(out, piece, (gssize)size);
	g_string_append(out, "?=");
}

/* The end of the piece that begins here. */
static const char *
words_piece_end(const char *piece)
{
	const char *end = piece;

	while (*end && (*end & 0x80) == (*piece & 0x80))
		end++;
	return end;
}

/* Writes a word as words: its content without what is not ASCII, which is in words of UTF-8; and so
   is a content of very many pieces. */
static void
words_divide(GString *out, const struct encoded_word *word, const char *content)
{
	const char *charset = word->charset;
	guint pieces = 0;

	for (const char *p = content; *p; p = words_piece_end(p))
		pieces++;
	if (pieces > PIECES_MOST)
		charset = "utf-8";
	for (const char *p = content, *next; *p; p = next) {
		bool is_ascii = !(*p & 0x80);

		next = words_piece_end(p);
		words_put_piece(out, is_ascii ? charset : "utf-8", is_ascii && word->is_base64, p,
		    (gsize)(next - p));
	}
}

char *
mail_words_repair(const char *text)
{
	GString *out = g_string_new(NULL);
	struct encoded_word word;

	while (words_find(text, &word)) {
		g_autofree char *content = words_join(&word);

		g_string_append_len(out, text, word.begin - text);
		words_divide(out, &word, content);
		text = word.end + strlen("?=");
	}
	g_string_append(out, text);
	return g_string_free(out, FALSE);
}

/* Decodes a text by this function of GMime, which looks for the end of each word in all that is
   behind its beginning; so it does not get the beginnings that have no end. */
static char *
words_decode(const char *text, char *(*decode)(GMimeParserOptions *options, const char *text))
{
	const char *end = g_strrstr(text, "?=");
	const char *rest = strstr(end ? end + strlen("?=") : text, "=?");
	g_autofree char *front = rest ? g_strndup(text, (gsize)(rest - text)) : g_strdup(text);
	g_autofree char *ascii = mail_words_repair(front);

	mail_gmime_use();
	g_autofree char *decoded = decode(NULL, ascii);
	g_autofree char *whole = g_strconcat(decoded, rest, NULL);
	return g_utf8_make_valid(whole, -1);
}

char *
mail_words_decode(const char *text)
{
	return words_decode(text, g_mime_utils_header_decode_text);
}

char *
mail_words_decode_phrase(const char *phrase)
{
	return words_decode(phrase, g_mime_utils_header_decode_phrase);
}
