/* SPDX-License-Identifier: MIT */
#include "tests/support/deliveries.h"

#include <criterion/criterion.h>

#include "base/clock.h"
#include "tests/support/db.h"

static const char delivery_sql[] =
    "INSERT INTO webhook_delivery (workspace_id, webhook_id, id, event_id, type, created, status,"
    " attempts, next_attempt) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
static const char attempt_sql[] =
    "INSERT INTO webhook_attempt (workspace_id, webhook_id, delivery_id, number, timestamp,"
    " response_status, duration, response_body) VALUES (?, ?, ?, ?, ?, 500, ?, ?)";

/* An id of that time, greater than those made before for that time. */
static struct base_id
id_at(gint64 time)
{
	static guint number;
	struct base_id id = base_id_at(time);

	number++;
	id.bytes[6] = (guint8)(0x70 | number >> 8);
	id.bytes[7] = (guint8)number;
	return id;
}

static void
deliveries_complete(struct test_delivery *delivery)
{
	static const struct base_id none;

	if (base_id_equal(&delivery->id, &none))
		delivery->id = delivery->created ? id_at(delivery->created) : base_id_new();
	if (base_id_equal(&delivery->event, &none))
		delivery->event = base_id_new();
	if (!delivery->type)
		delivery->type = WEBHOOK_EMAIL_SENT;
	if (!delivery->status)
		delivery->status = DELIVERY_PENDING;
	if (!delivery->created)
		delivery->created = base_clock_now();
}

static void
store_attempt(struct db *db, const struct base_id *workspace, const struct test_delivery *delivery,
    guint number)
{
	g_autofree char *body = g_strdup_printf("no %u", number);

	cr_assert(db_run(db, attempt_sql,
	    DB_VALUES(db_id(workspace), db_id(&delivery->webhook), db_id(&delivery->id),
		db_int(number), db_int(delivery->created + 1000 * number), db_int(number),
		db_text(body)),
	    NULL, NULL));
}

void
test_delivery_store(struct db *db, const struct base_id *workspace, struct test_delivery *delivery)
{
	deliveries_complete(delivery);
	cr_assert(db_run(db, delivery_sql,
	    DB_VALUES(db_id(workspace), db_id(&delivery->webhook), db_id(&delivery->id),
		db_id(&delivery->event), db_int(delivery->type), db_int(delivery->created),
		db_int(delivery->status), db_int(MIN(delivery->attempts, 11)),
		db_int_or_null(delivery->next_attempt)),
	    NULL, NULL));
	for (guint i = 1; i <= delivery->attempts; i++)
		store_attempt(db, workspace, delivery, i);
}
