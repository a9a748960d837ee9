/* SPDX-License-Identifier: MIT */
/* Slots for large requests, which bound the memory of all processes of a host ([limits]
   large_requests). A slot is a lock on one byte of a file in the spool directory; the kernel
   releases it when its process ends. */
#ifndef SERVICE_LARGE_H
#define SERVICE_LARGE_H

#include <glib.h>
#include <stdbool.h>

#include "base/limits/unit.h"

struct config_settings;

#define LARGE_BYTES LIMIT_MIB /* a larger body is a large request */

/* The slot of one request. Starts as zero but for settings. */
struct service_large {
	const struct config_settings *settings;
	bool is_taken;
	int fd; /* of the file, while it is taken */
};

/* Takes a slot unless the request has one; call it before more than LARGE_BYTES of a body are in
   memory. Waits up to LIMIT_LARGE_WAIT_MS while all slots are taken, then fails with TEMPORARY.
   When the spool directory cannot be written, it succeeds without a slot. */
bool service_large_enter(struct service_large *large, GError **error);

/* The same without waiting. */
bool service_large_try(struct service_large *large);

/* Gives the slot back, after the memory has been freed. */
void service_large_leave(struct service_large *large);

#endif
