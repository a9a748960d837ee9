/* SPDX-License-Identifier: MIT */
#include "store/domain/domain.h"

#include "store/domain/key.h"
#include "store/workspace/user.h"
#include "store/workspace/workspace.h"
#include "tests/store/fixture.h"

FIXTURE_SUITE(domain);

static struct base_id
domain_create(const struct base_id *workspace, const char *name)
{
	struct store_domain domain = {
	    .workspace_id = *workspace, .name = (char *)name, .status = DOMAIN_NOT_STARTED};

	MUST(store_domain_create(
	    fixture->db, &domain, &(struct store_domain_creation){NULL, NULL, 0, 0}, &error));
	return domain.id;
}

Test(domain, comes_back_as_it_was)
{
	struct store_domain domain = {.workspace_id = fixture->workspace,
	    .name = (char *)"example.com",
	    .status = DOMAIN_PENDING,
	    .trusted = true};
	struct base_id user = base_id_new();

	MUST(store_domain_create(
	    fixture->db, &domain, &(struct store_domain_creation){&user, NULL, 0, 0}, &error));
	AUTO(store_domain) got =
	    MUST_GIVE(store_domain_find(fixture->db, &fixture->workspace, "example.com", &error));
	cr_expect(base_id_equal(&got->id, &domain.id));
	cr_expect(base_id_equal(&got->workspace_id, &fixture->workspace));
	cr_expect_str_eq(got->name, "example.com");
	cr_expect_eq(got->status, DOMAIN_PENDING);
	cr_expect(got->trusted);
	cr_expect_eq(got->created, domain.created);
	cr_expect_eq(
	    fixture_number(fixture, "SELECT COUNT(*) FROM domain WHERE user_id IS NOT NULL"), 1);
}

Test(domain, is_registered_once_in_a_workspace)
{
	struct store_domain again = {.workspace_id = fixture->workspace,
	    .name = (char *)"example.com",
	    .status = DOMAIN_NOT_STARTED};
	struct store_domain_key key = {.id = base_id_new(),
	    .algorithm = DOMAIN_KEY_RSA,
	    .state = DOMAIN_KEY_ACTIVE,
	    .selector = (char *)"s",
	    .sealed = g_bytes_new_static("s", 1),
	    .public = (char *)"cHVibGlj"};

	domain_create(&fixture->workspace, "example.com");
	MUST_FAIL(store_domain_create(fixture->db, &again,
		      &(struct store_domain_creation){
			  NULL, (struct store_domain_key *const[]){&key}, 1, 0},
		      &error),
	    PH_ERROR_CONFLICT);
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM domain_key"), 0);
	domain_create(&fixture->other, "example.com");
	g_bytes_unref(key.sealed);
}

Test(domain, is_the_nearest_one)
{
	static const struct {
		const char *name, *want; /* NULL: none */
	} cases[] = {
	    {"example.com", "example.com"},
	    {"a.example.com", "example.com"},
	    {"a.b.example.com", "example.com"},
	    {"mail.example.com", "mail.example.com"},
	    {"a.mail.example.com", "mail.example.com"},
	    {"notexample.com", NULL},
	    {"com", NULL},
	    {"other.example", NULL},
	    {"example.com.evil.example", NULL},
	    {"", NULL},
	    {".", NULL},
	    {"grüße.example.com", "example.com"},
	};

	domain_create(&fixture->workspace, "example.com");
	domain_create(&fixture->workspace, "mail.example.com");
	domain_create(&fixture->workspace, "com");
	domain_create(&fixture->other, "other.example");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		AUTO(store_domain) got = store_domain_find_sender(
		    fixture->db, &fixture->workspace, cases[i].name, NULL, &error);

		cr_expect_str_eq(got ? got->name : "none", cases[i].want ? cases[i].want : "none",
		    "%s: got %s, want %s", cases[i].name, got ? got->name : "none", cases[i].want);
		if (!got)
			cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_NOT_FOUND), "%s: %s",
			    cases[i].name, error->message);
	}
}

