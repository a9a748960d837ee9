/* SPDX-License-Identifier: MIT */
/* URLs that a stranger gave us. */
#ifndef FETCH_URL_H
#define FETCH_URL_H

#include <glib.h>

/* The URL as it is asked for: checked as fetch_url_valid says, the host an A-label, spaces and
   characters outside ASCII percent-encoded, no fragment (RFC 3986). The caller owns it; NULL when
   it is none that we follow. */
char *fetch_url_parse(const char *url);

/* The same for the target of a redirect, which may be relative to the URL that answered (RFC 9110
   section 10.2.2, RFC 3986 section 5). */
char *fetch_url_resolve(const char *base, const char *location);

/* The host of such a URL, an IPv6 address without its brackets and zone, and its port, the scheme's
   where it has none. The caller owns the host. */
char *fetch_url_host(const char *url, guint *port_r);

/* Foreign text fit for a sentence of ours: one line of at most 100 characters, in valid UTF-8 and
   without control characters. The caller owns it. */
char *fetch_url_show(const char *text);

#endif
