/* SPDX-License-Identifier: MIT */
#include "core/relay.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>

#include "base/settings.h"
#include "tests/support/settings.h"

static char *
list(const char *dir, const char *text)
{
	AUTO(base_settings) settings = test_settings_load(dir, "relay", text);
	g_autoptr(GPtrArray) relays = core_relay_list(settings);
	GString *lines = g_string_new(NULL);

	for (guint i = 0; i < relays->len; i++) {
		const struct smtp_relay *relay = relays->pdata[i];
		g_string_append_printf(lines,
		    "%s:%u tls %d ca '%s' unverified %d user '%s' password '%s' helo '%s' "
		    "%u %u %u dsn %d\n",
		    relay->host, relay->port, relay->tls, relay->tls_ca, relay->unverified,
		    relay->user, relay->password, relay->helo, relay->connect_timeout_s,
		    relay->timeout_s, relay->dot_timeout_s, relay->dsn);
	}
	return g_string_free(lines, FALSE);
}

Test(relay, is_what_the_settings_say)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
	    {"", "127.0.0.1:25 tls 1 ca '' unverified 0 user '' password '' helo '' 5 60 600 dsn "
		 "1\n"},
	    {"[smtp]\nhost = a.example, b.example:2525 192.0.2.1:1\nport = 587\ntls = required\n"
	     "tls_ca = /ca.pem\ntls_verify = no\nuser = u\npassword = p\nhelo = "
	     "h.example\nconnect_timeout = 3\n"
	     "timeout = 7\ndata_timeout = 8\ndsn = no\n",
		"a.example:587 tls 2 ca '/ca.pem' unverified 1 user 'u' password 'p' helo "
		"'h.example' 3 7 8 "
		"dsn 0\n"
		"b.example:2525 tls 2 ca '/ca.pem' unverified 1 user 'u' password 'p' helo "
		"'h.example' 3 7 8 "
		"dsn 0\n"
		"192.0.2.1:1 tls 2 ca '/ca.pem' unverified 1 user 'u' password 'p' helo "
		"'h.example' 3 7 8 "
		"dsn 0\n"},
	};
	g_autofree char *dir = g_dir_make_tmp("posthouse-XXXXXX", NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = list(dir, cases[i].text);
		cr_expect_str_eq(got, cases[i].want, "got\n%swant\n%s", got, cases[i].want);
	}
	g_autofree char *command = g_strdup_printf("rm -rf '%s'", dir);
	cr_assert_eq(system(command), 0);
}
