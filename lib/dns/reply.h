/* SPDX-License-Identifier: MIT */
#ifndef DNS_REPLY_H
#define DNS_REPLY_H

#include <glib.h>
#include <stdbool.h>

#include "dns/question.h"

/* The code of a type in a message (RFC 1035 section 3.2.2). */
int dns_reply_code(enum dns_type type);

/* Reads a reply to a question that was asked for name: for the question's own, or for an alias that
   it led to. True: the question has its outcome and answers. Aliases (CNAME) that the reply follows
   itself are followed; where they end and the reply says no more, *alias_r is the name to be asked
   for next, which the caller owns, and the outcome is left as it was. The SOA of a name inside a
   zone is that of the zone, which negative replies carry (RFC 2308). False for a message that is
   malformed or refuses to answer. Names are compared without case; *alias_r is NULL otherwise. */
bool dns_reply_read(const guint8 *message, gsize size, const char *name,
    struct dns_question *question, char **alias_r);

#endif
