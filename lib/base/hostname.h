/* SPDX-License-Identifier: MIT */
#ifndef BASE_HOSTNAME_H
#define BASE_HOSTNAME_H

#include <glib.h>
#include <stdbool.h>

/* The A-label form in lower case of a domain name in any script (IDNA; RFC 5890), without a final
   dot. At most 253 characters, labels of letters, digits and inner hyphens of at most 63, at least
   two labels, the last no number. The caller owns the result; NULL when it is no such name: an IP
   address, say, or an A-label that is not what its own characters give. */
char *base_hostname_ascii(const char *name);

/* Public suffix list: the registrable domain of an A-label name ("example.co.uk" of
   "a.b.example.co.uk"), pointing into name; NULL when name is itself a public suffix. A top-level
   domain that the list does not know is one. */
const char *base_hostname_registrable(const char *name);

/* Whether a resolver takes name for that of a host: ASCII, one label or more, underscores too (the
   names of containers have them), the last label no number, no final dot. */
bool base_hostname_is_host(const char *name);

#endif
