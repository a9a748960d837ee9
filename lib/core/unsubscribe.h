/* SPDX-License-Identifier: MIT */
/* Unsubscribes recipients by the token in their message, and subscribes them again. */
#ifndef CORE_UNSUBSCRIBE_H
#define CORE_UNSUBSCRIBE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct core;
struct core_token;
struct db;
struct store_reader;

enum core_subscription {
	SUBSCRIPTION_ON,
	SUBSCRIPTION_OFF,     /* unsubscribed */
	SUBSCRIPTION_BLOCKED, /* on the suppression list for another reason */
};

/* The recipient that a token names, and whether the address gets mailings. */
struct core_subscriber {
	char *address;
	char *sender; /* of the email: name and address */
	enum core_subscription state;
	bool returns;	/* this token unsubscribed it lately: core_unsubscribe_undo can undo that */
	bool elsewhere; /* other tokens unsubscribed it, or this one long ago: it stays off */
};

void core_subscriber_free(struct core_subscriber *subscriber);
DEFINE_AUTO(core_subscriber, core_subscriber_free)

/* Reads the subscriber of a token of the kind TOKEN_UNSUBSCRIBE. NOT_FOUND when its email was
   removed. The caller frees the result. Errors of this and the next two functions: also of
   db/transaction.h. */
struct core_subscriber *core_unsubscribe_look(
    struct core *core, const struct core_token *token, GError **error);

/* Unsubscribes the recipient, in one transaction: puts the address on the workspace's suppression
   list (scope automation; an entry that is there stays), unsubscribes its contacts in every
   audience, records the person's own choice (store/choice.h), and records an event. A second call
   changes nothing. */
struct core_subscriber *core_unsubscribe(
    struct core *core, const struct core_token *token, GError **error);

/* Inside a transaction: does the same for a reader that is locked (store/reader.h), but records no
   event. *changed_r: something has changed. */
bool core_unsubscribe_reader(struct db *db, const struct core *core,
    const struct store_reader *reader, bool *changed_r, GError **error);

/* Undoes exactly what core_unsubscribe did by this token in the last LIMIT_RESUBSCRIBE_MS: removes
   the entry that it made, and subscribes the contacts that it unsubscribed. While another token
   keeps the person unsubscribed, both wait until that ends. */
struct core_subscriber *core_unsubscribe_undo(
    struct core *core, const struct core_token *token, GError **error);

/* Unsubscribes by the first address in text that core_tracking_unsubscribe_address made. text is an
   address, a local part or a header field of a message that came in. *ours_r is false, and nothing
   is changed, when there is no such address, or its email was removed. */
bool core_unsubscribe_by_address(struct core *core, const char *text, bool *ours_r, GError **error);

#endif
