/* SPDX-License-Identifier: MIT */
/* posthouse.fcgi without a working database, schema or spool directory. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "config/settings.h"
#include "store/common/schema.h"
#include "tests/fcgi/program/fixture.h"
#include "tests/support/db.h"

#define HEALTHY "{\"status\":\"ok\"}"
#define AWAY "{\"message\":\"The service is not available at the moment\"}"
#define NO_TEMPLATES "{\"templates\":[],\"count\":0,\"cursor\":null}"
#define EMAIL                                                                                      \
	"{\"from\":\"a@example.org\",\"to\":\"b@example.net\",\"subject\":\"S\","                  \
	"\"html\":\"<p>Hi\"}"

TestSuite(trouble, .timeout = 900);

static void
expect_away(struct fixture *fixture, const char *name)
{
	struct fcgi_answer answer = fixture_request(fixture, "GET", "/v1/templates", NULL);

	cr_expect_eq(answer.status, 503, "%s: got %u", name, answer.status);
	cr_expect(g_strcmp0(answer.body, AWAY) == 0, "%s: got %s", name, answer.body);
	cr_expect(answer.head && strstr(answer.head, "\r\nRetry-After: "), "%s: got %s", name,
	    answer.head);
	fcgi_answer_clear(&answer);
}

static void
trouble_expect_back(struct fixture *fixture, const char *name)
{
	fixture_expect(fixture, name, "GET", "/v1/templates", NULL, 200, NO_TEMPLATES);
}

Test(trouble, database_that_comes_later)
{
	AUTO(test_mariadb) server = test_mariadb_start(NULL);
	AUTO(fixture) fixture = fixture_open(server, NULL, NULL);

	test_mariadb_kill(server);
	fixture_start(fixture, NULL);
	expect_away(fixture, "not there");
	fixture_expect(fixture, "health", "GET", "/health", NULL, 503, AWAY);
	cr_expect(test_program_wait_log(fixture->program, "The database cannot be reached now"));
	test_mariadb_restart(server);
	trouble_expect_back(fixture, "there");
}

Test(trouble, database_that_goes_away)
{
	AUTO(test_mariadb) server = test_mariadb_start(NULL);
	AUTO(fixture) fixture = fixture_open(server, NULL, NULL);

	trouble_expect_back(fixture, "there");
	test_mariadb_kill(server);
	expect_away(fixture, "gone");
	expect_away(fixture, "still gone");
	test_mariadb_restart(server);
	trouble_expect_back(fixture, "back");
	/* A restart of the database between two requests goes unnoticed. */
	test_mariadb_kill(server);
	test_mariadb_restart(server);
	trouble_expect_back(fixture, "back again");
}

Test(trouble, schema_that_is_another)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL, NULL);
	g_autofree char *newer = g_strdup_printf(
	    "INSERT INTO schema_version VALUES (%d, 'x', 0)", store_schema_latest() + 1);
	static const char lacking[] = "DELETE FROM schema_version WHERE version = 1",
			  whole[] = "INSERT INTO schema_version VALUES (1, 'x', 0)";
	g_autofree char *not_newer =
	    g_strdup_printf("DELETE FROM schema_version WHERE version > %d", store_schema_latest());
	const struct {
		const char *name, *change, *want_log, *back;
	} cases[] = {
	    {"newer", newer, "install the newer Posthouse", not_newer},
	    {"lacking", lacking, "posthouse schema migrate", whole},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		test_db_plain(fixture->house->db, cases[i].change);
		fixture_start(fixture, NULL);
		fixture_expect(fixture, cases[i].name, "GET", "/v1/templates", NULL, 503, AWAY);
		cr_expect(test_program_wait_log(fixture->program, cases[i].want_log), "%s",
		    cases[i].name);
		test_db_plain(fixture->house->db, cases[i].back);
		trouble_expect_back(fixture, cases[i].name);
	}
}

Test(trouble, database_without_tables)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL, NULL);

	g_free(test_mariadb_sql(NULL, "DROP DATABASE test_%d", (int)getpid()));
	g_free(test_mariadb_sql(NULL, "CREATE DATABASE test_%d", (int)getpid()));
	/* The first one may have looked at the schema before: it tells that it lives. */
	fixture_start(fixture, NULL);
	fixture_expect(fixture, "empty", "GET", "/v1/templates", NULL, 503, AWAY);
	cr_expect(test_program_wait_log(fixture->program, "posthouse schema migrate"));
}

/* Emails are stored, and sent when the directory is back. */
Test(trouble, spool_folder_that_is_missing)
{
	AUTO(fixture) fixture = fixture_open(NULL, "[smtp]\nport = 1\n", NULL);
	const char *dir = config_settings_text(fixture->house->settings, SETTING_SPOOL_DIR);

	test_house_domain(fixture->house, "example.org");
	cr_assert_eq(g_rmdir(dir), 0);
	fixture_start(fixture, NULL);
	struct fcgi_answer answer = fixture_request(fixture, "POST", "/v1/emails", EMAIL);
	cr_expect_eq(answer.status, 201, "got %u, %s", answer.status, answer.body);
	fcgi_answer_clear(&answer);
	cr_expect(test_program_wait_log(fixture->program, dir));
	cr_expect_eq(test_db_number(fixture->house->db, "SELECT COUNT(*) FROM outbox"), 1);
	cr_expect_eq(test_db_number(fixture->house->db,
			 "SELECT COUNT(*) FROM outbox WHERE owner IS NULL AND attempts = 0"),
	    1);
}
