/* SPDX-License-Identifier: MIT */
#include "store/person/audience.h"

#include "base/clock.h"
#include "store/person/contact.h"
#include "tests/store/fixture.h"

#define NOW 1800000000000
#define UNKNOWN ((struct base_id){{1}})

static struct fixture *fixture;

static void
store_audience_begin(void)
{
	fixture = fixture_open();
	base_clock_set(NOW);
}

static void
store_audience_end(void)
{
	fixture_close(fixture);
}

TestSuite(audience, .init = store_audience_begin, .fini = store_audience_end);

static struct base_id
tests_store_audience_create(const struct base_id *workspace, const char *name)
{
	struct base_id id;

	MUST(store_audience_create(fixture->db, workspace, NULL, name, &id, &error));
	return id;
}

/* Inserts contacts by SQL, without a change of the counters. */
static void
audience_fill(const struct base_id *audience, guint count)
{
	MUST(db_run(fixture->db,
	    "INSERT INTO contact (audience_id, address, id, workspace_id, email, is_subscribed,"
	    " created, updated) SELECT ?, CONCAT(seq, '@x.org'), UNHEX(MD5(CONCAT(?, seq))), ?,"
	    " CONCAT(seq, '@x.org'), 1, 1, 1 FROM seq_1_to_5000 WHERE seq <= ?",
	    DB_VALUES(db_id(audience), db_id(audience), db_id(&fixture->workspace), db_int(count)),
	    NULL, &error));
}

struct change {
	const struct base_id *workspace, *audience;
	gint64 contacts, unsubscribers;
};

static bool
change(struct db *db, void *context, GError **error)
{
	const struct change *by = context;

	return store_audience_count(
	    db, by->workspace, by->audience, by->contacts, by->unsubscribers, error);
}

static void
count(const struct base_id *audience, gint64 contacts, gint64 unsubscribers)
{
	struct change by = {&fixture->workspace, audience, contacts, unsubscribers};

	MUST(db_transact(fixture->db, change, &by, &error));
}

Test(audience, comes_back_as_it_was)
{
	struct base_id id = tests_store_audience_create(&fixture->workspace, "Grüße");
	AUTO(store_audience) audience =
	    MUST_GIVE(store_audience_get(fixture->db, &fixture->workspace, &id, &error));

	cr_expect_str_eq(audience->name, "Grüße");
	cr_expect(base_id_equal(&audience->id, &id));
	cr_expect(base_id_equal(&audience->workspace_id, &fixture->workspace));
	cr_expect(audience->created >= NOW && audience->created < NOW + 10000);
	cr_expect_eq(audience->updated, audience->created);
	cr_expect(audience->contacts == 0 && audience->unsubscribers == 0);
}

/* Each connection has a row of its own, and the sum counts, also when rows are negative. */
Test(audience, counts_on_many_rows)
{
	struct base_id id = tests_store_audience_create(&fixture->workspace, "News"),
		       other = tests_store_audience_create(&fixture->workspace, "Other");

	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM audience_counter"), 32);
	for (guint i = 0; i < 20; i++) {
		struct db *own = fixture->db;

		fixture->db = test_db_open(fixture->settings);
		count(&id, 3, 1);
		db_close(fixture->db);
		fixture->db = own;
	}
	count(&id, -10, -5);
	count(&id, 0, 0);
	AUTO(store_audience) audience =
	    MUST_GIVE(store_audience_get(fixture->db, &fixture->workspace, &id, &error));
	cr_expect_eq(audience->contacts, 50);
	cr_expect_eq(audience->unsubscribers, 15);
	cr_expect_gt(fixture_number(fixture, "SELECT COUNT(*) FROM audience_counter"
					     " WHERE contacts <> 0"),
	    8, "the counters are not spread");
	AUTO(store_audience) untouched =
	    MUST_GIVE(store_audience_get(fixture->db, &fixture->workspace, &other, &error));
	cr_expect_eq(untouched->contacts, 0);
}

/* Reading an audience costs the same with no contacts and with thousands. */
Test(audience, counts_without_looking_at_contacts)
{
	struct base_id empty = tests_store_audience_create(&fixture->workspace, "Empty"),
		       full = tests_store_audience_create(&fixture->workspace, "Full");
	gint64 read[2];

	audience_fill(&full, 5000);
	for (guint i = 0; i < 4; i++) {
		fixture_work(fixture);
		store_audience_free(MUST_GIVE(store_audience_get(
		    fixture->db, &fixture->workspace, i % 2 ? &full : &empty, &error)));
		read[i % 2] = fixture_work(fixture).read;
	}
	cr_expect_eq(read[0], read[1], "got %d and %d rows", (int)read[0], (int)read[1]);
	cr_expect_lt(read[1], 60, "got %d rows", (int)read[1]);
}

