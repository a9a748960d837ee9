/* SPDX-License-Identifier: MIT */
#include "base/limits/email.h"
#include "base/limits/list.h"
#include "db/transaction.h"
#include "store/email/event.h"
#include "store/email/status.h"
#include "store/upkeep/erasure.h"
#include "store/webhook/event_data.h"
#include "tests/store/emails.h"

#define NOW 1800000000000
#define TO(...) ((const char *const[]){__VA_ARGS__, NULL})

static struct fixture *fixture;
static struct base_id stored;

static void
open_place(void)
{
	fixture = fixture_open();
}

static void
event_begin(void)
{
	open_place();
	stored = email_send(fixture, &fixture->workspace, TO("b@x.org", "c@x.org"));
}

static void
event_end(void)
{
	fixture_close(fixture);
}

TestSuite(event, .init = event_begin, .fini = event_end);

Test(event_name, is_read_back)
{
	for (int status = EVENT_SENT; status <= EVENT_FAILED; status++) {
		const char *name = store_event_name((enum store_event_status)status);

		cr_expect_eq((int)store_event_status(name), status, "%s", name);
	}
	cr_expect_eq(store_event_status("nothing"), EVENT_NONE);
	cr_expect_eq(store_event_status(""), EVENT_NONE);
	cr_expect_null(store_event_name(EVENT_NONE));
}

static const char *
event_or_none(const char *text)
{
	return text ? text : "none";
}

static void
event_print(const struct store_event *e, void *context)
{
	cr_expect(base_id_equal(&e->workspace_id, &fixture->workspace));
	cr_expect(base_id_equal(&e->email_id, &stored));
	g_string_append_printf(context, "%u %s +%d %s %s %d %s %s %s\n", e->recipient,
	    store_event_name(e->status), (int)(e->timestamp - NOW), event_or_none(e->smtp_response),
	    event_or_none(e->enhanced_code), (int)e->bounce_type, event_or_none(e->ip),
	    event_or_none(e->user_agent), event_or_none(e->link));
}

static char *
store_event_list(void)
{
	GString *text = g_string_new(NULL);

	g_autoptr(GPtrArray) events =
	    MUST_GIVE(store_event_page(fixture->db, &stored, NULL, NULL, 1000, &error));
	for (guint i = events->len; i > 0; i--)
		event_print(events->pdata[i - 1], text);
	return g_string_free(text, FALSE);
}

Test(event, comes_back_as_it_was)
{
	struct store_event events[] = {
	    {.recipient = 0,
		.status = EVENT_CLICKED,
		.timestamp = NOW + 2,
		.ip = "2001:db8::1",
		.user_agent = "Grüße/1.0",
		.link = "https://x.org/"},
	    {.recipient = 1,
		.status = EVENT_BOUNCED,
		.timestamp = NOW + 1,
		.smtp_response = "550 no such user",
		.enhanced_code = "5.1.1",
		.bounce_type = BOUNCE_PERMANENT},
	    {.recipient = 0, .status = EVENT_SENT, .timestamp = NOW},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(events); i++) {
		events[i].workspace_id = fixture->workspace;
		events[i].email_id = stored;
	}
	MUST(store_event_insert(fixture->db, events, G_N_ELEMENTS(events), &error));
	MUST(store_event_insert(fixture->db, events, 0, &error));
	email_event(fixture, &fixture->workspace, &(struct base_id){{1}}, 0, EVENT_SENT,
	    NOW); /* of another email */
	g_autofree char *got = store_event_list();
	cr_expect_str_eq(got,
	    "0 sent +0 none none 0 none none none\n"
	    "1 bounced +1 550 no such user 5.1.1 1 none none none\n"
	    "0 clicked +2 none none 0 2001:db8::1 Grüße/1.0 https://x.org/\n",
	    "got %s", got);
}

Test(event, of_one_moment_keeps_its_order)
{
	for (int i = 0; i < 5; i++)
		email_event(fixture, &fixture->workspace, &stored, 0,
		    (enum store_event_status)(EVENT_SENT + i), NOW);
	g_autofree char *got = store_event_list();
	g_auto(GStrv) lines = g_strsplit(got, "\n", -1);
	for (int i = 0; i < 5; i++)
		cr_expect(
		    strstr(lines[i], store_event_name((enum store_event_status)(EVENT_SENT + i))),
		    "line %d: got %s", i, lines[i]);
}

