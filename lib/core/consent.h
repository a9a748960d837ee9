/* SPDX-License-Identifier: MIT */
/* Contacts of people who have unsubscribed in person (store/choice.h): nobody else subscribes them
   again, unless by an override. */
#ifndef CORE_CONSENT_H
#define CORE_CONSENT_H

#include <glib.h>
#include <stdbool.h>

#include "store/choice.h"
#include "store/contact.h"

struct core;

/* What a client gives for override: NULL and "false" are none, "true" is one without a reason, and
   all else is the reason, which override borrows. *given_r: override, or NULL. INVALID "override
   must be true or a reason of 1 to 500 characters". */
bool core_consent_read(const char *text, struct store_consent_override *override,
    const struct store_consent_override **given_r, GError **error);

/* Stores a new contact as store_contact_create does. said: the client says that it is subscribed,
   or is not; else it is, but not when the person has unsubscribed. CONFLICT as of
   store_choice_refuse when it says so against the person. With an override the contact is
   subscribed and the person's choice ends, in other audiences without more. In one round trip, but
   for those people. */
bool core_consent_create(struct core *core, struct store_contact *contact, bool said,
    const struct store_consent_override *override, GError **error);

/* Changes a contact as store_contact_change does, by the same rules. Where it only gets the address
   of somebody who has unsubscribed, it is unsubscribed. */
bool core_consent_change(struct core *core, const struct base_id *workspace,
    const struct base_id *audience, const struct base_id *id,
    const struct store_contact_change *change, const struct store_consent_override *override,
    GError **error);

#endif
