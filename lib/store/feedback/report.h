/* SPDX-License-Identifier: MIT */
/* Delivery reports: the emails that they are about, and which of them have been recorded. Errors
   that a function does not name are those of db/statement.h. */
#ifndef STORE_FEEDBACK_REPORT_H
#define STORE_FEEDBACK_REPORT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "base/secret.h"
#include "store/email/email.h"

struct db;

/* The parts of an email that a report is matched against. */
struct store_reported {
	struct base_id id;
	struct base_id workspace_id;
	enum store_email_type type;
	bool is_mailing; /* it has a topic, or says how to unsubscribe (TRACK_UNSUBSCRIBE, 4) */
	char *sender;
	gint64 sent;   /* epoch ms; while it has not been sent, the time at which we accepted it */
	guint reports; /* recorded so far */
	GPtrArray *recipients; /* char *: addresses by number; "" of an erased person */
	struct store_figure_origin origin;
};

void store_reported_free(struct store_reported *reported);
DEFINE_AUTO(store_reported, store_reported_free)

/* An email of any workspace: a report names none. NOT_FOUND. The caller frees it. */
struct store_reported *store_report_find(
    struct db *db, const struct base_id *email, GError **error);

/* Several of them, in no order, without those that are not there: struct store_reported. An id may
   be given twice. The caller owns it. */
GPtrArray *store_report_find_all(
    struct db *db, const struct base_id *emails, guint count, GError **error);

/* A report; borrowed. */
struct store_report {
	const struct store_reported *email;
	const guint8 *digest; /* SHA256_SIZE bytes */
};

/* Inside a transaction: records reports by their digests. CONFLICT when one was recorded before, or
   is given twice. It may come from a later call, as of db_defer. */
bool store_report_insert(
    struct db *db, const struct store_report *reports, guint count, GError **error);

/* A report's unproven statement about an address. Stored as number. */
enum store_hearsay {
	HEARSAY_GONE = 1, /* there is no such mailbox */
	HEARSAY_COMPLAINED = 2,
	HEARSAY_FULL = 3, /* a bounce that is BOUNCE_TRANSIENT */
};

/* Inside a transaction: records such a statement about the recipient with this number. Keeps the
   first one for each email: later ones are not independent of it. */
bool store_report_note_hearsay(struct db *db, const struct store_reported *reported, guint number,
    enum store_hearsay verdict, gint64 now, GError **error);

/* The reports about an address since a time. */
struct store_report_about {
	const struct base_id *workspace;
	const char *address;
	gint64 since; /* epoch ms */
};

/* The number of days (UTC) with such a first statement about an address, each for another email. */
bool store_report_count_hearsay(struct db *db, const struct store_report_about *about,
    enum store_hearsay verdict, guint *days_r, GError **error);

/* Inside a transaction: removes the statements about an address, once they have taken effect. */
bool store_report_forget_hearsay(struct db *db, const struct base_id *workspace,
    const char *address, enum store_hearsay verdict, GError **error);

/* The number of transient bounces (BOUNCE_TRANSIENT) of an address, counted up to limit, without
   unproven statements. */
bool store_report_count_transient(struct db *db, const struct store_report_about *about,
    guint limit, guint *count_r, GError **error);

#endif
