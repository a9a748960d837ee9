/* SPDX-License-Identifier: MIT */
/* Reads html as texts and tags, in one pass. */
#include "html/tags.h"

#include <stdbool.h>
#include <string.h>

#include "html/html.h"

#define NAME_SIZE 8
#define REPLACEMENT 0xfffd

/* The few dozen names that occur in mail; gumbo knows all two thousand, but only within its
   parser. */
static const struct {
	char name[NAME_SIZE];
	gunichar c;
} entities[] = {
    {"amp", '&'},
    {"lt", '<'},
    {"gt", '>'},
    {"quot", '"'},
    {"apos", '\''},
    {"nbsp", 0xa0},
    {"copy", 0xa9},
    {"reg", 0xae},
    {"trade", 0x2122},
    {"hellip", 0x2026},
    {"ndash", 0x2013},
    {"mdash", 0x2014},
    {"lsquo", 0x2018},
    {"rsquo", 0x2019},
    {"sbquo", 0x201a},
    {"ldquo", 0x201c},
    {"rdquo", 0x201d},
    {"bdquo", 0x201e},
    {"laquo", 0xab},
    {"raquo", 0xbb},
    {"lsaquo", 0x2039},
    {"rsaquo", 0x203a},
    {"bull", 0x2022},
    {"middot", 0xb7},
    {"larr", 0x2190},
    {"rarr", 0x2192},
    {"euro", 0x20ac},
    {"pound", 0xa3},
    {"yen", 0xa5},
    {"cent", 0xa2},
    {"sect", 0xa7},
    {"deg", 0xb0},
    {"plusmn", 0xb1},
    {"times", 0xd7},
    {"frac12", 0xbd},
    {"iexcl", 0xa1},
    {"iquest", 0xbf},
    {"agrave", 0xe0},
    {"aacute", 0xe1},
    {"acirc", 0xe2},
    {"atilde", 0xe3},
    {"auml", 0xe4},
    {"aring", 0xe5},
    {"aelig", 0xe6},
    {"ccedil", 0xe7},
    {"egrave", 0xe8},
    {"eacute", 0xe9},
    {"ecirc", 0xea},
    {"euml", 0xeb},
    {"iacute", 0xed},
    {"icirc", 0xee},
    {"iuml", 0xef},
    {"ntilde", 0xf1},
    {"oacute", 0xf3},
    {"ocirc", 0xf4},
    {"ouml", 0xf6},
    {"oslash", 0xf8},
    {"uacute", 0xfa},
    {"ucirc", 0xfb},
    {"uuml", 0xfc},
    {"szlig", 0xdf},
    {"Auml", 0xc4},
    {"Ouml", 0xd6},
    {"Uuml", 0xdc},
    {"Agrave", 0xc0},
    {"Eacute", 0xc9},
    {"ensp", 0x2002},
    {"emsp", 0x2003},
    {"thinsp", 0x2009},
    {"shy", 0xad},
    {"zwj", 0x200d},
    {"zwnj", 0x200c},
    {"lrm", 0x200e},
    {"rlm", 0x200f},
};

/* Reads the number after "&#" at *p and moves past it; 0 if there is none. */
static gunichar
tags_read_number(const char **p, const char *end)
{
	const char *digit = *p;
	bool hex = digit < end && g_ascii_tolower(*digit) == 'x';
	guint value = 0;

	digit += hex;
	const char *first = digit;
	for (; digit < end && (hex ? g_ascii_isxdigit(*digit) : g_ascii_isdigit(*digit)); digit++)
		if (value <= 0x10ffff)
			value = value * (hex ? 16 : 10) + g_ascii_xdigit_value(*digit);
	if (digit == first)
		return 0;
	*p = digit < end && *digit == ';' ? digit + 1 : digit;
	return value != 0 && g_unichar_validate(value) ? value : REPLACEMENT;
}

/* Reads the name after "&" at *p, which must end in ";", and moves past it; 0 if it is unknown. */
static gunichar
tags_read_name(const char **p, const char *end)
{
	const char *last = *p;

	while (last < end && last - *p < NAME_SIZE && g_ascii_isalnum(*last))
		last++;
	if (last == end || *last != ';')
		return 0;
	gsize size = last - *p;
	for (gsize i = 0; i < G_N_ELEMENTS(entities); i++) {
		if (strncmp(entities[i].name, *p, size) == 0 && !entities[i].name[size]) {
			*p = last + 1;
			return entities[i].c;
		}
	}
	return 0;
}

/* Whether a reference from text to rest, which was decoded to c (0: it was not), means the same to
   gumbo. A name before "=" is none in an attribute, but a part of a URL. */
