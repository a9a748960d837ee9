/* SPDX-License-Identifier: MIT */
/* Reading URLs that come from requests and servers. */
#ifndef FETCH_URL_H
#define FETCH_URL_H

#include <glib.h>

/* Normalizes a URL for a request: the host as A-labels, spaces and characters outside ASCII
   percent-encoded, without the fragment (RFC 3986). The caller owns the result. NULL when the URL
   is not valid as fetch_url_valid defines it. */
char *fetch_url_parse(const char *url);

/* Normalizes the target of a redirect, which may be relative to base, the URL that answered (RFC
   9110 section 10.2.2, RFC 3986 section 5). Otherwise like fetch_url_parse. */
char *fetch_url_resolve(const char *base, const char *location);

/* The host of a normalized URL, with an IPv6 address without brackets and zone, and the port, by
   default that of the scheme. The caller owns the host. */
char *fetch_url_host(const char *url, guint *port_r);

/* Makes foreign text safe for an error message: one line of at most 100 characters in valid UTF-8
   without control characters. The caller owns the result. */
char *fetch_url_show(const char *text);

#endif
