/* SPDX-License-Identifier: MIT */
/* The rules by which mailings leave: the hours of each person, and caps. */
#ifndef DELIVERY_SENDING_H
#define DELIVERY_SENDING_H

#include <glib.h>
#include <stdbool.h>

struct service;
struct store_outbox_claim;

/* Takes recipients out of messages that were just claimed, and into message->back, as far as the
   hours of their persons are over, or a cap has no place for them. Takes places for the others.
   Costs no statement where nobody has set a rule. If the database fails, the error is the fault of
   the messages concerned. */
void delivery_sending_hold(
    struct service *service, const struct store_outbox_claim *claim, GPtrArray *messages);

#endif
