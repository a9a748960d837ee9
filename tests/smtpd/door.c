/* SPDX-License-Identifier: MIT */
/* Opens the door and speaks with it. */
#include "tests/smtpd/door.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define END_MS 60000

static int
door_socket(guint32 address, guint port, struct sockaddr_in *place_r)
{
	*place_r = (struct sockaddr_in){.sin_family = AF_INET,
	    .sin_port = htons((guint16)port),
	    .sin_addr.s_addr = address ? address : htonl(INADDR_LOOPBACK)};
	return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

/* A port below those that the kernel gives out, which another test could get before the door has
   started. Processes of about the same time begin eight ports from each other. */
guint
door_port(void)
{
	static guint next;

	if (next == 0)
		next = 10000 + (guint)getpid() * 8 % 20000;
	for (;; next++) {
		struct sockaddr_in place;
		int fd = door_socket(0, next, &place);
		bool is_free = bind(fd, (struct sockaddr *)&place, sizeof(place)) == 0;

		close(fd);
		if (is_free)
			return next++;
	}
}

int
door_connect(const struct door *door)
{
	struct timeval patience = {END_MS / 1000, 0};
	struct sockaddr_in place;
	gint64 end = g_get_monotonic_time() + (gint64)END_MS * 1000;

	for (;;) {
		int fd = door_socket(door->address, door->port, &place);

		if (connect(fd, (struct sockaddr *)&place, sizeof(place)) == 0) {
			setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
			return fd;
		}
		close(fd);
		cr_assert(g_get_monotonic_time() < end && test_program_wait(door->program, 0) == -1,
		    "the door does not open: %s", test_program_log(door->program));
		g_usleep(2000);
	}
}

void
door_send(int fd, const char *text)
{
	cr_assert_eq(send(fd, text, strlen(text), MSG_NOSIGNAL), (gssize)strlen(text));
}

char *
door_read(int fd, const char *until)
{
	GString *text = g_string_new(NULL);
	char bytes[4096];
	gssize got;

	while (!(until && g_str_has_suffix(text->str, until)) &&
	       (got = recv(fd, bytes, sizeof(bytes), 0)) > 0)
		g_string_append_len(text, bytes, got);
	return g_string_free(text, FALSE);
}

char *
door_talk(const struct door *door, const char *text, gsize size)
{
	int fd = door_connect(door);
	gsize sent = 0;

	while (sent < size) {
		gssize put = send(fd, text + sent, size - sent, MSG_NOSIGNAL);
		if (put <= 0)
			break;
		sent += (gsize)put;
	}
	shutdown(fd, SHUT_WR);
	g_autofree char *all = door_read(fd, NULL);
	close(fd);
	char *line = strstr(all, "\r\n");
	return g_strdup(line ? line + 2 : all);
}

char *
door_plain(const char *key)
{
	g_autofree char *text = g_strconcat("?user?", key, NULL);
	gsize size = strlen(text);

	text[0] = text[5] = '\0';
	return g_base64_encode((const guchar *)text, size);
}

char *
door_submit(
    const struct door *door, const char *sender, const char *recipients, const char *message)
{
	g_autofree char *plain = door_plain(FULL);
	g_autoptr(GString) text = g_string_new(NULL);
	g_auto(GStrv) words = g_strsplit(recipients, " ", -1);

	g_string_append_printf(
	    text, "EHLO client\r\nAUTH PLAIN %s\r\nMAIL FROM:<%s>\r\n", plain, sender);
	for (char **word = words; *word; word++)
		g_string_append_printf(text, "RCPT TO:<%s>\r\n", *word);
	g_string_append_printf(text, "DATA\r\n%s\r\n.\r\nQUIT\r\n", message);
	g_autofree char *all = door_talk(door, text->str, text->len);
	char *reply = strstr(all, "\r\n354 ");
	cr_assert(reply, "got %s", all);
	reply = strstr(reply + 2, "\r\n") + 2;
	return g_strndup(reply, strcspn(reply, "\r"));
}

struct door *
door_open(const char *more)
{
	struct door *door = g_new0(struct door, 1);
	g_autofree char *settings = g_strconcat("[service]\nmode = sync\n",
	    more ? more : "[smtpd]\nhostname = mail.example.net\n", NULL);

	door->house = test_house_open(NULL, settings);
	test_house_domain(door->house, "example.org");
	test_house_key(door->house, FULL, KEY_FULL, 0);
	test_house_key(door->house, SEND, KEY_SEND, 0);
	test_house_key(door->house, READ, KEY_READ, 0);
	door->port = door_port();
	g_autofree char *place = g_strdup_printf("127.0.0.1:%u", door->port);
	const char *argv[] = {
	    "posthouse-smtpd", "--config", door->house->config, "--listen", place, NULL};
	door->program = test_program_start(argv, NULL, -1, -1);
	return door;
}

void
door_close(struct door *door)
{
	test_program_signal(door->program, SIGTERM);
	cr_expect_eq(test_program_wait(door->program, END_MS), 0);
	test_program_free(door->program);
	test_house_close(door->house);
	g_free(door);
}
