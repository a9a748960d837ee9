/* SPDX-License-Identifier: MIT */
/* Segments of people: who is in them, who is reachable, pages, and frozen ones. */
#include <criterion/criterion.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/list.h"
#include "db/connection.h"
#include "db/transaction.h"
#include "segment/segment.h"
#include "service/service.h"
#include "store/common/listing.h"
#include "store/person/person.h"
#include "tests/segment/crowd.h"

static struct store_segment *
people_make(struct crowd *crowd, const char *rules)
{
	g_autofree char *text = crowd_json(rules);
	g_autoptr(GError) error = NULL;
	struct store_segment *segment =
	    segment_create(crowd->service, &crowd->house->workspace, "Test", text, &error);

	cr_assert(segment, "%s", error ? error->message : "");
	return segment;
}

static void
people_expect_count(
    struct crowd *crowd, const struct store_segment *segment, guint people, guint reachable)
{
	struct segment_count count;

	MUST(segment_count(crowd->service, segment, NULL, &count, &error));
	cr_expect_eq(count.people, people, "got %u people", (guint)count.people);
	cr_expect_eq(count.reachable, reachable, "got %u reachable", (guint)count.reachable);
}

#define EVERYBODY "{'rules':[]}"
#define NOBODY "{'match':'any','rules':[]}"

Test(people, are_reachable_by_consent)
{
	AUTO(crowd) crowd = crowd_open();
	const struct base_id *a = &crowd->audiences[0], *b = &crowd->audiences[1];
	static const char *const names[] = {"none", "in", "out", "waits", "in_one", "waits_in_one",
	    "suppressed", "no_mailings", "left_all", "said"};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		crowd_person(crowd, names[i], "{}");
	test_db_plain(crowd->db, "UPDATE person SET agreed = 0");
	crowd_join(crowd, "in", a, CROWD_SUBSCRIBED);
	crowd_join(crowd, "out", a, CROWD_UNSUBSCRIBED);
	crowd_join(crowd, "waits", a, CROWD_PENDING);
	crowd_join(crowd, "in_one", a, CROWD_UNSUBSCRIBED);
	crowd_join(crowd, "in_one", b, CROWD_SUBSCRIBED);
	crowd_join(crowd, "waits_in_one", a, CROWD_PENDING);
	crowd_join(crowd, "waits_in_one", b, CROWD_SUBSCRIBED);
	crowd_join(crowd, "suppressed", a, CROWD_SUBSCRIBED);
	crowd_suppress(crowd, "suppressed", 1);
	crowd_suppress(crowd, "no_mailings", 2);
	test_db_plain(crowd->db,
	    "UPDATE person SET is_subscribed = 0, agreed = 2 WHERE address LIKE 'left_all@%'");
	test_db_plain(crowd->db,
	    "UPDATE person SET agreed = 2 WHERE address LIKE 'said@%' OR address LIKE 'no_mail%'");
	AUTO(store_segment) everybody = people_make(crowd, EVERYBODY);
	AUTO(store_segment) nobody = people_make(crowd, NOBODY);
	people_expect_count(crowd, everybody, G_N_ELEMENTS(names), 4);
	people_expect_count(crowd, nobody, 0, 0);
}

/* The rows that a count of these rules reads. *count_r: the people. */
static guint64
people_rows_of(struct crowd *crowd, const char *rules, guint64 *count_r)
{
	AUTO(store_segment) segment = people_make(crowd, rules);
	struct segment_count count;
	guint64 before = db_row_count(crowd->db);

	MUST(segment_count(crowd->service, segment, NULL, &count, &error));
	*count_r = count.people;
	return db_row_count(crowd->db) - before;
}

