/* SPDX-License-Identifier: MIT */
#ifndef STORE_DOMAIN_H
#define STORE_DOMAIN_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/creator.h"
#include "store/domain_check.h"
#include "store/quota.h"

struct db;
struct store_domain_key;

/* Stored as number. */
enum store_domain_status {
	DOMAIN_NOT_STARTED = 1,
	DOMAIN_PENDING = 2,
	DOMAIN_SUCCESS = 3,
	DOMAIN_FAILED = 4,
	DOMAIN_TEMPORARY_FAILURE = 5,
};

/* The word of the API for it. */
const char *store_domain_status_name(enum store_domain_status status);

struct store_domain {
	struct base_id id;
	struct base_id workspace_id;
	char *name; /* A-labels in lower case */
	enum store_domain_status status;
	bool trusted; /* an operator vouches for it: DNS is not asked */
	bool open_tracking, click_tracking;
	gint64 warmed_up_at; /* 0 = not yet */
	gint64 created;

	struct store_quota quota; /* of its workspace; read by store_domain_find_sender alone */

	/* read by store_domain_get and store_domain_list alone */
	struct store_creator creator;
	struct store_domain_check check;
	GPtrArray *keys; /* of struct store_domain_key, all of them, in the order of
			    store_domain_key_list; else NULL */
};

void store_domain_free(struct store_domain *domain);
DEFINE_AUTO(store_domain, store_domain_free)

/* NOT_FOUND "Domain not found". Returns false. */
bool store_domain_missing(GError **error);

/* True when mail may be sent from it. */
bool store_domain_verified(const struct store_domain *domain);

/* Registers domain->name with its keys, in one transaction; domain->id, created and check are set;
 * user may be NULL. The first check is due at next_check, 0 = never. CONFLICT when the workspace
 * has the name, or, with no db_cause, as many domains as it may. */
bool store_domain_create(struct db *db, struct store_domain *domain, const struct base_id *user,
    struct store_domain_key *const *keys, guint count, gint64 next_check, GError **error);

/* The workspace's domain of this very name. NOT_FOUND. The caller frees it. */
struct store_domain *store_domain_find(
    struct db *db, const struct base_id *workspace, const char *name, GError **error);

/* The nearest domain of the workspace that name is, or is a sub-domain of. NOT_FOUND. The caller
 * frees it. */
struct store_domain *store_domain_find_sender(
    struct db *db, const struct base_id *workspace, const char *name, GError **error);

/* The domain, with all that is known of it. NOT_FOUND. The caller frees it. */
struct store_domain *store_domain_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* Newest first, at most limit, older than before (NULL: from the newest on), as an array of struct
   store_domain with all that is known of them. The caller owns it. */
GPtrArray *store_domain_list(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

/* An operator vouches for it: SUCCESS from now on, whatever DNS says; no more checks; keys that
   wait for DNS sign now. NOT_FOUND. */
bool store_domain_trust(
    struct db *db, const struct base_id *workspace, const char *name, GError **error);

/* NULL leaves a switch as it is. NOT_FOUND. */
bool store_domain_set_tracking(struct db *db, const struct base_id *workspace,
    const struct base_id *id, const bool *opens, const bool *clicks, GError **error);

/* Removes it, with its keys and all that is known of it. NOT_FOUND. */
bool store_domain_remove(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

#endif
