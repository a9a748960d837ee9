/* SPDX-License-Identifier: MIT */
/* Takes reports about the emails of a fixture. */
#ifndef TESTS_CORE_REPORTING_H
#define TESTS_CORE_REPORTING_H

#include "feedback/report.h"
#include "tests/lib/fixture.h"

#define DAY ((gint64)24 * 60 * 60 * 1000)

/* In the texts of reports: TOKEN is the return path's local part, ENVID the envelope id, as the
   relay gets them; OWN and ENV-OWN those of a message to the first recipient alone, OLD and
   ENV-OLD those of earlier versions, which name no recipient; UNSUB and PAGE the unsubscribe
   address and page of the first recipient; CADDRESS is
   the local part of the first recipient's address for complaints, CTOKEN its token, CSHARED the one
   of a message to several; ID is the email's. */
#define HEAD(to)                                                                                   \
	"From: MAILER-DAEMON@mx.example.net\nTo: " to "\nSubject: report\n"                        \
	"Content-Type: multipart/report; boundary=b\n\n--b\n\nSorry.\n"
#define STATUS "--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example.net\n"
#define OF(original, final, action, status, diagnostic)                                            \
	"\nOriginal-Recipient: rfc822;" original "\nFinal-Recipient: rfc822;" final                \
	"\nAction: " action "\nStatus: " status "\nDiagnostic-Code: smtp; " diagnostic "\n"
#define FAILED(address) OF(address, address, "failed", "5.1.1", "550 5.1.1 no")
#define RETURNED(header) "--b\nContent-Type: text/rfc822-headers\n\n" header "\n--b--\n"
#define FEEDBACK "--b\nContent-Type: message/feedback-report\n\nVersion: 1\nFeedback-Type: "
#define MESSAGE_ID "Message-ID: <ID@example.com>\n"
#define PATH "TOKEN@send.example.com"
#define OWN "OWN@send.example.com"
#define ELSEWHERE HEAD("fbl@example.com")

/* A full mailbox, of a@x.org. */
#define FULL ELSEWHERE STATUS OF("a@x.org", "a@x.org", "failed", "5.2.2", "552 5.2.2 full")

/* A text with the tokens and ids of an email in place of those names. The caller owns it. */
char *reporting_fill(struct fixture *fixture, const struct base_id *id, const char *form);

/* Takes a report that came to the address envelope; both are filled first. */
struct feedback_report_result reporting_take(
    struct fixture *fixture, const struct base_id *id, const char *envelope, const char *form);

/* A report about an email; its envelope and text are filled as above. */
struct reporting_report {
	struct base_id id;
	const char *envelope, *text;
};

/* Takes reports together, or one after the other. */
void reporting_take_all(struct fixture *fixture, const struct reporting_report *reports,
    guint count, bool together, struct feedback_report_result *results_r);

/* "a@x.org bounced\n" for each, oldest first. The caller owns it. */
char *reporting_suppressed(struct fixture *fixture);

/* Expects the events of an email, and who is suppressed. */
void reporting_expect(struct fixture *fixture, const char *name, const struct base_id *id,
    const char *want_events, const char *want_suppressed);

#endif