/* Whether they are negated, and by which unit of time they are asked for. */
Test(people, of_equal_facts_are_looked_for_once)
{
	AUTO(crowd) crowd = crowd_open();
	char audience[ID_TEXT_SIZE];
	guint64 people, most;

	base_id_format(&crowd->audiences[0], audience);
	for (guint i = 0; i < 10; i++) {
		g_autofree char *name = g_strdup_printf("p%u", i);
		struct base_id person = crowd_person(crowd, name, "{}");
		crowd_event(crowd, &person, "seen", 1);
		crowd_join(crowd, name, &crowd->audiences[0], CROWD_SUBSCRIBED);
	}
	g_autofree char *pair = g_strdup_printf("{'event':'seen','operator':'did','within_days':3},"
						"{'audience':'%s','operator':'member'}",
	    audience);
	g_autofree char *once = g_strdup_printf("{'rules':[%s]}", pair);
	g_autoptr(GString) many = g_string_new("{'rules':[");
	for (guint i = 0; i < 48; i++)
		g_string_append_printf(many, "%s,", pair);
	g_string_append_printf(many,
	    "%s,{'match':'any','rules':[{'event':'seen','operator':'did_not','within_days':3},"
	    "{'audience':'%s','operator':'member'}]}]}",
	    pair, audience);
	guint64 least = people_rows_of(crowd, once, &people);
	cr_expect_eq(people, 10, "got %u", (guint)people);
	most = people_rows_of(crowd, many->str, &people);
	cr_expect_eq(people, 10, "got %u", (guint)people);
	/* Each target is looked up when the segment is made, and when it is counted. */
	cr_expect_eq(most, least, "%u rows, and %u of equal rules", (guint)least, (guint)most);
}

Test(people, of_another_workspace_are_in_no_segment)
{
	AUTO(crowd) crowd = crowd_open();
	AUTO(store_segment) everybody = people_make(crowd, EVERYBODY);

	crowd_person(crowd, "ann", "{}");
	crowd_person(crowd, "bob", "{}");
	test_db_plain(crowd->db, "UPDATE person SET workspace_id = 'ffffffffffffffff'"
				 " WHERE address LIKE 'bob@%'");
	people_expect_count(crowd, everybody, 1, 1);
}

Test(people, are_not_in_what_is_gone)
{
	AUTO(crowd) crowd = crowd_open();
	char audience[ID_TEXT_SIZE], topic[ID_TEXT_SIZE];
	static const struct {
		const char *operator;
		guint want;
	} cases[] = {{"subscribed", 0}, {"unsubscribed", 0}, {"pending", 0}, {"member", 0},
	    {"not_member", 1}};

	crowd_person(crowd, "ann", "{}");
	crowd_join(crowd, "ann", &crowd->audiences[0], CROWD_SUBSCRIBED);
	base_id_format(&crowd->audiences[0], audience);
	base_id_format(&crowd->opt_out, topic);
	g_autoptr(GPtrArray) segments =
	    g_ptr_array_new_with_free_func((GDestroyNotify)store_segment_free);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *rules = g_strdup_printf(
		    "{'rules':[{'audience':'%s','operator':'%s'}]}", audience, cases[i].operator);

		g_ptr_array_add(segments, people_make(crowd, rules));
	}
	g_autofree char *of_topic =
	    g_strdup_printf("{'rules':[{'topic':'%s','operator':'subscribed'}]}", topic);
	AUTO(store_segment) subscribed = people_make(crowd, of_topic);
	people_expect_count(crowd, subscribed, 1, 1);
	test_db_plain(crowd->db, "DELETE FROM audience");
	test_db_plain(crowd->db, "DELETE FROM topic");
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
		people_expect_count(crowd, segments->pdata[i], cases[i].want, cases[i].want);
	people_expect_count(crowd, subscribed, 0, 0);
	g_autoptr(GError) error = NULL;
	g_autofree char *text = crowd_json(of_topic);
	cr_expect(!segment_create(crowd->service, &crowd->house->workspace, "Test", text, &error));
	cr_expect_str_eq(error->message, "rules[0].topic is not a topic");
}

#define ANY_TIME 0
#define NO_TIME 1

