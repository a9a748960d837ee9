/* SPDX-License-Identifier: MIT */
/* Says in a sentence for the relay's operator why a session could not be had. */
#ifndef SMTP_FAILURE_H
#define SMTP_FAILURE_H

#include <glib.h>

#include "smtp/connect.h"
#include "smtp/dialogue.h"
#include "smtp/relay.h"

/* Sets the error of a session that could not be had. library: smtp_errno. TEMPORARY when another
   attempt may succeed, FAILED when the operator has to act. The password stands in no error. */
void smtp_failure_set(const struct smtp_relay *relay, const struct smtp_dialogue *dialogue,
    const struct smtp_wire *wire, int library, GError **error);

/* Sets the error of a relay that answered the first MAIL by asking for AUTH or TLS (530, 535, 538):
   FAILED. text: the reply without its code; may be NULL. */
void smtp_failure_unwanted(
    const struct smtp_relay *relay, int code, const char *text, GError **error);

#endif
