/* SPDX-License-Identifier: MIT */
/* Pages for people: plain HTML, without scripts. */
#ifndef FCGI_HANDLERS_NOTICE_H
#define FCGI_HANDLERS_NOTICE_H

#include <glib.h>

#include "fcgi/reply.h"

/* A question or a statement. Texts are plain, and escaped here. */
struct fcgi_notice {
	const char *title;
	const char *text;
	const char *done;   /* what has just been done, in front of text; NULL: nothing */
	const char *action; /* what a button sends as "action"; NULL: there is none */
	const char *button; /* and what stands on it */
};

/* Answers with the page, and with headers that keep it to itself: no content from elsewhere, no
   frames, no referrer, no index. */
void fcgi_notice_reply(struct fcgi_reply *reply, guint status, const struct fcgi_notice *notice);

/* Failures as such pages. */
extern const struct fcgi_failure fcgi_failure_notice;

#endif
