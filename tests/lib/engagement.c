/* SPDX-License-Identifier: MIT */
#include "link/engagement.h"

#include <criterion/criterion.h>
#include <glib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/email.h"
#include "db/transaction.h"
#include "store/broadcast/engagement.h"
#include "store/email/event.h"
#include "tests/lib/fixture.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"

#define URL "[service]\nurl = https://mail.example.com\n"
#define START G_GINT64_CONSTANT(1800000000000)

/* An event for the email, or an engagement of its recipient 1. */
struct step {
	gint64 at; /* ms after START */
	enum store_event_status status;
	const char *user_agent, *link;
};

static bool
engagement_insert(struct db *db, void *event, GError **error)
{
	return store_event_insert(db, event, 1, error);
}

static bool
is_engagement(const struct step *step)
{
	return step->status == EVENT_OPENED || step->status == EVENT_CLICKED;
}

static void
lib_engagement_free_engagement(void *engagement)
{
	link_engagement_free(engagement);
}

/* Records engagements of recipient 1 in one transaction. */
static void
lib_engagement_record(struct fixture *fixture, const struct base_id *email, guint links,
    const struct step *steps, guint count)
{
	g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func(lib_engagement_free_engagement);
	g_autoptr(GError) error = NULL;

	for (guint i = 0; i < count; i++) {
		const struct step *step = &steps[i];
		const struct link_token token = {
		    step->status == EVENT_OPENED ? TOKEN_OPEN : TOKEN_CLICK, *email, 1, links};

		g_ptr_array_add(list, link_engagement_new(&token, START + step->at, "192.0.2.1",
					  step->user_agent, step->link));
	}
	bool done = link_engagement_record(
	    fixture->service, (struct link_engagement **)list->pdata, count, &error);
	cr_assert(done, "%s", error ? error->message : "");
}

static void
engagement_take(
    struct fixture *fixture, const struct base_id *email, guint links, const struct step *step)
{
	struct store_event event = {.workspace_id = fixture->key.workspace_id,
	    .email_id = *email,
	    .recipient = 1,
	    .status = step->status,
	    .timestamp = START + step->at};

	base_clock_set(START + step->at);
	if (is_engagement(step))
		lib_engagement_record(fixture, email, links, step, 1);
	else
		cr_assert(db_transact(fixture->service->db, engagement_insert, &event, NULL));
}

/* Takes the steps, and records engagements that follow one another together. */
static void
take_together(struct fixture *fixture, const struct base_id *email, guint links,
    const struct step *steps, guint count)
{
	for (guint i = 0, end; i < count; i = end) {
		for (end = i; end < count && is_engagement(&steps[end]);)
			end++;
		if (end > i) {
			base_clock_set(START + steps[end - 1].at);
			lib_engagement_record(fixture, email, links, &steps[i], end - i);
		} else {
			engagement_take(fixture, email, links, &steps[end++]);
		}
	}
}

static void
engagement_print(const struct store_event *event, void *context)
{
	GString *text = context;

	g_string_append_printf(text, "%" G_GINT64_FORMAT " %s%s%s%s\n", event->timestamp - START,
	    store_event_name(event->status), event->link ? " " : "", event->link ? event->link : "",
	    event->automated ? " automated" : "");
}

static int
engagement_oldest_first(const void *a, const void *b)
{
	return store_event_compare(
	    *(const struct store_event *const *)a, *(const struct store_event *const *)b);
}

#define OPEN(at)                                                                                   \
	{                                                                                          \
		at, EVENT_OPENED, "Firefox", NULL                                                  \
	}
#define CLICK(at, link)                                                                            \
	{                                                                                          \
		at, EVENT_CLICKED, "Firefox", link                                                 \
	}
#define SENT(at)                                                                                   \
	{                                                                                          \
		at, EVENT_SENT, NULL, NULL                                                         \
	}

