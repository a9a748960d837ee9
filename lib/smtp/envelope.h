/* SPDX-License-Identifier: MIT */
/* Checks host names and messages, since libesmtp checks neither. Addresses: text/mailbox.h. */
#ifndef SMTP_ENVELOPE_H
#define SMTP_ENVELOPE_H

#include <glib.h>
#include <stdbool.h>

/* Whether host is a domain name, of one label or more, or an IPv4 address. */
bool smtp_envelope_is_host(const char *host);

/* Whether text fits into the 256 bytes that libesmtp has for the xtext of ORCPT and ENVID. */
bool smtp_envelope_fits_xtext(const char *text);

/* Why a message cannot be sent unchanged, a constant; NULL: it can. is_raw: of smtp_message. */
const char *smtp_envelope_fault(GBytes *content, bool is_raw);

#endif
