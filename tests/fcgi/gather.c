/* SPDX-License-Identifier: MIT */
/* Tests of fcgi/api/gather.c with requests that wait at the same time. */
#include "fcgi/api/gather.h"

#include <criterion/criterion.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>

#include "config/settings.h"
#include "fcgi/api/auth.h"
#include "person/suppress.h"
#include "process/turns.h"
#include "service/service.h"
#include "store/consent/consent.h"
#include "store/workspace/limit.h"
#include "tests/fcgi/fake_io.h"
#include "tests/fcgi/waiting.h"
#include "tests/support/db.h"
#include "tests/support/house.h"

static struct test_house *house;
static struct fcgi_auth *auth;

/* Two keys of one workspace, and one of another. */
static void
gather_begin(void)
{
	house = test_house_open(NULL, "[service]\nmode = spool\n");
	auth = fcgi_auth_new(house->settings);
	struct base_id first = house->workspace;
	test_house_domain(house, "example.org");
	test_house_key(house, "ph_one", KEY_FULL, 0);
	test_house_key(house, "ph_two", KEY_SEND, 0);
	house->workspace = base_id_new();
	test_house_key(house, "ph_other", KEY_FULL, 0);
	test_house_domain(house, "example.org");
	house->workspace = first;
}

static void
gather_end(void)
{
	fcgi_auth_free(auth);
	test_house_close(house);
}

TestSuite(gather, .init = gather_begin, .fini = gather_end);

#define EMAIL_TO(to)                                                                               \
	"{\"from\":\"a@example.org\",\"to\":\"" to "\",\"subject\":\"S\",\"html\":\"<p>x\"}"
#define EMAIL EMAIL_TO("b@example.net")
#define AUDIENCE_OF(digit) "/v1/audiences/00000000-0000-0000-0000-00000000000" digit "/contacts"
#define AUDIENCE AUDIENCE_OF("1")
#define ONE "HTTP_X_API_KEY=ph_one"

