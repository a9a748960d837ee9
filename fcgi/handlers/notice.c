/* SPDX-License-Identifier: MIT */
/* Pages for people. */
#include "fcgi/handlers/notice.h"

#include <string.h>

#include "base/secret.h"

static const char style[] =
    ":root{color-scheme:light dark}"
    "body{font:1.125rem/1.5 system-ui,sans-serif;margin:0;color:#1a1a1a;background:#fff}"
    "main{max-width:32rem;margin:0 auto;padding:3rem 1.5rem;overflow-wrap:anywhere}"
    "h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}"
    "button{font:inherit;padding:.625rem 1.25rem;border:2px solid #1a4fa3;border-radius:.375rem;"
    "color:#fff;background:#1a4fa3;cursor:pointer}"
    "button:hover{background:#123a7a}"
    "button:focus-visible{outline:3px solid #e08a00;outline-offset:3px}"
    "@media(prefers-color-scheme:dark){body{color:#eee;background:#16181c}}";

/* What may stand in the page: this style, and a form that comes back to us. */
static void
guard(struct fcgi_reply *reply)
{
	guint8 digest[SHA256_SIZE];

	base_secret_sha256(style, strlen(style), digest);
	g_autofree char *hash = g_base64_encode(digest, sizeof(digest));
	g_autofree char *policy =
	    g_strdup_printf("default-src 'none'; style-src 'sha256-%s'; form-action 'self'; "
			    "base-uri 'none'; frame-ancestors 'none'",
		hash);
	fcgi_reply_header(reply, "Content-Security-Policy", policy);
	fcgi_reply_header(reply, "X-Frame-Options", "DENY");
	fcgi_reply_header(reply, "Referrer-Policy", "no-referrer");
	fcgi_reply_header(reply, "X-Robots-Tag", "noindex, nofollow");
}

static void
append(GString *page, const char *before, const char *text, const char *after)
{
	g_autofree char *escaped = g_markup_escape_text(text, -1);

	g_string_append_printf(page, "%s%s%s\n", before, escaped, after);
}

void
fcgi_notice_reply(struct fcgi_reply *reply, guint status, const struct fcgi_notice *notice)
{
	GString *page = g_string_new(
	    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	    "<meta name=\"robots\" content=\"noindex, nofollow\">\n"
	    "<meta name=\"referrer\" content=\"no-referrer\">\n");

	append(page, "<title>", notice->title, "</title>");
	g_string_append_printf(page, "<style>%s</style>\n</head>\n<body>\n<main>\n", style);
	append(page, "<h1>", notice->title, "</h1>");
	if (notice->done)
		append(page, "<p role=\"status\">", notice->done, "</p>");
	append(page, "<p>", notice->text, "</p>");
	if (notice->action) {
		g_string_append(page, "<form method=\"post\">\n");
		append(page, "<p><button type=\"submit\" name=\"action\" value=\"", notice->action,
		    "\">");
		g_string_truncate(page, page->len - 1);
		append(page, "", notice->button, "</button></p>");
		g_string_append(page, "</form>\n");
	}
	g_string_append(page, "</main>\n</body>\n</html>\n");
	guard(reply);
	fcgi_reply_picture(
	    reply, "text/html; charset=utf-8", g_string_free_to_bytes(page), "no-store");
	reply->status = status;
}

static void
write_failure(struct fcgi_reply *reply, guint status)
{
	const struct fcgi_notice missing = {.title = "This link does not work",
	    .text = "It may have been cut short or changed on its way. Please use the link as it "
		    "stands in the message, the whole of it."};
	const struct fcgi_notice away = {.title = "Please try again later",
	    .text = "This cannot be done at the moment. Please open the link once more in a few "
		    "minutes."};
	const struct fcgi_notice refused = {.title = "This was not understood",
	    .text = "Please open the link in the message, and use the button on the page."};

	fcgi_notice_reply(reply, status,
	    status == 404   ? &missing
	    : status >= 500 ? &away
			    : &refused);
}

const struct fcgi_failure fcgi_failure_notice = {.write = write_failure};
