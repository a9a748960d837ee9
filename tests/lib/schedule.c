/* SPDX-License-Identifier: MIT */
#include "email/schedule.h"

#include <criterion/criterion.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/email.h"
#include "store/outbox/outbox.h"
#include "tests/lib/fixture.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"

#define MINUTE ((gint64)60 * 1000)

/* Schedules an email to these addresses (NULL-terminated), one message for each where split. */
static struct base_id
schedule_to(struct fixture *fixture, const char **to, bool split, gint64 at)
{
	struct email_submission submission = fixture_submission();

	submission.scheduled_at = at;
	submission.to = to;
	submission.purpose = split ? EMAIL_PURPOSE_STEP_MAILING : EMAIL_PURPOSE_REQUEST;
	return posting_store(fixture, &submission);
}

static struct base_id
schedule_schedule(struct fixture *fixture, gint64 at)
{
	return schedule_to(fixture, (const char *[]){"b@x.org", NULL}, false, at);
}

static void
schedule_expect_cancel(struct fixture *fixture, const char *name, const struct base_id *email,
    const char *want, int code)
{
	g_autoptr(GError) error = NULL;

	email_schedule_cancel(fixture->service, &fixture->key.workspace_id, email, &error);
	const char *got = error ? error->message : "";
	cr_expect_str_eq(got, want, "cancel, %s: got %s, want %s", name, got, want);
	cr_expect_eq(
	    error ? error->code : -1, code, "cancel, %s: got %d", name, error ? error->code : -1);
}

static void
expect_move(struct fixture *fixture, const char *name, const struct base_id *email, gint64 at,
    const char *want, int code)
{
	g_autoptr(GError) error = NULL;
	gint64 moved;

	email_schedule_move(
	    fixture->service, &fixture->key.workspace_id, email, at, &moved, &error);
	const char *got = error ? error->message : "";
	cr_expect_str_eq(got, want, "move, %s: got %s, want %s", name, got, want);
	cr_expect_eq(
	    error ? error->code : -1, code, "move, %s: got %d", name, error ? error->code : -1);
	cr_expect(error || moved == MAX(at, base_clock_now()) ||
		      (at < base_clock_now() && moved <= base_clock_now()),
	    "%s: moved elsewhere", name);
}

static void
expect_outbox(struct fixture *fixture, const char *want)
{
	g_autofree char *got = fixture_outbox(fixture);

	cr_expect_str_eq(got, want, "got %s, want %s", got, want);
}

Test(schedule, takes_back_what_has_not_left)
{
	static const struct smtp_script script = {.rules = {REPLY(".", 0, "451 later")}};
	AUTO(fixture) fixture = fixture_open(&script, NULL);
	gint64 later = base_clock_now() + MINUTE;
	struct base_id id = schedule_schedule(fixture, later),
		       claimed = schedule_schedule(fixture, later),
		       tried = schedule_schedule(fixture, later),
		       now = posting_submit(fixture, "a@x.org"), unknown = base_id_new();

	schedule_expect_cancel(fixture, "scheduled", &id, "", -1);
	AUTO(store_email) email = fixture_email(fixture, &id);
	cr_expect(email->cancelled >= email->created);
	schedule_expect_cancel(
	    fixture, "twice", &id, "Email is cancelled already", PH_ERROR_CONFLICT);
	expect_move(
	    fixture, "cancelled", &id, later, "Email is cancelled already", PH_ERROR_CONFLICT);
	cr_assert(
	    db_run(fixture->db, "UPDATE outbox SET owner = 'me', token = 1 WHERE email_id = ?",
		DB_VALUES(db_id(&claimed)), NULL, NULL));
	schedule_expect_cancel(
	    fixture, "claimed", &claimed, "Email has left already", PH_ERROR_CONFLICT);
	expect_move(
	    fixture, "claimed", &claimed, later, "Email has left already", PH_ERROR_CONFLICT);
	schedule_expect_cancel(
	    fixture, "not scheduled", &now, "Email is not scheduled", PH_ERROR_CONFLICT);
	expect_move(
	    fixture, "not scheduled", &now, later, "Email is not scheduled", PH_ERROR_CONFLICT);
	schedule_expect_cancel(fixture, "unknown", &unknown, "Email not found", PH_ERROR_NOT_FOUND);
	expect_move(fixture, "unknown", &unknown, later, "Email not found", PH_ERROR_NOT_FOUND);
	base_clock_set(later + 1000);
	posting_deliver(fixture);
	schedule_expect_cancel(
	    fixture, "tried already", &tried, "Email has left already", PH_ERROR_CONFLICT);
	expect_move(
	    fixture, "tried already", &tried, later, "Email has left already", PH_ERROR_CONFLICT);
	expect_outbox(fixture, "0: 0 attempts, claimed\n0: 1 attempts, in 1 min\n"
			       "0: 1 attempts, in 1 min\n");
}