/* The requests that the letters of a case stand for. */
static const struct waiting_request requests[] = {
    {'e', "POST", "/v1/emails", ONE, NULL, EMAIL},
    {'f', "POST", "/v1/emails", "HTTP_X_API_KEY=ph_two", NULL, EMAIL},
    {'o', "POST", "/v1/emails", "HTTP_X_API_KEY=ph_other", NULL, EMAIL},
    {'s', "POST", "/v1/emails", ONE, NULL, EMAIL_TO("S <s@example.net>")},
    {'S', "POST", "/v1/emails", ONE, NULL, EMAIL_TO("s2@example.net")},
    {'t', "POST", "/v1/emails", ONE, NULL,
	"{\"from\":\"A "
	"<other@example.org>\",\"to\":[\"c@Example.net\"],\"subject\":\"S\",\"html\":\"<p>"
	"x\"}"},
    {'k', "POST", "/v1/emails", ONE, "HTTP_IDEMPOTENCY_KEY=same", EMAIL},
    {'b', "POST", "/v1/emails", ONE, NULL, "{\"from\":\"a@example.org\"}"},
    {'d', "POST", "/v1/emails", ONE, NULL,
	"{\"from\":\"a@example.com\",\"to\":\"b@example.net\",\"subject\":\"S\",\"html\":\"x\"}"},
    {'x', "POST", "/v1/emails", "HTTP_X_API_KEY=ph_none", NULL, EMAIL},
    {'v', "POST", "/v1/events", ONE, NULL, "{\"event_name\":\"E\",\"email\":\"b@example.net\"}"},
    {'w', "POST", "/v1/events", ONE, NULL, "{\"event_name\":\"E\",\"email\":\"c@example.net\"}"},
    {'y', "POST", "/v1/events", ONE, "HTTP_IDEMPOTENCY_KEY=same event",
	"{\"event_name\":\"E\",\"email\":\"d@example.net\"}"},
    {'l', "POST", "/v1/events", ONE, "HTTP_IDEMPOTENCY_KEY=second event",
	"{\"event_name\":\"E\",\"email\":\"l@example.net\"}"},
    {'m', "POST", "/v1/events", ONE, "HTTP_IDEMPOTENCY_KEY=third event",
	"{\"event_name\":\"E\",\"email\":\"m@example.net\"}"},
    {'n', "POST", "/v1/events", ONE, "HTTP_IDEMPOTENCY_KEY=fourth event",
	"{\"event_name\":\"E\",\"email\":\"n@example.net\"}"},
    {'u', "POST", "/v1/events", "HTTP_X_API_KEY=ph_other", NULL,
	"{\"event_name\":\"E\",\"email\":\"b@example.net\"}"},
    {'g', "GET", "/health", NULL, NULL, NULL},
    {'z', "POST", "/v1/emails", ONE, NULL,
	"{\"from\":\"a@example.org\",\"to\":\"b@example.net\",\"subject\":\"S\",\"html\":"
	"\"{{#each a}}{{#each @root.a}}{{#each @root.a}}{{#each @root.a}}{{#each @root.a}}{{#each "
	"@root.a}}"
	"{{#each @root.a}}{{x}}{{/each}}{{/each}}{{/each}}{{/each}}{{/each}}{{/each}}{{/each}}\","
	"\"variables\":{\"a\":[1,2,3,4,5,6,7,8,9,10]}}"},
    {'1', "POST", AUDIENCE, ONE, NULL, "{\"email\":\"1@example.net\"}"},
    {'2', "POST", AUDIENCE, ONE, NULL, "{\"email\":\"2@example.net\",\"is_subscribed\":false}"},
    {'3', "POST", AUDIENCE, ONE, NULL, "{\"email\":\"3@example.net\"}"},
    {'4', "POST", AUDIENCE, ONE, NULL, "{\"email\":\"4@example.net\",\"is_subscribed\":true}"},
    {'5', "POST", AUDIENCE, ONE, NULL, "{\"email\":\"5@example.net\"}"},
    {'6', "POST", AUDIENCE_OF("9"), ONE, NULL, "{\"email\":\"6@example.net\"}"},
    {'7', "POST", AUDIENCE_OF("2"), ONE, NULL, "{\"email\":\"7@example.net\"}"},
    {'8', "POST", AUDIENCE_OF("3"), ONE, NULL, "{\"email\":\"8@example.net\"}"},
    {'p', "POST", AUDIENCE_OF("4"), ONE, NULL,
	"{\"email\":\"p@example.net\",\"is_subscribed\":false}"},
    {'q', "POST", AUDIENCE_OF("5"), ONE, NULL, "{\"email\":\"q@example.net\"}"},
    {'r', "POST", AUDIENCE_OF("5"), ONE, NULL,
	"{\"email\":\"r@example.net\",\"is_subscribed\":false}"},
};

/* The caller frees the result. */
static GPtrArray *
gather_serve(const char *letters)
{
	return waiting_serve(house->service, auth, requests, letters);
}

static gint64
commits(void)
{
	return test_db_number(house->service->db,
	    "SELECT CAST(VARIABLE_VALUE AS INTEGER) FROM information_schema.SESSION_STATUS"
	    " WHERE VARIABLE_NAME = 'COM_COMMIT'");
}

static gint64
gather_count_emails(void)
{
	return test_db_number(house->service->db, "SELECT COUNT(*) FROM email");
}

static gint64
gather_count_events(void)
{
	return test_db_number(house->service->db, "SELECT COUNT(*) FROM automation_event");
}

/* Reads each key once, so that later uses are guarded. */
static void
warm(void)
{
	g_ptr_array_unref(gather_serve("e"));
	g_ptr_array_unref(gather_serve("f"));
	g_ptr_array_unref(gather_serve("o"));
}

