/* SPDX-License-Identifier: MIT */
/* SMTP sessions over libesmtp. */
#ifndef SMTP_SESSION_H
#define SMTP_SESSION_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "smtp/message.h"
#include "smtp/relay.h"

struct smtp_probe;

/* One SMTP session (RFC 5321) over libesmtp, for one thread. */
struct smtp_session;

/* Makes a session. relay, callbacks and context are borrowed and outlive it. The first session of a
   process sets XDG_CONFIG_DIR in the environment, so that libesmtp takes no keys from a home
   directory. The caller frees it. */
struct smtp_session *smtp_session_new(
    const struct smtp_relay *relay, const struct smtp_callbacks *callbacks, void *context);

void smtp_session_free(struct smtp_session *session);
DEFINE_AUTO(smtp_session, smtp_session_free)

/* Sends the messages in order; to be called once for a session. Afterwards every recipient has its
   outcome. The session goes on after a refused message; after a refused DATA command it has to
   connect again, since libesmtp cannot go on. After a 421 or a lost connection the remaining
   messages are SMTP_NOT_TRIED. An address that could do harm in a command is SMTP_PERMANENT and is
   not given to the relay; so is a message that libesmtp would change, or that breaks the rules of
   smtp_callbacks.

   False when the session could not be had, also when the first MAIL is answered 421 or by asking
   for TLS or AUTH. error is then a sentence that begins with the relay's name. Every message is
   then SMTP_NOT_TRIED, except those refused here. TEMPORARY when another attempt may succeed (no
   connection, 4xx, interrupted), FAILED when the operator has to act (settings, certificate, user
   refused, 5xx). */
bool smtp_session_run(
    struct smtp_session *session, struct smtp_message *messages, guint count, GError **error);

/* The enhanced status code of the error with which the run ended (RFC 3463), or "". */
const char *smtp_session_enhanced(const struct smtp_session *session);

/* The stage at which the relay refused the session (smtp_failure_stage). */
const char *smtp_session_stage(const struct smtp_session *session);

/* When the relay's certificate ends, epoch ms; also one that is not trusted. 0: it showed none. */
gint64 smtp_session_certificate_end(const struct smtp_session *session);

/* Interrupts the session; from any thread, also before and after the run. The session takes no
   further message. True: its connection, or the attempt to connect, ends now; only resolving the
   relay's name is not interrupted. False: the reply to a final dot is awaited, and the session ends
   after it. */
bool smtp_session_interrupt(struct smtp_session *session);

/* Interrupts the session as smtp_session_interrupt does, since there is no more time for the relay.
   A message whose MAIL, RCPT or DATA it has left without an answer for half a second or longer is
   then SMTP_TEMPORARY, as after a time limit of the session's own. */
bool smtp_session_give_up(struct smtp_session *session);

/* Asks a relay whether it would take mail, with a session of its own, and sends none: see
   smtp/probe.h. The findings of probe are empty. False when the session could not be had: the error
   is that of smtp_session_run. Clear the probe in both cases. */
bool smtp_session_probe(const struct smtp_relay *relay, struct smtp_probe *probe, GError **error);

#endif
