/* SPDX-License-Identifier: MIT */
/* Puts the text that mail programs show beside the subject, and the link to unsubscribe, into a
   broadcast. */
#include "fcgi/resend/preview.h"

#include <glib.h>
#include <string.h>

#include "broadcast/footer.h"
#include "content/preview.h"

#define GIVEN_LINK "{{{RESEND_UNSUBSCRIBE_URL}}}"
#define STORED_LINK "{{{unsubscribe_url}}}"

static char *
preview_replace(const char *text, const char *what, const char *by)
{
	g_auto(GStrv) parts = text ? g_strsplit(text, what, -1) : NULL;

	return parts ? g_strjoinv(by, parts) : NULL;
}

char *
fcgi_resend_preview_text(const char *text, bool stored)
{
	g_autofree char *bare =
	    stored ? preview_replace(text, GIVEN_LINK, STORED_LINK) : broadcast_footer_take(text);

	return stored ? broadcast_footer_text(bare)
		      : preview_replace(bare, STORED_LINK, GIVEN_LINK);
}

char *
fcgi_resend_preview_put(const char *html, const char *preview)
{
	g_autofree char *linked = preview_replace(html, GIVEN_LINK, STORED_LINK);
	char *whole = broadcast_footer_html(linked);
	gsize size;

	if (!whole || !preview || !*preview)
		return whole;
	g_autofree char *owned = whole;
	return content_preview_put(owned, strlen(owned), preview, &size);
}

char *
fcgi_resend_preview_take(const char *whole, char **preview_r)
{
	g_autofree char *stored = broadcast_footer_take(whole);

	*preview_r = NULL;
	g_autofree char *html = stored ? content_preview_take(stored, preview_r) : NULL;
	return preview_replace(html, STORED_LINK, GIVEN_LINK);
}
