/* SPDX-License-Identifier: MIT */
#include "store/workspace/key.h"

#include "base/clock.h"
#include "store/workspace/limit.h"
#include "store/workspace/user.h"
#include "store/workspace/workspace.h"
#include "tests/store/fixture.h"

#define NOW 1800000000000

static struct fixture *fixture;
static struct store_user user = {.email = "ada@x.org"};

static void
key_begin(void)
{
	fixture = fixture_open();
	MUST(store_user_add(fixture->db, &fixture->workspace, &user, NULL, &error));
}

static void
key_end(void)
{
	fixture_close(fixture);
}

static struct store_limits limits;

TestSuite(key, .init = key_begin, .fini = key_end);

static struct store_key
tests_store_key_create(guint8 first, const char *name, enum store_key_scope scope, gint64 expires)
{
	struct store_key key = {
	    .workspace_id = fixture->workspace, .user_id = user.id, .scope = scope};
	guint8 hash[SHA256_SIZE] = {first};

	MUST(store_key_create(fixture->db, &key, hash, name, expires, &error));
	return key;
}

Test(key, is_found_by_its_hash)
{
	struct store_key key = tests_store_key_create(1, "mine", KEY_READ, 0), found;

	MUST(store_key_find(fixture->db, (guint8[SHA256_SIZE]){1}, NOW, &found, &limits, &error));
	cr_expect(base_id_equal(&found.id, &key.id));
	cr_expect(base_id_equal(&found.workspace_id, &fixture->workspace));
	cr_expect(base_id_equal(&found.user_id, &user.id));
	cr_expect_eq(found.scope, KEY_READ);
	cr_expect_eq(store_limit_value(&limits, SETTING_LIMITS_DOMAINS), 0);
	MUST(store_limit_set(fixture->db, &fixture->workspace,
	    (const enum config_setting[]){SETTING_LIMITS_DOMAINS}, (const gint64[]){9}, 1, &error));
	MUST(store_key_find(fixture->db, (guint8[SHA256_SIZE]){1}, NOW, &found, &limits, &error));
	cr_expect_eq(store_limit_value(&limits, SETTING_LIMITS_DOMAINS), 9);
	MUST_FAIL(
	    store_key_find(fixture->db, (guint8[SHA256_SIZE]){2}, NOW, &found, &limits, &error),
	    PH_ERROR_NOT_FOUND);
}

Test(key, has_a_hash_of_its_own)
{
	struct store_key key = {
	    .workspace_id = fixture->other, .user_id = user.id, .scope = KEY_FULL};

	tests_store_key_create(1, "", KEY_FULL, 0);
	MUST_FAIL(store_key_create(fixture->db, &key, (guint8[SHA256_SIZE]){1}, "", 0, &error),
	    PH_ERROR_CONFLICT);
}

Test(key, ends_when_it_expires)
{
	static const struct {
		const char *name;
		gint64 now;
		bool found;
	} cases[] = {{"a millisecond before", NOW - 1, true}, {"then", NOW, false},
	    {"later", NOW + 1, false}};

	tests_store_key_create(1, "", KEY_FULL, NOW);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct store_key found;
		bool got = store_key_find(
		    fixture->db, (guint8[SHA256_SIZE]){1}, cases[i].now, &found, &limits, NULL);

		cr_expect_eq(
		    got, cases[i].found, "%s: got %d, want %d", cases[i].name, got, cases[i].found);
	}
}

static void
key_print(const struct store_key_row *row, void *context)
{
	char id[ID_TEXT_SIZE];

	g_string_append_printf(context, "%s %s %d %d%d%d\n", row->name, row->user,
	    (int)row->key.scope, row->created > 0, row->key.expires > 0, row->revoked > 0);
	cr_expect(base_id_equal(&row->key.workspace_id, &fixture->workspace));
	cr_expect(
	    base_id_equal(&row->key.user_id, &user.id), "%s", base_id_format(&row->key.id, id));
}

static char *
tests_store_key_list(const struct base_id *workspace)
{
	GString *text = g_string_new(NULL);

	MUST(store_key_list(fixture->db, workspace, key_print, text, &error));
	return g_string_free(text, FALSE);
}

