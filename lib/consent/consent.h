/* SPDX-License-Identifier: MIT */
/* Consent of people as operators change it: contacts, all mailings, topics. Only an override gives
   back what a person has left in person (store/consent/choice.h). */
#ifndef CONSENT_H
#define CONSENT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "service/once.h"
#include "store/consent/choice.h"
#include "store/person/contact.h"

struct service;
struct submit_sending;

/* Reads the parameter "override" of a client. NULL and "false" mean no override, "true" an override
   without a reason; any other text is the reason, and override borrows it. *given_r is override, or
   NULL for none. INVALID "override must be true or a reason of 1 to 500 characters". */
bool consent_read(const char *text, struct store_consent_override *override,
    const struct store_consent_override **given_r, GError **error);

/* The functions with a db run inside a transaction. act: the operator and the way of the change;
   override: NULL for none. All CONFLICT (store_choice_refuse) for what a person has left in person,
   when there is no override. */

/* A person, and who changes the consent. All borrowed. */
struct consent_subject {
	const struct base_id *workspace;
	const char *address; /* in normal form */
	const struct store_consent_act *act;
	const struct store_consent_override *override; /* NULL: none */
};

/* Subscribes a person to mailings, or unsubscribes from all of them: the choice, the person's row
   if there is one, the suppression list and, when it unsubscribes, all contacts. Nothing where it
   is so already. */
bool consent_subscribe(struct db *db, const struct service *service,
    const struct consent_subject *subject, bool subscribed, GError **error);

/* A topic that a person is to get, or not. */
struct consent_topic {
	struct base_id id;
	bool wanted;
};

/* Sets topics of a person. Wanting one subscribes a person who had left all mailings, too. INVALID
   "topics.ID is not a topic". store_topic_choices (store/consent/topic.h) reads them. */
bool consent_topics(struct db *db, const struct service *service,
    const struct consent_subject *subject, const struct consent_topic *topics, guint count,
    GError **error);

/* Deferred: people who were just stored get no mailings if choices of their addresses say so. */
bool consent_flag(struct db *db, const struct service *service, const struct base_id *workspace,
    const char *const *addresses, guint count, GError **error);

/* Stores a new contact as store_contact_create does. said: the client gave is_subscribed; without
   it a contact is subscribed, unless its person has left all mailings or this audience. A client
   that says true subscribes a person whom an operator has unsubscribed; with an override, one who
   left in person. Then that choice ends; contacts in other audiences stay as they are. If the
   audience wants a confirmation, the contact waits for it (consent/opt_in.h), unless there is an
   override. Takes one round trip, and more only for persons who have left or have to confirm. */
bool consent_create(struct service *service, struct store_contact *contact, bool said,
    const struct store_consent_act *act, const struct store_consent_override *override,
    GError **error);

/* A request to store a new contact (service/once.h) by the rules of consent_create. */
struct consent_contact_request {
	struct service_once request;
	struct store_contact *contact; /* owned */
	bool said;
	bool overrides;
	struct store_consent_override override; /* if overrides; borrows its texts and ids */
	struct store_consent_act act;		/* borrows, too */
	struct submit_sending *mail; /* owned: by which the person confirms; NULL: none */
};

/* Makes such a request, which owns contact. The caller frees it with service_once_free. */
struct consent_contact_request *consent_request(struct store_contact *contact, bool said,
    const struct store_consent_act *act, const struct store_consent_override *override);

/* Changes a contact as store_contact_change does, by the same rules; change->act is needed. A
   contact that only gets the address of a person who has left becomes unsubscribed. */
bool consent_change(struct service *service, const struct base_id *workspace,
    const struct base_id *audience, const struct base_id *id,
    const struct store_contact_change *change, const struct store_consent_override *override,
    GError **error);

#endif
