/* SPDX-License-Identifier: MIT */
/* Limits of streams, and of the addresses that relays are connected from. The units are those of
 * base/limits/unit.h. */
#ifndef BASE_LIMITS_STREAM_H
#define BASE_LIMITS_STREAM_H

#define LIMIT_STREAM_HOUR 10000000     /* recipients that a stream reaches in an hour */
#define LIMIT_STREAM_REASON_LENGTH 500 /* why a stream is paused or has a pace */
#define LIMIT_SOURCES 32	       /* addresses of a relay */

#endif
