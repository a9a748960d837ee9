/* SPDX-License-Identifier: MIT */
/* Draws the page on which a recipient chooses what to get. All texts are plain, and escaped when
   they are written. */
#include "fcgi/handlers/choices.h"

#include <stdlib.h>
#include <string.h>

#include "base/secret.h"
#include "fcgi/handlers/words.h"
#include "fcgi/reply.h"
#include "json/strict.h"
#include "store/looks.h"
#include "store/membership.h"
#include "store/topic.h"

const char *const fcgi_choices_languages[CHOICES_LANGUAGES] = {"en", "de", "fr", "es", "pt"};

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
	"input[type=checkbox]{width:1.25rem;height:1.25rem;margin:0 .5rem 0 0;"                    \
	"vertical-align:-.2rem}"                                                                   \
	"address{font-style:normal;font-size:1rem;white-space:pre-line;margin-top:3rem}"           \
	"button{font:inherit;padding:.625rem 1.25rem;border:2px solid %s;border-radius:.375rem;"   \
	"color:%s;background:%s;cursor:pointer}"                                                   \
	"button:focus-visible,input:focus-visible{outline:3px solid #b35c00;outline-offset:3px}"   \
	"@media(prefers-color-scheme:dark){body{color:#eee;background:#16181c}"                    \
	"button:focus-visible,input:focus-visible{outline-color:#ffb347}}"

/* What the page shows, and to whom. */
struct page {
	GString *html;
	const struct core_subscriber *subscriber;
	const struct store_looks *looks;
	const char *const *words;
	const char *language;
};

char *
fcgi_choices_origin(const char *url)
{
	g_autoptr(GUri) uri = g_uri_parse(url, G_URI_FLAGS_ENCODED, NULL);
	const char *host = uri ? g_uri_get_host(uri) : NULL;

	if (!host || !*host || strcmp(g_uri_get_scheme(uri), "https") != 0 ||
	    g_uri_get_userinfo(uri))
		return NULL;
	for (const char *p = host; *p; p++)
		if (!g_ascii_isalnum(*p) && *p != '.' && *p != '-')
			return NULL;
	return g_uri_get_port(uri) > 0 ? g_strdup_printf("https://%s:%d", host, g_uri_get_port(uri))
				       : g_strdup_printf("https://%s", host);
}

/* The number of a language of the page; CHOICES_LANGUAGES when it is none. */
static guint
find_language(const char *tag, gsize size)
{
	guint i = 0;

	while (i < CHOICES_LANGUAGES &&
	       !(size >= 2 && g_ascii_strncasecmp(tag, fcgi_choices_languages[i], 2) == 0 &&
		   (size == 2 || tag[2] == '-')))
		i++;
	return i;
}

/* The weight of a language in Accept-Language: ";q=0.5" behind its tag, else 1. */
static double
weight_of(const char *text)
{
	const char *q = strstr(text, "q=");

	return q ? g_ascii_strtod(q + 2, NULL) : 1;
}

guint
fcgi_choices_language(const char *person, const char *accepted)
{
	guint best = person ? find_language(person, strlen(person)) : CHOICES_LANGUAGES;
	g_auto(GStrv) ranges = g_strsplit(accepted ? accepted : "", ",", 32);
	double most = 0;

	if (best < CHOICES_LANGUAGES)
		return best;
	best = 0;
	for (guint i = 0; ranges[i]; i++) {
		const char *range = g_strstrip(ranges[i]);
		guint language = find_language(range, strcspn(range, "; \t"));
		double weight = weight_of(range);

		if (language < CHOICES_LANGUAGES && weight > most) {
			best = language;
			most = weight;
		}
	}
	return best;
}

