/* SPDX-License-Identifier: MIT */
#include "store/consent/suppression.h"

#include "base/clock.h"
#include "tests/store/fixture.h"

#define NOW 1800000000000

static struct fixture *fixture;

static void
store_suppression_begin(void)
{
	fixture = fixture_open();
	base_clock_set(NOW);
}

static void
store_suppression_end(void)
{
	fixture_close(fixture);
}

TestSuite(suppression, .init = store_suppression_begin, .fini = store_suppression_end);

/* How an address is looked for: its hashes are those of two secrets, the newer first. */
struct look {
	char address[64];
	guint8 hashes[2][SHA256_SIZE];
	struct store_suppression_key key;
};

static struct look *
look(const char *address)
{
	struct look *l = g_new0(struct look, 1);

	g_strlcpy(l->address, address, sizeof(l->address));
	for (guint i = 0; i < 2; i++) {
		g_autofree char *text = g_strdup_printf("%u %s", i, address);
		base_secret_sha256(text, strlen(text), l->hashes[i]);
	}
	l->key =
	    (struct store_suppression_key){l->address, (const guint8(*)[SHA256_SIZE])l->hashes, 2};
	return l;
}

static void
put_one(const struct base_id *workspace, const char *address, bool hashed,
    enum store_suppression_reason reason, enum store_suppression_scope scope)
{
	g_autofree struct look *l = look(address);
	struct store_suppression entry = {.workspace_id = *workspace,
	    .email = hashed ? NULL : l->address,
	    .address = hashed ? NULL : l->address,
	    .hashed = hashed,
	    .reason = reason,
	    .scope = scope};

	if (hashed)
		memcpy(entry.hash, l->hashes[1], SHA256_SIZE);
	MUST(store_suppression_put(fixture->db, &entry, &l->key, &error));
}

/* The entry of an address in one line; "none" where there is none. */
static char *
store_suppression_show(const struct base_id *workspace, const char *address)
{
	g_autofree struct look *l = look(address);
	g_autoptr(GError) error = NULL;
	AUTO(store_suppression) s = store_suppression_get(fixture->db, workspace, &l->key, &error);

	if (!s) {
		cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_NOT_FOUND));
		return g_strdup("none");
	}
	return g_strdup_printf("%s %s %s", s->hashed ? "hash" : s->email,
	    store_suppression_reasons[s->reason - 1], store_suppression_scopes[s->scope - 1]);
}

static void
store_suppression_expect(
    const char *name, const struct base_id *workspace, const char *address, const char *want)
{
	g_autofree char *got = store_suppression_show(workspace, address);

	cr_expect_str_eq(got, want, "%s: got %s, want %s", name, got, want);
}

