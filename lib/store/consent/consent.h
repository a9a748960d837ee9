/* SPDX-License-Identifier: MIT */
/* The history of consent: a row for each change of a choice, about all mailings, one audience or
   one topic. Nothing is decided by it: the choices themselves stand in store/consent/choice.h.
   Errors that a function does not name are those of db/statement.h. */
#ifndef STORE_CONSENT_CONSENT_H
#define STORE_CONSENT_CONSENT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/consent/act.h"
#include "base/scope.h"

struct db;

/* Stored as number. Rows from before topics have the first three alone. */
enum store_consent_kind {
	CONSENT_UNSUBSCRIBED = 1, /* from all mailings */
	CONSENT_SUBSCRIBED = 2,
	CONSENT_OVERRIDE = 3, /* beside the change that it allowed */
	CONSENT_JOINED = 4,   /* an audience */
	CONSENT_PENDING = 5,
	CONSENT_CONFIRMED = 6,
	CONSENT_LEFT = 7,
	CONSENT_REMOVED = 8,
	CONSENT_TOPIC_JOINED = 9,
	CONSENT_TOPIC_LEFT = 10,
	CONSENT_SNOOZED = 11,
	CONSENT_UNSNOOZED = 12,
};
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define CONSENT_PENDING_SQL "5"

/* The words of the API, NULL-terminated; the word of a number stands at that number less one. */
extern const char *const store_consent_kinds[];

/* The subject of a change. All NULL: all mailings. */
struct store_consent_about {
	const struct base_id *contact, *audience, *topic;
};

/* A change for the history. All borrowed. */
struct store_consent_change {
	const struct base_id *workspace;
	const char *person; /* the address in the form in which addresses are compared */
	enum store_consent_kind kind;
	const struct store_consent_about *about; /* NULL: all mailings */
	const struct store_consent_act *act;
};

/* Inside a transaction, deferred: records a change. Webhooks are notified of a topic's choice. */
bool store_consent_record(struct db *db, const struct store_consent_change *change, GError **error);

/* Inside a transaction, deferred: records that a membership was removed, whatever the kind of
   change; and the joining, too, whose only record went with it. source: of the joining, 0: not
   known; pending: it was never confirmed. */
struct store_consent_join {
	int source;
	gint64 created; /* epoch ms */
	bool pending;
};
bool store_consent_record_removal(struct db *db, const struct store_consent_change *change,
    const struct store_consent_join *join, GError **error);

/* A joining of an audience. All borrowed. */
struct store_consent_joining {
	const char *person;
	const struct base_id *audience;
	gint64 time; /* epoch ms */
};

/* Whether it waited for a confirmation, and is recorded so. */
bool store_consent_is_pending(struct db *db, const struct base_id *workspace,
    const struct store_consent_joining *joining, bool *is_r, GError **error);

/* The author of a joining by this source. */
enum store_consent_author store_consent_author_of(int source);

/* A row of the history. */
struct store_consent {
	struct base_id id; /* in the order of time */
	gint64 created;	   /* epoch ms */
	enum store_consent_kind kind;
	enum store_consent_source source; /* 0: not known */
	enum store_consent_author author; /* never 0 */
	bool has_audience, has_topic, has_email, has_form;
	struct base_id audience, topic, email, form;
	bool has_broadcast, has_workflow; /* that the email is of */
	struct base_id broadcast, workflow;
	char *reason, *ip, *user_agent; /* NULL: none */
	bool has_user, has_key;		/* who decided by the API, */
	struct base_id user, key;
	char *user_name, *key_name; /* with address and name; NULL when they are gone */
};

void store_consent_free(struct store_consent *consent);
DEFINE_AUTO(store_consent, store_consent_free)

/* A page of a person's history, newest first, at most limit, older than before (NULL: from the
   newest on), as an array of struct store_consent. The caller owns it. */
GPtrArray *store_consent_list(struct db *db, const struct base_id *workspace, const char *person,
    const struct base_id *before, guint limit, GError **error);

/* Inside a transaction: removes the history of a person. */
bool store_consent_erase(
    struct db *db, const struct base_id *workspace, const char *person, GError **error);

#endif