Test(key, is_listed_with_what_became_of_it)
{
	tests_store_key_create(1, "b", KEY_FULL, 0);
	struct store_key revoked = tests_store_key_create(2, "a", KEY_SEND, NOW);
	MUST(store_key_revoke(fixture->db, &fixture->workspace, &revoked.id, &error));
	g_autofree char *got = tests_store_key_list(&fixture->workspace),
			*others = tests_store_key_list(&fixture->other);
	cr_expect_str_eq(got, "a ada@x.org 2 111\nb ada@x.org 1 100\n");
	cr_expect_str_eq(others, "");
}

Test(key, is_no_more_once_revoked)
{
	struct store_key key = tests_store_key_create(1, "", KEY_FULL, 0), found;

	MUST_FAIL(
	    store_key_revoke(fixture->db, &fixture->other, &key.id, &error), PH_ERROR_NOT_FOUND);
	MUST(store_key_find(fixture->db, (guint8[SHA256_SIZE]){1}, NOW, &found, &limits, &error));
	base_clock_set(NOW);
	MUST(store_key_revoke(fixture->db, &fixture->workspace, &key.id, &error));
	MUST_FAIL(
	    store_key_find(fixture->db, (guint8[SHA256_SIZE]){1}, NOW, &found, &limits, &error),
	    PH_ERROR_NOT_FOUND);
	gint64 first = fixture_number(fixture, "SELECT revoked FROM api_key");
	base_clock_set(NOW + 1000);
	MUST(store_key_revoke(fixture->db, &fixture->workspace, &key.id, &error));
	cr_expect_eq(fixture_number(fixture, "SELECT revoked FROM api_key"), first);
}

/* At most one write in STORE_KEY_USE_MS, whichever process notes the use. */
Test(key, is_noted_as_used_from_time_to_time)
{
	static const struct {
		gint64 time, want;
	} cases[] = {
	    {NOW, NOW},
	    {NOW + 1, NOW},
	    {NOW + STORE_KEY_USE_MS - 1, NOW},
	    {NOW + STORE_KEY_USE_MS, NOW + STORE_KEY_USE_MS},
	    {NOW + STORE_KEY_USE_MS + 1, NOW + STORE_KEY_USE_MS},
	    {NOW, NOW + STORE_KEY_USE_MS},
	};
	struct store_key key = tests_store_key_create(1, "", KEY_FULL, 0);

	cr_expect_leq(STORE_KEY_USE_MS, 10 * 60 * 1000 - 10000, "exact to ten minutes");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		MUST(store_key_use(
		    fixture->db, &fixture->workspace, &key.id, cases[i].time, &error));
		cr_expect_eq(fixture_number(fixture, "SELECT last_used FROM api_key"),
		    cases[i].want, "%zu", i);
	}
}

Test(key, is_listed_newest_first)
{
	struct store_key old = tests_store_key_create(1, "old", KEY_FULL, 0),
			 new = tests_store_key_create(2, "new", KEY_READ, NOW);
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) all =
	    store_key_newest(fixture->db, &fixture->workspace, NULL, 10, &error);
	g_autoptr(GPtrArray) older =
	    store_key_newest(fixture->db, &fixture->workspace, &new.id, 10, &error);
	g_autoptr(GPtrArray) others =
	    store_key_newest(fixture->db, &fixture->other, NULL, 10, &error);

	cr_assert(all && older && others, "%s", error ? error->message : "");
	cr_assert_eq(all->len, 2);
	cr_assert_eq(older->len, 1);
	cr_expect_eq(others->len, 0);
	const struct store_key_row *row = all->pdata[0], *last = older->pdata[0];
	cr_expect_str_eq(row->name, "new");
	cr_expect_str_eq(row->user, "ada@x.org");
	cr_expect_eq(row->key.expires, NOW);
	cr_expect(base_id_equal(&last->key.id, &old.id));
	AUTO(store_key_row) other = store_key_get(fixture->db, &fixture->other, &old.id, NULL);
	cr_expect_null(other);
}
