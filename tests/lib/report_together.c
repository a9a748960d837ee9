/* SPDX-License-Identifier: MIT */
/* Tests that reports which come together are recorded in few statements, and that one which cannot
   be recorded keeps no other from it. */
#include "feedback/report.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/report.h"
#include "tests/lib/posting.h"
#include "tests/lib/reporting.h"
#include "tests/support/db.h"
#include "tests/support/proxy.h"

#define DELIVERED(address) ELSEWHERE STATUS OF(address, address, "delivered", "2.0.0", "250 ok")
#define MANY FEEDBACK_REPORTS_TOGETHER

/* Statements for reports together, of which those for a report are a small part. */
#define STATEMENTS_MOST 12

static gint64
together_questions(struct db *db)
{
	/* The connection's own: other tests use the server as well. */
	return test_db_number(db, "SELECT variable_value FROM information_schema.session_status"
				  " WHERE variable_name = 'Questions'");
}

static void
together_submit(struct fixture *fixture, struct reporting_report *reports, guint count,
    const char *addresses, const char *text)
{
	for (guint i = 0; i < count; i++)
		reports[i] =
		    (struct reporting_report){posting_submit(fixture, addresses), OWN, text};
}

Test(report_together, takes_few_statements)
{
	static const struct {
		const char *name, *text;
	} kinds[] = {
	    {"delivered", DELIVERED("a@x.org")},
	    {"bounced", ELSEWHERE STATUS FAILED("a@x.org")},
	    {"full", FULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
		AUTO(fixture) fixture = fixture_open(NULL, NULL);
		struct reporting_report reports[MANY];
		struct feedback_report_result results[MANY];

		together_submit(fixture, reports, MANY, "a@x.org", kinds[i].text);
		/* The first one prepares the statements, and adds one of its own. */
		reporting_take_all(fixture, reports, 2, true, results);
		gint64 before = together_questions(fixture->service->db);
		reporting_take_all(fixture, &reports[2], MANY - 2, true, results);
		gint64 took = together_questions(fixture->service->db) - before - 1;
		cr_expect_leq(took, STATEMENTS_MOST, "%s: %d statements", kinds[i].name, (int)took);
		cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM event"), MANY);
	}
}

Test(report_together, counts_transient_bounces_of_each_other)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct reporting_report reports[6];
	struct feedback_report_result results[6];

	together_submit(fixture, reports, 6, "a@x.org", FULL);
	reporting_take_all(fixture, reports, 6, true, results);
	for (guint i = 0; i < 6; i++)
		cr_expect_eq(results[i].suppressed, i >= 4, "%u", i);
	g_autofree char *list = reporting_suppressed(fixture);
	cr_expect_str_eq(list, "a@x.org bounced\n", "%s", list);
}

/* The first reason of an address stands on the list. */
Test(report_together, keeps_the_order_of_reasons)
{
	static const char bounce[] = ELSEWHERE STATUS FAILED("a@x.org"),
			  complaint[] = ELSEWHERE FEEDBACK "abuse\n";
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	for (int i = 0; i < 2; i++) {
		struct reporting_report reports[2];
		struct feedback_report_result results[2];

		test_db_plain(fixture->db, "DELETE FROM suppression");
		together_submit(fixture, reports, 2, "a@x.org", i ? complaint : bounce);
		reports[1].text = i ? bounce : complaint;
		reporting_take_all(fixture, reports, 2, true, results);
		g_autofree char *list = reporting_suppressed(fixture);
		cr_expect_str_eq(
		    list, i ? "a@x.org complained\n" : "a@x.org bounced\n", "%d: %s", i, list);
	}
}

Test(report_together, adds_no_more_to_an_email_than_it_may)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct base_id id = posting_submit(fixture, "a@x.org");
	static const char *const texts[] = {FULL "\n1\n", FULL "\n2\n", FULL "\n3\n"};
	struct reporting_report reports[3];
	struct feedback_report_result results[3];

	cr_assert(db_run(fixture->db,
	    "INSERT INTO report (email_id, digest, workspace_id, created)"
	    " SELECT ?, UNHEX(SHA2(seq, 256)), ?, 0 FROM seq_1_to_998",
	    DB_VALUES(db_id(&id), db_id(&fixture->key.workspace_id)), NULL, NULL));
	for (guint i = 0; i < 3; i++)
		reports[i] = (struct reporting_report){id, PATH, texts[i]};
	reporting_take_all(fixture, reports, 3, true, results);
	for (guint i = 0; i < 3; i++)
		cr_expect_eq(results[i].outcome, i < 2 ? REPORT_RECORDED : REPORT_TOO_MANY,
		    "%u: %d", i, (int)results[i].outcome);
}

/* The same report twice, one that is recorded already, and letters that are no reports, are told
   apart among others. */
