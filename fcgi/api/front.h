/* SPDX-License-Identifier: MIT */
/* The fronts of the service, each below a prefix of the path. */
#ifndef FCGI_API_FRONT_H
#define FCGI_API_FRONT_H

struct fcgi_front;

/* The front that serves a path. The main one serves a request without a path (NULL). */
const struct fcgi_front *fcgi_front_of(const char *path);

#endif