static struct store_email_recipient
event_recipient_at(guint number)
{
	AUTO(store_email) got = MUST_GIVE(store_email_get(
	    fixture->db, &fixture->workspace, &stored, (enum store_email_part_role)0, &error));

	return *(struct store_email_recipient *)got->recipients->pdata[number];
}

/* Late events, such as yesterday's report, do not change the latest status. */
Test(event, is_the_recipients_latest_unless_a_later_one_is_known)
{
	static const struct {
		const char *name;
		enum store_event_status status;
		gint64 time;
		enum store_event_status want;
		gint64 want_at;
	} cases[] = {
	    {"the first", EVENT_SENT, 10, EVENT_SENT, 10},
	    {"a later one", EVENT_DELIVERED, 20, EVENT_DELIVERED, 20},
	    {"an earlier one", EVENT_DELAYED, 19, EVENT_DELIVERED, 20},
	    {"one of the same moment", EVENT_OPENED, 20, EVENT_OPENED, 20},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		email_event(
		    fixture, &fixture->workspace, &stored, 1, cases[i].status, cases[i].time);
		struct store_email_recipient got = event_recipient_at(1);

		cr_expect_eq(got.status, cases[i].want, "%s: got %s", cases[i].name,
		    store_event_name(got.status));
		cr_expect_eq(got.status_at, cases[i].want_at, "%s", cases[i].name);
	}
	cr_expect_eq(event_recipient_at(0).status, EVENT_NONE);
}

Test(event, of_several_in_one_call_ends_with_the_last)
{
	struct store_event events[] = {
	    {.email_id = stored, .status = EVENT_DELAYED, .timestamp = NOW},
	    {.email_id = stored, .status = EVENT_SENT, .timestamp = NOW},
	};

	MUST(store_event_insert(fixture->db, events, 2, &error));
	cr_expect_eq(event_recipient_at(0).status, EVENT_SENT);
}

/* One statement makes 25 events the latest. One of the recipients has a later event, one of the
   moment, and one is erased. */
Test(event, of_many_recipients_become_their_latest)
{
	struct store_event events[28];
	struct base_id emails[26];
	const guint late = 3, same = 4, erased = 5;
	char text[33], erase[120];

	for (guint i = 0; i < 26; i++)
		emails[i] = email_send(fixture, &fixture->workspace, TO("b@x.org", "c@x.org"));
	email_event(fixture, &fixture->workspace, &emails[late], 0, EVENT_DELIVERED, NOW + 100);
	email_event(fixture, &fixture->workspace, &emails[same], 0, EVENT_DELAYED, NOW + same);
	for (guint i = 0; i < sizeof(emails[erased].bytes); i++)
		g_snprintf(text + 2 * i, 3, "%02x", emails[erased].bytes[i]);
	g_snprintf(erase, sizeof(erase),
	    "UPDATE recipient SET address = '' WHERE email_id = UNHEX('%s')", text);
	MUST(db_run_plain(fixture->db, erase, &error));
	for (guint i = 0; i < 26; i++)
		events[i] = (struct store_event){.workspace_id = fixture->workspace,
		    .email_id = emails[i],
		    .status = EVENT_SENT,
		    .timestamp = NOW + i};
	events[26] = events[25];
	events[26].recipient = 1;
	events[27] = events[25];
	events[27].status = EVENT_BOUNCED;
	events[27].recipient = 1;
	for (guint i = 0; i < 2; i++) {
		/* The second time, two events are of one recipient. */
		MUST(store_event_insert(fixture->db, events, 27 + i, &error));
		cr_expect_eq(
		    fixture_number(fixture, "SELECT COUNT(*) FROM event"), 2 + 26 + 27 * i);
		cr_expect_eq(
		    fixture_number(fixture,
			"SELECT COUNT(*) FROM recipient r JOIN event e ON e.id = r.event_id AND"
			" e.email_id = r.email_id AND e.recipient = r.number AND"
			" e.status = r.status AND e.timestamp = r.status_at"),
		    26);
		cr_expect_eq(
		    fixture_number(fixture, "SELECT COUNT(*) FROM recipient WHERE status = 1"),
		    25 - i, "call %u", i);
	}
	stored = emails[late];
	cr_expect_eq(event_recipient_at(0).status, EVENT_DELIVERED);
	stored = emails[same];
	cr_expect_eq(event_recipient_at(0).status, EVENT_SENT);
	stored = emails[25];
	cr_expect_eq(event_recipient_at(0).status_at, NOW + 25);
	cr_expect_eq(event_recipient_at(1).status, EVENT_BOUNCED);
}

