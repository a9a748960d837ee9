/* SPDX-License-Identifier: MIT */
/* Where requests come from, with and without proxies. */
#include "fcgi/client.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/settings.h"
#include "fcgi/request.h"
#include "tests/fcgi/fake_io.h"
#include "tests/support/settings.h"

#define TRUSTED "trust_proxy = 10.0.0.0/8, fd00::/8 192.0.2.7/32\n"

static void
expect(const struct base_settings *settings, const char *name, const char *peer, const char *header,
    const char *want)
{
	g_autofree char *remote = g_strconcat(peer ? "REMOTE_ADDR=" : "X=", peer, NULL);
	g_autofree char *forwarded = g_strconcat("HTTP_X_FORWARDED_FOR=", header, NULL);
	const char *params[] = {
	    "REQUEST_METHOD=GET", "PATH_INFO=/", remote, header ? forwarded : NULL, NULL};
	struct fcgi_io *io = fake_io_new(params, NULL, 0, 0);
	struct fcgi_request request;
	char text[ADDRESS_TEXT_SIZE];

	cr_assert(fcgi_request_read(&request, io));
	const char *got = fcgi_client_address(&request, settings, text) ? text : NULL;
	cr_expect_eq(g_strcmp0(got, want), 0, "%s: got %s, want %s", name, got, want);
	fcgi_request_clear(&request);
	fake_io_free(io);
}

Test(client, is_known_through_trusted_proxies_alone)
{
	static const struct {
		const char *name, *peer, *header, *want;
	} cases[] = {
	    {"no proxy", "203.0.113.5", NULL, "203.0.113.5"},
	    {"IPv6", "2001:DB8:0::5", NULL, "2001:db8::5"},
	    {"v4-mapped", "::ffff:203.0.113.5", NULL, "203.0.113.5"},
	    {"nobody", NULL, "203.0.113.5", NULL},
	    {"a socket", "unix:", "203.0.113.5", NULL},
	    {"a stranger's header", "203.0.113.5", "198.51.100.1", "203.0.113.5"},
	    {"a proxy's", "10.0.0.1", "198.51.100.1", "198.51.100.1"},
	    {"a v4-mapped proxy's", "::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"},
	    {"an IPv6 proxy's", "fd00::1", "2001:db8::1", "2001:db8::1"},
	    {"the only one of its network", "192.0.2.7", "198.51.100.1", "198.51.100.1"},
	    {"its neighbour", "192.0.2.8", "198.51.100.1", "192.0.2.8"},
	    {"a proxy without one", "10.0.0.1", NULL, "10.0.0.1"},
	    {"the right-most one", "10.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"},
	    {"through several proxies", "10.0.0.1", "1.1.1.1, 198.51.100.1,10.0.0.3 , fd00::2",
		"198.51.100.1"},
	    {"v4-mapped in between", "10.0.0.1", "198.51.100.1, ::ffff:10.9.9.9", "198.51.100.1"},
	    {"v4-mapped at its end", "10.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"},
	    {"none but proxies", "10.0.0.1", "10.0.0.9, 10.0.0.8", "10.0.0.9"},
	    {"with a port", "10.0.0.1", "198.51.100.1:4711", "198.51.100.1"},
	    {"IPv6 with a port", "10.0.0.1", "[2001:db8::1]:4711", "2001:db8::1"},
	    {"IPv6 in brackets", "10.0.0.1", "[2001:db8::1]", "2001:db8::1"},
	    {"garbage alone", "10.0.0.1", "unknown", "10.0.0.1"},
	    {"an empty header", "10.0.0.1", "", "10.0.0.1"},
	    {"commas", "10.0.0.1", ", ,,", "10.0.0.1"},
	    {"garbage on the left", "10.0.0.1", "<script>, 198.51.100.1", "198.51.100.1"},
	    {"garbage on the right", "10.0.0.1", "198.51.100.1, unix:", "198.51.100.1"},
	    {"what looks like an address", "10.0.0.1", "198.51.100.256", "10.0.0.1"},
	    {"a port that is none", "10.0.0.1", "198.51.100.1:x", "10.0.0.1"},
	    {"brackets that do not close", "10.0.0.1", "[2001:db8::1", "10.0.0.1"},
	    {"something behind the brackets", "10.0.0.1", "[2001:db8::1]x", "10.0.0.1"},
	    {"a zone", "10.0.0.1", "fe80::1%eth0", "10.0.0.1"},
	};
	g_autofree char *dir = g_dir_make_tmp("client-XXXXXX", NULL);
	struct base_settings *settings = test_settings_load(dir, "trusting", "[service]\n" TRUSTED);
	struct base_settings *plain = test_settings_load(dir, "plain", "");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		expect(settings, cases[i].name, cases[i].peer, cases[i].header, cases[i].want);
	expect(plain, "nobody is trusted", "10.0.0.1", "198.51.100.1", "10.0.0.1");
	base_settings_free(settings);
	base_settings_free(plain);
	g_autofree char *clean = g_strdup_printf("rm -r '%s'", dir);
	cr_assert_eq(system(clean), 0);
}
