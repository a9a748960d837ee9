/* SPDX-License-Identifier: MIT */
#include "store/feedback/report.h"

#include "base/clock.h"
#include "base/error.h"
#include "store/upkeep/retention.h"
#include "tests/store/emails.h"
#include "tests/support/db.h"

#define TO(...) ((const char *const[]){__VA_ARGS__, NULL})

FIXTURE_SUITE(report);

Test(report, finds_the_email_that_it_is_about)
{
	struct base_id id = email_send(fixture, &fixture->workspace, TO("b@x.org", "c@x.org"));
	g_autoptr(GError) error = NULL;
	AUTO(store_reported) got = store_report_find(fixture->db, &id, &error);

	cr_assert(got, "%s", error ? error->message : "");
	cr_expect(base_id_equal(&got->workspace_id, &fixture->workspace));
	cr_expect_eq(got->type, EMAIL_TRANSACTIONAL);
	cr_expect_eq(got->reports, 0);
	cr_expect(got->sent > 0);
	cr_assert_eq(got->recipients->len, 2);
	cr_expect_str_eq(got->recipients->pdata[0], "b@x.org");
	cr_expect_str_eq(got->recipients->pdata[1], "c@x.org");
	cr_expect_null(store_report_find(fixture->db, &(struct base_id){{1}}, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_NOT_FOUND));
}

Test(report, is_noted_once)
{
	static const guint8 digests[][SHA256_SIZE] = {{1}, {2}};
	struct base_id id = email_send(fixture, &fixture->workspace, TO("b@x.org"));
	AUTO(store_reported) before = MUST_GIVE(store_report_find(fixture->db, &id, &error));
	g_autoptr(GError) failure = NULL;

	MUST(store_report_insert(fixture->db, before, digests[0], &error));
	MUST(store_report_insert(fixture->db, before, digests[1], &error));
	cr_expect_not(store_report_insert(fixture->db, before, digests[0], &failure));
	cr_expect(g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT));
	AUTO(store_reported) after = MUST_GIVE(store_report_find(fixture->db, &id, &error));
	cr_expect_eq(after->reports, 2);
}

Test(report, counts_transient_bounces)
{
	static const struct {
		const char *name;
		enum store_event_status status;
		enum store_bounce_type type;
		gint64 after; /* ms after the time of the query */
		guint recipient;
		guint want; /* after it */
	} cases[] = {
	    {"one", EVENT_BOUNCED, BOUNCE_TRANSIENT, 0, 0, 1},
	    {"of another recipient", EVENT_BOUNCED, BOUNCE_TRANSIENT, 0, 1, 1},
	    {"a permanent one", EVENT_BOUNCED, BOUNCE_PERMANENT, 0, 0, 1},
	    {"a delay", EVENT_DELAYED, BOUNCE_NONE, 0, 0, 1},
	    {"an old one", EVENT_BOUNCED, BOUNCE_TRANSIENT, -1, 0, 1},
	    {"another", EVENT_BOUNCED, BOUNCE_TRANSIENT, 1, 0, 2},
	    {"one past the limit", EVENT_BOUNCED, BOUNCE_TRANSIENT, 1, 0, 2},
	};
	struct base_id id = email_send(fixture, &fixture->workspace, TO("b@x.org", "c@x.org"));
	gint64 now = base_clock_now();
	guint got;

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct store_event event = {.workspace_id = fixture->workspace,
		    .email_id = id,
		    .recipient = cases[i].recipient,
		    .status = cases[i].status,
		    .timestamp = now + cases[i].after,
		    .bounce_type = cases[i].type};

		MUST(store_event_insert(fixture->db, &event, 1, &error));
		MUST(store_report_count_transient(fixture->db,
		    &(struct store_report_about){&fixture->workspace, "B@x.org", now}, 2, &got,
		    &error));
		cr_expect_eq(got, cases[i].want, "%s: got %u", cases[i].name, got);
	}
	MUST(store_report_count_transient(fixture->db,
	    &(struct store_report_about){&(struct base_id){{1}}, "b@x.org", now}, 2, &got, &error));
	cr_expect_eq(got, 0, "another workspace's");
}

Test(report, goes_with_its_email)
{
	struct base_id id = email_send(fixture, &fixture->workspace, TO("b@x.org"));
	AUTO(store_reported) email = MUST_GIVE(store_report_find(fixture->db, &id, &error));
	guint count;

	MUST(store_report_insert(fixture->db, email, (const guint8[SHA256_SIZE]){1}, &error));
	test_db_plain(fixture->db, "DELETE FROM outbox");
	MUST(store_retention_emails(fixture->db, email->sent + 86400000, &count, &error));
	cr_expect_eq(count, 1);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM report"), 0);
}
