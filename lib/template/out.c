/* SPDX-License-Identifier: MIT */
/* Writes values into html, texts and header fields. */
#include "template/out.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/template.h"
#include "base/limits/unit.h"
#include "template/tag.h"

static void
out_append_escaped(GString *out, const char *value)
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

void
template_out_append(
    GString *out, const struct template_tag *tag, enum template_kind kind, const char *value)
{
	if (!value)
		g_string_append_len(out, tag->fallback ? tag->fallback : "", tag->fallback_size);
	else if (kind == TEMPLATE_HEADER)
		append_header(out, value);
	else if (kind == TEMPLATE_HTML && !tag->raw)
		out_append_escaped(out, value);
	else
		g_string_append(out, value);
}

char *
template_out_end(GString *out, gsize *size_r, GError **error)
{
	if (out->len > LIMIT_RENDERED_BYTES) {
		base_fail(error, PH_ERROR_TOO_LARGE,
		    "with its variables filled in it is larger than %d MB",
		    LIMIT_RENDERED_BYTES / LIMIT_MIB);
		g_string_free(out, TRUE);
		return NULL;
	}
	if (size_r)
		*size_r = out->len;
	return g_string_free(out, FALSE);
}
