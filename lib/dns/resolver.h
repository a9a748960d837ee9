/* SPDX-License-Identifier: MIT */
#ifndef DNS_RESOLVER_H
#define DNS_RESOLVER_H

#include <glib.h>
#include <stdbool.h>

#include "dns/question.h"

/* Asks all questions at once, each of servers (NULL-terminated, "address:port", IPv6 in brackets;
   none: those of the system) until one answers, and gives each its outcome. Names are taken as they
   are, no search list is added. A truncated answer is asked for again by TCP; an alias that a
   server leaves to others to follow is followed, up to 8 times. What has no answer after limit_ms
   stays DNS_NO_ANSWER. FAILED, and nothing is asked, when the resolver cannot be set up. */
bool dns_ask(const char *const *servers, struct dns_question *const *questions, guint count,
    guint limit_ms, GError **error);

#endif
