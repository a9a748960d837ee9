/* SPDX-License-Identifier: MIT */
#include "core/engagement.h"

#include <criterion/criterion.h>
#include <glib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "db/transaction.h"
#include "store/event.h"
#include "tests/core/posting.h"
#include "tests/core/world.h"
#include "tests/support/db.h"

Test(engagement, is_known_by_its_name)
{
	static const struct {
		const char *name, *user_agent;
		bool want;
	} cases[] = {
	    {"none", NULL, false},
	    {"empty", "", false},
	    {"Gmail",
		"Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com "
		"GoogleImageProxy)",
		true},
	    {"Yahoo", "YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html",
		true},
	    {"Apple Mail Privacy Protection", "Mozilla/5.0", true},
	    {"another proxy", "Mozilla/5.0 (compatible; ExampleImageProxy/1.0)", true},
	    {"Barracuda", "BarracudaCentral Link Checker", true},
	    {"Proofpoint", "Mozilla/5.0 (proofpoint URL defense)", true},
	    {"Mimecast", "Mozilla/5.0 (compatible; MIMECAST)", true},
	    {"Office", "Microsoft Office Existence Discovery", true},
	    {"Bing's preview", "Mozilla/5.0 AppleWebKit/537.36 Safari/537.36 BingPreview/1.0b",
		true},
	    {"a crawler",
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", true},
	    {"Apple Mail",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 "
		"(KHTML, like Gecko)",
		false},
	    {"Outlook",
		"Mozilla/4.0 (compatible; ms-office; MSOffice 16) Microsoft Outlook 16.0.17126",
		false},
	    {"Thunderbird",
		"Mozilla/5.0 (X11; Linux x86_64; rv:115.0) Gecko/20100101 Thunderbird/115.3",
		false},
	    {"Chrome",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
		"Chrome/120.0.0.0 Safari/537.36",
		false},
	    {"a phone of the make Cubot", "Mozilla/5.0 (Linux; Android 9; CUBOT X19) Chrome/74.0",
		false},
	    {"curl", "curl/7.88.1", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool got = core_engagement_is_robot(cases[i].user_agent);
		cr_expect_eq(got, cases[i].want, "%s: got %d", cases[i].name, got);
	}
}

#define URL "[service]\nurl = https://mail.example.com\n"
#define START G_GINT64_CONSTANT(1800000000000)

/* An event for the email, or an engagement of its recipient 1. */
struct step {
	gint64 at; /* ms after START */
	enum store_event_status status;
	const char *user_agent, *link;
};

static bool
insert(struct db *db, void *event, GError **error)
{
	return store_event_insert(db, event, 1, error);
}

static void
take(struct world *world, const struct base_id *email, guint links, const struct step *step)
{
	struct core_engagement visit = {
	    .token = {step->status == EVENT_OPENED ? TOKEN_OPEN : TOKEN_CLICK, *email, 1, links},
	    .time = START + step->at,
	    .ip = (char *)"192.0.2.1",
	    .user_agent = (char *)step->user_agent,
	    .link = (char *)step->link,
	};
	struct store_event event = {.workspace_id = world->key.workspace_id,
	    .email_id = *email,
	    .recipient = 1,
	    .status = step->status,
	    .timestamp = START + step->at};
	g_autoptr(GError) error = NULL;
	bool is_visit = step->status == EVENT_OPENED || step->status == EVENT_CLICKED;

	base_clock_set(START + step->at);
	bool done = is_visit ? core_engagement_record(world->core, &visit, &error)
			     : db_transact(world->core->db, insert, &event, &error);
	cr_assert(done, "%s", error ? error->message : "");
}

static void
print(const struct store_event *event, void *context)
{
	GString *text = context;

	g_string_append_printf(text, "%" G_GINT64_FORMAT " %s%s%s%s\n", event->timestamp - START,
	    store_event_name(event->status), event->link ? " " : "", event->link ? event->link : "",
	    event->automated ? " automated" : "");
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
	AUTO(world) world = world_open(NULL, URL);
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

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) got = g_string_new(NULL);
		base_clock_set(START);
		struct base_id email = posting_submit(world, "b@x.org c@x.org");

		for (gsize s = 0;
		     s < G_N_ELEMENTS(cases[i].steps) && cases[i].steps[s].status != EVENT_NONE;
		     s++)
			take(world, &email, cases[i].links, &cases[i].steps[s]);
		g_autoptr(GPtrArray) events =
		    store_event_page(world->db, &email, NULL, NULL, 2 * LIMIT_VISITS, NULL);
		cr_assert(events);
		while (events->len > 0) {
			print(events->pdata[events->len - 1], got);
			g_ptr_array_set_size(events, (gint)events->len - 1);
		}
		cr_expect_str_eq(got->str, cases[i].want, "%s: got\n%swant\n%s", cases[i].name,
		    got->str, cases[i].want);
	}
}

Test(engagement, tells_who_came)
{
	AUTO(world) world = world_open(NULL, URL);
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
		struct base_id email = posting_submit(world, "b@x.org c@x.org");
		const struct step step = {0, EVENT_CLICKED, cases[i].user_agent, "http://x.org/"};

		take(world, &email, 5, &step);
		g_autoptr(GPtrArray) events =
		    store_event_page(world->db, &email, NULL, NULL, 2, NULL);
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
	AUTO(world) world = world_open(NULL, URL);
	struct base_id email = posting_submit(world, "b@x.org c@x.org");
	const struct step open = OPEN(0), click = CLICK(1, "http://x.org/");

	take(world, &email, 5, &open);
	cr_expect_eq(test_db_number(world->db, "SELECT visits FROM recipient WHERE number = 1"), 1);
	test_db_plain(world->db, "UPDATE recipient SET visits = 998 WHERE number = 1");
	for (guint visits = 999; visits <= LIMIT_VISITS + 2; visits++) {
		gint64 want = MIN(visits, LIMIT_VISITS) - 997;

		take(world, &email, 5, visits % 2 ? &open : &click);
		gint64 got = test_db_number(world->db, "SELECT COUNT(*) FROM event");
		cr_expect_eq(got, want, "%u: got %d events, want %d", visits, (int)got, (int)want);
	}
	cr_expect_eq(test_db_number(world->db, "SELECT MAX(visits) FROM recipient"), LIMIT_VISITS);
	cr_expect_eq(test_db_number(world->db, "SELECT MIN(visits) FROM recipient"), 0);
}

Test(engagement, finds_nothing_when_the_email_is_gone)
{
	AUTO(world) world = world_open(NULL, URL);
	struct base_id email = posting_submit(world, "b@x.org c@x.org");
	struct core_engagement visit = {.token = {TOKEN_OPEN, base_id_new(), 0, 0}, .time = START};
	g_autoptr(GError) error = NULL;

	cr_expect_not(core_engagement_record(world->core, &visit, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_NOT_FOUND), "%s",
	    error ? error->message : "");
	g_clear_error(&error);
	visit.token.email = email;
	visit.token.recipient = 2;
	cr_expect_not(core_engagement_record(world->core, &visit, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_NOT_FOUND));
	cr_expect_eq(test_db_number(world->db, "SELECT COUNT(*) FROM event"), 0);
}
