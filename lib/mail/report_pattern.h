/* SPDX-License-Identifier: MIT */
/* Bounces that follow no standard. For mail/report.c alone. */
#ifndef MAIL_REPORT_PATTERN_H
#define MAIL_REPORT_PATTERN_H

#include "mail/part.h"
#include "mail/report.h"

/* Adds the recipients that the text of a message names in a manner that is known, and tells what it
   is in kind and format. *returned_r: the message that stands behind it, header and all; empty
   where there is none. header: of the message itself. */
void mail_report_read_text(struct mail_report *report, const struct mail_slice *header,
    const char *text, struct mail_slice *returned_r);

#endif
