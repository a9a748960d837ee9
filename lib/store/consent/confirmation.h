/* SPDX-License-Identifier: MIT */
/* Mails that ask people to confirm a membership. The id of a confirmation is the secret part of the
   link in its mail (consent/opt_in.h). Errors that a function does not name are those of
   db/statement.h. */
#ifndef STORE_CONSENT_CONFIRMATION_H
#define STORE_CONSENT_CONFIRMATION_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

struct store_confirmation {
	struct base_id id, workspace_id, audience_id, contact_id;
	bool has_form; /* the person used a form, */
	struct base_id form_id;
	char *address;	/* of the person, in the form in which addresses are compared */
	char *given;	/* JSON object: names, properties and topics that wait with it */
	gint64 created; /* epoch ms */
	gint64 resent;	/* epoch ms; 0: it was not sent again */
	gint64 used;	/* epoch ms; 0: it was not confirmed */
};

void store_confirmation_free(struct store_confirmation *confirmation);
DEFINE_AUTO(store_confirmation, store_confirmation_free)

/* Inside a transaction, deferred. The caller sets all but resent and used. */
bool store_confirmation_insert(
    struct db *db, const struct store_confirmation *confirmation, GError **error);

/* Finds the confirmation with this id; lock: inside a transaction, until which ends it is locked.
   NOT_FOUND. The caller frees it. */
struct store_confirmation *store_confirmation_get(
    struct db *db, const struct base_id *id, bool lock, GError **error);

/* Inside a transaction: the newest confirmation of a contact, locked; *confirmation_r is NULL when
   there is none. The caller frees it. */
bool store_confirmation_of_contact(struct db *db, const struct base_id *workspace,
    const struct base_id *contact, struct store_confirmation **confirmation_r, GError **error);

/* Inside a transaction: a contact that waits has another address now, where nobody has got a link.
   Those that were sent are void; its next one is new. */
bool store_confirmation_move(struct db *db, const struct base_id *workspace,
    const struct base_id *contact, const char *address, GError **error);

/* Inside a transaction: stores resent and used. */
bool store_confirmation_mark(
    struct db *db, const struct store_confirmation *confirmation, GError **error);

/* Inside a transaction: removes the confirmations of a person. */
bool store_confirmation_erase(
    struct db *db, const struct base_id *workspace, const char *address, GError **error);

/* Removes a batch of confirmations that were made before a time (epoch ms), and memberships that
   have waited for them in vain. *count_r: of confirmations. */
bool store_confirmation_sweep(struct db *db, gint64 before, guint *count_r, GError **error);

#endif
