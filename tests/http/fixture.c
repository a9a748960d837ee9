/* SPDX-License-Identifier: MIT */
/* Workspaces for tests. */
#include "tests/http/fixture.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "db/statement.h"
#include "domain/domain.h"
#include "service/service.h"
#include "store/domain/domain.h"
#include "store/workspace/user.h"
#include "store/workspace/workspace.h"
#include "tests/support/db.h"

#define USER "ann@example.com"

static void
admin(const struct fixture *fixture, const char *noun, const char *verb, const char *name)
{
	g_free(TEST_RUN(
	    fixture->instance, "posthouse", noun, verb, name, "--workspace", fixture->name));
}

char *
fixture_new_key(const struct fixture *fixture, const char *scope, const char *expires)
{
	g_autofree char *printed =
	    TEST_RUN(fixture->instance, "posthouse", "key", "create", "--user", USER, "--workspace",
		fixture->name, "--scope", scope, expires ? "--expires" : NULL, expires);
	const char *start = strstr(printed, "ph_");

	cr_assert(start, "no key in %s", printed);
	return g_strndup(start, strcspn(start, " \n\"'"));
}

static void
find_id(struct fixture *fixture)
{
	g_autoptr(GError) error = NULL;
	AUTO(store_workspace) workspace = store_workspace_find(fixture->db, fixture->name, &error);

	cr_assert(workspace, "%s", error ? error->message : "");
	fixture->id = workspace->id;
	cr_assert(
	    db_run(fixture->db, "SET @workspace = ?", DB_VALUES(db_id(&fixture->id)), NULL, NULL));
}

/* As posthouse domain add would, but with a key of the suite (tests/support/dkim.c). */
static void
fixture_add_domain(struct fixture *fixture)
{
	g_autoptr(GError) error = NULL;
	AUTO(service) service = service_open(fixture->settings);
	AUTO(store_domain) domain = NULL;
	struct base_id user;

	if (service_ensure(service, &error) &&
	    store_user_find(fixture->db, &fixture->id, USER, &user, &error))
		domain =
		    domain_register(service, &fixture->id, &user, FIXTURE_DOMAIN, false, &error);
	cr_assert(domain, "%s", error ? error->message : "");
	admin(fixture, "domain", "trust", FIXTURE_DOMAIN);
}

struct fixture *
fixture_open(void)
{
	struct fixture *fixture = g_new0(struct fixture, 1);
	char id[ID_TEXT_SIZE];
	struct base_id unique = base_id_new();
	g_autoptr(GError) error = NULL;

	fixture->instance = test_instance_shared();
	fixture->settings = config_settings_load(fixture->instance->config, &error);
	cr_assert(fixture->settings, "%s", error ? error->message : "");
	fixture->db = test_db_open(fixture->settings);
	fixture->name = g_strdup_printf("%s.%d", base_id_format(&unique, id), (int)getpid());
	g_free(TEST_RUN(fixture->instance, "posthouse", "workspace", "create", fixture->name));
	find_id(fixture);
	admin(fixture, "user", "add", USER);
	fixture_add_domain(fixture);
	fixture->key = fixture_new_key(fixture, "full", NULL);
	return fixture;
}

void
fixture_close(struct fixture *fixture)
{
	db_close(fixture->db);
	config_settings_free(fixture->settings);
	test_instance_close(fixture->instance);
	g_free(fixture->name);
	g_free(fixture->key);
	g_free(fixture);
}

#define COUNT(table)                                                                               \
	"'" table " ', (SELECT COUNT(*) FROM " table " t WHERE t.workspace_id = w.id), '\\n'"

char *
fixture_rows(const struct fixture *fixture)
{
	static const char sql[] =
	    "SELECT CONCAT(" COUNT("email") "," COUNT("email_part") "," COUNT("email_content") "," COUNT("recipient") "," COUNT("event") "," COUNT("outbox") "," COUNT("idempotency") "," COUNT("template") "," COUNT("body") "," COUNT("body_piece") "," COUNT(
		"domain") "," COUNT("api_key") "," COUNT("user") "," COUNT("audience") "," COUNT("a"
												 "u"
												 "d"
												 "i"
												 "e"
												 "n"
												 "c"
												 "e"
												 "_"
												 "c"
												 "o"
												 "u"
												 "n"
												 "t"
												 "e"
												 "r") "," COUNT("audience_removal") "," COUNT("contact") "," COUNT("suppression") ") FROM workspace w WHERE w.id = ?";
	g_autoptr(GError) error = NULL;
	AUTO(db_rows) rows = db_select(fixture->db, sql, DB_VALUES(db_id(&fixture->id)), &error);

	cr_assert(rows && db_rows_next(rows), "%s", error ? error->message : "");
	return g_strdup(db_rows_text(rows, 0));
}
