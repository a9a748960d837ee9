/* SPDX-License-Identifier: MIT */
/* Delivery reports: the emails that they are about, and which of them have been recorded. */
#ifndef STORE_REPORT_H
#define STORE_REPORT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "base/secret.h"
#include "store/email.h"

struct db;

/* What of an email a report is held against. */
struct store_reported {
	struct base_id id;
	struct base_id workspace_id;
	enum store_email_type type;
	char *sender;
	gint64 sent;   /* epoch ms; when it was accepted by us, while it has not been sent */
	guint reports; /* that have been recorded */
	GPtrArray *recipients; /* char *: addresses by number; "" is one who was erased */
};

void store_reported_free(struct store_reported *reported);
DEFINE_AUTO(store_reported, store_reported_free)

/* The email, of whichever workspace it is: whoever sends a report has no workspace. NOT_FOUND. The
   caller frees it. */
struct store_reported *store_report_find(
    struct db *db, const struct base_id *email, GError **error);

/* Inside a transaction: notes that a report is being recorded. CONFLICT when it was before. */
bool store_report_insert(struct db *db, const struct store_reported *reported,
    const guint8 digest[SHA256_SIZE], GError **error);

/* What a report says of an address. Stored as number. */
enum store_hearsay {
	HEARSAY_GONE = 1, /* there is no such mailbox */
	HEARSAY_COMPLAINED = 2,
	HEARSAY_FULL = 3, /* a bounce that is BOUNCE_TRANSIENT */
};

/* Inside a transaction: notes such a report of the recipient with this number. Of an email the
   first one is kept: what comes later is not independent of it. */
bool store_report_note_hearsay(struct db *db, const struct store_reported *reported, guint number,
    enum store_hearsay verdict, gint64 now, GError **error);

/* On how many days (UTC) since (epoch ms) an address was first told of, each of another email. */
bool store_report_count_hearsay(struct db *db, const struct base_id *workspace, const char *address,
    enum store_hearsay verdict, gint64 since, guint *days_r, GError **error);

/* Inside a transaction: what was noted of an address has had its effect. */
bool store_report_forget_hearsay(struct db *db, const struct base_id *workspace,
    const char *address, enum store_hearsay verdict, GError **error);

/* How often mail to an address has bounced for now (BOUNCE_TRANSIENT) since (epoch ms), but not
   counted further than limit, and without what hearsay alone tells. */
bool store_report_count_transient(struct db *db, const struct base_id *workspace,
    const char *address, gint64 since, guint limit, guint *count_r, GError **error);

#endif
