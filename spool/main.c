/* posthouse-spool: what cron starts: delivers what is due. */
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sysexits.h>

#include <glib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/settings.h"
#include "spool/worker.h"

#define JOBS_MAX 64

struct arguments {
	gboolean once;
	int seconds; /* -1 = not given */
	int jobs;    /* 0 = as the settings say */
	gint64 now;  /* 0 = the system's clock */
	char *config;
};

static void
on_stop(int signal)
{
	worker_stop();
}

static int
serve(guint number, void *context)
{
	struct sigaction action = {.sa_handler = on_stop};

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	return worker_run(context);
}

static void
report(const char *text)
{
	base_log("%s", text);
}

static bool
read_arguments(int argc, char **argv, struct arguments *a, GError **error)
{
	const GOptionEntry options[] = {
	    {"once", 0, 0, G_OPTION_ARG_NONE, &a->once, "Deliver what is due, then end", NULL},
	    {"for", 0, 0, G_OPTION_ARG_INT, &a->seconds,
		"Go on for so long (cron: 55); 0: until SIGTERM", "SECONDS"},
	    {"jobs", 0, 0, G_OPTION_ARG_INT, &a->jobs, "Work with N processes", "N"},
	    {"now", 0, 0, G_OPTION_ARG_INT64, &a->now, "Let the clock begin here, for tests",
		"EPOCH_MS"},
	    {"config", 0, 0, G_OPTION_ARG_FILENAME, &a->config, "The settings file", "FILE"},
	    G_OPTION_ENTRY_NULL,
	};
	g_autoptr(GOptionContext) context = g_option_context_new("- deliver what is due");
	const char *wrong = NULL;

	g_option_context_add_main_entries(context, options, NULL);
	if (!g_option_context_parse(context, &argc, &argv, error))
		return false;
	if (argc > 1)
		wrong = "takes no arguments but its options: see --help";
	else if (a->once == (a->seconds >= 0))
		wrong = "either --once or --for SECONDS says how long to work";
	else if (a->seconds < -1 || a->jobs < 0 || a->jobs > JOBS_MAX || a->now < 0)
		wrong = "a number is out of its range: --for from 0, --jobs 1 to 64, --now from 0";
	if (wrong)
		g_set_error_literal(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, wrong);
	return !wrong;
}

int
main(int argc, char **argv)
{
	struct arguments a = {.seconds = -1};
	g_autoptr(GError) error = NULL;

	base_log_name("posthouse-spool");
	signal(SIGPIPE, SIG_IGN);
	if (!read_arguments(argc, argv, &a, &error)) {
		base_log("%s", error->message);
		return EX_USAGE;
	}
	AUTO(settings) settings = base_settings_load(base_settings_path(a.config), &error);
	g_free(a.config);
	if (!settings) {
		base_log("%s", error->message);
		return EX_CONFIG;
	}
	if (a.now)
		base_clock_set(a.now);
	struct worker_plan plan = {
	    .settings = settings,
	    .until = a.seconds > 0 ? base_clock_boot() + (gint64)a.seconds * 1000 : 0,
	    .once = a.once,
	};
	guint jobs =
	    a.jobs ? (guint)a.jobs : (guint)base_settings_number(settings, SETTING_SPOOL_JOBS);
	struct pool pool = {jobs, a.seconds == 0, serve, &plan, report};
	return base_pool_run(&pool);
}
