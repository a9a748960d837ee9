/* SPDX-License-Identifier: MIT */
/* Tests redirects and the addresses they may lead to. */
#include <criterion/criterion.h>
#include <curl/curl.h>
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/fetch.h"
#include "fetch/fetch.h"
#include "tests/fetch/names.h"
#include "tests/support/http_server.h"

/* The redirect target of a path; $P is the port of the server, $Q that of the other server. */
static const struct {
	const char *path, *location;
	int status;
} redirects[] = {
    {"/1", "http://127.0.0.1:$P/ok", 301},
    {"/2", "http://127.0.0.1:$P/1", 302},
    {"/3", "http://127.0.0.1:$P/2", 303},
    {"/4", "http://127.0.0.1:$P/3", 301},
    {"/307", "/ok", 307},
    {"/308", "/ok", 308},
    {"/a/relative", "../ok", 302},
    {"/same-scheme", "//127.0.0.1:$P/ok", 302},
    {"/space", "/o k", 302},
    {"/loop", "/loop", 302},
    {"/slow", "/slow-ok", 302},
    {"/file", "file:///etc/passwd", 302},
    {"/ftp", "ftp://127.0.0.1:$P/ok", 302},
    {"/gopher", "gopher://127.0.0.1:$P/ok", 302},
    {"/user", "http://user:pass@127.0.0.1:$P/ok", 302},
    {"/control", "/\x1b[31m", 302},
    {"/empty-host", "http://", 302},
    {"/other", "http://127.0.0.2:$Q/ok", 302},
    {"/other-2", "/other", 302},
    {"/back", "http://127.0.0.1:$P/ok", 302},
    {"/mapped", "http://[::ffff:127.0.0.1]:$P/ok", 302},
    {"/private", "http://10.0.0.1/", 302},
    {"/metadata", "http://169.254.169.254/latest/meta-data/", 302},
    {"/rebind", "http://rebind.test:$P/ok", 302},
};

static struct http_server *server, *other;

static char *
with_ports(const char *text)
{
	GString *filled = g_string_new(text);
	g_autofree char *port = g_strdup_printf("%d", http_server_port(server));
	g_autofree char *other_port = g_strdup_printf("%d", http_server_port(other));

	g_string_replace(filled, "$P", port, 0);
	g_string_replace(filled, "$Q", other_port, 0);
	return g_string_free(filled, FALSE);
}

static void
hops_serve(struct http_peer *peer, const char *request, void *data)
{
	const char *path = strchr(request, ' ') + 1;
	size_t length = strcspn(path, " ");
	g_autofree char *answer = g_strdup("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");

	for (size_t i = 0; i < G_N_ELEMENTS(redirects); i++) {
		if (strlen(redirects[i].path) != length ||
		    strncmp(redirects[i].path, path, length) != 0)
			continue;
		g_autofree char *location = with_ports(redirects[i].location);
		g_free(answer);
		answer = g_strdup_printf("HTTP/1.1 %d Moved\r\nLocation: %s\r\n"
					 "Set-Cookie: a=b; path=/\r\nContent-Length: 0\r\n\r\n",
		    redirects[i].status, location);
	}
	if (g_str_has_prefix(path, "/slow"))
		http_peer_left(peer, 700);
	http_peer_send(peer, answer, strlen(answer));
}

static void
hops_start(void)
{
	signal(SIGPIPE, SIG_IGN);
	server = http_server_start("127.0.0.1", NULL, hops_serve, NULL);
	other = http_server_start("127.0.0.2", NULL, hops_serve, NULL);
}

static void
hops_stop(void)
{
	http_server_stop(server);
	http_server_stop(other);
}

TestSuite(hops, .init = hops_start, .fini = hops_stop, .timeout = 900);

/* "" when the file came, else the error. */
static char *
hops_outcome(const char *url, const char *allow, gint64 patience)
{
	const char *const networks[] = {allow, NULL};
	const struct fetch_rules rules = {networks, NULL};
	g_autofree char *filled = with_ports(url);
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) got =
	    fetch_get(filled, &rules, 100, base_clock_boot() + patience, &error);

	for (const char *p = error ? error->message : ""; *p; p++)
		cr_expect_not(g_ascii_iscntrl(*p), "%s: a control character in the error", url);
	if (!got)
		return g_strdup(error->message);
	cr_expect(g_bytes_get_size(got) == 5, "%s: got another file", url);
	return g_strdup("");
}

