/* SPDX-License-Identifier: MIT */
/* Domain names: checked, converted to ASCII, and cut to their registrable part. */
#ifndef TEXT_HOSTNAME_H
#define TEXT_HOSTNAME_H

#include <glib.h>
#include <stdbool.h>

/* Converts a domain name in any script to A-labels in lower case, without a final dot: UTS #46,
   non-transitional, with the rules for characters that need a context, such as joiners (IDNA 2008,
   RFC 5892 appendix A). A valid name has at most 253 characters and at least two labels; a label
   has at most 63 characters, which are letters, digits and inner hyphens; the last label is not a
   number. The caller owns the result. Returns NULL for all other text, such as an IP address, a
   name in which a joiner may not stand, or an A-label that differs from the encoding of its own
   Unicode form. */
char *text_hostname_ascii(const char *name);

/* The same for the host of a URL: one label may do, underscores may be in it, and it may be an IPv4
   address, in digits of any script. */
char *text_hostname_host(const char *name);

/* The registrable domain of an A-label name by the public suffix list: "example.co.uk" for
   "a.b.example.co.uk". The result points into name. NULL when name is itself a public suffix; a
   top-level domain that is not in the list counts as a public suffix. */
const char *text_hostname_registrable(const char *name);

/* Whether a resolver accepts name as a host name: ASCII, at least one label, no final dot, and the
   last label is not a number. Underscores are allowed, because container names have them. */
bool text_hostname_is_host(const char *name);

/* The origin of an https URL (RFC 6454; of an http one, too, if plain), as a
   Content-Security-Policy names it: scheme, host and port, and nothing else of the URL. A host in
   another script becomes A-labels. NULL when the URL has a user, or a host with anything but
   letters, digits, dots and inner hyphens (which an IPv6 address has). The caller owns it. */
char *text_hostname_origin(const char *url, bool plain);

#endif
