/* SPDX-License-Identifier: MIT */
/* The thread of a delivery that sends messages to their relays, and to the next ones when one takes
   no session. All that the two threads of a delivery share is in this file. */
#ifndef CORE_SENDER_H
#define CORE_SENDER_H

#include <glib.h>
#include <stdbool.h>

struct core;
struct core_destinations;
struct core_message;

struct core_sender;

/* Starts the thread. messages: all without fault; they outlive the sender, and until it has
   finished with a message only the sender writes to it. token: of the messages' claim. lease_end
   (on base_clock_boot): from then on no final dot is sent. The caller frees the sender once it is
   over. */
struct core_sender *core_sender_start(struct core *core, gint64 token, gint64 lease_end,
    struct core_message *const *messages, guint count);

/* The message to compose now: the one that the session waits for, or one of the next few. NULL when
   none is to be composed yet. */
struct core_message *core_sender_next(struct core_sender *sender);

/* Hands over the result of composing that message: its content, seven_bit of core_message_compose
   or NULL, or the fault. Takes all. */
void core_sender_give(struct core_sender *sender, struct core_message *message, GBytes *content,
    GBytes *seven_bit, GError *fault);

/* Waits up to wait_ms until a message is to be composed, or outcomes are known. Returns a message
   whose outcome is known; NULL: there is none yet, or, *over_r, the session is over, and the
   messages that were not returned were not tried. */
struct core_message *core_sender_take(struct core_sender *sender, gint64 wait_ms, bool *over_r);

/* Sets a later end after the claim was renewed. */
void core_sender_extend(struct core_sender *sender, gint64 lease_end);

/* Ends the session now. False when the reply to a final dot is awaited: the session then ends after
   that reply. */
bool core_sender_interrupt(struct core_sender *sender);

/* The same, because the process has to leave: a relay that the session did not get to say anything
   to does not rest for it. */
void core_sender_leave(struct core_sender *sender);

/* Ends the session after the message in hand. */
void core_sender_wind_up(struct core_sender *sender);

/* The lookups of destinations, which only core_destination_known may be asked of; the sender owns
   them. */
struct core_destinations *core_sender_destinations(const struct core_sender *sender);

/* Why the journal could not be written; to be called when it is over. From that moment on nothing
   was sent. NULL when it could. The sender owns the error. */
const GError *core_sender_journal_fault(const struct core_sender *sender);

/* To be called when it is over. */
void core_sender_free(struct core_sender *sender);

#endif
