/* SPDX-License-Identifier: MIT */
/* Copies in the outbox whose emails are known by letters. */
#ifndef TESTS_STORE_OUTBOX_ENTRIES_H
#define TESTS_STORE_OUTBOX_ENTRIES_H

#include "store/outbox.h"
#include "tests/store/place.h"

#define NOW 1800000000000
#define LEASE 600000

struct store_outbox_entry entry_make(const struct place *place, char letter, guint recipients);

/* Puts one with one recipient into the outbox, claimed when claim is not NULL. */
struct base_id entry_put(const struct place *place, char letter, gint64 ready_at,
    const struct store_outbox_claim *claim);

/* Until the end of the lease. */
struct store_outbox_claim entry_claim_by(const char *owner, gint64 token);

/* What is said of owners whose claims have run out: the context points to it. asked notes whom. */
struct answer {
	enum store_outbox_takeover takeover;
	char asked[64];
};
enum store_outbox_takeover entry_ask(const char *owner, void *context);

/* store_outbox_claim; claims that have run out may be taken over. */
bool entry_search(struct db *db, const struct store_outbox_claim *by, gint64 low, gint64 now,
    guint limit, struct store_outbox_entry *entries, guint *count_r, GError **error);

/* Claims for "us", and gives the letters of what was claimed, with ! behind what was lost; the
   other: as entry_search. The caller frees them. */
char *entry_claim_as(struct db *db, gint64 token, struct store_outbox_search search);
char *entry_claim(struct db *db, gint64 token, gint64 low, gint64 now, guint limit);

/* That entry_claim gives the letters wanted; name is of the case. */
void entry_expect(const struct place *place, const char *name, gint64 token, gint64 low, gint64 now,
    guint limit, const char *want);

#endif
