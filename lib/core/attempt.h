/* SPDX-License-Identifier: MIT */
#ifndef CORE_ATTEMPT_H
#define CORE_ATTEMPT_H

#include <glib.h>

struct config_relay;
struct core;
struct core_destinations;
struct core_message;
struct core_relay_refusal;

/* Tells the log and the metrics of the attempts to deliver a message whose outcomes are recorded: a
   line for each recipient that the relay was asked about. Of test addresses, the log alone is told.
   destinations may be NULL for a message that no relay was asked about. */
void core_attempt_tell(
    struct core *core, struct core_destinations *destinations, const struct core_message *message);

/* Tells the metrics when the certificate ends that a relay has shown, epoch ms; 0: it showed none.
   Any thread may call it. */
void core_attempt_certificate(const struct config_relay *relay, gint64 end);

/* Tells the log and the metrics that a relay took no session, at which stage (smtp/session.h), and
   why. Any thread may call it. */
void core_attempt_refused(
    const struct config_relay *relay, const char *stage, const struct core_relay_refusal *refusal);

#endif
