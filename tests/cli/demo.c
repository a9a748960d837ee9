/* SPDX-License-Identifier: MIT */
/* Tests posthouse demo on a real database. */
#include <criterion/criterion.h>
#include <glib.h>
#include <string.h>

#include "tests/cli/program.h"
#include "tests/support/mariadb.h"

static char *config;

static void
demo_begin(void)
{
	config = test_mariadb_file(NULL, NULL, NULL);
	g_free(program_line(config, "schema migrate"));
	g_free(program_line(config, "workspace create One"));
	g_free(program_line(config, "workspace create Two"));
}

static void
demo_end(void)
{
	g_free(config);
}

TestSuite(demo, .init = demo_begin, .fini = demo_end, .timeout = 900);

Test(demo, fills_the_same_life_for_the_same_seed)
{
	g_autofree char *one = program_line(config, "demo fill --days 30 --seed 5 --workspace One");
	g_autofree char *two = program_line(
	    config, "demo fill --days 30 --seed 5 --domain two.example --workspace Two");
	const char *counts = strstr(one, " has "), *same = strstr(two, " has ");

	cr_assert(counts && same, "got %s and %s", one, two);
	cr_expect_str_eq(counts, same);
	g_autofree char *days = program_line(config, "stats --csv --workspace One");
	g_autofree char *same_days = program_line(config, "stats --csv --workspace Two");
	cr_expect_str_eq(days, same_days);
}

Test(demo, fills_only_an_empty_workspace)
{
	program_expect(config, "demo fill --days 1 --workspace One --json", 0,
	    "{\"workspace\":\"One\",\"domain\":\"acorn.example\",\"people\":40,\"emails\":*,"
	    "\"broadcasts\":0}\n",
	    NULL);
	program_expect(config, "demo fill --workspace One", 73, NULL,
	    "*workspace \"One\" is not empty; posthouse workspace create NAME makes another one*");
	g_free(program_line(config, "person set ann@example.org --workspace Two"));
	program_expect(config, "demo fill --workspace Two", 73, NULL, "*is not empty*");
	program_expect(config, "demo fill --days 0 --workspace Two", 64, NULL, "*--days*");
	program_expect(config, "demo fill --days 1001 --workspace Two", 64, NULL, "*--days*");
}

Test(demo, has_some_of_everything)
{
	g_free(program_line(config, "demo fill --days 30 --workspace One"));
	program_expect(config, "domain list --workspace One", 0, "*acorn.example*SUCCESS*", NULL);
	program_expect(config, "template list --workspace One", 0, "*letter*welcome*", NULL);
	program_expect(
	    config, "broadcast list --workspace One", 0, "*Spring sale*draft*Letter 1*sent*", NULL);
	program_expect(
	    config, "execution list --workflow Welcome --workspace One", 0, "*Welcome at*", NULL);
	program_expect(config, "form list --workspace One", 0, "*Join our letter*", NULL);
	program_expect(config, "stats --group-by tag --workspace One", 0, "*kind:order*", NULL);
}
