/* SPDX-License-Identifier: MIT */
/* What a message that came back says: delivery status notifications (RFC 3464, RFC 6533),
 * complaints (ARF, RFC 5965), and bounces in the words of servers that knew no standard.
 *
 * Everything in it was written by somebody else, and may be forged or meant to do harm: nothing
 * here is to be believed before it has been matched (core/report.h). Time and memory are bounded by
 * LIMIT_REPORT_BYTES, which is all that is looked at. */
#ifndef MAIL_REPORT_H
#define MAIL_REPORT_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "base/secret.h"

enum mail_report_kind {
	MAIL_REPORT_NONE,      /* no report, or none that is known */
	MAIL_REPORT_DELIVERY,  /* what became of recipients */
	MAIL_REPORT_COMPLAINT, /* somebody does not want such mail */
};

enum mail_report_action {
	MAIL_REPORT_UNKNOWN,
	MAIL_REPORT_FAILED,
	MAIL_REPORT_DELAYED,
	MAIL_REPORT_DELIVERED,
	MAIL_REPORT_RELAYED, /* to a server that reports no more */
	MAIL_REPORT_EXPANDED /* into other addresses */
};

/* The word of RFC 3464 section 2.3.3 for it. */
const char *mail_report_action_name(enum mail_report_action action);

/* What is said of one recipient. Texts are NULL where nothing is. */
struct mail_report_recipient {
	char *original, *final; /* addresses in their normal form (mail/address.h) */
	enum mail_report_action action;
	char status[12];  /* RFC 3463, "5.1.1"; "" when none could be told */
	int code;	  /* of an SMTP reply in the diagnostic; 0 = none */
	char *diagnostic; /* one line of UTF-8, at most LIMIT_REPORT_DIAGNOSTIC_LENGTH */
};

struct mail_report {
	enum mail_report_kind kind;
	const char *format;    /* as what it was recognised: "RFC 3464", "qmail", ... */
	GPtrArray *recipients; /* struct mail_report_recipient; of a complaint those who made it */
	char *envid;	       /* Original-Envelope-Id, or NULL */
	char *feedback;	       /* Feedback-Type of a complaint in lower case, or NULL */
	char *junk;	  /* whom the returned message names as Microsoft's reports of junk do */
	GPtrArray *paths; /* char *: fields that may hold the return path of what was sent */
	GPtrArray *message_ids; /* char *: without brackets; the message that was returned, first */
	GPtrArray *addressees;	/* char *: To and Cc of the returned message, normal forms */
	guint8 digest[SHA256_SIZE]; /* of the report without its header, as it was looked at */
};

/* An empty one. The caller frees it. */
struct mail_report *mail_report_new(void);
void mail_report_free(struct mail_report *report);
DEFINE_AUTO(mail_report, mail_report_free)

/* "a+2Bb" in xtext (RFC 3461 section 4) is "a+b"; a plus with no digits behind it stays. The caller
   owns it. */
char *mail_report_decode_xtext(const char *text);

/* Whether an address of a report is this one, in any case. Some servers leave what RCPT said in its
   xtext, "a+2Bb@x.org" for "a+b@x.org", which is an address, too. */
bool mail_report_names(const char *given, const char *address);

#endif
