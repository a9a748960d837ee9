/* SPDX-License-Identifier: MIT */
/* Destinations: domains whose mail one provider receives count as one. gmail.com, outlook.com,
   yahoo.com and icloud.com each take in the provider's other domains, and every domain whose MX is
   the provider's. Any other domain is a destination of its own.

   The MX of a domain is looked up once in 24 hours. The results stand in a file that the processes
   of a machine share. */
#ifndef RELAY_DESTINATION_H
#define RELAY_DESTINATION_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct config_settings;

/* The domain of an address, in lower case. The caller owns it. */
char *relay_destination_domain(const char *address);

/* The destination that takes a domain in by its name alone; NULL: none. domain is in lower case.
   The result is constant. */
const char *relay_destination_by_name(const char *domain);

struct relay_destinations;

/* The lookups of a machine. The file is opened, and created if it is missing; without it every
   lookup is made anew. settings outlives the result, which the caller closes. */
struct relay_destinations *relay_destination_open(const struct config_settings *settings);
void relay_destination_close(struct relay_destinations *destinations);
DEFINE_AUTO(relay_destinations, relay_destination_close)

/* The destination of a domain, as far as it is known without a lookup: a constant, or domain
   itself. domain is in lower case. */
const char *relay_destination_known(struct relay_destinations *destinations, const char *domain);

/* Sets names_r[i] to the destination of domains[i]: a constant, or domains[i] itself. domains are
   in lower case. Those that are not known are looked up at the same time, for 2 seconds at most; a
   domain without an answer is a destination of its own for the next 24 hours, too. */
void relay_destination_find(struct relay_destinations *destinations, const char *const *domains,
    guint count, const char **names_r);

#endif
