/* SPDX-License-Identifier: MIT */
/* Subscribes contacts. A person who unsubscribed in person (store/choice.h) is subscribed again
   only by an override. */
#ifndef CORE_CONSENT_H
#define CORE_CONSENT_H

#include <glib.h>
#include <stdbool.h>

#include "core/request.h"
#include "store/choice.h"
#include "store/contact.h"

struct core;

/* Reads the parameter "override" of a client. NULL and "false" mean no override, "true" an override
   without a reason; any other text is the reason, and override borrows it. *given_r is override, or
   NULL for none. INVALID "override must be true or a reason of 1 to 500 characters". */
bool core_consent_read(const char *text, struct store_consent_override *override,
    const struct store_consent_override **given_r, GError **error);

/* Stores a new contact as store_contact_create does. said: the client gave is_subscribed; without
   it a contact is subscribed, unless its person has unsubscribed. CONFLICT (store_choice_refuse)
   when the client wants to subscribe a person who has unsubscribed and gives no override. With an
   override the contact is subscribed and the person's choice ends; contacts in other audiences
   stay as they are. Takes one round trip, and more only for persons who have unsubscribed. */
bool core_consent_create(struct core *core, struct store_contact *contact, bool said,
    const struct store_consent_override *override, GError **error);

/* A request to store a new contact (core/request.h) by the rules of core_consent_create. */
struct core_contact_request {
	struct core_request request;
	struct store_contact *contact; /* owned */
	bool said;
	bool overrides;
	struct store_consent_override override; /* if overrides; borrows its texts and ids */
};

/* Makes such a request, which owns contact. The caller frees it with core_request_free. */
struct core_contact_request *core_consent_request(
    struct store_contact *contact, bool said, const struct store_consent_override *override);

/* Changes a contact as store_contact_change does, by the same rules. A contact that only gets the
   address of a person who has unsubscribed becomes unsubscribed. */
bool core_consent_change(struct core *core, const struct base_id *workspace,
    const struct base_id *audience, const struct base_id *id,
    const struct store_contact_change *change, const struct store_consent_override *override,
    GError **error);

#endif
