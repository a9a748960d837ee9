/* SPDX-License-Identifier: MIT */
#include "store/outbox/schedule.h"

#include "tests/store/emails.h"
#include "tests/store/outbox_entries.h"

FIXTURE_SUITE(schedule);

/* Stores a scheduled email with an entry for each recipient. */
static struct base_id
schedule_put(const char *const *to, const struct store_outbox_claim *first)
{
	AUTO(store_email) email = email_new(&fixture->workspace, to);

	email->scheduled_at = NOW;
	email_store(fixture, email);
	for (guint i = 0; to[i]; i++) {
		struct store_outbox_entry entry = entry_make(fixture, 'a', 1);

		entry.email_id = email->id;
		entry.recipients[0] = (guint16)i;
		MUST(store_outbox_insert(
		    fixture->db, &entry, 1, NOW, i == 0 ? first : NULL, &error));
	}
	return email->id;
}

static struct store_schedule
schedule_lock(const struct base_id *workspace, const struct base_id *id)
{
	struct store_schedule schedule;

	MUST(store_schedule_lock(fixture->db, workspace, id, &schedule, &error));
	return schedule;
}

#define TO(...) ((const char *const[]){__VA_ARGS__, NULL})

Test(schedule, tells_what_waits)
{
	struct store_outbox_claim by = entry_claim_by("us", 1);
	struct base_id all = schedule_put(TO("a@x.org", "b@x.org"), NULL),
		       some = schedule_put(TO("a@x.org", "b@x.org"), &by),
		       gone = schedule_put(TO("a@x.org"), NULL),
		       suppressed = schedule_put(TO("a@x.org", "b@x.org"), NULL);
	const struct {
		const char *name;
		const struct base_id *id;
		guint want_waiting;
		bool want_begun;
	} cases[] = {
	    {"all", &all, 2, false},
	    {"one is claimed", &some, 1, true},
	    {"one has an event", &gone, 1, true},
	    {"one was suppressed", &suppressed, 2, false},
	};

	email_event(fixture, &fixture->workspace, &gone, 0, EVENT_SENT, NOW);
	email_event(fixture, &fixture->workspace, &suppressed, 0, EVENT_SUPPRESSED, NOW);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct store_schedule got = schedule_lock(&fixture->workspace, cases[i].id);

		cr_expect_eq(got.scheduled_at, NOW, "%s", cases[i].name);
		cr_expect_eq(got.cancelled, 0, "%s", cases[i].name);
		cr_expect_eq(
		    got.waiting, cases[i].want_waiting, "%s: got %u", cases[i].name, got.waiting);
		cr_expect_eq(got.has_begun, cases[i].want_begun, "%s", cases[i].name);
	}
	MUST_FAIL(store_schedule_lock(
		      fixture->db, &fixture->other, &all, &(struct store_schedule){0}, &error),
	    PH_ERROR_NOT_FOUND);
}

static bool
move_other(struct db *db, void *id, GError **error)
{
	return store_schedule_move(db, &fixture->other, id, NOW + 1, error) &&
	       store_schedule_cancel(db, &fixture->other, id, NOW + 1, error);
}

static bool
schedule_cancel(struct db *db, void *id, GError **error)
{
	return store_schedule_cancel(db, &fixture->workspace, id, NOW + 2, error);
}

Test(schedule, changes_its_workspace_alone)
{
	struct store_outbox_claim by = entry_claim_by("us", 1);
	struct base_id id = schedule_put(TO("a@x.org", "b@x.org"), &by);

	MUST(db_transact(fixture->db, move_other, &id, &error));
	cr_expect_eq(schedule_lock(&fixture->workspace, &id).scheduled_at, NOW);
	cr_expect_eq(schedule_lock(&fixture->workspace, &id).waiting, 1);
	MUST(db_transact(fixture->db, schedule_cancel, &id, &error));
	cr_expect_eq(schedule_lock(&fixture->workspace, &id).cancelled, NOW + 2);
	cr_expect_eq(schedule_lock(&fixture->workspace, &id).waiting, 0);
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM outbox"), 1);
}

static bool
search_while_locked(struct db *db, void *id, GError **error)
{
	AUTO(db) worker = test_db_open(fixture->settings);
	struct store_outbox_claim by = entry_claim_by("us", 1);
	struct store_outbox_entry got[2];
	struct store_schedule schedule;
	guint count;

	if (!store_schedule_lock(db, &fixture->workspace, id, &schedule, error) ||
	    !entry_search(worker, &by, 0, NOW + 1, 2, got, &count, error))
		return false;
	cr_expect_eq(count, 0, "a locked entry was claimed");
	return store_schedule_move(db, &fixture->workspace, id, NOW + 5, error);
}

Test(schedule, is_passed_over_by_workers_while_it_changes)
{
	struct base_id id = schedule_put(TO("a@x.org"), NULL);

	MUST(db_transact(fixture->db, search_while_locked, &id, &error));
	cr_expect_eq(fixture_number(fixture, "SELECT ready_at FROM outbox"), NOW + 5);
	cr_expect_eq(fixture_number(fixture, "SELECT since FROM outbox"), NOW + 5);
	entry_expect(fixture, "before its time", 1, 0, NOW + 4, 1, "");
}

static bool
schedule_change(struct db *db, void *id, GError **error)
{
	struct store_schedule schedule;

	return store_schedule_lock(db, &fixture->workspace, id, &schedule, error) &&
	       store_schedule_move(db, &fixture->workspace, id, NOW + 5, error) &&
	       store_schedule_cancel(db, &fixture->workspace, id, NOW + 5, error);
}

/* A small outbox is not read as a whole, whose locks would be waited for. */
static void
schedule_expect_alone(void)
{
	AUTO(db) holder = test_db_open(fixture->settings);
	AUTO(db) impatient = fixture_impatient(fixture);
	struct base_id id = schedule_put(TO("a@x.org"), NULL),
		       other = schedule_put(TO("b@x.org"), NULL);
	struct store_schedule locked;

	test_db_plain(holder, "START TRANSACTION");
	MUST(store_schedule_lock(holder, &fixture->workspace, &other, &locked, &error));
	MUST(db_transact(impatient, schedule_change, &id, &error));
	MUST_FAIL(db_transact(impatient, schedule_change, &other, &error), PH_ERROR_TEMPORARY);
	test_db_plain(holder, "ROLLBACK");
}

Test(schedule, waits_for_no_other_email)
{
	schedule_expect_alone();
}

Test(schedule, waits_for_no_other_email_with_the_key_of_before)
{
	test_db_outbox_of_before(fixture->db);
	schedule_expect_alone();
}
