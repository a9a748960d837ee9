/* SPDX-License-Identifier: MIT */
/* Installs a Posthouse for a test. */
#include "tests/support/house.h"

#include <string.h>

#include "db/connection.h"
#include "domain/domain.h"
#include "service/service.h"
#include "store/common/schema.h"
#include "store/domain/domain.h"
#include "store/workspace/user.h"
#include "store/workspace/workspace.h"

static void
house_must(bool done, const GError *error)
{
	if (!done)
		g_error("%s", error->message);
}

struct test_house *
test_house_open(const struct test_mariadb *server, const char *more)
{
	struct test_house *house = g_new0(struct test_house, 1);
	struct store_user user = {.email = "ann@example.org"};
	g_autoptr(GError) error = NULL;

	house->config = test_mariadb_file(server, NULL, more);
	house->settings = config_settings_load(house->config, &error);
	house_must(house->settings, error);
	house->service = service_open(house->settings);
	AUTO(db) db = db_open(house->settings, &error);
	house_must(db, error);
	house_must(store_schema_migrate(db, NULL, NULL, &error), error);
	house_must(service_ensure(house->service, &error), error);
	house->db = house->service->db;
	house_must(
	    store_workspace_create(house->db, "Example", NULL, &house->workspace, &error), error);
	house_must(store_user_add(house->db, &house->workspace, &user, NULL, &error), error);
	house->user = user.id;
	return house;
}

void
test_house_close(struct test_house *house)
{
	service_close(house->service);
	config_settings_free(house->settings);
	g_free(house->config);
	g_free(house);
}

struct base_id
test_house_key(
    struct test_house *house, const char *text, enum store_key_scope scope, gint64 expires)
{
	struct store_key key = {
	    .workspace_id = house->workspace, .user_id = house->user, .scope = scope};
	guint8 hash[SHA256_SIZE];
	g_autoptr(GError) error = NULL;

	base_secret_sha256(text, strlen(text), hash);
	house_must(store_key_create(house->db, &key, hash, "", expires, &error), error);
	return key.id;
}

void
test_house_domain(struct test_house *house, const char *name)
{
	g_autoptr(GError) error = NULL;
	AUTO(store_domain) domain =
	    domain_register(house->service, &house->workspace, &house->user, name, true, &error);

	house_must(domain, error);
}
