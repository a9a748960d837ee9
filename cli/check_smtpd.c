/* SPDX-License-Identifier: MIT */
/* Checks the SMTP door: whether the host of the MX records takes our return paths, and how long the
   certificate lasts. */
#include "cli/doctor.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/certificate.h"
#include "base/clock.h"
#include "config/settings.h"
#include "domain/zone.h"
#include "link/return_path.h"
#include "service/service.h"
#include "store/common/server.h"
#include "store/email/email.h"

#define PORT "25"
#define PATIENCE_S 5
#define REPLY_LENGTH 300
#define DAY_MS (24 * 60 * 60 * 1000LL)
#define CERTIFICATE_DAYS 21

static int
check_smtpd_connect_to(const struct addrinfo *place)
{
	const struct timeval patience = {PATIENCE_S, 0};
	int fd = socket(place->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (connect(fd, place->ai_addr, place->ai_addrlen) == 0)
		return fd;
	close(fd);
	return -1;
}

/* A connection to port 25 of a host; -1: there is none. */
static int
check_smtpd_connect(const char *host)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct addrinfo *places = NULL;
	int fd = -1;

	if (getaddrinfo(host, PORT, &hints, &places) != 0)
		return -1;
	for (const struct addrinfo *place = places; place && fd < 0; place = place->ai_next)
		fd = check_smtpd_connect_to(place);
	freeaddrinfo(places);
	return fd;
}

/* The same, where the settings name the servers that know the host. */
static int
check_smtpd_connect_by(const struct cli_doctor *doctor, const char *host)
{
	static const enum dns_type types[] = {DNS_AAAA, DNS_A};
	const char *const *servers = config_settings_list(doctor->settings, SETTING_DNS_SERVERS);
	guint known = 0;

	for (guint i = 0; servers && *servers && i < G_N_ELEMENTS(types); i++) {
		AUTO(dns_question) question = cli_check_ask_dns(doctor, host, types[i], NULL);

		for (guint k = 0; question && k < question->answers->len; k++, known++) {
			const struct dns_answer *answer = question->answers->pdata[k];
			int fd = check_smtpd_connect(answer->text);

			if (fd >= 0)
				return fd;
		}
	}
	return known > 0 ? -1 : check_smtpd_connect(host);
}

/* The last line of the reply to a command, NULL for the greeting; as text that can be shown. NULL:
   there is no reply. The caller owns it. */
static char *
check_smtpd_ask(FILE *peer, const char *command)
{
	char line[1024];

	if (command && (fputs(command, peer) < 0 || fflush(peer) != 0))
		return NULL;
	do {
		if (!fgets(line, sizeof(line), peer) || strlen(line) < 4)
			return NULL;
	} while (line[3] == '-');
	char *reply = g_strndup(g_strchomp(line), REPLY_LENGTH);
	for (char *c = reply; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return reply;
}

/* Asks a host about a return path, and resets. The first reply that refuses; NULL: none does.
 *broke_r: there was no whole dialogue. The caller owns it. */
static char *
check_smtpd_refusal(int fd, const char *path, bool *broke_r)
{
	g_autofree char *rcpt = g_strdup_printf("RCPT TO:<%s>\r\n", path);
	g_autofree char *hello = g_strdup_printf("EHLO %s\r\n", g_get_host_name());
	const char *const commands[] = {NULL, hello, "MAIL FROM:<>\r\n", rcpt};
	FILE *peer = fdopen(fd, "r+");

	*broke_r = false;
	for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
		g_autofree char *reply = check_smtpd_ask(peer, commands[i]);

		*broke_r = !reply;
		if (reply && *reply == '2')
			continue;
		fclose(peer);
		return g_steal_pointer(&reply);
	}
	g_free(check_smtpd_ask(peer, "RSET\r\n"));
	fputs("QUIT\r\n", peer);
	fclose(peer);
	return NULL;
}

/* A return path of the first domain; NULL without one, or where the settings have one for all, for
   which another server may be responsible. The caller owns it. */
static char *
check_smtpd_return_path(const struct cli_doctor *doctor)
{
	struct store_email email = {.id = base_id_new()};

	if (!doctor->domains || doctor->domains->len == 0 ||
	    *config_settings_text(doctor->settings, SETTING_SMTP_RETURN_PATH))
		return NULL;
	const struct store_server_domain *first = doctor->domains->pdata[0];
	email.domain = first->name;
	email.return_path = first->return_path;
	return link_return_path(doctor->service, &email, RETURN_PATH_SHARED);
}

void
cli_check_smtpd(struct cli_doctor *doctor)
{
	g_autofree char *path =
	    doctor->settings && doctor->service ? check_smtpd_return_path(doctor) : NULL;
	bool broke = false;

	if (!path || !cli_check_is_wanted(doctor, "smtpd"))
		return;
	g_autofree char *host = domain_zone_mx(doctor->settings);
	int fd = check_smtpd_connect_by(doctor, host);
	g_autofree char *refusal = fd >= 0 ? check_smtpd_refusal(fd, path, &broke) : NULL;
	if (fd < 0 || broke)
		cli_check_bad(doctor, "smtpd", STATE_WARN,
		    "Let posthouse-smtpd or another mail server take mail there (doc/smtp.md), or "
		    "open the port in the firewall.",
		    "%s cannot be reached at port " PORT, host);
	else if (refusal)
		cli_check_bad(doctor, "smtpd", STATE_WARN,
		    "Let that server give mail for the send. hosts to Posthouse (doc/smtp.md).",
		    "%s refuses our return paths: %s", host, refusal);
	else
		cli_check_ok(doctor, "smtpd", "%s takes our return paths", host);
}

void
cli_check_certificate(struct cli_doctor *doctor)
{
	const char *path =
	    doctor->settings ? config_settings_text(doctor->settings, SETTING_SMTPD_TLS_CERT) : "";
	static const char remedy[] = "Have the certificate of [smtpd] tls_cert renewed.";
	g_autoptr(GError) error = NULL;
	char text[CLOCK_ISO_SIZE];
	gint64 end;

	if (!*path)
		return;
	const char *key = config_settings_text(doctor->settings, SETTING_SMTPD_TLS_KEY);
	if (!base_certificate_fits(path, key, &error) ||
	    !base_certificate_end(path, &end, &error)) {
		cli_check_bad(doctor, "certificate", STATE_FAIL,
		    "Correct tls_cert and tls_key in section [smtpd]: posthouse-smtpd does not "
		    "start with them.",
		    "%s", error->message);
		return;
	}
	gint64 left = end - base_clock_now();
	base_clock_format(end, text);
	if (left <= 0)
		cli_check_bad(doctor, "certificate", STATE_FAIL, remedy, "it ended on %.10s", text);
	else if (left < CERTIFICATE_DAYS * DAY_MS)
		cli_check_bad(doctor, "certificate", STATE_WARN, remedy, "it ends on %.10s", text);
	else
		cli_check_ok(doctor, "certificate", "it ends on %.10s", text);
}
