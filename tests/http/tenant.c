/* SPDX-License-Identifier: MIT */
/* Workspaces for tests. */
#include "tests/http/tenant.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "db/statement.h"
#include "store/workspace/workspace.h"
#include "tests/support/db.h"

#define USER "ann@example.com"

static void
admin(const struct tenant *tenant, const char *noun, const char *verb, const char *name)
{
	g_free(
	    TEST_RUN(tenant->instance, "posthouse", noun, verb, name, "--workspace", tenant->name));
}

char *
tenant_new_key(const struct tenant *tenant, const char *scope, const char *expires)
{
	g_autofree char *printed =
	    TEST_RUN(tenant->instance, "posthouse", "key", "create", "--user", USER, "--workspace",
		tenant->name, "--scope", scope, expires ? "--expires" : NULL, expires);
	const char *start = strstr(printed, "ph_");

	cr_assert(start, "no key in %s", printed);
	return g_strndup(start, strcspn(start, " \n\"'"));
}

static void
find_id(struct tenant *tenant)
{
	g_autoptr(GError) error = NULL;
	AUTO(store_workspace) workspace = store_workspace_find(tenant->db, tenant->name, &error);

	cr_assert(workspace, "%s", error ? error->message : "");
	tenant->id = workspace->id;
	cr_assert(
	    db_run(tenant->db, "SET @workspace = ?", DB_VALUES(db_id(&tenant->id)), NULL, NULL));
}

struct tenant *
tenant_open(void)
{
	struct tenant *tenant = g_new0(struct tenant, 1);
	char id[ID_TEXT_SIZE];
	struct base_id unique = base_id_new();
	g_autoptr(GError) error = NULL;

	tenant->instance = test_instance_shared();
	tenant->settings = config_settings_load(tenant->instance->config, &error);
	cr_assert(tenant->settings, "%s", error ? error->message : "");
	tenant->db = test_db_open(tenant->settings);
	tenant->name = g_strdup_printf("%s.%d", base_id_format(&unique, id), (int)getpid());
	g_free(TEST_RUN(tenant->instance, "posthouse", "workspace", "create", tenant->name));
	find_id(tenant);
	admin(tenant, "user", "add", USER);
	admin(tenant, "domain", "add", TENANT_DOMAIN);
	admin(tenant, "domain", "trust", TENANT_DOMAIN);
	tenant->key = tenant_new_key(tenant, "full", NULL);
	return tenant;
}

void
tenant_close(struct tenant *tenant)
{
	db_close(tenant->db);
	config_settings_free(tenant->settings);
	test_instance_close(tenant->instance);
	g_free(tenant->name);
	g_free(tenant->key);
	g_free(tenant);
}

#define COUNT(table)                                                                               \
	"'" table " ', (SELECT COUNT(*) FROM " table " t WHERE t.workspace_id = w.id), '\\n'"

char *
tenant_rows(const struct tenant *tenant)
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
	AUTO(db_rows) rows = db_select(tenant->db, sql, DB_VALUES(db_id(&tenant->id)), &error);

	cr_assert(rows && db_rows_next(rows), "%s", error ? error->message : "");
	return g_strdup(db_rows_text(rows, 0));
}
