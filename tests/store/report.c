/* SPDX-License-Identifier: MIT */
#include "store/feedback/report.h"

#include "base/clock.h"
#include "base/error.h"
#include "db/transaction.h"
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

/* Reports that one transaction records. */
struct noting {
	const struct store_report *reports;
	guint count;
};

static bool
report_insert_all(struct db *db, void *context, GError **failure)
{
	const struct noting *noting = context;

	return store_report_insert(db, noting->reports, noting->count, failure);
}

static bool
report_note_all(const struct store_report *reports, guint count, GError **failure)
{
	return db_transact(
	    fixture->db, report_insert_all, &(struct noting){reports, count}, failure);
}

Test(report, finds_emails_together)
{
	static const guint counts[] = {0, 1, 2, 50, 51};
	struct base_id ids[51];

	for (guint i = 0; i < G_N_ELEMENTS(ids); i++)
		ids[i] = i % 10 == 7 ? (struct base_id){{1}}
				     : email_send(fixture, &fixture->workspace,
					   i % 2 ? TO("b@x.org") : TO("a@x.org", "c@x.org"));
	for (guint c = 0; c < G_N_ELEMENTS(counts); c++) {
		g_autoptr(GPtrArray) found =
		    MUST_GIVE(store_report_find_all(fixture->db, ids, counts[c], &error));
		guint there = 0;

		for (guint i = 0; i < counts[c]; i++)
			for (guint n = 0; n < found->len; n++) {
				const struct store_reported *email = found->pdata[n];

				if (!base_id_equal(&email->id, &ids[i]))
					continue;
				cr_expect_eq(email->recipients->len, i % 2 ? 1 : 2, "%u", i);
				cr_expect_str_eq(
				    email->recipients->pdata[0], i % 2 ? "b@x.org" : "a@x.org");
				there++;
			}
		cr_expect_eq(there, found->len);
		cr_expect_eq(there, counts[c] - (counts[c] + 2) / 10, "%u: %u", counts[c], there);
	}
}

Test(report, is_noted_once)
{
	static const guint8 digests[][SHA256_SIZE] = {{1}, {2}, {3}};
	struct base_id id = email_send(fixture, &fixture->workspace, TO("b@x.org"));
	AUTO(store_reported) before = MUST_GIVE(store_report_find(fixture->db, &id, &error));
	g_autoptr(GError) failure = NULL;

	const struct store_report reports[] = {{before, digests[0]}, {before, digests[1]}};
	const struct store_report others[] = {{before, digests[2]}, {before, digests[0]}};
	MUST(report_note_all(reports, 2, &error));
	cr_expect_not(report_note_all(others, 2, &failure));
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

	const struct store_report report = {email, (const guint8[SHA256_SIZE]){1}};
	MUST(report_note_all(&report, 1, &error));
	test_db_plain(fixture->db, "DELETE FROM outbox");
	MUST(store_retention_emails(fixture->db, email->sent + 86400000, &count, &error));
	cr_expect_eq(count, 1);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM report"), 0);
}
