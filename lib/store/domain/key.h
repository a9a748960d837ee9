/* SPDX-License-Identifier: MIT */
/* The DKIM keys of domains, encrypted as stored. Errors that a function does not name are those of
   db/statement.h. */
#ifndef STORE_DOMAIN_KEY_H
#define STORE_DOMAIN_KEY_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "db/columns.h"

struct db;
struct db_rows;

/* Stored as number. */
enum store_domain_key_algorithm { DOMAIN_KEY_RSA = 1, DOMAIN_KEY_ED25519 = 2 };
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define DOMAIN_KEY_RSA_SQL "1"

/* Stored as number. */
enum store_domain_key_state {
	DOMAIN_KEY_ACTIVE = 1,	 /* messages are signed with it */
	DOMAIN_KEY_PENDING = 2,	 /* will sign once DNS shows it */
	DOMAIN_KEY_RETIRING = 3, /* signed before: DNS must still show it for a while */
};
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define DOMAIN_KEY_ACTIVE_SQL "1"
#define DOMAIN_KEY_PENDING_SQL "2"
#define DOMAIN_KEY_RETIRING_SQL "3"

/* A DKIM key. sealed: the private key, encrypted as base/secret.h does it with the id as context.
 */
struct store_domain_key {
	struct base_id id;
	struct base_id domain_id;
	enum store_domain_key_algorithm algorithm;
	enum store_domain_key_state state;
	bool seen;    /* the last check found it in DNS */
	char *domain; /* its name */
	char *selector;
	GBytes *sealed;
	char *public; /* base64, as in the p= tag */
	gint64 created;
	gint64 retired_at; /* 0 = not */
};

void store_domain_key_free(struct store_domain_key *key);
DEFINE_AUTO(store_domain_key, store_domain_key_free)

/* The columns of key k of domain d, which store_domain_key_read reads from column on; sealed is
   NULL. The caller owns the result. */
#define STORE_DOMAIN_KEY_LIST(FIRST, NEXT)                                                         \
	FIRST(id, "k.id")                                                                          \
	NEXT(domain_id, "k.domain_id")                                                             \
	NEXT(algorithm, "k.algorithm")                                                             \
	NEXT(state, "k.state")                                                                     \
	NEXT(seen, "k.seen")                                                                       \
	NEXT(selector, "k.selector")                                                               \
	NEXT(public, "k.public")                                                                   \
	NEXT(created, "k.created")                                                                 \
	NEXT(retired_at, "k.retired_at")                                                           \
	NEXT(domain, "d.name")
#define STORE_DOMAIN_KEY_COLUMNS DB_COLUMNS_SQL(STORE_DOMAIN_KEY_LIST)
struct store_domain_key *store_domain_key_read(const struct db_rows *rows, guint column);

/* The order of a domain's keys, for an array of pointers to them: the active ones first, then the
   pending ones; in each state the newest first, of these RSA first. */
int store_domain_key_compare(const void *a, const void *b);

/* Inside a transaction: adds keys to a domain. */
bool store_domain_key_insert(struct db *db, const struct base_id *workspace,
    const struct base_id *domain, struct store_domain_key *const *keys, guint count,
    GError **error);

/* The keys that sign messages of the domain now, RSA first: the active ones, Ed25519 only where
   DNS shows it or the domain is trusted. An array of struct store_domain_key; sealed is NULL:
   see store_domain_key_sealed. The caller owns it; NULL on error. */
GPtrArray *store_domain_key_signing(struct db *db, const struct base_id *domain, GError **error);

/* The keys of a page of domains, in the order of store_domain_list: newest domain first. An array
   of struct store_domain_key, which the caller owns; NULL on error. */
GPtrArray *store_domain_key_list_page(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

/* The sealed private key. NOT_FOUND. The caller owns it. */
GBytes *store_domain_key_sealed(struct db *db, const struct base_id *key, GError **error);

/* New keys of a domain. All borrowed. */
struct store_domain_rotation {
	const struct base_id *workspace, *domain;
	struct store_domain_key *const *keys;
	guint count;
	gint64 now, next_check; /* epoch ms */
};

/* Adds new keys: pending, or active where the domain is trusted, whose active keys then retire.
   Removes keys that were pending before, since they never signed. Restarts the domain's checks,
   the first one due at next_check; a check that is under way is not recorded. NOT_FOUND when the
   domain is gone. */
bool store_domain_key_rotate(
    struct db *db, const struct store_domain_rotation *rotation, GError **error);

/* Inside a transaction: if keys are pending, makes them active, and those that were active
   retiring. */
bool store_domain_key_promote(struct db *db, const struct base_id *workspace,
    const struct base_id *domain, gint64 now, GError **error);

/* Removes keys that have been retiring since before; *count_r is their number. */
bool store_domain_key_remove_retired(struct db *db, gint64 before, guint *count_r, GError **error);

#endif
