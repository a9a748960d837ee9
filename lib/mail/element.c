/* Takes a list of addresses apart, and checks the structure of each. */
#include "mail/element.h"

#include <string.h>

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
	g_free(element->addr_spec);
}

bool
mail_element_take(const char **text, struct mail_element *element_r, const char **why_r)
{
	g_autoptr(GString) all = g_string_new(NULL);
	g_autoptr(GString) within = g_string_new(NULL);
	enum place place = BEFORE_ANGLE;
	const char *p;

	for (p = *text; *p && !(*p == ',' && place != WITHIN_ANGLE); p++) {
		const char *end = piece_end(p, place, why_r);
		if (!end)
			return false;
		const char *piece = *p == '(' ? " " : p;
		gsize size = *p == '(' ? 1 : end - p + 1;
		g_string_append_len(all, piece, size);
		if (*p == '<' || *p == '>')
			place++;
		else if (place == WITHIN_ANGLE)
			g_string_append_len(within, piece, size);
		p = end;
	}
	*why_r = "is not one";
	if (place == WITHIN_ANGLE)
		return false;
	*text = *p ? p + 1 : NULL;
	element_r->text = g_strstrip(g_strdup(all->str));
	element_r->addr_spec =
	    place == BEFORE_ANGLE ? g_strdup(element_r->text) : g_strstrip(g_strdup(within->str));
	return true;
}