static const struct {
	const char *name, *letters, *want;
	gint64 want_emails, want_events, want_commits;
} cases[] = {
    {"one", "e", "201", 1, 0, 1},
    {"many", "eeee", "201 201 201 201", 4, 0, 1},
    {"the most", "eeeeeeee", "201 201 201 201 201 201 201 201", 8, 0, 1},
    {"one more than the most", "eeeeeeeee", "201 201 201 201 201 201 201 201 201", 9, 0, 2},
    {"several keys and workspaces", "efoe", "201 201 201 201", 4, 0, 1},
    {"of two kinds", "evwe", "201 200 200 201", 2, 2, 2},
    {"of the same contact", "vwvv", "200 200 200 200", 0, 4, 1},
    {"events of two workspaces", "vuvw", "200 200 200 200", 0, 4, 1},
    {"bad ones among good ones", "ebdxe", "201 400 403 403 201", 2, 0, 1},
    {"a bad one first", "bee", "400 201 201", 2, 0, 1},
    {"no good one", "bxd", "400 403 403", 0, 0, 0},
    {"a read between", "eegee", "201 201 200 201 201", 4, 0, 2},
    {"a read first", "gee", "200 201 201", 2, 0, 1},
};

Test(gather, stores_those_of_a_kind_in_one_transaction)
{
	warm();
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		gint64 before = commits(), emails = gather_count_emails();
		gint64 events = gather_count_events();
		g_autoptr(GPtrArray) ios = gather_serve(cases[i].letters);
		g_autofree char *got = waiting_statuses(ios);

		cr_expect_str_eq(got, cases[i].want, "%s: got %s", cases[i].name, got);
		emails = gather_count_emails() - emails;
		events = gather_count_events() - events;
		cr_expect_eq(
		    emails, cases[i].want_emails, "%s: %d emails", cases[i].name, (int)emails);
		cr_expect_eq(
		    events, cases[i].want_events, "%s: %d events", cases[i].name, (int)events);
		gint64 took = commits() - before;
		cr_expect_eq(
		    took, cases[i].want_commits, "%s: %d transactions", cases[i].name, (int)took);
	}
}

static void
gather_suppress(const char *address)
{
	const struct store_consent_act act = {
	    .source = CONSENT_BY_API, .author = CONSENT_OF_OPERATOR};
	AUTO(store_suppression) entry = person_suppress_add(house->service, &house->workspace,
	    address, &(struct store_suppression_state){SUPPRESSION_BOUNCED, SUPPRESSION_ALL}, &act,
	    NULL);

	cr_assert(entry);
}

/* One for the checks of the emails of a workspace and a domain, and one for the transaction. Where
   a recipient is suppressed, each email is also checked by itself; storing its event takes two. A
   key is looked for and taken by one each. */
Test(gather, stores_emails_in_one_round_trip)
{
	static const struct {
		const char *letters;
		gint64 want;
	} numbers[] = {{"e", 2}, {"eeee", 2}, {"efet", 2}, {"eoeo", 4}, {"eeeeeeee", 2}, {"ted", 3},
	    {"est", 7}, {"ek", 4}};

	warm();
	gather_suppress("s@example.net");
	for (guint i = 0; i < G_N_ELEMENTS(numbers); i++) {
		gint64 before = waiting_executed(house->service);
		g_ptr_array_unref(gather_serve(numbers[i].letters));
		gint64 got = waiting_executed(house->service) - before - 1;

		cr_expect_eq(
		    got, numbers[i].want, "%s: %d statements", numbers[i].letters, (int)got);
	}
}

Test(gather, sends_nothing_to_the_suppressed)
{
	gather_suppress("s@example.net");
	gather_suppress("S2@example.net");
	g_autoptr(GPtrArray) ios = gather_serve("setSe");
	g_autofree char *got = waiting_statuses(ios);

	cr_expect_str_eq(got, "201 201 201 201 201", "got %s", got);
	g_autofree char *left = test_db_text(house->service->db,
	    "SELECT GROUP_CONCAT(r.address ORDER BY r.address) FROM recipient r"
	    " WHERE NOT EXISTS (SELECT 1 FROM outbox o WHERE o.email_id = r.email_id)");
	cr_expect_str_eq(left, "s2@example.net,s@example.net", "got %s", left);
	cr_expect_eq(test_db_number(house->service->db, "SELECT COUNT(*) FROM outbox"), 3);
}

#define IDS_OF(key)                                                                                \
	"SELECT LOWER(GROUP_CONCAT(HEX(id))) FROM email WHERE workspace_id ="                      \
	" (SELECT workspace_id FROM api_key WHERE hash = UNHEX(SHA2('" key "', 256)))"

