/* SPDX-License-Identifier: MIT */
/* posthouse.fcgi: a FastCGI responder, alone or with a pool of workers, or a CGI program. */
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>

#include <glib.h>

#include "base/clock.h"
#include "base/error.h"
#include "config/log.h"
#include "config/settings.h"
#include "config/startup.h"
#include "fcgi/api/alone.h"
#include "fcgi/api/auth.h"
#include "fcgi/api/gather.h"
#include "fcgi/api/heavy.h"
#include "fcgi/http/acceptor.h"
#include "fcgi/http/io.h"
#include "fcgi/http/storer.h"
#include "link/engagement.h"
#include "process/pool.h"
#include "service/metrics.h"
#include "service/request_history.h"
#include "service/service.h"

#define WORKERS_MAX 1024
#define PAUSE_MS 1000
#define READ_S 10 /* a database that does not answer a read for so long is away: 503 */

struct program {
	const struct config_settings *settings;
	bool has_spool; /* the folder can be used */
	sigset_t stop;	/* blocked; fcgi_source_accept looks for them between requests */
	struct fcgi_acceptor *acceptor;	  /* of the pool; NULL when serving alone */
	struct fcgi_heavy_ledger *ledger; /* of the pool, or of the process */
};

/* The requests that a process serves, and those that it has served. */
struct life {
	bool alone;	/* the web server gives this process requests, and not a pool */
	gint64 recycle; /* [service] recycle */
	gint64 served;
	gint64 latest; /* when the web server gave it the last one, on base_clock_boot */
};

static bool
is_spent(const struct life *life)
{
	return life->recycle > 0 && life->served >= life->recycle;
}

/* Whether the process ends now that it has served enough. mod_fcgid gives a process the next
   request as soon as it has the answer to the last one, and answers 500 when the process ends
   meanwhile; so one that serves alone waits for a pause. */
static bool
ends(const struct life *life, const struct fcgi_source *source)
{
	return is_spent(life) && !fcgi_source_keeps(source) &&
	       (!life->alone || base_clock_boot() - life->latest >= PAUSE_MS);
}

/* The time to wait for a request, in ms, before other work is due; -1: there is none. */
static gint64
patience(const struct service *service, const struct fcgi_alone *alone, const struct life *life)
{
	const gint64 waits[] = {link_engagement_patience(service),
	    service_request_history_patience(service), service_metrics_patience(),
	    is_spent(life) ? PAUSE_MS : -1, fcgi_alone_parked(alone) > 0 ? ALONE_LOOK_MS : -1};
	gint64 least = -1;

	for (guint i = 0; i < G_N_ELEMENTS(waits); i++)
		if (waits[i] >= 0 && (least < 0 || waits[i] < least))
			least = waits[i];
	return least;
}

/* Opens what gives requests to one of the processes that serve alone. NULL: this process serves all
   of its own. So it is in sync mode, since a web server may kill a storer that waits for a relay,
   which it takes for idle, and where libfcgi looks who connects. */
static struct fcgi_storer *
fcgi_main_share(const struct program *program)
{
	const struct config_settings *settings = program->settings;

	if (!program->has_spool || !fcgi_io_is_fastcgi() || g_getenv("FCGI_WEB_SERVER_ADDRS") ||
	    config_settings_choice(settings, SETTING_SERVICE_MODE) != MODE_SPOOL)
		return NULL;
	return fcgi_storer_open(
	    config_settings_text(settings, SETTING_SPOOL_DIR), config_settings_source(settings));
}

