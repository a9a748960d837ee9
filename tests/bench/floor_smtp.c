/* SPDX-License-Identifier: MIT */
/* The least that sending can cost here: signs a message of five kilobytes with cached keys, RSA and
   Ed25519, and sends it over kept connections, without a database. What make bench holds the spool
   against. Prints the seconds that all took. Usage: floor_smtp PORT JOBS MESSAGES */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mail/address.h"
#include "mail/dkim.h"
#include "mail/message.h"

#define SESSION 100 /* messages on one connection */

static void
floor_smtp_expect(int fd, const char *command, size_t size, const char *code)
{
	char reply[4096];
	ssize_t got;

	if (size > 0 && write(fd, command, size) != (ssize_t)size)
		exit(1);
	got = read(fd, reply, sizeof(reply) - 1);
	if (got <= 0 || strncmp(reply, code, 3) != 0)
		exit(1);
}

static void
floor_smtp_say(int fd, const char *command, const char *code)
{
	floor_smtp_expect(fd, command, strlen(command), code);
}

static int
floor_smtp_open_session(int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
	    .sin_port = htons((in_port_t)port),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		exit(1);
	floor_smtp_expect(fd, "", 0, "220");
	floor_smtp_say(fd, "EHLO floor\r\n", "250");
	return fd;
}

static GBytes *
floor_smtp_compose(void)
{
	AUTO(mail_address) from = mail_address_parse("bench@posthouse.example", NULL);
	g_autoptr(GPtrArray) to = mail_address_parse_list("user@example.net", NULL);
	g_autoptr(GString) html = g_string_new("<p>");

	while (html->len < 5000)
		g_string_append(html, "An email of five kilobytes. ");
	struct mail_message message = {
	    .from = from,
	    .to = to,
	    .subject = "A bench",
	    .html = html->str,
	    .html_size = html->len,
	    .text = html->str,
	    .text_size = html->len,
	    .date = 1800000000000,
	    .message_id = "<floor@posthouse.example>",
	};
	return mail_message_compose(&message, NULL);
}

static int
floor_smtp_work(int port, int count, GBytes *rsa, GBytes *ed25519)
{
	g_autoptr(GBytes) message = floor_smtp_compose();
	AUTO(mail_dkim_key) first = mail_dkim_key_parse(rsa, "posthouse.example", "a", NULL);
	AUTO(mail_dkim_key) second = mail_dkim_key_parse(ed25519, "posthouse.example", "b", NULL);
	int fd = -1;

	for (int i = 0; i < count; i++) {
		g_autofree char *signature = mail_dkim_sign(message,
		    (struct mail_dkim_key *const[]){first, second}, 2, 1800000000000, NULL);
		g_autoptr(GString) data = g_string_new(signature);

		if (i % SESSION == 0) {
			if (fd >= 0)
				close(fd);
			fd = floor_smtp_open_session(port);
		}
		floor_smtp_say(fd, "MAIL FROM:<bench@posthouse.example>\r\n", "250");
		floor_smtp_say(fd, "RCPT TO:<user@example.net>\r\n", "250");
		floor_smtp_say(fd, "DATA\r\n", "354");
		g_string_append_len(
		    data, g_bytes_get_data(message, NULL), (gssize)g_bytes_get_size(message));
		g_string_append(data, "\r\n.\r\n");
		floor_smtp_expect(fd, data->str, data->len, "250");
	}
	return 0;
}

int
main(int argc, char **argv)
{
	int status, failed = 0;

	if (argc != 4)
		return 64;
	int jobs = atoi(argv[2]);
	g_autoptr(GBytes) rsa = mail_dkim_generate(MAIL_DKIM_RSA2048, NULL);
	g_autoptr(GBytes) ed25519 = mail_dkim_generate(MAIL_DKIM_ED25519, NULL);
	gint64 begin = g_get_monotonic_time();
	for (int i = 0; i < jobs; i++)
		if (fork() == 0)
			_exit(floor_smtp_work(atoi(argv[1]), atoi(argv[3]) / jobs, rsa, ed25519));
	while (wait(&status) > 0)
		failed |= status;
	printf("%.6f\n", (double)(g_get_monotonic_time() - begin) / 1e6);
	return failed != 0;
}
