/* SPDX-License-Identifier: MIT */
/* The replies of DNS servers (RFC 1035 section 4), which are not trusted. */
#ifndef DNS_REPLY_H
#define DNS_REPLY_H

#include <glib.h>
#include <stdbool.h>

#include "dns/question.h"

/* The code of a record type in DNS messages (RFC 1035 section 3.2.2). */
int dns_reply_code(enum dns_type type);

/* Reads a reply to a query for name, which is the question's own name or an alias of it, and sets
   the question's outcome and answers. Follows the aliases (CNAME) inside the reply. If they end at
   a name without records in the reply, *alias_r is that name, to be asked for next, and the outcome
   stays unchanged; the caller owns *alias_r. Otherwise it is NULL. The SOA of a name inside a zone
   is that of the zone, which negative replies contain (RFC 2308). Names are compared without case.
   Returns false for a malformed message or a refusal. */
bool dns_reply_read(const guint8 *message, gsize size, const char *name,
    struct dns_question *question, char **alias_r);

#endif
