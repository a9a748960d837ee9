/* SPDX-License-Identifier: MIT */
/* The recipients of the emails of a page. Errors that a function does not name are those of
   db/statement.h. */
#ifndef STORE_EMAIL_RECIPIENTS_H
#define STORE_EMAIL_RECIPIENTS_H

#include <glib.h>
#include <stdbool.h>

struct db;

/* Compares two elements of an array of struct store_email by their ids, the newest first. */
int store_email_newest_first(const void *a, const void *b);

/* Reads the recipients, and the last event, of emails that are in this order. */
bool store_email_read_recipients(struct db *db, GPtrArray *emails, GError **error);

#endif