Test(domain, is_found_in_its_own_workspace_alone)
{
	static const char *const names[] = {"other.example", "nobody.example", "grüße.example", ""};

	domain_create(&fixture->other, "other.example");
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		MUST_FAIL(store_domain_find(fixture->db, &fixture->workspace, names[i], &error),
		    PH_ERROR_NOT_FOUND);
		MUST_FAIL(store_domain_trust(fixture->db, &fixture->workspace, names[i], &error),
		    PH_ERROR_NOT_FOUND);
	}
	cr_expect_eq(fixture_number(fixture, "SELECT SUM(trusted) FROM domain"), 0);
}

Test(domain, that_is_trusted_may_send)
{
	domain_create(&fixture->workspace, "example.com");
	domain_create(&fixture->workspace, "another.example");
	MUST(store_domain_trust(fixture->db, &fixture->workspace, "example.com", &error));
	MUST(store_domain_trust(fixture->db, &fixture->workspace, "example.com", &error));
	AUTO(store_domain) got =
	    MUST_GIVE(store_domain_find(fixture->db, &fixture->workspace, "example.com", &error));
	cr_expect(got->trusted);
	cr_expect_eq(got->status, DOMAIN_SUCCESS);
	cr_expect_eq(fixture_number(fixture, "SELECT SUM(trusted) FROM domain"), 1);
}

Test(domain, that_is_trusted_is_checked_no_more)
{
	struct store_domain domain = {.workspace_id = fixture->workspace,
	    .name = (char *)"example.com",
	    .status = DOMAIN_NOT_STARTED};

	MUST(store_domain_create(
	    fixture->db, &domain, &(struct store_domain_creation){NULL, NULL, 0, 5}, &error));
	cr_expect_eq(fixture_number(fixture, "SELECT next_check FROM domain_check"), 5);
	MUST(store_domain_claim_one(fixture->db, &fixture->workspace, &domain.id, 77, 9, &error));
	MUST(store_domain_trust(fixture->db, &fixture->workspace, "example.com", &error));
	cr_expect_eq(
	    fixture_number(fixture, "SELECT COUNT(*) FROM domain_check WHERE next_check IS "
				    "NULL AND token IS NULL"),
	    1);
}

Test(domain, is_read_with_all_that_is_known)
{
	const bool yes = true, no = false;
	struct store_user user = {
	    .email = "ann@example.com", .first_name = "Ann", .picture = "http://p"};
	struct store_domain domain = {.workspace_id = fixture->workspace,
	    .name = (char *)"example.com",
	    .status = DOMAIN_NOT_STARTED};

	MUST(store_user_add(fixture->db, &fixture->workspace, &user, NULL, &error));
	MUST(store_domain_create(
	    fixture->db, &domain, &(struct store_domain_creation){&user.id, NULL, 0, 5}, &error));
	const struct store_domain_change first = {&yes, NULL, NULL},
					 second = {&no, &yes, "eu-west-1"}, none = {NULL};
	MUST(store_domain_change(fixture->db, &fixture->workspace, &domain.id, &first, &error));
	test_db_plain(fixture->db, "UPDATE domain SET warmed_up_at = 42");
	AUTO(store_domain) got =
	    MUST_GIVE(store_domain_get(fixture->db, &fixture->workspace, &domain.id, &error));
	cr_expect_str_eq(got->creator.email, "ann@example.com");
	cr_expect_str_eq(got->creator.first_name, "Ann");
	cr_expect_null(got->creator.last_name);
	cr_expect_str_eq(got->creator.picture, "http://p");
	cr_expect(base_id_equal(&got->creator.id, &user.id));
	cr_expect(got->open_tracking && !got->click_tracking);
	cr_expect_str_eq(got->region, STORE_DOMAIN_REGION);
	MUST(store_domain_change(fixture->db, &fixture->workspace, &domain.id, &second, &error));
	MUST(store_domain_change(fixture->db, &fixture->workspace, &domain.id, &none, &error));
	AUTO(store_domain) changed =
	    MUST_GIVE(store_domain_get(fixture->db, &fixture->workspace, &domain.id, &error));
	cr_expect(!changed->open_tracking && changed->click_tracking);
	cr_expect_str_eq(changed->region, "eu-west-1");
	cr_expect_eq(got->warmed_up_at, 42);
	cr_expect_eq(got->check.series, domain.created);
	cr_expect_eq(got->check.next_check, 5);
	cr_expect_eq(got->check.last_checked, 0);
	cr_expect_null(got->check.findings);
	cr_expect_eq(got->keys->len, 0);
	MUST_FAIL(
	    store_domain_get(fixture->db, &fixture->other, &domain.id, &error), PH_ERROR_NOT_FOUND);
	MUST_FAIL(store_domain_change(fixture->db, &fixture->other, &domain.id, &first, &error),
	    PH_ERROR_NOT_FOUND);
}

