/* Workspaces for tests. */
#include "tests/http/tenant.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "base/id.h"
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

struct tenant *
tenant_open(void)
{
	struct tenant *tenant = g_new0(struct tenant, 1);
	char id[ID_TEXT_SIZE];
	struct id unique = base_id_new();
	g_autoptr(GError) error = NULL;

	tenant->instance = test_instance_shared();
	tenant->settings = base_settings_load(tenant->instance->config, &error);
	cr_assert(tenant->settings, "%s", error ? error->message : "");
	tenant->db = test_db_open(tenant->settings);
	tenant->name = g_strdup_printf("%s.%d", base_id_format(&unique, id), (int)getpid());
	g_free(TEST_RUN(tenant->instance, "posthouse", "workspace", "create", tenant->name));
	g_autofree char *find = g_strdup_printf(
	    "SELECT CONCAT('0x', HEX(id)) FROM workspace WHERE name = '%s'", tenant->name);
	tenant->id = test_db_text(tenant->db, find);
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
	base_settings_free(tenant->settings);
	test_instance_close(tenant->instance);
	g_free(tenant->name);
	g_free(tenant->key);
	g_free(tenant->id);
	g_free(tenant);
}

char *
tenant_rows(const struct tenant *tenant)
{
	static const char *const tables[] = {"email", "email_part", "recipient", "event", "outbox",
	    "idempotency", "template", "body", "body_piece", "domain", "api_key", "user"};
	GString *rows = g_string_new(NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(tables); i++) {
		g_autofree char *sql = g_strdup_printf(
		    "SELECT COUNT(*) FROM %s WHERE workspace_id = %s", tables[i], tenant->id);
		g_string_append_printf(
		    rows, "%s %d\n", tables[i], (int)test_db_number(tenant->db, sql));
	}
	return g_string_free(rows, FALSE);
}
