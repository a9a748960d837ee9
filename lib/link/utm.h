/* SPDX-License-Identifier: MIT */
/* UTM parameters, by which web statistics tell where a visitor comes from. */
#ifndef LINK_UTM_H
#define LINK_UTM_H

struct json;

/* The parameters of an object with members like source, as a part of a query: utm_source=VALUE&...
   NULL when there are none. The caller owns it. */
char *link_utm_read(const struct json *object);

/* The URL with those parameters in its query that it lacks. The URL itself when it would get too
   long for a link. The caller owns the result. */
char *link_utm_add(const char *url, const char *parameters);

#endif
