/* SPDX-License-Identifier: MIT */
/* The one thing that two threads share: whether the session may go on, and whether it may still be
   stopped. */
#ifndef SMTP_GATE_H
#define SMTP_GATE_H

#include <glib.h>
#include <stdbool.h>

struct smtp_gate {
	GMutex lock;
	bool shut;
	bool dot; /* a final dot's reply is awaited */
	int wake; /* an eventfd, readable once the gate was shut while no dot was out */
};

void smtp_gate_init(struct smtp_gate *gate);
void smtp_gate_clear(struct smtp_gate *gate);

/* From any thread. False when a dot is out: then nobody is woken, and the gate is shut behind it.
 */
bool smtp_gate_shut(struct smtp_gate *gate);
bool smtp_gate_is_shut(struct smtp_gate *gate);

/* For the session's thread: a dot goes out, which is false when the gate is shut; its reply is in,
   or will not come. */
bool smtp_gate_pass(struct smtp_gate *gate);
void smtp_gate_passed(struct smtp_gate *gate);

#endif
