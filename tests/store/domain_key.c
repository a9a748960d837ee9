/* SPDX-License-Identifier: MIT */
#include "store/domain/key.h"

#include "store/domain/domain.h"
#include "tests/store/fixture.h"

FIXTURE_SUITE(domain_key);

/* The second letter of the selector is the algorithm: "e" is Ed25519. */
static struct store_domain_key *
domain_key_make_key(const char *selector, enum store_domain_key_state state)
{
	struct store_domain_key *key = g_new0(struct store_domain_key, 1);

	key->id = base_id_new();
	key->algorithm = selector[1] == 'e' ? DOMAIN_KEY_ED25519 : DOMAIN_KEY_RSA;
	key->state = state;
	key->selector = g_strdup(selector);
	key->sealed = g_bytes_new(selector, strlen(selector));
	key->public = g_strdup("cHVibGlj");
	return key;
}

static void
free_keys(struct store_domain_key *const *keys, guint count)
{
	for (guint i = 0; i < count; i++)
		store_domain_key_free(keys[i]);
}

/* A domain with the active keys "ar" and "ae". */
static struct base_id
domain_key_create(const char *name, bool trusted)
{
	struct store_domain domain = {.workspace_id = fixture->workspace,
	    .name = (char *)name,
	    .status = DOMAIN_SUCCESS,
	    .trusted = trusted};
	struct store_domain_key *keys[] = {domain_key_make_key("ae", DOMAIN_KEY_ACTIVE),
	    domain_key_make_key("ar", DOMAIN_KEY_ACTIVE)};

	MUST(store_domain_create(
	    fixture->db, &domain, &(struct store_domain_creation){NULL, keys, 2, 5}, &error));
	free_keys(keys, 2);
	return domain.id;
}

static void
domain_key_rotate(const struct base_id *domain, const char *rsa, const char *ed25519, gint64 now)
{
	struct store_domain_key *keys[] = {domain_key_make_key(ed25519, DOMAIN_KEY_ACTIVE),
	    domain_key_make_key(rsa, DOMAIN_KEY_ACTIVE)};

	keys[0]->created = keys[1]->created = now;
	MUST(store_domain_key_rotate(fixture->db,
	    &(struct store_domain_rotation){&fixture->workspace, domain, keys, 2, now, now + 60},
	    &error));
	free_keys(keys, 2);
}

/* "ar active seen, nr pending". */
static char *
domain_key_summary(GPtrArray *keys)
{
	static const char *const states[] = {[DOMAIN_KEY_ACTIVE] = "active",
	    [DOMAIN_KEY_PENDING] = "pending",
	    [DOMAIN_KEY_RETIRING] = "retiring"};
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < keys->len; i++) {
		const struct store_domain_key *key = keys->pdata[i];

		g_string_append_printf(text, "%s%s %s%s", i > 0 ? ", " : "", key->selector,
		    states[key->state], key->seen ? " seen" : "");
		if (key->retired_at)
			g_string_append_printf(text, " %d", (int)key->retired_at);
	}
	return g_string_free(text, FALSE);
}

/* All keys of the domain. */
static GPtrArray *
keys_of(const struct base_id *id)
{
	AUTO(store_domain)
	domain = MUST_GIVE(store_domain_get(fixture->db, &fixture->workspace, id, &error));

	return g_ptr_array_ref(domain->keys);
}

static void
domain_key_expect(const struct base_id *domain, bool signing, const char *want)
{
	g_autoptr(GPtrArray) keys =
	    signing ? MUST_GIVE(store_domain_key_signing(fixture->db, domain, &error))
		    : keys_of(domain);
	g_autofree char *got = domain_key_summary(keys);

	cr_expect_str_eq(got, want, "got %s, want %s", got, want);
}

Test(domain_key, comes_back_as_it_was)
{
	struct base_id domain = domain_key_create("example.com", false);

	domain_key_create("other.example", false);
	g_autoptr(GPtrArray) got = keys_of(&domain);
	cr_assert_eq(got->len, 2);
	const struct store_domain_key *key = got->pdata[0];
	cr_expect_eq(key->algorithm, DOMAIN_KEY_RSA);
	cr_expect(base_id_equal(&key->domain_id, &domain));
	cr_expect_str_eq(key->selector, "ar");
	cr_expect_str_eq(key->domain, "example.com");
	cr_expect_str_eq(key->public, "cHVibGlj");
	cr_expect_null(key->sealed);
	g_autoptr(GBytes) sealed =
	    MUST_GIVE(store_domain_key_sealed(fixture->db, &key->id, &error));
	g_autoptr(GBytes) want = g_bytes_new("ar", 2);
	cr_expect(g_bytes_equal(sealed, want));
	MUST_FAIL(store_domain_key_sealed(fixture->db, &domain, &error), PH_ERROR_NOT_FOUND);
}

Test(domain_key, signs_with_ed25519_only_where_dns_shows_it)
{
	struct base_id domain = domain_key_create("example.com", false);

	domain_key_expect(&domain, true, "ar active");
	test_db_plain(fixture->db, "UPDATE domain_key SET seen = 1 WHERE selector = 'ar'");
	domain_key_expect(&domain, true, "ar active seen");
	test_db_plain(fixture->db, "UPDATE domain_key SET seen = 1 WHERE selector = 'ae'");
	domain_key_expect(&domain, true, "ar active seen, ae active seen");
	test_db_plain(fixture->db, "UPDATE domain_key SET seen = 0");
	MUST(store_domain_trust(fixture->db, &fixture->workspace, "example.com", &error));
	domain_key_expect(&domain, true, "ar active, ae active");
}