/* Expects the pages of a segment to have these numbers of people, when each looks for ns. */
static void
people_expect_pages(struct crowd *crowd, const struct store_segment *segment, gint64 ns,
    const guint *want, guint count)
{
	struct base_id cursor = {{0}};
	bool more = true;

	for (guint i = 0; i < count; i++) {
		g_autoptr(GError) error = NULL;
		const struct base_id after = cursor;

		cr_assert(more, "there are only %u pages", i);
		g_autoptr(GArray) ids = segment_people(crowd->service, segment,
		    &(struct segment_page){i == 0 ? NULL : &after, 50, ns}, &cursor, &more, &error);
		cr_assert(ids, "%s", error ? error->message : "");
		cr_expect_eq(ids->len, want[i], "page %u: got %u", i, ids->len);
	}
	cr_expect(!more, "more pages follow");
}

Test(people, come_in_pages_that_look_at_some, .timeout = 900)
{
	AUTO(crowd) crowd = crowd_open();
	AUTO(store_segment) everybody = people_make(crowd, EVERYBODY);
	AUTO(store_segment) rare =
	    people_make(crowd, "{'rules':[{'property':'rare','operator':'equals','value':true}]}");
	AUTO(store_segment) nobody = people_make(crowd, NOBODY);

	people_expect_pages(crowd, everybody, ANY_TIME, (const guint[]){0}, 1);
	crowd_fill(crowd, 50);
	people_expect_pages(crowd, everybody, ANY_TIME, (const guint[]){50}, 1);
	test_db_plain(crowd->db, "DELETE FROM person");
	crowd_fill(crowd, LIMIT_SEGMENT_LOOKED);
	people_expect_pages(crowd, nobody, ANY_TIME, (const guint[]){0, 0}, 2);
	test_db_plain(crowd->db, "DELETE FROM person");
	crowd_fill(crowd, 2 * LIMIT_SEGMENT_LOOKED + 10001);
	people_expect_pages(crowd, nobody, ANY_TIME, (const guint[]){0, 0, 0}, 3);
	people_expect_pages(crowd, rare, ANY_TIME, (const guint[]){25, 25, 10}, 3);
	people_expect_count(crowd, rare, 60, 60);
}

/* A page without time looks at LIMIT_LOOK_LEAST people, of whom every 1000th is rare. */
Test(people, come_in_pages_that_look_for_some_time)
{
	AUTO(crowd) crowd = crowd_open();
	AUTO(store_segment) everybody = people_make(crowd, EVERYBODY);
	AUTO(store_segment) rare =
	    people_make(crowd, "{'rules':[{'property':'rare','operator':'equals','value':true}]}");
	AUTO(store_segment) nobody = people_make(crowd, NOBODY);

	crowd_fill(crowd, LIMIT_LOOK_LEAST - 1);
	people_expect_pages(crowd, nobody, NO_TIME, (const guint[]){0}, 1);
	test_db_plain(crowd->db, "DELETE FROM person");
	crowd_fill(crowd, LIMIT_LOOK_LEAST);
	people_expect_pages(crowd, rare, NO_TIME, (const guint[]){2, 0}, 2);
	test_db_plain(crowd->db, "DELETE FROM person");
	crowd_fill(crowd, 2 * LIMIT_LOOK_LEAST + 1000);
	people_expect_pages(crowd, nobody, NO_TIME, (const guint[]){0, 0, 0}, 3);
	people_expect_pages(crowd, rare, NO_TIME, (const guint[]){2, 2, 1}, 3);
	people_expect_pages(crowd, rare, ANY_TIME, (const guint[]){5}, 1);
	test_db_plain(crowd->db, "DELETE FROM person");
	crowd_fill(crowd, 100);
	people_expect_pages(crowd, everybody, NO_TIME, (const guint[]){50, 50}, 2);
}

static struct base_id
numbered(guint number)
{
	struct base_id id = {{0}};

	id.bytes[sizeof(id.bytes) - 2] = (guint8)(number / 256);
	id.bytes[sizeof(id.bytes) - 1] = (guint8)(number % 256);
	return id;
}

