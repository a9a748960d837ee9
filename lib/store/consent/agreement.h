/* SPDX-License-Identifier: MIT */
/* The reason that people have given to be mailed by broadcasts to segments. It stands in the row of
   the person, and is changed in the transaction that changes a membership or a choice, so that
   people are counted without a look at their memberships:
   1. A membership that becomes subscribed is a reason, and a yes of an operator is one.
   2. A membership that becomes unsubscribed, or is made so, ends it, unless another one is
      subscribed: the person has left everything.
   3. A membership that is removed leaves the reason as it is. But where only memberships are left
      that are unsubscribed, a reason that was given by a membership ends with it.
   4. Nothing else changes it: no event, and no membership that waits to be confirmed.
   All calls run inside a transaction, after the memberships are written, and are deferred. */
#ifndef STORE_CONSENT_AGREEMENT_H
#define STORE_CONSENT_AGREEMENT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "db/value.h"

struct db;

/* Stored as number. */
enum store_agreement {
	AGREEMENT_NONE = 0,
	AGREEMENT_JOINED = 1, /* by a membership that is subscribed, or was when it was removed */
	AGREEMENT_SAID = 2,   /* an operator has said so since a membership was unsubscribed */
};

/* The person has given this reason now; a greater one stays. Nothing where there is no person. */
bool store_agreement_give(struct db *db, const struct base_id *workspace, const char *address,
    enum store_agreement agreement, GError **error);

/* Memberships of these people, each once, were unsubscribed, or were made so. */
bool store_agreement_leave(struct db *db, const struct base_id *workspace,
    const char *const *addresses, guint count, GError **error);

/* Subscribed memberships of these people were removed. */
bool store_agreement_part(struct db *db, const struct base_id *workspace,
    const char *const *addresses, guint count, GError **error);

/* For statements of lib/store: store_agreement_leave for one person. */
#define AGREEMENT_LEAVE_VALUES 4
#define AGREEMENT_IS_MEMBER                                                                        \
	"EXISTS (SELECT 1 FROM audience a FORCE INDEX (workspace) STRAIGHT_JOIN contact c"         \
	" ON c.audience_id = a.id AND c.address = ? WHERE a.workspace_id = ?"                      \
	" AND c.is_subscribed = 1 LOCK IN SHARE MODE)"
#define AGREEMENT_LEAVE                                                                            \
	"UPDATE person FORCE INDEX (address) SET agreed = " AGREEMENT_IS_MEMBER                    \
	" WHERE workspace_id = ? AND address = ? AND (agreed > 0 OR agreed IS NULL)"
void store_agreement_ask_leave(const struct base_id *workspace, const char *address,
    struct db_value values_r[AGREEMENT_LEAVE_VALUES]);

/* For statements of lib/store that store a person and update one who exists: the column then. */
#define AGREEMENT_UPDATE                                                                           \
	"person.agreed = IF(VALUES(agreed) > 0,"                                                   \
	" GREATEST(COALESCE(person.agreed, 0), VALUES(agreed)), person.agreed)"

#endif
