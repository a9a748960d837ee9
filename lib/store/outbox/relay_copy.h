/* SPDX-License-Identifier: MIT */
/* Copies: the messages that relays of providers have taken. Errors that a function does not name
   are those of db/statement.h. */
#ifndef STORE_RELAY_COPY_H
#define STORE_RELAY_COPY_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct db;

/* The longest id by which a provider may call a message, in bytes. */
#define STORE_RELAY_COPY_REPLY_BYTES 255

struct store_relay_copy {
	struct base_id id; /* of the outbox entry; the relay may take an entry in several parts */
	struct base_id workspace_id, email_id;
	const char *relay;	   /* its name */
	const char *reply;	   /* the provider's id of the message; NULL: not known */
	gint64 sent;		   /* epoch ms at which the relay took it */
	const guint16 *recipients; /* their numbers in the email */
	guint count;
};

/* Inside a transaction: stores copies. Deferred (db_defer). */
bool store_relay_copy_add(
    struct db *db, const struct store_relay_copy *copies, guint count, GError **error);

/* A recipient of a copy. */
struct store_relay_copy_recipient {
	struct base_id copy_id, email_id;
	char *reply;
	gint64 sent;
	guint number; /* of the recipient in the email */
	char *address;
};

/* Names by which copies are looked up. */
struct store_relay_copy_names {
	GPtrArray *replies; /* const char *: the provider's ids */
	GPtrArray *copies;  /* const struct base_id *: ids of outbox entries */
	GPtrArray *emails;  /* const struct base_id *: ids of emails */
};

/* The recipients of all copies that the relay took and that one of these names means, but those who
   were erased, as an array of struct store_relay_copy_recipient. One round trip for
   STORE_RELAY_COPY_TOGETHER names of each kind. The caller owns it. */
#define STORE_RELAY_COPY_TOGETHER 100
GPtrArray *store_relay_copy_find(
    struct db *db, const char *relay, const struct store_relay_copy_names *names, GError **error);

/* Whether an outbox entry of one of these emails, or one of these entries, is under way: the relay
   may have taken it, and its copy is not stored yet. Both are const struct base_id *, at most
   STORE_RELAY_COPY_TOGETHER. Emails are found at once, entries by a walk through what is due: where
   that is more than some 10,000 messages, any entry may be under way. now: epoch ms. */
bool store_relay_copy_is_coming(struct db *db, const GPtrArray *emails, const GPtrArray *copies,
    gint64 now, bool *coming_r, GError **error);

#endif
