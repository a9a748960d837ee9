/* SPDX-License-Identifier: MIT */
#include "submit/batch.h"

#include <criterion/criterion.h>

#include "base/clock.h"
#include "base/error.h"
#include "email/draft.h"
#include "tests/lib/fixture.h"
#include "tests/support/db.h"

static struct fixture *fixture;

static void
lib_batch_begin(void)
{
	fixture = fixture_open(NULL, NULL);
}

static void
batch_end(void)
{
	fixture_close(fixture);
}

TestSuite(batch, .init = lib_batch_begin, .fini = batch_end);

static struct submit_batch *
open_batch(void)
{
	g_autoptr(GError) error = NULL;
	struct submit_batch *batch =
	    submit_batch_new(fixture->service, &fixture->key.workspace_id, NULL, &error);

	cr_assert(batch, "%s", error ? error->message : "");
	return batch;
}

static void
batch_add(struct submit_batch *batch, const struct email_submission *submission)
{
	g_autoptr(GError) error = NULL;

	cr_assert(submit_batch_add(fixture->service, batch, submission, &error), "%s",
	    error ? error->message : "");
}

static void
lib_batch_store(struct submit_batch *batch)
{
	g_autoptr(GError) error = NULL;

	cr_assert(submit_batch_check(fixture->service, batch, &error) &&
		      service_once_store_one(fixture->service, &batch->request, &error),
	    "%s", error ? error->message : "");
}

static gint64
batch_number(const char *sql)
{
	return test_db_number(fixture->db, sql);
}

Test(batch, stores_what_is_good)
{
	struct submit_batch *batch = open_batch();
	struct email_submission good = fixture_submission(), bad = good, tagged = good;
	gint64 later = base_clock_now() + 60000;
	const struct email_submission_attachment file = {.filename = "a", .path = "http://x.org/"};
	g_autoptr(GArray) files = fixture_attachments(&file, 1);

	g_autoptr(GError) odd = g_error_new_literal(PH_ERROR, PH_ERROR_INVALID, "odd");
	bad.from = "a@example.org";
	batch_add(batch, &good);
	batch_add(batch, &bad);
	bad = good;
	bad.attachments = files;
	batch_add(batch, &bad);
	submit_batch_refuse(batch, odd);
	tagged.scheduled_at = later;
	tagged.text = "text";
	tagged.to = (const char *[]){"c@x.org", "d@x.org", NULL};
	batch_add(batch, &tagged);
	cr_assert_eq(batch->emails->len, 5);
	cr_expect_eq(batch->bad, 3);
	static const char *const want[] = {NULL, "Domain example.org is not registered",
	    "attachments[0].path cannot be used in a batch", "odd", NULL};
	for (guint i = 0; i < 5; i++) {
		const struct submit_batch_email *email =
		    &g_array_index(batch->emails, struct submit_batch_email, i);

		const char *got = email->fault ? email->fault->message : NULL;
		cr_expect_eq(g_strcmp0(got, want[i]), 0, "%u: got %s", i, got);
		cr_expect_eq(!email->draft, want[i] != NULL, "%u", i);
	}
	lib_batch_store(batch);
	service_once_free(&batch->request);
	cr_expect_eq(batch_number("SELECT COUNT(*) FROM email"), 2);
	cr_expect_eq(batch_number("SELECT COUNT(*) FROM recipient"), 3);
	cr_expect_eq(batch_number("SELECT COUNT(*) FROM email_content"), 2);
	cr_expect_eq(batch_number("SELECT COUNT(*) FROM email_part"), 0);
	cr_expect_eq(
	    batch_number("SELECT COUNT(*) FROM outbox WHERE owner IS NULL AND since = ready_at"),
	    2);
	cr_expect_eq(batch_number("SELECT MAX(ready_at) FROM outbox"), later);
}

Test(batch, is_stored_as_a_whole)
{
	struct submit_batch *batch = open_batch();
	struct email_submission submission = fixture_submission();
	g_autoptr(GError) error = NULL;

	batch_add(batch, &submission);
	batch_add(batch, &submission);
	cr_assert(submit_batch_check(fixture->service, batch, &error));
	test_db_plain(fixture->db, "RENAME TABLE outbox TO outbox_away");
	cr_expect_not(service_once_store_one(fixture->service, &batch->request, &error));
	test_db_plain(fixture->db, "RENAME TABLE outbox_away TO outbox");
	cr_expect_eq(batch_number("SELECT COUNT(*) FROM email"), 0);
	g_clear_error(&error);
	cr_expect(service_once_store_one(fixture->service, &batch->request, &error), "%s",
	    error ? error->message : "");
	service_once_free(&batch->request);
	cr_expect_eq(batch_number("SELECT COUNT(*) FROM email"), 2);
}

/* As many as fit, then one more. */
Test(batch, counts_its_recipients_together)
{
	struct email_submission submission = fixture_submission();
	struct submit_batch *two = open_batch(), *one = open_batch();
	g_autoptr(GError) error = NULL;

	test_db_plain(fixture->db, "INSERT INTO workspace_limit (workspace_id, name, value)"
				   " SELECT id, 'emails_per_day', 2 FROM workspace");
	batch_add(two, &submission);
	batch_add(two, &submission);
	lib_batch_store(two);
	batch_add(one, &submission);
	cr_expect_not(submit_batch_check(fixture->service, one, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_LIMITED), "%s", error->message);
	cr_expect_eq(batch_number("SELECT used FROM email_quota"), 2);
	service_once_free(&two->request);
	service_once_free(&one->request);
}

/* Two batches that each fit pass the check; the table lets only one of them in. */
Test(batch, is_refused_when_another_takes_the_quota)
{
	struct email_submission submission = fixture_submission();
	struct submit_batch *first = open_batch(), *second = open_batch();
	g_autoptr(GError) error = NULL;

	test_db_plain(fixture->db, "INSERT INTO workspace_limit (workspace_id, name, value)"
				   " SELECT id, 'emails_per_day', 1 FROM workspace");
	batch_add(first, &submission);
	batch_add(second, &submission);
	cr_assert(submit_batch_check(fixture->service, second, &error));
	lib_batch_store(first);
	cr_expect_not(service_once_store_one(fixture->service, &second->request, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_LIMITED), "%s", error->message);
	cr_expect_str_eq(error->message, "Quota reached: at most 1 recipients per day");
	cr_expect_eq(batch_number("SELECT COUNT(*) FROM email"), 1);
	service_once_free(&first->request);
	service_once_free(&second->request);
}