Test(domain, goes_with_all_that_is_known)
{
	struct base_id id = domain_create(&fixture->workspace, "example.com");

	domain_create(&fixture->workspace, "other.example");
	MUST_FAIL(
	    store_domain_remove(fixture->db, &fixture->other, &id, &error), PH_ERROR_NOT_FOUND);
	MUST(store_domain_remove(fixture->db, &fixture->workspace, &id, &error));
	MUST_FAIL(
	    store_domain_remove(fixture->db, &fixture->workspace, &id, &error), PH_ERROR_NOT_FOUND);
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM domain"), 1);
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM domain_check"), 1);
	domain_create(&fixture->workspace, "example.com");
}

Test(domain, may_send_when_it_is_verified)
{
	static const struct {
		struct store_domain domain;
		const char *name;
		bool want;
	} cases[] = {
	    {{.status = DOMAIN_NOT_STARTED}, "NOT_STARTED", false},
	    {{.status = DOMAIN_PENDING}, "PENDING", false},
	    {{.status = DOMAIN_SUCCESS}, "SUCCESS", true},
	    {{.status = DOMAIN_FAILED}, "FAILED", false},
	    {{.status = DOMAIN_TEMPORARY_FAILURE}, "TEMPORARY_FAILURE", true},
	    {{.status = DOMAIN_FAILED, .trusted = true}, "FAILED", true},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		cr_expect_eq(
		    store_domain_verified(&cases[i].domain), cases[i].want, "%s", cases[i].name);
		cr_expect_str_eq(store_domain_status_name(cases[i].domain.status), cases[i].name);
	}
}

/* Their names, joined. */
static char *
tests_store_domain_list(const struct base_id *workspace, const struct base_id *before, guint limit)
{
	g_autoptr(GPtrArray) page =
	    MUST_GIVE(store_domain_list(fixture->db, workspace, before, limit, &error));
	GString *names = g_string_new(NULL);

	for (guint i = 0; i < page->len; i++)
		g_string_append_printf(names, "%s ", ((struct store_domain *)page->pdata[i])->name);
	return g_string_free(names, FALSE);
}

Test(domain, is_listed_newest_first)
{
	domain_create(&fixture->workspace, "a.example");
	struct base_id b = domain_create(&fixture->workspace, "b.example");
	domain_create(&fixture->workspace, "c.example");
	domain_create(&fixture->other, "d.example");
	g_autofree char *all = tests_store_domain_list(&fixture->workspace, NULL, 10),
			*first = tests_store_domain_list(&fixture->workspace, NULL, 2),
			*rest = tests_store_domain_list(&fixture->workspace, &b, 2),
			*others = tests_store_domain_list(&fixture->other, &b, 2);
	cr_expect_str_eq(all, "c.example b.example a.example ");
	cr_expect_str_eq(first, "c.example b.example ");
	cr_expect_str_eq(rest, "a.example ");
	cr_expect_str_eq(others, "");
}
