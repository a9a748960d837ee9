/* SPDX-License-Identifier: MIT */
/* The machine-readable parts of reports. For mail/report.c alone. */
#ifndef MAIL_REPORT_FIELD_H
#define MAIL_REPORT_FIELD_H

#include "mail/part.h"
#include "mail/report.h"

/* Adds what a message/delivery-status (RFC 3464 section 2) says, which is decoded. */
void mail_report_read_delivery(struct mail_report *report, struct mail_slice content);

/* The same of a message/feedback-report (RFC 5965 section 3). */
void mail_report_read_feedback(struct mail_report *report, struct mail_slice content);

/* Adds what the header of the message that came back says. */
void mail_report_read_returned(struct mail_report *report, const struct mail_slice *header);

/* Adds what the header of the report itself says: to whom it went, to what it is an answer. */
void mail_report_read_own(struct mail_report *report, const struct mail_slice *header);

#endif
