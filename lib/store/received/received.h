/* SPDX-License-Identifier: MIT */
/* Mail that came in. Errors that a function does not name are those of db/statement.h. */
#ifndef STORE_RECEIVED_RECEIVED_H
#define STORE_RECEIVED_RECEIVED_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "base/secret.h"

struct db;

/* Mail that no person wrote. Stored as number. */
enum store_received_automatic {
	RECEIVED_BY_PERSON = 0,
	RECEIVED_AUTO_REPLY = 1,
	RECEIVED_AUTO_BULK = 2,
	RECEIVED_AUTO_REPORT = 3,
};

/* The word of the API; NULL for RECEIVED_BY_PERSON. */
const char *store_received_automatic_name(enum store_received_automatic automatic);

struct store_received {
	struct base_id id, workspace_id, domain_id, email_id;
	bool has_domain, has_email;
	char *writer, *sender; /* the address of From and that of the envelope, as they are
				  compared; "" for none */
	enum store_received_automatic automatic;
	gint64 size;	 /* bytes of the message */
	char *summary;	 /* JSON: the row of a list */
	GBytes *content; /* JSON: what the mail has besides; read by store_received_get alone */

	/* only to be stored */
	GPtrArray *recipients; /* char *: addresses as they are compared */
	GPtrArray *pieces;     /* GBytes *: the bytes, none of them empty */
};

struct store_received *store_received_new(void);
void store_received_free(struct store_received *received);
DEFINE_AUTO(store_received, store_received_free)

/* Inside a transaction: stores a mail with its bytes. CONFLICT with DB_CAUSE_MISSING
   (db/connection.h) when another transaction removed a shared content meanwhile: run it again. */
bool store_received_insert(struct db *db, const struct store_received *received, GError **error);

/* Inside a transaction: notes a message that is probably new, deferred. CONFLICT where it is
   known or stands in a note that has grown old. */
bool store_received_note_new(struct db *db, const struct base_id *workspace,
    const guint8 digest[SHA256_SIZE], gint64 now, GError **error);

/* Inside a transaction: notes that a message came. *is_new_r: it was not known in the last
   LIMIT_RECEIVED_KNOWN_MS. Of two transactions that note the same at once, one waits for the other.
 */
bool store_received_note(struct db *db, const struct base_id *workspace,
    const guint8 digest[SHA256_SIZE], gint64 now, bool *is_new_r, GError **error);

/* The mail of a workspace: how many came since a time (epoch ms), and the bytes of all. */
bool store_received_count(
    struct db *db, const struct base_id *workspace, gint64 since, gint64 *count_r, GError **error);
bool store_received_bytes(
    struct db *db, const struct base_id *workspace, gint64 *bytes_r, GError **error);

/* The filter of a list; a member that is NULL or false does not restrict it. */
struct store_received_filter {
	const char *to, *from; /* as they are compared */
	const struct base_id *domain, *email;
	const bool *automatic;
	const gint64 *since, *until;  /* since <= created < until, epoch ms */
	const struct base_id *before; /* only older ones */
	const struct base_id *after;  /* only newer ones, the nearest ones */
};

/* A page, newest first, at most limit, as an array of struct store_received without content. The
   caller owns it. */
GPtrArray *store_received_list(struct db *db, const struct base_id *workspace,
    const struct store_received_filter *filter, guint limit, GError **error);

/* NOT_FOUND "Received email not found". The caller frees it. */
struct store_received *store_received_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* The same by the id alone, for a signed URL. */
struct store_received *store_received_find(struct db *db, const struct base_id *id, GError **error);

/* The bytes of the message, or of one of its pieces. The caller owns them. */
GBytes *store_received_raw(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);
GBytes *store_received_piece(struct db *db, const struct base_id *workspace,
    const struct base_id *id, guint number, GError **error);

/* Removes a mail. NOT_FOUND. */
bool store_received_remove(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* Removes mail of a person: whose From or envelope sender is the address, as it is compared. */
bool store_received_erase(
    struct db *db, const struct base_id *workspace, const char *address, GError **error);

/* Removes mail that answers emails to a person, wherever it was written. Call it while the emails
   have their recipients. */
bool store_received_erase_replies(
    struct db *db, const struct base_id *workspace, const char *address, GError **error);

/* Removes a batch of mail that is older than before (epoch ms); likewise what is known of
   messages. Any number of processes may call them at once. */
bool store_received_sweep(struct db *db, gint64 before, guint *count_r, GError **error);
bool store_received_sweep_known(struct db *db, gint64 before, guint *count_r, GError **error);

/* An email by which a mail was forwarded, or why it was not. */
struct store_received_forward {
	struct base_id email_id;
	bool has_email;
	char *recipients; /* a JSON array of addresses */
	char *error;	  /* NULL: none */
};

void store_received_forward_free(struct store_received_forward *forward);
DEFINE_AUTO(store_received_forward, store_received_forward_free)

/* Adds one, inside or outside a transaction. */
bool store_received_forward_add(struct db *db, const struct base_id *workspace,
    const struct base_id *received, const struct store_received_forward *forward, GError **error);

/* All of a mail, oldest first, as an array of struct store_received_forward. The caller owns it. */
GPtrArray *store_received_forward_list(
    struct db *db, const struct base_id *workspace, const struct base_id *received, GError **error);

#endif
