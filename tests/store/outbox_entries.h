/* SPDX-License-Identifier: MIT */
/* Outbox entries whose emails are known by letters. */
#ifndef TESTS_STORE_OUTBOX_ENTRIES_H
#define TESTS_STORE_OUTBOX_ENTRIES_H

#include "store/outbox/outbox.h"
#include "tests/store/fixture.h"

#define NOW 1800000000000
#define LEASE 600000

struct store_outbox_entry entry_make(const struct fixture *fixture, char letter, guint recipients);

/* Puts one with one recipient into the outbox, claimed when claim is not NULL. */
struct store_outbox_key entry_put(const struct fixture *fixture, char letter, gint64 ready_at,
    const struct store_outbox_claim *claim);

/* A claim until the end of the lease. */
struct store_outbox_claim entry_claim_by(const char *owner, gint64 token);

/* The answer about owners whose claims have run out; entry_ask takes it as context and notes the
   owners in asked. */
struct answer {
	enum store_outbox_takeover takeover;
	char asked[64];
};
enum store_outbox_takeover entry_ask(const char *owner, void *context);

/* store_outbox_claim, which may take over claims that have run out. */
bool entry_search(struct db *db, const struct store_outbox_claim *by, gint64 low, gint64 now,
    guint limit, struct store_outbox_entry *entries, guint *count_r, GError **error);

/* Claims for "us", and gives the letters of the claimed entries, with ! behind lost ones;
   entry_claim has the parameters of entry_search. The caller frees them. */
char *entry_claim_as(struct db *db, gint64 token, struct store_outbox_search search);
char *entry_claim(struct db *db, gint64 token, gint64 low, gint64 now, guint limit);

/* Expects these letters of entry_claim; name is the case's. */
void entry_expect(const struct fixture *fixture, const char *name, gint64 token, gint64 low,
    gint64 now, guint limit, const char *want);

#endif
