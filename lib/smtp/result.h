/* SPDX-License-Identifier: MIT */
/* A relay's reply as the outcome for a recipient. */
#ifndef SMTP_RESULT_H
#define SMTP_RESULT_H

#include <glib.h>

#include "smtp/message.h"

/* 5xx is permanent, but for 503 (bad sequence of commands); all else that is no success is
   temporary. */
enum smtp_outcome smtp_result_of(int code);

/* One line of printable UTF-8 of at most SMTP_TEXT_BYTES. The caller owns it. */
char *smtp_result_text(const char *text);

/* A reply: text is its lines without the code, and may be NULL. An enhanced code at its beginning
   (RFC 2034) is taken out of it, of every line. */
void smtp_result_set(struct smtp_recipient *recipient, enum smtp_outcome outcome,
    enum smtp_stage stage, int code, const char *text);

/* Without a reply: our own words. enhanced may be "". */
void smtp_result_explain(struct smtp_recipient *recipient, enum smtp_outcome outcome,
    enum smtp_stage stage, const char *enhanced, const char *text);

#endif