Test(schedule, knows_no_email_of_another_workspace)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct base_id id = schedule_schedule(fixture, base_clock_now() + MINUTE);

	fixture->key.workspace_id = base_id_new();
	schedule_expect_cancel(
	    fixture, "another workspace", &id, "Email not found", PH_ERROR_NOT_FOUND);
	expect_move(fixture, "another workspace", &id, base_clock_now() + 5 * MINUTE,
	    "Email not found", PH_ERROR_NOT_FOUND);
	expect_outbox(fixture, "0: 0 attempts, in 1 min\n");
}

Test(schedule, is_moved_with_each_message)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct base_id id = schedule_to(
	    fixture, (const char *[]){"b@x.org", "c@x.org", NULL}, true, base_clock_now() + MINUTE);

	expect_move(fixture, "later", &id, base_clock_now() + 30 * MINUTE, "", -1);
	expect_outbox(fixture, "0: 0 attempts, in 30 min\n1: 0 attempts, in 30 min\n");
	expect_move(fixture, "at the latest", &id, base_clock_now() + LIMIT_SCHEDULE_MS, "", -1);
	expect_move(fixture, "past it", &id, base_clock_now() + LIMIT_SCHEDULE_MS + MINUTE,
	    "scheduled_at must be at most 30 days ahead", PH_ERROR_INVALID);
	test_db_plain(fixture->db, "UPDATE outbox SET ready_at = NULL");
	expect_move(fixture, "held", &id, base_clock_now() + 5 * MINUTE, "", -1);
	expect_outbox(fixture, "0: 0 attempts, held\n1: 0 attempts, held\n");
	test_db_plain(fixture->db, "UPDATE outbox SET ready_at = since");
	expect_outbox(fixture, "0: 0 attempts, in 5 min\n1: 0 attempts, in 5 min\n");
	expect_move(fixture, "past", &id, 1, "", -1);
	expect_outbox(fixture, "0: 0 attempts, now\n1: 0 attempts, now\n");
}

/* The entry of the first recipient is gone, that of the second is still to leave. */
Test(schedule, is_not_moved_once_one_message_has_left)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	gint64 later = base_clock_now() + 5 * MINUTE;
	struct base_id id = schedule_to(
	    fixture, (const char *[]){"b@x.org", "c@x.org", NULL}, true, base_clock_now() + MINUTE);

	test_db_plain(fixture->db, "UPDATE recipient SET status = 1 WHERE number = 0");
	test_db_plain(fixture->db, "DELETE FROM outbox WHERE recipients = x'0000'");
	expect_move(
	    fixture, "one has left", &id, later, "Email has left already", PH_ERROR_CONFLICT);
	expect_outbox(fixture, "1: 0 attempts, in 1 min\n");
	schedule_expect_cancel(fixture, "one has left", &id, "", -1);
	expect_outbox(fixture, "");
}

#define STORM 40

/* Claims what is due soon until all emails are claimed or moved. */
static void *
schedule_claim_all(void *context)
{
	struct fixture *fixture = context;
	AUTO(service) service = service_open(fixture->settings);
	struct store_outbox_entry entries[2];
	struct store_outbox_search search = {.now = base_clock_now() + 2 * MINUTE, .limit = 2};
	struct store_outbox_claim claim = {"storm", 7, search.now + 60 * MINUTE};
	guint count = 1;

	cr_assert(service_ensure(service, NULL));
	while (count > 0)
		cr_assert(store_outbox_claim(service->db, &claim, &search, entries, &count, NULL));
	return NULL;
}

/* Each email is either claimed for its time or moved, never both. */
Test(schedule, is_moved_or_claimed)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	gint64 soon = base_clock_now() + 2 * MINUTE, later = base_clock_now() + 30 * MINUTE, moved;
	struct base_id ids[STORM];
	guint won = 0;

	for (guint i = 0; i < STORM; i++)
		ids[i] = schedule_schedule(fixture, soon);
	GThread *claimer = g_thread_new("claimer", schedule_claim_all, fixture);
	for (guint i = STORM; i-- > 0;) {
		g_autoptr(GError) error = NULL;
		bool done = email_schedule_move(
		    fixture->service, &fixture->key.workspace_id, &ids[i], later, &moved, &error);
		AUTO(store_email) email = fixture_email(fixture, &ids[i]);

		cr_expect(done || g_error_matches(error, PH_ERROR, PH_ERROR_CONFLICT), "%s",
		    error ? error->message : "");
		cr_expect_eq(email->scheduled_at, done ? later : soon);
		won += done;
	}
	g_thread_join(claimer);
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM outbox WHERE owner IS NULL AND ready_at = since"),
	    won);
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT COUNT(*) FROM outbox WHERE owner = 'storm'"),
	    STORM - won);
}
