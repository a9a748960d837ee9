/* SPDX-License-Identifier: MIT */
#include "tests/cli/broken.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>
#include <utime.h>

#include "tests/cli/program.h"
#include "tests/support/http_server.h"
#include "tests/support/mariadb.h"
#include "tests/support/settings.h"

char *broken_database;

static void
broken_serve(struct http_peer *peer, const char *request, void *data)
{
	enum web web = *(enum web *)data;
	bool bearer = strstr(request, "Authorization: Bearer ph_") && web < WEB_STRIPS;
	bool own = strstr(request, "X-API-Key: ph_") && web <= WEB_STRIPS;
	bool is_health = g_str_has_prefix(request, "GET /base/health ");
	const char *status = "200 OK", *body = "{\"status\":\"ok\"}";

	if (web == WEB_SILENT) {
		http_peer_left(peer, -1);
		return;
	}
	if (web == WEB_OTHER || (!is_health && web == WEB_PARTIAL)) {
		status = web == WEB_OTHER ? "200 OK" : "404 Not Found";
		body = "<html>It works!</html>";
	} else if (web == WEB_BROKEN) {
		status = "503 Service Unavailable";
		body = "{\"message\":\"The database cannot be reached\"}";
	} else if (!is_health && !bearer && !own) {
		status = web == WEB_FOREIGN ? "403 Forbidden" : "401 Unauthorized";
		body = web == WEB_FOREIGN ? "{\"code\":\"api_key_invalid\"}"
					  : "{\"code\":\"api_key_missing\"}";
	}
	g_autofree char *answer =
	    g_strdup_printf("HTTP/1.1 %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s",
		status, strlen(body), body);
	http_peer_send(peer, answer, strlen(answer));
}

/* The text of the settings of an installation. The caller owns it. */
static char *
broken_settings_of(const struct broken *broken, const struct smtp_server *relay, int web)
{
	g_autofree char *socket = test_mariadb_socket(NULL);
	g_auto(GStrv) parts = g_strsplit(broken->relay ? broken->relay : "", "CA\n", -1);
	g_autofree char *ca = g_strconcat(smtp_server_ca(relay), "\n", NULL);
	g_autofree char *lines = g_strjoinv(ca, parts);
	g_autofree char *own =
	    g_strdup_printf("host = 127.0.0.1\nport = %u\n", smtp_server_port(relay));

	g_autofree char *served = g_strdup_printf("http://127.0.0.1:%d/base", web);

	return g_strdup_printf("[database]\nsocket = %s\nuser = root\nname = %s\n"
			       "[service]\nmail_from_mx = mx.example.com\nurl = %s\n"
			       "[relay main]\n%s%s",
	    socket, broken_database, broken->url ? broken->url : served,
	    broken->address ? broken->address : own, lines);
}

/* Notes a run of the spool so many minutes ago, or NEVER. */
static void
broken_note_run(int minutes)
{
	g_autofree char *path =
	    g_strdup_printf("%s/%s.spool/last-run", test_mariadb_dir(NULL), broken_database);
	struct utimbuf times = {.modtime = time(NULL) - 60 * minutes};

	g_unlink(path);
	if (minutes == NEVER)
		return;
	cr_assert(g_file_set_contents(path, "", 0, NULL));
	cr_assert_eq(utime(path, &times), 0);
}

/* Runs a statement on the database. */
static void
broken_change(const char *statement)
{
	g_auto(GStrv) parts = g_strsplit(statement ? statement : "", "%s", -1);
	g_autofree char *text = g_strjoinv(broken_database, parts);

	if (statement)
		g_free(test_mariadb_sql(NULL, "%s", text));
}

void
broken_expect(const char *name, const char *config, const char *only, int status, const char *want)
{
	AUTO(outcome)
	got = program_run(config, only ? (const char *[]){"doctor", "--only", only, NULL}
				       : (const char *[]){"doctor", NULL});
	g_auto(GStrv) lines = g_strsplit(got->output, "\n      ", -1);
	g_autofree char *output = g_strjoinv(" ", lines);
	g_autofree char *pattern = only ? g_strconcat("*", want, "*", NULL) : g_strdup(want);

	cr_expect(g_pattern_match_simple(pattern, output), "%s: got\n%s%s\nwant %s", name, output,
	    got->errors, want);
	cr_expect_eq(got->status, status, "%s: got %d, want %d", name, got->status, status);
	cr_expect(
	    !strstr(output, "right-one") && !strstr(output, "wrong-one") && !strstr(output, "ph_"),
	    "%s: a secret in %s", name, output);
}

void
broken_examine(const struct broken *broken)
{
	AUTO(smtp_server) relay = smtp_server_start(&broken->script);
	enum web web = broken->web;
	struct http_server *server = http_server_start("127.0.0.1", NULL, broken_serve, &web);
	g_autofree char *text = broken_settings_of(broken, relay, http_server_port(server));
	g_autofree char *config =
	    test_settings_write(test_mariadb_dir(NULL), broken_database, text);

	broken_note_run(broken->ran);
	broken_change(broken->sql);
	broken_expect(broken->name, config, broken->only, broken->status, broken->want);
	broken_change(broken->again);
	smtp_server_stop(relay);
	http_server_stop(server);
	cr_expect_eq(smtp_server_count(relay), 0, "%s: mail left", broken->name);
	const char *login = strstr(smtp_server_log(relay), "AUTH PLAIN");
	cr_expect(!login || !strstr(login + 1, "AUTH PLAIN"), "%s: two logins", broken->name);
}

char *
broken_install(void)
{
	static const char *const commands[] = {"schema migrate", "workspace create One",
	    "user add ada@x.org", "key create --user ada@x.org", "domain add example.com",
	    "domain trust example.com"};
	char *config = test_mariadb_file(NULL, NULL, NULL);

	broken_database = g_strdup_printf("test_%d", (int)getpid());
	for (gsize i = 0; i < G_N_ELEMENTS(commands); i++)
		g_free(program_line(config, commands[i]));
	return config;
}
