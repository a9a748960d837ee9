/* SPDX-License-Identifier: MIT */
/* The endpoints at which providers report, the events that they have reported, and certificates of
   theirs. All are the installation's, not a workspace's. Errors that a function does not name are
   those of db/statement.h. */
#ifndef STORE_FEEDBACK_PROVIDER_H
#define STORE_FEEDBACK_PROVIDER_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "base/secret.h"

struct db;

struct store_provider {
	struct base_id id;
	int provider; /* enum provider_name */
	char *relay;
	GBytes *secret; /* encrypted; NULL: none */
	char *topic;	/* NULL: none is confirmed */
	gint64 created;
};

void store_provider_free(struct store_provider *endpoint);
DEFINE_AUTO(store_provider, store_provider_free)

/* Stores a new endpoint, with its id, provider, relay, secret and created, and the SHA-256 of its
   token. */
bool store_provider_create(struct db *db, const struct store_provider *endpoint,
    const guint8 token[SHA256_SIZE], GError **error);

/* The endpoint of a token. NOT_FOUND "Not found". The caller frees it. */
struct store_provider *store_provider_find(
    struct db *db, const guint8 token[SHA256_SIZE], GError **error);

/* All endpoints, newest first, as an array of struct store_provider. The caller owns it. */
GPtrArray *store_provider_list(struct db *db, GError **error);

/* Removes an endpoint and the keys of its events. NOT_FOUND "Provider not found". */
bool store_provider_remove(struct db *db, const struct base_id *id, GError **error);

/* Makes a topic the endpoint's only one. CONFLICT when it has another. */
bool store_provider_confirm(
    struct db *db, const struct base_id *id, const char *topic, GError **error);

/* The certificate that was fetched from a URL (by its SHA-256) after a time (epoch ms); *pem_r is
   NULL when there is none. The caller owns it. */
bool store_provider_certificate(
    struct db *db, const guint8 url[SHA256_SIZE], gint64 after, char **pem_r, GError **error);
bool store_provider_keep_certificate(
    struct db *db, const guint8 url[SHA256_SIZE], const char *pem, gint64 fetched, GError **error);

/* Inside a transaction: records events by their digests, and tells in new_r which of them this
   transaction has recorded. The first of equal digests is new. */
struct store_provider_digest {
	guint8 bytes[SHA256_SIZE];
};
bool store_provider_note(struct db *db, const struct base_id *endpoint,
    const struct store_provider_digest *digests, guint count, bool *new_r, GError **error);

/* Inside a transaction: records a text that was signed, by its digest, with a number of the body
   that came with it. *known_r: it was recorded with this number, now or before; else with another
   one. */
bool store_provider_note_signed(struct db *db, const struct base_id *endpoint,
    const struct store_provider_digest *text, gint64 body, bool *known_r, GError **error);

/* Removes a batch of events recorded before a time (epoch ms), and of certificates, and tells their
   number, as store/upkeep/retention.h does. */
bool store_provider_sweep(struct db *db, gint64 before, guint *count_r, GError **error);

#endif
