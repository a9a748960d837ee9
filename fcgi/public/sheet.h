/* SPDX-License-Identifier: MIT */
/* The frame of all pages for people: head, style, the appearance of the workspace
   (store/workspace/preference_page.h), and headers that guard it. No page needs a script. */
#ifndef FCGI_PUBLIC_SHEET_H
#define FCGI_PUBLIC_SHEET_H

#include <glib.h>
#include <stdbool.h>

struct fcgi_reply;
struct store_preference_page;

/* A page that is being written. */
struct fcgi_sheet {
	GString *html;
	const struct store_preference_page *branding; /* borrowed */
	const char *language;
	char *style;
};

/* Begins a page: head, logo and title of the workspace, and a heading. Texts of all functions are
   plain, and escaped when they are written. intro: the workspace's text for its page is shown. */
void fcgi_sheet_open(struct fcgi_sheet *sheet_r, const struct store_preference_page *branding,
    const char *language, const char *heading, bool intro);

/* Appends a text between pieces of HTML. */
void fcgi_sheet_append(
    const struct fcgi_sheet *sheet, const char *before, const char *text, const char *after);

/* The pages that may show a page in a frame, and the origin to which its form may lead. */
struct fcgi_sheet_guard {
	const char *images; /* origin of images; NULL: none */
	const char *target; /* origin beside the own one; NULL: none */
	bool framed;	    /* any page may show it in a frame */
};

/* Ends the page and replies with it. Frees it. guard->images is that of the appearance. */
void fcgi_sheet_reply(struct fcgi_sheet *sheet, struct fcgi_reply *reply, guint status,
    const struct fcgi_sheet_guard *guard);

/* Limits a page to one style, forms and images: no other content, frame, referrer or search index.
 */
void fcgi_sheet_protect(
    struct fcgi_reply *reply, const char *style, const struct fcgi_sheet_guard *guard);

#endif
