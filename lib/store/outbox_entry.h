/* SPDX-License-Identifier: MIT */
#ifndef STORE_OUTBOX_ENTRY_H
#define STORE_OUTBOX_ENTRY_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/limits.h"
#include "db/value.h"

struct db_rows;

#define COPY_RECIPIENTS (3 * LIMIT_RECIPIENTS)

/* A row of the outbox: one copy of a message, with the recipients that it still has to reach. Times
 * are epoch ms. */
struct store_outbox_entry {
	struct base_id id;
	struct base_id workspace_id;
	struct base_id email_id;
	guint16 recipients[COPY_RECIPIENTS]; /* their numbers in the email */
	guint count;
	guint attempts;	 /* made so far, by whichever process */
	guint deaths;	 /* of processes that composed it, which are among the attempts */
	gint64 since;	 /* acceptance or scheduled time: the retry schedule counts from it */
	gint64 delayed;	 /* time of the last delayed event, 0 = none */
	gint64 ready_at; /* when it was due; read by store_outbox_claim alone */
	bool lost; /* its claim was another process's, which let the lease end: it may have been
		      sent */
};

/* For the files of the outbox: its recipients as a row keeps them, two bytes, big-endian, for each
   number. */
struct store_packed {
	guint8 bytes[2 * COPY_RECIPIENTS];
};

/* The value lives in packed_r. */
struct db_value store_outbox_entry_pack(
    const struct store_outbox_entry *copy, struct store_packed *packed_r);

/* The columns of a statement that gives copies, from the first on, and what they say. */
#define COPY_COLUMNS "id, workspace_id, email_id, recipients, attempts, since, delayed_at, deaths"
#define COPY_COLUMN_COUNT 8
void store_outbox_entry_read(const struct db_rows *rows, struct store_outbox_entry *copy_r);

#endif
