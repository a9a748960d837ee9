/* SPDX-License-Identifier: MIT */
#include "relay/destination.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "config/settings.h"
#include "tests/support/nsd.h"
#include "tests/support/settings.h"

#define HOUR_MS ((gint64)3600 * 1000)

Test(destination, joins_domains_by_name)
{
	static const struct {
		const char *domain, *want;
	} cases[] = {
	    {"gmail.com", "gmail.com"},
	    {"googlemail.com", "gmail.com"},
	    {"outlook.com", "outlook.com"},
	    {"hotmail.com", "outlook.com"},
	    {"live.com", "outlook.com"},
	    {"msn.com", "outlook.com"},
	    {"yahoo.com", "yahoo.com"},
	    {"ymail.com", "yahoo.com"},
	    {"aol.com", "yahoo.com"},
	    {"icloud.com", "icloud.com"},
	    {"me.com", "icloud.com"},
	    {"mac.com", "icloud.com"},
	    {"google.com", NULL},
	    {"mail.gmail.com", NULL},
	    {"x.org", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *got = relay_destination_by_name(cases[i].domain);

		cr_expect(g_strcmp0(got, cases[i].want) == 0, "%s: got %s", cases[i].domain, got);
	}
	g_autofree char *domain = relay_destination_domain("A@B@X.Org");
	cr_expect_str_eq(domain, "x.org");
}

/* A DNS server with domains of all kinds. */
static struct test_nsd *
destination_start(void)
{
	struct test_nsd *nsd =
	    test_nsd_start((const char *const[]){"x.org", "google.com", "notgoogle.com", NULL});

	test_nsd_set(nsd, "x.org",
	    "g MX 1 aspmx.l.google.com.\n"
	    "m MX 10 a.googlemail.com.\n"
	    "o MX 0 o-x.mail.protection.outlook.com.\n"
	    "y MX 1 mta5.am0.yahoodns.net.\n"
	    "i MX 10 mx01.mail.icloud.com.\n"
	    "second MX 5 mx.x.org.\nsecond MX 10 aspmx.l.google.com.\n"
	    "both MX 5 mx.x.org.\nboth MX 5 aspmx.l.google.com.\n"
	    "not MX 1 mx.notgoogle.com.\n"
	    "none MX 0 .\n");
	return nsd;
}

Test(destination, joins_domains_by_the_best_mx)
{
	static const struct {
		const char *domain, *want;
	} cases[] = {
	    {"g.x.org", "gmail.com"},
	    {"m.x.org", "gmail.com"},
	    {"o.x.org", "outlook.com"},
	    {"y.x.org", "yahoo.com"},
	    {"i.x.org", "icloud.com"},
	    {"second.x.org", "second.x.org"},
	    {"both.x.org", "gmail.com"},
	    {"not.x.org", "not.x.org"},
	    {"none.x.org", "none.x.org"},
	    {"missing.x.org", "missing.x.org"},
	    {"g.x.org", "gmail.com"},
	    {"hotmail.com", "outlook.com"},
	};
	const char *domains[G_N_ELEMENTS(cases)], *names[G_N_ELEMENTS(cases)];

	if (!test_nsd_there())
		cr_skip_test("NSD is not installed");
	char *dir = g_dir_make_tmp("posthouse-XXXXXX", NULL);
	AUTO(test_nsd) nsd = destination_start();
	g_autofree char *text = g_strdup_printf("[dns]\nservers=%s\n", test_nsd_address(nsd));
	AUTO(config_settings) settings = test_settings_load(dir, "destination", text);
	AUTO(relay_destinations) one = relay_destination_open(settings);
	AUTO(relay_destinations) other = relay_destination_open(settings);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		domains[i] = cases[i].domain;
	base_clock_set(1800000000000);
	cr_expect_str_eq(relay_destination_known(one, "g.x.org"), "g.x.org", "not yet");
	relay_destination_find(one, domains, G_N_ELEMENTS(cases), names);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_str_eq(names[i], cases[i].want, "%s: got %s", domains[i], names[i]);

	/* The others of the machine know it for 24 hours, and the lack of an answer as well. */
	test_nsd_end(nsd);
	base_clock_set(1800000000000 + 24 * HOUR_MS - 120000);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_str_eq(relay_destination_known(other, domains[i]), cases[i].want);
	base_clock_set(1800000000000 + 24 * HOUR_MS + 60000);
	relay_destination_find(other, domains, G_N_ELEMENTS(cases), names);
	cr_expect_str_eq(names[0], "g.x.org", "nobody answers");
	/* Other work on the machine makes a look slow, but not each of them. */
	gint64 best = G_MAXINT64;
	for (guint i = 0; i < 20 && best > 1500; i++) {
		gint64 begin = base_clock_boot();
		relay_destination_find(one, domains, G_N_ELEMENTS(cases), names);
		best = MIN(best, base_clock_boot() - begin);
	}
	cr_expect_leq(best, 1500, "it is known that nobody answers");
	test_folder_remove(dir);
}
