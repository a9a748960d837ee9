/* SPDX-License-Identifier: MIT */
/* Takes a list of addresses apart, and checks the structure of each. */
#include "mail/element.h"

#include <string.h>

#include "mail/addr_spec.h"

/* The end of the quoted string or domain literal at p, or NULL. */
static const char *
quoted_end(const char *p, char close)
{
	for (p++; *p && *p != close; p++)
		if (*p == '\\' && p[1])
			p++;
	return *p ? p : NULL;
}

/* The end of the comment at p, which may hold others (RFC 5322 section 3.2.2), or NULL. */
static const char *
comment_end(const char *p)
{
	for (int depth = 0; *p; p++) {
		if (*p == '\\' && p[1])
			p++;
		else if (*p == '(')
			depth++;
		else if (*p == ')' && --depth == 0)
			return p;
	}
	return NULL;
}

enum place { BEFORE_ANGLE, WITHIN_ANGLE, AFTER_ANGLE };

/* The last character of the piece at p: a comment, a quoted string, a literal, or p itself. NULL,
 * and why, where it has no place. */
static const char *
piece_end(const char *p, enum place place, const char **why_r)
{
	*why_r = "is not one";
	if (*p == '(')
		return comment_end(p);
	if (place == AFTER_ANGLE && *p != ' ') {
		*why_r = "has text after the address";
		return NULL;
	}
	switch (*p) {
	case '"':
		return quoted_end(p, '"');
	case '[':
		return quoted_end(p, ']');
	case '<':
		return place == BEFORE_ANGLE ? p : NULL;
	case '>':
		return place == WITHIN_ANGLE ? p : NULL;
	case ':':
	case ';':
		*why_r = "is a group; give its addresses, separated by commas";
		return NULL;
	case ',':
	case '\\':
		return NULL;
	default:
		return p;
	}
}

void
mail_element_clear(struct mail_element *element)
{
	g_free(element->text);
	g_free(element->name);
	g_free(element->addr_spec);
}

/* What is gathered while an element is read. */
struct parts {
	GString *all;
	GString *name;	/* before the angle bracket */
	GString *angle; /* within them */
	bool phrase;	/* nothing stood before that a name cannot have without quotes */
	enum place place;
};

/* Adds the words of a name; between two of them is one space. */
static void
add_word(struct parts *parts, const char *piece, gsize size)
{
	GString *name = parts->name;

	if (*piece == '"') {
		g_string_append_c(name, ' ');
		for (gsize i = 1; i + 1 < size; i++) {
			i += piece[i] == '\\';
			g_string_append_c(name, piece[i]);
		}
		g_string_append_c(name, ' ');
	} else if (*piece != ' ') {
		g_string_append_len(name, piece, size);
		parts->phrase = parts->phrase &&
				(mail_addr_spec_is_atext(*piece) || *piece == '.' || *piece & 0x80);
	} else if (name->len > 0 && name->str[name->len - 1] != ' ') {
		g_string_append_c(name, ' ');
	}
}

/* Puts a piece where it belongs. False: it has no place there. */
static bool
add_piece(struct parts *parts, const char *piece, gsize size)
{
	if (*piece == '(') {
		piece = " ";
		size = 1;
	}
	g_string_append_len(parts->all, piece, size);
	if (*piece == '<' || *piece == '>')
		parts->place++;
	else if (parts->place == BEFORE_ANGLE)
		add_word(parts, piece, size);
	else if (parts->place == WITHIN_ANGLE)
		g_string_append_len(parts->angle, piece, size);
	return *piece != '<' || parts->phrase;
}

static void
take_parts(struct parts *parts, struct mail_element *element_r)
{
	bool bare = parts->place == BEFORE_ANGLE;

	element_r->text = g_strdup(g_strstrip(parts->all->str));
	element_r->name = g_strdup(bare ? "" : g_strstrip(parts->name->str));
	element_r->addr_spec = g_strdup(g_strstrip(bare ? parts->all->str : parts->angle->str));
}

bool
mail_element_take(const char **text, struct mail_element *element_r, const char **why_r)
{
	g_autoptr(GString) all = g_string_new(NULL);
	g_autoptr(GString) name = g_string_new(NULL);
	g_autoptr(GString) angle = g_string_new(NULL);
	struct parts parts = {.all = all, .name = name, .angle = angle, .phrase = true};
	const char *p;

	for (p = *text; *p && !(*p == ',' && parts.place != WITHIN_ANGLE); p++) {
		const char *end = piece_end(p, parts.place, why_r);
		if (!end || !add_piece(&parts, p, end - p + 1))
			return false;
		p = end;
	}
	*why_r = "is not one";
	if (parts.place == WITHIN_ANGLE)
		return false;
	*text = *p ? p + 1 : NULL;
	take_parts(&parts, element_r);
	return true;
}
