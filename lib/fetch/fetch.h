/* SPDX-License-Identifier: MIT */
/* Files by URL, from the public internet and nowhere else. */
#ifndef FETCH_FETCH_H
#define FETCH_FETCH_H

#include <glib.h>
#include <stdbool.h>

#include "fetch/guard.h"

/* Whether url is one that fetch_get takes: absolute, http or https, with a host, at most
   LIMIT_URL_LENGTH characters of valid UTF-8 with no space or control character among them. One
   with a user or a password is refused: it would lie in our database, and in the error sentences.
 */
bool fetch_url_valid(const char *url);

enum fetch_fault {
	FETCH_URL_GOOD,
	FETCH_URL_MALFORMED, /* not fetch_url_valid */
	FETCH_URL_PRIVATE,   /* leads to an address that is private, or this machine's */
	FETCH_URL_PORT,	     /* uses a port that is not permitted */
};

/* What can be said of a URL before it is used, without DNS. A host that is an address, in whatever
   notation (127.1, 0x7f000001, [::ffff:127.0.0.1]), is judged by fetch_guard_judge with its port;
   localhost and what is below it are 127.0.0.1 and ::1. A name's addresses are known, and judged,
   when a connection is made; here its port has to be permitted, whatever they are. *port_r is the
   port, 0 where url is malformed. */
enum fetch_fault fetch_url_check(const char *url, const struct fetch_rules *rules, guint *port_r);

/* The file at url: the body of an answer 200 to a GET, as the server has it; the caller owns it. No
   credentials, cookies, proxies or caches take part, and no environment variable.

   Each connection goes to an address and port that fetch_guard_judge permits (fetch/guard.h),
   checked when the socket for it is opened, so a name that resolves to something else the next time
   gains nothing. A name may lead into a network of rules->allow, and then its port is not looked
   at: whoever made the URL could have written the address.

   At most LIMIT_FETCH_REDIRECTS redirects are followed, under the same rules, from https to http
   too: the server that we authenticated says that the file is there, and nothing secret is sent
   along.

   deadline, on base_clock_boot(), ends it all: resolution, redirects and body.

   Errors: TOO_LARGE when the file has more than max_bytes, refused at once where the server says
   so. FAILED when an entry of rules->allow is no network. INVALID for all else, with a phrase that
   completes "could not be fetched: ".

   The program ignores SIGPIPE. Several threads may call it at once. */
GBytes *fetch_get(const char *url, const struct fetch_rules *rules, gsize max_bytes,
    gint64 deadline, GError **error);

#endif