Test(report_together, with_some_that_are_not_recorded)
{
	static const enum feedback_report_outcome want[] = {REPORT_RECORDED, REPORT_REPEATED,
	    REPORT_UNSUBSCRIBED, REPORT_NONE, REPORT_RECORDED, REPORT_REPEATED, REPORT_STRANGE};
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct base_id one = posting_submit(fixture, "a@x.org"),
		       two = posting_submit(fixture, "b@x.org"),
		       three = posting_submit(fixture, "c@x.org");
	const struct reporting_report reports[] = {
	    {one, OWN, DELIVERED("a@x.org")},
	    {one, OWN, DELIVERED("a@x.org")},
	    {two, "UNSUB@send.example.com", "Subject: unsubscribe\n\n"},
	    {two, OWN, "Subject: away\n\nI am away.\n"},
	    {two, OWN, DELIVERED("b@x.org")},
	    {three, OWN, DELIVERED("c@x.org")},
	    {three, "", DELIVERED("c@x.org")},
	};
	struct feedback_report_result results[G_N_ELEMENTS(want)];

	cr_expect_eq(
	    reporting_take(fixture, &three, OWN, DELIVERED("c@x.org")).outcome, REPORT_RECORDED);
	reporting_take_all(fixture, reports, G_N_ELEMENTS(want), true, results);
	for (gsize i = 0; i < G_N_ELEMENTS(want); i++)
		cr_expect_eq(results[i].outcome, want[i], "%d: got %d, want %d", (int)i,
		    (int)results[i].outcome, (int)want[i]);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM report"), 3);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM event WHERE status = 2"), 3);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM event WHERE status = 7"), 1);
}

/* A report that the database refuses. */
Test(report_together, of_which_one_fails)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	const char *const nobody[] = {NULL};
	struct feedback_report_taking takings[4] = {{NULL}};
	char *texts[G_N_ELEMENTS(takings)];

	fixture->is_altered = true;
	for (gsize i = 0; i < G_N_ELEMENTS(takings); i++) {
		struct base_id id = posting_submit(fixture, i == 1 ? "bad@x.org" : "a@x.org");

		texts[i] = reporting_fill(fixture, &id, HEAD(PATH) STATUS FAILED("a@x.org"));
		takings[i] = (struct feedback_report_taking){texts[i], strlen(texts[i]), nobody};
	}
	test_db_plain(fixture->db,
	    "CREATE TRIGGER refuse BEFORE INSERT ON report FOR EACH ROW"
	    " IF EXISTS (SELECT 1 FROM recipient WHERE email_id = NEW.email_id"
	    " AND address = 'bad@x.org') THEN SIGNAL SQLSTATE '45000'; END IF");
	feedback_report_all(fixture->service, takings, G_N_ELEMENTS(takings));
	for (gsize i = 0; i < G_N_ELEMENTS(takings); i++) {
		cr_expect_eq(takings[i].is_done, i != 1, "%d", (int)i);
		cr_expect_eq(takings[i].failure != NULL, i == 1, "%d", (int)i);
		g_clear_error(&takings[i].failure);
		g_free(texts[i]);
	}
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM report"), 3);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM event"), 3);
}

/* A connection that breaks: nothing is doubled when all are given again, and nothing is missing. */
Test(report_together, are_recorded_once_when_the_connection_breaks)
{
	static const struct {
		const char *name;
		enum test_proxy_fault fault;
		enum test_proxy_command command;
		const char *text;
		enum feedback_report_outcome want;
	} faults[] = {
	    {"looking for them", TEST_PROXY_CUT_COMMAND, TEST_PROXY_PREPARE, "SELECT",
		REPORT_RECORDED},
	    {"noting them", TEST_PROXY_CUT_ANSWER, TEST_PROXY_PREPARE, "UPDATE recipient",
		REPORT_RECORDED},
	    {"COMMIT lost", TEST_PROXY_CUT_COMMAND, TEST_PROXY_COMMIT, "", REPORT_RECORDED},
	    {"its answer lost", TEST_PROXY_CUT_ANSWER, TEST_PROXY_COMMIT, "", REPORT_REPEATED},
	};
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	fixture_use_proxy(fixture);
	for (gsize i = 0; i < G_N_ELEMENTS(faults); i++) {
		struct reporting_report reports[3];
		struct feedback_report_result results[3];
		struct feedback_report_taking takings[3] = {{NULL}};
		const char *const nobody[] = {NULL};
		char *texts[3];

		test_db_plain(fixture->db, "DELETE FROM suppression");
		fixture_renew(fixture, NULL, NULL);
		together_submit(
		    fixture, reports, 3, "a@x.org", HEAD(PATH) STATUS FAILED("a@x.org"));
		for (guint n = 0; n < 3; n++) {
			texts[n] = reporting_fill(fixture, &reports[n].id, reports[n].text);
			takings[n] =
			    (struct feedback_report_taking){texts[n], strlen(texts[n]), nobody};
		}
		test_proxy_break(
		    fixture->proxy, faults[i].fault, faults[i].command, faults[i].text, 0);
		feedback_report_all(fixture->service, takings, 3);
		cr_expect(g_error_matches(takings[0].failure, PH_ERROR, PH_ERROR_TEMPORARY), "%s",
		    faults[i].name);
		for (guint n = 0; n < 3; n++) {
			cr_expect_not(takings[n].is_done, "%s: %u", faults[i].name, n);
			cr_expect(n == 0 || !takings[n].failure, "%s: %u", faults[i].name, n);
			g_clear_error(&takings[n].failure);
			g_free(texts[n]);
			reports[n].envelope = "";
		}
		fixture_renew(fixture, NULL, NULL);
		reporting_take_all(fixture, reports, 3, true, results);
		for (guint n = 0; n < 3; n++)
			cr_expect_eq(results[n].outcome, faults[i].want, "%s: got %d",
			    faults[i].name, (int)results[n].outcome);
		cr_expect_eq(
		    test_db_number(fixture->db, "SELECT COUNT(*) FROM event"), 3 * (i + 1));
	}
}
