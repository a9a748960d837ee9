/* SPDX-License-Identifier: MIT */
/* Checks addresses and messages, since libesmtp checks neither. */
#ifndef SMTP_ENVELOPE_H
#define SMTP_ENVELOPE_H

#include <glib.h>
#include <stdbool.h>

/* Whether an address can be sent: a local part of ASCII letters, digits, dots and
   !#$%&'*+-/=?^_`{|}~ that does not begin with a hyphen, an @, and a domain of letters, digits,
   hyphens and dots in A-label form, within LIMIT_ADDRESS_BYTES and LIMIT_LOCAL_PART_BYTES. A quoted
   local part and an address literal cannot. */
bool smtp_envelope_is_address(const char *address);

/* Whether host is a domain name, of one label or more, or an IPv4 address. */
bool smtp_envelope_is_host(const char *host);

/* Whether text fits into the 256 bytes that libesmtp has for the xtext of ORCPT and ENVID. */
bool smtp_envelope_fits_xtext(const char *text);

/* Why a message cannot be sent unchanged, a constant; NULL: it can. is_raw: of smtp_message. */
const char *smtp_envelope_fault(GBytes *content, bool is_raw);

#endif
