/* SPDX-License-Identifier: MIT */
/* Events as they are shown: the newest of each recipient, and in pages. */
#include "base/limits.h"
#include "store/event.h"
#include "tests/store/letters.h"

PLACE_SUITE(event_list);

#define NOW 1800000000000
#define TO(...) ((const char *const[]){__VA_ARGS__, NULL})

static struct base_id
send(guint recipients)
{
	g_autoptr(GPtrArray) to = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < recipients; i++)
		g_ptr_array_add(to, g_strdup_printf("r%u@x.org", i));
	g_ptr_array_add(to, NULL);
	return letter_send(place, &place->workspace, (const char *const *)to->pdata);
}

/* So many visits of each recipient; the Nth, from 1, at NOW + N. */
static void
visit(const struct base_id *email, guint recipients, guint visits)
{
	char id[ID_TEXT_SIZE];
	g_autofree char *sql = g_strdup_printf(
	    "INSERT INTO event (email_id, id, workspace_id, recipient, status, timestamp)"
	    " SELECT r.email_id, UNHEX(LPAD(HEX(seq * 1000 + r.number), 32, '0')), r.workspace_id,"
	    " r.number, 5, %" G_GINT64_FORMAT " + seq FROM recipient r, seq_1_to_%u"
	    " WHERE r.email_id = UNHEX(REPLACE('%s', '-', '')) AND r.number < %u",
	    (gint64)NOW, visits, base_id_format(email, id), recipients);

	test_db_plain(place->db, sql);
}

Test(event_list, shows_the_newest_of_each_recipient)
{
	static const struct {
		const char *name;
		guint recipients, visits;
		guint want;
		bool want_more;
	} cases[] = {
	    {"none", 2, 0, 0, false},
	    {"at the limit", 3, LIMIT_RECIPIENT_EVENTS, LIMIT_RECIPIENT_EVENTS, false},
	    {"one past it", 3, LIMIT_RECIPIENT_EVENTS + 1, LIMIT_RECIPIENT_EVENTS, true},
	    {"as many as are read at once", 1, 1000, LIMIT_RECIPIENT_EVENTS, true},
	    {"one more than that", 1, 1001, LIMIT_RECIPIENT_EVENTS, true},
	    {"many recipients with few", 50, 21, 21, false},
	    {"many recipients at the limit", 50, LIMIT_RECIPIENT_EVENTS, LIMIT_RECIPIENT_EVENTS,
		false},
	    {"many recipients with many", 50, 200, LIMIT_RECIPIENT_EVENTS, true},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		guint count = cases[i].recipients;
		struct base_id email = send(count);
		g_autofree struct store_event_history *got =
		    g_new0(struct store_event_history, count);

		if (cases[i].visits > 0)
			visit(&email, count, cases[i].visits);
		MUST(store_event_newest(place->db, &email, got, count, &error));
		for (guint r = 0; r < count; r++) {
			const GPtrArray *events = got[r].events;

			cr_assert_eq(events->len, cases[i].want, "%s, %u: got %u", cases[i].name, r,
			    events->len);
			cr_expect_eq(got[r].more, cases[i].want_more, "%s, %u", cases[i].name, r);
			for (guint e = 0; e < events->len; e++) {
				const struct store_event *event = events->pdata[e];
				gint64 want = NOW + cases[i].visits - events->len + e + 1;

				cr_expect_eq(event->timestamp, want, "%s: event %u at +%d",
				    cases[i].name, e, (int)(event->timestamp - NOW));
				cr_expect_eq(event->recipient, r);
			}
		}
		store_event_history_clear(got, count);
	}
}

/* 150 recipients with 1,000 visits each: what is read is what is shown, and little more. */
Test(event_list, reads_little_more_than_it_shows)
{
	const guint recipients = 3 * LIMIT_RECIPIENTS;
	struct base_id email = send(recipients);
	g_autofree struct store_event_history *got = g_new0(struct store_event_history, recipients);

	visit(&email, recipients, LIMIT_VISITS);
	test_db_plain(place->db, "ANALYZE TABLE event");
	MUST(store_event_newest(place->db, &email, got, recipients, &error)); /* prepares */
	store_event_history_clear(got, recipients);
	place_work(place);
	MUST(store_event_newest(place->db, &email, got, recipients, &error));
	struct place_work work = place_work(place);
	cr_expect_leq(work.read, 1001 + recipients * (LIMIT_RECIPIENT_EVENTS + 2), "read %d rows",
	    (int)work.read);
	cr_expect_eq(work.sorted, 0, "sorted %d rows", (int)work.sorted);
	store_event_history_clear(got, recipients);
}

static struct store_event_place
place_of(const struct store_event *event)
{
	return (struct store_event_place){event->timestamp, event->id};
}

/* Walks through all pages; how many events there were. Each must be older than the one before. */
static guint
walk(const char *name, const struct base_id *email, const guint *recipient, guint limit)
{
	struct store_event_place before = {0};
	guint count = 0;

	for (;;) {
		g_autoptr(GPtrArray) page = MUST_GIVE(store_event_page(
		    place->db, email, recipient, count ? &before : NULL, limit, &error));

		for (guint i = 0; i < page->len; i++) {
			const struct store_event *event = page->pdata[i];
			struct store_event last = {.timestamp = before.timestamp, .id = before.id};

			cr_assert(count == 0 || store_event_compare(event, &last) < 0,
			    "%s: event %u is not older", name, count);
			cr_expect(!recipient || event->recipient == *recipient, "%s", name);
			before = place_of(event);
			count++;
		}
		if (page->len < limit)
			return count;
	}
}

Test(event_list, comes_in_pages)
{
	struct base_id email = send(3), none = send(1), two;
	const guint number = 1;

	visit(&email, 3, 40);
	cr_expect_eq(walk("all", &email, NULL, 7), 120);
	cr_expect_eq(walk("of one", &email, &number, 7), 40);
	cr_expect_eq(walk("of nobody", &email, &(guint){3}, 7), 0);
	cr_expect_eq(walk("none", &none, NULL, 7), 0);
	/* All at one moment. */
	two = send(2);
	visit(&two, 2, 50);
	test_db_plain(place->db, "UPDATE event SET timestamp = 1 WHERE timestamp > 1");
	cr_expect_eq(walk("at one moment", &two, NULL, 7), 100);
	cr_expect_eq(walk("at one moment, of one", &two, &number, 7), 50);
}

Test(event_list, reads_a_page_and_no_more)
{
	struct base_id email = send(20);
	const guint number = 7;
	const struct store_event_place moments[] = {{NOW + 500, {{0xff}}}, {NOW + 1, {{0}}}};

	visit(&email, 20, 1000);
	test_db_plain(place->db, "UPDATE event SET timestamp = 1800000000500 WHERE timestamp < "
				 "1800000000700 AND timestamp > 1800000000300");
	test_db_plain(place->db, "ANALYZE TABLE event");
	for (gsize i = 0; i < G_N_ELEMENTS(moments); i++)
		for (int narrow = 0; narrow < 2; narrow++) {
			const guint *recipient = narrow ? &number : NULL;

			for (int twice = 0; twice < 2; twice++) {
				place_work(place);
				g_ptr_array_unref(MUST_GIVE(store_event_page(place->db, &email,
				    recipient, &moments[i], LIMIT_PAGE + 1, &error)));
			}
			struct place_work work = place_work(place);
			cr_expect_leq(work.read, LIMIT_PAGE + 4, "case %zu, %d: read %d rows", i,
			    narrow, (int)work.read);
			cr_expect_eq(work.sorted, 0, "case %zu: sorted %d", i, (int)work.sorted);
		}
}
