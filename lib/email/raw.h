/* SPDX-License-Identifier: MIT */
/* Messages that another program has composed, on their way into an email. */
#ifndef EMAIL_RAW_H
#define EMAIL_RAW_H

#include <glib.h>
#include <stdbool.h>

struct mail_address;
struct mail_raw;
struct store_email;

/* A message, read. */
struct email_raw_message {
	const struct mail_raw *raw;
	bool lacks_from;
};

/* The message to be stored with an email: with the fields that it lacks, and fit for a relay with
   8BITMIME. INVALID when it cannot be made fit (mail/wire.h). The caller owns it. */
GBytes *email_raw_complete(const struct email_raw_message *message, const struct store_email *email,
    const struct mail_address *from, GError **error);

#endif
