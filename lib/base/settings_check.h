/* SPDX-License-Identifier: MIT */
/* The forms that settings can have: each says whether entry is one. */
#ifndef BASE_SETTINGS_CHECK_H
#define BASE_SETTINGS_CHECK_H

#include <stdbool.h>

/* A host name of one label or more; no address. */
bool base_settings_check_name(char *entry);

/* What follows HELO (RFC 5321 section 4.1.1.1): a host name, or [address]. */
bool base_settings_check_helo(char *entry);

/* local@host, the local part letters, digits and a few signs: an address that needs no quotes. */
bool base_settings_check_mailbox(char *entry);

/* A host name or IPv4 address, :port may follow. */
bool base_settings_check_relay(char *entry);

/* A number from 1 to 65535. */
bool base_settings_check_port(char *entry);

/* A number from 0 to 1000. */
bool base_settings_check_limit(char *entry);

/* An absolute http or https URL without user, query and fragment; final slashes are cut off. */
bool base_settings_check_url(char *entry);

/* An SPF mechanism (RFC 7208 section 5) other than "all", since the record's end is not the
   operator's, and "ptr", which is not to be published. */
bool base_settings_check_spf(char *entry);

/* ADDRESS/PREFIX, IPv4 or IPv6. Bits behind the prefix may be set. */
bool base_settings_check_network(char *entry);

/* ADDRESS:PORT, IPv6 in brackets. */
bool base_settings_check_server(char *entry);

#endif
