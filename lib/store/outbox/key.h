/* SPDX-License-Identifier: MIT */
/* How statements find outbox entries: the primary key is email and id. Until "posthouse schema
   migrate --finish" it is the id alone, beside a key of the email. So statements name both, several
   entries as (email_id, id) IN (DB_PAIRS_…), of which the server makes ranges of either key. */
#ifndef STORE_OUTBOX_KEY_H
#define STORE_OUTBOX_KEY_H

/* Behind the table, where entries are found by their email: leaves the key that begins with it. */
#define STORE_OUTBOX_OF_EMAIL "IGNORE INDEX (due, turn)"

#endif
