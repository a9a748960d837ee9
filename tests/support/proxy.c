/* SPDX-License-Identifier: MIT */
/* A proxy of MariaDB's protocol that loses commands and answers on demand. */
#include "tests/support/proxy.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/support/settings.h"

#define HEADER 4 /* three bytes of length, one of sequence */

struct test_proxy {
	char *path, *target;
	GThread *thread;
	int listener, stop[2];

	GMutex mutex; /* of all below */
	bool armed;
	enum test_proxy_fault fault;
	enum test_proxy_command command;
	char *text;
	guint code, commands;
	GHashTable *prepared; /* the statements of the connection: their number -> their text */
	char *preparing;      /* the text of the one whose number comes with the next answer */
	int late; /* the server's end of a connection on which held is still on its way */
	GByteArray *held;
};

struct pair {
	struct test_proxy *proxy;
	int client, server;
	GByteArray *sent; /* by the client, not yet passed on */
};

static int
unix_socket(const char *path, struct sockaddr_un *address_r)
{
	*address_r = (struct sockaddr_un){.sun_family = AF_UNIX};
	g_assert(strlen(path) < sizeof(address_r->sun_path));
	strcpy(address_r->sun_path, path);
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static void
proxy_send_all(int fd, const void *data, gsize size)
{
	while (size > 0) {
		ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);
		if (sent <= 0)
			return;
		data = (const char *)data + sent;
		size -= (gsize)sent;
	}
}

static void
send_error(int fd, guint code)
{
	static const char text[] = "#HY000an error of the test";
	guint8 packet[HEADER + 3 + sizeof(text) - 1] = {
	    3 + sizeof(text) - 1, 0, 0, 1, 0xff, (guint8)code, (guint8)(code >> 8)};

	memcpy(packet + HEADER + 3, text, sizeof(text) - 1);
	proxy_send_all(fd, packet, sizeof(packet));
}

static gpointer
number_at(const guint8 *bytes)
{
	return GUINT_TO_POINTER(bytes[0] | (guint)bytes[1] << 8 | (guint)bytes[2] << 16);
}

/* The text of a command, or of the statement that it executes. */
static char *
said(const struct test_proxy *proxy, const guint8 *packet, gsize size)
{
	const guint8 *body = packet + HEADER + 1;

	if (packet[HEADER] != TEST_PROXY_EXECUTE)
		return g_strndup((const char *)body, size - HEADER - 1);
	return g_strdup(g_hash_table_lookup(proxy->prepared, number_at(body)));
}

static bool
proxy_is_meant(const struct test_proxy *proxy, guint8 command, const char *text)
{
	if (proxy->command != TEST_PROXY_COMMIT)
		return command == proxy->command && g_str_has_prefix(text, proxy->text);
	return (command == TEST_PROXY_QUERY && strcmp(text, "COMMIT") == 0) ||
	       (command == TEST_PROXY_EXECUTE && g_str_has_suffix(text, "COMMIT; END"));
}

static void
proxy_wait_for_answer(int fd)
{
	struct pollfd answer = {.fd = fd, .events = POLLIN};

	poll(&answer, 1, -1);
}

static void
deliver_late(struct test_proxy *proxy)
{
	if (proxy->late < 0)
		return;
	proxy_send_all(proxy->late, proxy->held->data, proxy->held->len);
	proxy_wait_for_answer(proxy->late);
	close(proxy->late);
	proxy->late = -1;
}

/* Counts the packet if it begins a command, and tells whether it is the one to break. */
static bool
is_broken(struct test_proxy *proxy, const guint8 *packet, gsize size)
{
	if (packet[3] != 0 || size <= HEADER)
		return false;
	g_autofree char *text = said(proxy, packet, size);
	if (packet[HEADER] == TEST_PROXY_PREPARE)
		proxy->preparing = g_strdup(text);
	g_mutex_lock(&proxy->mutex);
	proxy->commands++;
	bool meant = proxy->text && text && proxy_is_meant(proxy, packet[HEADER], text);
	bool yes = proxy->armed && meant;
	proxy->armed &= !yes;
	g_mutex_unlock(&proxy->mutex);
	if (meant)
		deliver_late(proxy);
	return yes;
}

static void
pass_beginning(struct pair *pair)
{
	guint8 bytes[1000];
	ssize_t got = recv(pair->server, bytes, sizeof(bytes), 0);

	if (got > 0)
		proxy_send_all(pair->client, bytes, (gsize)got);
}

/* False when the connection ends with it. */
static bool
pass_packet(struct pair *pair, const guint8 *packet, gsize size)
{
	if (!is_broken(pair->proxy, packet, size)) {
		proxy_send_all(pair->server, packet, size);
		return true;
	}
	switch (pair->proxy->fault) {
	case TEST_PROXY_ERROR:
		send_error(pair->client, pair->proxy->code);
		return true;
	case TEST_PROXY_CUT_ANSWER:
		proxy_send_all(pair->server, packet, size);
		proxy_wait_for_answer(pair->server);
		return false;
	case TEST_PROXY_CUT_WITHIN:
		proxy_send_all(pair->server, packet, size);
		pass_beginning(pair);
		return false;
	case TEST_PROXY_LATE:
		pair->proxy->late = pair->server;
		pair->server = -1;
		g_byte_array_set_size(pair->proxy->held, 0);
		g_byte_array_append(pair->proxy->held, packet, (guint)size);
		return false;
	default:
		return false;
	}
}

