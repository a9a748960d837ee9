/* SPDX-License-Identifier: MIT */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <glib.h>
#include <stdbool.h>

/* Now, in epoch milliseconds. The system's clock, moved by base_clock_set. */
gint64 base_clock_now(void);

/* From here on the clock reads epoch_ms and runs on from there (--now, tests). */
void base_clock_set(gint64 epoch_ms);

/* How far base_clock_set has moved the clock, in milliseconds: 0 where it has not. */
gint64 base_clock_shift(void);

/* Milliseconds since boot, time asleep included: for leases and bounds, never set back. */
gint64 base_clock_boot(void);

#define CLOCK_SECOND_NS G_GINT64_CONSTANT(1000000000)

/* The same in nanoseconds. */
gint64 base_clock_boot_ns(void);

#define CLOCK_ISO_SIZE 32

/* Writes UTC with milliseconds, 2026-11-20T08:00:00.000Z, and returns text_r. */
const char *base_clock_format(gint64 epoch_ms, char text_r[CLOCK_ISO_SIZE]);

/* Reads an ISO 8601 date and time; without a zone it is UTC. False if it is none. */
bool base_clock_parse(const char *text, gint64 *epoch_ms_r);

#endif