/* One statement makes 25 events of one email the latest. One of the recipients has a later event,
   and one is erased. */
Test(event, of_many_recipients_of_one_email_become_their_latest)
{
	const char *addresses[28];
	struct store_event events[28];

	for (guint i = 0; i < 27; i++)
		addresses[i] = g_strdup_printf("u%u@x.org", i);
	addresses[27] = NULL;
	stored = email_send(fixture, &fixture->workspace, addresses);
	email_event(fixture, &fixture->workspace, &stored, 3, EVENT_DELIVERED, NOW + 100);
	MUST(db_run_plain(
	    fixture->db, "UPDATE recipient SET address = '' WHERE address = 'u5@x.org'", &error));
	for (guint i = 0; i < 27; i++)
		events[i] = (struct store_event){.workspace_id = fixture->workspace,
		    .email_id = stored,
		    .recipient = i,
		    .status = i == 26 ? EVENT_BOUNCED : EVENT_SENT,
		    .timestamp = NOW + i};
	for (guint count = 26; count <= 27; count++) {
		MUST(store_event_insert(fixture->db, events, count, &error));
		cr_expect_eq(fixture_number(fixture,
				 "SELECT COUNT(*) FROM recipient r JOIN event e ON e.id ="
				 " r.event_id AND e.email_id = r.email_id AND e.recipient ="
				 " r.number AND e.status = r.status AND e.timestamp = r.status_at"),
		    count - 1);
		cr_expect_eq(
		    fixture_number(fixture, "SELECT COUNT(*) FROM recipient WHERE status = 1"), 24);
	}
	cr_expect_eq(event_recipient_at(3).status, EVENT_DELIVERED);
	cr_expect_eq(event_recipient_at(24).status_at, NOW + 24);
	cr_expect_eq(event_recipient_at(26).status, EVENT_BOUNCED);
	for (guint i = 0; i < 27; i++)
		g_free((char *)addresses[i]);
}

static const enum store_event_status statuses[] = {EVENT_SENT, EVENT_DELIVERED, EVENT_DELAYED,
    EVENT_COMPLAINED, EVENT_OPENED, EVENT_CLICKED, EVENT_UNSUBSCRIBED, EVENT_SUPPRESSED,
    EVENT_BOUNCED, EVENT_FAILED, EVENT_REPLIED};

/* Events of one call. */
struct event_call {
	struct store_event events[12];
	guint count;
};

static bool
event_insert_call(struct db *db, void *context, GError **failure)
{
	struct event_call *call = context;

	return store_event_insert(db, call->events, call->count, failure);
}

/* Removes the person, from an email alone if others got it. */
static bool
event_erase(struct db *db, void *context, GError **failure)
{
	const char *address = context;
	struct store_erasure_email email;
	struct store_erasure erasure = {0};
	bool found;

	MUST(store_erasure_next(db, &fixture->workspace, address, &email, &found, &error));
	if (!found)
		return true;
	bool done =
	    email.others > 0
		? store_erasure_strip(db, &fixture->workspace, address, &email, &erasure, failure)
		: store_erasure_remove(db, &fixture->workspace, &email, &erasure, failure);
	store_erasure_email_clear(&email);
	return done;
}