void
fcgi_choices_guard(struct fcgi_reply *reply, const char *style, const char *origin)
{
	guint8 digest[SHA256_SIZE];

	base_secret_sha256(style, strlen(style), digest);
	g_autofree char *hash = g_base64_encode(digest, sizeof(digest));
	g_autofree char *policy =
	    g_strdup_printf("default-src 'none'; style-src 'sha256-%s'; %s%s%sform-action 'self'; "
			    "base-uri 'none'; frame-ancestors 'none'",
		hash, origin ? "img-src " : "", origin ? origin : "", origin ? "; " : "");
	fcgi_reply_header(reply, "Content-Security-Policy", policy);
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
style_of(const struct store_looks *looks)
{
	const char *colour = *looks->colour ? looks->colour : COLOUR;

	return g_strdup_printf(STYLE, colour, ink_on(colour), colour);
}

static void
append(const struct page *page, const char *before, const char *text, const char *after)
{
	g_autofree char *escaped = g_markup_escape_text(text, -1);

	g_string_append_printf(page->html, "%s%s%s\n", before, escaped, after);
}

/* Appends a word with the names of the email in it. */
static void
append_word(const struct page *page, const char *before, enum fcgi_word word, const char *after)
{
	const struct core_subscriber *subscriber = page->subscriber;
	GString *text = g_string_new(page->words[word]);

	g_string_replace(text, "{address}", subscriber->address, 1);
	g_string_replace(text, "{sender}", subscriber->sender, 1);
	if (subscriber->topic)
		g_string_replace(text, "{topic}", subscriber->topic->topic.name, 1);
	append(page, before, text->str, after);
	g_string_free(text, TRUE);
}

static void
append_head(const struct page *page, const char *style, enum fcgi_word heading)
{
	g_string_append_printf(page->html,
	    "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	    "<meta name=\"robots\" content=\"noindex, nofollow\">\n"
	    "<meta name=\"referrer\" content=\"no-referrer\">\n",
	    page->language);
	append(page, "<title>", page->words[heading], "</title>");
	g_string_append_printf(page->html, "<style>%s</style>\n</head>\n<body>\n<main>\n", style);
}

/* Appends the workspace's logo, title and text. */
static void
append_looks(const struct page *page)
{
	const struct store_looks *looks = page->looks;
	AUTO(json) texts = *looks->text ? json_parse(looks->text, strlen(looks->text), NULL) : NULL;
	const char *text = json_string(json_member_get(texts, page->language), NULL);

	if (!text)
		text = json_string(json_member_get(texts, fcgi_choices_languages[0]), NULL);
	if (*looks->logo_url)
		append(page, "<p><img alt=\"\" src=\"", looks->logo_url, "\"></p>");
	if (*looks->title)
		append(page, "<p><strong>", looks->title, "</strong></p>");
	if (text)
		append(page, "<p>", text, "</p>");
}

/* Appends a form of one button. */
static void
append_button(const struct page *page, const char *action, enum fcgi_word word)
{
	g_string_append_printf(page->html,
	    "<form method=\"post\">\n<input type=\"hidden\" name=\"action\" value=\"%s\">\n",
	    action);
	append_word(page, "<p><button type=\"submit\">", word, "</button></p>");
	g_string_append(page->html, "</form>\n");
}

/* Appends a checkbox; number makes its id. note: "" for none. */
static void
append_box(const struct page *page, const char *name, guint number, const struct base_id *value,
    bool checked, const char *label, const char *note)
{
	char id[ID_TEXT_SIZE];

	g_string_append_printf(page->html,
	    "<div><input type=\"checkbox\" name=\"%s\" id=\"%s%u\" value=\"%s\"%s", name, name,
	    number, base_id_format(value, id), checked ? " checked" : "");
	if (*note)
		g_string_append_printf(page->html, " aria-describedby=\"%s%u-note\"", name, number);
	g_string_append_printf(page->html, "><label for=\"%s%u\">", name, number);
	append(page, "", label, "</label>");
	if (*note) {
		g_string_append_printf(page->html, "<p id=\"%s%u-note\">", name, number);
		append(page, "", note, "</p>");
	}
	g_string_append(page->html, "</div>\n");
}

static guint
count_public(const struct core_subscriber *subscriber)
{
	guint count = 0;

	for (guint i = 0; i < subscriber->topics->len; i++)
		count += ((const struct store_topic_choice *)subscriber->topics->pdata[i])
			     ->topic.is_public;
	return count;
}

/* Who gets no mailings at all gets none of a topic. */
static void
append_topics(const struct page *page)
{
	const struct core_subscriber *subscriber = page->subscriber;

	append(page, "<fieldset>\n<legend>", page->words[WORD_TOPICS], "</legend>");
	for (guint i = 0; i < subscriber->topics->len; i++) {
		const struct store_topic_choice *choice = subscriber->topics->pdata[i];

		if (choice->topic.is_public)
			append_box(page, "topic", i, &choice->topic.id,
			    choice->is_subscribed && !subscriber->out, choice->topic.name,
			    choice->topic.description);
	}
	g_string_append(page->html, "</fieldset>\n");
}

static void
append_audiences(const struct page *page)
{
	const struct core_subscriber *subscriber = page->subscriber;

	append(page, "<fieldset>\n<legend>", page->words[WORD_AUDIENCES], "</legend>");
	for (guint i = 0; i < subscriber->memberships->len; i++) {
		const struct store_membership *membership = subscriber->memberships->pdata[i];

		append_box(page, "audience", i, &membership->audience_id, membership->is_subscribed,
		    membership->audience, membership->pending ? page->words[WORD_PENDING] : "");
	}
	g_string_append(page->html, "</fieldset>\n");
}

static void
append_choices(const struct page *page)
{
	guint topics = count_public(page->subscriber), lists = page->subscriber->memberships->len;

	if (topics + lists == 0)
		return;
	g_string_append(page->html, "<form method=\"post\">\n"
				    "<input type=\"hidden\" name=\"action\" value=\"choices\">\n");
	append(page, "<h2>", page->words[WORD_CHOICES], "</h2>");
	if (topics > 0)
		append_topics(page);
	if (lists > 0)
		append_audiences(page);
	append(page, "<p><button type=\"submit\">", page->words[WORD_SAVE], "</button></p>");
	g_string_append(page->html, "</form>\n");
}

/* Whether the topic of the email is left. */
static bool
is_off_topic(const struct core_subscriber *subscriber)
{
	return subscriber->topic && !subscriber->topic->is_subscribed;
}

static enum fcgi_word
heading_of(const struct core_subscriber *subscriber, enum fcgi_choices_done done)
{
	if (done == CHOICES_SAVED)
		return WORD_CHOICES;
	if (subscriber->state != SUBSCRIPTION_ON || is_off_topic(subscriber))
		return WORD_IS_OFF;
	return done == CHOICES_RETURNED ? WORD_IS_ON : WORD_UNSUBSCRIBE;
}

/* Tells the state, and the ways that there are. */
static void
append_state(const struct page *page, enum fcgi_choices_done done)
{
	const struct core_subscriber *subscriber = page->subscriber;
	bool off = subscriber->state != SUBSCRIPTION_ON, off_topic = is_off_topic(subscriber);

	if (off || off_topic)
		append_word(page, "<p>", off ? WORD_OFF : WORD_OFF_TOPIC, "</p>");
	else
		append_word(page, "<p>", done == CHOICES_RETURNED ? WORD_ON : WORD_ASK, "</p>");
	if (off && subscriber->elsewhere)
		append_word(page, "<p>", WORD_ELSEWHERE, "</p>");
	else if (subscriber->returns)
		append_word(page, "<p>", WORD_MISTAKE, "</p>");
	if (!off && subscriber->topic && !off_topic)
		append_button(page, "topic", WORD_LEAVE_TOPIC);
	if (!off)
		append_button(page, "unsubscribe", WORD_LEAVE_ALL);
	if (subscriber->returns)
		append_button(page, "subscribe", WORD_RETURN);
}

void
fcgi_choices_reply(struct fcgi_reply *reply, const struct core_subscriber *subscriber,
    const struct store_looks *looks, guint language, enum fcgi_choices_done done)
{
	const struct page page = {g_string_new(NULL), subscriber, looks, fcgi_words[language],
	    fcgi_choices_languages[language]};
	enum fcgi_word heading = heading_of(subscriber, done);
	g_autofree char *style = style_of(looks);
	g_autofree char *origin = *looks->logo_url ? fcgi_choices_origin(looks->logo_url) : NULL;

	append_head(&page, style, heading);
	append_looks(&page);
	append_word(&page, "<h1>", heading, "</h1>");
	if (done != CHOICES_UNCHANGED)
		append_word(&page, "<p role=\"status\">",
		    done == CHOICES_SAVED ? WORD_SAVED : WORD_DONE, "</p>");
	append_state(&page, done);
	append_choices(&page);
	if (*looks->address)
		append(&page, "<address>", looks->address, "</address>");
	g_string_append(page.html, "</main>\n</body>\n</html>\n");
	fcgi_choices_guard(reply, style, origin);
	fcgi_reply_header(reply, "Content-Language", page.language);
	fcgi_reply_document(
	    reply, "text/html; charset=utf-8", g_string_free_to_bytes(page.html), "no-store");
	reply->status = 200;
}