Test(domain_key, waits_for_dns_when_it_is_new)
{
	struct base_id domain = domain_key_create("example.com", false);
	gint64 token = 77;
	bool kept;

	MUST(store_domain_claim_one(fixture->db, &fixture->workspace, &domain, token, 9, &error));
	AUTO(store_domain) claimed =
	    MUST_GIVE(store_domain_get(fixture->db, &fixture->workspace, &domain, &error));
	domain_key_rotate(&domain, "nr", "ne", 1000);
	domain_key_expect(&domain, false, "ar active, ae active, nr pending, ne pending");
	domain_key_expect(&domain, true, "ar active");
	AUTO(store_domain) got =
	    MUST_GIVE(store_domain_get(fixture->db, &fixture->workspace, &domain, &error));
	cr_expect_eq(got->check.series, 1000);
	cr_expect_eq(got->check.next_check, 1060);
	/* A check that began before the rotation is not recorded. */
	MUST(store_domain_claim_record(fixture->db, claimed, token, &kept, &error));
	cr_expect_not(kept);
	/* Once more, before DNS shows them. */
	domain_key_rotate(&domain, "mr", "me", 2000);
	domain_key_expect(&domain, false, "ar active, ae active, mr pending, me pending");
	/* Trusting the domain trusts the new keys, too. */
	MUST(store_domain_trust(fixture->db, &fixture->workspace, "example.com", &error));
	domain_key_expect(&domain, true, "mr active, me active");
}

Test(domain_key, signs_at_once_where_the_domain_is_trusted)
{
	struct base_id domain = domain_key_create("example.com", true),
		       other = domain_key_create("other.example", true);

	domain_key_rotate(&domain, "nr", "ne", 1000);
	domain_key_expect(
	    &domain, false, "nr active, ne active, ar retiring 1000, ae retiring 1000");
	domain_key_expect(&domain, true, "nr active, ne active");
	domain_key_expect(&other, true, "ar active, ae active");
	domain_key_rotate(&domain, "mr", "me", 2000);
	domain_key_expect(&domain, false,
	    "mr active, me active, nr retiring 2000, ne retiring 2000, ar retiring 1000, ae "
	    "retiring 1000");
}

Test(domain_key, that_is_trusted_twice_stays)
{
	struct base_id domain = domain_key_create("example.com", false);

	MUST(store_domain_trust(fixture->db, &fixture->workspace, "example.com", &error));
	MUST(store_domain_trust(fixture->db, &fixture->workspace, "example.com", &error));
	domain_key_expect(&domain, false, "ar active, ae active");
}

Test(domain_key, goes_a_while_after_it_signed)
{
	struct base_id domain = domain_key_create("example.com", true);
	guint count;

	domain_key_rotate(&domain, "nr", "ne", 1000);
	MUST(store_domain_key_remove_retired(fixture->db, 1000, &count, &error));
	cr_expect_eq(count, 0);
	MUST(store_domain_key_remove_retired(fixture->db, 1001, &count, &error));
	cr_expect_eq(count, 2);
	domain_key_expect(&domain, false, "nr active, ne active");
}

Test(domain_key, is_not_given_to_a_domain_that_is_gone)
{
	struct base_id domain = domain_key_create("example.com", false);
	struct store_domain_key *keys[] = {domain_key_make_key("nr", DOMAIN_KEY_ACTIVE)};

	MUST_FAIL(
	    store_domain_key_rotate(fixture->db,
		&(struct store_domain_rotation){&fixture->other, &domain, keys, 1, 1000, 1060},
		&error),
	    PH_ERROR_NOT_FOUND);
	cr_expect_eq(fixture_number(fixture, "SELECT next_check FROM domain_check"), 5);
	MUST(store_domain_remove(fixture->db, &fixture->workspace, &domain, &error));
	MUST_FAIL(
	    store_domain_key_rotate(fixture->db,
		&(struct store_domain_rotation){&fixture->workspace, &domain, keys, 1, 1000, 1060},
		&error),
	    PH_ERROR_NOT_FOUND);
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM domain_key"), 0);
	free_keys(keys, 1);
}

Test(domain_key, is_listed_with_its_domain)
{
	struct base_id a = domain_key_create("a.example", false);

	domain_key_create("b.example", true);
	domain_key_create("c.example", false);
	domain_key_rotate(&a, "nr", "ne", 1000);
	g_autoptr(GPtrArray) domains =
	    MUST_GIVE(store_domain_list(fixture->db, &fixture->workspace, NULL, 10, &error));
	g_autoptr(GString) got = g_string_new(NULL);
	for (guint i = 0; i < domains->len; i++) {
		const struct store_domain *domain = domains->pdata[i];
		g_autofree char *keys = domain_key_summary(domain->keys);

		g_string_append_printf(got, "%s: %s\n", domain->name, keys);
	}
	cr_expect_str_eq(got->str, "c.example: ar active, ae active\n"
				   "b.example: ar active, ae active\n"
				   "a.example: ar active, ae active, nr pending, ne pending\n");
	g_autoptr(GPtrArray) page =
	    MUST_GIVE(store_domain_list(fixture->db, &fixture->workspace, NULL, 1, &error));
	cr_assert_eq(page->len, 1);
	cr_expect_eq(((struct store_domain *)page->pdata[0])->keys->len, 2);
}
