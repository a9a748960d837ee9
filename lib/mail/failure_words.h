/* SPDX-License-Identifier: MIT */
/* The words by which mail/failure.h knows topics. */
#ifndef MAIL_FAILURE_WORDS_H
#define MAIL_FAILURE_WORDS_H

#include "mail/failure.h"

/* Phrases of one topic, each between bars, as failure.c folds a text: lower case, single spaces, no
   punctuation but the apostrophe, # for each number, ~ for a host. They match from the start of a
   word on; behind ^ only at the beginning, in front of $ only at the end. */
struct mail_failure_words {
	enum mail_failure_topic topic;
	const char *status; /* that completes a code that says little; NULL: none does */
	const char *phrases;
};

/* Ends with a row without phrases. */
extern const struct mail_failure_words mail_failure_words[];

#endif