static bool
pass_commands(struct pair *pair)
{
	guint8 bytes[65536];
	ssize_t got = recv(pair->client, bytes, sizeof(bytes), 0);

	if (got <= 0)
		return false;
	g_byte_array_append(pair->sent, bytes, (guint)got);
	while (pair->sent->len >= HEADER) {
		const guint8 *packet = pair->sent->data;
		guint size = HEADER + (packet[0] | (guint)packet[1] << 8 | (guint)packet[2] << 16);
		if (pair->sent->len < size)
			break;
		if (!pass_packet(pair, packet, size))
			return false;
		g_byte_array_remove_range(pair->sent, 0, size);
	}
	return true;
}

/* The answer about a prepared statement: 0x00, then its number. */
static void
proxy_read_number(struct test_proxy *proxy, const guint8 *answer, gsize size)
{
	char *text = g_steal_pointer(&proxy->preparing);

	if (text && size > HEADER + 4 && answer[HEADER] == 0)
		g_hash_table_insert(proxy->prepared, number_at(answer + HEADER + 1), text);
	else
		g_free(text);
}

static bool
pass_answers(struct pair *pair)
{
	guint8 bytes[65536];
	ssize_t got = recv(pair->server, bytes, sizeof(bytes), 0);

	if (got <= 0)
		return false;
	proxy_read_number(pair->proxy, bytes, (gsize)got);
	proxy_send_all(pair->client, bytes, (gsize)got);
	return true;
}

static void
proxy_serve(struct test_proxy *proxy, int client)
{
	struct sockaddr_un address;
	struct pair pair = {.proxy = proxy, .client = client, .sent = g_byte_array_new()};
	bool open;

	g_hash_table_remove_all(proxy->prepared);
	g_clear_pointer(&proxy->preparing, g_free);
	pair.server = unix_socket(proxy->target, &address);
	open = connect(pair.server, (struct sockaddr *)&address, sizeof(address)) == 0;
	while (open) {
		struct pollfd fds[] = {{.fd = pair.client, .events = POLLIN},
		    {.fd = pair.server, .events = POLLIN},
		    {.fd = proxy->stop[0], .events = POLLIN}};
		poll(fds, G_N_ELEMENTS(fds), -1);
		if (fds[2].revents)
			open = false;
		if (open && fds[0].revents)
			open = pass_commands(&pair);
		if (open && fds[1].revents)
			open = pass_answers(&pair);
	}
	close(pair.client);
	if (pair.server >= 0)
		close(pair.server);
	g_byte_array_unref(pair.sent);
}

static gpointer
proxy_run(gpointer data)
{
	struct test_proxy *proxy = data;

	for (;;) {
		struct pollfd fds[] = {{.fd = proxy->listener, .events = POLLIN},
		    {.fd = proxy->stop[0], .events = POLLIN}};
		poll(fds, G_N_ELEMENTS(fds), -1);
		if (fds[1].revents)
			return NULL;
		int client = accept(proxy->listener, NULL, NULL);
		if (client >= 0)
			proxy_serve(proxy, client);
	}
}

struct test_proxy *
test_proxy_start(const char *path, const char *target)
{
	struct test_proxy *proxy = g_new0(struct test_proxy, 1);
	struct sockaddr_un address;

	proxy->path = g_strdup(path);
	proxy->target = g_strdup(target);
	proxy->prepared = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	proxy->late = -1;
	proxy->held = g_byte_array_new();
	g_mutex_init(&proxy->mutex);
	proxy->listener = unix_socket(path, &address);
	if (pipe(proxy->stop) != 0 ||
	    bind(proxy->listener, (struct sockaddr *)&address, sizeof(address)) != 0 ||
	    listen(proxy->listener, 8) != 0)
		g_error("%s: %s", path, g_strerror(errno));
	proxy->thread = g_thread_new("proxy", proxy_run, proxy);
	return proxy;
}

void
test_proxy_break(struct test_proxy *proxy, enum test_proxy_fault fault,
    enum test_proxy_command command, const char *text, guint code)
{
	g_mutex_lock(&proxy->mutex);
	proxy->armed = true;
	proxy->fault = fault;
	proxy->command = command;
	g_free(proxy->text);
	proxy->text = g_strdup(text);
	proxy->code = code;
	g_mutex_unlock(&proxy->mutex);
}

guint
test_proxy_commands(struct test_proxy *proxy)
{
	g_mutex_lock(&proxy->mutex);
	guint commands = proxy->commands;
	g_mutex_unlock(&proxy->mutex);
	return commands;
}

void
test_proxy_stop(struct test_proxy *proxy)
{
	if (write(proxy->stop[1], "", 1) != 1)
		g_error("cannot stop the proxy");
	g_thread_join(proxy->thread);
	close(proxy->listener);
	close(proxy->stop[0]);
	close(proxy->stop[1]);
	unlink(proxy->path);
	g_mutex_clear(&proxy->mutex);
	g_free(proxy->path);
	g_free(proxy->target);
	g_free(proxy->text);
	g_hash_table_destroy(proxy->prepared);
	g_free(proxy->preparing);
	if (proxy->late >= 0)
		close(proxy->late);
	g_byte_array_unref(proxy->held);
	g_free(proxy);
}

struct test_proxy *
test_proxied_database(struct config_settings **direct_r, struct config_settings **proxied_r)
{
	const char *dir = test_mariadb_dir(NULL);
	g_autofree char *target = test_mariadb_socket(NULL);
	g_autofree char *path = g_strdup_printf("%s/p%d", dir, (int)getpid());
	g_autofree char *name = g_strdup_printf("proxy_%d", (int)getpid());

	*direct_r = test_mariadb_database(NULL, NULL);
	g_autofree char *text = g_strdup_printf("[database]\nsocket = %s\nuser = root\nname = %s\n",
	    path, config_settings_text(*direct_r, SETTING_DATABASE_NAME));
	*proxied_r = test_settings_load(dir, name, text);
	return test_proxy_start(path, target);
}
