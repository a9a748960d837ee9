/* SPDX-License-Identifier: MIT */
/* The first steps of every program, and its exit status. */
#ifndef BASE_STARTUP_H
#define BASE_STARTUP_H

#include <glib.h>
#include <stdbool.h>

struct base_settings;

/* Makes glibc return the memory of large messages to the system as soon as it is freed. By default
   it would keep up to 64 MiB in each process. */
void base_startup_memory(void);

/* Reads the settings file at base_settings_path(argument). Errors as of base_settings_load; the
   message of NOT_FOUND says how to name another file. The caller frees the result. */
struct base_settings *base_startup_read(const char *argument, GError **error);

/* Calls base_startup_read and then base_startup_spool. Errors of both; the caller frees the result.
 */
struct base_settings *base_startup_settings(const char *argument, GError **error);

/* Checks the spool folder ([spool] dir), which holds the data that must survive a crash. FAILED,
   with a sentence that says what to do, unless it is a folder that belongs to the user of this
   program and that this user, but no other, can write to. */
bool base_startup_spool(const struct base_settings *settings, GError **error);

/* The exit status (sysexits.h) that tells a shell, cron or an MTA the kind of error; EX_OK for
 * NULL.
 */
int base_startup_exit(const GError *error);

#endif
