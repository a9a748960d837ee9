/* SPDX-License-Identifier: MIT */

#include "store/domain/domain.h"
#include "tests/store/fixture.h"

FIXTURE_SUITE(domain_claim);

static struct base_id
domain_claim_create(const char *name, gint64 next_check)
{
	struct store_domain domain = {
	    .workspace_id = fixture->workspace, .name = (char *)name, .status = DOMAIN_NOT_STARTED};

	MUST(store_domain_create(fixture->db, &domain,
	    &(struct store_domain_creation){NULL, NULL, 0, next_check}, &error));
	return domain.id;
}

/* The names of the claimed domains, in their order. */
static char *
domain_claim_claim(struct db *db, gint64 now, guint limit)
{
	struct store_domain_claim claims[8];
	const struct store_domain_due due = {NULL, now, now, now + 100, limit};
	guint count;
	GString *names = g_string_new(NULL);

	MUST(store_domain_claim_due(db, &due, claims, &count, &error));
	for (guint i = 0; i < count; i++) {
		AUTO(store_domain) domain = MUST_GIVE(store_domain_get(
		    fixture->db, &claims[i].workspace_id, &claims[i].domain_id, &error));
		g_string_append_printf(names, "%s ", domain->name);
	}
	return g_string_free(names, FALSE);
}

static void
expect_claim(gint64 now, guint limit, const char *want)
{
	g_autofree char *got = domain_claim_claim(fixture->db, now, limit);

	cr_expect_str_eq(got, want, "at %d: got %s, want %s", (int)now, got, want);
}

Test(domain_claim, is_claimed_when_it_is_due)
{
	domain_claim_create("c.example", 30);
	domain_claim_create("a.example", 10);
	domain_claim_create("b.example", 20);
	domain_claim_create("never.example", 0);
	expect_claim(9, 8, "");
	expect_claim(10, 8, "a.example ");
	expect_claim(30, 1, "b.example ");
	expect_claim(30, 8, "c.example ");
	expect_claim(109, 8, "");
	/* The lease of the first is over. */
	expect_claim(110, 8, "a.example ");
}

Test(domain_claim, that_is_being_claimed_is_left_to_the_other)
{
	AUTO(db) other = test_db_open(fixture->settings);

	domain_claim_create("a.example", 10);
	domain_claim_create("b.example", 20);
	test_db_plain(other, "START TRANSACTION");
	test_db_plain(other, "UPDATE domain_check SET token = 1 WHERE next_check = 10");
	expect_claim(50, 8, "b.example ");
	test_db_plain(other, "ROLLBACK");
	expect_claim(50, 8, "a.example ");
}

static struct store_domain *
domain_claim_get(const struct base_id *id)
{
	return MUST_GIVE(store_domain_get(fixture->db, &fixture->workspace, id, &error));
}

Test(domain_claim, is_recorded_whole)
{
	struct base_id id = domain_claim_create("example.com", 10);
	bool kept = false;

	MUST(store_domain_claim_one(fixture->db, &fixture->workspace, &id, 7, 99, &error));
	AUTO(store_domain) domain = domain_claim_get(&id);
	cr_expect_eq(domain->check.next_check, 99);
	domain->status = DOMAIN_TEMPORARY_FAILURE;
	domain->check = (struct store_domain_check){
	    .series = 1,
	    .next_check = 2,
	    .last_checked = 3,
	    .last_success = 4,
	    .failing_since = 5,
	    .error = DOMAIN_INVALID_VALUE,
	    .findings = g_strdup("{}"),
	    .soa_primary = g_strdup("ns.example.com"),
	    .soa_admin = g_strdup("a@example.com"),
	    .soa_serial = G_MAXUINT32,
	};
	MUST(store_domain_claim_record(fixture->db, domain, 7, &kept, &error));
	cr_expect(kept);
	AUTO(store_domain) got = domain_claim_get(&id);
	cr_expect_eq(got->status, DOMAIN_TEMPORARY_FAILURE);
	cr_expect_eq(got->check.series, 1);
	cr_expect_eq(got->check.next_check, 2);
	cr_expect_eq(got->check.last_checked, 3);
	cr_expect_eq(got->check.last_success, 4);
	cr_expect_eq(got->check.failing_since, 5);
	cr_expect_str_eq(store_domain_error_name(got->check.error), "INVALID_VALUE");
	cr_expect_str_eq(got->check.findings, "{}");
	cr_expect_str_eq(got->check.soa_primary, "ns.example.com");
	cr_expect_str_eq(got->check.soa_admin, "a@example.com");
	cr_expect_eq(got->check.soa_serial, G_MAXUINT32);
	/* The claim is over. */
	domain->status = DOMAIN_FAILED;
	MUST(store_domain_claim_record(fixture->db, domain, 7, &kept, &error));
	cr_expect_not(kept);
	AUTO(store_domain) same = domain_claim_get(&id);
	cr_expect_eq(same->status, DOMAIN_TEMPORARY_FAILURE);
}

Test(domain_claim, is_that_of_the_last_claim)
{
	struct base_id id = domain_claim_create("example.com", 10);
	bool kept;

	MUST(store_domain_claim_one(fixture->db, &fixture->workspace, &id, 7, 99, &error));
	AUTO(store_domain) domain = domain_claim_get(&id);
	MUST(store_domain_claim_one(fixture->db, &fixture->workspace, &id, 8, 99, &error));
	MUST(store_domain_claim_record(fixture->db, domain, 7, &kept, &error));
	cr_expect_not(kept);
	MUST(store_domain_claim_record(fixture->db, domain, 8, &kept, &error));
	cr_expect(kept);
	MUST_FAIL(store_domain_claim_one(fixture->db, &fixture->other, &id, 9, 99, &error),
	    PH_ERROR_NOT_FOUND);
}

Test(domain_claim, that_is_not_planned_stays_so)
{
	struct base_id id = domain_claim_create("example.com", 0);

	MUST(store_domain_claim_one(fixture->db, &fixture->workspace, &id, 7, 99, &error));
	AUTO(store_domain) domain = domain_claim_get(&id);
	cr_expect_eq(domain->check.next_check, 0);
}
