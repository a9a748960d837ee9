/* SPDX-License-Identifier: MIT */
#ifndef CORE_ATTEMPT_H
#define CORE_ATTEMPT_H

struct core;
struct core_message;
struct core_relay_refusal;

/* Tells the log and the metrics of the attempts to deliver a message whose outcomes are recorded: a
   line for each recipient that the relay was asked about. */
void core_attempt_tell(struct core *core, const struct core_message *message);

/* Tells the log and the metrics that a relay took no session, and why. Any thread may call it. */
void core_attempt_refused(const char *relay, const struct core_relay_refusal *refusal);

#endif