Test(audience, is_listed_newest_first)
{
	struct base_id ids[5];

	for (guint i = 0; i < 5; i++)
		ids[i] = tests_store_audience_create(
		    i == 2 ? &fixture->other : &fixture->workspace, "News");
	g_autoptr(GPtrArray) first =
	    MUST_GIVE(store_audience_list(fixture->db, &fixture->workspace, NULL, 2, &error));
	cr_assert_eq(first->len, 2);
	cr_expect(base_id_equal(&((struct store_audience *)first->pdata[0])->id, &ids[4]));
	cr_expect(base_id_equal(&((struct store_audience *)first->pdata[1])->id, &ids[3]));
	g_autoptr(GPtrArray) rest =
	    MUST_GIVE(store_audience_list(fixture->db, &fixture->workspace, &ids[3], 10, &error));
	cr_assert_eq(rest->len, 2);
	cr_expect(base_id_equal(&((struct store_audience *)rest->pdata[0])->id, &ids[1]));
	/* The page may begin at a removed audience. */
	MUST(store_audience_remove(fixture->db, &fixture->workspace, &ids[3], &error));
	g_autoptr(GPtrArray) again =
	    MUST_GIVE(store_audience_list(fixture->db, &fixture->workspace, &ids[3], 10, &error));
	cr_expect_eq(again->len, 2);
}

Test(audience, is_found_by_its_name)
{
	struct base_id id = tests_store_audience_create(&fixture->workspace, "News"), found;

	tests_store_audience_create(&fixture->other, "News");
	tests_store_audience_create(&fixture->workspace, "Twice");
	tests_store_audience_create(&fixture->workspace, "Twice");
	MUST(store_audience_find(fixture->db, &fixture->workspace, "News", &found, &error));
	cr_expect(base_id_equal(&id, &found));
	MUST_FAIL(store_audience_find(fixture->db, &fixture->workspace, "Twice", &found, &error),
	    PH_ERROR_INVALID);
	MUST_FAIL(store_audience_find(fixture->db, &fixture->workspace, "None", &found, &error),
	    PH_ERROR_NOT_FOUND);
}

/* Its contacts are removed later, a batch at a time, and no others. */
Test(audience, is_gone_at_once_and_swept_later)
{
	struct base_id id = tests_store_audience_create(&fixture->workspace, "News"),
		       kept = tests_store_audience_create(&fixture->workspace, "Kept");
	bool more = true;
	guint turns = 0;

	audience_fill(&id, 2000);
	audience_fill(&kept, 10);
	MUST(store_audience_remove(fixture->db, &fixture->workspace, &id, &error));
	MUST_FAIL(
	    store_audience_get(fixture->db, &fixture->workspace, &id, &error), PH_ERROR_NOT_FOUND);
	MUST_FAIL(store_contact_list(fixture->db, &fixture->workspace, &id, NULL, 1, &error),
	    PH_ERROR_NOT_FOUND);
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM contact"), 2010);
	for (; more && turns < 10; turns++)
		MUST(store_audience_sweep(fixture->db, &more, &error));
	cr_expect_eq(turns, 4, "got %u", turns);
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM contact"), 10);
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM audience_counter"), 16);
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM audience_removal"), 0);
	MUST_FAIL(store_audience_remove(fixture->db, &fixture->workspace, &id, &error),
	    PH_ERROR_NOT_FOUND);
}

/* An audience that another process is sweeping is skipped, without a wait. */
Test(audience, is_swept_by_one_at_a_time)
{
	struct db *other = test_db_open(fixture->settings);
	struct base_id id = tests_store_audience_create(&fixture->workspace, "News");
	bool more = true;

	MUST(store_audience_remove(fixture->db, &fixture->workspace, &id, &error));
	test_db_plain(fixture->db, "START TRANSACTION");
	test_db_plain(fixture->db, "UPDATE audience_removal SET workspace_id = workspace_id");
	cr_expect_eq(
	    fixture_number(fixture, "SELECT COUNT(*) FROM audience_removal FOR UPDATE"), 1);
	MUST(store_audience_sweep(other, &more, &error));
	cr_expect_not(more);
	test_db_plain(fixture->db, "ROLLBACK");
	MUST(store_audience_sweep(other, &more, &error));
	cr_expect(more);
	db_close(other);
}

Test(audience, is_of_its_workspace)
{
	struct base_id id = tests_store_audience_create(&fixture->workspace, "News"), found;

	MUST_FAIL(
	    store_audience_get(fixture->db, &fixture->other, &id, &error), PH_ERROR_NOT_FOUND);
	MUST_FAIL(
	    store_audience_remove(fixture->db, &fixture->other, &id, &error), PH_ERROR_NOT_FOUND);
	MUST_FAIL(store_audience_find(fixture->db, &fixture->other, "News", &found, &error),
	    PH_ERROR_NOT_FOUND);
	g_autoptr(GPtrArray) list =
	    MUST_GIVE(store_audience_list(fixture->db, &fixture->other, NULL, 10, &error));
	cr_expect_eq(list->len, 0);
	MUST_FAIL(store_audience_get(fixture->db, &fixture->workspace, &UNKNOWN, &error),
	    PH_ERROR_NOT_FOUND);
	store_audience_free(
	    MUST_GIVE(store_audience_get(fixture->db, &fixture->workspace, &id, &error)));
}