/* Each answer has an id of its own, of an email of the workspace of its key. */
Test(gather, answers_each)
{
	g_autoptr(GPtrArray) ios = gather_serve("efo");
	g_autofree char *own = test_db_text(house->service->db, IDS_OF("ph_one"));
	g_autofree char *other = test_db_text(house->service->db, IDS_OF("ph_other"));
	g_autoptr(GHashTable) ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < ios->len; i++) {
		const char *body = fake_io_body(ios->pdata[i]);
		g_auto(GStrv) parts =
		    g_strsplit(strlen(body) > 43 ? body + strlen("{\"id\":\"") : "", "-", -1);
		g_autofree char *joined = g_strjoinv("", parts);
		char *id = g_strndup(joined, 32);

		cr_expect(strstr(i < 2 ? own : other, id), "%u: got %s", i, body);
		g_hash_table_add(ids, id);
	}
	cr_expect_eq(g_hash_table_size(ids), 3);
}

/* A request of a workspace that took long makes its next ones wait alone, and no other's. */
Test(gather, keeps_requests_of_a_slow_workspace_apart)
{
	static const struct {
		const char *letters, *want;
		gint64 want_commits;
	} steps[] = {
	    {"ee", "201 201", 1},
	    {"z", "400", 0},
	    {"ee", "201 201", 2},
	    {"oo", "201 201", 1},
	};

	warm();
	for (gsize i = 0; i < G_N_ELEMENTS(steps); i++) {
		gint64 before = commits();
		g_autoptr(GPtrArray) answers = gather_serve(steps[i].letters);
		g_autofree char *got = waiting_statuses(answers);

		cr_expect_str_eq(got, steps[i].want, "%zu: got %s", i, got);
		cr_expect_eq(commits() - before, steps[i].want_commits, "%zu: %d commits", i,
		    (int)(commits() - before));
	}
}

Test(gather, replays_a_key_that_is_there_twice)
{
	g_autoptr(GPtrArray) ios = gather_serve("kekyyw");
	g_autofree char *got = waiting_statuses(ios);

	cr_expect_str_eq(got, "201 201 201 200 200 200", "got %s", got);
	cr_expect_str_eq(fake_io_body(ios->pdata[0]), fake_io_body(ios->pdata[2]));
	cr_expect_str_eq(fake_io_body(ios->pdata[3]), fake_io_body(ios->pdata[4]));
	for (guint i = 0; i < ios->len; i++) {
		g_autofree char *replayed = fake_io_header(ios->pdata[i], "Idempotent-Replayed");

		cr_expect_eq(replayed != NULL, i == 2 || i == 4, "%u", i);
	}
	cr_expect_eq(gather_count_emails(), 2);
	cr_expect_eq(gather_count_events(), 2);
}

/* Each key is looked for, but all are stored in one round trip. */
Test(gather, stores_keys_together)
{
	warm();
	gint64 before = waiting_executed(house->service);
	g_ptr_array_unref(gather_serve("y"));
	gint64 one = waiting_executed(house->service) - before;
	g_autoptr(GPtrArray) ios = gather_serve("lmn");
	gint64 three = waiting_executed(house->service) - before - one;
	g_autofree char *got = waiting_statuses(ios);
	cr_expect_str_eq(got, "200 200 200", "got %s", got);
	cr_expect_eq(three - one, 2, "%d statements, and %d of one", (int)three, (int)one);
	cr_expect_eq(test_db_number(house->service->db, "SELECT COUNT(*) FROM idempotency"), 4);
	g_ptr_array_unref(gather_serve("nyl"));
	cr_expect_eq(gather_count_events(), 4, "stored again");
}

/* One key ends after it was read. The requests of the other keys are stored. */
Test(gather, refuses_a_key_that_has_ended)
{
	warm();
	test_db_plain(house->service->db,
	    "UPDATE api_key SET revoked = 1 WHERE hash = UNHEX(SHA2('ph_two', 256))");
	g_autoptr(GPtrArray) ios = gather_serve("efoe");
	g_autofree char *got = waiting_statuses(ios);
	cr_expect_str_eq(got, "201 403 201 201", "got %s", got);
	cr_expect_eq(gather_count_emails(), 3 + 3);
}

