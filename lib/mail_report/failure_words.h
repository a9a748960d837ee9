/* SPDX-License-Identifier: MIT */
/* The words by which mail_report/failure.h knows topics. */
#ifndef MAIL_REPORT_FAILURE_WORDS_H
#define MAIL_REPORT_FAILURE_WORDS_H

#include <stddef.h>

/* The kinds of things that words speak about, as bits of a set. */
enum mail_report_failure_topic {
	MAIL_REPORT_FAILURE_GONE = 1,	  /* there is no such mailbox */
	MAIL_REPORT_FAILURE_DISABLED = 2, /* the mailbox is closed */
	MAIL_REPORT_FAILURE_FULL = 4,	  /* the mailbox, or the disk, is full */
	MAIL_REPORT_FAILURE_RATE = 8,	  /* too much mail at a time */
	MAIL_REPORT_FAILURE_SIZE = 16,	  /* the message is too large */
	MAIL_REPORT_FAILURE_POLICY =
	    32, /* the sender, its host, the content: blocked, or not trusted */
	MAIL_REPORT_FAILURE_HOST = 64,		/* there is no such host or domain */
	MAIL_REPORT_FAILURE_NETWORK = 128,	/* no answer, or none in time */
	MAIL_REPORT_FAILURE_REFUSED = 256,	/* a failure, and no more is said */
	MAIL_REPORT_FAILURE_WAITING = 512,	/* the message is still being tried */
	MAIL_REPORT_FAILURE_ABSENT = 1024,	/* an answer of a person's program, who is away */
	MAIL_REPORT_FAILURE_UNAVAILABLE = 2048, /* RFC 5321's own words for 550 */
	MAIL_REPORT_FAILURE_LATER = 4096,	/* another time may do */
};

/* Phrases of one topic, each between bars, as failure.c folds a text: lower case, single spaces, no
   punctuation but the apostrophe, # for each number, ~ for a host. They match from the start of a
   word on; behind ^ only at the beginning, in front of $ only at the end. */
struct mail_report_failure_words {
	enum mail_report_failure_topic topic;
	const char *status; /* that completes a code that says little; NULL: none does */
	const char *phrases;
};

/* Ends with a row without phrases. */
extern const struct mail_report_failure_words mail_report_failure_words[];

#endif
