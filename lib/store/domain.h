#ifndef STORE_DOMAIN_H
#define STORE_DOMAIN_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

/* Stored as number. */
enum domain_status {
	DOMAIN_NOT_STARTED = 1,
	DOMAIN_PENDING = 2,
	DOMAIN_SUCCESS = 3,
	DOMAIN_FAILED = 4,
	DOMAIN_TEMPORARY_FAILURE = 5,
};

/* The word of the API for it. */
const char *store_domain_status_name(enum domain_status status);

struct domain {
	struct id id;
	struct id workspace_id;
	char *name; /* A-labels in lower case */
	enum domain_status status;
	bool trusted; /* an operator vouches for it: DNS is not asked */
	gint64 created;
};

void store_domain_free(struct domain *domain);
DEFINE_AUTO(domain, store_domain_free)

/* True when mail may be sent from it. */
bool store_domain_verified(const struct domain *domain);

/* Stored as number. */
enum domain_key_algorithm { DOMAIN_KEY_RSA = 1, DOMAIN_KEY_ED25519 = 2 };

/* A DKIM key. sealed: the private key, encrypted as base/secret.h does it with the id as context.
 */
struct domain_key {
	struct id id;
	enum domain_key_algorithm algorithm;
	char *domain; /* its name */
	char *selector;
	GBytes *sealed;
	char *public; /* base64, as in the p= tag */
};

void store_domain_key_free(struct domain_key *key);
DEFINE_AUTO(domain_key, store_domain_key_free)

/* Registers domain->name with its keys, in one transaction; domain->id is set; user may be NULL.
 * CONFLICT when the workspace has it. */
bool store_domain_create(struct db *db, struct domain *domain, const struct id *user,
    struct domain_key *const *keys, guint count, GError **error);

/* The workspace's domain of this very name. NOT_FOUND. The caller frees it. */
struct domain *store_domain_find(
    struct db *db, const struct id *workspace, const char *name, GError **error);

/* The nearest domain of the workspace that name is, or is a sub-domain of. NOT_FOUND. The caller
 * frees it. */
struct domain *store_domain_find_sender(
    struct db *db, const struct id *workspace, const char *name, GError **error);

/* Newest first, at most limit, older than before (NULL: from the newest on), as an array of struct
   domain. The caller owns it. */
GPtrArray *store_domain_list(struct db *db, const struct id *workspace, const struct id *before,
    guint limit, GError **error);

/* The keys that messages of the domain are signed with now, RSA first, of struct domain_key; sealed
   is left NULL: see store_domain_key_sealed. The caller owns the array; NULL on error. */
GPtrArray *store_domain_keys(struct db *db, const struct id *domain, GError **error);

/* The sealed private key. NOT_FOUND. The caller owns it. */
GBytes *store_domain_key_sealed(struct db *db, const struct id *key, GError **error);

/* An operator vouches for it: SUCCESS from now on, whatever DNS says. NOT_FOUND. */
bool store_domain_trust(
    struct db *db, const struct id *workspace, const char *name, GError **error);

#endif
