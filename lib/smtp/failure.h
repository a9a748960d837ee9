/* SPDX-License-Identifier: MIT */
/* Why a session could not be had, in a sentence for whoever looks after the relay. */
#ifndef SMTP_FAILURE_H
#define SMTP_FAILURE_H

#include <glib.h>

#include "smtp/connect.h"
#include "smtp/dialogue.h"
#include "smtp/relay.h"

/* After a session that came to nothing. library is smtp_errno's. */
void smtp_failure_set(const struct smtp_relay *relay, const struct smtp_dialogue *dialogue,
    const struct smtp_wire *wire, int library, GError **error);

/* The relay's reply to the first MAIL was that it wants AUTH or TLS (530, 535, 538). */
void smtp_failure_unwanted(
    const struct smtp_relay *relay, int code, const char *text, GError **error);

#endif
