/* SPDX-License-Identifier: MIT */
/* [warmup] limits: how many recipients a new sending domain may reach on each of its first days. */
#ifndef DELIVERY_WARMUP_H
#define DELIVERY_WARMUP_H

#include <glib.h>

struct service;
struct store_outbox_claim;

/* Takes permission for the recipients of claimed messages that were just read, and holds those
   (delivery_message_hold) for whom there is none today. Does nothing without limits in the
   settings. If the database cannot be asked, the error is the fault of the messages concerned. */
void delivery_warmup_hold(
    struct service *service, const struct store_outbox_claim *claim, const GPtrArray *messages);

#endif
