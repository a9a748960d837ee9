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
	gsize size = MIN((gsize)(mark - name), strcspn(name, "*"));
	g_autofree char *given = g_strndup(name, size);
	const char *real = mail_charset_real(given);

	g_strlcpy(word->charset, real, sizeof(word->charset));
	return strcmp(given, word->charset) == 0;
}

/* Finds the next encoded word from p on that GMime would not read as readers do: its content is not
   all ASCII, or its charset has a name for another. */
static bool
words_find(const char *p, struct encoded_word *word_r)
{
	const char *begin, *mark, *end;

	while ((begin = strstr(p, "=?")) && (mark = strchr(begin + 2, '?'))) {
		p = begin + 2;
		if (!mark[1] || mark[2] != '?')
			continue;
		if (!(end = strstr(mark + 3, "?=")))
			return false;
		*word_r = (struct encoded_word){begin, mark + 3, end, ""};
		if (mark - begin < CHARSET && !words_read_charset(word_r, mark))
			return true;
		for (p = mark + 3; p < end; p++)
			if (*p & 0x80)
				return true;
		p = end + 2;
	}
	return false;
}

/* Writes the content of a word as words: those of the word's encoding without what is not ASCII,
   which is in words of UTF-8. */
static void
words_divide(GString *out, const struct encoded_word *word)
{
	bool is_open = false, is_ascii = true;

	for (const char *p = word->content; p < word->end; p++) {
		bool plain = !(*p & 0x80);

		if (is_open && plain != is_ascii)
			g_string_append(out, "?=");
		if ((!is_open || plain != is_ascii) && plain)
			g_string_append_printf(out, "=?%s?%c?", word->charset, word->content[-2]);
		else if (!is_open || plain != is_ascii)
			g_string_append(out, "=?utf-8?q?");
		is_open = true;
		is_ascii = plain;
		if (plain)
			g_string_append_c(out, *p);
		else
			g_string_append_printf(out, "=%02X", (guchar)*p);
	}
	if (is_open)
		g_string_append(out, "?=");
}

/* Text whose encoded words are ASCII. The caller owns it. */
static char *
words_in_ascii(const char *text)
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
	g_autofree char *ascii = words_in_ascii(text);

	mail_gmime_use();
	g_autofree char *decoded = g_mime_utils_header_decode_text(NULL, ascii);
	return g_utf8_make_valid(decoded, -1);
}

char *
mail_words_decode_phrase(const char *phrase)
{
	g_autofree char *ascii = words_in_ascii(phrase);

	mail_gmime_use();
	g_autofree char *decoded = g_mime_utils_header_decode_phrase(NULL, ascii);
	return g_utf8_make_valid(decoded, -1);
}
