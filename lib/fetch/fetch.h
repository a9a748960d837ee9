/* Files by URL, from the public internet and nowhere else. */
#ifndef FETCH_FETCH_H
#define FETCH_FETCH_H

#include <glib.h>
#include <stdbool.h>

/* Whether url is one that fetch_get takes: absolute, http or https, with a host, at most
   LIMIT_URL_LENGTH characters of valid UTF-8 with no space or control character among them. One
   with a user or a password is refused: it would lie in our database, and in the error sentences.
 */
bool fetch_url_valid(const char *url);

/* The file at url: the body of an answer 200 to a GET, as the server has it; the caller owns it. No
   credentials, cookies, proxies or caches take part, and no environment variable.

   Each connection goes to an address that fetch_guard_permits (fetch/guard.h), checked when the
   socket for it is opened, so a name that resolves to something else the next time gains nothing.
   allow: NULL-terminated networks that are permitted although they are not public (10.0.0.0/8,
   ::1); NULL for none.

   At most LIMIT_FETCH_REDIRECTS redirects are followed, to any port, and from https to http too:
   the server that we authenticated says that the file is there, and nothing secret is sent along.

   deadline, on base_clock_boot(), ends it all: resolution, redirects and body.

   Errors: TOO_LARGE when the file has more than max_bytes, refused at once where the server says
   so. FAILED when an entry of allow is no network. INVALID for all else, with a phrase that
   completes "could not be fetched: ".

   The program ignores SIGPIPE. Several threads may call it at once. */
GBytes *fetch_get(
    const char *url, const char *const *allow, gsize max_bytes, gint64 deadline, GError **error);

#endif
