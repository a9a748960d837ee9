/* SPDX-License-Identifier: MIT */
#ifndef SMTP_CALLBACKS_H
#define SMTP_CALLBACKS_H

#include <glib.h>
#include <stdbool.h>

struct smtp_message;

/* Called in the thread that runs the session. What they do there (queries, fetches) is theirs: the
   session's hold on connect and poll, smtp/connect.h, ends at their door. */
struct smtp_callbacks {
	/* The whole message, just before its MAIL command (for the first one: just before the
	   connection is made, so that no relay is called for nothing). May block. Lines end in
	   CR LF, of at most 998 bytes, all 7 bit, with the fields Date, From and Message-Id.
	   NULL: it is not to be sent now; it stays SMTP_NOT_TRIED, and the session goes on with the
	   next. */
	GBytes *(*content)(struct smtp_message *message, void *context);
	/* Everything but the final dot is on its way. False: the dot is not sent, the connection
	   ends, and what was not refused before is SMTP_NOT_TRIED. After true, done always follows,
	   unless the process ends. */
	bool (*before_dot)(struct smtp_message *message, void *context);
	/* The outcomes of its recipients are known. Once for each message of which at least one
	   recipient is not SMTP_NOT_TRIED, as soon as that is known, while the session goes on. */
	void (*done)(struct smtp_message *message, void *context);
};

#endif