static bool
is_certain(const char *text, const char *rest, const char *end, gunichar c, bool in_attribute)
{
	/* An invalid number is another character to gumbo: one that is too large wraps. */
	if (c)
		return c != REPLACEMENT && html_keeps(c) && rest[-1] == ';';
	if (text < end && *text == '#')
		return false;
	const char *last = text;
	while (last < end && g_ascii_isalnum(*last))
		last++;
	return last == text || (in_attribute && last < end && *last == '=');
}

/* Appends text with its character references decoded: numeric ones, and the names that are
   common in mail. Others stay as written. An invalid number becomes U+FFFD. Returns whether gumbo
   decodes them to the same. */
static bool
decode_references(GString *out, const char *text, gsize size, bool in_attribute)
{
	const char *end = text + size;
	const char *and;
	bool certain = true;

	while (text < end && (and = memchr(text, '&', end - text))) {
		g_string_append_len(out, text, and-text);
		text = and+1;
		bool number = text < end && *text == '#';
		const char *rest = text + number;
		gunichar c = number ? tags_read_number(&rest, end) : tags_read_name(&rest, end);
		certain = certain && is_certain(text, rest, end, c, in_attribute);
		if (c) {
			g_string_append_unichar(out, c);
			text = rest;
		} else {
			g_string_append_c(out, '&');
		}
	}
	g_string_append_len(out, text, end - text);
	return certain;
}

void
html_tags_init(struct html_tags *tags, const char *source, gsize size)
{
	*tags = (struct html_tags){
	    .next = source,
	    .end = source + size,
	    .text = g_string_new(NULL),
	    .values = g_ptr_array_new_with_free_func(g_free),
	};
}

void
html_tags_clear(struct html_tags *tags)
{
	g_string_free(tags->text, TRUE);
	g_ptr_array_free(tags->values, TRUE);
}

static const char *
tags_skip(const char *p, const char *end, const char *set)
{
	while (p < end && *p && strchr(set, *p))
		p++;
	return p;
}

static const char *
skip_to(const char *p, const char *end, const char *set)
{
	while (p < end && (!*p || !strchr(set, *p)))
		p++;
	return p;
}

#define SPACES " \t\n\r\f"

/* A piece of the source. */
struct piece {
	const char *start;
	const char *end;
};

static bool
tags_is_named(struct piece piece, const char *name)
{
	gsize size = strlen(name);

	return (gsize)(piece.end - piece.start) == size &&
	       g_ascii_strncasecmp(piece.start, name, size) == 0;
}

static void
keep_attribute(struct html_tags *tags, struct piece name, struct piece value)
{
	const struct {
		const char *name;
		const char **value;
	} wanted[] = {
	    {"href", &tags->tag.href},
	    {"alt", &tags->tag.alt},
	    {"start", &tags->tag.start},
	    {"value", &tags->tag.value},
	    {"style", &tags->tag.style},
	};

	if (tags_is_named(name, "hidden"))
		tags->tag.hidden = true;
	if (tags_is_named(name, "reversed"))
		tags->tag.reversed = true;
	for (gsize i = 0; i < G_N_ELEMENTS(wanted); i++) {
		if (*wanted[i].value || !tags_is_named(name, wanted[i].name))
			continue;
		GString *text = g_string_new(NULL);
		tags->doubtful |=
		    !decode_references(text, value.start, value.end - value.start, true);
		*wanted[i].value = text->str;
		g_ptr_array_add(tags->values, g_string_free(text, FALSE));
	}
}

/* Reads the value after "=" at *p, and moves past it and its quotes. */
static struct piece
tags_read_value(const char **p, const char *end)
{
	struct piece value;

	value.start = tags_skip(*p + 1, end, SPACES);
	if (value.start < end && (*value.start == '"' || *value.start == '\'')) {
		const char quote[] = {*value.start++, '\0'};
		value.end = skip_to(value.start, end, quote);
		*p = value.end < end ? value.end + 1 : end;
	} else {
		value.end = *p = skip_to(value.start, end, SPACES ">");
	}
	return value;
}

static bool
tags_is_name(struct piece piece)
{
	for (const char *p = piece.start; p < piece.end; p++)
		if (!g_ascii_isalnum(*p) && !strchr("-_:.", *p))
			return false;
	return true;
}

/* Whether an attribute that ends in front of p is written in a usual way: without a value, with a
   quoted one, or with a simple one. */
static bool
is_usual(struct piece name, struct piece value, const char *p, const char *end)
{
	if (!tags_is_name(name))
		return false;
	if (value.start == name.end)
		return true;
	if (p > value.end)
		return p < end && *p && strchr(SPACES "/>", *p);
	return value.start < value.end && skip_to(value.start, value.end, "\"'`<=&/") == value.end;
}

