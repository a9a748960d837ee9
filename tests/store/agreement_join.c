/* SPDX-License-Identifier: MIT */
#include "store/consent/agreement_join.h"

#include "store/consent/agreement.h"
#include "store/person/audience.h"
#include "tests/store/fixture.h"

static struct fixture *fixture;
static struct base_id audiences[2];

static void
agreement_join_begin(void)
{
	fixture = fixture_open();
	for (gsize i = 0; i < G_N_ELEMENTS(audiences); i++)
		MUST(store_audience_create(
		    fixture->db, &fixture->workspace, NULL, "News", &audiences[i], &error));
}

static void
agreement_join_end(void)
{
	fixture_close(fixture);
}

TestSuite(agreement_join, .init = agreement_join_begin, .fini = agreement_join_end, .timeout = 900);

static void
agreement_join_run(const char *sql, const struct db_value *values, gsize count)
{
	MUST(db_run(fixture->db, sql, values, count, NULL, &error));
}

/* A person as of before. The letters tell the memberships: s subscribed, u unsubscribed, p waits.
 */
static void
agreement_join_put(const char *name, const char *memberships, bool made, bool subscribed)
{
	struct base_id id = base_id_new();

	agreement_join_run(
	    "INSERT INTO person (id, workspace_id, email, address, properties, first_seen,"
	    " last_seen, last_event, event_count, entered, seen, created, updated, is_made,"
	    " is_subscribed) VALUES (?, ?, ?, ?, '{}', 0, 0, '', 0, 0, 0, 1, 1, ?, ?)",
	    DB_VALUES(db_id(&id), db_id(&fixture->workspace), db_text(name), db_text(name),
		db_int(made), db_int(subscribed)));
	for (guint i = 0; memberships[i]; i++) {
		id = base_id_new();
		agreement_join_run(
		    "INSERT INTO contact (audience_id, address, id, workspace_id, email,"
		    " is_subscribed, created, updated, pending)"
		    " VALUES (?, ?, ?, ?, '', ?, 1, 1, ?)",
		    DB_VALUES(db_id(&audiences[i]), db_text(name), db_id(&id),
			db_id(&fixture->workspace), db_int(memberships[i] == 's'),
			db_int_or_null(memberships[i] == 'p')));
	}
}

Test(agreement_join, decides_once_for_each_person)
{
	static const struct {
		const char *name, *memberships;
		bool made, subscribed;
		enum store_agreement want;
		bool lost;
	} cases[] = {
	    {"event@x.org", "", false, true, AGREEMENT_NONE, true},
	    {"made@x.org", "", true, true, AGREEMENT_SAID, false},
	    {"made-out@x.org", "", true, false, AGREEMENT_NONE, false},
	    {"in@x.org", "s", false, true, AGREEMENT_JOINED, false},
	    {"out@x.org", "u", false, true, AGREEMENT_NONE, false},
	    {"made-left@x.org", "u", true, true, AGREEMENT_NONE, false},
	    {"made-waits@x.org", "p", true, true, AGREEMENT_SAID, false},
	    {"waits@x.org", "p", false, true, AGREEMENT_NONE, false},
	    {"half@x.org", "us", false, true, AGREEMENT_JOINED, false},
	    {"half-waits@x.org", "ps", false, true, AGREEMENT_JOINED, false},
	};
	guint64 count, lost, want_lost = 0;

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		agreement_join_put(
		    cases[i].name, cases[i].memberships, cases[i].made, cases[i].subscribed);
		want_lost += cases[i].lost;
	}
	/* A person who has said something new is decided already. */
	agreement_join_put("new@x.org", "", false, true);
	agreement_join_run(
	    "UPDATE person SET agreed = 2 WHERE address = ?", DB_VALUES(db_text("new@x.org")));
	MUST(store_agreement_join(fixture->db, &count, &lost, &error));
	cr_expect_eq(count, G_N_ELEMENTS(cases), "%" G_GUINT64_FORMAT, count);
	cr_expect_eq(lost, want_lost, "%" G_GUINT64_FORMAT, lost);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *sql = g_strdup_printf(
		    "SELECT agreed FROM person WHERE address = '%s'", cases[i].name);
		gint64 got = test_db_number(fixture->db, g_intern_string(sql));

		cr_expect_eq(got, cases[i].want, "%s: %d", cases[i].name, (int)got);
	}
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT agreed FROM person WHERE address = 'new@x.org'"),
	    2);
	MUST(store_agreement_join(fixture->db, &count, &lost, &error));
	cr_expect(count == 0 && lost == 0, "the second time");
}

Test(agreement_join, goes_through_all_pages)
{
	guint64 count, lost;

	agreement_join_run(
	    "INSERT INTO person (id, workspace_id, email, address, properties, first_seen,"
	    " last_seen, last_event, event_count, entered, seen, created, updated)"
	    " SELECT UNHEX(MD5(seq)), ?, CONCAT(seq, '@x.org'), CONCAT(seq, '@x.org'), '{}', 0, 0,"
	    " '', 0, 0, 0, 1, 1 FROM seq_1_to_1001",
	    DB_VALUES(db_id(&fixture->workspace)));
	MUST(store_agreement_join(fixture->db, &count, &lost, &error));
	cr_expect_eq(count, 1001);
	cr_expect_eq(lost, 1001);
}
