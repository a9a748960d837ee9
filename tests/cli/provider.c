/* SPDX-License-Identifier: MIT */
/* Tests posthouse provider on a real database. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits.h"
#include "tests/cli/program.h"
#include "tests/support/mariadb.h"
#include "tests/support/settings.h"

static char *config;

static void
begin(void)
{
	config = test_mariadb_file(NULL, NULL,
	    "[service]\nurl = https://mail.example/post\nsecret_file = @/secret\n"
	    "[relay s]\nhost = 127.0.0.1\ntls = none\nprovider = ses\n"
	    "[relay m]\nhost = 127.0.0.1\ntls = none\nprovider = mailgun\n"
	    "[relay p]\nhost = 127.0.0.1\ntls = none\nprovider = postmark\n"
	    "[relay b]\nhost = 127.0.0.1\ntls = none\nprovider = brevo\n"
	    "[relay g]\nhost = 127.0.0.1\ntls = none\nprovider = generic\n"
	    "[relay n]\nhost = 127.0.0.1\ntls = none\n");
	g_free(program_line(config, "schema migrate"));
}

static void
end(void)
{
	g_free(config);
}

TestSuite(provider, .init = begin, .fini = end, .timeout = 120);
