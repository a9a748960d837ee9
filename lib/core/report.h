/* SPDX-License-Identifier: MIT */
/* Delivery reports and complaints that came back (mail/report.h): what they tell of our emails.
 *
 * Anybody can send one, and whoever has a message, header and all, can make a report of it. So a
 * report counts as far as its evidence goes (core/return_path.h):
 *
 * - The token of a copy to one recipient, in the return path (the address that the report went to,
 *   or was found in it) or in the envelope id. The latter is no secret of ours and the relay's,
 * since servers pass it on, but only servers on this copy's way have it. Such a report can be about
 * this recipient alone, whom it need not name: the mailbox may forward its mail, and then the
 * report names the address behind it. One that names another recipient of the email is recorded of
 *   nobody.
 * - The token of a copy to several recipients: each of them can speak for the others.
 * - The Message-ID, which cannot be guessed but stands in each reply to the message. It counts for
 *   30 days, with the domain that we gave it.
 *
 * With the latter two a report is recorded of recipients that it names, and suppresses nobody until
 * HEARSAY_AGREE of them agree (core/bounce.h).
 */
#ifndef CORE_REPORT_H
#define CORE_REPORT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct core;

enum core_report_outcome {
	REPORT_NONE,	     /* no report, or of nothing that is recorded */
	REPORT_STRANGE,	     /* not of an email of ours, or nobody knows of which */
	REPORT_UNSUBSCRIBED, /* no report, but sent to the address to unsubscribe by; that is done
			      */
	REPORT_NOBODY,	     /* of an email of ours, but of none of its recipients */
	REPORT_REPEATED,     /* it has been recorded before */
	REPORT_TOO_MANY,     /* the email has had LIMIT_REPORTS of them */
	REPORT_RECORDED,
};

struct core_report_result {
	enum core_report_outcome outcome;
	const char *format;   /* of mail/report.h */
	struct base_id email; /* from REPORT_NOBODY on */
	guint events;	      /* that were recorded */
	guint strangers;      /* recipients that are none of the email's */
	guint suppressed;     /* addresses that were put on the suppression list */
};

/* Reads a message and records what it tells, in one transaction: an event for each recipient, and
   the suppression list. failed is `bounced`, delayed `delayed`; delivered, relayed and expanded are
   `delivered`: it has reached the server, or the list, that the address belongs to, and no more
   will be heard of it. A message that is no report, but went to the address by which a reader
   unsubscribes (core/tracking.h), does that: it comes to the same host. envelope: to whom it was
   sent, as far as is known, NULL-terminated. Errors of db/transaction.h; with UNCERTAIN the same
   message may be given again, as with TEMPORARY. */
bool core_report(struct core *core, const void *message, gsize size, const char *const *envelope,
    struct core_report_result *result_r, GError **error);

#endif
