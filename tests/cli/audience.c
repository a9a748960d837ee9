/* SPDX-License-Identifier: MIT */
/* Tests posthouse audience on a real database. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/cli/program.h"
#include "tests/support/mariadb.h"

static char *config;

static void
audience_begin(void)
{
	config = test_mariadb_file(NULL, NULL, NULL);
	g_free(program_line(config, "schema migrate"));
	g_free(program_line(config, "workspace create One"));
}

static void
audience_end(void)
{
	g_free(config);
}

TestSuite(audience, .init = audience_begin, .fini = audience_end);

Test(audience, is_made_listed_and_removed)
{
	program_expect(config, "audience list", 0, "There are no audiences yet.\n", NULL);
	program_expect(
	    config, "audience create News", 0, "Audience News has the id *-*-7*-*-*\n", NULL);
	program_expect(config, "audience create News --json", 0,
	    "{\"id\":\"*-*-7*-*-*\",\"name\":\"News\"}\n", NULL);
	program_expect(config, "audience create Other", 0, "Audience Other has the id *\n", NULL);
	program_expect(config, "audience list", 0,
	    "ID *NAME *CONTACTS *UNSUBSCRIBERS *CREATED\n*Other *0 *0 *\n*News *\n*News *\n", NULL);
	program_expect(config, "audience list --json", 0,
	    "{\"audiences\":[*,{\"id\":\"*\",\"name\":\"News\",\"contacts\":0,\"unsubscribers\":0,"
	    "\"created\":*}]}\n",
	    NULL);
	program_expect(config, "audience remove News", 65, NULL,
	    "posthouse: there are several audiences \"News\": say which by its id\n");
	program_expect(config, "audience remove Nobody", 66, NULL,
	    "posthouse: there is no audience \"Nobody\" in this workspace\n");
	program_expect(config, "audience remove Other", 0,
	    "Audience Other and all its contacts are removed.\n", NULL);
	program_expect(config, "audience remove Other", 66, NULL, "*");
	program_expect(config, "audience remove 01a1f8d1-2ace-718f-96bc-82c241916947", 66, NULL,
	    "posthouse: Audience not found\n");
}

Test(audience, is_of_its_workspace)
{
	g_free(program_line(config, "workspace create Two"));
	g_autofree char *made = program_line(config, "audience create News --workspace One");
	const char *id = strrchr(made, ' ') + 1;
	g_autofree char *by_id = g_strdup_printf("audience remove %s --workspace Two", id);

	program_expect(config, "audience remove News --workspace Two", 66, NULL, "*");
	program_expect(config, g_strchomp(by_id), 66, NULL, "posthouse: Audience not found\n");
	program_expect(
	    config, "audience list --workspace Two", 0, "There are no audiences yet.\n", NULL);
	program_expect(config, "audience list --workspace One", 0, "*News*", NULL);
}
