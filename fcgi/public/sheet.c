/* SPDX-License-Identifier: MIT */
/* Draws the frame of pages for people. */
#include "fcgi/public/sheet.h"

#include <string.h>

#include "base/secret.h"
#include "fcgi/http/reply.h"
#include "json/strict.h"
#include "store/workspace/preference_page.h"
#include "text/hostname.h"

#define COLOUR "#1a4fa3"
#define STYLE                                                                                      \
	":root{color-scheme:light dark}"                                                           \
	"body{font:1.125rem/1.5 system-ui,sans-serif;margin:0;color:#1a1a1a;background:#fff}"      \
	"main{max-width:32rem;margin:0 auto;padding:3rem 1.5rem;overflow-wrap:anywhere}"           \
	"h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}"                                    \
	"h2,legend{font-size:1.125rem;font-weight:600;margin:2rem 0 .5rem}"                        \
	"img{max-width:100%%;max-height:6rem}"                                                     \
	"fieldset{border:0;margin:0;padding:0}"                                                    \
	"fieldset div{margin:.75rem 0}fieldset p{margin:0 0 0 2rem;font-size:1rem}"                \
	"label{display:block;margin:1rem 0 .25rem}.trap{position:absolute;left:-9999px}"           \
	"fieldset label{display:inline;margin:0}"                                                  \
	"input[type=email],input[type=text],input[type=number],input[type=date]{font:inherit;"     \
	"width:100%%;box-sizing:border-box;padding:.5rem;border:1px solid #767676}"                \
	"input[type=checkbox]{width:1.25rem;height:1.25rem;margin:0 .5rem 0 0;"                    \
	"vertical-align:-.2rem}"                                                                   \
	"address{font-style:normal;font-size:1rem;white-space:pre-line;margin-top:3rem}"           \
	"button{font:inherit;padding:.625rem 1.25rem;border:2px solid %s;border-radius:.375rem;"   \
	"color:%s;background:%s;cursor:pointer}"                                                   \
	"button:focus-visible,input:focus-visible{outline:3px solid #b35c00;outline-offset:3px}"   \
	"@media(prefers-color-scheme:dark){body{color:#eee;background:#16181c}"                    \
	"button:focus-visible,input:focus-visible{outline-color:#ffb347}}"

void
fcgi_sheet_protect(
    struct fcgi_reply *reply, const char *style, const struct fcgi_sheet_guard *guard)
{
	guint8 digest[SHA256_SIZE];
	GString *policy = g_string_new("default-src 'none'; style-src 'sha256-");

	base_secret_sha256(style, strlen(style), digest);
	g_autofree char *hash = g_base64_encode(digest, sizeof(digest));
	g_string_append_printf(policy, "%s'; ", hash);
	if (guard->images)
		g_string_append_printf(policy, "img-src %s; ", guard->images);
	g_string_append_printf(policy,
	    "form-action 'self'%s%s; base-uri 'none'; frame-ancestors %s", guard->target ? " " : "",
	    guard->target ? guard->target : "", guard->framed ? "*" : "'none'");
	fcgi_reply_header(reply, "Content-Security-Policy", policy->str);
	g_string_free(policy, TRUE);
	if (!guard->framed)
		fcgi_reply_header(reply, "X-Frame-Options", "DENY");
	fcgi_reply_header(reply, "Referrer-Policy", "no-referrer");
	fcgi_reply_header(reply, "X-Robots-Tag", "noindex, nofollow");
}

/* Black or white, whichever is easier to read on a colour (WCAG 2.2, relative luminance). */
static const char *
ink_on(const char *colour)
{
	static const double shares[] = {0.299, 0.587, 0.114};
	double light = 0;

	for (guint i = 0; i < G_N_ELEMENTS(shares); i++)
		light += shares[i] * (16 * g_ascii_xdigit_value(colour[1 + 2 * i]) +
					 g_ascii_xdigit_value(colour[2 + 2 * i]));
	return light > 140 ? "#000" : "#fff";
}

static char *
style_of(const struct store_preference_page *branding)
{
	const char *colour = *branding->colour ? branding->colour : COLOUR;

	return g_strdup_printf(STYLE, colour, ink_on(colour), colour);
}

void
fcgi_sheet_append(
    const struct fcgi_sheet *sheet, const char *before, const char *text, const char *after)
{
	g_autofree char *escaped = g_markup_escape_text(text, -1);

	g_string_append_printf(sheet->html, "%s%s%s\n", before, escaped, after);
}

static void
sheet_append_head(const struct fcgi_sheet *sheet, const char *heading)
{
	g_string_append_printf(sheet->html,
	    "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	    "<meta name=\"robots\" content=\"noindex, nofollow\">\n"
	    "<meta name=\"referrer\" content=\"no-referrer\">\n",
	    sheet->language);
	fcgi_sheet_append(sheet, "<title>", heading, "</title>");
	g_string_append_printf(
	    sheet->html, "<style>%s</style>\n</head>\n<body>\n<main>\n", sheet->style);
}

/* The workspace's text in the language of the page, else in English. */
static void
append_intro(const struct fcgi_sheet *sheet)
{
	const struct store_preference_page *branding = sheet->branding;
	AUTO(json) texts =
	    *branding->text ? json_parse(branding->text, strlen(branding->text), NULL) : NULL;
	const char *text = json_string(json_member_get(texts, sheet->language), NULL);

	if (!text)
		text = json_string(json_member_get(texts, "en"), NULL);
	if (text)
		fcgi_sheet_append(sheet, "<p>", text, "</p>");
}

void
fcgi_sheet_open(struct fcgi_sheet *sheet_r, const struct store_preference_page *branding,
    const char *language, const char *heading, bool intro)
{
	*sheet_r = (struct fcgi_sheet){g_string_new(NULL), branding, language, style_of(branding)};
	sheet_append_head(sheet_r, heading);
	if (*branding->logo_url)
		fcgi_sheet_append(
		    sheet_r, "<p><img alt=\"\" src=\"", branding->logo_url, "\"></p>");
	if (*branding->title)
		fcgi_sheet_append(sheet_r, "<p><strong>", branding->title, "</strong></p>");
	if (intro)
		append_intro(sheet_r);
	fcgi_sheet_append(sheet_r, "<h1>", heading, "</h1>");
}

void
fcgi_sheet_reply(struct fcgi_sheet *sheet, struct fcgi_reply *reply, guint status,
    const struct fcgi_sheet_guard *guard)
{
	const struct store_preference_page *branding = sheet->branding;
	g_autofree char *images =
	    *branding->logo_url ? text_hostname_origin(branding->logo_url, false) : NULL;
	struct fcgi_sheet_guard whole = *guard;

	if (*branding->address)
		fcgi_sheet_append(sheet, "<address>", branding->address, "</address>");
	g_string_append(sheet->html, "</main>\n</body>\n</html>\n");
	whole.images = images;
	fcgi_sheet_protect(reply, sheet->style, &whole);
	fcgi_reply_header(reply, "Content-Language", sheet->language);
	fcgi_reply_document(
	    reply, "text/html; charset=utf-8", g_string_free_to_bytes(sheet->html), "no-store");
	reply->status = status;
	g_free(sheet->style);
}
