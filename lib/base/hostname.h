#ifndef BASE_HOSTNAME_H
#define BASE_HOSTNAME_H

#include <glib.h>
#include <stdbool.h>

/* The A-label form in lower case of a domain name in any script (IDNA; RFC 5890), without a final
   dot. At most 253 characters, labels of letters, digits and inner hyphens of at most 63, at least
   two labels, the last not all digits. The caller owns the result; NULL when it is no such name. */
char *base_hostname_ascii(const char *name);

/* Public suffix list: the registrable domain of an A-label name ("example.co.uk" of
   "a.b.example.co.uk"), pointing into name; NULL when name is itself a public suffix. */
const char *base_hostname_registrable(const char *name);

#endif