Test(hops, follows_redirects_to_what_is_permitted)
{
	static const struct {
		const char *path, *want;
	} cases[] = {
	    {"/ok", ""},
	    {"/1", ""},
	    {"/2", ""},
	    {"/3", ""},
	    {"/4", "too many redirects, more than 3"},
	    {"/loop", "too many redirects, more than 3"},
	    {"/307", ""},
	    {"/308", ""},
	    {"/a/relative", ""},
	    {"/same-scheme", ""},
	    {"/space", ""},
	    {"/file",
		"the server redirects to \"file:///etc/passwd\", which is not a plain http or "
		"https URL"},
	    {"/ftp", "the server redirects to \"ftp:*"},
	    {"/gopher", "the server redirects to \"gopher:*"},
	    {"/user", "the server redirects to \"http://user:pass@*"},
	    {"/control", "the server redirects to \"/?[31m\"*"},
	    {"/empty-host", "the server redirects to \"http://\"*"},
	    {"/other", "not a public address"},
	    {"/other-2", "not a public address"},
	    {"/mapped", "not a public address"},
	    {"/private", "not a public address"},
	    {"/metadata", "not a public address"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *url = g_strconcat("http://127.0.0.1:$P", cases[i].path, NULL);
		g_autofree char *got = hops_outcome(url, "127.0.0.1", LIMIT_FETCH_MS);
		cr_expect(g_pattern_match_simple(cases[i].want, got), "%s: got \"%s\", want \"%s\"",
		    cases[i].path, got, cases[i].want);
	}
	cr_expect_eq(http_server_count(other), 0, "the other server was asked");
}

Test(hops, brings_nothing_along)
{
	g_autofree char *got =
	    hops_outcome("http://127.0.0.1:$P/other", "127.0.0.0/8", LIMIT_FETCH_MS);
	g_autofree char *request = http_server_last(other);
	g_autofree char *want = with_ports("GET /ok HTTP/1.1\r\nHost: 127.0.0.2:$Q\r\n"
					   "User-Agent: Posthouse\r\nAccept: */*\r\n\r\n");

	cr_expect_str_eq(got, "", "got %s", got);
	cr_expect_str_eq(request, want, "got %s", request);
}

Test(hops, counts_all_of_them_against_one_deadline)
{
	/* Enough for each, not for both. */
	g_autofree char *got = hops_outcome("http://127.0.0.1:$P/slow", "127.0.0.1", 1000);

	cr_expect(g_pattern_match_simple("it took longer than * ms", got), "got %s", got);
}

Test(hops, goes_to_no_address_of_this_machine)
{
	static const char *const urls[] = {
	    "http://127.0.0.1:$P/ok", "http://localhost:$P/ok", "http://localhost.:$P/ok",
	    "http://LOCALHOST:$P/ok", "http://sub.localhost:$P/ok", "http://loop4.test:$P/ok",
	    "http://loop4.test.:$P/ok", "http://loop6.test:$P/ok", "http://[::1]:$P/ok",
	    "http://[::]:$P/ok", "http://[::ffff:127.0.0.1]:$P/ok", "http://[::ffff:7f00:1]:$P/ok",
	    "http://[::127.0.0.1]:$P/ok", "http://[64:ff9b::127.0.0.1]:$P/ok",
	    "http://[2002:7f00:1::]:$P/ok", "http://[fe80::1%25lo]:$P/ok",
	    "http://2130706433:$P/ok", "http://0x7f000001:$P/ok", "http://0x7f.1:$P/ok",
	    "http://0177.0.0.1:$P/ok", "http://017700000001:$P/ok", "http://127.1:$P/ok",
	    "http://127.0.0.1.:$P/ok", "http://0:$P/ok", "http://0.0.0.0:$P/ok",
	    "http://%31%32%37.0.0.1:$P/ok",
	    "http://\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.0.0.1:$P/ok", /* fullwidth digits */
	};

	names_add("loop4.test", "127.0.0.1", NULL);
	names_add("loop4.test.", "127.0.0.1", NULL);
	names_add("loop6.test", "::1", NULL);
	names_add("localhost.", "127.0.0.1", NULL);
	names_add("127.0.0.1.", "127.0.0.1", NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(urls); i++) {
		g_autofree char *got = hops_outcome(urls[i], NULL, LIMIT_FETCH_MS);
		cr_expect(strcmp(got, "not a public address") == 0, "%s: got \"%s\"", urls[i], got);
	}
	cr_expect_eq(http_server_count(server), 0, "the server was asked");
}

Test(hops, goes_by_name_only_to_what_is_permitted)
{
	static const struct {
		const char *name, *url, *want;
	} cases[] = {
	    {"localhost", "http://localhost:$P/ok", ""},
	    {"a name", "http://one.test:$P/ok", ""},
	    {"a name of two addresses", "http://two.test:$P/ok", ""},
	    {"both not permitted", "http://none.test:$P/ok", "not a public address"},
	    {"a name that changes", "http://rebind.test:$P/rebind", "not a public address"},
	    {"no such name", "http://absent.test:$P/ok", "the name does not resolve"},
	    {"no such port", "http://127.0.0.1:$Q/ok", "the server refuses connections"},
	};

	names_add("one.test", "127.0.0.1", NULL);
	names_add("two.test", "127.0.0.2 127.0.0.1", NULL);
	names_add("none.test", "127.0.0.2 127.0.0.3", NULL);
	names_add("rebind.test", "127.0.0.1", "127.0.0.2");
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = hops_outcome(cases[i].url, "127.0.0.1/32", LIMIT_FETCH_MS);
		cr_expect(g_pattern_match_simple(cases[i].want, got), "%s: got \"%s\", want \"%s\"",
		    cases[i].name, got, cases[i].want);
	}
	cr_expect_eq(http_server_count(other), 0, "the other server was asked");
}

