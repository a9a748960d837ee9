/* SPDX-License-Identifier: MIT */
/* The log lines and metrics of attempts to deliver. */
#ifndef DELIVERY_ATTEMPT_LOG_H
#define DELIVERY_ATTEMPT_LOG_H

#include <glib.h>

struct config_relay;
struct service;
struct relay_destinations;
struct delivery_message;
struct relay_refusal;

/* Adds to the log and the metrics the attempts to deliver a message whose outcomes are recorded: a
   line for each recipient that the relay was asked about. Test addresses are in the log alone.
   destinations may be NULL for a message that no relay was asked about. */
void delivery_attempt_log_tell(struct service *service, struct relay_destinations *destinations,
    const struct delivery_message *message);

/* Tells the metrics when the certificate ends that a relay has shown, epoch ms; 0: it showed none.
   Any thread may call it. */
void delivery_attempt_log_certificate(const struct config_relay *relay, gint64 end);

/* Tells the log and the metrics that a relay took no session, at which stage (smtp/session.h), and
   why. Any thread may call it. */
void delivery_attempt_log_refused(
    const struct config_relay *relay, const char *stage, const struct relay_refusal *refusal);

#endif
