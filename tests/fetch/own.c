/* SPDX-License-Identifier: MIT */
/* Tests that addresses of this machine are not asked, be they public. tests/fetch/own.sh runs it in
   a network where 9.9.9.9 is the address of an interface, and all of 8.8.8.0/24 leads here. */
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits/fetch.h"
#include "fetch/fetch.h"
#include "tests/fetch/names.h"
#include "tests/support/http_server.h"

static void
serve_file(struct http_peer *peer, const char *request, void *data)
{
	static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

	http_peer_send(peer, answer, strlen(answer));
}

Test(own, addresses_of_this_machine_are_not_asked, .timeout = 900)
{
	static const struct {
		const char *url, *allow;
		bool other_port;
		const char *want;
	} cases[] = {
	    {"http://9.9.9.9:%d/", NULL, false, "not a public address"},
	    {"http://here.test:%d/", NULL, false, "not a public address"},
	    {"http://8.8.8.8:%d/", NULL, false, "not a public address"},
	    {"http://8.8.8.8:%d/", NULL, true, "port %d is not permitted"},
	    {"http://here.test:%d/", "9.9.9.9", true, ""},
	    {"http://9.9.9.9:%d/", "9.9.9.0/24", true, ""},
	    {"http://8.8.8.8:%d/", "8.8.8.8", true, ""},
	};

	signal(SIGPIPE, SIG_IGN);
	names_add("here.test", "9.9.9.9", NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct http_server *here = http_server_start("0.0.0.0", NULL, serve_file, NULL);
		int number = http_server_port(here);
		g_autofree char *port = g_strdup_printf("%d", number);
		const char *const allow[] = {cases[i].allow, NULL};
		const char *const ports[] = {cases[i].other_port ? "8080" : port, NULL};
		const struct fetch_rules rules = {allow, ports};
		g_autoptr(GString) url = g_string_new(cases[i].url);
		g_autoptr(GString) want = g_string_new(cases[i].want);
		g_autoptr(GError) error = NULL;

		g_string_replace(url, "%d", port, 0);
		g_string_replace(want, "%d", port, 0);
		g_autoptr(GBytes) got =
		    fetch_get(url->str, &rules, 100, base_clock_boot() + LIMIT_FETCH_MS, &error);
		cr_expect_str_eq(error ? error->message : "", want->str, "%s: got \"%s\"", url->str,
		    error ? error->message : "");
		/* 8.8.8.8 shows as this machine's only once it is connected to: that counts. */
		bool is_late = strstr(url->str, "8.8.8.8") && !cases[i].other_port;
		int most = !*want->str || is_late ? 1 : 0;
		int count = http_server_count(here);
		cr_expect(count <= most && (*want->str || count == 1), "%s: %d connections",
		    url->str, count);
		http_server_stop(here);
	}
}
