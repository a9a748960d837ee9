/* SPDX-License-Identifier: MIT */
/* Converts text of messages to UTF-8. */
#include "mail/charset.h"

#include <errno.h>
#include <string.h>

#include "mail/part.h"

#define NAME_MOST 40
#define ROOM 4096
#define REPLACED "\xef\xbf\xbd" /* U+FFFD */
#define MARK "\xef\xbb\xbf"	/* U+FEFF */

static const char *
charset_find(const char *const (*names)[2], gsize count, const char *charset)
{
	for (gsize i = 0; i < count; i++)
		if (g_ascii_strcasecmp(charset, names[i][0]) == 0)
			return names[i][1];
	return charset;
}

const char *
mail_charset_real(const char *charset)
{
	static const char *const names[][2] = {
	    {"ansi", "windows-1252"},
	    {"big5", "big5-hkscs"},
	    {"dos-437", "cp437"},
	    {"gb2312", "gb18030"},
	    {"gbk", "gb18030"},
	    {"iso-8859-1", "windows-1252"},
	    {"iso-8859-6-e", "iso-8859-6"},
	    {"iso-8859-6-i", "iso-8859-6"},
	    {"iso-8859-8-e", "iso-8859-8"},
	    {"iso-8859-8-i", "iso-8859-8"},
	    {"iso-8859-9", "windows-1254"},
	    {"iso-8859-11", "windows-874"},
	    {"iso-10646-ucs-2", "utf-16"},
	    {"iso-10646-ucs-4", "utf-32"},
	    {"ks_c_5601-1987", "cp949"},
	    {"euc-kr", "cp949"},
	    {"latin1", "windows-1252"},
	    {"ms949", "cp949"},
	    {"shift_jis", "cp932"},
	    {"tis-620", "windows-874"},
	    {"ucs-2", "utf-16"},
	    {"ucs-4", "utf-32"},
	    {"unicode", "utf-16"},
	    {"unicode-1-1-utf-7", "utf-7"},
	    {"windows-949", "cp949"},
	    {"x-big5", "big5-hkscs"},
	    {"x-euc-jp", "euc-jp"},
	    {"x-gbk", "gb18030"},
	    {"x-mac-roman", "macintosh"},
	    {"x-sjis", "cp932"},
	};

	return charset_find(names, G_N_ELEMENTS(names), charset);
}

bool
mail_charset_is_utf8(const char *charset)
{
	return charset && (g_ascii_strncasecmp(charset, "utf-8", 5) == 0 ||
			      g_ascii_strncasecmp(charset, "utf8", 4) == 0 ||
			      g_ascii_strcasecmp(charset, "unicode-1-1-utf-8") == 0);
}

/* Whether iconv may be asked for it: a slash would begin an option, or a path. */
static bool
charset_is_name(const char *charset)
{
	gsize size = strlen(charset);

	return size > 0 && size <= NAME_MOST &&
	       strspn(charset, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "-_.:+()") == size;
}

/* Bytes of a unit of UTF-16 and UTF-32; 1 of all others. */
static gsize
charset_width(const char *charset)
{
	if (g_ascii_strncasecmp(charset, "utf-16", 6) == 0)
		return 2;
	return g_ascii_strncasecmp(charset, "utf-32", 6) == 0 ? 4 : 1;
}

/* Whether units without a named order are little-endian: by the mark, else where most of them end
   in NUL, since most letters have small numbers. */
static bool
charset_is_little(const char *bytes, gsize size, gsize width)
{
	gsize little = 0, big = 0;

	if (size >= 2 && memcmp(bytes, "\xff\xfe", 2) == 0)
		return true;
	if (size >= width && memcmp(bytes + width - 2, "\xfe\xff", 2) == 0)
		return false;
	for (gsize i = 0; i + width <= MIN(size, ROOM); i += width) {
		little += bytes[i + width - 1] == '\0' && bytes[i] != '\0';
		big += bytes[i] == '\0' && bytes[i + width - 1] != '\0';
	}
	return little > big;
}

static GIConv
charset_open(const char *bytes, gsize size, const char *charset, gsize *width_r)
{
	const char *real = mail_charset_real(charset);

	*width_r = charset_width(real);
	if (g_ascii_strcasecmp(real, "utf-16") == 0)
		real = charset_is_little(bytes, size, *width_r) ? "utf-16le" : "utf-16be";
	else if (g_ascii_strcasecmp(real, "utf-32") == 0)
		real = charset_is_little(bytes, size, *width_r) ? "utf-32le" : "utf-32be";
	return g_iconv_open("UTF-8", real);
}

/* Converts until all is read, or most bytes are there. */
static void
charset_convert(
    GIConv converter, const char *bytes, gsize size, gsize width, gsize most, GString *text)
{
	char room[ROOM], *from = (char *)bytes;
	bool is_over = false;

	while (!is_over && text->len < most) {
		char *to = room;
		gsize left = sizeof(room);
		bool is_read = size == 0;
		/* At the end iconv writes the letter that it may still hold. */
		gsize done = is_read ? g_iconv(converter, NULL, NULL, &to, &left)
				     : g_iconv(converter, &from, &size, &to, &left);

		is_over = is_read && done != (gsize)-1 && to == room;
		g_string_append_len(text, room, to - room);
		if (done != (gsize)-1 || errno == E2BIG)
			continue;
		g_string_append(text, REPLACED);
		gsize skipped = errno == EILSEQ ? MIN(width, size) : size;
		from += skipped;
		size -= skipped;
	}
}

char *
mail_charset_decode(const char *bytes, gsize size, const char *charset, gsize most)
{
	g_autoptr(GString) text = g_string_new(NULL);
	gsize width, length;

	if (!charset_is_name(charset))
		return NULL;
	GIConv converter = charset_open(bytes, size, charset, &width);
	if (converter == (GIConv)-1)
		return NULL;
	/* The mark goes, and of each line end one character. */
	charset_convert(converter, bytes, size, width, strlen(MARK) + 2 * most, text);
	g_iconv_close(converter);
	if (g_str_has_prefix(text->str, MARK))
		g_string_erase(text, 0, strlen(MARK));
	g_autofree char *lines = mail_part_text(text->str, text->len, &length);
	return g_utf8_make_valid(lines, (gssize)length);
}
