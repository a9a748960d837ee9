/* SPDX-License-Identifier: MIT */
#ifndef SMTP_SESSION_H
#define SMTP_SESSION_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "smtp/callbacks.h"
#include "smtp/message.h"
#include "smtp/relay.h"

/* One SMTP session over libesmtp, for one thread. relay, callbacks and their context stay the
   caller's and outlive it. The first one in a process sets XDG_CONFIG_DIR in the environment, so
   that libesmtp takes no keys from a home directory. */
struct smtp_session;

struct smtp_session *smtp_session_new(
    const struct smtp_relay *relay, const struct smtp_callbacks *callbacks, void *context);

void smtp_session_free(struct smtp_session *session);
DEFINE_AUTO(smtp_session, smtp_session_free)

/* Sends the messages in order, once in the life of a session; afterwards every recipient has its
   outcome, whatever happened. Goes on after a refused message (and connects again where libesmtp
   leaves no other way: after a refused DATA command). After a 421 or a lost connection the rest is
   SMTP_NOT_TRIED. An address that could do harm in a command is SMTP_PERMANENT without being
   shown to the relay; so is a message that libesmtp would change or that the rules above forbid.

   False when the session could not be had, and then every message is SMTP_NOT_TRIED (those apart
   that were refused here): TEMPORARY when another time may do (no connection, 4xx, interrupted),
   FAILED when the operator has to act (settings, certificate, user refused, 5xx). */
bool smtp_session_run(
    struct smtp_session *session, struct smtp_message *messages, guint count, GError **error);

/* From any thread, also before and after the run. The session takes no further message, and, if
   true, its connection is shut down now, connecting included; resolving the name is not, and ends
   in its own time. False when the reply to a final dot is awaited, which nothing disturbs: the
   session then ends after it. */
bool smtp_session_interrupt(struct smtp_session *session);

#endif
