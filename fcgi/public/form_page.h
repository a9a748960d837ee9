/* SPDX-License-Identifier: MIT */
/* The page of a form, and its HTML to paste into other pages. */
#ifndef FCGI_PUBLIC_FORM_PAGE_H
#define FCGI_PUBLIC_FORM_PAGE_H

#include <glib.h>
#include <stdbool.h>

#include "fcgi/public/words.h"

struct fcgi_call;
struct fcgi_form_body;
struct store_form;

/* Replies with the page of a form, in the language of the browser. note: a text above the form;
   WORD_THANKS: the text alone, without the form; WORD_COUNT: none. typed: stands in the fields;
   NULL: nothing. */
bool fcgi_form_page_reply(struct fcgi_call *call, const struct store_form *form, guint status,
    enum fcgi_word note, const struct fcgi_form_body *typed, GError **error);

/* Replies with the HTML of the form alone, as text. */
bool fcgi_form_page_snippet(struct fcgi_call *call, const struct store_form *form, GError **error);

#endif
