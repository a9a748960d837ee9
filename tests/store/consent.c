/* SPDX-License-Identifier: MIT */
#include "store/consent/consent.h"

#include "db/transaction.h"
#include "tests/store/fixture.h"

FIXTURE_SUITE(consent);

static const struct base_id some = {{1}}, other = {{2}};

static bool
tests_store_consent_record(struct db *db, void *context, GError **error)
{
	const struct store_consent_about about = {.audience = &some};
	const struct store_consent_act import = {
	    .source = CONSENT_BY_IMPORT, .author = CONSENT_OF_OPERATOR};
	const struct store_consent_act click = {.source = CONSENT_BY_ONE_CLICK,
	    .author = CONSENT_OF_PERSON,
	    .email = &other,
	    .ip = "192.0.2.1",
	    .user_agent = "Mail"};

	return store_consent_record(db,
		   &(struct store_consent_change){
		       &fixture->workspace, "a@x.org", CONSENT_JOINED, &about, &import},
		   error) &&
	       store_consent_record(db,
		   &(struct store_consent_change){
		       &fixture->workspace, "a@x.org", CONSENT_UNSUBSCRIBED, NULL, &click},
		   error) &&
	       store_consent_record(db,
		   &(struct store_consent_change){
		       &fixture->workspace, "b@x.org", CONSENT_JOINED, &about, &import},
		   error);
}

Test(consent, is_listed_newest_first)
{
	cr_assert(db_transact(fixture->db, tests_store_consent_record, NULL, NULL));
	g_autoptr(GPtrArray) rows =
	    store_consent_list(fixture->db, &fixture->workspace, "a@x.org", NULL, 10, NULL);
	cr_assert(rows && rows->len == 2);
	const struct store_consent *left = rows->pdata[0], *joined = rows->pdata[1];

	cr_expect_str_eq(store_consent_kinds[left->kind - 1], "unsubscribed");
	cr_expect_str_eq(store_consent_sources[left->source - 1], "one_click");
	cr_expect_str_eq(store_consent_authors[left->author - 1], "person");
	cr_expect(left->has_email && base_id_equal(&left->email, &other) && !left->has_audience);
	cr_expect_str_eq(left->ip, "192.0.2.1");
	cr_expect_str_eq(left->user_agent, "Mail");
	cr_expect(joined->kind == CONSENT_JOINED && joined->has_audience &&
		  base_id_equal(&joined->audience, &some) && !joined->ip && !joined->reason);

	g_autoptr(GPtrArray) older =
	    store_consent_list(fixture->db, &fixture->workspace, "a@x.org", &left->id, 10, NULL);
	cr_expect(older && older->len == 1);
}

/* Rows from before have neither source nor author. */
static const struct {
	const char *values;
	enum store_consent_source want_source;
	enum store_consent_author want_author;
} old_rows[] = {
    {"1, NULL", CONSENT_BY_PAGE, CONSENT_OF_PERSON},
    {"2, NULL", CONSENT_BY_PAGE, CONSENT_OF_PERSON},
    {"3, NULL", CONSENT_BY_CLI, CONSENT_OF_OPERATOR},
    {"3, UNHEX(MD5('k'))", CONSENT_BY_API, CONSENT_OF_OPERATOR},
};

Test(consent, completes_old_rows)
{
	for (gsize i = 0; i < G_N_ELEMENTS(old_rows); i++) {
		g_autofree char *insert = g_strdup_printf(
		    "INSERT INTO consent (id, workspace_id, person, kind, key_id, created)"
		    " SELECT UNHEX(MD5('%zu')), id, 'p%zu@x.org', %s, 1 FROM workspace LIMIT 1",
		    i, i, old_rows[i].values);
		g_autofree char *person = g_strdup_printf("p%zu@x.org", i);

		test_db_plain(fixture->db, insert);
		g_autoptr(GPtrArray) rows =
		    store_consent_list(fixture->db, &fixture->workspace, person, NULL, 10, NULL);
		cr_assert(rows && rows->len == 1, "%zu", i);
		const struct store_consent *row = rows->pdata[0];
		cr_expect_eq(row->source, old_rows[i].want_source, "%zu", i);
		cr_expect_eq(row->author, old_rows[i].want_author, "%zu", i);
	}
}