/* The first and the last person of a page; 0: nobody. */
struct want {
	enum store_page_side side;
	guint cursor, limit, first, last, count;
};

static void
people_expect_page(
    struct crowd *crowd, const struct store_segment *segment, const struct want *want)
{
	const struct store_page page = {want->side, numbered(want->cursor), want->limit};
	g_autoptr(GError) error = NULL;
	g_autoptr(GArray) ids = segment_page(crowd->service, segment, &page, &error);
	const struct base_id first = numbered(want->first), last = numbered(want->last);

	cr_assert(ids, "%s", error ? error->message : "");
	cr_assert_eq(ids->len, want->count, "%s, side %d of %u: got %u", segment->name, want->side,
	    want->cursor, ids->len);
	if (ids->len == 0)
		return;
	cr_expect(base_id_equal(&g_array_index(ids, struct base_id, 0), &first),
	    "%s, side %d of %u", segment->name, want->side, want->cursor);
	cr_expect(base_id_equal(&g_array_index(ids, struct base_id, ids->len - 1), &last),
	    "%s, side %d of %u", segment->name, want->side, want->cursor);
}

static struct store_segment *
people_freeze(struct crowd *crowd, const struct store_segment *segment, const char *name)
{
	g_autoptr(GError) error = NULL;
	struct store_segment *frozen = segment_freeze(crowd->service, segment, name, &error);

	cr_assert(frozen, "%s", error ? error->message : "");
	return frozen;
}

/* A page goes back by 1000 people, and then by more. */
Test(people, come_in_pages_of_either_side)
{
	static const struct want everybody[] = {
	    {STORE_PAGE_FIRST, 0, 3, 2498, 2500, 3},
	    {STORE_PAGE_FIRST, 0, 2500, 1, 2500, 2500},
	    {STORE_PAGE_FIRST, 0, 2501, 1, 2500, 2500},
	    {STORE_PAGE_OLDER, 1500, 2, 1498, 1499, 2},
	    {STORE_PAGE_OLDER, 1500, 999, 501, 1499, 999},
	    {STORE_PAGE_OLDER, 1500, 1000, 500, 1499, 1000},
	    {STORE_PAGE_OLDER, 1500, 1001, 499, 1499, 1001},
	    {STORE_PAGE_OLDER, 1001, 1000, 1, 1000, 1000},
	    {STORE_PAGE_OLDER, 3, 5, 1, 2, 2},
	    {STORE_PAGE_OLDER, 1, 5, 0, 0, 0},
	    {STORE_PAGE_NEWER, 0, 2, 1, 2, 2},
	    {STORE_PAGE_NEWER, 2498, 5, 2499, 2500, 2},
	    {STORE_PAGE_NEWER, 2500, 5, 0, 0, 0},
	};
	static const struct want rare[] = {
	    {STORE_PAGE_FIRST, 0, 5, 1000, 2000, 2},
	    {STORE_PAGE_FIRST, 0, 1, 2000, 2000, 1},
	    {STORE_PAGE_OLDER, 2000, 1, 1000, 1000, 1},
	    {STORE_PAGE_OLDER, 1000, 1, 0, 0, 0},
	    {STORE_PAGE_NEWER, 0, 1, 1000, 1000, 1},
	    {STORE_PAGE_NEWER, 1000, 5, 2000, 2000, 1},
	};
	AUTO(crowd) crowd = crowd_open();

	crowd_fill(crowd, 2500);
	AUTO(store_segment) all = people_make(crowd, EVERYBODY);
	AUTO(store_segment) few =
	    people_make(crowd, "{'rules':[{'property':'rare','operator':'equals','value':true}]}");
	AUTO(store_segment) frozen = people_freeze(crowd, all, "Frozen");
	for (guint i = 0; i < G_N_ELEMENTS(everybody); i++) {
		people_expect_page(crowd, all, &everybody[i]);
		people_expect_page(crowd, frozen, &everybody[i]);
	}
	for (guint i = 0; i < G_N_ELEMENTS(rare); i++)
		people_expect_page(crowd, few, &rare[i]);
}

