/* SPDX-License-Identifier: MIT */
/* Finds the references to variables in a template, and replaces them by values. */
#include "mail/template.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"

struct reference {
	char name[LIMIT_VARIABLE_NAME_LENGTH + 1];
	const char *fallback; /* NULL: none */
	gsize fallback_size;
	bool raw;
	const char *end; /* just after the closing braces */
};

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool
is_name(char c)
{
	return g_ascii_isalnum(c) || c == '_' || c == '.' || c == '-';
}

static const char *
skip_blanks(const char *p, const char *end)
{
	while (p < end && is_blank(*p))
		p++;
	return p;
}

static bool
starts(const char *p, const char *end, const char *with)
{
	gsize size = strlen(with);

	return (gsize)(end - p) >= size && memcmp(p, with, size) == 0;
}

static bool
is_two_braces(const char *p, const char *end)
{
	return (*p == '{' || *p == '}') && end - p >= 2 && p[1] == *p;
}

/* Reads the fallback at p into *ref, without the blanks around it, and returns its end: braces,
   a line break or the end of the source. */
static const char *
read_fallback(const char *p, const char *end, struct reference *ref)
{
	p = skip_blanks(p, end);
	ref->fallback = p;
	while (p < end && *p != '\n' && *p != '\r' && !is_two_braces(p, end))
		p++;
	const char *last = p;
	while (last > ref->fallback && is_blank(last[-1]))
		last--;
	ref->fallback_size = last - ref->fallback;
	return p;
}

/* Reads the reference at p, at its opening braces. NULL for a reference, else its fault. Reads
   no further than the next braces or line break, so that a pass over a source of faults alone is
   linear, too. */
static const char *
read_braces(const char *p, const char *end, bool raw, struct reference *ref)
{
	/* The name is not cleared, to save time: a source can be made of braces alone. */
	ref->fallback = NULL;
	ref->fallback_size = 0;
	ref->raw = raw;
	p = skip_blanks(p + (raw ? 3 : 2), end);
	const char *name = p;
	while (p < end && is_name(*p) && p - name <= LIMIT_VARIABLE_NAME_LENGTH)
		p++;
	if (p == name)
		return "\"{{\" is not followed by the name of a variable";
	if (p - name > LIMIT_VARIABLE_NAME_LENGTH)
		return "the name of a variable is longer than 100 characters";
	memcpy(ref->name, name, p - name);
	ref->name[p - name] = '\0';
	p = skip_blanks(p, end);
	if (p < end && *p == '|')
		p = read_fallback(p + 1, end, ref);
	else if (p < end && *p != '}' && *p != '\n' && *p != '\r')
		return "names of variables are letters, digits, \"_\", \".\" and \"-\"";
	if (!starts(p, end, raw ? "}}}" : "}}"))
		return raw ? "\"{{{\" is not closed by \"}}}\" on its line"
			   : "\"{{\" is not closed by \"}}\" on its line";
	ref->end = p + (raw ? 3 : 2);
	return NULL;
}

static const char *
read_reference(const char *p, const char *end, struct reference *ref)
{
	return read_braces(p, end, starts(p, end, "{{{"), ref);
}

/* The next "{{" from p on, or NULL. */
static const char *
find_braces(const char *p, const char *end)
{
	while (p < end && (p = memchr(p, '{', end - p))) {
		if (is_two_braces(p, end))
			return p;
		p++;
	}
	return NULL;
}

/* The first reference from p on, and its start; NULL without one. */
static const char *
find_reference(const char *p, const char *end, struct reference *ref)
{
	while ((p = find_braces(p, end))) {
		if (!read_reference(p, end, ref))
			return p;
		p++;
	}
	return NULL;
}

bool
mail_template_check(const char *source, gsize size, GError **error)
{
	const char *end = source + size;
	const char *p = source;
	struct reference ref;

	while ((p = find_braces(p, end))) {
		const char *fault = read_reference(p, end, &ref);
		if (fault) {
			gsize line = 1;
			for (const char *c = source; c < p; c++)
				line += *c == '\n';
			g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
			    "line %" G_GSIZE_FORMAT ": %s", line, fault);
			return false;
		}
		p = ref.end;
	}
	return true;
}

bool
mail_template_has_references(const char *source, gsize size)
{
	struct reference ref;

	return find_reference(source, source + size, &ref) != NULL;
}

bool
mail_template_refers(const char *source, gsize size, const char *name)
{
	const char *p = source;
	struct reference ref;

	while ((p = find_reference(p, source + size, &ref))) {
		if (strcmp(ref.name, name) == 0)
			return true;
		p = ref.end;
	}
	return false;
}

void
mail_template_references(
    const char *source, gsize size, void (*name)(const char *name, void *context), void *context)
{
	const char *end = source + size;
	const char *p = source;
	struct reference ref;

	while ((p = find_reference(p, end, &ref))) {
		name(ref.name, context);
		p = ref.end;
	}
}

static void
append_escaped(GString *out, const char *value)
{
	static const char specials[] = "&<>\"'";
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};

	while (*value && out->len <= LIMIT_RENDERED_BYTES) {
		gsize plain = strcspn(value, specials);
		g_string_append_len(out, value, plain);
		value += plain;
		if (*value)
			g_string_append(out, entities[strchr(specials, *value++) - specials]);
	}
}

static void
append_header(GString *out, const char *value)
{
	for (const guchar *p = (const guchar *)value; *p; p++) {
		bool c1 = p[0] == 0xc2 && p[1] >= 0x80 && p[1] <= 0x9f;
		/* U+2028 and U+2029, line and paragraph separator */
		bool separator = p[0] == 0xe2 && p[1] == 0x80 && (p[2] == 0xa8 || p[2] == 0xa9);
		g_string_append_c(out, *p < ' ' || *p == 0x7f || c1 || separator ? ' ' : *p);
		p += c1 ? 1 : separator ? 2 : 0;
	}
}

static void
append_value(
    GString *out, const struct reference *ref, enum mail_template_kind kind, const char *value)
{
	if (!value)
		g_string_append_len(out, ref->fallback ? ref->fallback : "", ref->fallback_size);
	else if (kind == MAIL_TEMPLATE_HEADER)
		append_header(out, value);
	else if (kind == MAIL_TEMPLATE_HTML && !ref->raw)
		append_escaped(out, value);
	else
		g_string_append(out, value);
}

char *
mail_template_render(const char *source, gsize size, enum mail_template_kind kind,
    mail_template_lookup lookup, void *context, gsize *size_r, GError **error)
{
	const char *end = source + size;
	const char *p = source;
	const char *found;
	struct reference ref;
	g_autoptr(GString) out = g_string_sized_new(size);

	while ((found = find_reference(p, end, &ref)) && out->len <= LIMIT_RENDERED_BYTES) {
		g_string_append_len(out, p, found - p);
		append_value(out, &ref, kind, lookup(ref.name, context));
		p = ref.end;
	}
	g_string_append_len(out, p, end - p);
	if (out->len > LIMIT_RENDERED_BYTES) {
		g_set_error(error, PH_ERROR, PH_ERROR_TOO_LARGE,
		    "with its variables filled in it is larger than %d MB",
		    LIMIT_RENDERED_BYTES / LIMIT_MIB);
		return NULL;
	}
	if (size_r)
		*size_r = out->len;
	return g_string_free(g_steal_pointer(&out), FALSE);
}
