/* SPDX-License-Identifier: MIT */
/* Figures after random histories, and what may be asked for. At the end of each test the fixture
   compares them with a count of what is stored. */
#include "email/figures.h"

#include <criterion/criterion.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/email.h"
#include "consent/unsubscribe.h"
#include "json/strict.h"
#include "json/value.h"
#include "link/engagement.h"
#include "person/suppress.h"
#include "store/figure/figure.h"
#include "store/template/template.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"
#include "tests/support/figures.h"

#define URL "[service]\nurl = https://mail.example.com\n"
#define DAY ((gint64)24 * 60 * 60 * 1000)
#define START G_GINT64_CONSTANT(1800000000000)

static const struct smtp_script relay = {
    .rules = {REPLY("RCPT TO:<bad@", 0, "550 5.1.1 no such user"),
	REPLY("RCPT TO:<slow@", 0, "451 4.2.0 later"), REPLY(".", 0, "250 2.0.0 Ok")}};

static const char *const addresses[] = {"a@gmail.com", "b@hotmail.fr", "c@yahoo.co.uk", "d@me.com",
    "e@gmx.de", "f@x.org", "bad@x.org", "slow@gmail.com", "delivered@test.posthouse.invalid",
    "bounced@test.posthouse.invalid", "complained@test.posthouse.invalid"};

/* A history: the emails so far, and how many recipients each has. */
struct history {
	struct fixture *fixture;
	GRand *random;
	GArray *emails;	    /* struct base_id */
	GArray *recipients; /* guint */
};

static guint
figures_pick(const struct history *history, guint count)
{
	return (guint)g_rand_int_range(history->random, 0, (gint32)count);
}

static void
figures_submit(struct history *history)
{
	struct email_submission submission = fixture_submission();
	const char *to[4] = {NULL};
	guint count = 1 + figures_pick(history, 3);
	g_autofree char *text = g_strdup_printf("{\"kind\":\"k%u\",\"number\":\"%u\"}",
	    figures_pick(history, 4), figures_pick(history, 100000));
	AUTO(json) tags = json_parse(text, strlen(text), NULL);

	for (guint i = 0; i < count; i++)
		to[i] = addresses[(figures_pick(history, 4) * 3 + i) % G_N_ELEMENTS(addresses)];
	submission.to = to;
	submission.tags = figures_pick(history, 2) ? tags : NULL;
	if (figures_pick(history, 3) == 0) {
		submission.html = NULL;
		submission.template_id = "welcome";
	}
	struct base_id id = posting_store(history->fixture, &submission);
	g_array_append_val(history->emails, id);
	g_array_append_val(history->recipients, count);
}

/* Opens and clicks of an email: by people and programs, sweeps, earlier ones after later ones. */
static void
engage(struct history *history)
{
	static const char *const agents[] = {"Firefox", "Firefox", "GoogleImageProxy"};
	static const char *const links[] = {"http://x.org/1", "http://x.org/2"};
	g_autoptr(GPtrArray) list =
	    g_ptr_array_new_with_free_func((GDestroyNotify)link_engagement_free);
	guint email = figures_pick(history, history->emails->len),
	      count = 1 + figures_pick(history, 4);
	gint64 time = base_clock_now() - (figures_pick(history, 3) == 0 ? DAY : 0);

	for (guint i = 0; i < count; i++) {
		bool click = figures_pick(history, 2);
		const struct link_token token = {click ? TOKEN_CLICK : TOKEN_OPEN,
		    g_array_index(history->emails, struct base_id, email),
		    figures_pick(history, g_array_index(history->recipients, guint, email)), 2};

		time += figures_pick(history, 900);
		g_ptr_array_add(list, link_engagement_new(&token, time, "192.0.2.1",
					  agents[figures_pick(history, G_N_ELEMENTS(agents))],
					  click ? links[figures_pick(history, 2)] : NULL));
	}
	cr_assert(link_engagement_record(
	    history->fixture->service, (struct link_engagement **)list->pdata, list->len, NULL));
}

