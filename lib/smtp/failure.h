/* SPDX-License-Identifier: MIT */
/* Says in a sentence for the relay's operator why a session could not be had. The sentence begins
   with the relay's name, and never holds its user, password or token. dialogue->enhanced becomes
   its enhanced status code. */
#ifndef SMTP_FAILURE_H
#define SMTP_FAILURE_H

#include <glib.h>

#include "smtp/connect.h"
#include "smtp/dialogue.h"
#include "smtp/relay.h"

/* Sets the error of a session that could not be had. library: smtp_errno. TEMPORARY when another
   attempt may succeed, FAILED when the operator has to act. */
void smtp_failure_set(const struct smtp_relay *relay, struct smtp_dialogue *dialogue,
    const struct smtp_wire *wire, int library, GError **error);

/* Sets the error of a relay that answered the first MAIL with 421, or by asking for AUTH or TLS
   (530, 535, 538). text: the reply without its code; may be NULL. */
void smtp_failure_unwanted(const struct smtp_relay *relay, struct smtp_dialogue *dialogue, int code,
    const char *text, GError **error);

/* Sets the error of a relay that refused a command (MAIL, RCPT) of a probe. text: as above. */
void smtp_failure_refused(const struct smtp_relay *relay, struct smtp_dialogue *dialogue,
    const char *command, int code, const char *text, GError **error);

/* Sets the error of TLS that failed, or cannot begin. reason: the end of the sentence. FAILED. */
void smtp_failure_tls(const struct smtp_relay *relay, struct smtp_dialogue *dialogue,
    const char *reason, GError **error);

/* The stage at which a session was refused, for the metrics: connect, greeting (also EHLO), tls,
   login, or other. */
const char *smtp_failure_stage(const struct smtp_dialogue *dialogue);

#endif