/* Each recipient of a rare status has its row, and none of a common one has any. */
static void
expect_rows(guint round, guint seed)
{
	gint64 missing = fixture_number(fixture,
		   "SELECT COUNT(*) FROM recipient r LEFT JOIN recipient_status s"
		   " ON s.workspace_id = r.workspace_id AND s.status = r.status"
		   " AND s.email_id = r.email_id AND s.number = r.number"
		   " WHERE r.status > " EVENT_DELIVERED_SQL " AND s.email_id IS NULL"),
	       extra = fixture_number(fixture,
		   "SELECT COUNT(*) FROM recipient_status s LEFT JOIN recipient r"
		   " ON s.email_id = r.email_id AND s.number = r.number"
		   " WHERE COALESCE(r.status, 0) <= " EVENT_DELIVERED_SQL);

	cr_expect_eq(missing, 0, "round %u of seed %u: %d lack", round, seed, (int)missing);
	cr_expect_eq(extra, 0, "round %u of seed %u: %d too many", round, seed, (int)extra);
}

/* A list of a status has the emails whose recipients say so. */
static void
expect_listed(guint seed)
{
	for (gsize i = 0; i < G_N_ELEMENTS(statuses); i++) {
		const struct store_email_filter filter = {.status = statuses[i]};
		g_autofree char *sql =
		    g_strdup_printf("SELECT COUNT(DISTINCT email_id) FROM recipient"
				    " WHERE status = %d",
			(int)statuses[i]);
		g_autoptr(GPtrArray) got = MUST_GIVE(
		    store_email_list(fixture->db, &fixture->workspace, &filter, 1000, &error));

		cr_expect_eq(got->len, test_db_number(fixture->db, g_intern_string(sql)),
		    "%s, seed %u: got %u", store_event_name(statuses[i]), seed, got->len);
	}
}

/* Lists find recipients of rare statuses by rows, whatever events come, in whatever order. */
Test(event, keeps_the_rows_of_rare_statuses)
{
	guint seed = g_random_int();
	g_autoptr(GRand) random = g_rand_new_with_seed(seed);
	struct base_id emails[8];

	for (guint i = 0; i < G_N_ELEMENTS(emails); i++) {
		g_autofree char *first = g_strdup_printf("a%u@x.org", i);
		g_autofree char *second = g_strdup_printf("b%u@x.org", i);

		emails[i] =
		    email_send(fixture, &fixture->workspace, i % 2 ? TO(first, second) : TO(first));
	}
	for (guint round = 0; round < 150; round++) {
		struct event_call call = {.count = (guint)g_rand_int_range(random, 1, 13)};
		bool is_common = g_rand_boolean(random);

		for (guint i = 0; i < call.count; i++)
			call.events[i] = (struct store_event){.workspace_id = fixture->workspace,
			    .email_id = emails[g_rand_int_range(random, 0, 8)],
			    .recipient = (guint)g_rand_int_range(random, 0, 2),
			    .status = statuses[g_rand_int_range(random, 0, is_common ? 2 : 11)],
			    .timestamp = NOW + 2 * round + g_rand_int_range(random, 0, 5)};
		MUST(db_transact(fixture->db, event_insert_call, &call, &error));
		if (round % 30 == 29) {
			g_autofree char *address = g_strdup_printf("a%u@x.org", round / 30);

			MUST(db_transact(fixture->db, event_erase, address, &error));
		}
		expect_rows(round, seed);
	}
	expect_listed(seed);
	test_db_plain(fixture->db, "TRUNCATE recipient_status");
	for (guint again = 0; again < 2; again++) {
		MUST(store_status_join(fixture->db, &error));
		expect_rows(999, seed);
		expect_listed(seed);
	}
}

