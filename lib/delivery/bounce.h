/* SPDX-License-Identifier: MIT */
/* The effect of a bounce on the address that bounced. */
#ifndef DELIVERY_BOUNCE_H
#define DELIVERY_BOUNCE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "store/email/event.h"
#include "store/feedback/report.h"

struct service;

/* An address is suppressed at the BOUNCE_TRANSIENT_MAX-th transient bounce within
   BOUNCE_TRANSIENT_MS. */
#define BOUNCE_TRANSIENT_MAX 5
#define BOUNCE_TRANSIENT_MS ((gint64)30 * 24 * 60 * 60 * 1000)

/* An address is also suppressed when HEARSAY_AGREE unproven reports agree on it: reports of
   different emails, on different days (UTC), within HEARSAY_MS. */
#define HEARSAY_AGREE 3
#define HEARSAY_MS ((gint64)90 * 24 * 60 * 60 * 1000)

/* An address, to which this email was sent, that bounced; borrowed. */
struct delivery_bounce {
	const struct base_id *workspace, *email;
	const char *address;
	enum store_bounce_type type;
	bool gone; /* its mailbox does not exist, by mail_report/failure.h */
};

/* The transient bounces that a transaction records and has not stored yet, by address, so that they
   count each other. */
struct delivery_bounce_counts;

/* None. The caller frees it. */
struct delivery_bounce_counts *delivery_bounce_counts_new(void);
void delivery_bounce_counts_free(struct delivery_bounce_counts *counts);
DEFINE_AUTO(delivery_bounce_counts, delivery_bounce_counts_free)

/* Whether an address is to be suppressed: it is gone, or this transient bounce is one too many,
   within BOUNCE_TRANSIENT_MS. A transient one is added to counts (NULL: the transaction records no
   other of this address). Runs inside a transaction, before the bounce itself is recorded. Errors
   of db/statement.h. */
bool delivery_bounce_judge(const struct service *service, const struct delivery_bounce *bounce,
    struct delivery_bounce_counts *counts, bool *suppress_r, GError **error);

/* Does it, as judged without counts. *suppressed_r tells whether the address was suppressed. */
bool delivery_bounce_suppress(const struct service *service, const struct delivery_bounce *bounce,
    bool *suppressed_r, GError **error);

/* Notes an unproven report about the recipient with this number, inside a transaction, and
   suppresses the recipient's address when HEARSAY_AGREE such reports agree. A report that the
   mailbox is full (HEARSAY_FULL) is only noted: store_report_count_transient leaves its bounce out
   of the count. *suppressed_r tells whether the address was suppressed. Errors of db/statement.h.
 */
bool delivery_bounce_doubt(const struct service *service, const struct store_reported *email,
    guint number, enum store_hearsay hearsay, bool *suppressed_r, GError **error);

#endif
