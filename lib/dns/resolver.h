/* SPDX-License-Identifier: MIT */
/* Many DNS questions, asked at the same time with c-ares. */
#ifndef DNS_RESOLVER_H
#define DNS_RESOLVER_H

#include <glib.h>
#include <stdbool.h>

#include "dns/question.h"

/* Asks all questions at the same time and sets their outcomes. servers is a NULL-terminated list of
   "address:port", with IPv6 addresses in brackets; an empty list means the system's servers. Each
   question goes to one server after the other until one answers. No search list is used. A
   truncated answer is asked for again by TCP; up to 8 aliases are followed if the server does not
   follow them. A question without an answer after limit_ms stays DNS_NO_ANSWER. FAILED, without
   asking, when the resolver cannot be set up. */
bool dns_ask(const char *const *servers, struct dns_question *const *questions, guint count,
    guint limit_ms, GError **error);

#endif
