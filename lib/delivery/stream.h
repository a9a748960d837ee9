/* SPDX-License-Identifier: MIT */
/* Streams that are paused, or have a pace: which messages of a claim leave, and which wait. */
#ifndef DELIVERY_STREAM_H
#define DELIVERY_STREAM_H

#include <glib.h>

struct service;
struct store_outbox_claim;

/* Counts the recipients of claimed messages that were just read in the hour of their stream. A
   message whose stream is paused, or has none left for it, is given back to the outbox and taken
   out of messages, which frees it; one that has some left for it is held in part
   (delivery_message_hold). Does nothing for streams without pause and pace. If the database cannot
   be asked, the error is the fault of the messages concerned. */
void delivery_stream_hold(
    struct service *service, const struct store_outbox_claim *claim, GPtrArray *messages);

/* Gives back what was counted for recipients that were not tried, once the messages are recorded.
   It stays counted when that fails. */
void delivery_stream_return(struct service *service, const GPtrArray *messages);

#endif