Test(hops, goes_over_ipv6)
{
	int probe = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	g_autofree char *got = NULL;

	if (probe < 0)
		cr_skip_test("no IPv6 here");
	close(probe);
	http_server_stop(server);
	server = http_server_start("::1", NULL, hops_serve, NULL);
	got = hops_outcome("http://[::1]:$P/ok", "::1/128", LIMIT_FETCH_MS);
	cr_expect_str_eq(got, "", "got %s", got);
}

Test(hops, goes_through_no_proxy)
{
	static const char *const variables[] = {"http_proxy", "all_proxy", "ALL_PROXY"};
	g_autofree char *proxy = with_ports("http://127.0.0.2:$Q");
	g_autofree char *got = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(variables); i++)
		g_setenv(variables[i], proxy, TRUE);
	got = hops_outcome("http://127.0.0.1:$P/ok", "127.0.0.0/8", LIMIT_FETCH_MS);
	cr_expect_str_eq(got, "", "got %s", got);
	cr_expect_eq(http_server_count(server), 1);
	cr_expect_eq(http_server_count(other), 0, "the proxy was asked");
}

static int
count_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	int count = 0;

	while (tasks && readdir(tasks))
		count++;
	closedir(tasks);
	return count;
}

Test(hops, waits_for_no_resolver_past_the_deadline)
{
	int threads = count_threads();
	gint64 before = base_clock_boot(), taken;
	g_autofree char *got = NULL;

	if (curl_version_info(CURLVERSION_NOW)->version_num < 0x075700)
		cr_skip_test("this libcurl waits for its resolver");
	names_add_silent("silent.test");
	got = hops_outcome("http://silent.test:$P/ok", "127.0.0.1", 200);
	taken = base_clock_boot() - before;
	cr_expect(g_pattern_match_simple("it took longer than * ms", got), "got %s", got);
	cr_expect(taken < 60000, "took %d ms", (int)taken);
	names_release();
	while (count_threads() > threads)
		g_thread_yield();
}
