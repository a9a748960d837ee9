/* SPDX-License-Identifier: MIT */
/* Asks the spam filter of the installation ([mailings] rspamd or spamc) about a message. */
#ifndef EMAIL_SPAM_H
#define EMAIL_SPAM_H

#include <glib.h>
#include <stdbool.h>

struct config_settings;

/* The filter's opinion. */
struct email_spam {
	bool is_known; /* false: the filter did not answer */
	bool is_spam;  /* it would do more than deliver the message */
	double score;  /* if is_known */
	char *text;    /* why it is spam, or why there is no answer; NULL: neither. The caller
			  frees it */
};

/* Whether there is a filter to ask. */
bool email_spam_is_set(const struct config_settings *settings);

/* Asks it, for at most LIMIT_SPAM_MS. */
void email_spam_ask(
    const struct config_settings *settings, GBytes *message, struct email_spam *spam_r);

#endif
