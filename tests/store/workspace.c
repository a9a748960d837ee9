/* SPDX-License-Identifier: MIT */
#include "store/workspace/user.h"
#include "store/workspace/workspace.h"

#include "tests/store/fixture.h"

FIXTURE_SUITE(workspace);

Test(workspace, is_found_by_its_name)
{
	struct base_id id;

	MUST(store_workspace_create(fixture->db, "Grüße", "Ada <ada@x.org>", &id, &error));
	AUTO(store_workspace) found = MUST_GIVE(store_workspace_find(fixture->db, "Grüße", &error));
	cr_expect(base_id_equal(&found->id, &id));
	cr_expect_str_eq(found->name, "Grüße");
	cr_expect_str_eq(found->default_sender, "Ada <ada@x.org>");
	cr_expect_gt(found->created, 0);
	MUST_FAIL(store_workspace_find(fixture->db, "nobody", &error), PH_ERROR_NOT_FOUND);
}

Test(workspace, has_a_name_of_its_own)
{
	struct base_id id;

	MUST_FAIL(store_workspace_create(fixture->db, "one", NULL, &id, &error), PH_ERROR_CONFLICT);
	MUST_FAIL(store_workspace_create(fixture->db, "ONE", NULL, &id, &error), PH_ERROR_CONFLICT);
}

Test(workspace, needs_no_name_where_it_is_alone)
{
	MUST_FAIL(store_workspace_find(fixture->db, NULL, &error), PH_ERROR_INVALID);
	test_db_plain(fixture->db, "DELETE FROM workspace WHERE name = 'other'");
	AUTO(store_workspace) only = MUST_GIVE(store_workspace_find(fixture->db, NULL, &error));
	cr_expect_str_eq(only->name, "one");
	cr_expect_null(only->default_sender);
	test_db_plain(fixture->db, "DELETE FROM workspace");
	MUST_FAIL(store_workspace_find(fixture->db, NULL, &error), PH_ERROR_NOT_FOUND);
}

Test(workspace, is_found_by_the_nearest_domain)
{
	static const struct {
		const char *name, *want; /* NULL: none, or several */
	} cases[] = {{"one.example", "one"}, {"a.b.one.example", "one"}, {"a.one.example", "other"},
	    {"b.a.one.example", "other"}, {"both.example", NULL}, {"a.both.example", NULL},
	    {"example", NULL}, {"nobody.example", NULL}, {"", NULL}};
	static const char *const rows[][2] = {{"one.example", "one"}, {"a.one.example", "other"},
	    {"both.example", "one"}, {"both.example", "other"}};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *sql = g_strdup_printf(
		    "INSERT INTO domain (id, workspace_id, name, status, trusted, created) SELECT "
		    "RANDOM_BYTES(16), id, '%s', 3, 1, 0 FROM workspace WHERE name = '%s'",
		    rows[i][0], rows[i][1]);
		test_db_plain(fixture->db, sql);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		AUTO(store_workspace)
		found = store_workspace_of_domain(fixture->db, cases[i].name, &error);

		cr_expect_eq(g_strcmp0(found ? found->name : NULL, cases[i].want), 0, "%s: got %s",
		    cases[i].name, found ? found->name : "none");
		cr_expect(found || g_error_matches(error, PH_ERROR, PH_ERROR_NOT_FOUND));
	}
}

Test(workspace, is_listed_newest_first)
{
	g_autoptr(GPtrArray) all = MUST_GIVE(store_workspace_list(fixture->db, &error));

	cr_assert_eq(all->len, 2);
	cr_expect_str_eq(((struct store_workspace *)all->pdata[0])->name, "other");
	cr_expect_str_eq(((struct store_workspace *)all->pdata[1])->name, "one");
}

Test(workspace, is_given_another_sender)
{
	static const char *const senders[] = {"Ada <ada@x.org>", "bob@x.org", "bob@x.org"};

	for (gsize i = 0; i < G_N_ELEMENTS(senders); i++) {
		g_autofree char *got = NULL, *others = NULL;

		MUST(store_workspace_set_sender(
		    fixture->db, &fixture->workspace, senders[i], &error));
		MUST(store_workspace_sender(fixture->db, &fixture->workspace, &got, &error));
		cr_expect_str_eq(got, senders[i]);
		MUST(store_workspace_sender(fixture->db, &fixture->other, &others, &error));
		cr_expect_null(others);
	}
}

static void
workspace_add_row(const struct store_member *user, void *context)
{
	cr_expect_gt(user->created, 0);
	g_string_append_printf(context, "%s %s %s %s\n", user->email, user->first_name,
	    user->last_name ? user->last_name : "-", user->picture ? user->picture : "-");
}

Test(workspace, lists_its_users_newest_first)
{
	struct store_user users[] = {
	    {.email = "zoe@x.org", .first_name = "Zoe", .picture = "https://x.org/z"},
	    {.email = "ada@x.org", .first_name = "Ada", .last_name = "L"},
	};
	struct store_user elsewhere = {.email = "bob@x.org", .first_name = "Bob"};
	g_autoptr(GString) got = g_string_new(NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(users); i++)
		MUST(store_user_add(fixture->db, &fixture->workspace, &users[i], NULL, &error));
	MUST(store_user_add(fixture->db, &fixture->other, &elsewhere, NULL, &error));
	MUST(store_user_list(fixture->db, &fixture->workspace, workspace_add_row, got, &error));
	cr_expect_str_eq(got->str, "ada@x.org Ada L -\nzoe@x.org Zoe - https://x.org/z\n");
}

Test(workspace, has_users_of_its_own)
{
	struct store_user user = {
	    .email = "ada@x.org", .first_name = "Ada", .picture = "https://x.org/a"};
	struct store_user same = {.email = "ADA@X.org"};
	struct base_id found;

	MUST(store_user_add(fixture->db, &fixture->workspace, &user, NULL, &error));
	MUST_FAIL(store_user_add(fixture->db, &fixture->workspace, &same, NULL, &error),
	    PH_ERROR_CONFLICT);
	MUST(store_user_find(fixture->db, &fixture->workspace, "Ada@X.ORG", &found, &error));
	cr_expect(base_id_equal(&found, &user.id));
	MUST_FAIL(store_user_find(fixture->db, &fixture->other, "ada@x.org", &found, &error),
	    PH_ERROR_NOT_FOUND);
	MUST(store_user_add(fixture->db, &fixture->other, &same, NULL, &error));
	MUST_FAIL(store_user_find(fixture->db, &fixture->workspace, "grüße@x.org", &found, &error),
	    PH_ERROR_NOT_FOUND);
}
