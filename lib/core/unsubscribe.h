/* SPDX-License-Identifier: MIT */
/* Who wants no more mailings: by the token that each copy of an email carries. */
#ifndef CORE_UNSUBSCRIBE_H
#define CORE_UNSUBSCRIBE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct core;
struct core_token;

enum core_subscription {
	SUBSCRIPTION_ON,
	SUBSCRIPTION_OFF,     /* unsubscribed */
	SUBSCRIPTION_BLOCKED, /* on the suppression list for another reason */
};

/* The recipient whom a token names, as somebody who may get mailings. */
struct core_subscriber {
	char *address;
	char *sender; /* of the email: name and address */
	enum core_subscription state;
	bool returns;	/* is off by this token, lately: core_unsubscribe_undo takes that back */
	bool elsewhere; /* is off by other tokens, or long ago by this one: then it stays off */
};

void core_subscriber_free(struct core_subscriber *subscriber);
DEFINE_AUTO(core_subscriber, core_subscriber_free)

/* token: of the kind TOKEN_UNSUBSCRIBE. NOT_FOUND when its email is gone. The caller frees the
   result. Errors of all three: of db/transaction.h too. */
struct core_subscriber *core_unsubscribe_look(
    struct core *core, const struct core_token *token, GError **error);

/* Puts the recipient's address on the suppression list of the workspace (scope automation; an entry
   that is there stays), unsubscribes it in every audience, and records that the email's reader
   did so: it is the person's own choice from then on (store/choice.h). All of it or nothing; the
   second time nothing more. */
struct core_subscriber *core_unsubscribe(
    struct core *core, const struct core_token *token, GError **error);

/* Undoes what core_unsubscribe did by this token in the last LIMIT_RESUBSCRIBE_MS, and nothing
   else: takes the entry that it made off the list, and subscribes the contacts that it
   unsubscribed. While the person stays unsubscribed by another token, both wait for that. */
struct core_subscriber *core_unsubscribe_undo(
    struct core *core, const struct core_token *token, GError **error);

/* Unsubscribes for a message that came in for the first address in text, an address, its local part
   or a header field, that is of the form of core_tracking_unsubscribe_address; *ours_r is false,
   and nothing has happened, when there is none, or its email is gone. */
bool core_unsubscribe_by_address(struct core *core, const char *text, bool *ours_r, GError **error);

#endif