/* An event's check takes no statement, so its transaction checks the key. */
Test(gather, refuses_events_of_a_key_that_has_ended)
{
	warm();
	test_db_plain(house->service->db,
	    "UPDATE api_key SET revoked = 1 WHERE hash = UNHEX(SHA2('ph_one', 256))");
	g_autoptr(GPtrArray) ios = gather_serve("vwo");
	g_autofree char *got = waiting_statuses(ios);
	cr_expect_str_eq(got, "403 403 201", "got %s", got);
	cr_expect_eq(gather_count_events(), 0);
}

Test(gather, refuses_what_exceeds_a_quota)
{
	enum config_setting limit = SETTING_LIMITS_EMAILS_PER_HOUR;
	gint64 most = 2;

	cr_assert(store_limit_set(house->db, &house->workspace, &limit, &most, 1, NULL));
	g_autoptr(GPtrArray) ios = gather_serve("eoee");
	g_autofree char *got = waiting_statuses(ios);
	cr_expect_str_eq(got, "201 201 201 429", "got %s", got);
	g_autofree char *limits = fake_io_header(ios->pdata[3], "RateLimit-Policy");
	cr_expect_str_eq(limits, "\"emails_per_hour\";q=2;w=3600", "got %s", limits);
	cr_expect_eq(gather_count_emails(), 3);
}

/* With the ids 1 to 5. */
static void
make_audiences(void)
{
	test_db_plain(house->service->db,
	    "INSERT INTO audience (id, workspace_id, user_id, name, created, updated)"
	    " SELECT UNHEX(LPAD(s.seq, 32, '0')), workspace_id, user_id, 'A', 1, 1"
	    " FROM api_key, seq_1_to_5 s WHERE hash = UNHEX(SHA2('ph_one', 256))");
	test_db_plain(house->service->db,
	    "INSERT INTO audience_counter (audience_id, stripe, workspace_id, contacts, "
	    "unsubscribers)"
	    " SELECT a.id, s.seq, a.workspace_id, 0, 0 FROM audience a, seq_0_to_15 s");
}

/* One contact is there, one person has unsubscribed, and one audience is missing. */
Test(gather, stores_contacts)
{
	static const struct {
		const char *letters, *want;
		gint64 want_contacts, want_left;
	} contacts[] = {
	    {"123", "200 200 200", 3, 1},
	    {"1", "200", 1, 0},
	    {"1245", "200 200 409 200", 3, 2},
	    {"4125", "409 200 200 200", 3, 2},
	    {"1631", "200 404 200 409", 2, 0},
	    {"22", "200 409", 1, 1},
	};

	make_audiences();
	test_db_plain(house->service->db,
	    "INSERT INTO webhook (id, workspace_id, url, events, enabled, batch, description,"
	    " created, secret) SELECT UNHEX('00000000000000000000000000000002'), workspace_id,"
	    " 'http://example.net/', 1 << 13, 1, 0, '', 1, '' FROM api_key"
	    " WHERE hash = UNHEX(SHA2('ph_one', 256))");
	test_db_plain(house->service->db,
	    "INSERT INTO choice (workspace_id, person, created) SELECT workspace_id, p, 1"
	    " FROM api_key, (SELECT '4@example.net' p UNION SELECT '5@example.net') x"
	    " WHERE hash = UNHEX(SHA2('ph_one', 256))");
	warm();
	for (guint i = 0; i < G_N_ELEMENTS(contacts); i++) {
		const char *name = contacts[i].letters;
		gint64 before = waiting_executed(house->service);
		g_autoptr(GPtrArray) ios = gather_serve(name);
		gint64 took = waiting_executed(house->service) - before - 1;
		g_autofree char *got = waiting_statuses(ios);

		cr_expect_str_eq(got, contacts[i].want, "%s: got %s", name, got);
		if (i < 2)
			/* The contacts, with their rows of the audit. */
			cr_expect_eq(took, 1, "%s: %d statements", name, (int)took);
		cr_expect_eq(test_db_number(house->service->db,
				 "SELECT COUNT(*) FROM audit a JOIN contact c"
				 " ON UNHEX(REPLACE(a.target_id, '-', '')) = c.id"
				 " WHERE a.action = 'contact.created'"),
		    contacts[i].want_contacts, "%s: in the audit", name);
		cr_expect_eq(test_db_number(house->service->db, "SELECT COUNT(*) FROM contact"),
		    contacts[i].want_contacts, "%s", name);
		cr_expect_eq(test_db_number(house->service->db,
				 "SELECT SUM(contacts) * 100 + SUM(unsubscribers)"
				 " FROM audience_counter"),
		    contacts[i].want_contacts * 100 + contacts[i].want_left, "%s", name);
		cr_expect_eq(
		    test_db_number(house->service->db,
			"SELECT COUNT(*) FROM contact c JOIN webhook_event v ON v.id = c.id"
			" AND v.about = c.address AND v.created = c.created"
			" JOIN webhook_delivery d ON d.event_id = v.id"),
		    contacts[i].want_contacts, "%s: told", name);
		test_db_plain(house->service->db, "DELETE FROM contact");
		test_db_plain(house->service->db,
		    "UPDATE audience_counter SET contacts = 0, unsubscribers = 0");
	}
}

