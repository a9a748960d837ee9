/* SPDX-License-Identifier: MIT */
/* The page on which a recipient chooses what to get, in five languages. It needs no script. */
#ifndef FCGI_PUBLIC_CHOICES_H
#define FCGI_PUBLIC_CHOICES_H

#include <glib.h>
#include <stdbool.h>

#include "consent/unsubscribe.h"
#include "fcgi/public/words.h"

struct fcgi_reply;
struct store_preference_page;

/* The languages of the page; the first one serves whoever speaks none of them. */
#define CHOICES_LANGUAGES WORD_LANGUAGES
extern const char *const fcgi_choices_languages[CHOICES_LANGUAGES];

/* The number of the language for a person (BCP 47; NULL: not known) and an Accept-Language (RFC
   9110 section 12.5.4; NULL: none). */
guint fcgi_choices_language(const char *person, const char *accepted);

/* A change that the page tells. */
enum fcgi_choices_done {
	CHOICES_UNCHANGED,
	CHOICES_LEFT,
	CHOICES_RETURNED,
	CHOICES_SAVED,
};

/* Replies with the page, status 200. */
void fcgi_choices_reply(struct fcgi_reply *reply, const struct consent_subscriber *subscriber,
    const struct store_preference_page *branding, guint language, enum fcgi_choices_done done);

#endif
