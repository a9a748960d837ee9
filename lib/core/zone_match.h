/* SPDX-License-Identifier: MIT */
/* Compares DNS answers with the records that a sending domain needs. Uses no clock. */
#ifndef CORE_ZONE_MATCH_H
#define CORE_ZONE_MATCH_H

#include <glib.h>
#include <stdbool.h>

#include "core/zone.h"

struct dns_question;

/* Compares an answer with a record by meaning, as a receiving server reads it:
   DKIM (RFC 6376 section 3.6.1): one of the texts has our key. Tags may come in any order, with any
   white space, and v and k may be left out. A text that forbids our use (other hashes, other
   services) is wrong.
   MX: our host is among the most preferred.
   SPF: there is one SPF record among the texts, and it allows all that ours allows.
   DMARC (RFC 7489 section 6.6.3): there is one policy, of any content.
   *found_r is the answer, a line for each relevant record, at most ZONE_FOUND_MAX bytes; NULL for
   none. The caller owns it. */
#define ZONE_FOUND_MAX 4096
enum core_zone_state core_zone_match(
    const struct core_zone_record *record, const struct dns_question *answered, char **found_r);

/* Whether text is an SPF record at all (RFC 7208 section 4.5). */
bool core_zone_is_spf(const char *text);

/* Whether the SPF record text of name allows all that our record allows: each of our mechanisms
   stands in front of its "all", or, for an address, a network that contains it. */
bool core_zone_spf_allows(const char *text, const char *ours, const char *name);

#endif
