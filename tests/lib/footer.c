/* SPDX-License-Identifier: MIT */
#include "content/footer.h"

#include <criterion/criterion.h>
#include <string.h>

#include "content/content.h"
#include "html/textpart.h"

#define URL "https://mail.example.org/t/u/AbC_-123"
#define FOOTER CONTENT_FOOTER_BEFORE URL CONTENT_FOOTER_BEHIND

static GBytes *
footer_bytes(const char *text)
{
	return text ? g_bytes_new(text, strlen(text)) : NULL;
}

/* Contents as content_read gives them. text NULL: that of html. */
static struct content
footer_make(const char *html, const char *text)
{
	g_autofree char *shown = html ? html_textpart_from_html(html, strlen(html)) : NULL;

	return (struct content){.html = footer_bytes(html),
	    .text = footer_bytes(text ? text : shown),
	    .shown = footer_bytes(shown)};
}

#define LINK "<a href='" URL "'>Leave</a>"

static const struct {
	const char *name, *html, *text;
	bool want;
} needs[] = {
    {"a link", "<p>Hi " LINK "</p>", NULL, false},
    {"a link, another text", "<p>Hi " LINK "</p>", "Hi", false},
    {"none", "<p>Hi</p>", NULL, true},
    {"in the text alone", "<p>Hi</p>", "Hi " URL, true},
    {"text alone", NULL, "Hi " URL, false},
    {"text alone, none", NULL, "Hi", true},
    {"the URL as text", "<p>" URL "</p>", NULL, false},
    {"a link that says its URL", "<a href='" URL "'>mail.example.org/t/u/AbC_-123</a>", NULL,
	false},
    {"in a comment", "<p>Hi</p><!-- " LINK " -->", NULL, true},
    {"for Outlook alone", "<p>Hi</p><!--[if mso]>" LINK "<![endif]-->", NULL, true},
    {"for all but Outlook", "<!--[if !mso]><!-->" LINK "<!--<![endif]-->", NULL, false},
    {"hidden", "<p>Hi</p><div hidden><p>" LINK "</p></div>", "Hi", true},
    {"not displayed", "<p>Hi</p><p style='color:red; DISPLAY: none'>" LINK "</p>", NULL, true},
    {"of no height", "<div style='max-height:0;overflow:hidden'>" LINK "</div>Hi", NULL, true},
    {"hidden itself", "Hi <a hidden href='" URL "'>Leave</a>", NULL, true},
    {"without words", "Hi <a href='" URL "'></a>", NULL, true},
    {"blank", "Hi <a href='" URL "'> &nbsp; </a>", NULL, true},
    {"a picture", "Hi <a href='" URL "'><img src=x></a>", NULL, false},
    {"a picture with words", "Hi <a href='" URL "'><img src=x alt=Leave></a>", NULL, false},
    {"an area", "<map><area href='" URL "' alt=Leave></map>", NULL, false},
    {"in the head", "<head><title>" LINK "</title></head><p>Hi", NULL, true},
    {"in a script", "<script>'" URL "'</script><p>Hi", NULL, true},
    {"in an attribute", "<p title='" URL "'>Hi</p>", NULL, true},
    {"hidden and shown", "<p hidden>" LINK "</p>" LINK, NULL, false},
    {"behind a comment", "<!-- " LINK " --><p>" LINK "</p>", NULL, false},
    {"of another", "<a href='https://mail.example.org/t/u/other'>Leave</a>", NULL, true},
};

Test(core_footer, is_needed_where_no_link_shows)
{
	for (gsize i = 0; i < G_N_ELEMENTS(needs); i++) {
		struct content content = footer_make(needs[i].html, needs[i].text);
		bool got = content_footer_is_needed(&content, URL);

		cr_expect_eq(
		    got, needs[i].want, "%s: got %d, want %d", needs[i].name, got, needs[i].want);
		content_clear(&content);
	}
}

static const struct {
	const char *name, *html, *text, *want_html, *want_text;
} adds[] = {
    {"end", "<p>Hi</p>", "Hi\n", "<p>Hi</p>" FOOTER, "Hi\n" CONTENT_FOOTER_TEXT(URL)},
    {"body", "<body><p>Hi</p></BODY></html>", "Hi", "<body><p>Hi</p>" FOOTER "</BODY></html>",
	"Hi" CONTENT_FOOTER_TEXT(URL)},
    {"html", "<html><p>Hi</p></html>", URL, "<html><p>Hi</p>" FOOTER "</html>", URL},
    {"comment", "<p>Hi</p><!-- not closed", "Hi", FOOTER "<p>Hi</p><!-- not closed",
	"Hi" CONTENT_FOOTER_TEXT(URL)},
    {"hidden", "Hi<div hidden>", "Hi", FOOTER "Hi<div hidden>", "Hi" CONTENT_FOOTER_TEXT(URL)},
    {"text", NULL, "", NULL, CONTENT_FOOTER_TEXT(URL)},
};

static void
footer_expect(const char *name, GBytes *got, const char *want)
{
	gsize size = 0;
	const char *text = got ? g_bytes_get_data(got, &size) : "";

	cr_expect(!got == !want, "%s", name);
	cr_expect(size == (want ? strlen(want) : 0) && memcmp(text, want ? want : "", size) == 0,
	    "%s: got %.*s, want %s", name, (int)size, text, want);
}

Test(core_footer, is_added_where_it_shows)
{
	for (gsize i = 0; i < G_N_ELEMENTS(adds); i++) {
		struct content content = footer_make(adds[i].html, adds[i].text);

		content_footer_add(&content, URL);
		footer_expect(adds[i].name, content.html, adds[i].want_html);
		footer_expect(adds[i].name, content.text, adds[i].want_text);
		content_clear(&content);
	}
}
