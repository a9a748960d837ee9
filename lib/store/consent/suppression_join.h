/* SPDX-License-Identifier: MIT */
/* Suppressions as other statements and rows name them: their words, and a column that tells whether
   an address gets no mail. */
#ifndef STORE_CONSENT_SUPPRESSION_JOIN_H
#define STORE_CONSENT_SUPPRESSION_JOIN_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/secret.h"
#include "db/value.h"

/* Why an address gets no more mail. Stored as number. */
enum store_suppression_reason {
	SUPPRESSION_BOUNCED = 1,
	SUPPRESSION_COMPLAINED = 2,
	SUPPRESSION_UNSUBSCRIBED = 3,
	SUPPRESSION_MANUAL = 4,
};
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define SUPPRESSION_BOUNCED_SQL "1"
#define SUPPRESSION_COMPLAINED_SQL "2"
#define SUPPRESSION_UNSUBSCRIBED_SQL "3"

/* The mail that is suppressed. Stored as number; the wider scope has the smaller number. */
enum store_suppression_scope {
	SUPPRESSION_ALL = 1,
	SUPPRESSION_AUTOMATION = 2, /* mailings alone: see store_email_is_mailing */
};
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define SUPPRESSION_ALL_SQL "1"
#define SUPPRESSION_AUTOMATION_SQL "2"

/* The words of the API, NULL-terminated; the word of a number stands at that number less one. */
extern const char *const store_suppression_reasons[];
extern const char *const store_suppression_scopes[];

/* The word of the compatible form of webhooks for a reason. */
const char *store_suppression_origin(enum store_suppression_reason reason);

/* The keys under which an address is looked up: the address, and the hashes that erasing the
   person would have left (person/suppress.h makes them). */
struct store_suppression_key {
	const char *address;
	const guint8 (*hashes)[SHA256_SIZE];
	guint count;
};

/* Several people of a workspace. All borrowed. */
struct store_suppression_people {
	const struct base_id *workspace;
	const struct store_suppression_key *keys;
	guint count; /* of keys */
};

/* A column for statements that read something else: whether an address that has one hash gets no
   mail, by the joins that stand behind the statement's tables, or one of up to
   STORE_SUPPRESSION_TOGETHER such addresses. */
#define STORE_SUPPRESSION_TOGETHER 8
#define STORE_SUPPRESSION_JOINED "(sa.id IS NOT NULL OR sh.id IS NOT NULL)"
#define STORE_SUPPRESSION_JOINS                                                                    \
	" LEFT JOIN suppression sa ON sa.workspace_id = ? AND sa.address = ? AND sa.scope <= ?"    \
	" LEFT JOIN suppression sh ON sh.workspace_id = ? AND sh.hash = ? AND sh.scope <= ?"
#define STORE_SUPPRESSION_SOME                                                                     \
	"(EXISTS (SELECT 1 FROM suppression WHERE workspace_id = ? AND address IN (" DB_MARKS_8    \
	") AND scope <= ?) OR EXISTS (SELECT 1 FROM suppression WHERE workspace_id = ?"            \
	" AND hash IN (" DB_MARKS_8 ") AND scope <= ?))"
/* Its values, for one key or for some, which borrow from them; their number, at most
   STORE_SUPPRESSION_VALUES. */
#define STORE_SUPPRESSION_VALUES (2 * (STORE_SUPPRESSION_TOGETHER + 2))
guint store_suppression_values(const struct base_id *workspace,
    const struct store_suppression_key *keys, guint count, bool mailing, struct db_value *values_r);

#endif
