/* SPDX-License-Identifier: MIT */
/* Reports, read from messages that came back: delivery status notifications (RFC 3464, RFC 6533),
   complaints (ARF, RFC 5965), and bounces of servers that follow no standard.
   A report may be forged or hostile: believe nothing in it before it has been matched
   (feedback/report.h). Only its first LIMIT_REPORT_BYTES are read, which bounds time and memory. */
#ifndef MAIL_REPORT_REPORT_H
#define MAIL_REPORT_REPORT_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "base/secret.h"
#include "mail/part.h"
#include "mail_report/failure.h"

enum mail_report_kind {
	MAIL_REPORT_NONE,      /* no report, or of an unknown form */
	MAIL_REPORT_DELIVERY,  /* the fate of recipients */
	MAIL_REPORT_COMPLAINT, /* a complaint about such mail */
};

enum mail_report_action {
	MAIL_REPORT_UNKNOWN,
	MAIL_REPORT_FAILED,
	MAIL_REPORT_DELAYED,
	MAIL_REPORT_DELIVERED,
	MAIL_REPORT_RELAYED, /* to a server that reports no more */
	MAIL_REPORT_EXPANDED /* into other addresses */
};

/* The statements about a recipient. Texts are NULL where there are none. */
struct mail_report_recipient {
	char *original, *final; /* addresses in their normal form (mail/address.h) */
	enum mail_report_action action;
	char status[12]; /* RFC 3463, "5.1.1"; "" when none is known */
	int code;	 /* of an SMTP reply in the diagnostic; 0 = none */
	enum mail_report_failure_stage stage;
	bool is_transient, is_gone; /* as mail_report/failure.h reads the code and the words */
	char *diagnostic;	    /* one line of UTF-8, at most LIMIT_REPORT_DIAGNOSTIC_LENGTH */
};

struct mail_report {
	enum mail_report_kind kind;
	const char *format;    /* the recognised form: "RFC 3464", "qmail", ... */
	GPtrArray *recipients; /* struct mail_report_recipient; the complainers, in a complaint */
	char *envid;	       /* Original-Envelope-Id, or NULL */
	char *feedback;	       /* Feedback-Type of a complaint in lower case, or NULL */
	char *junk;	       /* the recipient that the returned message names as */
	GPtrArray *paths; /* char *: fields that may contain the return path of the sent message */
	GPtrArray *message_ids; /* char *: without brackets; that of the returned message first */
	GPtrArray *addressees;	/* char *: To and Cc of the returned message, normal forms */
	GPtrArray *mentioned; /* char *: addresses in words that list no recipient, normal forms */
	GPtrArray *lists;     /* char *: List-Unsubscribe of the message complained about */
	GPtrArray *feedback_ids; /* char *: CFBL-Feedback-ID of the returned message, which a part
				    of the report has */
	guint8 digest[SHA256_SIZE]; /* of the read part of the report, without its header */
};

/* An empty one. The caller frees it. */
struct mail_report *mail_report_new(void);
void mail_report_free(struct mail_report *report);
DEFINE_AUTO(mail_report, mail_report_free)

/* Whether an address of a report is this one, ignoring case. Some servers leave the xtext of
   RCPT in it: "a+2Bb@x.org" for "a+b@x.org", which is a valid address, too. */
bool mail_report_names(const char *given, const char *address);

/* The normal form of an address in a field of a report: bare or in brackets, behind an address
   type ("rfc822; a@b", "utf-8; ..."), in xtext (RFC 3461 section 4) or with \x{...} (RFC 6533
   section 3). NULL for any other text. The caller owns it. */
char *mail_report_address(const char *text);

/* The address that a line begins with, in brackets or not; *rest_r is the text behind it and its
   punctuation. NULL when the line begins with none. The caller owns it. */
char *mail_report_leading_address(const char *line, const char **rest_r);

/* Adds a recipient and takes ownership of both addresses; one of them may be NULL. Gives the
   existing recipient with the same addresses and action, if there is one. NULL after
   LIMIT_REPORT_RECIPIENTS. The report owns the recipient. */
struct mail_report_recipient *mail_report_add(
    struct mail_report *report, char *original, char *final, enum mail_report_action action);

/* Appends text to the diagnostic, on one line. */
void mail_report_say(struct mail_report_recipient *recipient, const char *text);

/* The command that a text shows to be answered. */
enum mail_report_failure_stage mail_report_stage(const char *text);

/* Finds status and code in the complete diagnostic, and reads them and its words. */
void mail_report_conclude(struct mail_report_recipient *recipient);

/* Reads a report; a message may be longer than LIMIT_REPORT_BYTES. Never NULL; the caller frees
   it. */
struct mail_report *mail_report_parse(const void *message, gsize size);

/* Reads a bounce that follows no standard: adds the recipients that the text names in a known
   manner, and sets kind and format. *returned_r: the returned message behind the text, with its
   header; empty without one. header: that of the bounce itself. */
void mail_report_read_text(struct mail_report *report, const struct mail_slice *header,
    const char *text, struct mail_slice *returned_r);

/* Whether a message says by its header that a mail system wrote it, and no person's program: it has
   no sender that could be answered, or a daemon's name. */
bool mail_report_is_automatic(const struct mail_slice *header);

/* Whether a line says that the returned message follows. lower: in lower case. */
bool mail_report_begins_copy(const char *lower);

/* The words in front of the returned message in text; *returned_r: that message, with its header;
   empty without one. */
struct mail_slice mail_report_cut_copy(const char *text, struct mail_slice *returned_r);

/* Reads a bounce in words that no pattern knows: a failure, or a delay, of the recipient that the
   report's evidence names. Only words in front of the returned message count; the report must be
   automatic. Adds one recipient without an address, and one for each of several lines that begin
   with an address; or completes those that have no words. Keeps the addresses in the text.
   *returned_r as above. */
void mail_report_read_general(struct mail_report *report, const struct mail_slice *header,
    const char *text, struct mail_slice *returned_r);

#endif
