/* SPDX-License-Identifier: MIT */
/* Removes what webhooks got, or are to get, about a person who is erased. All calls run inside a
   transaction. */
#ifndef STORE_WEBHOOK_ERASE_H
#define STORE_WEBHOOK_ERASE_H

#include <glib.h>
#include <stdbool.h>

struct base_id;
struct db;

/* The events about a person's contacts and executions, with their deliveries and attempts. The
   address is in the form in which addresses are compared. */
bool store_webhook_erase_person(
    struct db *db, const struct base_id *workspace, const char *address, GError **error);

/* The events of an email, with their deliveries and attempts; before its rows are removed. */
bool store_webhook_erase_email(
    struct db *db, const struct base_id *workspace, const struct base_id *email, GError **error);

/* Those of one recipient of an email; of the email's other deliveries, removes the answers, which
   may repeat the payload. Before the recipient's rows are removed. */
bool store_webhook_erase_recipient(struct db *db, const struct base_id *workspace,
    const struct base_id *email, const char *address, GError **error);

#endif
