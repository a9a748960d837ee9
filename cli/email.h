/* SPDX-License-Identifier: MIT */
/* The recipients of emails, for lists. */
#ifndef CLI_EMAIL_H
#define CLI_EMAIL_H

#include <glib.h>

/* The number of addresses that a list shows. */
#define EMAIL_NAMES 3

/* Returns the first addresses, at most most of them, and the number of the others. The caller owns
   it. */
char *cli_email_names(const GPtrArray *addresses, guint most);

#endif
