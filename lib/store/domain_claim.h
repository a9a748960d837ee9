/* SPDX-License-Identifier: MIT */
/* Whose turn it is to check a domain. */
#ifndef STORE_DOMAIN_CLAIM_H
#define STORE_DOMAIN_CLAIM_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/turn.h"

struct db;
struct store_domain;

struct store_domain_claim {
	struct base_id workspace_id;
	struct base_id domain_id;
};

/* Claims domains whose check is due, longest due first, or those of whose workspace it is the turn
   (NULL: never), at most limit, until a time. Any number of
   processes and machines may do this at once. token is new for each claim, and fences what is
   recorded later. */
bool store_domain_claim_due(struct db *db, struct store_turn *turn, gint64 token, gint64 now,
    gint64 until, guint limit, struct store_domain_claim *claims_r, guint *count_r, GError **error);

/* Claims one domain, due or not, claimed or not. NOT_FOUND. */
bool store_domain_claim_one(struct db *db, const struct base_id *workspace,
    const struct base_id *domain, gint64 token, gint64 until, GError **error);

/* Stores what a check has made of a domain: its status, check and keys (state, seen, retired_at),
   if its claim still has this token; *kept_r tells. */
bool store_domain_claim_record(
    struct db *db, const struct store_domain *domain, gint64 token, bool *kept_r, GError **error);

/* The same of a check that cannot be recorded: only when the next one is due, the rest stays. */
bool store_domain_claim_skip(
    struct db *db, const struct store_domain *domain, gint64 token, GError **error);

/* The next time at which a check is due, 0 when none is. */
bool store_domain_claim_next(struct db *db, gint64 *next_r, GError **error);

#endif
