/* SPDX-License-Identifier: MIT */
/* Draws the page on which a recipient chooses what to get. All texts are plain, and escaped when
   they are written. */
#include "fcgi/public/choices.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "fcgi/public/sheet.h"
#include "fcgi/public/words.h"
#include "store/consent/topic.h"
#include "store/person/membership.h"

const char *const fcgi_choices_languages[CHOICES_LANGUAGES] = {"en", "de", "fr", "es", "pt"};

/* The contents of the page, and its reader. */
struct page {
	struct fcgi_sheet sheet;
	const struct consent_subscriber *subscriber;
	const char *const *words;
};

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

static void
choices_append(const struct page *page, const char *before, const char *text, const char *after)
{
	fcgi_sheet_append(&page->sheet, before, text, after);
}

/* A word with the names of the email in it. The caller owns it. */
static char *
choices_word_of(const struct page *page, enum fcgi_word word)
{
	const struct consent_subscriber *subscriber = page->subscriber;
	GString *text = g_string_new(page->words[word]);

	g_string_replace(text, "{address}", subscriber->address, 1);
	g_string_replace(text, "{sender}", subscriber->sender, 1);
	if (subscriber->topic)
		g_string_replace(text, "{topic}", subscriber->topic->topic.name, 1);
	return g_string_free(text, FALSE);
}

static void
choices_append_word(
    const struct page *page, const char *before, enum fcgi_word word, const char *after)
{
	g_autofree char *text = choices_word_of(page, word);

	choices_append(page, before, text, after);
}

/* Appends a form of one button. */
static void
append_button(const struct page *page, const char *action, enum fcgi_word word)
{
	g_string_append_printf(page->sheet.html,
	    "<form method=\"post\">\n<input type=\"hidden\" name=\"action\" value=\"%s\">\n",
	    action);
	choices_append_word(page, "<p><button type=\"submit\">", word, "</button></p>");
	g_string_append(page->sheet.html, "</form>\n");
}

/* A box to tick. */
struct box {
	const char *name;
	guint number; /* among those of the name */
	const struct base_id *value;
	bool checked;
	const char *label, *note; /* note: "": none */
};

static void
append_box(const struct page *page, const struct box *box)
{
	const char *name = box->name;
	guint number = box->number;
	char id[ID_TEXT_SIZE];

	g_string_append_printf(page->sheet.html,
	    "<div><input type=\"checkbox\" name=\"%s\" id=\"%s%u\" value=\"%s\"%s", name, name,
	    number, base_id_format(box->value, id), box->checked ? " checked" : "");
	if (*box->note)
		g_string_append_printf(
		    page->sheet.html, " aria-describedby=\"%s%u-note\"", name, number);
	g_string_append_printf(page->sheet.html, "><label for=\"%s%u\">", name, number);
	choices_append(page, "", box->label, "</label>");
	if (*box->note) {
		g_string_append_printf(page->sheet.html, "<p id=\"%s%u-note\">", name, number);
		choices_append(page, "", box->note, "</p>");
	}
	g_string_append(page->sheet.html, "</div>\n");
}

static guint
count_public(const struct consent_subscriber *subscriber)
{
	guint count = 0;

	for (guint i = 0; i < subscriber->topics->len; i++)
		count += ((const struct store_topic_choice *)subscriber->topics->pdata[i])
			     ->topic.is_public;
	return count;
}

/* A person who gets no mailings at all gets none of a topic. */
static void
choices_append_topics(const struct page *page)
{
	const struct consent_subscriber *subscriber = page->subscriber;

	choices_append(page, "<fieldset>\n<legend>", page->words[WORD_TOPICS], "</legend>");
	for (guint i = 0; i < subscriber->topics->len; i++) {
		const struct store_topic_choice *choice = subscriber->topics->pdata[i];

		if (choice->topic.is_public)
			append_box(page, &(struct box){"topic", i, &choice->topic.id,
					     choice->is_subscribed && !subscriber->out,
					     choice->topic.name, choice->topic.description});
	}
	g_string_append(page->sheet.html, "</fieldset>\n");
}

static void
append_audiences(const struct page *page)
{
	const struct consent_subscriber *subscriber = page->subscriber;

	choices_append(page, "<fieldset>\n<legend>", page->words[WORD_AUDIENCES], "</legend>");
	for (guint i = 0; i < subscriber->memberships->len; i++) {
		const struct store_membership *membership = subscriber->memberships->pdata[i];

		append_box(page, &(struct box){"audience", i, &membership->audience_id,
				     membership->is_subscribed, membership->audience,
				     membership->pending ? page->words[WORD_PENDING] : ""});
	}
	g_string_append(page->sheet.html, "</fieldset>\n");
}

