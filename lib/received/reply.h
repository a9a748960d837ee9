/* SPDX-License-Identifier: MIT */
/* For this room: the email of ours that a mail answers, and the event "replied" of its recipient.
 */
#ifndef RECEIVED_REPLY_H
#define RECEIVED_REPLY_H

#include <glib.h>
#include <stdbool.h>

struct db;
struct received_mail;
struct service;

/* Finds the email that a mail answers: by the token of the address to which it came, else by
   In-Reply-To, else by the last of References. Sets answered, recipient and is_counted. Errors of
   db/statement.h. */
bool received_reply_find(struct service *service, struct received_mail *mail, GError **error);

/* Inside a transaction: records the event, at most LIMIT_RECEIVED_REPLIES of a recipient. */
bool received_reply_store(struct db *db, struct received_mail *mail, gint64 now, GError **error);

/* After the transaction: counts the event for the metrics. */
void received_reply_count(struct service *service, const struct received_mail *mail);

#endif
