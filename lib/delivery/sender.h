/* SPDX-License-Identifier: MIT */
/* The thread of a delivery that sends messages to their relays, and to the next ones when one takes
   no session. All that the two threads of a delivery share is in this file. */
#ifndef DELIVERY_SENDER_H
#define DELIVERY_SENDER_H

#include <glib.h>
#include <stdbool.h>

struct service;
struct relay_destinations;
struct delivery_message;

struct delivery_sender;

/* Starts the thread. messages: all without fault; they outlive the sender, and until it has
   finished with a message only the sender writes to it. token: of the messages' claim. lease_end
   (on base_clock_boot): from then on no final dot is sent. The caller frees the sender once it is
   over. */
struct delivery_sender *delivery_sender_start(struct service *service, gint64 token,
    gint64 lease_end, struct delivery_message *const *messages, guint count);

/* The message to compose now: the one that the session waits for, or one of the next few. NULL when
   none is to be composed yet. It is one of those given to delivery_sender_start. */
struct delivery_message *delivery_sender_next(struct delivery_sender *sender);

/* Hands over the result of composing that message: its content, seven_bit of
   delivery_message_compose or NULL, or the fault. Takes all. */
void delivery_sender_give(struct delivery_sender *sender, struct delivery_message *message,
    GBytes *content, GBytes *seven_bit, GError *fault);

/* Waits up to wait_ms until a message is to be composed, or outcomes are known. Returns a message
   whose outcome is known; NULL: there is none yet, or, *over_r, the session is over, and the
   messages that were not returned were not tried. */
struct delivery_message *delivery_sender_take(
    struct delivery_sender *sender, gint64 wait_ms, bool *over_r);

/* Sets a later end after the claim was renewed. */
void delivery_sender_extend(struct delivery_sender *sender, gint64 lease_end);

/* Ends the session now, since there is no more time for the relay: a message that it has left
   without an answer is deferred. False when the reply to a final dot is awaited: the session then
   ends after that reply. */
bool delivery_sender_give_up(struct delivery_sender *sender);

/* The same, because the process has to leave: then no message is deferred, and no relay that the
   session did not get to say anything to rests. */
void delivery_sender_leave(struct delivery_sender *sender);

/* Ends the session after the message in hand. */
void delivery_sender_wind_up(struct delivery_sender *sender);

/* The lookups of destinations, which only relay_destination_known may be asked of; the sender owns
   them. */
struct relay_destinations *delivery_sender_destinations(const struct delivery_sender *sender);

/* Why the journal could not be written; to be called when it is over. From that moment on nothing
   was sent. NULL when it could. The sender owns the error. */
const GError *delivery_sender_journal_fault(const struct delivery_sender *sender);

/* To be called when it is over. */
void delivery_sender_free(struct delivery_sender *sender);

#endif
