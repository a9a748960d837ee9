/* SPDX-License-Identifier: MIT */
/* Removes the deliveries of events about a person. They are found by their primary key: their ids
   follow from those of the events and of the webhooks. */
#include "store/webhook/erase.h"

#include "db/statement.h"
#include "store/webhook/enqueue.h"

/* The deliveries of events v, and their attempts a. */
#define DELIVERIES                                                                                 \
	" STRAIGHT_JOIN webhook w FORCE INDEX (workspace) ON w.workspace_id = v.workspace_id"      \
	" STRAIGHT_JOIN webhook_delivery d FORCE INDEX (PRIMARY) ON d.webhook_id = w.id"           \
	" AND d.id = " WEBHOOK_DELIVERY_ID("v.id", "w.id")
#define ATTEMPTS                                                                                   \
	" LEFT JOIN webhook_attempt a ON a.webhook_id = d.webhook_id AND a.delivery_id = d.id"
#define REMOVE "DELETE d, a FROM "

#define ABOUT "webhook_event v FORCE INDEX (about)"
#define IS_ABOUT " WHERE v.workspace_id = ? AND v.about = ?"
#define OF_EMAIL "event v FORCE INDEX (PRIMARY)"
#define IS_OF_EMAIL " WHERE v.workspace_id = ? AND v.email_id = ?"
#define OF_RECIPIENT                                                                               \
	"recipient r FORCE INDEX (PRIMARY) STRAIGHT_JOIN event v FORCE INDEX (PRIMARY)"            \
	" ON v.email_id = r.email_id AND v.recipient = r.number"
#define IS_OF_RECIPIENT " WHERE r.workspace_id = ? AND r.email_id = ? AND r.address = ?"
#define BLANK(events, where)                                                                       \
	"UPDATE " events DELIVERIES                                                                \
	" JOIN webhook_attempt a ON a.webhook_id = d.webhook_id AND a.delivery_id = d.id"          \
	" SET a.response_body = ''" where

enum { TOLD, EVENTS, EMAIL, RECIPIENT, BLANK_TOLD, BLANK_EMAIL };
static const char *const sql[] = {
    [TOLD] = REMOVE ABOUT DELIVERIES ATTEMPTS IS_ABOUT,
    [EVENTS] = "DELETE FROM webhook_event WHERE workspace_id = ? AND about = ?",
    [EMAIL] = REMOVE OF_EMAIL DELIVERIES ATTEMPTS IS_OF_EMAIL,
    [RECIPIENT] = REMOVE OF_RECIPIENT DELIVERIES ATTEMPTS IS_OF_RECIPIENT,
    [BLANK_TOLD] = BLANK(ABOUT, IS_ABOUT),
    [BLANK_EMAIL] = BLANK(OF_EMAIL, IS_OF_EMAIL),
};

bool
store_webhook_erase_person(
    struct db *db, const struct base_id *workspace, const char *address, GError **error)
{
	const struct db_value values[] = {db_id(workspace), db_text(address)};

	return db_run(db, sql[TOLD], values, 2, NULL, error) &&
	       db_run(db, sql[EVENTS], values, 2, NULL, error);
}

bool
store_webhook_erase_email(
    struct db *db, const struct base_id *workspace, const struct base_id *email, GError **error)
{
	const struct db_value values[] = {db_id(workspace), db_id(email)};

	return db_run(db, sql[EMAIL], values, 2, NULL, error) &&
	       db_run(db, sql[TOLD], values, 2, NULL, error) &&
	       db_run(db, sql[EVENTS], values, 2, NULL, error);
}

bool
store_webhook_erase_recipient(struct db *db, const struct base_id *workspace,
    const struct base_id *email, const char *address, GError **error)
{
	const struct db_value values[] = {db_id(workspace), db_id(email), db_text(address)};

	return db_run(db, sql[RECIPIENT], values, 3, NULL, error) &&
	       db_run(db, sql[BLANK_EMAIL], values, 2, NULL, error) &&
	       db_run(db, sql[BLANK_TOLD], values, 2, NULL, error);
}
