/* SPDX-License-Identifier: MIT */
/* One change that operators make to many people, one person after the other. */
#ifndef CONSENT_BULK_H
#define CONSENT_BULK_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct service;
struct store_consent_act;

enum consent_bulk_kind {
	BULK_ADD = 1, /* to an audience; a member in any state stays as it is */
	BULK_REMOVE,  /* from an audience */
	BULK_JOIN,    /* a topic */
	BULK_LEAVE,   /* a topic */
	BULK_SUPPRESS,
	BULK_UNSUPPRESS,
	BULK_ERASE,
};
/* The words of the API, NULL-terminated, but for BULK_ERASE; the word of a number stands at that
   number less one. */
extern const char *const consent_bulk_words[];

/* Whether a kind is about an audience, or about a topic. */
bool consent_bulk_has_audience(enum consent_bulk_kind kind);
bool consent_bulk_has_topic(enum consent_bulk_kind kind);

/* All borrowed. */
struct consent_bulk {
	enum consent_bulk_kind kind;
	const struct base_id *workspace;
	const struct base_id *target; /* the audience or the topic; NULL: none */
	const struct store_consent_act *act;
};

/* The outcome for a person. */
struct consent_bulk_outcome {
	bool is_changed;
	bool is_reversible; /* the contrary kind brings back all as it was */
};

/* Whether the audience or the topic is there. NOT_FOUND. */
bool consent_bulk_check(struct service *service, const struct consent_bulk *bulk, GError **error);

/* Changes the person with this email, in a transaction of its own. INVALID where the email is none;
   NOT_FOUND "Person not found", but for the suppression list and for erasing; CONFLICT "This
   person has unsubscribed" where a person who gets no mailings is to be added or to join, and for
   what the person has left in person; LIMITED when a quota is full that a mail to confirm needs. */
bool consent_bulk_apply(struct service *service, const struct consent_bulk *bulk, const char *email,
    struct consent_bulk_outcome *outcome_r, GError **error);

#endif
