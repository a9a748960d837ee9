/* SPDX-License-Identifier: MIT */
/* The fronts of the service, each below a prefix of the path. */
#ifndef FCGI_FRONT_H
#define FCGI_FRONT_H

struct fcgi_front;

/* The front that a path belongs to. NULL as path belongs to the main one. */
const struct fcgi_front *fcgi_front_of(const char *path);

#endif