static void
append_choices(const struct page *page)
{
	guint topics = count_public(page->subscriber), lists = page->subscriber->memberships->len;

	if (topics + lists == 0)
		return;
	g_string_append(page->sheet.html,
	    "<form method=\"post\">\n"
	    "<input type=\"hidden\" name=\"action\" value=\"choices\">\n");
	choices_append(page, "<h2>", page->words[WORD_CHOICES], "</h2>");
	if (topics > 0)
		choices_append_topics(page);
	if (lists > 0)
		append_audiences(page);
	choices_append(
	    page, "<p><button type=\"submit\">", page->words[WORD_SAVE], "</button></p>");
	g_string_append(page->sheet.html, "</form>\n");
}

/* Whether the topic of the email is left. */
static bool
is_off_topic(const struct consent_subscriber *subscriber)
{
	return subscriber->topic && !subscriber->topic->is_subscribed;
}

static enum fcgi_word
heading_of(const struct consent_subscriber *subscriber, enum fcgi_choices_done done)
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
	const struct consent_subscriber *subscriber = page->subscriber;
	bool off = subscriber->state != SUBSCRIPTION_ON, off_topic = is_off_topic(subscriber);

	if (off || off_topic)
		choices_append_word(page, "<p>", off ? WORD_OFF : WORD_OFF_TOPIC, "</p>");
	else
		choices_append_word(
		    page, "<p>", done == CHOICES_RETURNED ? WORD_ON : WORD_ASK, "</p>");
	if (off && subscriber->elsewhere)
		choices_append_word(page, "<p>", WORD_ELSEWHERE, "</p>");
	else if (subscriber->returns)
		choices_append_word(page, "<p>", WORD_MISTAKE, "</p>");
	if (!off && subscriber->topic && !off_topic)
		append_button(page, "topic", WORD_LEAVE_TOPIC);
	if (!off)
		append_button(page, "unsubscribe", WORD_LEAVE_ALL);
	if (subscriber->returns)
		append_button(page, "subscribe", WORD_RETURN);
}

static void
append_end_of_snooze(const struct page *page)
{
	char time[CLOCK_ISO_SIZE];
	g_autofree char *text = choices_word_of(page, WORD_SNOOZED);
	g_auto(GStrv) parts = g_strsplit(text, "{date}", 2);

	base_clock_format(page->subscriber->snoozed_until, time);
	choices_append(page, "<p>", parts[0], "");
	g_string_append_printf(page->sheet.html, "<time datetime=\"%s\">%.10s</time>", time, time);
	choices_append(page, "", parts[1], "</p>");
	append_button(page, "unsnooze", WORD_UNSNOOZE);
}

static void
append_snooze_form(const struct page *page)
{
	g_string_append(page->sheet.html,
	    "<form method=\"post\">\n"
	    "<input type=\"hidden\" name=\"action\" value=\"snooze\">\n");
	choices_append(page, "<p><label for=\"weeks\">", page->words[WORD_SNOOZE_FOR], "</label>");
	g_string_append(page->sheet.html, "<select name=\"weeks\" id=\"weeks\">\n");
	for (guint i = 0; consent_unsubscribe_weeks[i]; i++) {
		g_autofree char *number = g_strdup_printf("%u", consent_unsubscribe_weeks[i]);
		GString *text = g_string_new(page->words[WORD_WEEKS]);

		g_string_replace(text, "{weeks}", number, 1);
		g_string_append_printf(page->sheet.html, "<option value=\"%s\">", number);
		choices_append(page, "", text->str, "</option>");
		g_string_free(text, TRUE);
	}
	g_string_append(page->sheet.html, "</select></p>\n");
	choices_append(
	    page, "<p><button type=\"submit\">", page->words[WORD_SNOOZE], "</button></p>");
	g_string_append(page->sheet.html, "</form>\n");
}

/* Offers a pause to those who get mailings, and tells of one. */
static void
append_snooze(const struct page *page)
{
	const struct consent_subscriber *subscriber = page->subscriber;

	if (subscriber->state != SUBSCRIPTION_ON)
		return;
	choices_append(page, "<h2>", page->words[WORD_PAUSE], "</h2>");
	if (subscriber->snoozed_until)
		append_end_of_snooze(page);
	append_snooze_form(page);
}

void
fcgi_choices_reply(struct fcgi_reply *reply, const struct consent_subscriber *subscriber,
    const struct store_preference_page *branding, guint language, enum fcgi_choices_done done)
{
	struct page page = {.subscriber = subscriber, .words = fcgi_words[language]};
	g_autofree char *heading = choices_word_of(&page, heading_of(subscriber, done));

	fcgi_sheet_open(&page.sheet, branding, fcgi_choices_languages[language], heading, true);
	if (done != CHOICES_UNCHANGED)
		choices_append_word(&page, "<p role=\"status\">",
		    done == CHOICES_SAVED ? WORD_SAVED : WORD_DONE, "</p>");
	append_state(&page, done);
	append_choices(&page);
	append_snooze(&page);
	fcgi_sheet_reply(&page.sheet, reply, 200, &(struct fcgi_sheet_guard){.framed = false});
}
