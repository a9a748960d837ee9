/* SPDX-License-Identifier: MIT */
/* Whether what DNS answers is what a record has to say. Pure. */
#ifndef CORE_ZONE_MATCH_H
#define CORE_ZONE_MATCH_H

#include <glib.h>

#include "core/zone.h"

struct dns_question;

/* Compares by meaning, as whoever receives mail would read it:
   DKIM (RFC 6376 section 3.6.1): one of the texts has our key, tags in any order, white space as it
   may be, v and k where they may be left out; what forbids its use (other hashes, other services)
   is wrong.
   MX: our host is among the most preferred.
   SPF: the one SPF record among the texts allows what ours does.
   DMARC (RFC 7489 section 6.6.3): there is one policy, whichever.
   *found_r is what DNS says, a line for each record that counts, at most ZONE_FOUND_MAX bytes, NULL
   for nothing; the caller owns it. */
#define ZONE_FOUND_MAX 4096
enum core_zone_state core_zone_match(
    const struct core_zone_record *record, const struct dns_question *answered, char **found_r);

#endif
