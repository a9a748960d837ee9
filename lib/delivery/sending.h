/* SPDX-License-Identifier: MIT */
/* The rules by which mailings leave: the hours of each person, and caps. */
#ifndef DELIVERY_SENDING_H
#define DELIVERY_SENDING_H

#include <glib.h>
#include <stdbool.h>

struct service;
struct store_outbox_claim;

/* A recipient that a rule keeps back, and why. */
struct delivery_sending_back {
	guint16 number;
	gint64 until; /* when it may leave, epoch ms; 0: it is skipped */
	char *why;
};

/* The recipients of a message that rules keep back. */
struct delivery_sending {
	GArray *back; /* struct delivery_sending_back */
};

void delivery_sending_free(struct delivery_sending *sending);

/* Takes recipients out of messages that were just claimed, and into message->sending, as far as the
   hours of their persons are over, or a cap has no place for them. Takes places for the others.
   Costs no statement where nobody has set a rule. If the database fails, the error is the fault of
   the messages concerned. */
void delivery_sending_hold(
    struct service *service, const struct store_outbox_claim *claim, GPtrArray *messages);

#endif
