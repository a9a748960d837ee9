/* SPDX-License-Identifier: MIT */
/* posthouse-spool: cron starts it to deliver due emails and to step workflows. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

#include <glib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/settings.h"
#include "base/startup.h"
#include "spool/worker.h"

#define NAME "posthouse-spool"
#define JOBS_MAX 64

struct arguments {
	gboolean once, version;
	int seconds, jobs; /* G_MININT: not given */
	gint64 now;	   /* G_MININT64: not given */
	char *config;
};

static int
serve(guint number, void *context)
{
	return spool_worker_run(context);
}

static void
report(const char *text)
{
	base_log("%s", text);
}

static const char *
fault_of(const struct arguments *a, int argc)
{
	if (argc > 1)
		return "takes no arguments but its options: see --help";
	if (a->once && a->seconds != G_MININT)
		return "--once and --for exclude each other";
	if (a->seconds != G_MININT && a->seconds < 0)
		return "--for takes a number of seconds from 0";
	if (a->jobs != G_MININT && (a->jobs < 1 || a->jobs > JOBS_MAX))
		return "--jobs takes a number from 1 to 64";
	if (a->now != G_MININT64 && a->now < 0)
		return "--now takes a number of milliseconds from 0";
	return NULL;
}

static bool
read_arguments(int argc, char **argv, struct arguments *a, GError **error)
{
	const GOptionEntry options[] = {
	    {"once", 0, 0, G_OPTION_ARG_NONE, &a->once,
		"Deliver what is due, then end; so without options", NULL},
	    {"for", 0, 0, G_OPTION_ARG_INT, &a->seconds,
		"Go on for so long (cron: 55); 0: until SIGTERM", "SECONDS"},
	    {"jobs", 0, 0, G_OPTION_ARG_INT, &a->jobs, "Work with N processes", "N"},
	    {"now", 0, 0, G_OPTION_ARG_INT64, &a->now, "Let the clock begin here, for tests",
		"EPOCH_MS"},
	    {"config", 0, 0, G_OPTION_ARG_FILENAME, &a->config, "The settings file", "FILE"},
	    {"version", 0, 0, G_OPTION_ARG_NONE, &a->version, "Say which version this is", NULL},
	    G_OPTION_ENTRY_NULL,
	};
	g_autoptr(GOptionContext) context = g_option_context_new("- deliver what is due");

	g_option_context_add_main_entries(context, options, NULL);
	if (!g_option_context_parse(context, &argc, &argv, error))
		return false;
	const char *fault = fault_of(a, argc);
	if (fault)
		g_set_error_literal(error, PH_ERROR, PH_ERROR_INVALID, fault);
	return !fault;
}

static int
run(const struct arguments *a)
{
	g_autoptr(GError) error = NULL;
	AUTO(base_settings) settings = base_startup_settings(a->config, &error);

	if (!settings) {
		base_log("%s", error->message);
		return EX_CONFIG;
	}
	if (a->now >= 0)
		base_clock_set(a->now);
	struct spool_worker_plan plan = {
	    .settings = settings,
	    .until = a->seconds > 0 ? base_clock_boot() + (gint64)a->seconds * 1000 : 0,
	    .once = a->seconds < 0,
	};
	guint jobs = a->jobs > 0 ? (guint)a->jobs
				 : (guint)base_settings_number(settings, SETTING_SPOOL_JOBS);
	struct base_pool pool = {jobs, a->seconds == 0, serve, &plan, report};
	/* The signals interrupt nothing; the workers check for them. */
	spool_worker_block_signals();
	return base_pool_run(&pool);
}

int
main(int argc, char **argv)
{
	struct arguments a = {.seconds = G_MININT, .jobs = G_MININT, .now = G_MININT64};
	g_autoptr(GError) error = NULL;

	base_log_name(NAME);
	base_startup_memory();
	signal(SIGPIPE, SIG_IGN);
	if (!read_arguments(argc, argv, &a, &error)) {
		base_log("%s", error->message);
		return EX_USAGE;
	}
	if (a.version) {
		puts(NAME " " PACKAGE_VERSION);
		return EXIT_SUCCESS;
	}
	int status = run(&a);
	g_free(a.config);
	return status;
}
