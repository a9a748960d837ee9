/* SPDX-License-Identifier: MIT */
/* posthouse-smtpd: takes messages of applications and of other mail servers by SMTP. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include <glib.h>

#include "base/error.h"
#include "config/log.h"
#include "config/settings.h"
#include "config/startup.h"
#include "service/metrics.h"
#include "service/rates.h"
#include "service/service.h"
#include "smtpd/listen.h"
#include "smtpd/pool.h"
#include "smtpd/session.h"
#include "smtpd/tls.h"
#include "smtpd/wire.h"

#define NO_SOCKET "standard input is no socket; use --listen"

static int
smtpd_main_end(const char *sentence, int status)
{
	config_log_end(sentence);
	return status;
}

static bool
smtpd_main_is_client(int fd)
{
	struct sockaddr_storage peer;
	socklen_t size = sizeof(peer), type_size = sizeof(int);
	int type = 0;

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_size) == 0 && type == SOCK_STREAM &&
	       getpeername(fd, (struct sockaddr *)&peer, &size) == 0;
}

/* inetd gives the client as standard output and error, too: what is written there would be taken
   for replies. */
static void
smtpd_main_part_streams(void)
{
	struct stat client, other;

	if (fstat(STDIN_FILENO, &client) != 0)
		return;
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fstat(fd, &other) != 0 || other.st_dev != client.st_dev ||
		    other.st_ino != client.st_ino)
			continue;
		int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
		dup2(nothing, fd);
		close(nothing);
	}
}

/* One session on standard input, as inetd gives it. */
static int
smtpd_main_single(const struct config_settings *settings)
{
	g_autoptr(GError) error = NULL;
	AUTO(smtpd_tls) tls = NULL;

	if (!smtpd_tls_open(settings, &tls, &error))
		return smtpd_main_end(error->message, EX_CONFIG);
	AUTO(service) service = service_open(settings);
	AUTO(service_rates) rates = service_rates_new(settings);
	const struct smtpd_house house = {service, rates, tls, smtpd_wire_signals(), -1};
	smtpd_session_run(&house, dup(STDIN_FILENO), false);
	service_metrics_flush(service, true);
	return EXIT_SUCCESS;
}

static bool
smtpd_main_needs_tls(const GArray *listeners)
{
	for (guint i = 0; i < listeners->len; i++)
		if (g_array_index(listeners, struct smtpd_listener, i).is_tls)
			return true;
	return false;
}

static int
smtpd_main_run(const struct config_settings *settings, const void *context)
{
	char *const *const *places = context;
	g_autoptr(GArray) listeners = g_array_new(FALSE, FALSE, sizeof(struct smtpd_listener));
	g_autoptr(GError) error = NULL;

	smtpd_listen_inherit(listeners);
	if (smtpd_main_is_client(STDIN_FILENO))
		smtpd_main_part_streams();
	if (listeners->len == 0 && !*places && !smtpd_main_is_client(STDIN_FILENO))
		return smtpd_main_end(NO_SOCKET, EX_USAGE);
	if (!config_startup_spool(settings, &error))
		return smtpd_main_end(error->message, EX_CONFIG);
	bool is_inherited = listeners->len > 0;
	for (char *const *place = *places; !is_inherited && place && *place; place++)
		if (!smtpd_listen_open(listeners, *place, &error))
			return smtpd_main_end(error->message, EX_UNAVAILABLE);
	if (smtpd_main_needs_tls(listeners) &&
	    !*config_settings_text(settings, SETTING_SMTPD_TLS_CERT))
		return smtpd_main_end(
		    "TLS from the first byte needs tls_cert and tls_key in section [smtpd] of the "
		    "settings",
		    EX_CONFIG);
	return listeners->len > 0 ? smtpd_pool_run(settings, listeners)
				  : smtpd_main_single(settings);
}

static const char *
smtpd_main_fault(const void *context)
{
	static char *sentence;
	char *const *const *places = context;

	for (char *const *place = *places; place && *place; place++) {
		g_autoptr(GError) error = NULL;

		if (smtpd_listen_check(*place, &error))
			continue;
		g_free(sentence);
		sentence = g_strdup(error->message);
		return sentence;
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	char **places = NULL;
	const GOptionEntry options[] = {
	    {"listen", 0, 0, G_OPTION_ARG_STRING_ARRAY, &places,
		"Take connections there; /tls behind the port: with TLS from the first byte",
		"ADDRESS:PORT[/tls]"},
	    G_OPTION_ENTRY_NULL,
	};
	const struct config_startup_service service = {"posthouse-smtpd", "- take messages by SMTP",
	    options, smtpd_main_fault, smtpd_main_run, &places};
	int status = config_startup_run(&service, argc, argv);

	g_strfreev(places);
	return status;
}
