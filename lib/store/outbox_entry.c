/* SPDX-License-Identifier: MIT */
/* A copy as a row of the outbox keeps it. */
#include "store/outbox_entry.h"

#include "db/rows.h"

struct db_value
store_outbox_entry_pack(const struct store_outbox_entry *copy, struct store_packed *packed_r)
{
	for (guint i = 0; i < copy->count; i++) {
		packed_r->bytes[2 * i] = (guint8)(copy->recipients[i] >> 8);
		packed_r->bytes[2 * i + 1] = (guint8)copy->recipients[i];
	}
	return db_bytes(packed_r->bytes, 2 * copy->count);
}

static void
unpack(const guint8 *bytes, gsize size, struct store_outbox_entry *copy)
{
	copy->count = MIN((guint)size / 2, COPY_RECIPIENTS);
	for (guint i = 0; i < copy->count; i++)
		copy->recipients[i] = (guint16)(bytes[2 * i] << 8 | bytes[2 * i + 1]);
}

void
store_outbox_entry_read(const struct db_rows *rows, struct store_outbox_entry *copy)
{
	gsize size;

	db_rows_id(rows, 0, &copy->id);
	db_rows_id(rows, 1, &copy->workspace_id);
	db_rows_id(rows, 2, &copy->email_id);
	const void *numbers = db_rows_bytes(rows, 3, &size);
	unpack(numbers, size, copy);
	copy->attempts = (guint)db_rows_int(rows, 4);
	copy->since = db_rows_int(rows, 5);
	copy->delayed = db_rows_int(rows, 6);
	copy->deaths = (guint)db_rows_int(rows, 7);
	copy->lost = false;
}
