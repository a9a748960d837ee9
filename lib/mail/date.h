/* SPDX-License-Identifier: MIT */
#ifndef MAIL_DATE_H
#define MAIL_DATE_H

#include <glib.h>

/* A date as in the Date field (RFC 5322 section 3.3), in UTC: "Tue, 14 Nov 2023 22:13:20 +0000".
   NULL for one outside of the years 1 to 9999. The caller owns it. */
char *mail_date_format(gint64 epoch_ms);

#endif
