/* SPDX-License-Identifier: MIT */
/* Adds the footer to html and text, and takes it out again. */
#include "broadcast/footer.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "mail/template.h"

#define UNSUBSCRIBE "unsubscribe_url"
#define HTML                                                                                       \
	"<!--footer--><p style=\"margin:24px 0;font-size:12px;color:#666666\">"                    \
	"<a href=\"{{{" UNSUBSCRIBE "}}}\" style=\"color:#666666\">Unsubscribe</a></p>"            \
	"<!--/footer-->"
#define TEXT "\n\n-- \nUnsubscribe: {{{" UNSUBSCRIBE "}}}\n"

static bool
needs_footer(const char *source)
{
	return source && *source && !mail_template_refers(source, strlen(source), UNSUBSCRIBE);
}

/* The place in front of the last tag that ends the body, or the document; else the end. */
static gsize
find_end(const char *html)
{
	gsize size = strlen(html), end = size;

	for (gsize i = size; i-- > 0 && end == size;)
		if (g_ascii_strncasecmp(html + i, "</body", strlen("</body")) == 0)
			end = i;
	for (gsize i = size; i-- > 0 && end == size;)
		if (g_ascii_strncasecmp(html + i, "</html", strlen("</html")) == 0)
			end = i;
	return end;
}

char *
broadcast_footer_html(const char *source)
{
	if (!needs_footer(source))
		return g_strdup(source);
	GString *html = g_string_new(source);
	g_string_insert(html, (gssize)find_end(source), HTML);
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
