/* SPDX-License-Identifier: MIT */
/* Fetching files by URL, only from the public internet. */
#ifndef FETCH_FETCH_H
#define FETCH_FETCH_H

#include <glib.h>
#include <stdbool.h>

#include "fetch/address_policy.h"

/* Whether fetch_get accepts url: absolute, http or https, with a host, and at most LIMIT_URL_LENGTH
   characters of valid UTF-8 without spaces and control characters. A URL with a user or a password
   is refused, because it would be stored in the database and shown in error messages. */
bool fetch_url_valid(const char *url);

/* The result of fetch_url_check. */
enum fetch_fault {
	FETCH_URL_GOOD,
	FETCH_URL_MALFORMED, /* fetch_url_valid is false */
	FETCH_URL_PRIVATE,   /* the address is private or belongs to this machine */
	FETCH_URL_PORT,	     /* the port is not permitted */
};

/* Checks a URL before it is used, without DNS. An address as host, in any notation (127.1,
   0x7f000001,
   [::ffff:127.0.0.1]), is checked by fetch_address_policy_judge with its port; localhost and names
   below it count as 127.0.0.1 and ::1. The addresses of any other name are checked when a
   connection is made; here only its port is. *port_r is the port, or 0 if url is malformed. */
enum fetch_fault fetch_url_check(const char *url, const struct fetch_rules *rules, guint *port_r);

/* Fetches the file at url with GET: the body of an answer 200, unchanged, which the caller owns.
   Uses no credentials, cookies, proxies, caches or environment variables.

   Each connection goes to an address and port that fetch_address_policy_judge permits
   (fetch/address_policy.h). They are checked when the socket is opened, so a name cannot resolve to
   another address after the check. A name may resolve to an address in rules->allow; its port is
   then not checked, because the URL could just as well contain the address itself.

   Follows at most LIMIT_FETCH_REDIRECTS redirects under the same rules, also from https to http:
   the authenticated server names the new location, and no secret is sent.

   deadline, a time of base_clock_boot(), limits everything: name resolution, redirects and body.

   Errors: TOO_LARGE when the file has more than max_bytes; it is refused at once if the server
   announces its size. FAILED when an entry of rules->allow is not a network. INVALID for all other
   errors, with a phrase that completes "could not be fetched: ".

   The program must ignore SIGPIPE. Several threads may call this function at once. */
GBytes *fetch_get(const char *url, const struct fetch_rules *rules, gsize max_bytes,
    gint64 deadline, GError **error);

#endif
