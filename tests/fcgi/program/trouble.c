/* SPDX-License-Identifier: MIT */
/* posthouse.fcgi without a working database, schema or spool directory. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "base/settings.h"
#include "store/schema.h"
#include "tests/fcgi/program/service.h"
#include "tests/support/db.h"

#define HEALTHY "{\"status\":\"ok\"}"
#define AWAY "{\"message\":\"The service is not available at the moment\"}"
#define NO_TEMPLATES "{\"templates\":[],\"count\":0,\"cursor\":null}"
#define EMAIL                                                                                      \
	"{\"from\":\"a@example.org\",\"to\":\"b@example.net\",\"subject\":\"S\","                  \
	"\"html\":\"<p>Hi\"}"

TestSuite(trouble, .timeout = 900);

static void
expect_away(struct service *service, const char *name)
{
	struct fcgi_answer answer = service_request(service, "GET", "/v1/templates", NULL);

	cr_expect_eq(answer.status, 503, "%s: got %u", name, answer.status);
	cr_expect(g_strcmp0(answer.body, AWAY) == 0, "%s: got %s", name, answer.body);
	cr_expect(answer.head && strstr(answer.head, "\r\nRetry-After: "), "%s: got %s", name,
	    answer.head);
	fcgi_answer_clear(&answer);
}

static void
expect_back(struct service *service, const char *name)
{
	service_expect(service, name, "GET", "/v1/templates", NULL, 200, NO_TEMPLATES);
}

Test(trouble, database_that_comes_later)
{
	AUTO(test_mariadb) server = test_mariadb_start(NULL);
	AUTO(service) service = service_open(server, NULL, NULL);

	test_mariadb_kill(server);
	service_start(service, NULL);
	expect_away(service, "not there");
	service_expect(service, "health", "GET", "/health", NULL, 503, AWAY);
	cr_expect(test_program_wait_log(service->program, "The database cannot be reached now"));
	test_mariadb_restart(server);
	expect_back(service, "there");
}

Test(trouble, database_that_goes_away)
{
	AUTO(test_mariadb) server = test_mariadb_start(NULL);
	AUTO(service) service = service_open(server, NULL, NULL);

	expect_back(service, "there");
	test_mariadb_kill(server);
	expect_away(service, "gone");
	expect_away(service, "still gone");
	test_mariadb_restart(server);
	expect_back(service, "back");
	/* A restart of the database between two requests goes unnoticed. */
	test_mariadb_kill(server);
	test_mariadb_restart(server);
	expect_back(service, "back again");
}

Test(trouble, schema_that_is_another)
{
	AUTO(service) service = service_open(NULL, NULL, NULL);
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
		test_db_plain(service->house->db, cases[i].change);
		service_start(service, NULL);
		service_expect(service, cases[i].name, "GET", "/v1/templates", NULL, 503, AWAY);
		cr_expect(test_program_wait_log(service->program, cases[i].want_log), "%s",
		    cases[i].name);
		test_db_plain(service->house->db, cases[i].back);
		expect_back(service, cases[i].name);
	}
}

Test(trouble, database_without_tables)
{
	AUTO(service) service = service_open(NULL, NULL, NULL);

	g_free(test_mariadb_sql(NULL, "DROP DATABASE test_%d", (int)getpid()));
	g_free(test_mariadb_sql(NULL, "CREATE DATABASE test_%d", (int)getpid()));
	service_expect(service, "empty", "GET", "/v1/templates", NULL, 503, AWAY);
	cr_expect(test_program_wait_log(service->program, "posthouse schema migrate"));
}

/* Emails are stored, and sent when the directory is back. */
Test(trouble, spool_folder_that_is_missing)
{
	AUTO(service) service = service_open(NULL, "[smtp]\nport = 1\n", NULL);
	const char *dir = base_settings_text(service->house->settings, SETTING_SPOOL_DIR);

	test_house_domain(service->house, "example.org");
	cr_assert_eq(g_rmdir(dir), 0);
	service_start(service, NULL);
	struct fcgi_answer answer = service_request(service, "POST", "/v1/emails", EMAIL);
	cr_expect_eq(answer.status, 201, "got %u, %s", answer.status, answer.body);
	fcgi_answer_clear(&answer);
	cr_expect(test_program_wait_log(service->program, dir));
	cr_expect_eq(test_db_number(service->house->db, "SELECT COUNT(*) FROM outbox"), 1);
	cr_expect_eq(test_db_number(service->house->db,
			 "SELECT COUNT(*) FROM outbox WHERE owner IS NULL AND attempts = 0"),
	    1);
}