static gint64
miscounted(void)
{
	return test_db_number(house->service->db,
	    "SELECT COUNT(*) FROM (SELECT audience_id, SUM(contacts) contacts,"
	    " SUM(unsubscribers) left_it FROM audience_counter GROUP BY audience_id) k"
	    " WHERE contacts <> (SELECT COUNT(*) FROM contact c"
	    " WHERE c.audience_id = k.audience_id)"
	    " OR left_it <> (SELECT COUNT(*) FROM contact c"
	    " WHERE c.audience_id = k.audience_id AND c.is_subscribed = 0)");
}

/* One statement counts the contacts of up to four audiences. The audience 5 wants that people
   confirm, and the audience 9 is missing. */
Test(gather, counts_contacts_of_several_audiences)
{
	static const struct {
		const char *letters, *want;
		gint64 want_took, want_contacts;
	} counted[] = {
	    {"17", "200 200", 1, 2},
	    {"178p", "200 200 200 200", 1, 4},
	    {"178pr", "200 200 200 200 200", 1, 5},
	    {"rp82731", "200 200 200 200 200 200 200", 1, 7},
	    {"1786p", "200 200 200 404 200", 0, 4},
	    {"178pq", "200 200 200 200 400", 0, 4},
	    {"q1", "400 200", 0, 1},
	};

	make_audiences();
	test_db_plain(house->service->db,
	    "UPDATE audience SET opt_in = 1 WHERE id = UNHEX(LPAD(5, 32, '0'))");
	warm();
	for (guint i = 0; i < G_N_ELEMENTS(counted); i++) {
		const char *name = counted[i].letters;
		gint64 before = waiting_executed(house->service);
		g_autoptr(GPtrArray) ios = gather_serve(name);
		gint64 took = waiting_executed(house->service) - before - 1;
		g_autofree char *got = waiting_statuses(ios);

		cr_expect_str_eq(got, counted[i].want, "%s: got %s", name, got);
		if (counted[i].want_took)
			cr_expect_eq(
			    took, counted[i].want_took, "%s: %d statements", name, (int)took);
		cr_expect_eq(test_db_number(house->service->db, "SELECT COUNT(*) FROM contact"),
		    counted[i].want_contacts, "%s", name);
		cr_expect_eq(miscounted(), 0, "%s: miscounted", name);
		cr_expect_eq(
		    test_db_number(house->service->db,
			"SELECT COUNT(*) FROM contact"
			" WHERE is_subscribed = 1 AND audience_id = UNHEX(LPAD(5, 32, '0'))"),
		    0, "%s: joined without a confirmation", name);
		test_db_plain(house->service->db, "DELETE FROM contact");
		test_db_plain(house->service->db,
		    "UPDATE audience_counter SET contacts = 0, unsubscribers = 0");
	}
}

