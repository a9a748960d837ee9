/* SPDX-License-Identifier: MIT */
/* The email to the users of a workspace when a webhook was switched off. */
#ifndef WEBHOOK_NOTICE_H
#define WEBHOOK_NOTICE_H

#include <glib.h>
#include <stdbool.h>

struct service;
struct store_webhook_state;

/* Inside a transaction: stores an email from the workspace's default sender to each of its users,
   that this webhook was switched off since it only failed; none without a default sender.
   *trouble_r: why an email cannot be sent, for the log, NULL otherwise; the caller frees it. Errors
   of db/statement.h. */
bool webhook_notice(struct service *service, const struct store_webhook_state *webhook,
    GError **trouble_r, GError **error);

#endif
