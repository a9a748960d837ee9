/* SPDX-License-Identifier: MIT */
/* Parts of the bench of webhooks:
   - webhooks receive: answers 200 to all requests, on a free port that it prints, until it is
     killed.
   - webhooks floor PORT COUNT: posts COUNT times there with curl's multi interface alone, on 4
     connections, and prints the posts per second.
   - webhooks fill SETTINGS PORT COUNT: makes a webhook there with COUNT pending events. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/secret.h"
#include "config/settings.h"
#include "db/connection.h"
#include "db/statement.h"
#include "fetch/curl.h"
#include "store/workspace/workspace.h"

#define CONNECTIONS 4
#define PEERS 256
#define ROWS 500

/* Answers each whole request in bytes, and returns how many bytes are left of it. */
static gsize
webhooks_answer(int socket, char *bytes, gsize size)
{
	static const char ok[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
	char *end;

	bytes[size] = '\0';
	while ((end = strstr(bytes, "\r\n\r\n"))) {
		const char *length = strcasestr(bytes, "\r\nContent-Length:");
		gsize whole = (gsize)(end + 4 - bytes) +
			      (length && length < end ? strtoul(length + 17, NULL, 10) : 0);

		if (whole > size)
			break;
		if (send(socket, ok, strlen(ok), MSG_NOSIGNAL) < 0)
			return 0;
		size -= whole;
		memmove(bytes, bytes + whole, size + 1);
	}
	return size;
}

static int
webhooks_receive(void)
{
	static char bytes[PEERS][65536];
	static gsize sizes[PEERS];
	struct pollfd peers[PEERS] = {{socket(AF_INET, SOCK_STREAM, 0), POLLIN, 0}};
	struct sockaddr_in address = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	nfds_t count = 1;
	int on = 1;

	if (bind(peers[0].fd, (struct sockaddr *)&address, size) != 0 ||
	    listen(peers[0].fd, 100) != 0 ||
	    getsockname(peers[0].fd, (struct sockaddr *)&address, &size) != 0)
		return 1;
	printf("%u\n", ntohs(address.sin_port));
	fflush(stdout);
	while (poll(peers, count, -1) >= 0) {
		for (nfds_t i = 1; i < count; i++) {
			if (!peers[i].revents)
				continue;
			ssize_t got = recv(
			    peers[i].fd, bytes[i] + sizes[i], sizeof(bytes[i]) - sizes[i] - 1, 0);
			if (got > 0) {
				sizes[i] =
				    webhooks_answer(peers[i].fd, bytes[i], sizes[i] + (gsize)got);
				continue;
			}
			close(peers[i].fd);
			peers[i].fd = -1;
		}
		if (!(peers[0].revents & POLLIN))
			continue;
		nfds_t place = 1;
		while (place < count && peers[place].fd >= 0)
			place++;
		peers[place] = (struct pollfd){accept(peers[0].fd, NULL, NULL), POLLIN, 0};
		setsockopt(peers[place].fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		sizes[place] = 0;
		count = MAX(count, place + 1);
	}
	return 1;
}

static size_t
webhooks_drop(char *bytes, size_t unit, size_t count, void *data)
{
	return unit * count;
}

static int
run_floor(const char *port, int count)
{
	const struct fetch_curl *curl = fetch_curl();
	g_autofree char *url = g_strdup_printf("http://127.0.0.1:%s/", port);
	g_autofree char *body = g_strnfill(300, 'x');
	CURLM *multi = curl->multi_init();
	gint64 begin = g_get_monotonic_time();
	int begun = 0, done = 0, running;
	CURLMsg *message;

	for (; begun < CONNECTIONS; begun++) {
		CURL *handle = fetch_curl_new();

		curl->easy_setopt(handle, CURLOPT_URL, url);
		curl->easy_setopt(handle, CURLOPT_POSTFIELDS, body);
		curl->easy_setopt(handle, CURLOPT_WRITEFUNCTION, webhooks_drop);
		curl->multi_add_handle(multi, handle);
	}
	while (done < count) {
		curl->multi_perform(multi, &running);
		while ((message = curl->multi_info_read(multi, &running))) {
			CURL *handle = message->easy_handle;

			done++;
			curl->multi_remove_handle(multi, handle);
			if (begun++ < count)
				curl->multi_add_handle(multi, handle);
		}
		curl->multi_poll(multi, NULL, 0, 100, NULL);
	}
	printf("%.0f\n", count * 1e6 / (double)(g_get_monotonic_time() - begin));
	return 0;
}

static bool
add_webhook(struct db *db, const struct config_settings *settings, const struct base_id *workspace,
    const char *port, struct base_id *id_r, GError **error)
{
	static const char sql[] =
	    "INSERT INTO webhook (id, workspace_id, url, events, enabled, batch, description,"
	    " created, secret) VALUES (?, ?, ?, 0, 1, 0, '', ?, ?)";
	g_autofree char *url = g_strdup_printf("http://127.0.0.1:%s/", port);
	g_autofree char *key = g_strnfill(32, 'k');
	g_autoptr(GBytes) plain = g_bytes_new(key, 32);
	gsize size;

	*id_r = base_id_new();
	g_autoptr(GBytes) sealed =
	    base_secret_encrypt(config_settings_secret(settings), plain, id_r, sizeof(*id_r));
	const void *bytes = g_bytes_get_data(sealed, &size);
	return db_run(db, sql,
	    DB_VALUES(db_id(id_r), db_id(workspace), db_text(url), db_int(base_clock_now()),
		db_bytes(bytes, size)),
	    NULL, error);
}

/* Adds rows, all of them due since a minute ago. */
static bool
add_events(struct db *db, const struct base_id *workspace, const struct base_id *webhook,
    guint count, GError **error)
{
	static const char event[] =
	    "INSERT INTO webhook_event (id, workspace_id, created, type, data)"
	    " VALUES (?, ?, ?, 13, ?)";
	static const char delivery[] =
	    "INSERT INTO webhook_delivery (webhook_id, id, workspace_id, event_id, type, created,"
	    " status, attempts, next_attempt) VALUES (?, ?, ?, ?, 13, ?, 1, 0, ?)";
	g_autofree char *data = g_strnfill(200, '0');
	g_autofree char *json = g_strdup_printf("{\"a\":\"%s\"}", data);
	g_autofree struct base_id *ids = g_new(struct base_id, count);
	g_autofree struct db_value *events = g_new(struct db_value, 4 * (gsize)count);
	g_autofree struct db_value *deliveries = g_new(struct db_value, 6 * (gsize)count);
	gint64 at = base_clock_now() - 60000;

	for (guint i = 0; i < count; i++) {
		ids[i] = base_id_new();
		struct db_value *v = &events[4 * i], *d = &deliveries[6 * i];
		v[0] = db_id(&ids[i]);
		v[1] = db_id(workspace);
		v[2] = db_int(at);
		v[3] = db_text(json);
		d[0] = db_id(webhook);
		d[1] = db_id(&ids[i]);
		d[2] = db_id(workspace);
		d[3] = db_id(&ids[i]);
		d[4] = d[5] = db_int(at);
	}
	return db_run_rows(db, event, events, 4, count, NULL, error) &&
	       db_run_rows(db, delivery, deliveries, 6, count, NULL, error);
}

static int
webhooks_fill(const char *path, const char *port, int count)
{
	g_autoptr(GError) error = NULL;
	AUTO(config_settings) settings = config_settings_load(path, &error);
	AUTO(db) db = settings ? db_open(settings, &error) : NULL;
	AUTO(store_workspace) workspace = db ? store_workspace_find(db, NULL, &error) : NULL;
	struct base_id webhook;
	bool done = workspace && add_webhook(db, settings, &workspace->id, port, &webhook, &error);

	for (int i = 0; done && i < count; i += ROWS)
		done =
		    add_events(db, &workspace->id, &webhook, (guint)MIN(ROWS, count - i), &error);
	if (!done)
		fprintf(stderr, "webhooks: %s\n", error->message);
	return !done;
}

int
main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "receive") == 0)
		return webhooks_receive();
	if (argc == 4 && strcmp(argv[1], "floor") == 0)
		return run_floor(argv[2], atoi(argv[3]));
	if (argc == 5 && strcmp(argv[1], "fill") == 0)
		return webhooks_fill(argv[2], argv[3], atoi(argv[4]));
	return 64;
}
