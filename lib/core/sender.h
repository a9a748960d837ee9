/* SPDX-License-Identifier: MIT */
/* The session's side of a delivery: a thread that takes messages to a relay, and to the next ones
   where that cannot be had. What the two threads of a delivery share stands here alone. */
#ifndef CORE_SENDER_H
#define CORE_SENDER_H

#include <glib.h>
#include <stdbool.h>

struct core;
struct core_message;
struct core_relay_slot;

struct core_sender;

/* Starts it, in a slot, which is taken. parcels are without fault; they outlive it, and it alone
   writes into their messages until it is done with them. token is that of their claim, until
   lease_end (on base_clock_boot) the time after which nothing is sent. */
struct core_sender *core_sender_start(struct core *core, struct core_relay_slot *slot, gint64 token,
    gint64 lease_end, struct core_message *const *parcels, guint count);

/* The parcel that is to be composed now: when the session waits for it, or a few before. NULL when
   there is none to be. */
struct core_message *core_sender_next(struct core_sender *courier);

/* What came of that: its content, or why there is none. Takes both. */
void core_sender_give(
    struct core_sender *courier, struct core_message *parcel, GBytes *content, GError *fault);

/* A parcel whose outcome is known, waiting for one for wait_ms. NULL when there is none yet, or
 *over_r: the session is over, and those that have not come back were not tried. */
struct core_message *core_sender_take(struct core_sender *courier, gint64 wait_ms, bool *over_r);

/* The claim has been renewed. */
void core_sender_extend(struct core_sender *courier, gint64 lease_end);

/* Ends the session; false when a final dot's reply is awaited, after which it ends. */
bool core_sender_interrupt(struct core_sender *courier);

/* Begins no further message; the session ends after the one in hand. */
void core_sender_wind_up(struct core_sender *courier);

/* When it is over: why no session could be had. NULL when one was, and when we ended it ourselves.
 */
const GError *core_sender_fault(const struct core_sender *courier);

/* Why the journal could not be written, once it is over; NULL when it could. Nothing was sent from
 * there on. */
const GError *core_sender_journal_fault(const struct core_sender *courier);

/* When it is over. */
void core_sender_free(struct core_sender *courier);

#endif
