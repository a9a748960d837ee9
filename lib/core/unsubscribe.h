/* SPDX-License-Identifier: MIT */
/* Shows and changes what recipients want, by the token in their message. */
#ifndef CORE_UNSUBSCRIBE_H
#define CORE_UNSUBSCRIBE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/consent.h"

struct core;
struct core_token;
struct db;
struct store_reader;

enum core_subscription {
	SUBSCRIPTION_ON,
	SUBSCRIPTION_OFF,     /* gets no mailings at all */
	SUBSCRIPTION_BLOCKED, /* on the suppression list for another reason */
};

/* The recipient that a token names, and what the recipient wants. */
struct core_subscriber {
	struct base_id workspace_id;
	char *address;
	char *sender;	/* of the email: name and address */
	char *language; /* of the person; NULL: not known */
	enum core_subscription state;
	bool out;	/* gets no mailings at all, by choice */
	bool returns;	/* this token left something lately: CORE_WISH_RETURN can undo that */
	bool elsewhere; /* other tokens unsubscribed it, or this one long ago: it stays off */
	const struct store_topic_choice
	    *topic;		/* of the email, among topics; NULL: none, or gone */
	GPtrArray *topics;	/* of struct store_topic_choice: all */
	GPtrArray *memberships; /* of struct store_membership: all */
};

void core_subscriber_free(struct core_subscriber *subscriber);
DEFINE_AUTO(core_subscriber, core_subscriber_free)

enum core_wish_action {
	CORE_WISH_LEAVE,   /* the topic of the email; no mailings at all where it has none */
	CORE_WISH_NONE,	   /* no mailings at all */
	CORE_WISH_CHOICES, /* exactly these public topics and audiences */
	CORE_WISH_RETURN,  /* undoes what this token left in the last LIMIT_RESUBSCRIBE_MS */
};

/* A wish of a recipient. */
struct core_wish {
	enum core_wish_action action;
	enum store_consent_source source;
	const char *ip, *user_agent; /* NULL: not known */
	const struct base_id *ids;   /* of CORE_WISH_CHOICES: topics and audiences; others of that
					kind are left */
	guint id_count;
};

/* Reads the subscriber of a token of the kind TOKEN_UNSUBSCRIBE, also when its email was removed by
   age. NOT_FOUND when the recipient was erased. The caller frees the result. Errors of this and the
   next function: also of db/transaction.h. */
struct core_subscriber *core_unsubscribe_look(
    struct core *core, const struct core_token *token, GError **error);

/* Fulfils a wish, in one transaction, and records the recipient's event where something is left. A
   second call changes nothing. */
struct core_subscriber *core_unsubscribe(struct core *core, const struct core_token *token,
    const struct core_wish *wish, GError **error);

/* Inside a transaction: CORE_WISH_LEAVE for a reader that is locked (store/reader.h), as a provider
   reports it, but records no event. *changed_r: something has changed. */
bool core_unsubscribe_reader(struct db *db, const struct core *core,
    const struct store_reader *reader, bool *changed_r, GError **error);

/* Reads the token of the first unsubscribe address or page of ours in text, such as a field
   List-Unsubscribe (core/tracking.h). False, with *token_r untouched, without one. */
bool core_unsubscribe_read(const struct core *core, const char *text, struct core_token *token_r);

/* Unsubscribes by the first address in text that core_tracking_unsubscribe_address made. text is an
   address, a local part or a header field of a message that came in. *ours_r is false, and nothing
   is changed, when there is no such address, or its recipient was erased. */
bool core_unsubscribe_by_address(struct core *core, const char *text, bool *ours_r, GError **error);

#endif
