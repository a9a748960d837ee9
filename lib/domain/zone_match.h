/* SPDX-License-Identifier: MIT */
/* Compares DNS answers with the records that a sending domain needs. Uses no clock. */
#ifndef DOMAIN_ZONE_MATCH_H
#define DOMAIN_ZONE_MATCH_H

#include <glib.h>

#include "domain/zone.h"

struct dns_question;

/* Compares an answer with a record by meaning, as a receiving server reads it:
   DKIM (RFC 6376 section 3.6.1): there is one text, and it has our key. Tags may come in any order,
   with any white space, and v and k may be left out. A text that forbids our use (other hashes,
   other services), or says that the key is only tried out (t=y), is wrong.
   MX: our host is among the most preferred.
   SPF: there is one SPF record among the texts, and by itself it allows all that ours allows
   (domain_spf_judge tells more, with the records that it includes).
   DMARC: there is one policy, of any content (domain/dmarc.h).
   *found_r is the answer, a line for each relevant record, at most ZONE_FOUND_MAX bytes; NULL for
   none. The caller owns it. */
#define ZONE_FOUND_MAX 4096
enum domain_zone_state domain_zone_match(
    const struct domain_zone_record *record, const struct dns_question *answered, char **found_r);

#endif
