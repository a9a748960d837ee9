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

/* A reply as libesmtp read it: enhanced is its three numbers, of which the first is 0 when it saw
   none; then they are looked for at the beginning of text, which may be NULL. */
void smtp_result_set(struct smtp_recipient *recipient, enum smtp_outcome outcome,
    enum smtp_stage stage, int code, const int enhanced[3], const char *text);

/* Without a reply: our own words. enhanced may be "". */
void smtp_result_explain(struct smtp_recipient *recipient, enum smtp_outcome outcome,
    enum smtp_stage stage, const char *enhanced, const char *text);

#endif
