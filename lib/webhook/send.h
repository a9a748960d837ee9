/* SPDX-License-Identifier: MIT */
/* Tells webhooks the deliveries that are due, in a thread of its own, so that slow receivers delay
   nothing else. */
#ifndef WEBHOOK_SEND_H
#define WEBHOOK_SEND_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "delivery/delivery.h"
#include "webhook/step_requests.h"

struct base_id;
struct config_settings;
struct service;

struct webhook_sender;

/* Starts the thread, with resources of its own. log is called, in that thread, for what goes wrong;
   pace, likewise, tells when to end; move, as in webhook_step_requests_new. All outlive the sender.
 */
struct webhook_sender *webhook_sender_start(const struct config_settings *settings,
    enum delivery_pace (*pace)(const void *context), const void *context,
    void (*log)(const char *text), webhook_step_move move);

/* Waits until every attempt that is due now is made and recorded. *worked_r: some were made since
   the last call. False when that cannot be, since the database is in trouble or pace said to end.
 */
bool webhook_sender_settle(struct webhook_sender *sender, bool *worked_r);

/* Begins no more attempts, waits for those under way, for as long as pace allows, and ends the
   thread. */
void webhook_sender_stop(struct webhook_sender *sender);

/* Tells a webhook webhook.test: makes the delivery and its one attempt, now. The attempt may fail;
   its result is the delivery's. NOT_FOUND without such a webhook; errors of db/transaction.h. */
bool webhook_test(struct service *service, const struct base_id *workspace,
    const struct base_id *webhook, struct base_id *delivery_r, GError **error);

#endif
