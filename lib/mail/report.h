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
#include "mail/part.h"

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

/* Whether an address of a report is this one, in any case. Some servers leave what RCPT said in its
   xtext, "a+2Bb@x.org" for "a+b@x.org", which is an address, too. */
bool mail_report_names(const char *given, const char *address);

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

/* Reads a message, of which there may be more than LIMIT_REPORT_BYTES. Never NULL; the caller frees
   it. */
struct mail_report *mail_report_parse(const void *message, gsize size);

/* Adds the recipients that the text of a message names in a manner that is known, and tells what it
   is in kind and format. *returned_r: the message that stands behind it, header and all; empty
   where there is none. header: of the message itself. */
void mail_report_read_text(struct mail_report *report, const struct mail_slice *header,
    const char *text, struct mail_slice *returned_r);

#endif
