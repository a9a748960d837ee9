/* SPDX-License-Identifier: MIT */
/* Leave to have a large request in memory. All processes of a host share so many of them
   ([limits] large_requests): each is a lock on a byte of a file in the spool directory, which goes
   with the process that held it. */
#ifndef FCGI_LARGE_H
#define FCGI_LARGE_H

#include <glib.h>
#include <stdbool.h>

struct base_settings;

#define LARGE_BYTES LIMIT_MIB /* a larger body is a large request */

/* Of one request; zero but for the settings. */
struct fcgi_large {
	const struct base_settings *settings;
	bool is_taken;
	int fd; /* of the file, while it is taken */
};

/* Before a body of more than LARGE_BYTES is in memory: takes a slot, unless the request has one.
   Waits while all are taken, at most LIMIT_LARGE_WAIT_MS: then TEMPORARY. Where the spool directory
   cannot be written the request goes on without. */
bool fcgi_large_enter(struct fcgi_large *large, GError **error);

/* Once the memory has been given back. */
void fcgi_large_leave(struct fcgi_large *large);

#endif
