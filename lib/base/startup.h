/* SPDX-License-Identifier: MIT */
/* What each program does before anything else. */
#ifndef BASE_STARTUP_H
#define BASE_STARTUP_H

#include <glib.h>
#include <stdbool.h>

struct base_settings;

/* Lets the memory of large messages go back to the system as soon as it is freed. Left alone, glibc
   would come to keep up to 64 MiB of it in each process. */
void base_startup_memory(void);

/* Reads the settings file that argument names, or that base_settings_path finds without one. Errors
   of base_settings_load; NOT_FOUND says how to name another file. The caller frees the result. */
struct base_settings *base_startup_read(const char *argument, GError **error);

/* The same, and looks at the spool folder as below. Errors of both. */
struct base_settings *base_startup_settings(const char *argument, GError **error);

/* [spool] dir holds what a crash must not lose, and belongs to the one user under whom all programs
   run. FAILED, with a sentence that says what to do, unless it is a folder of this machine, ours,
   which no other user can write to, and we can. */
bool base_startup_spool(const struct base_settings *settings, GError **error);

/* The exit status (sysexits.h) that tells a shell, cron or MTA what kind of error it was. NULL is
   EX_OK. */
int base_startup_exit(const GError *error);

#endif
