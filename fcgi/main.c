/* posthouse.fcgi: the FastCGI responder, alone or with a pool of its own, or a plain CGI program.
 */
#include <signal.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>

#include <glib.h>

#include "base/log.h"
#include "base/pool.h"
#include "base/settings.h"
#include "core/core.h"
#include "fcgi/io.h"
#include "fcgi/serve.h"

#define WORKERS_MAX 1024

static volatile int stopping;

static void
on_stop(int signal)
{
	stopping = 1;
	io_stop_waiting();
	/* Should it come between the look at stopping and the wait, the next one ends the wait. */
	alarm(1);
}

/* Signals are let in only between requests: the one in hand is always finished. */
static void
let_signals(int how)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGALRM);
	sigprocmask(how, &signals, NULL);
}

static int
serve(guint number, void *context)
{
	const struct settings *settings = context;
	gint64 recycle = base_settings_number(settings, SETTING_SERVICE_RECYCLE);
	AUTO(core) core = core_open(settings);
	AUTO(io) io = io_open();
	struct sigaction action = {.sa_handler = on_stop};

	for (gsize i = 0; i < 4; i++)
		sigaction((const int[]){SIGTERM, SIGUSR1, SIGINT, SIGALRM}[i], &action, NULL);
	for (gint64 served = 0; recycle == 0 || served < recycle; served++) {
		let_signals(SIG_UNBLOCK);
		bool accepted = io_accept(io, &stopping);
		let_signals(SIG_BLOCK);
		if (!accepted)
			break;
		serve_request(core, io);
	}
	return EXIT_SUCCESS;
}

static void
report(const char *text)
{
	base_log("%s", text);
}

int
main(int argc, char **argv)
{
	int workers = 0;
	g_autofree char *config = NULL;
	const GOptionEntry options[] = {
	    {"workers", 0, 0, G_OPTION_ARG_INT, &workers,
		"Keep N processes on the one socket; 0: serve alone", "N"},
	    {"config", 0, 0, G_OPTION_ARG_FILENAME, &config, "The settings file", "FILE"},
	    G_OPTION_ENTRY_NULL,
	};
	g_autoptr(GOptionContext) context =
	    g_option_context_new("- serve HTTP requests of a web server");
	g_autoptr(GError) error = NULL;

	base_log_name("posthouse.fcgi");
	signal(SIGPIPE, SIG_IGN);
	g_option_context_add_main_entries(context, options, NULL);
	/* As CGI the arguments are the client's, not the operator's: a query without = becomes them
	 * (RFC 3875 section 4.4). */
	if (io_is_fastcgi() && (!g_option_context_parse(context, &argc, &argv, &error) ||
				   workers < 0 || workers > WORKERS_MAX)) {
		base_log("%s", error ? error->message : "--workers takes a number from 0 to 1024");
		return EX_USAGE;
	}
	AUTO(settings) settings = base_settings_load(base_settings_path(config), &error);
	if (!settings) {
		base_log("%s", error->message);
		return EX_CONFIG;
	}
	struct pool pool = {(guint)workers, true, serve, settings, report};
	return workers > 0 ? base_pool_run(&pool) : serve(0, settings);
}
