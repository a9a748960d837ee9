/* SPDX-License-Identifier: MIT */
#include "domain/domain.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/domain.h"
#include "base/limits/email.h"
#include "domain/zone.h"
#include "link/return_path.h"
#include "link/tracking.h"
#include "store/domain/key.h"
#include "store/email/email.h"
#include "tests/lib/fixture.h"
#include "tests/lib/scene.h"
#include "tests/support/db.h"
#include "text/mailbox.h"

/* A name of so many characters: labels of 61 and one of the rest, then ".co". */
static char *
domain_name_of(gsize length)
{
	GString *name = g_string_new(NULL);

	while (length - name->len > 64) {
		for (guint i = 0; i < 61; i++)
			g_string_append_c(name, 'a');
		g_string_append_c(name, '.');
	}
	while (name->len < length - strlen(".co"))
		g_string_append_c(name, 'b');
	g_string_append(name, ".co");
	return g_string_free(name, FALSE);
}

#define A53 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define U "\303\274"			   /* makes 8 characters more in ASCII, and is one itself */
#define WIDE U A53 "aa." U A53 "aa." U A53 /* 171 characters with ".co", 192 in ASCII */

#define TOO_LONG(length)                                                                           \
	"!name must be at most 192 characters in ASCII, where it has " length                      \
	": a longer one leaves no room for the return path"

Test(register, takes_names_that_can_send)
{
	g_autofree char *longest = domain_name_of(LIMIT_SENDER_DOMAIN_LENGTH);
	g_autofree char *past = domain_name_of(LIMIT_SENDER_DOMAIN_LENGTH + 1);
	g_autofree char *described = domain_name_of(LIMIT_DOMAIN_LENGTH);
	g_autofree char *beyond = domain_name_of(LIMIT_DOMAIN_LENGTH + 1);
	const struct {
		const char *given, *want; /* the stored name, or "!" and the message */
	} cases[] = {
	    {"a.co", "a.co"},
	    {"a.b", "!name must be 4 to 253 characters"},
	    {longest, longest},
	    {past, TOO_LONG("193")},
	    {described, TOO_LONG("253")},
	    {beyond, "!name must be 4 to 253 characters"},
	    {WIDE ".co", "xn--" A53 "aa-oxf.xn--" A53 "aa-oxf.xn--" A53 "-lqf.co"},
	    {WIDE "a.co", TOO_LONG("193")},
	    {"Mail.Example.ORG", "mail.example.org"},
	    {"b\303\274cher.example", "xn--bcher-kva.example"},
	    {"\331\206\330\247\331\205\331\207\342\200\214\330\247\333\214.example",
		"xn--mgba3gch31f060k.example"},
	    {"a\342\200\215b.example", "!name must be a valid domain name"},
	    {"xn--bcher-kva.test", "xn--bcher-kva.test"},
	    {"a-1.example.net", "a-1.example.net"},
	    {"localhost", "!name must be a valid domain name"},
	    {"-a.example.net", "!name must be a valid domain name"},
	    {"a..example.net", "!name must be a valid domain name"},
	    {"a_b.example.net", "!name must be a valid domain name"},
	    {"a b.example.net", "!name must be a valid domain name"},
	    {"192.0.2.1", "!name must be a valid domain name"},
	    {"co.uk", "!name must not be a public suffix"},
	    {"example.com", "!Domain example.com is registered already"},
	    {"EXAMPLE.com", "!Domain example.com is registered already"},
	};
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		AUTO(store_domain) domain =
		    domain_register(fixture->service, &fixture->key.workspace_id,
			&fixture->key.user_id, cases[i].given, false, &error);
		g_autofree char *got =
		    domain ? g_strdup(domain->name) : g_strdup_printf("!%s", error->message);

		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].given, got, cases[i].want);
		if (domain)
			cr_expect(domain->status == DOMAIN_NOT_STARTED && !domain->trusted);
		else
			cr_expect_eq(error->code, g_str_has_suffix(got, "already")
						      ? PH_ERROR_CONFLICT
						      : PH_ERROR_INVALID);
	}
}

