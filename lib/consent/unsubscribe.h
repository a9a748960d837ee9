/* SPDX-License-Identifier: MIT */
/* Shows and changes what recipients want, by the token in their message. */
#ifndef CONSENT_UNSUBSCRIBE_H
#define CONSENT_UNSUBSCRIBE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/consent/consent.h"

struct service;
struct link_token;
struct db;
struct store_engagement;

enum consent_subscription {
	SUBSCRIPTION_ON,
	SUBSCRIPTION_OFF,     /* gets no mailings at all */
	SUBSCRIPTION_BLOCKED, /* on the suppression list for another reason */
};

/* The recipient that a token names, and what the recipient wants. */
struct consent_subscriber {
	struct base_id workspace_id;
	char *address;
	char *sender;	/* of the email: name and address */
	char *language; /* of the person; NULL: not known */
	enum consent_subscription state;
	bool out;     /* gets no mailings at all, by choice */
	bool returns; /* this token left something lately: CONSENT_WISH_RETURN can undo that */
	gint64 snoozed_until; /* no mailing comes until then, epoch ms; 0: there is no snooze */
	bool elsewhere;	      /* other tokens unsubscribed it, or this one long ago: it stays off */
	const struct store_topic_choice
	    *topic;		/* of the email, among topics; NULL: none, or gone */
	GPtrArray *topics;	/* of struct store_topic_choice: all */
	GPtrArray *memberships; /* of struct store_membership: all */
};

void consent_subscriber_free(struct consent_subscriber *subscriber);
DEFINE_AUTO(consent_subscriber, consent_subscriber_free)

enum consent_wish_action {
	CONSENT_WISH_LEAVE,   /* the topic of the email; no mailings at all where it has none */
	CONSENT_WISH_NONE,    /* no mailings at all */
	CONSENT_WISH_CHOICES, /* exactly these public topics and audiences */
	CONSENT_WISH_SNOOZE,  /* no mailings for so many weeks; 0: ends that */
	CONSENT_WISH_NOTHING, /* what was asked for is not offered */
	CONSENT_WISH_RETURN,  /* undoes what this token left in the last LIMIT_RESUBSCRIBE_MS */
};

/* A wish of a recipient. */
struct consent_wish {
	enum consent_wish_action action;
	enum store_consent_source source;
	const char *ip, *user_agent; /* NULL: not known */
	const struct base_id *ids; /* of CONSENT_WISH_CHOICES: topics and audiences; others of that
				      kind are left */
	guint id_count;
	guint weeks; /* of CONSENT_WISH_SNOOZE: 0, or one of consent_unsubscribe_weeks */
};

/* The weeks for which a person may snooze; 0 ends them. */
extern const guint consent_unsubscribe_weeks[];

/* Reads the subscriber of a token of the kind TOKEN_UNSUBSCRIBE, also when its email was removed by
   age. NOT_FOUND when the recipient was erased. The caller frees the result. Errors of this and the
   next function: also of db/transaction.h. */
struct consent_subscriber *consent_unsubscribe_look(
    struct service *service, const struct link_token *token, GError **error);

/* Fulfils a wish, in one transaction, and records the recipient's event where something is left. A
   second call changes nothing. Returns the subscriber as it is then, which the caller frees; NULL
   with an error. */
struct consent_subscriber *consent_unsubscribe(struct service *service,
    const struct link_token *token, const struct consent_wish *wish, GError **error);

/* Inside a transaction: CONSENT_WISH_LEAVE for a reader that is locked
   (store/broadcast/engagement.h), as a provider reports it, but records no event. *changed_r:
   something has changed. */
bool consent_unsubscribe_reader(struct db *db, const struct service *service,
    const struct store_engagement *reader, bool *changed_r, GError **error);

/* Reads the token of the first unsubscribe address or page of ours in text, such as a field
   List-Unsubscribe (link/tracking.h). False, with *token_r untouched, without one. */
bool consent_unsubscribe_read(
    const struct service *service, const char *text, struct link_token *token_r);

/* Unsubscribes by the first address in text that link_tracking_unsubscribe_address made. text is an
   address, a local part or a header field of a message that came in. *ours_r is false, and nothing
   is changed, when there is no such address, or its recipient was erased. */
bool consent_unsubscribe_by_address(
    struct service *service, const char *text, bool *ours_r, GError **error);

#endif
