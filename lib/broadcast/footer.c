/* SPDX-License-Identifier: MIT */
/* Adds the footer to html and text, and takes it out again. */
#include "broadcast/footer.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "content/footer.h"
#include "template/template.h"

#define UNSUBSCRIBE "unsubscribe_url"
#define HTML                                                                                       \
	"<!--footer-->" CONTENT_FOOTER_BEFORE "{{{" UNSUBSCRIBE "}}}" CONTENT_FOOTER_BEHIND        \
	"<!--/footer-->"
#define TEXT CONTENT_FOOTER_TEXT("{{{" UNSUBSCRIBE "}}}")

static bool
needs_footer(const char *source)
{
	return source && *source && !template_refers(source, strlen(source), UNSUBSCRIBE);
}

char *
broadcast_footer_html(const char *source)
{
	if (!needs_footer(source))
		return g_strdup(source);
	GString *html = g_string_new(source);
	g_string_insert(html, (gssize)content_footer_place(source, strlen(source)), HTML);
	return g_string_free(html, FALSE);
}

char *
broadcast_footer_text(const char *source)
{
	return needs_footer(source) ? g_strconcat(source, TEXT, NULL) : g_strdup(source);
}

char *
broadcast_footer_take(const char *source)
{
	static const char *const footers[] = {HTML, TEXT};

	for (guint i = 0; source && i < G_N_ELEMENTS(footers); i++) {
		const char *at = g_strrstr(source, footers[i]);

		if (at) {
			g_autofree char *front = g_strndup(source, (gsize)(at - source));
			return g_strconcat(front, at + strlen(footers[i]), NULL);
		}
	}
	return g_strdup(source);
}
