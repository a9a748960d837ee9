/* SPDX-License-Identifier: MIT */
/* The only state that two threads share: whether the session may go on, and whether it can be
   interrupted. Interrupting never falls between a final dot and its reply:
   1. The session's thread calls smtp_gate_pass before it sends the final dot.
   2. Another thread calls smtp_gate_shut. Before 1 it wakes the session, and 1 fails: no dot is
   sent. After 1 it returns false and wakes nobody: the session reads the reply first.
   3. The session's thread calls smtp_gate_passed after the reply, and begins no further message. */
#ifndef SMTP_GATE_H
#define SMTP_GATE_H

#include <glib.h>
#include <stdbool.h>

struct smtp_gate {
	GMutex lock;
	bool shut;
	bool late; /* it was shut since the caller has no more time for the relay */
	bool dot;  /* the reply to a final dot is awaited */
	int wake;  /* an eventfd; readable once the gate was shut while no such reply was awaited */
};

/* Makes an open gate. The caller clears it. */
void smtp_gate_init(struct smtp_gate *gate);
void smtp_gate_clear(struct smtp_gate *gate);

/* Shuts the gate, from any thread. late: the caller has no more time; else it ends for reasons of
   its own. False when the reply to a final dot is awaited: the session is
   not woken, and ends after that reply. */
bool smtp_gate_shut(struct smtp_gate *gate, bool late);
/* Whether smtp_gate_shut was called, from any thread. */
bool smtp_gate_is_shut(struct smtp_gate *gate);
/* Whether it was shut since the caller has no more time. */
bool smtp_gate_is_late(struct smtp_gate *gate);

/* For the session's thread. pass: before the final dot is sent; false when the gate is shut.
   passed: the reply has come, or will not come. */
bool smtp_gate_pass(struct smtp_gate *gate);
void smtp_gate_passed(struct smtp_gate *gate);

#endif