/* A trigger refuses the emails of the other workspace. */
Test(gather, does_not_fail_for_one_that_fails)
{
	test_db_plain(house->service->db,
	    "CREATE TRIGGER refuse BEFORE INSERT ON email FOR EACH ROW"
	    " IF NEW.workspace_id <> (SELECT workspace_id FROM api_key"
	    " WHERE hash = UNHEX(SHA2('ph_one', 256)))"
	    " THEN SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1644; END IF");
	g_autoptr(GPtrArray) ios = gather_serve("eoe");
	g_autofree char *got = waiting_statuses(ios);
	cr_expect_str_eq(got, "201 500 201", "got %s", got);
	cr_expect_eq(gather_count_emails(), 2);
}

/* The contacts and events of each workspace are its own. A trigger refuses the events of the other
   one. */
Test(gather, keeps_events_of_workspaces_apart)
{
	static const char refuse[] =
	    "CREATE TRIGGER refuse BEFORE INSERT ON automation_event FOR EACH ROW"
	    " IF NEW.workspace_id <> (SELECT workspace_id FROM api_key"
	    " WHERE hash = UNHEX(SHA2('ph_one', 256)))"
	    " THEN SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1644; END IF";
	static const char apart[] =
	    "SELECT GROUP_CONCAT(n ORDER BY n) FROM (SELECT COUNT(*) n FROM automation_event v"
	    " JOIN person p ON p.id = v.contact_id AND p.workspace_id = v.workspace_id"
	    " GROUP BY v.workspace_id) x";

	g_ptr_array_unref(gather_serve("vuwuv"));
	g_autofree char *before = test_db_text(house->service->db, apart);
	cr_expect_str_eq(before, "2,3", "got %s", before);
	test_db_plain(house->service->db, refuse);
	g_autoptr(GPtrArray) ios = gather_serve("vuwy");
	g_autofree char *got = waiting_statuses(ios);
	cr_expect_str_eq(got, "200 500 200 200", "got %s", got);
	g_autofree char *after = test_db_text(house->service->db, apart);
	cr_expect_str_eq(after, "2,6", "got %s", after);
}

/* How often somebody has waited for a turn; see room.mk. */
static guint gather_waits;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

/* Passes on as many arguments as any call of the system has. */
long
__wrap_syscall(long number, ...)
{
	va_list list;
	long arguments[6];

	va_start(list, number);
	for (guint i = 0; i < G_N_ELEMENTS(arguments); i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	gather_waits += number == SYS_futex && (int)arguments[1] == FUTEX_WAIT;
	return __real_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3],
	    arguments[4], arguments[5]);
}

Test(gather, takes_a_turn_and_gives_it_back)
{
	static const struct {
		const char *letters, *want;
		bool waits; /* the first one is to be stored, as far as is known then */
	} turned[] = {{"e", "201", true}, {"eff", "201 201 201", true}, {"b", "400", true},
	    {"x", "403", false}, {"ew", "201 200", true}, {"g", "200", false}};
	AUTO(process_turns) turns = process_turns_new(1, 1);

	waiting_turns = turns;
	for (guint i = 0; i < 2 * G_N_ELEMENTS(turned); i++) {
		bool taken = i % 2 == 1; /* by somebody who keeps it: they are served later */

		if (taken)
			cr_assert_eq(process_turns_take(turns, 0), 0);
		gather_waits = 0;
		g_autoptr(GPtrArray) ios =
		    waiting_serve(house->service, auth, requests, turned[i / 2].letters);
		g_autofree char *got = waiting_statuses(ios);
		cr_expect_eq(gather_waits > 0, taken && turned[i / 2].waits, "%s: waits %u times",
		    turned[i / 2].letters, gather_waits);
		cr_expect_str_eq(got, turned[i / 2].want, "%s: %s, not %s", turned[i / 2].letters,
		    got, turned[i / 2].want);
		if (taken)
			process_turns_end(turns, 0);
		cr_assert_eq(process_turns_take(turns, 0), 0, "%s", turned[i / 2].letters);
		process_turns_end(turns, 0);
	}
	waiting_turns = NULL;
}