/* Taking away the rows of an email reads none of other emails. */
Test(event, takes_rows_of_its_email_alone)
{
	struct store_event events[] = {{.workspace_id = fixture->workspace,
					   .email_id = stored,
					   .status = EVENT_DELAYED,
					   .timestamp = NOW},
	    {.workspace_id = fixture->workspace,
		.email_id = stored,
		.status = EVENT_DELIVERED,
		.timestamp = NOW + 1}};

	MUST(db_run(fixture->db,
	    "INSERT INTO recipient_status (workspace_id, status, email_id, number)"
	    " SELECT ?, 5, UNHEX(MD5(seq)), 0 FROM seq_1_to_5000",
	    DB_VALUES(db_id(&fixture->workspace)), NULL, &error));
	MUST(store_event_insert(fixture->db, &events[0], 1, &error));
	fixture_work(fixture);
	MUST(store_event_insert(fixture->db, &events[1], 1, &error));
	struct fixture_work work = fixture_work(fixture);
	cr_expect_lt(work.read, 200, "read %d", (int)work.read);
	cr_expect_eq(
	    fixture_number(fixture, "SELECT COUNT(*) FROM recipient_status WHERE status = 3"), 0);
	test_db_plain(fixture->db,
	    "INSERT INTO recipient_status (workspace_id, status, email_id,"
	    " number) SELECT workspace_id, 6, email_id, number FROM recipient");
	test_db_plain(fixture->db, "UPDATE recipient SET address = ''");
	fixture_work(fixture);
	MUST(store_status_forget_erased(fixture->db, &fixture->workspace, &stored, &error));
	work = fixture_work(fixture);
	cr_expect_lt(work.read, 100, "read %d", (int)work.read);
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM recipient_status"), 5000);
}

/* No list has them. */
Test(event, of_a_broadcast_has_no_row)
{
	struct store_event event = {.workspace_id = fixture->workspace,
	    .email_id = stored,
	    .type = EMAIL_BROADCAST,
	    .status = EVENT_OPENED,
	    .timestamp = NOW};

	MUST(store_event_insert(fixture->db, &event, 1, &error));
	cr_expect_eq(event_recipient_at(0).status, EVENT_OPENED);
	test_db_plain(fixture->db, "UPDATE email SET type = " EMAIL_BROADCAST_SQL);
	MUST(store_status_join(fixture->db, &error));
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM recipient_status"), 0);
}

/* An erasure takes the rows that have none of the recipient's statuses by a list of all of them. */
Test(event_name, of_each_rare_status_is_in_the_list_of_them)
{
	g_auto(GStrv) rare = g_strsplit(STATUS_RARE_SQL, ", ", -1);

	for (int status = STATUS_COMMON + 1; status <= EVENT_REPLIED; status++) {
		g_autofree char *number = g_strdup_printf("%d", status);

		cr_expect_eq(g_strv_contains((const char *const *)rare, number),
		    store_event_name((enum store_event_status)status) != NULL, "%d", status);
	}
}

Test(event, copy_owns_its_texts)
{
	char response[] = "250 ok";
	struct store_event event = {.status = EVENT_SENT, .smtp_response = response};
	struct store_event *copy = store_event_copy(&event);

	response[0] = 'x';
	cr_expect_str_eq(copy->smtp_response, "250 ok");
	cr_expect_null(copy->link);
	store_event_free(copy);
}

TestSuite(event_list, .init = open_place, .fini = event_end);

static struct base_id
store_event_send(guint recipients)
{
	g_autoptr(GPtrArray) to = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < recipients; i++)
		g_ptr_array_add(to, g_strdup_printf("r%u@x.org", i));
	g_ptr_array_add(to, NULL);
	return email_send(fixture, &fixture->workspace, (const char *const *)to->pdata);
}

/* Stores so many clicks of each recipient; the Nth, from 1, at NOW + N. */
static void
event_visit(const struct base_id *email, guint recipients, guint visits)
{
	char id[ID_TEXT_SIZE];
	g_autofree char *sql = g_strdup_printf(
	    "INSERT INTO event (email_id, id, workspace_id, recipient, status, timestamp)"
	    " SELECT r.email_id, UNHEX(LPAD(HEX(seq * 1000 + r.number), 32, '0')), r.workspace_id,"
	    " r.number, 5, %" G_GINT64_FORMAT " + seq FROM recipient r, seq_1_to_%u"
	    " WHERE r.email_id = UNHEX(REPLACE('%s', '-', '')) AND r.number < %u",
	    (gint64)NOW, visits, base_id_format(email, id), recipients);

	test_db_plain(fixture->db, sql);
}

