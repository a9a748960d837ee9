/* SPDX-License-Identifier: MIT */
/* Checks language tags by the grammar of RFC 5646. */
#include "text/language.h"

#include <glib.h>
#include <string.h>

/* The tags of RFC 5646 section 2.2.8 that the grammar does not give. */
static const char *const irregular[] = {"en-gb-oed", "i-ami", "i-bnn", "i-default", "i-enochian",
    "i-hak", "i-klingon", "i-lux", "i-mingo", "i-navajo", "i-pwn", "i-tao", "i-tay", "i-tsu",
    "sgn-be-fr", "sgn-be-nl", "sgn-ch-de", NULL};

static bool
is_all(const char *subtag, gsize least, gsize most, gboolean (*is_one)(gchar))
{
	gsize size = strlen(subtag);

	for (const char *p = subtag; *p; p++)
		if (!is_one(*p))
			return false;
	return size >= least && size <= most;
}

static gboolean
language_is_letter(gchar c)
{
	return g_ascii_isalpha(c);
}

static gboolean
is_digit(gchar c)
{
	return g_ascii_isdigit(c);
}

static gboolean
is_either(gchar c)
{
	return g_ascii_isalnum(c);
}

static bool
is_variant(const char *subtag)
{
	return is_all(subtag, 5, 8, is_either) ||
	       (is_all(subtag, 4, 4, is_either) && g_ascii_isdigit(*subtag));
}

/* Passes over the rest of a tag that begins with x: one subtag or more. */
static bool
is_private(char *const *rest)
{
	guint count = 0;

	for (; rest[count]; count++)
		if (!is_all(rest[count], 1, 8, is_either))
			return false;
	return count > 0;
}

/* The extensions, each a letter or digit and subtags, and the private part. */
static bool
language_is_end(char *const *rest)
{
	bool used[128] = {false};

	while (*rest) {
		unsigned char singleton = (unsigned char)**rest;

		if (!is_all(*rest, 1, 1, is_either))
			return false;
		if (singleton == 'x')
			return is_private(rest + 1);
		if (used[singleton] || !rest[1] || !is_all(rest[1], 2, 8, is_either))
			return false;
		used[singleton] = true;
		for (rest++; *rest && is_all(*rest, 2, 8, is_either);)
			rest++;
	}
	return true;
}

/* The subtags behind the language. */
static bool
is_rest(char **rest)
{
	for (guint i = 0; i < 3 && *rest && is_all(*rest, 3, 3, language_is_letter); i++)
		rest++;
	if (*rest && is_all(*rest, 4, 4, language_is_letter))
		rest++;
	if (*rest && (is_all(*rest, 2, 2, language_is_letter) || is_all(*rest, 3, 3, is_digit)))
		rest++;
	for (char **first = rest; *rest && is_variant(*rest); rest++)
		for (char **other = first; other < rest; other++)
			if (strcmp(*other, *rest) == 0)
				return false;
	return language_is_end(rest);
}

bool
text_language_is_tag(const char *text)
{
	g_autofree char *lower = g_ascii_strdown(text, -1);
	g_auto(GStrv) subtags = g_strsplit(lower, "-", -1);

	if (g_strv_contains(irregular, lower))
		return true;
	if (!*subtags)
		return false;
	if (strcmp(*subtags, "x") == 0)
		return is_private(subtags + 1);
	/* The grammar allows up to 8 letters: 4 are reserved, and no language has more. */
	return is_all(*subtags, 2, 3, language_is_letter) && is_rest(subtags + 1);
}

char *
text_language_standard(const char *tag)
{
	char *standard = tag ? g_ascii_strdown(tag, -1) : NULL;
	char *subtag = standard;

	while (subtag) {
		gsize length = strcspn(subtag, "-");

		if (subtag != standard && (length == 2 || length == 4))
			*subtag = g_ascii_toupper(*subtag);
		if (subtag != standard && length == 2)
			subtag[1] = g_ascii_toupper(subtag[1]);
		/* Behind a singleton, such as x, all is in lower case. */
		subtag = length > 1 && subtag[length] ? subtag + length + 1 : NULL;
	}
	return standard;
}