static bool
people_remove_person(struct db *db, void *context, GError **error)
{
	const struct crowd *crowd = context;
	struct base_id person;

	return store_person_find(db, &crowd->house->workspace, "7@x.org", &person, error) &&
	       store_person_remove(db, &crowd->house->workspace, &person, false, error);
}

Test(people, stay_in_a_frozen_segment, .timeout = 900)
{
	AUTO(crowd) crowd = crowd_open();
	AUTO(store_segment) everybody = people_make(crowd, EVERYBODY);

	crowd_fill(crowd, 3000);
	AUTO(store_segment) frozen = people_freeze(crowd, everybody, "Then");
	cr_expect_str_eq(frozen->name, "Then");
	cr_expect_str_eq(frozen->rules, everybody->rules);
	cr_expect_eq(frozen->people, 3000);
	cr_expect_geq(frozen->frozen_at, CROWD_NOW);
	crowd_person(crowd, "later", "{}");
	people_expect_count(crowd, everybody, 3001, 3001);
	people_expect_count(crowd, frozen, 3000, 3000);
	AUTO(store_segment) again = people_freeze(crowd, frozen, "Again");
	cr_expect_eq(again->people, 3000);

	test_db_plain(crowd->db, "UPDATE person SET seen = 1 WHERE address = '7@x.org'");
	const guint days_ago[] = {1, 1, 1, 1};
	crowd_activity(crowd, "7", days_ago);
	test_db_plain(crowd->db, "UPDATE person_activity SET address = '7@x.org'");
	MUST(db_transact(crowd->db, people_remove_person, crowd, &error));
	cr_expect_eq(test_db_number(crowd->db, "SELECT COUNT(*) FROM person_activity"), 0);
	people_expect_count(crowd, frozen, 2999, 2999);
	cr_expect_eq(test_db_number(crowd->db, "SELECT SUM(people) FROM segment"), 2 * 2999);

	g_autoptr(GError) fault = NULL;
	cr_expect_null(segment_change(crowd->service, &frozen->workspace_id, &frozen->id,
	    &(struct segment_edit){.rules = "{\"rules\":[]}"}, &fault));
	cr_expect_str_eq(fault->message, "rules cannot be changed");
	AUTO(store_segment) renamed = segment_change(crowd->service, &frozen->workspace_id,
	    &frozen->id, &(struct segment_edit){.name = "Renamed"}, NULL);
	cr_expect_str_eq(renamed->name, "Renamed");
}

Test(people, of_removed_segments_are_swept)
{
	AUTO(crowd) crowd = crowd_open();
	AUTO(store_segment) everybody = people_make(crowd, EVERYBODY);
	bool more = true;

	crowd_fill(crowd, 1500);
	AUTO(store_segment) frozen = people_freeze(crowd, everybody, "Then");
	AUTO(store_segment) kept = people_freeze(crowd, everybody, "Kept");
	MUST(store_segment_remove(crowd->db, &crowd->house->workspace, &frozen->id, &error));
	cr_expect(!store_segment_get(crowd->db, &crowd->house->workspace, &frozen->id, NULL));
	/* A freezing that was cut off: young, then a day old. */
	test_db_plain(crowd->db, "UPDATE segment SET state = 2 WHERE name = 'Kept'");
	while (more)
		MUST(store_segment_sweep(crowd->db, &more, &error));
	cr_expect_eq(test_db_number(crowd->db, "SELECT COUNT(*) FROM segment_member"), 1500);
	base_clock_set(CROWD_NOW + 2 * CROWD_DAY);
	for (more = true; more;)
		MUST(store_segment_sweep(crowd->db, &more, &error));
	cr_expect_eq(test_db_number(crowd->db, "SELECT COUNT(*) FROM segment_member"), 0);
	cr_expect_eq(test_db_number(crowd->db, "SELECT COUNT(*) FROM segment"), 1);
}