static void
figures_unsubscribe(struct history *history)
{
	guint email = figures_pick(history, history->emails->len);
	const struct link_token token = {
	    TOKEN_UNSUBSCRIBE, g_array_index(history->emails, struct base_id, email), 0, 0};
	struct consent_subscriber *subscriber =
	    consent_unsubscribe(history->fixture->service, &token, &posting_leave, NULL);

	cr_assert(subscriber);
	consent_subscriber_free(subscriber);
}

static void
figures_suppress(struct history *history)
{
	AUTO(store_suppression) entry = person_suppress_add(history->fixture->service,
	    &history->fixture->key.workspace_id, addresses[figures_pick(history, 4)],
	    &(struct store_suppression_state){SUPPRESSION_MANUAL, SUPPRESSION_ALL}, &posting_api,
	    NULL);

	cr_assert(entry);
	if (figures_pick(history, 2))
		test_db_plain(history->fixture->db, "DELETE FROM suppression");
}

static void
figures_fold(struct history *history)
{
	guint count;

	cr_assert(store_figure_fold(history->fixture->service->db,
	    base_clock_now() + DAY - DAY * figures_pick(history, 3), &count, NULL));
}

/* A process that is killed: another one takes its place, and its claims. */
static void
kill_process(struct history *history)
{
	delivery_free(posting_start(history->fixture));
	posting_lose(history->fixture);
	fixture_renew(history->fixture, &relay, URL);
}

static void
figures_add_template(struct fixture *fixture)
{
	g_autoptr(GBytes) html = g_bytes_new_static("<p>Hello", 8);
	struct store_template template = {.workspace_id = fixture->key.workspace_id,
	    .id = (char *)"welcome",
	    .name = (char *)"Welcome",
	    .variables = (char *)"{}",
	    .html = html};

	g_autoptr(GError) error = NULL;
	cr_assert(store_template_create(fixture->db, &template, &error), "%s",
	    error ? error->message : "");
}

static void
figures_live(struct history *history, guint steps)
{
	for (guint i = 0; i < steps; i++) {
		base_clock_set(base_clock_now() + DAY * figures_pick(history, 100) / 200);
		switch (i < 3 ? 0 : figures_pick(history, 16)) {
		case 0:
		case 1:
		case 2:
		case 3:
			figures_submit(history);
			break;
		case 4:
		case 5:
		case 6:
			posting_deliver(history->fixture);
			break;
		case 7:
			figures_unsubscribe(history);
			break;
		case 8:
			figures_suppress(history);
			break;
		case 9:
			figures_fold(history);
			break;
		case 10:
			if (figures_pick(history, 3) == 0)
				kill_process(history);
			break;
		default:
			engage(history);
		}
	}
}

Test(figures, are_a_count_of_the_events)
{
	for (guint32 seed = 1; seed <= 3; seed++) {
		AUTO(fixture) fixture = fixture_open(&relay, URL);
		g_autoptr(GRand) random = g_rand_new_with_seed(seed);
		g_autoptr(GArray) emails = g_array_new(FALSE, FALSE, sizeof(struct base_id));
		g_autoptr(GArray) recipients = g_array_new(FALSE, FALSE, sizeof(guint));
		struct history history = {fixture, random, emails, recipients};

		base_clock_set(START);
		figures_add_template(fixture);
		figures_live(&history, 150);
		g_autofree char *differences = test_figures_differ(fixture->db);
		cr_expect(!differences, "seed %u: %s", seed, differences);
		cr_expect_gt(
		    test_db_number(fixture->db, "SELECT SUM(opened_people) FROM figure"), 0);
	}
}

/* They stay when what they count goes. */
Test(figures, stay_when_events_go)
{
	AUTO(fixture) fixture = fixture_open(&relay, URL);
	struct base_id id = posting_submit(fixture, "a@gmail.com");
	char text[ID_TEXT_SIZE];

	posting_deliver(fixture);
	fixture->is_altered = true;
	test_db_plain(fixture->db, "DELETE FROM event");
	test_db_plain(fixture->db, "DELETE FROM recipient");
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT SUM(sent) FROM figure WHERE dimension = 1 AND name = 'gmail'"),
	    1, "%s", base_id_format(&id, text));
}