Test(engagement, is_recorded_each_time_and_told_from_a_program)
{
	AUTO(fixture) fixture = fixture_open(NULL, URL);
	fixture->is_altered = true;
	const struct {
		const char *name;
		guint links;
		struct step steps[8];
		const char *want;
	} cases[] = {
	    {"opens", 0, {SENT(0), OPEN(5000), OPEN(6000), OPEN(6000)},
		"0 sent\n5000 opened\n6000 opened\n6000 opened\n"},
	    {"clicks", 2, {SENT(0), CLICK(5000, "a"), CLICK(6000, "a"), CLICK(7000, "b")},
		"0 sent\n5000 clicked a\n6000 clicked a\n7000 clicked b\n"},
	    {"a proxy", 0, {SENT(0), {5000, EVENT_OPENED, "GoogleImageProxy", NULL}},
		"0 sent\n5000 opened automated\n"},
	    {"a scanner", 2, {SENT(0), {5000, EVENT_CLICKED, "Barracuda", "a"}},
		"0 sent\n5000 clicked a automated\n"},
	    {"a sweep", 2, {SENT(0), OPEN(100), CLICK(1000, "a"), CLICK(2000, "b")},
		"0 sent\n100 opened automated\n1000 clicked a automated\n"
		"2000 clicked b automated\n"},
	    {"a sweep that was too slow", 2, {SENT(0), CLICK(1000, "a"), CLICK(2001, "b")},
		"0 sent\n1000 clicked a\n2001 clicked b\n"},
	    {"what comes after a sweep", 2,
		{SENT(0), CLICK(1000, "a"), CLICK(1000, "b"), OPEN(1500), OPEN(2001),
		    CLICK(9000, "b")},
		"0 sent\n1000 clicked a automated\n1000 clicked b automated\n"
		"1500 opened automated\n2001 opened\n9000 clicked b\n"},
	    {"one of two links", 2, {SENT(0), CLICK(1000, "a"), CLICK(1100, "a")},
		"0 sent\n1000 clicked a\n1100 clicked a\n"},
	    {"two of three links", 3, {SENT(0), CLICK(1000, "a"), CLICK(1100, "b")},
		"0 sent\n1000 clicked a\n1100 clicked b\n"},
	    {"the only link", 1, {SENT(0), CLICK(1000, "a")}, "0 sent\n1000 clicked a\n"},
	    {"before the delivery is recorded", 2, {CLICK(1000, "a"), CLICK(1100, "b")},
		"1000 clicked a automated\n1100 clicked b automated\n"},
	    {"all links at once, but later", 2,
		{SENT(0), OPEN(3000), CLICK(4000, "a"), CLICK(4100, "b")},
		"0 sent\n3000 opened\n4000 clicked a\n4100 clicked b\n"},
	    {"after a report of the delivery", 2,
		{SENT(0), {60000, EVENT_DELIVERED, NULL, NULL}, CLICK(61000, "a"),
		    CLICK(61100, "b")},
		"0 sent\n60000 delivered\n61000 clicked a automated\n61100 clicked b "
		"automated\n"},
	    {"what came before the delivery", 2,
		{CLICK(0, "a"), SENT(1000), CLICK(1500, "b"), CLICK(1600, "b")},
		"0 clicked a\n1000 sent\n1500 clicked b\n1600 clicked b\n"},
	};

	for (gsize i = 0; i < 2 * G_N_ELEMENTS(cases); i++) {
		const struct step *steps = cases[i / 2].steps;
		guint count = 0;
		g_autoptr(GString) got = g_string_new(NULL);
		base_clock_set(START);
		struct base_id email = posting_submit(fixture, "b@x.org c@x.org");

		while (count < G_N_ELEMENTS(cases[0].steps) && steps[count].status != EVENT_NONE)
			count++;
		if (i % 2)
			take_together(fixture, &email, cases[i / 2].links, steps, count);
		for (guint s = 0; i % 2 == 0 && s < count; s++)
			engagement_take(fixture, &email, cases[i / 2].links, &steps[s]);
		g_autoptr(GPtrArray) events =
		    store_event_page(fixture->db, &email, NULL, NULL, 2 * LIMIT_ENGAGEMENTS, NULL);
		cr_assert(events);
		g_ptr_array_sort(events, engagement_oldest_first);
		for (guint e = 0; e < events->len; e++)
			engagement_print(events->pdata[e], got);
		cr_expect_str_eq(got->str, cases[i / 2].want, "%s, %s: got\n%swant\n%s",
		    cases[i / 2].name, i % 2 ? "together" : "one by one", got->str,
		    cases[i / 2].want);
	}
}

Test(engagement, tells_who_came)
{
	AUTO(fixture) fixture = fixture_open(NULL, URL);
	g_autofree char *most = g_strnfill(LIMIT_USER_AGENT_LENGTH, 'x');
	g_autofree char *more = g_strconcat(most, "y", NULL);
	const struct {
		const char *name, *user_agent, *want;
	} cases[] = {
	    {"a browser", "Mozilla/5.0 (X11)", "Mozilla/5.0 (X11)"},
	    {"none", NULL, ""},
	    {"controls", "a\tb\r\nc\177", "a b  c"},
	    {"invalid UTF-8", "a\377b", "a\357\277\275b"},
	    {"other scripts", "\303\274\360\237\230\200", "\303\274\360\237\230\200"},
	    {"at the limit", most, most},
	    {"past the limit", more, most},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct base_id email = posting_submit(fixture, "b@x.org c@x.org");
		const struct step step = {0, EVENT_CLICKED, cases[i].user_agent, "http://x.org/"};

		engagement_take(fixture, &email, 5, &step);
		g_autoptr(GPtrArray) events =
		    store_event_page(fixture->db, &email, NULL, NULL, 2, NULL);
		cr_assert(events && events->len == 1);
		const struct store_event *event = events->pdata[0];
		cr_expect_str_eq(event->user_agent, cases[i].want, "%s: got %s", cases[i].name,
		    event->user_agent);
		cr_expect_str_eq(event->ip, "192.0.2.1");
		cr_expect_str_eq(event->link, "http://x.org/");
		cr_expect_eq(event->recipient, 1);
	}
}

