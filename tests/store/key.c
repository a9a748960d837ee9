/* SPDX-License-Identifier: MIT */
#include "store/key.h"

#include "base/clock.h"
#include "store/limit.h"
#include "store/workspace.h"
#include "tests/store/place.h"

#define NOW 1800000000000

static struct place *place;
static struct store_user user = {.email = "ada@x.org"};

static void
begin(void)
{
	place = place_open();
	MUST(store_workspace_add_user(place->db, &place->workspace, &user, &error));
}

static void
end(void)
{
	place_close(place);
}

static struct store_limits limits;

TestSuite(key, .init = begin, .fini = end);

static struct store_key
create(guint8 first, const char *name, enum store_key_scope scope, gint64 expires)
{
	struct store_key key = {
	    .workspace_id = place->workspace, .user_id = user.id, .scope = scope};
	guint8 hash[SHA256_SIZE] = {first};

	MUST(store_key_create(place->db, &key, hash, name, expires, &error));
	return key;
}

Test(key, is_found_by_its_hash)
{
	struct store_key key = create(1, "mine", KEY_READ, 0), found;

	MUST(store_key_find(place->db, (guint8[SHA256_SIZE]){1}, NOW, &found, &limits, &error));
	cr_expect(base_id_equal(&found.id, &key.id));
	cr_expect(base_id_equal(&found.workspace_id, &place->workspace));
	cr_expect(base_id_equal(&found.user_id, &user.id));
	cr_expect_eq(found.scope, KEY_READ);
	cr_expect_eq(store_limit_value(&limits, SETTING_LIMITS_DOMAINS), 0);
	MUST(store_limit_set(place->db, &place->workspace,
	    (const enum base_setting[]){SETTING_LIMITS_DOMAINS}, (const gint64[]){9}, 1, &error));
	MUST(store_key_find(place->db, (guint8[SHA256_SIZE]){1}, NOW, &found, &limits, &error));
	cr_expect_eq(store_limit_value(&limits, SETTING_LIMITS_DOMAINS), 9);
	MUST_FAIL(store_key_find(place->db, (guint8[SHA256_SIZE]){2}, NOW, &found, &limits, &error),
	    PH_ERROR_NOT_FOUND);
}

Test(key, has_a_hash_of_its_own)
{
	struct store_key key = {
	    .workspace_id = place->other, .user_id = user.id, .scope = KEY_FULL};

	create(1, "", KEY_FULL, 0);
	MUST_FAIL(store_key_create(place->db, &key, (guint8[SHA256_SIZE]){1}, "", 0, &error),
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

	create(1, "", KEY_FULL, NOW);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct store_key found;
		bool got = store_key_find(
		    place->db, (guint8[SHA256_SIZE]){1}, cases[i].now, &found, &limits, NULL);

		cr_expect_eq(
		    got, cases[i].found, "%s: got %d, want %d", cases[i].name, got, cases[i].found);
	}
}

static void
print(const struct store_key_row *row, void *context)
{
	char id[ID_TEXT_SIZE];

	g_string_append_printf(context, "%s %s %d %d%d%d\n", row->name, row->user,
	    (int)row->key.scope, row->created > 0, row->expires > 0, row->revoked > 0);
	cr_expect(base_id_equal(&row->key.workspace_id, &place->workspace));
	cr_expect(
	    base_id_equal(&row->key.user_id, &user.id), "%s", base_id_format(&row->key.id, id));
}

static char *
list(const struct base_id *workspace)
{
	GString *text = g_string_new(NULL);

	MUST(store_key_list(place->db, workspace, print, text, &error));
	return g_string_free(text, FALSE);
}

Test(key, is_listed_with_what_became_of_it)
{
	create(1, "b", KEY_FULL, 0);
	struct store_key revoked = create(2, "a", KEY_SEND, NOW);
	MUST(store_key_revoke(place->db, &place->workspace, &revoked.id, &error));
	g_autofree char *got = list(&place->workspace), *others = list(&place->other);
	cr_expect_str_eq(got, "b ada@x.org 1 100\na ada@x.org 2 111\n");
	cr_expect_str_eq(others, "");
}

Test(key, is_no_more_once_revoked)
{
	struct store_key key = create(1, "", KEY_FULL, 0), found;

	MUST_FAIL(store_key_revoke(place->db, &place->other, &key.id, &error), PH_ERROR_NOT_FOUND);
	MUST(store_key_find(place->db, (guint8[SHA256_SIZE]){1}, NOW, &found, &limits, &error));
	base_clock_set(NOW);
	MUST(store_key_revoke(place->db, &place->workspace, &key.id, &error));
	MUST_FAIL(store_key_find(place->db, (guint8[SHA256_SIZE]){1}, NOW, &found, &limits, &error),
	    PH_ERROR_NOT_FOUND);
	gint64 first = place_number(place, "SELECT revoked FROM api_key");
	base_clock_set(NOW + 1000);
	MUST(store_key_revoke(place->db, &place->workspace, &key.id, &error));
	cr_expect_eq(place_number(place, "SELECT revoked FROM api_key"), first);
}

/* At most one write in an hour. */
Test(key, is_noted_as_used_once_an_hour)
{
	static const struct {
		gint64 now, want;
	} cases[] = {
	    {NOW, NOW},
	    {NOW + 1, NOW},
	    {NOW + STORE_KEY_USE_MS - 1, NOW},
	    {NOW + STORE_KEY_USE_MS, NOW + STORE_KEY_USE_MS},
	    {NOW + STORE_KEY_USE_MS + 1, NOW + STORE_KEY_USE_MS},
	};
	struct store_key key = create(1, "", KEY_FULL, 0), found;

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		/* One process knows of the last use, another does not. */
		MUST(store_key_find(
		    place->db, (guint8[SHA256_SIZE]){1}, NOW, &found, &limits, &error));
		MUST(store_key_use(place->db, &found, cases[i].now, &error));
		MUST(store_key_use(place->db, &key, cases[i].now, &error));
		cr_expect_eq(
		    place_number(place, "SELECT last_used FROM api_key"), cases[i].want, "%zu", i);
	}
}

Test(key, of_a_maker_belongs_to_its_user)
{
	struct store_key maker = create(1, "", KEY_FULL, NOW), found;
	struct base_id id = base_id_new();

	MUST_FAIL(store_key_create_by(place->db, &maker, &id, (guint8[SHA256_SIZE]){2}, KEY_SEND,
		      "", &maker.id, &error),
	    PH_ERROR_NOT_FOUND);
	MUST(store_key_create_by(
	    place->db, &maker, &id, (guint8[SHA256_SIZE]){2}, KEY_SEND, "", NULL, &error));
	MUST(store_key_find(place->db, (guint8[SHA256_SIZE]){2}, NOW - 1, &found, &limits, &error));
	cr_expect(base_id_equal(&found.id, &id) && base_id_equal(&found.user_id, &user.id));
	cr_expect_eq(found.scope, KEY_SEND);
	cr_expect_not(found.has_domain);
	MUST_FAIL(store_key_find(place->db, (guint8[SHA256_SIZE]){2}, NOW, &found, &limits, &error),
	    PH_ERROR_NOT_FOUND);
}
