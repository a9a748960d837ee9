/* SPDX-License-Identifier: MIT */
#include "store/common/server.h"

#include "base/clock.h"
#include "store/domain/domain.h"
#include "store/workspace/key.h"
#include "tests/store/fixture.h"

#define NOW 1800000000000

FIXTURE_SUITE(server);

Test(server, tells_of_itself)
{
	gint64 before = base_clock_now();
	AUTO(store_server) server = MUST_GIVE(store_server_read(fixture->db, &error));
	gint64 after = base_clock_now();

	cr_expect_geq(store_server_number(server), 100600, "got %s", server->version);
	cr_expect_geq(server->clock, before - 1, "clocks of one machine");
	cr_expect_leq(server->clock, after + 1, "clocks of one machine");
	cr_expect_str_eq(server->engine, "InnoDB");
	cr_expect_eq(server->flush, 2, "as tests/support/mariadb.c starts it");
	cr_expect_eq(server->packet, 16 * 1024 * 1024);
	cr_expect(!server->binlog);
	cr_expect(!server->statements);
	cr_expect(server->strict);
	test_db_plain(fixture->db, "SET sql_mode = '', binlog_format = STATEMENT");
	AUTO(store_server) lax = MUST_GIVE(store_server_read(fixture->db, &error));
	cr_expect(!lax->strict);
	cr_expect(lax->statements);
}

Test(server_number, orders_versions)
{
	static const struct {
		const char *version;
		guint want;
	} cases[] = {
	    {"10.6.0-MariaDB", 100600},
	    {"10.11.6-MariaDB-0+deb12u1-log", 101106},
	    {"11.4.2-MariaDB", 110402},
	    {"5.5.68-MariaDB", 50568},
	    {"8.0.36", 0},
	    {"MariaDB", 0},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct store_server server = {.version = (char *)cases[i].version};
		guint got = store_server_number(&server);

		cr_expect_eq(got, cases[i].want, "%s: got %u, want %u", cases[i].version, got,
		    cases[i].want);
	}
}

static void
expect_inventory(const char *name, struct store_inventory want)
{
	struct store_inventory got;

	MUST(store_server_count(fixture->db, NOW, &got, &error));
	cr_expect_eq(
	    got.workspaces, want.workspaces, "%s: got %d workspaces", name, (int)got.workspaces);
	cr_expect_eq(got.keys, want.keys, "%s: got %d keys", name, (int)got.keys);
	cr_expect_eq(got.domains, want.domains, "%s: got %d domains", name, (int)got.domains);
}

Test(server, counts_what_is_of_use)
{
	static const gint64 expiries[] = {0, NOW, NOW + 1};
	static const struct {
		enum store_domain_status status;
		bool trusted;
	} domains[] = {{DOMAIN_PENDING, false}, {DOMAIN_PENDING, true}, {DOMAIN_SUCCESS, false},
	    {DOMAIN_TEMPORARY_FAILURE, false}, {DOMAIN_FAILED, false}};
	struct store_key key = {.workspace_id = fixture->workspace, .scope = KEY_FULL};

	expect_inventory("at first", (struct store_inventory){2, 0, 0});
	for (guint8 i = 0; i < G_N_ELEMENTS(expiries); i++)
		MUST(store_key_create(
		    fixture->db, &key, (guint8[SHA256_SIZE]){i}, "", expiries[i], &error));
	expect_inventory("keys", (struct store_inventory){2, 2, 0});
	MUST(store_key_revoke(fixture->db, &fixture->workspace, &key.id, &error));
	expect_inventory("one revoked", (struct store_inventory){2, 1, 0});
	for (gsize i = 0; i < G_N_ELEMENTS(domains); i++) {
		g_autofree char *name = g_strdup_printf("d%zu.example", i);
		struct store_domain domain = {
		    .workspace_id = i % 2 ? fixture->workspace : fixture->other,
		    .name = name,
		    .status = domains[i].status,
		    .trusted = domains[i].trusted};

		MUST(store_domain_create(fixture->db, &domain,
		    &(struct store_domain_creation){NULL, NULL, 0, 0}, &error));
	}
	expect_inventory("domains", (struct store_inventory){2, 1, 3});
	test_db_plain(fixture->db, "DELETE FROM workspace");
	expect_inventory("no workspace", (struct store_inventory){0, 1, 3});
}