/* A link can be followed any number of times without filling the database. */
Test(engagement, is_recorded_a_thousand_times)
{
	AUTO(fixture) fixture = fixture_open(NULL, URL);
	struct base_id email = posting_submit(fixture, "b@x.org c@x.org");
	const struct step open = OPEN(0), click = CLICK(1, "http://x.org/");

	engagement_take(fixture, &email, 5, &open);
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT visits FROM recipient WHERE number = 1"), 1);
	test_db_plain(fixture->db, "UPDATE recipient SET visits = 998 WHERE number = 1");
	for (guint visits = 999; visits <= LIMIT_ENGAGEMENTS + 2; visits++) {
		gint64 want = MIN(visits, LIMIT_ENGAGEMENTS) - 997;

		engagement_take(fixture, &email, 5, visits % 2 ? &open : &click);
		gint64 got = test_db_number(fixture->db, "SELECT COUNT(*) FROM event");
		cr_expect_eq(got, want, "%u: got %d events, want %d", visits, (int)got, (int)want);
	}
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT MAX(visits) FROM recipient"), LIMIT_ENGAGEMENTS);
	cr_expect_eq(test_db_number(fixture->db, "SELECT MIN(visits) FROM recipient"), 0);
}

/* Up to the limit, also where several come at once. */
Test(engagement, are_recorded_together_up_to_the_limit)
{
	AUTO(fixture) fixture = fixture_open(NULL, URL);
	struct base_id email = posting_submit(fixture, "b@x.org c@x.org");
	const struct step steps[] = {OPEN(0), OPEN(1), OPEN(2), OPEN(3)};

	g_autofree char *sql = g_strdup_printf(
	    "UPDATE recipient SET visits = %d WHERE number = 1", LIMIT_ENGAGEMENTS - 3);
	test_db_plain(fixture->db, sql);
	lib_engagement_record(fixture, &email, 5, steps, G_N_ELEMENTS(steps));
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM event"), 3);
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT MAX(visits) FROM recipient"), LIMIT_ENGAGEMENTS);
	cr_expect_eq(test_db_number(fixture->db, "SELECT MIN(visits) FROM recipient"), 0);
}

static struct link_engagement *
open_of(const struct base_id *email, guint recipient, gint64 at)
{
	const struct link_token token = {TOKEN_OPEN, *email, recipient, 0};

	return link_engagement_new(&token, START + at, NULL, "Firefox", NULL);
}

/* Records engagements of more readers than one statement locks, in any order. Those of a removed
   email are left out. */
Test(engagement, of_many_readers_are_recorded_together)
{
	AUTO(fixture) fixture = fixture_open(NULL, URL);
	g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func(lib_engagement_free_engagement);
	g_autoptr(GError) error = NULL;
	struct base_id gone = base_id_new();

	for (guint i = 0; i < LOCK_READERS + 1; i++) {
		struct base_id email = posting_submit(fixture, "b@x.org c@x.org");

		g_ptr_array_insert(list, 0, open_of(&email, 1, 5));
		g_ptr_array_insert(list, 1, open_of(&email, 0, i));
		g_ptr_array_insert(list, 0, open_of(&email, 1, 4));
		g_ptr_array_add(list, open_of(&email, 2, 0));
	}
	g_ptr_array_insert(list, 3, open_of(&gone, 0, 0));
	bool done = link_engagement_record(
	    fixture->service, (struct link_engagement **)list->pdata, list->len, &error);
	cr_assert(done, "%s", error ? error->message : "");
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT COUNT(*) FROM event"), 3 * (LOCK_READERS + 1));
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM recipient WHERE visits = 2 AND number = 1"),
	    LOCK_READERS + 1);
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM recipient WHERE visits = 1 AND number = 0"),
	    LOCK_READERS + 1);
}

Test(engagement, waits_a_moment_for_others)
{
	AUTO(fixture) fixture = fixture_open(NULL, URL);
	struct base_id email = posting_submit(fixture, "b@x.org c@x.org");

	cr_expect_eq(link_engagement_patience(fixture->service), -1);
	link_engagement_add(fixture->service, open_of(&email, 0, 0));
	gint64 patience = link_engagement_patience(fixture->service);
	cr_expect(patience >= 0 && patience <= 1000, "%d ms", (int)patience);
	link_engagement_add(fixture->service, open_of(&email, 1, 0));
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM event"), 0);
	link_engagement_flush(fixture->service);
	cr_expect_eq(link_engagement_patience(fixture->service), -1);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM event"), 2);
}