/* The whole email has its recipients in order, with the same events. */
static void
event_expect_shown(
    const struct base_id *id, const char *name, const struct store_event_history *want, guint count)
{
	struct store_event_history *got;
	AUTO(store_email) email =
	    MUST_GIVE(store_email_show(fixture->db, NULL, &fixture->workspace, id, &got, &error));

	cr_assert_eq(email->recipients->len, count, "%s", name);
	for (guint r = 0; r < count; r++) {
		cr_assert_eq(got[r].events->len, want[r].events->len, "%s, %u", name, r);
		cr_expect_eq(got[r].more, want[r].more, "%s, %u", name, r);
		for (guint e = 0; e < got[r].events->len; e++)
			cr_expect_eq(
			    store_event_compare(got[r].events->pdata[e], want[r].events->pdata[e]),
			    0, "%s, %u: event %u", name, r, e);
	}
	store_event_history_clear(got, count);
	g_free(got);
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
	    {"as few as come with their email", 1, 8, 8, false},
	    {"one more than that, of one", 1, 9, 9, false},
	    {"as few, of several", 4, 2, 2, false},
	    {"one more, of several", 3, 3, 3, false},
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
		struct base_id email = store_event_send(count);
		g_autofree struct store_event_history *got =
		    g_new0(struct store_event_history, count);

		if (cases[i].visits > 0)
			event_visit(&email, count, cases[i].visits);
		MUST(store_event_newest(fixture->db, &email, got, count, &error));
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
		event_expect_shown(&email, cases[i].name, got, count);
		store_event_history_clear(got, count);
	}
}

/* With large variables the events do not come in the rows of the email. */
Test(event_list, shows_them_whatever_the_size_of_the_variables)
{
	for (guint size = 65535; size <= 65536; size++) {
		struct base_id email = store_event_send(2);
		g_autofree struct store_event_history *want = g_new0(struct store_event_history, 2);
		g_autofree char *sql =
		    g_strdup_printf("UPDATE email SET variables = REPEAT('x', %u)", size);

		event_visit(&email, 2, 3);
		test_db_plain(fixture->db, sql);
		MUST(store_event_newest(fixture->db, &email, want, 2, &error));
		event_expect_shown(&email, "large variables", want, 2);
		store_event_history_clear(want, 2);
	}
}

/* 150 recipients with 1,000 clicks each: reads little more than the rows that are shown. */
Test(event_list, reads_little_more_than_it_shows)
{
	const guint recipients = 3 * LIMIT_RECIPIENTS;
	struct base_id email = store_event_send(recipients);
	g_autofree struct store_event_history *got = g_new0(struct store_event_history, recipients);

	event_visit(&email, recipients, LIMIT_ENGAGEMENTS);
	test_db_plain(fixture->db, "ANALYZE TABLE event");
	MUST(store_event_newest(fixture->db, &email, got, recipients,
	    &error)); /* the first call prepares the statements */
	store_event_history_clear(got, recipients);
	fixture_work(fixture);
	MUST(store_event_newest(fixture->db, &email, got, recipients, &error));
	struct fixture_work work = fixture_work(fixture);
	cr_expect_leq(work.read, 1001 + recipients * (LIMIT_RECIPIENT_EVENTS + 2), "read %d rows",
	    (int)work.read);
	cr_expect_eq(work.sorted, 0, "sorted %d rows", (int)work.sorted);
	store_event_history_clear(got, recipients);
}

static struct store_event_place
event_place_of(const struct store_event *event)
{
	return (struct store_event_place){event->timestamp, event->id};
}

/* Reads all pages and returns the number of events. Each event must be older than the one
   before. */
static guint
event_walk(const char *name, const struct base_id *email, const guint *recipient, guint limit)
{
	struct store_event_place before = {0};
	guint count = 0;

	for (;;) {
		g_autoptr(GPtrArray) page = MUST_GIVE(store_event_page(
		    fixture->db, email, recipient, count ? &before : NULL, limit, &error));

		for (guint i = 0; i < page->len; i++) {
			const struct store_event *event = page->pdata[i];
			struct store_event last = {.timestamp = before.timestamp, .id = before.id};

			cr_assert(count == 0 || store_event_compare(event, &last) < 0,
			    "%s: event %u is not older", name, count);
			cr_expect(!recipient || event->recipient == *recipient, "%s", name);
			before = event_place_of(event);
			count++;
		}
		if (page->len < limit)
			return count;
	}
}