Test(suppression, takes_the_wider_scope)
{
	const struct {
		const char *name;
		bool hashed; /* the entry of before */
		enum store_suppression_reason reason;
		enum store_suppression_scope scope;
		const char *want;
	} cases[] = {
	    {"wider", false, SUPPRESSION_UNSUBSCRIBED, SUPPRESSION_AUTOMATION,
		"a@x.org bounced all"},
	    {"as wide", false, SUPPRESSION_COMPLAINED, SUPPRESSION_ALL, "a@x.org complained all"},
	    {"wider than a hash's", true, SUPPRESSION_UNSUBSCRIBED, SUPPRESSION_AUTOMATION,
		"hash bounced all"},
	    {"as wide as a hash's", true, SUPPRESSION_MANUAL, SUPPRESSION_ALL, "hash manual all"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		test_db_plain(fixture->db, "DELETE FROM suppression");
		put_one(&fixture->workspace, "a@x.org", cases[i].hashed, cases[i].reason,
		    cases[i].scope);
		put_one(
		    &fixture->workspace, "a@x.org", false, SUPPRESSION_BOUNCED, SUPPRESSION_ALL);
		store_suppression_expect(
		    cases[i].name, &fixture->workspace, "a@x.org", cases[i].want);
		put_one(&fixture->workspace, "a@x.org", false, SUPPRESSION_UNSUBSCRIBED,
		    SUPPRESSION_AUTOMATION);
		store_suppression_expect(
		    "a narrower one after it", &fixture->workspace, "a@x.org", cases[i].want);
		cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM suppression"), 1);
	}
}

/* More addresses than one statement takes, each by itself or by a hash under either secret. */
Test(suppression, is_matched_for_many_addresses)
{
	struct look *looks[30];
	struct store_suppression_key keys[30];
	bool got[30];

	for (guint i = 0; i < 30; i++) {
		g_autofree char *address = g_strdup_printf("%u@x.org", i);

		looks[i] = look(address);
		keys[i] = looks[i]->key;
		if (i % 3 == 0)
			put_one(&fixture->workspace, address, i % 2, SUPPRESSION_MANUAL,
			    i % 4 ? SUPPRESSION_ALL : SUPPRESSION_AUTOMATION);
	}
	for (guint automation = 0; automation < 2; automation++) {
		MUST(store_suppression_match(fixture->db,
		    &(struct store_suppression_people){&fixture->workspace, keys, 30}, automation,
		    got, NULL, &error));
		for (guint i = 0; i < 30; i++)
			cr_expect_eq(got[i], i % 3 == 0 && (automation || i % 4), "%u", i);
	}
	MUST(store_suppression_match(fixture->db,
	    &(struct store_suppression_people){&fixture->other, keys, 30}, true, got, NULL,
	    &error));
	for (guint i = 0; i < 30; i++) {
		cr_expect_not(got[i], "another workspace's %u", i);
		g_free(looks[i]);
	}
	MUST(store_suppression_match(fixture->db,
	    &(struct store_suppression_people){&fixture->workspace, keys, 0}, true, got, NULL,
	    &error));
}

Test(suppression, is_erased_to_a_hash)
{
	static const struct {
		const char *name;
		int before; /* 0 nothing, 1 the address, 2 a hash under the older secret, 3 both */
		const char *want;
	} cases[] = {
	    {"nothing", 0, "hash manual all"},
	    {"the address", 1, "hash unsubscribed all"},
	    {"an older hash", 2, "hash unsubscribed all"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree struct look *l = look("a@x.org");

		test_db_plain(fixture->db, "DELETE FROM suppression");
		if (cases[i].before)
			put_one(&fixture->workspace, "a@x.org", cases[i].before == 2,
			    SUPPRESSION_UNSUBSCRIBED, SUPPRESSION_AUTOMATION);
		put_one(&fixture->other, "a@x.org", false, SUPPRESSION_BOUNCED, SUPPRESSION_ALL);
		for (guint again = 0; again < 2; again++) {
			MUST(store_suppression_erase(
			    fixture->db, &fixture->workspace, &l->key, &error));
			store_suppression_expect(
			    cases[i].name, &fixture->workspace, "a@x.org", cases[i].want);
			cr_expect_eq(fixture_number(fixture,
					 "SELECT COUNT(*) FROM suppression WHERE hash IS"
					 " NOT NULL AND email IS NULL AND address IS NULL"),
			    1, "%s", cases[i].name);
			cr_expect_eq(
			    fixture_number(fixture, "SELECT COUNT(*) FROM suppression"), 2);
		}
		store_suppression_expect(
		    "another workspace's", &fixture->other, "a@x.org", "a@x.org bounced all");
	}
}

Test(suppression, is_listed_newest_first)
{
	for (guint i = 0; i < 5; i++) {
		g_autofree char *address = g_strdup_printf("%u@x.org", i);
		put_one(i == 2 ? &fixture->other : &fixture->workspace, address, false,
		    SUPPRESSION_MANUAL, SUPPRESSION_ALL);
	}
	g_autoptr(GPtrArray) first =
	    MUST_GIVE(store_suppression_list(fixture->db, &fixture->workspace, NULL, 2, &error));
	cr_assert_eq(first->len, 2);
	const struct store_suppression *last = first->pdata[1];
	cr_expect_str_eq(((struct store_suppression *)first->pdata[0])->email, "4@x.org");
	cr_expect_str_eq(last->email, "3@x.org");
	g_autoptr(GPtrArray) rest = MUST_GIVE(
	    store_suppression_list(fixture->db, &fixture->workspace, &last->id, 10, &error));
	cr_assert_eq(rest->len, 2);
	cr_expect_str_eq(((struct store_suppression *)rest->pdata[1])->email, "0@x.org");
}

Test(suppression, is_of_its_workspace)
{
	g_autofree struct look *l = look("a@x.org");
	guint count;

	put_one(&fixture->workspace, "a@x.org", false, SUPPRESSION_MANUAL, SUPPRESSION_ALL);
	store_suppression_expect("got", &fixture->other, "a@x.org", "none");
	MUST(store_suppression_remove(fixture->db, &fixture->other, &l->key, &count, &error));
	cr_expect_eq(count, 0);
	put_one(&fixture->other, "a@x.org", false, SUPPRESSION_BOUNCED, SUPPRESSION_AUTOMATION);
	store_suppression_expect("untouched", &fixture->workspace, "a@x.org", "a@x.org manual all");
	store_suppression_expect(
	    "their own", &fixture->other, "a@x.org", "a@x.org bounced automation");
	MUST(store_suppression_remove(fixture->db, &fixture->workspace, &l->key, &count, &error));
	cr_expect_eq(count, 1);
	store_suppression_expect("gone", &fixture->workspace, "a@x.org", "none");
	store_suppression_expect(
	    "theirs is not", &fixture->other, "a@x.org", "a@x.org bounced automation");
}

struct narrowing {
	const struct look *look;
	bool done;
};

static bool
suppression_narrow(struct db *db, void *context, GError **error)
{
	struct narrowing *narrowing = context;
	const struct store_suppression_key *key = &narrowing->look->key;
	AUTO(store_suppression) entry = store_suppression_lock(db, &fixture->workspace, key, error);

	narrowing->done =
	    entry && store_suppression_narrow(db, &fixture->workspace, &entry->id, error);
	return narrowing->done;
}

Test(suppression, is_narrowed_to_mailings)
{
	g_autofree struct look *l = look("a@x.org");
	struct narrowing narrowing = {.look = l};

	MUST_FAIL(
	    db_transact(fixture->db, suppression_narrow, &narrowing, &error), PH_ERROR_NOT_FOUND);
	put_one(&fixture->workspace, "a@x.org", false, SUPPRESSION_BOUNCED, SUPPRESSION_ALL);
	put_one(&fixture->other, "a@x.org", false, SUPPRESSION_BOUNCED, SUPPRESSION_ALL);
	MUST(db_transact(fixture->db, suppression_narrow, &narrowing, &error));
	store_suppression_expect(
	    "ours", &fixture->workspace, "a@x.org", "a@x.org unsubscribed automation");
	store_suppression_expect("theirs", &fixture->other, "a@x.org", "a@x.org bounced all");
}
