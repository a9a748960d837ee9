/* SPDX-License-Identifier: MIT */
/* The clock of a process, which tests and --now can set, and times as ISO 8601 text. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <glib.h>
#include <stdbool.h>

/* The current time in epoch milliseconds: the system's clock, shifted by base_clock_set. */
gint64 base_clock_now(void);

/* The same time, and the nanoseconds by which it is later. */
void base_clock_read(gint64 *epoch_ms_r, gint64 *rest_ns_r);

/* Sets this process's clock to epoch_ms; it runs on from there. For --now and tests. */
void base_clock_set(gint64 epoch_ms);

/* The milliseconds by which base_clock_set has shifted the clock; 0 if it was never called. */
gint64 base_clock_shift(void);

/* Milliseconds since boot, including time asleep. It is never set back and never shifted: for
   leases and time limits. */
gint64 base_clock_boot(void);

#define CLOCK_SECOND_NS G_GINT64_CONSTANT(1000000000)

/* Nanoseconds since boot, otherwise like base_clock_boot. */
gint64 base_clock_boot_ns(void);

/* Nanoseconds of processor time that this thread has used. */
gint64 base_clock_thread_ns(void);

#define CLOCK_ISO_SIZE 32
#define CLOCK_LAST 253402300799999LL /* epoch ms: 9999-12-31T23:59:59.999Z */

/* Writes a time as UTC with milliseconds, 2026-11-20T08:00:00.000Z, and returns text_r. */
const char *base_clock_format(gint64 epoch_ms, char text_r[CLOCK_ISO_SIZE]);

/* Reads an ISO 8601 date and time, with or without seconds, or a date, as its first moment. A time
   without a zone is UTC. Returns false for other text. */
bool base_clock_parse(const char *text, gint64 *epoch_ms_r);

#endif