Test(event_list, comes_in_pages)
{
	struct base_id email = store_event_send(3), none = store_event_send(1), two;
	const guint number = 1;

	event_visit(&email, 3, 40);
	cr_expect_eq(event_walk("all", &email, NULL, 7), 120);
	cr_expect_eq(event_walk("of one", &email, &number, 7), 40);
	cr_expect_eq(event_walk("of nobody", &email, &(guint){3}, 7), 0);
	cr_expect_eq(event_walk("none", &none, NULL, 7), 0);
	/* All have the same time. */
	two = store_event_send(2);
	event_visit(&two, 2, 50);
	test_db_plain(fixture->db, "UPDATE event SET timestamp = 1 WHERE timestamp > 1");
	cr_expect_eq(event_walk("at one moment", &two, NULL, 7), 100);
	cr_expect_eq(event_walk("at one moment, of one", &two, &number, 7), 50);
}

Test(event_list, reads_a_page_and_no_more)
{
	struct base_id email = store_event_send(20);
	const guint number = 7;
	const struct store_event_place moments[] = {{NOW + 500, {{0xff}}}, {NOW + 1, {{0}}}};

	event_visit(&email, 20, 1000);
	test_db_plain(fixture->db, "UPDATE event SET timestamp = 1800000000500 WHERE timestamp < "
				   "1800000000700 AND timestamp > 1800000000300");
	test_db_plain(fixture->db, "ANALYZE TABLE event");
	for (gsize i = 0; i < G_N_ELEMENTS(moments); i++)
		for (int narrow = 0; narrow < 2; narrow++) {
			const guint *recipient = narrow ? &number : NULL;

			for (int twice = 0; twice < 2; twice++) {
				fixture_work(fixture);
				g_ptr_array_unref(MUST_GIVE(store_event_page(fixture->db, &email,
				    recipient, &moments[i], LIMIT_PAGE + 1, &error)));
			}
			struct fixture_work work = fixture_work(fixture);
			/* A page of all recipients is merged of some events of each. */
			cr_expect_leq(work.read, narrow ? LIMIT_PAGE + 4 : 3 * LIMIT_PAGE,
			    "case %zu, %d: read %d rows", i, narrow, (int)work.read);
			cr_expect_eq(work.sorted, 0, "case %zu: sorted %d", i, (int)work.sorted);
		}
}

/* For a webhook: one event among many of the same email. */
Test(event_list, finds_an_event_by_its_time)
{
	struct base_id email = store_event_send(20);
	const struct base_id id = {{[13] = 0x0f, 0x42, 0x47}}; /* of recipient 7, the last one */

	event_visit(&email, 20, 1000);
	test_db_plain(fixture->db, "ANALYZE TABLE event");
	for (int twice = 0; twice < 2; twice++) {
		struct store_webhook_event_data data = {.id = &id,
		    .workspace = &fixture->workspace,
		    .email_id = &email,
		    .number = 7,
		    .created = NOW + 1000};

		fixture_work(fixture);
		MUST(store_webhook_event_data_read(fixture->db, &data, 1, &error));
		struct fixture_work work = fixture_work(fixture);
		cr_assert(data.event);
		cr_expect_eq(data.event->timestamp, NOW + 1000);
		cr_expect_leq(work.read, 40, "read %d rows", (int)work.read);
		store_webhook_event_data_clear(&data, 1);
	}
}

/* An older program has not stored whose event it is. */
Test(event_list, finds_an_event_of_a_recipient_that_is_not_known)
{
	struct base_id email = store_event_send(20);
	const struct base_id id = {{[13] = 0x0f, 0x42, 0x47}};
	struct store_webhook_event_data data = {.id = &id,
	    .workspace = &fixture->workspace,
	    .email_id = &email,
	    .number = -1,
	    .created = NOW + 1000};

	event_visit(&email, 20, 1000);
	MUST(store_webhook_event_data_read(fixture->db, &data, 1, &error));
	cr_assert(data.event);
	cr_expect_eq(data.event->recipient, 7);
	cr_expect_eq(data.event->timestamp, NOW + 1000);
	store_webhook_event_data_clear(&data, 1);
}
