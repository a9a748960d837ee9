/* SPDX-License-Identifier: MIT */
/* How the files of mail/report.h add to a report. */
#ifndef MAIL_REPORT_RECIPIENT_H
#define MAIL_REPORT_RECIPIENT_H

#include <stdbool.h>

#include "mail/report.h"

/* The normal form of an address as fields of reports have it: bare or in brackets, behind an
   address type ("rfc822; a@b", "utf-8; ..."), in xtext (RFC 3461 section 4) or with \x{...} (RFC
   6533 section 3). NULL when it is none. The caller owns it. */
char *mail_report_address(const char *text);

/* The first address in a line that begins with one, in brackets or not; *rest_r is then what stands
   behind it and its punctuation. NULL when it begins with none. The caller owns it. */
char *mail_report_leading_address(const char *line, const char **rest_r);

/* Adds a recipient, whose addresses are taken; either may be NULL, not both. One who is known
   already by the same addresses and action is given again. NULL when there are
   LIMIT_REPORT_RECIPIENTS. */
struct mail_report_recipient *mail_report_add(
    struct mail_report *report, char *original, char *final, enum mail_report_action action);

/* Adds to the diagnostic, on one line. */
void mail_report_say(struct mail_report_recipient *recipient, const char *text);

/* Once all is said: finds status and code in the diagnostic, where none, or 5.0.0, is known. */
void mail_report_conclude(struct mail_report_recipient *recipient);

/* Reads "5.1.1" in front of text, white space before it, into status_r. False when there is none.
 */
bool mail_report_read_status(const char *text, char status_r[12]);

#endif
