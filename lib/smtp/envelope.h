/* SPDX-License-Identifier: MIT */
/* What may be shown to a relay: libesmtp checks neither addresses nor messages. */
#ifndef SMTP_ENVELOPE_H
#define SMTP_ENVELOPE_H

#include <glib.h>
#include <stdbool.h>

/* A local part of ASCII letters, digits, dots and !#$%&'*+-/=?^_`{|}~ that does not begin with a
   hyphen, an @, a domain of letters, digits, hyphens and dots in A-label form; LIMIT_ADDRESS_BYTES,
   LIMIT_LOCAL_PART_BYTES. No quoted local part, no address literal. */
bool smtp_envelope_is_address(const char *address);

/* A domain name or an IPv4 address; also a name of one label. */
bool smtp_envelope_is_host(const char *host);

/* An address fits the 256 bytes that libesmtp has for the xtext of ORCPT and ENVID. */
bool smtp_envelope_fits_xtext(const char *text);

/* Why these bytes cannot be sent as they are, a constant; NULL when they can. */
const char *smtp_envelope_fault(GBytes *content);

#endif
