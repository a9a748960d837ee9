/* SPDX-License-Identifier: MIT */
#ifndef STORE_SUPPRESSION_H
#define STORE_SUPPRESSION_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "base/secret.h"

struct db;

/* Why an address gets no more mail. Stored as number. */
enum store_suppression_reason {
	SUPPRESSION_BOUNCED = 1,
	SUPPRESSION_COMPLAINED = 2,
	SUPPRESSION_UNSUBSCRIBED = 3,
	SUPPRESSION_MANUAL = 4,
};

/* Of which mail. Stored as number; the wider is less. */
enum store_suppression_scope {
	SUPPRESSION_ALL = 1,
	SUPPRESSION_AUTOMATION = 2, /* of mailings alone: see store_email_is_mailing */
};

/* The words of the API for them, NULL-terminated, at the place of each number less one. */
extern const char *const store_suppression_reasons[];
extern const char *const store_suppression_scopes[];

struct store_suppression {
	struct base_id id;
	struct base_id workspace_id;
	char *email;   /* as given */
	char *address; /* the form in which emails are compared, ASCII; of an erased person both are
			  NULL, */
	bool hashed;   /* and there is a hash in their place: */
	guint8 hash[SHA256_SIZE];
	enum store_suppression_reason reason;
	enum store_suppression_scope scope;
	gint64 created; /* epoch ms */
};

void store_suppression_free(struct store_suppression *suppression);
DEFINE_AUTO(store_suppression, store_suppression_free)

/* How an address is looked for: by itself, and by the hashes that it would have left behind if the
   person had been erased (core/suppress.h makes them). */
struct store_suppression_key {
	const char *address;
	const guint8 (*hashes)[SHA256_SIZE];
	guint count;
};

/* Which of the addresses get no mail, a mailing or any other, into suppressed_r. */
bool store_suppression_match(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *keys, guint count, bool mailing, bool *suppressed_r,
    GError **error);

/* Inside a transaction: puts an address on the list; id and created are set. Where it stands there
   already it stays as it is, but for scope and reason if the scope becomes wider. One of hashes
   counts as that address. */
bool store_suppression_put(struct db *db, struct store_suppression *suppression,
    const struct store_suppression_key *key, GError **error);

/* The entry of an address. NOT_FOUND "Suppression not found". The caller frees it. */
struct store_suppression *store_suppression_get(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, GError **error);

/* Inside a transaction: takes the address off the list, in each form in which it stands there.
 *count_r: how often it did. */
bool store_suppression_remove(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, guint *count_r, GError **error);

/* Inside a transaction: the entry of an address, as store_suppression_get, which nobody else
   changes until the transaction ends. */
struct store_suppression *store_suppression_lock(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, GError **error);

/* Inside a transaction: makes of an entry one of somebody who has unsubscribed, and no more. */
bool store_suppression_narrow(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* Inside a transaction: leaves of the address the first of its hashes alone, in scope all; where it
   did not stand on the list, it does then, as manual. */
bool store_suppression_erase(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, GError **error);

/* Newest first, at most limit, older than before (NULL: from the newest on), as an array of struct
   store_suppression. The caller owns it. */
GPtrArray *store_suppression_list(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

#endif