/* Each record has a name that DNS can have, each address one that mail servers take. */
Test(register, leaves_room_below_the_longest_name)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	g_autofree char *longest = domain_name_of(LIMIT_SENDER_DOMAIN_LENGTH);
	AUTO(store_domain) domain = domain_register(
	    fixture->service, &fixture->key.workspace_id, NULL, longest, false, NULL);
	AUTO(store_email) email = store_email_new();

	cr_assert(domain);
	g_autoptr(GPtrArray) records = domain_zone_records(domain, fixture->service->settings);
	for (guint i = 0; i < records->len; i++) {
		const struct domain_zone_record *record = records->pdata[i];

		cr_expect_leq(strlen(record->name), LIMIT_DOMAIN_LENGTH, "%s", record->name);
	}
	email->domain = g_strdup(longest);
	g_autofree char *path = link_return_path(fixture->service, email, 0);
	g_autofree char *address = link_tracking_unsubscribe_address(fixture->service, email, 0);
	cr_expect(text_mailbox_sendable(path), "%s", path);
	cr_expect(text_mailbox_sendable(address), "%s", address);
	cr_expect_eq(strlen(address), LIMIT_ADDRESS_BYTES, "%s", address);
}

Test(register, makes_two_keys_that_nobody_can_read)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	g_autoptr(GPtrArray) keys =
	    store_domain_key_signing(fixture->db, &fixture->domain->id, NULL);

	cr_assert(keys && keys->len == 2);
	const struct store_domain_key *rsa = keys->pdata[0], *ed25519 = keys->pdata[1];
	cr_expect(rsa->algorithm == DOMAIN_KEY_RSA && ed25519->algorithm == DOMAIN_KEY_ED25519);
	g_autofree char *want = g_strconcat(rsa->selector, "-ed", NULL);
	cr_expect_str_eq(ed25519->selector, want);
	cr_expect(g_str_has_prefix(rsa->selector, "ph20"), "%s", rsa->selector);
	cr_expect_eq(fixture->domain->status, DOMAIN_SUCCESS, "trusted");
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM domain_key WHERE private LIKE '%PRIVATE KEY%'"),
	    0);
}

Test(register, gives_each_pair_of_keys_a_selector_of_its_own)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < 5; i++) {
		AUTO(store_domain) domain = domain_register(fixture->service,
		    &fixture->key.workspace_id, NULL, "again.example", false, NULL);
		cr_assert(domain && domain->keys->len == 2);
		const struct store_domain_key *key = domain->keys->pdata[0];
		g_autoptr(GDateTime) today = g_date_time_new_now_utc();
		g_autofree char *prefix = g_date_time_format(today, "ph%Y%m%d-");
		cr_expect(g_str_has_prefix(key->selector, prefix), "%s", key->selector);
		cr_expect(strlen(key->selector) == strlen(prefix) + 6, "%s", key->selector);
		cr_expect(g_hash_table_add(seen, g_strdup(key->selector)), "%s", key->selector);
		cr_assert(store_domain_remove(
		    fixture->db, &fixture->key.workspace_id, &domain->id, NULL));
	}
}

Test(register, plans_the_first_check_for_a_minute_later)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	AUTO(store_domain) domain = domain_register(
	    fixture->service, &fixture->key.workspace_id, NULL, "example.org", false, NULL);

	gint64 wait = domain->check.next_check - domain->created;
	cr_expect(wait >= 59000 && wait <= 67000, "in %d ms", (int)wait);
	cr_expect_eq(test_db_number(
			 fixture->db, "SELECT COUNT(*) FROM domain_check WHERE next_check IS NULL"),
	    1, "the trusted one has none");
}

