/* SPDX-License-Identifier: MIT */
/* The record of what was decided about people's consent. */
#ifndef STORE_CONSENT_H
#define STORE_CONSENT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct db;

/* Stored as number. */
enum store_consent_kind {
	CONSENT_LEFT = 1,     /* the person unsubscribed */
	CONSENT_RETURNED = 2, /* the person took that back */
	CONSENT_OVERRIDE = 3, /* a user or an operator went against it */
};

/* All borrowed; NULL where there is none. */
struct store_consent {
	enum store_consent_kind kind;
	const struct base_id *user, *key;
	const char *reason;
	const struct base_id *contact, *email;
};

/* Inside a transaction: records a decision of now. person: an address in the form in which
   addresses are compared. */
bool store_consent_record(struct db *db, const struct base_id *workspace, const char *person,
    const struct store_consent *consent, GError **error);

/* Inside a transaction: removes what was recorded of a person. */
bool store_consent_erase(
    struct db *db, const struct base_id *workspace, const char *person, GError **error);

#endif
