/* SPDX-License-Identifier: MIT */
/* The first steps of every program, a service's command line, and the exit status. */
#ifndef CONFIG_STARTUP_H
#define CONFIG_STARTUP_H

#include <glib.h>
#include <stdbool.h>

struct config_settings;

/* A program that cron or a web server starts. Its command line has only options. */
struct config_startup_service {
	const char *name;
	const char *summary;	     /* for --help, after the name */
	const GOptionEntry *options; /* besides --config and --version; they write into context */
	/* The sentence that says why the options make no sense; NULL when they do. */
	const char *(*fault)(const void *context);
	/* Runs the service. Returns its exit status. */
	int (*run)(const struct config_settings *settings, const void *context);
	void *context;
};

/* The main function of a service: reads the options and the settings, then runs it. Logs why it
   does not. Returns the exit status. */
int config_startup_run(const struct config_startup_service *service, int argc, char **argv);

/* Keeps the secrets in the memory of this process: it leaves no service dump, and other processes
   of its user cannot look into it. Every program calls this first. A build with AddressSanitizer,
   whose search for leaks looks into the process, keeps only service dumps away. With the variable
   POSTHOUSE_TRACEABLE in its environment it does nothing. */
void config_startup_conceal(void);

/* Whether this process leaves no service dump. */
bool config_startup_is_concealed(void);

/* Reads the settings file at config_settings_path(argument). Errors as of config_settings_load; the
   message of NOT_FOUND says how to name another file. The caller frees the result. */
struct config_settings *config_startup_read(const char *argument, GError **error);

/* Calls config_startup_read and then config_startup_spool. Errors of both; the caller frees the
 * result.
 */
struct config_settings *config_startup_settings(const char *argument, GError **error);

/* Checks the spool folder ([spool] dir), which holds the data that must survive a crash. FAILED,
   with a sentence that says what to do, unless it is a folder that belongs to the user of this
   program and that this user, but no other, can write to. */
bool config_startup_spool(const struct config_settings *settings, GError **error);

/* The exit status (sysexits.h) that tells a shell, cron or an MTA the kind of error; EX_OK for
 * NULL.
 */
int config_startup_exit(const GError *error);

#endif