static void
submit_tagged(struct fixture *fixture, const char *name, guint value)
{
	struct email_submission submission = fixture_submission();
	g_autofree char *text = g_strdup_printf("{\"%s\":\"%u\"}", name, value);
	AUTO(json) tags = json_parse(text, strlen(text), NULL);

	submission.tags = tags;
	posting_store(fixture, &submission);
}

/* The first values of a name, at the limit and past it, also where another process knows none. */
Test(figures, count_the_first_values_of_a_tag)
{
	AUTO(fixture) fixture = fixture_open(NULL, URL);
	static const char rows[] = "SELECT COUNT(DISTINCT name) FROM figure WHERE dimension = 5";

	for (guint i = 1; i <= LIMIT_TAG_VALUES; i++)
		submit_tagged(fixture, "order", i);
	cr_expect_eq(test_db_number(fixture->db, rows), LIMIT_TAG_VALUES);
	submit_tagged(fixture, "order", LIMIT_TAG_VALUES + 1);
	submit_tagged(fixture, "order", 1);
	submit_tagged(fixture, "kind", 1);
	fixture_renew(fixture, NULL, URL);
	submit_tagged(fixture, "order", LIMIT_TAG_VALUES + 2);
	submit_tagged(fixture, "order", 1);
	cr_expect_eq(test_db_number(fixture->db, rows), LIMIT_TAG_VALUES + 2);
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT SUM(accepted) FROM figure WHERE name = 'order:*'"),
	    2);
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT SUM(accepted) FROM figure WHERE name = 'order:1'"),
	    3);
}

Test(figures, are_asked_for_by_group_and_days)
{
#define ONLY                                                                                       \
	"group_by must be one of day, broadcast, variant, template, workflow, node, tag,"          \
	" domain, provider, link, execution, step, stream, each also with ,day"
#define NO_DAY(name) name " must be a date, such as 2026-11-20, or epoch milliseconds"
#define ID "01994f3e-7b6a-7c1d-9c43-4d0f6f2f8a11"
	static const struct {
		struct email_figures_wish wish;
		const char *want; /* "group by_day from to", or the error */
	} cases[] = {
	    {{NULL}, "0 1 20803 20834"},
	    {{"day,day"}, "0 1 20803 20834"},
	    {{"tag"}, "6 0 20803 20834"},
	    {{"tag,day"}, "6 1 20803 20834"},
	    {{"tags"}, ONLY},
	    {{"tag,tag"}, ONLY},
	    {{""}, ONLY},
	    {{"variant"}, "broadcast_id is required"},
	    {{"link,day"}, "broadcast_id is required"},
	    {{"node"}, "workflow_id is required"},
	    {{"node", .workflow_id = ID}, "5 0 20803 20834"},
	    {{"variant", .broadcast_id = "x"}, "2 0 20803 20834"},
	    {{NULL, "2026-01-01", "2026-02-01"}, "0 1 20454 20485"},
	    {{NULL, NULL, "2026-02-01"}, "0 1 20454 20485"},
	    {{NULL, "1767225600000", "2026-02-01T23:59:59Z"}, "0 1 20454 20485"},
	    {{NULL, "2026-02-01", "2026-02-01"}, "0 1 20485 20485"},
	    {{NULL, "2026-02-02", "2026-02-01"}, "from must not be after to"},
	    {{NULL, "2026-01-01", "2029-01-05"}, "0 1 20454 21554"},
	    {{NULL, "2026-01-01", "2029-01-06"}, "from and to must be at most 1100 days apart"},
	    {{NULL, "yesterday"}, NO_DAY("from")},
	    {{NULL, "-1"}, NO_DAY("from")},
	    {{NULL, NULL, "2026-02-30"}, NO_DAY("to")},
	};

	base_clock_set(START);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct store_figure_query query;
		g_autoptr(GError) error = NULL;
		bool done = email_figures_read(&cases[i].wish, &query, &error);
		g_autofree char *got = done ? g_strdup_printf("%d %d %d %d", query.group,
						  query.by_day, (int)query.from, (int)query.to)
					    : g_strdup(error->message);

		cr_expect_str_eq(got, cases[i].want, "%zu: got %s", i, got);
	}
}
