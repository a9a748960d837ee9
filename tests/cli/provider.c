/* SPDX-License-Identifier: MIT */
/* Tests posthouse provider on a real database. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/cli/program.h"
#include "tests/support/mariadb.h"

static char *config;

static void
provider_begin(void)
{
	config = test_mariadb_file(NULL, NULL,
	    "[relay s]\nhost = 127.0.0.1\ntls = none\nprovider = ses\n"
	    "[relay m]\nhost = 127.0.0.1\ntls = none\nprovider = mailgun\n"
	    "[relay p]\nhost = 127.0.0.1\ntls = none\nprovider = postmark\n"
	    "[relay b]\nhost = 127.0.0.1\ntls = none\nprovider = brevo\n"
	    "[relay g]\nhost = 127.0.0.1\ntls = none\nprovider = generic\n"
	    "[relay n]\nhost = 127.0.0.1\ntls = none\n");
	g_free(program_line(config, "schema migrate"));
}

static void
provider_end(void)
{
	g_free(config);
}

TestSuite(provider, .init = provider_begin, .fini = provider_end, .timeout = 900);

#define TOKEN "[A-Za-z0-9_-]{43}"

/* Adds one, and expects an answer in JSON that matches. */
static void
expect_added(const char *line, const char *want)
{
	g_autofree char *whole = g_strconcat("provider add ", line, " --json", NULL);
	g_autofree char *got = program_line(config, whole);

	cr_expect(g_regex_match_simple(want, got, 0, 0), "%s: got %s", line, got);
}

Test(provider, is_added_with_its_url_and_secret)
{
	g_autofree char *key = g_build_filename(test_mariadb_dir(NULL), "provider.key", NULL);
	g_autofree char *mailgun = g_strconcat("mailgun --relay m --secret-file ", key, NULL);

	cr_assert(g_file_set_contents(key, " key-1\n", -1, NULL));
	program_expect(config, "provider list", 0, "There is no provider yet.\n", NULL);
	expect_added("ses --relay s",
	    "^\\{\"id\":\"[0-9a-f-]{36}\",\"provider\":\"ses\",\"relay\":\"s\","
	    "\"url\":\"http://localhost/in/ses/" TOKEN "\",\"secret\":null\\}\\s*$");
	expect_added(mailgun, "/in/mailgun/" TOKEN "\",\"secret\":\"key-1\"");
	expect_added("postmark --relay p",
	    "\"http://posthouse:" TOKEN "@localhost/in/postmark/" TOKEN "\",\"secret\":\"" TOKEN
	    "\"");
	expect_added("brevo --relay b", "/in/brevo/" TOKEN "\",\"secret\":\"" TOKEN "\"");
	expect_added("generic --relay g", "/in/generic/" TOKEN "\",\"secret\":\"whsec_[^\"]{44}\"");
	program_expect(config, "provider add brevo --relay b", 0,
	    "Provider *-*-7* is there. This is not shown again:\n"
	    "URL: http://localhost/in/brevo/*\nSecret: *\nIn Brevo, *Token*\n",
	    NULL);
	program_expect(config, "provider list --json", 0,
	    "{\"providers\":[*\"generic\"*\"brevo\"*\"postmark\"*\"mailgun\"*,{\"id\":\"*\","
	    "\"provider\":\"ses\",\"relay\":\"s\",\"topic\":null,\"created\":1*}]}\n",
	    NULL);
}

Test(provider, needs_a_relay_of_its_own_and_its_secret)
{
	static const struct {
		const char *line;
		int status;
		const char *errors;
	} cases[] = {
	    {"provider add ses --relay m", 65,
		"*the settings have no relay \"m\" with provider = ses\n"},
	    {"provider add ses --relay n", 65, "*no relay \"n\" with provider = ses\n"},
	    {"provider add ses --relay none", 66, "*the settings have no relay \"none\"\n"},
	    {"provider add ses", 64, "*--relay*"},
	    {"provider add aws --relay s", 64, "*ses*generic*"},
	    {"provider add mailgun --relay m", 64, "*mailgun needs a secret: --secret-file FILE\n"},
	    {"provider add sendgrid --relay none", 66, "*no relay \"none\"*"},
	    {"provider add ses --relay s --secret-file /dev/null", 65, "*ses has no secret\n"},
	    {"provider add mailgun --relay m --secret-file /dev/null", 65,
		"*the secret is empty\n"},
	    {"provider add mailgun --relay m --secret-file /nowhere", 66, "*--secret-file*"},
	    {"provider remove 01a1f8d1-2ace-718f-96bc-82c241916947", 66, "*Provider not found\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		program_expect(config, cases[i].line, cases[i].status, NULL, cases[i].errors);
}

Test(provider, is_removed)
{
	g_autofree char *said = program_line(config, "provider add generic --relay g");
	g_auto(GStrv) words = g_strsplit(said, " ", 3);
	g_autofree char *line = g_strconcat("provider remove ", words[1], NULL);

	program_expect(
	    config, line, 0, "Provider * is removed. Its URL is unknown from now on.\n", NULL);
	program_expect(config, line, 66, NULL, "*Provider not found\n");
	program_expect(config, "provider list", 0, "There is no provider yet.\n", NULL);
}
