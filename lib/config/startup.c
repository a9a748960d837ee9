/* SPDX-License-Identifier: MIT */
/* The start and the end of every program: options, settings, spool folder, exit status. */
#include "config/startup.h"

#include <errno.h>
#include <malloc.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/error.h"
#include "config/log.h"
#include "config/log_line.h"
#include "config/settings.h"

#ifdef WITH_ASAN
#define DUMPABLE 1
#else
#define DUMPABLE 0
#endif

#define LARGE_BYTES (256 * 1024)

static const int statuses[] = {
    [PH_ERROR_INVALID] = EX_DATAERR,
    [PH_ERROR_UNAUTHORIZED] = EX_NOPERM,
    [PH_ERROR_FORBIDDEN] = EX_NOPERM,
    [PH_ERROR_NOT_FOUND] = EX_NOINPUT,
    [PH_ERROR_CONFLICT] = EX_CANTCREAT,
    [PH_ERROR_CHANGED] = EX_CANTCREAT,
    [PH_ERROR_TOO_LARGE] = EX_DATAERR,
    [PH_ERROR_LIMITED] = EX_TEMPFAIL,
    [PH_ERROR_TEMPORARY] = EX_TEMPFAIL,
    [PH_ERROR_UNCERTAIN] = EX_TEMPFAIL,
    [PH_ERROR_FAILED] = EX_SOFTWARE,
};

int
config_startup_exit(const GError *error)
{
	if (!error)
		return EX_OK;
	if (error->domain != PH_ERROR || error->code < 0 ||
	    error->code >= (int)G_N_ELEMENTS(statuses))
		return EX_SOFTWARE;
	return statuses[error->code];
}

void
config_startup_conceal(void)
{
	const struct rlimit none = {0, 0};

	if (g_getenv("POSTHOUSE_TRACEABLE"))
		return;
	/* The limit counts for a dump that is a file, the flag also for one that a program takes
	   (service(5)). */
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, DUMPABLE, 0, 0, 0);
}

bool
config_startup_is_concealed(void)
{
	struct rlimit limit = {1, 1};

	return getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur == 0 &&
	       prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == DUMPABLE;
}

/* Makes glibc return the memory of large messages to the system as soon as it is freed. By default
   it would keep up to 64 MiB in each process. */
static void
tune_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
	mallopt(M_TRIM_THRESHOLD, 2 * LARGE_BYTES);
}

static char *
user_name(uid_t uid)
{
	const struct passwd *entry = getpwuid(uid);

	return entry ? g_strdup(entry->pw_name) : g_strdup_printf("user %u", (unsigned)uid);
}

static bool
check_owner(const char *dir, uid_t owner, GError **error)
{
	if (owner == geteuid())
		return true;
	g_autofree char *theirs = user_name(owner), *ours = user_name(geteuid());
	return base_fail(error, PH_ERROR_FAILED,
	    "the spool folder %s belongs to %s, but this program runs as %s: run it as the owner "
	    "of the folder, or change that with chown",
	    dir, theirs, ours);
}

bool
config_startup_spool(const struct config_settings *settings, GError **error)
{
	const char *dir = config_settings_text(settings, SETTING_SPOOL_DIR);
	struct stat st;

	if (stat(dir, &st) != 0)
		base_fail(error, PH_ERROR_FAILED,
		    "the spool folder %s cannot be used: %s; make it, or name another with dir in "
		    "section [spool] of the settings",
		    dir, g_strerror(errno));
	else if (!S_ISDIR(st.st_mode))
		base_fail(error, PH_ERROR_FAILED, "the spool folder %s is not a folder", dir);
	else if (!check_owner(dir, st.st_uid, error))
		return false;
	else if (st.st_mode & 022)
		base_fail(error, PH_ERROR_FAILED,
		    "other users can write to the spool folder %s: run chmod go-w '%s'", dir, dir);
	else if (access(dir, R_OK | W_OK | X_OK) != 0)
		base_fail(error, PH_ERROR_FAILED, "the spool folder %s cannot be written to: %s",
		    dir, g_strerror(errno));
	else
		return true;
	return false;
}

struct config_settings *
config_startup_read(const char *argument, GError **error)
{
	g_autoptr(GError) failure = NULL;
	struct config_settings *settings =
	    config_settings_load(config_settings_path(argument), &failure);

	if (g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
		base_fail(error, PH_ERROR_NOT_FOUND,
		    "%s (--config FILE or POSTHOUSE_CONFIG=FILE names another)", failure->message);
	else if (!settings)
		g_propagate_error(error, g_steal_pointer(&failure));
	return settings;
}

struct config_settings *
config_startup_settings(const char *argument, GError **error)
{
	AUTO(config_settings) settings = config_startup_read(argument, error);

	return settings && config_startup_spool(settings, error) ? g_steal_pointer(&settings)
								 : NULL;
}

struct options {
	char *config;
	gboolean version;
};

static bool
read_options(const struct config_startup_service *service, int argc, char **argv,
    struct options *options, GError **error)
{
	const GOptionEntry common[] = {
	    {"config", 0, 0, G_OPTION_ARG_FILENAME, &options->config, "The settings file", "FILE"},
	    {"version", 0, 0, G_OPTION_ARG_NONE, &options->version, "Print the version", NULL},
	    G_OPTION_ENTRY_NULL,
	};
	g_autoptr(GOptionContext) context = g_option_context_new(service->summary);

	g_option_context_add_main_entries(context, service->options, NULL);
	g_option_context_add_main_entries(context, common, NULL);
	if (!g_option_context_parse(context, &argc, &argv, error))
		return false;
	if (argc > 1)
		return base_invalid(error, "accepts options only: see --help");
	const char *fault = options->version ? NULL : service->fault(service->context);
	return !fault || base_invalid(error, "%s", fault);
}

static int
startup_fail(const GError *error, int status)
{
	config_log_end(error->message);
	return status;
}

static int
startup_run(const struct config_startup_service *service, const char *config)
{
	g_autoptr(GError) error = NULL;
	AUTO(config_settings) settings = config_startup_read(config, &error);

	if (!settings)
		return startup_fail(error, EX_CONFIG);
	if (!config_log_line_open(settings, service->name, &error))
		config_log("%s", error->message);
	/* It asks for a log anew. Standard error cannot be opened anew, and the default action
	   would end the process. */
	if (!config_log_line_is_elsewhere())
		signal(SIGHUP, SIG_IGN);
	return service->run(settings, service->context);
}

int
config_startup_run(const struct config_startup_service *service, int argc, char **argv)
{
	struct options options = {NULL, FALSE};
	g_autoptr(GError) error = NULL;
	int status = EXIT_SUCCESS;

	config_startup_conceal();
	config_log_name(service->name);
	tune_memory();
	signal(SIGPIPE, SIG_IGN);
	if (!read_options(service, argc, argv, &options, &error))
		status = startup_fail(error, EX_USAGE);
	else if (options.version)
		printf("%s %s\n", service->name, PACKAGE_VERSION);
	else
		status = startup_run(service, options.config);
	g_free(options.config);
	return status;
}
