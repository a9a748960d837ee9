/* SPDX-License-Identifier: MIT */
#include "email/keyring.h"

#include <criterion/criterion.h>

#include "base/clock.h"
#include "base/error.h"
#include "config/settings.h"
#include "domain/domain.h"
#include "mail/dkim.h"
#include "tests/lib/fixture.h"
#include "tests/support/db.h"

static GPtrArray *
lib_keyring_select_keys(struct fixture *fixture, struct email_keyring *keyring,
    const struct base_id *domain, GError **error)
{
	return email_keyring_select(keyring, fixture->service->db,
	    config_settings_secret(fixture->settings), domain, error);
}

static void
expect_error(struct fixture *fixture, struct email_keyring *keyring, int want, const char *name)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) keys =
	    lib_keyring_select_keys(fixture, keyring, &fixture->domain->id, &error);

	cr_assert_not(keys, "%s: there are keys", name);
	cr_expect_eq(error->code, want, "%s: got %d: %s", name, error->code, error->message);
}

Test(keyring, parses_each_key_once)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct email_keyring *keyring = email_keyring_new();
	g_autoptr(GPtrArray) first =
	    lib_keyring_select_keys(fixture, keyring, &fixture->domain->id, NULL);

	cr_assert(first && first->len == 2);
	g_autofree char *rsa = mail_dkim_public_base64(first->pdata[0]);
	g_autofree char *ed25519 = mail_dkim_public_base64(first->pdata[1]);
	cr_expect(strlen(rsa) > 300 && strlen(ed25519) == 44, "%s, %s", rsa, ed25519);
	/* A parsed key is not read again. */
	test_db_plain(fixture->db, "UPDATE domain_key SET private = ''");
	g_autoptr(GPtrArray) second =
	    lib_keyring_select_keys(fixture, keyring, &fixture->domain->id, NULL);
	cr_assert(second && second->len == 2);
	cr_expect_eq(second->pdata[0], first->pdata[0]);
	cr_expect_eq(second->pdata[1], first->pdata[1]);
	email_keyring_free(keyring);
}

Test(keyring, gives_the_keys_that_sign_now)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct email_keyring *keyring = email_keyring_new();

	AUTO(store_domain) other = domain_register(
	    fixture->service, &fixture->key.workspace_id, NULL, "example.org", true, NULL);
	g_autoptr(GPtrArray) ours =
	    lib_keyring_select_keys(fixture, keyring, &fixture->domain->id, NULL);
	gint64 chosen = base_clock_now();
	g_autoptr(GPtrArray) theirs = lib_keyring_select_keys(fixture, keyring, &other->id, NULL);
	cr_assert(ours && theirs);
	cr_expect_neq(ours->pdata[0], theirs->pdata[0]);
	cr_assert(db_run(fixture->db, "UPDATE domain_key SET state = 3 WHERE algorithm = 2", NULL,
	    0, NULL, NULL));
	/* A choice stands for some seconds, however long the statements took. */
	base_clock_set(chosen);
	g_autoptr(GPtrArray) same =
	    lib_keyring_select_keys(fixture, keyring, &fixture->domain->id, NULL);
	cr_assert(same && same->len == 2);
	base_clock_set(chosen + 5000);
	g_autoptr(GPtrArray) left =
	    lib_keyring_select_keys(fixture, keyring, &fixture->domain->id, NULL);
	cr_assert(left && left->len == 1);
	cr_expect_eq(left->pdata[0], ours->pdata[0]);
	email_keyring_free(keyring);
}

Test(keyring, tells_what_is_wrong)
{
	static const struct {
		const char *name, *sql;
		int want;
	} cases[] = {
	    {"damaged", "UPDATE domain_key SET private = REVERSE(private)", PH_ERROR_FAILED},
	    {"moved from another row",
		"UPDATE domain_key k JOIN (SELECT private FROM domain_key WHERE algorithm = 1) o"
		" SET k.private = o.private WHERE k.algorithm = 2",
		PH_ERROR_FAILED},
	    {"empty", "UPDATE domain_key SET private = ''", PH_ERROR_FAILED},
	    {"none", "DELETE FROM domain_key", PH_ERROR_NOT_FOUND},
	    {"none can be read", "RENAME TABLE domain_key TO away", PH_ERROR_FAILED},
	};
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct email_keyring *keyring = email_keyring_new();

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		test_db_plain(fixture->db, cases[i].sql);
		expect_error(fixture, keyring, cases[i].want, cases[i].name);
	}
	email_keyring_free(keyring);
}