static int
fcgi_main_serve(guint number, void *context)
{
	const struct program *program = context;
	struct fcgi_acceptor *acceptor = program->acceptor;
	struct fcgi_queues queues;

	if (acceptor)
		queues = fcgi_acceptor_join(acceptor, number);
	struct life life = {.alone = !acceptor,
	    .recycle = config_settings_number(program->settings, SETTING_SERVICE_RECYCLE)};
	AUTO(service) service = service_open(program->settings);
	service_limit_reads(service, READ_S);
	AUTO(fcgi_auth) auth = fcgi_auth_new(program->settings);
	AUTO(fcgi_heavy) heavy =
	    fcgi_heavy_new(program->settings, program->ledger, MAX(g_get_num_processors(), 2) - 1);
	AUTO(fcgi_storer) storer = acceptor ? NULL : fcgi_main_share(program);
	AUTO(fcgi_source)
	source = fcgi_source_open(&program->stop, acceptor ? &queues : NULL, storer);
	AUTO(fcgi_alone) alone = fcgi_alone_new(service, auth, heavy, acceptor || storer);
	const struct fcgi_worker worker = {service, auth, alone, source};
	g_autoptr(GError) error = NULL;

	service_metrics_serve();
	gint64 trimmed = 0;
	bool resumed = false;
	enum fcgi_arrival arrival = ARRIVAL_NONE;
	struct fcgi_io *io;

	while (arrival <= ARRIVAL_NONE && !ends(&life, source)) {
		arrival = fcgi_source_accept(
		    source, resumed ? 0 : patience(service, alone, &life), &io, &error);
		if (arrival <= ARRIVAL_OTHERS) {
			if (acceptor)
				fcgi_acceptor_note(acceptor, number, true);
			life.served += fcgi_serve(&worker, io);
		}
		if (arrival == ARRIVAL_REQUEST || arrival == ARRIVAL_GIVEN)
			life.latest = base_clock_boot();
		resumed = fcgi_alone_resume(alone);
		fcgi_source_rest(source, fcgi_alone_parked(alone) > 0);
		if (acceptor)
			fcgi_acceptor_note(acceptor, number, fcgi_alone_parked(alone) > 0);
		if (link_engagement_patience(service) == 0)
			link_engagement_flush(service);
		if (service_request_history_patience(service) == 0)
			service_request_history_flush(service);
		service_metrics_flush(service, false);
		/* Many requests leave much free memory in small pieces. */
		if (arrival == ARRIVAL_NONE && life.served > trimmed &&
		    fcgi_alone_parked(alone) == 0) {
			malloc_trim(0);
			trimmed = life.served;
		}
	}
	if (storer)
		fcgi_storer_resign(storer);
	fcgi_alone_end(alone, arrival > ARRIVAL_NONE);
	link_engagement_flush(service);
	service_request_history_flush(service);
	service_metrics_flush(service, true);
	if (error)
		config_log_end(error->message);
	return error ? EX_OSERR : EXIT_SUCCESS;
}

static void
fcgi_main_ending(void *context)
{
	const struct program *program = context;

	fcgi_acceptor_end(program->acceptor);
}

static int
run_pool(guint workers, struct program *program)
{
	g_autoptr(GError) error = NULL;
	AUTO(fcgi_acceptor) acceptor = fcgi_acceptor_open(&error);
	struct process_pool pool = {
	    workers, true, fcgi_main_serve, program, config_log_text, fcgi_main_ending};

	if (!acceptor) {
		config_log_end(error->message);
		return EX_OSERR;
	}
	service_load();
	program->acceptor = acceptor;
	fcgi_acceptor_start(acceptor, workers);
	int status = process_pool_run(&pool);
	return fcgi_acceptor_is_over(acceptor) ? EX_OSERR : status;
}

static int
fcgi_main_run(const struct config_settings *settings, const void *context)
{
	const int *workers = context;
	struct program program = {.settings = settings, .ledger = fcgi_heavy_ledger_new()};
	g_autoptr(GError) error = NULL;

	/* Emails can be stored without a spool directory. */
	program.has_spool = config_startup_spool(settings, &error);
	if (!program.has_spool)
		config_log("emails are stored, but this process sends none: %s", error->message);
	sigemptyset(&program.stop);
	sigaddset(&program.stop, SIGTERM);
	sigaddset(&program.stop, SIGUSR1);
	sigaddset(&program.stop, SIGINT);
	sigprocmask(SIG_BLOCK, &program.stop, NULL);
	return *workers == 0 ? fcgi_main_serve(0, &program) : run_pool((guint)*workers, &program);
}

static const char *
fcgi_main_fault(const void *context)
{
	const int *workers = context;

	if (*workers < 0 || *workers > WORKERS_MAX)
		return "--workers takes a number from 0 to 1024";
	if (!fcgi_io_is_fastcgi() && !fcgi_io_is_cgi())
		return "has to be started by a web server: there is neither a FastCGI socket nor a "
		       "CGI request";
	return NULL;
}

int
main(int argc, char **argv)
{
	int workers = 0;
	const GOptionEntry options[] = {
	    {"workers", 0, 0, G_OPTION_ARG_INT, &workers,
		"Keep N processes on the socket; 0: serve alone", "N"},
	    G_OPTION_ENTRY_NULL,
	};
	const struct config_startup_service service = {"posthouse.fcgi",
	    "- serve HTTP requests of a web server", options, fcgi_main_fault, fcgi_main_run,
	    &workers};

	/* Under CGI the arguments come from the client: a query without "=" becomes them (RFC 3875
	   section 4.4). */
	return config_startup_run(&service, fcgi_io_is_cgi() ? 1 : argc, argv);
}