/* The selectors that messages are signed with, as "s s-ed": r is the first pair's, n the next. */
static char *
signing(struct scene *scene)
{
	g_autoptr(GPtrArray) keys = store_domain_key_signing(scene->fixture->db, &scene->id, NULL);
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < keys->len; i++) {
		const struct store_domain_key *key = keys->pdata[i];
		g_string_append_printf(text, "%s%s", i > 0 ? " " : "", key->selector);
	}
	return g_string_free(text, FALSE);
}

static void
expect_signing(struct scene *scene, const char *selector, const char *other)
{
	g_autofree char *got = signing(scene);
	g_autofree char *want = g_strconcat(selector, other ? " " : "", other, NULL);

	cr_expect_str_eq(got, want, "got %s, want %s", got, want);
}

Test(domain_keys, signs_with_ed25519_where_dns_shows_it)
{
	AUTO(scene) scene = scene_open("example.org", false);
	const struct store_domain_key *rsa = scene->domain->keys->pdata[0],
				      *ed = scene->domain->keys->pdata[1];
	g_autofree char *s = g_strdup(rsa->selector), *s_ed = g_strdup(ed->selector);

	scene_publish(scene, "-ed.", "");
	scene_check(scene);
	expect_signing(scene, s, NULL);
	scene_publish(scene, NULL, "");
	scene_check(scene);
	expect_signing(scene, s, s_ed);
	scene_publish(scene, "-ed.", "");
	scene_check(scene);
	expect_signing(scene, s, NULL);
}

static void
lib_domain_rotate(struct scene *scene)
{
	g_autoptr(GError) error = NULL;

	cr_assert(domain_keys_rotate(scene->fixture->service, &scene->fixture->key.workspace_id,
		      &scene->id, &error),
	    "%s", error ? error->message : "");
	scene_read(scene);
}

Test(domain_keys, moves_over_to_new_keys_when_dns_shows_them)
{
	AUTO(scene) scene = scene_open("example.org", false);
	const struct store_domain_key *old = scene->domain->keys->pdata[0];
	g_autofree char *s = g_strdup(old->selector), *s_ed = g_strconcat(s, "-ed", NULL);

	scene_publish(scene, NULL, "");
	scene_check(scene);
	base_clock_set(SOME_TIME + 200 * HOUR);
	lib_domain_rotate(scene);
	cr_assert_eq(scene->domain->keys->len, 4);
	const struct store_domain_key *new = scene->domain->keys->pdata[2];
	g_autofree char *n = g_strdup(new->selector), *n_ed = g_strconcat(n, "-ed", NULL);
	cr_expect_str_neq(s, n);
	gint64 wait = scene->domain->check.next_check - base_clock_now();
	cr_expect(wait > 50000 && wait < 67000, "next check in %d ms", (int)wait);

	scene_check_due(scene, SOME_TIME + 200 * HOUR + 2 * MINUTE);
	scene_expect(
	    scene, "not shown yet", "SUCCESS - found found missing missing found found found");
	expect_signing(scene, s, s_ed);

	scene_publish(scene, n_ed, "");
	scene_check_due(scene, SOME_TIME + 201 * HOUR);
	scene_expect(scene, "RSA shown", "SUCCESS - found missing found found found found found");
	expect_signing(scene, n, NULL);

	/* The old ones may go, even at once. */
	g_autofree char *old_mark = g_strconcat(s, "", NULL);
	scene_publish(scene, old_mark, "");
	scene_check_due(scene, SOME_TIME + 202 * HOUR);
	scene_expect(
	    scene, "old ones gone", "SUCCESS - found found missing missing found found found");
	expect_signing(scene, n, n_ed);
}

Test(domain_keys, takes_new_keys_in_place_of_old_ones)
{
	AUTO(scene) scene = scene_open("example.org", false);
	const struct store_domain_key *old = scene->domain->keys->pdata[0];
	g_autofree char *s = g_strdup(old->selector);

	scene_publish(scene, NULL, "");
	scene_check(scene);
	lib_domain_rotate(scene);
	scene_publish(scene, s, "");
	scene_check(scene);
	scene_expect(scene, "exchanged", "SUCCESS - found found missing missing found found found");
}
