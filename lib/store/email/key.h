/* SPDX-License-Identifier: MIT */
/* How statements find emails: the primary key is workspace and id. Until "posthouse schema migrate
   --finish" it is the id alone, beside a key of both. */
#ifndef STORE_EMAIL_KEY_H
#define STORE_EMAIL_KEY_H

/* Behind the table, in a SELECT of emails of a workspace in the order of their ids: leaves one key
   that has this order. */
#define STORE_EMAIL_BY_TIME "IGNORE INDEX (sender)"

/* Emails e of which only the ids are known: each is found by the workspace of its first recipient.
   Emails without recipients, which are the models of broadcasts, are not found. */
#define STORE_EMAIL_FOUND                                                                          \
	"recipient k FORCE INDEX (PRIMARY) STRAIGHT_JOIN email e FORCE INDEX (PRIMARY)"            \
	" ON e.workspace_id = k.workspace_id AND e.id = k.email_id"
#define STORE_EMAIL_IN(ids) "k.email_id IN (" ids ") AND k.number = 0"

#endif
