/* SPDX-License-Identifier: MIT */
/* The meaning of a server's words about a recipient: one reading for the replies of a session and
   for the reports that come back. Codes are those of RFC 5321 and RFC 3463; servers use them
   loosely, so words decide where a code says little, and words about anything but the mailbox keep
   an address off the suppression list. */
#ifndef MAIL_REPORT_FAILURE_H
#define MAIL_REPORT_FAILURE_H

#include <glib.h>
#include <stdbool.h>

#include "mail_report/failure_words.h"

/* The bytes of a text that count. */
#define MAIL_REPORT_FAILURE_BYTES (16 * 1024)

/* The command that the words answered. */
enum mail_report_failure_stage {
	MAIL_REPORT_FAILURE_UNKNOWN, /* not known */
	MAIL_REPORT_FAILURE_RCPT,
	MAIL_REPORT_FAILURE_DATA, /* the message itself, or its end */
	MAIL_REPORT_FAILURE_MAIL, /* the connection, or the sender: nothing was said about a
				     recipient */
};

struct mail_report_failure {
	bool is_transient; /* the mailbox may accept mail another day */
	bool is_gone;	   /* no such mailbox: the address gets no more mail */
	char status[12];   /* the code that holds, completed by the words; "" when none is known */
};

/* The topics in a text: a set of enum mail_report_failure_topic. Line breaks, punctuation,
   addresses, URLs, host names and codes in the text do not count. */
guint mail_report_failure_topics(const char *text);

/* Reads a status such as "5.1.1" at the start of text, after white space, into status_r. False
   without one. */
bool mail_report_failure_read_status(const char *text, char status_r[12]);

/* The first code of an SMTP reply in text; 0 without one. */
int mail_report_failure_find_code(const char *text);

/* Whether a status leaves open what happened: "", or one that ends in .0. */
bool mail_report_failure_is_vague(const char *status);

/* Finds the first status in text that is not vague, else the first vague one. False without one. */
bool mail_report_failure_find_status(const char *text, char status_r[12]);

/* Reads a failure. code: of the SMTP reply, 0 for none; status: its enhanced status code, NULL or
   "" for none; words: the rest, or NULL. */
struct mail_report_failure mail_report_failure_read(
    int code, const char *status, const char *words, enum mail_report_failure_stage stage);

#endif
