/* SPDX-License-Identifier: MIT */
/* posthouse-spool: cron starts it to deliver due emails and to step workflows. */
#include <sysexits.h>

#include <glib.h>

#include "base/clock.h"
#include "base/error.h"
#include "config/log.h"
#include "config/settings.h"
#include "config/startup.h"
#include "process/pool.h"
#include "spool/worker.h"

#define JOBS_MAX 64

struct arguments {
	gboolean once;
	int seconds, jobs; /* G_MININT: not given */
	gint64 now;	   /* G_MININT64: not given */
};

static int
spool_main_serve(guint number, void *context)
{
	return spool_worker_run(context);
}

static const char *
spool_main_fault(const void *context)
{
	const struct arguments *a = context;

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

static int
spool_main_run(const struct config_settings *settings, const void *context)
{
	const struct arguments *a = context;
	g_autoptr(GError) error = NULL;

	if (!config_startup_spool(settings, &error)) {
		config_log_end(error->message);
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
				 : (guint)config_settings_number(settings, SETTING_SPOOL_JOBS);
	struct process_pool pool = {
	    jobs, a->seconds == 0, spool_main_serve, &plan, config_log_text};
	/* The signals interrupt nothing; the workers check for them. */
	spool_worker_block_signals();
	return process_pool_run(&pool);
}

int
main(int argc, char **argv)
{
	struct arguments a = {.seconds = G_MININT, .jobs = G_MININT, .now = G_MININT64};
	const GOptionEntry options[] = {
	    {"once", 0, 0, G_OPTION_ARG_NONE, &a.once,
		"Deliver the emails that are due, then end; the default", NULL},
	    {"for", 0, 0, G_OPTION_ARG_INT, &a.seconds,
		"Run for so many seconds (cron: 55); 0: until SIGTERM", "SECONDS"},
	    {"jobs", 0, 0, G_OPTION_ARG_INT, &a.jobs, "Work with N processes", "N"},
	    {"now", 0, 0, G_OPTION_ARG_INT64, &a.now, "Start the clock at this time, for tests",
		"EPOCH_MS"},
	    G_OPTION_ENTRY_NULL,
	};
	const struct config_startup_service service = {"posthouse-spool", "- deliver what is due",
	    options, spool_main_fault, spool_main_run, &a};

	return config_startup_run(&service, argc, argv);
}
