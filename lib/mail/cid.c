/* SPDX-License-Identifier: MIT */
/* Finds the cid: URLs of html by a pass over its tags and styles, and completes them. */
#include "mail/cid.h"

#include <string.h>

struct pass {
	const char *const *ids;
	guint count;
	const char *domain;
	bool *named;
	GString *out;	  /* html up to done, with the references completed */
	const char *done; /* how far html is in out */
};

char *
mail_cid_full(const char *id, const char *domain)
{
	return strchr(id, '@') ? g_strdup(id) : g_strconcat(id, "@", domain, NULL);
}

static bool
ends_value(const char *p, const char *end)
{
	return p == end || (guchar)*p <= ' ' || strchr("\"'()<>", *p) ||
	       (*p == '&' && (end - p < 5 || g_ascii_strncasecmp(p, "&amp;", 5) != 0));
}

/* The id that a URL of size bytes behind cid: means. The caller owns it. */
static char *
cid_decode(const char *text, gsize size)
{
	g_autoptr(GString) plain = g_string_new_len(text, (gssize)size);

	g_string_replace(plain, "&amp;", "&", 0);
	char *decoded = g_uri_unescape_string(plain->str, NULL);
	return decoded ? decoded : g_strdup(plain->str);
}

/* Takes the reference whose URL begins at p, behind cid:, and moves behind it. */
static const char *
take_reference(struct pass *pass, const char *p, const char *end)
{
	const char *stop = p;

	while (!ends_value(stop, end))
		stop++;
	g_autofree char *id = cid_decode(p, (gsize)(stop - p));
	g_autofree char *full = mail_cid_full(id, pass->domain);
	bool is_named = false;
	for (guint i = 0; i < pass->count; i++) {
		g_autofree char *own =
		    pass->ids[i] ? mail_cid_full(pass->ids[i], pass->domain) : NULL;

		if (!own || strcmp(own, full) != 0)
			continue;
		pass->named[i] = true;
		is_named = true;
	}
	if (is_named && !strchr(id, '@')) {
		g_string_append_len(pass->out, pass->done, stop - pass->done);
		g_string_append_printf(pass->out, "@%s", pass->domain);
		pass->done = stop;
	}
	return stop;
}

/* Takes the references from p to end. */
static void
take_references(struct pass *pass, const char *p, const char *end)
{
	const char *begin = p;

	while (p < end && (p = memchr(p, ':', (gsize)(end - p)))) {
		bool is_cid = p - begin >= 3 && g_ascii_strncasecmp(p - 3, "cid", 3) == 0 &&
			      (p - begin == 3 || !g_ascii_isalnum(p[-4]));

		p = is_cid ? take_reference(pass, p + 1, end) : p + 1;
	}
}

/* The end of the tag at p: its >, outside quotes, or end. */
static const char *
tag_end(const char *p, const char *end)
{
	char quote = '\0';

	for (; p < end && (quote || *p != '>'); p++) {
		if (quote)
			quote = *p == quote ? '\0' : quote;
		else if ((*p == '"' || *p == '\'') && p[-1] == '=')
			quote = *p;
	}
	return p;
}

static const char *
style_end(const char *p, const char *end)
{
	while (p < end && (p = memchr(p, '<', (gsize)(end - p)))) {
		if (end - p >= 7 && g_ascii_strncasecmp(p, "</style", 7) == 0)
			return p;
		p++;
	}
	return end;
}

char *
mail_cid_complete(const char *html, gsize size, const char *const *ids, guint count,
    const char *domain, bool *named_r, gsize *size_r)
{
	g_autoptr(GString) out = g_string_new(NULL);
	struct pass pass = {ids, count, domain, named_r, out, html};
	const char *p = html, *end = html + size;

	while (p < end && (p = memchr(p, '<', (gsize)(end - p)))) {
		bool is_style = end - p > 6 && g_ascii_strncasecmp(p, "<style", 6) == 0 &&
				!g_ascii_isalnum(p[6]);
		const char *begin = p + 1, *stop;

		if (begin == end || !g_ascii_isalpha(*begin)) {
			p++;
			continue;
		}
		stop = tag_end(begin, end);
		if (is_style)
			stop = style_end(stop, end);
		take_references(&pass, begin, stop);
		p = stop;
	}
	if (pass.done == html)
		return NULL;
	g_string_append_len(out, pass.done, end - pass.done);
	*size_r = out->len;
	return g_string_free(g_steal_pointer(&out), FALSE);
}
