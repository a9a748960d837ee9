/* SPDX-License-Identifier: MIT */
/* Delivery reports (RFC 3464) and complaints (RFC 5965) about our emails.

   Anybody can send a report, and anybody who has one of our messages can make a convincing one. So
   a report counts only as far as its evidence goes (link/return_path.h):

   - The token of a message to one recipient, in the return path (the address that the report was
   sent to, or one that stands in it) or in the envelope id. Servers pass the envelope id on, so it
   is no secret between us and the relay; but only servers on this message's way have it. The report
   can only be about this recipient. It need not name the recipient: a mailbox may forward its mail,
   and a bounce then names the address behind it. A report that names another recipient of the
   email is recorded for nobody, and so is a complaint that names anybody else.
   - The token of its address for complaints (RFC 9477), to which a complaint was sent, or in the
     field CFBL-Feedback-ID of the message that a complaint returns; else the link or address to
     unsubscribe in the same header. Both have the reader and the reader's provider alone. Copies of
     these fields in the report's own header or text prove nothing.
   - The token of a message to several recipients: each of them can speak for the others.
   - The Message-ID. It cannot be guessed, but stands in each reply to the message. It counts for 30
     days, and only with the domain that we put into it.

   A report with evidence of the last two kinds is recorded for the recipients that it names, and
   suppresses no address until HEARSAY_AGREE reports agree (delivery/bounce.h). */
#ifndef FEEDBACK_REPORT_H
#define FEEDBACK_REPORT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct service;

enum feedback_report_outcome {
	REPORT_NONE,	     /* no report, or one of a kind that is not recorded */
	REPORT_STRANGE,	     /* it is about no email of ours, or does not say which */
	REPORT_UNSUBSCRIBED, /* no report; it was sent to an unsubscribe address, and that is done
			      */
	REPORT_NOBODY,	     /* it is about an email of ours, but about none of its recipients */
	REPORT_REPEATED,     /* it was recorded before */
	REPORT_TOO_MANY,     /* the email already has LIMIT_REPORTS of them */
	REPORT_RECORDED,
};

/* The word of an outcome in answers. A constant. */
const char *feedback_report_outcome_name(enum feedback_report_outcome outcome);

struct feedback_report_result {
	enum feedback_report_outcome outcome;
	const char *format;   /* of mail_report/report.h */
	struct base_id email; /* from REPORT_NOBODY on */
	guint events;	      /* number of events recorded */
	guint strangers;      /* number of recipients named that are not the email's */
	guint suppressed;     /* number of addresses put on the suppression list */
};

/* Reads a message and records the report in it, in one transaction: an event for each recipient,
   and addresses that are suppressed. The action failed becomes `bounced`, delayed becomes
   `delayed`; delivered, relayed and expanded become `delivered`, since the address's server or list
   has the message and no further report will come. A message that is no report and was sent to an
   unsubscribe address (link/tracking.h), which is on the same host, unsubscribes its recipient.
   envelope: the addresses that the message was sent to, as far as known, NULL-terminated. Errors of
   db/transaction.h; after UNCERTAIN or TEMPORARY the same message may be given again. */
bool feedback_report(struct service *service, const void *message, gsize size,
    const char *const *envelope, struct feedback_report_result *result_r, GError **error);

/* A message that is taken together with others. */
struct feedback_report_taking {
	const void *message;
	gsize size;
	const char *const *envelope; /* as above */
	/* These are set; at first they are 0. */
	bool is_done; /* else it failed, or was not tried */
	struct feedback_report_result result;
	GError *failure; /* NULL: none; the caller frees it */
};

/* Most messages that are best taken together. */
#define FEEDBACK_REPORTS_TOGETHER 50

/* Does the same for each of them, with the same results as one after the other, in one transaction
   where nothing speaks against it. One that fails does not keep the others from being recorded; but
   after TEMPORARY or UNCERTAIN no further one is tried. */
void feedback_report_all(
    struct service *service, struct feedback_report_taking *takings, guint count);

#endif