/* Reads the attributes from p to the ">", and returns what follows it; NULL if the source ends. */
static const char *
read_attributes(struct html_tags *tags, const char *p)
{
	const char *end = tags->end;

	for (;;) {
		const char *before = p;
		p = tags_skip(p, end, SPACES "/");
		if (p == end)
			return NULL;
		if (*p == '>')
			return p + 1;
		tags->doubtful |= tags_skip(before, p, SPACES) != p;
		struct piece name = {.start = p};
		/* A leading "=" is part of the name. */
		p = name.end = skip_to(p + 1, end, SPACES "/>=");
		struct piece value = {p, p};
		p = tags_skip(p, end, SPACES);
		if (p < end && *p == '=')
			value = tags_read_value(&p, end);
		tags->doubtful |= !is_usual(name, value, p, end);
		keep_attribute(tags, name, value);
	}
}

static bool
is_raw(GumboTag name)
{
	switch (name) {
	case GUMBO_TAG_SCRIPT:
	case GUMBO_TAG_STYLE:
	case GUMBO_TAG_TITLE:
	case GUMBO_TAG_TEXTAREA:
	case GUMBO_TAG_IFRAME:
	case GUMBO_TAG_NOEMBED:
	case GUMBO_TAG_NOFRAMES:
		return true;
	default:
		return false;
	}
}

/* Reads the tag whose name is at p. */
static enum html_token
tags_read_tag(struct html_tags *tags, const char *p, enum html_token kind)
{
	const char *name = p;

	g_ptr_array_set_size(tags->values, 0);
	p = skip_to(p, tags->end, SPACES "/>");
	tags->tag = (struct html_tag){.name = gumbo_tagn_enum(name, p - name)};
	if (kind == HTML_TOKEN_OPEN && is_raw(tags->tag.name)) {
		tags->raw = name;
		tags->raw_size = p - name;
	}
	p = read_attributes(tags, p);
	tags->doubtful |= !p;
	tags->next = p ? p : tags->end;
	return p ? kind : HTML_TOKEN_END;
}

/* Skips the content of an element that holds no html, up to its closing tag. */
static void
skip_raw(struct html_tags *tags)
{
	const char *p = tags->next;

	while ((p = memchr(p, '<', tags->end - p))) {
		if ((gsize)(tags->end - p) > tags->raw_size + 2 && p[1] == '/' &&
		    g_ascii_strncasecmp(p + 2, tags->raw, tags->raw_size) == 0 &&
		    strchr(SPACES "/>", p[2 + tags->raw_size]))
			break;
		p++;
		/* In a comment, an end tag may not end a script. */
		tags->doubtful |= p < tags->end && *p == '!' && tags->tag.name == GUMBO_TAG_SCRIPT;
	}
	tags->doubtful |= !p;
	tags->next = p ? p : tags->end;
	tags->raw = NULL;
}

/* Whether what ends at close (NULL: it has no end) is a document type, or a comment that another
   reader could not end elsewhere. */
static bool
is_usual_declaration(const char *p, bool comment, const char *close)
{
	static const char type[] = "<!DOCTYPE ";

	if (!comment)
		return close && g_ascii_strncasecmp(p, type, strlen(type)) == 0;
	p += strlen("<!--");
	return close && close >= p && *p != '>' && *p != '-' &&
	       !memmem(p, (gsize)(close - p), "--!", 3);
}

/* Skips the comment or declaration at p. */
static void
skip_declaration(struct html_tags *tags, const char *p)
{
	bool comment = tags->end - p >= 4 && memcmp(p, "<!--", 4) == 0;
	const char *until = comment ? "-->" : ">";
	/* "<!-->" is a comment, too. */
	const char *from = comment ? p + 2 : p;
	const char *close = memmem(from, tags->end - from, until, strlen(until));

	tags->doubtful |= !is_usual_declaration(p, comment, close);
	tags->next = close ? close + strlen(until) : tags->end;
}

static enum html_token
tags_read_text(struct html_tags *tags)
{
	const char *p = tags->next;
	const char *stop = p + 1 < tags->end ? memchr(p + 1, '<', tags->end - p - 1) : NULL;

	tags->next = stop ? stop : tags->end;
	g_string_truncate(tags->text, 0);
	bool certain = decode_references(tags->text, p, tags->next - p, false);
	tags->doubtful |= !certain || *p == '<';
	return HTML_TOKEN_TEXT;
}

enum html_token
html_tags_next(struct html_tags *tags)
{
	if (tags->raw)
		skip_raw(tags);
	while (tags->next < tags->end) {
		const char *p = tags->next;
		gsize left = tags->end - p;
		if (*p != '<' || left < 2)
			return tags_read_text(tags);
		if (g_ascii_isalpha(p[1]))
			return tags_read_tag(tags, p + 1, HTML_TOKEN_OPEN);
		if (p[1] == '/' && left > 2 && g_ascii_isalpha(p[2]))
			return tags_read_tag(tags, p + 2, HTML_TOKEN_CLOSE);
		if (p[1] != '/' && p[1] != '!' && p[1] != '?')
			return tags_read_text(tags);
		skip_declaration(tags, p);
	}
	return HTML_TOKEN_END;
}
