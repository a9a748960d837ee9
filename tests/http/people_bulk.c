/* SPDX-License-Identifier: MIT */
/* One change of many people. */
#include <criterion/criterion.h>
#include <string.h>

#include "config/settings.h"
#include "json/value.h"
#include "store/email/event.h"
#include "tests/http/audience.h"
#include "tests/http/confirmation.h"
#include "tests/http/person.h"
#include "tests/support/db.h"
#include "tests/support/settings.h"

FIXTURE_SUITE(people_bulk, 900);

#define BULK "/v1/people/bulk"
#define ERASE "/v1/people/erase"
#define UNKNOWN "0198c0de-0000-7000-8000-000000000000"
#define DONE(changed, unchanged, undo, failed)                                                     \
	"{'changed':" #changed ",'unchanged':" #unchanged ",'undo':[" undo "],'failed':[" failed   \
	"]}"
#define NOBODY(email) "{'email':'" email "','message':'Person not found'}"
#define HAS_LEFT(email) "{'email':'" email "','message':'This person has unsubscribed'}"

/* Makes a change; %s in its body is the target. */
static void
bulk_expect(const char *body, const char *target, const char *want)
{
	g_auto(GStrv) parts = g_strsplit(body, "%s", 2);
	g_autofree char *whole = g_strjoinv(target, parts);

	audience_expect(fixture, "POST", whole, 200, want, BULK);
}

static void
bulk_member(const char *email, const char *want)
{
	g_autofree char *path = g_strconcat("/v1/people/", email, NULL);
	const struct exchange exchange = {path, "GET", path, NULL, 200, .want = {want}};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
}

Test(people_bulk, checks_its_fields)
{
	static char many[101 * 16 + 64];
	GString *emails = g_string_new(NULL);
	const struct exchange exchanges[] = {
	    {"nobody", "POST", BULK, "{'action':'add'}", 400, "{'message':'people is required'}"},
	    {"an empty list", "POST", BULK, "{'action':'suppress','people':[]}", 400,
		.want = {"message : string"}},
	    {"no action", "POST", BULK, "{'people':['a@x.org']}", 400,
		"{'message':'action is required'}"},
	    {"an action", "POST", BULK, "{'action':'erase','people':['a@x.org']}", 400,
		"{'message':'action must be one of add, remove, join, leave, suppress, "
		"unsuppress'}"},
	    {"no audience", "POST", BULK, "{'action':'add','people':['a@x.org']}", 400,
		"{'message':'audience_id is required'}"},
	    {"no topic", "POST", BULK, "{'action':'leave','people':['a@x.org']}", 400,
		"{'message':'topic_id is required'}"},
	    {"a strange audience", "POST", BULK,
		"{'action':'remove','people':['a@x.org'],'audience_id':'" UNKNOWN "'}", 404,
		"{'message':'Audience not found'}"},
	    {"no id", "POST", BULK, "{'action':'add','people':['a@x.org'],'audience_id':'x'}", 404,
		"{'message':'Audience not found'}"},
	    {"a strange topic", "POST", BULK,
		"{'action':'join','people':['a@x.org'],'topic_id':'" UNKNOWN "'}", 404,
		"{'message':'Topic not found'}"},
	    {"nobody to erase", "POST", ERASE, "{}", 400, "{'message':'people is required'}"},
	    {"no address", "POST", BULK, "{'action':'suppress','people':['bob']}", 200,
		.want = {"changed = 0", "failed[0].email = 'bob'", "failed[0].message : string"}},
	};

	EXPECT_ALL(fixture, exchanges);
	for (guint i = 0; i <= 100; i++) {
		g_string_append_printf(emails, "%s'p%u@x.org'", i ? "," : "", i);
		if (i < 99)
			continue;
		g_snprintf(
		    many, sizeof(many), "{'action':'unsuppress','people':[%s]}", emails->str);
		const struct exchange limit = {
		    i == 99 ? "the limit" : "past it", "POST", BULK, many, i == 99 ? 200 : 400};
		AUTO(answer) answer = exchange_expect(fixture, &limit);
	}
	g_string_free(emails, TRUE);
}

Test(people_bulk, puts_people_into_an_audience_and_takes_them_out)
{
	g_autofree char *audience = audience_new(fixture, "News");
	g_autofree char *contact =
	    audience_add(fixture, audience, "{'email':'bob@x.org','is_subscribed':false}");

	audience_expect(fixture, "POST", "{'email':'ada@x.org'}", 200, NULL, "/v1/people");
#define OF(action, emails) "{'action':'" action "','people':[" emails "],'audience_id':'%s'}"
	bulk_expect(OF("add", "'ADA@x.org','bob@x.org','no@x.org'"), audience,
	    DONE(1, 1, "'ADA@x.org'", NOBODY("no@x.org")));
	bulk_member("ada@x.org", "audiences[0].status = 'subscribed'");
	bulk_member("bob@x.org", "audiences[0].status = 'unsubscribed'");
	bulk_expect(OF("add", "'ada@x.org'"), audience, DONE(0, 1, "", ""));
	/* One who was not subscribed would be, if the removal were undone. */
	bulk_expect(
	    OF("remove", "'ada@x.org','bob@x.org'"), audience, DONE(2, 0, "'ada@x.org'", ""));
	bulk_member("bob@x.org", "audiences = []");
	bulk_expect(OF("remove", "'ada@x.org'"), audience, DONE(0, 1, "", ""));
	/* Many at once is no way back into mailings. */
	audience_expect(
	    fixture, "PATCH", "{'subscribed':false}", 200, NULL, "/v1/people/ada@x.org");
	bulk_expect(OF("add", "'ada@x.org'"), audience, DONE(0, 0, "", HAS_LEFT("ada@x.org")));
	audience_expect(fixture, "PATCH", "{'subscribed':true}", 200, NULL, "/v1/people/ada@x.org");
	/* If people confirm, the way back would ask them again. */
	bulk_expect(OF("add", "'ada@x.org'"), audience, DONE(1, 0, "'ada@x.org'", ""));
	confirmation_prepare(fixture);
	audience_expect(
	    fixture, "PUT", "{'required':true}", 200, NULL, "/v1/audiences/%s/opt-in", audience);
	bulk_expect(OF("remove", "'ada@x.org'"), audience, DONE(1, 0, "", ""));
#undef OF
}

Test(people_bulk, changes_a_topic)
{
	AUTO(answer) made = audience_ask(fixture, "POST", "{'name':'News'}", "/v1/topics");
	const char *topic = answer_text(made, "id");
	static const char *const people[] = {"ada", "bob", "eve"};

	for (gsize i = 0; i < G_N_ELEMENTS(people); i++) {
		g_autofree char *body = g_strdup_printf("{'email':'%s@x.org'}", people[i]);

		audience_expect(fixture, "POST", body, 200, NULL, "/v1/people");
	}
	/* An operator took bob out of all mailings; eve left in person. */
	audience_expect(
	    fixture, "PATCH", "{'subscribed':false}", 200, NULL, "/v1/people/bob@x.org");
	audience_expect(
	    fixture, "PATCH", "{'subscribed':false}", 200, NULL, "/v1/people/eve@x.org");
	test_db_plain(fixture->db, "UPDATE choice SET author = 1 WHERE workspace_id = @workspace "
				   "AND person = 'eve@x.org'");
#define OF(action, emails) "{'action':'" action "','people':[" emails "],'topic_id':'%s'}"
	bulk_expect(OF("leave", "'ada@x.org'"), topic, DONE(1, 0, "'ada@x.org'", ""));
	bulk_member("ada@x.org", "topics[0].subscribed = false");
	bulk_expect(OF("leave", "'ada@x.org'"), topic, DONE(0, 1, "", ""));
	bulk_expect(OF("join", "'ada@x.org','bob@x.org','eve@x.org','no@x.org'"), topic,
	    DONE(1, 0, "'ada@x.org'",
		HAS_LEFT("bob@x.org") "," HAS_LEFT("eve@x.org") "," NOBODY("no@x.org")));
	bulk_member("ada@x.org", "topics[0].subscribed = true");
	bulk_member("bob@x.org", "subscribed = false");
	/* Joining again would be refused. */
	bulk_expect(OF("leave", "'bob@x.org'"), topic, DONE(1, 0, "", ""));
#undef OF
}

Test(people_bulk, suppresses_and_erases)
{
	const struct exchange exchanges[] = {
	    {"bounced", "POST", "/v1/suppressions", "{'email':'bob@x.org','reason':'bounced'}",
		200},
	    {"mailings", "POST", "/v1/suppressions", "{'email':'eve@x.org','scope':'automation'}",
		200},
	    {"suppress", "POST", BULK,
		"{'action':'suppress','people':['Ada@x.org','bob@x.org','eve@x.org']}", 200,
		DONE(2, 1, "'Ada@x.org'", "")},
	    {"wider", "GET", "/v1/suppressions/eve@x.org", NULL, 200, .want = {"scope = 'all'"}},
	    {"unsuppress", "POST", BULK,
		"{'action':'unsuppress','people':['ada@x.org','bob@x.org','no@x.org']}", 200,
		DONE(2, 1, "'ada@x.org'", "")},
	    {"gone", "GET", "/v1/suppressions/bob@x.org", NULL, 404},
	    {"a person", "POST", "/v1/people", "{'email':'ida@x.org'}", 200},
	    {"erase", "POST", ERASE, "{'people':['IDA@x.org','bob']}", 200,
		.want = {"changed = 1", "undo = []", "failed[0].email = 'bob'"}},
	    {"forgotten", "GET", "/v1/people/ida@x.org", NULL, 404},
	    {"the audit", "GET", "/v1/audit", NULL, 200,
		.want = {"audit[0].action = 'person.deleted'", "audit[1].action = 'person.created'",
		    "audit[2].action = 'person.changed'"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* Members change people, and owners alone erase them; the history names who did it. */
Test(people_bulk, names_its_operator)
{
	AUTO(person) member = person_open(fixture, "member@example.com", "member");
	AUTO(person) viewer = person_open(fixture, "viewer@example.com", "viewer");
	g_autofree char *audience = audience_new(fixture, "News");
	g_autofree char *contact = audience_add(fixture, audience, "{'email':'ada@x.org'}");
	g_autofree char *body = g_strdup_printf(
	    "{'action':'remove','people':['ada@x.org'],'audience_id':'%s'}", audience);

	answer_free(person_expect(fixture, viewer, "POST", BULK, body, 403));
	answer_free(person_expect(fixture, member, "POST", BULK, body, 200));
	answer_free(person_expect(fixture, member, "POST", ERASE, "{'people':['ada@x.org']}", 403));
	const struct exchange history[] = {
	    {"history", "GET", "/v1/people/ada@x.org/history?kind=consent", NULL, 200,
		.want = {"history[0].type = 'removed'", "history[0].actor.type = 'user'",
		    "history[0].actor.name = 'member@example.com'", "history[1].actor : absent"}}};
	EXPECT_ALL(fixture, history);
}

#define LISTED(list, more) "{'action':'suppress','list':'" list "'" more "}"
#define NO_LIST                                                                                    \
	"{'message':'list must be the path of a list of people, contacts, suppressions or "        \
	"emails'}"

/* Expects these entries of the audit about changes of people, oldest first. */
static void
bulk_expect_audit(const char *want)
{
	g_autofree char *got = test_db_text(fixture->db,
	    "SELECT IFNULL(GROUP_CONCAT(CONCAT(action, ' ', target_type, ' ', target_name)"
	    " ORDER BY id SEPARATOR ', '), '-') FROM audit WHERE workspace_id = @workspace"
	    " AND action IN ('person.changed', 'person.deleted')");

	cr_expect_str_eq(got, want, "got %s, want %s", got, want);
}

/* The database fails at one of the people. */
Test(people_bulk, is_in_the_audit_as_far_as_it_came)
{
	const struct exchange exchanges[] = {
	    {"at the third", "POST", BULK,
		"{'action':'suppress','people':['a@x.org','b@x.org','bad@bulk.example','c@x.org']}",
		500},
	    {"at the first", "POST", BULK,
		"{'action':'suppress','people':['bad@bulk.example','c@x.org']}", 500},
	    {"erased", "POST", ERASE, "{'people':['a@x.org','b@x.org']}", 200},
	};

	test_db_plain(fixture->db,
	    "CREATE TRIGGER bulk_bad BEFORE INSERT ON suppression FOR EACH ROW"
	    " IF NEW.address = 'bad@bulk.example'"
	    " THEN SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1644; END IF");
	EXPECT_ALL(fixture, exchanges);
	test_db_plain(fixture->db, "DROP TRIGGER bulk_bad");
	bulk_expect_audit("person.changed person suppress 2, person.deleted person erase 2");
}

/* A connection of the database's administrator. */
static struct db *
bulk_watcher(void)
{
	g_autofree char *text = g_strdup_printf("[database]\nsocket = %s\nuser = root\nname = %s\n",
	    config_settings_text(fixture->settings, SETTING_DATABASE_SOCKET),
	    config_settings_text(fixture->settings, SETTING_DATABASE_NAME));
	struct config_settings *settings =
	    test_settings_load(fixture->instance->dir, fixture->name, text);
	struct db *watcher = test_db_open(settings);

	config_settings_free(settings);
	return watcher;
}

/* The number that a statement gives once it is not 0. InnoDB shows its locks anew to those alone
   who have not looked for 100 ms. */
static gint64
bulk_await(struct db *watcher, const char *sql)
{
	gint64 end = g_get_monotonic_time() + 120 * G_USEC_PER_SEC;
	gint64 number;

	while ((number = test_db_number(watcher, sql)) == 0) {
		cr_assert_lt(g_get_monotonic_time(), end, "0: %s", sql);
		g_usleep(150000);
	}
	return number;
}

/* The connection that waits for a lock of the test's own one. */
static gint64
bulk_waiter(struct db *watcher)
{
	g_autofree char *sql = g_strdup_printf(
	    "SELECT IFNULL(MAX(r.trx_mysql_thread_id), 0)"
	    " FROM information_schema.innodb_lock_waits w"
	    " JOIN information_schema.innodb_trx r ON r.trx_id = w.requesting_trx_id"
	    " JOIN information_schema.innodb_trx b ON b.trx_id = w.blocking_trx_id"
	    " WHERE b.trx_mysql_thread_id = %" G_GINT64_FORMAT,
	    test_db_number(fixture->db, "SELECT CONNECTION_ID()"));

	return bulk_await(watcher, sql);
}

/* Ends a connection while its COMMIT waits for the watcher, so that it has no clear answer. */
static void
bulk_end_at_commit(struct db *watcher, gint64 waiter)
{
	g_autofree char *commits = g_strdup_printf(
	    "SELECT COUNT(*) FROM information_schema.processlist WHERE id = %" G_GINT64_FORMAT
	    " AND state = 'Waiting for backup lock'",
	    waiter);
	g_autofree char *kill = g_strdup_printf("KILL CONNECTION %" G_GINT64_FORMAT, waiter);

	bulk_await(watcher, commits);
	test_db_plain(watcher, kill);
}

static gpointer
bulk_ask_in_thread(gpointer data)
{
	(void)data;
	return audience_ask(
	    fixture, "POST", "{'action':'suppress','people':['a@x.org','b@x.org']}", BULK);
}

/* Nobody knows whether the first of the people was changed: the audit has the attempt. */
Test(people_bulk, is_in_the_audit_where_its_outcome_is_uncertain)
{
	struct db *watcher = bulk_watcher();

	audience_expect(fixture, "POST", "{'email':'a@x.org','scope':'automation'}", 200, NULL,
	    "/v1/suppressions");
	test_db_plain(fixture->db, "START TRANSACTION");
	test_db_plain(
	    fixture->db, "SELECT * FROM suppression WHERE workspace_id = @workspace FOR UPDATE");
	GThread *thread = g_thread_new("client", bulk_ask_in_thread, NULL);
	gint64 waiter = bulk_waiter(watcher);
	test_db_plain(watcher, "BACKUP STAGE START");
	test_db_plain(watcher, "BACKUP STAGE BLOCK_COMMIT");
	test_db_plain(fixture->db, "ROLLBACK");
	bulk_end_at_commit(watcher, waiter);
	test_db_plain(watcher, "BACKUP STAGE END");
	AUTO(answer) answer = g_thread_join(thread);
	db_close(watcher);
	cr_expect_eq(answer->status, 503, "got %u: %s", answer->status, answer->body);
	bulk_expect_audit("person.changed person suppress 1");
}

#define NO_VALUE(name) "{'message':'list has no value for \\\"" name "\\\"'}"

/* People, in a list that shows them from the newest on, so many. */
static void
bulk_make_people(guint count)
{
	for (guint i = 0; i < count; i++) {
		g_autofree char *body = g_strdup_printf("{'email':'p%02u@x.org'}", i);

		audience_expect(fixture, "POST", body, 200, NULL, "/v1/people");
	}
}

Test(people_bulk, checks_a_list)
{
	const struct exchange exchanges[] = {
	    {"both", "POST", BULK, LISTED("/v1/people", ",'people':['a@x.org']"), 400,
		"{'message':'people and list do not go together'}"},
	    {"another path", "POST", BULK, LISTED("/v1/broadcasts", ""), 400, NO_LIST},
	    {"no path", "POST", BULK, LISTED("", ""), 400, NO_LIST},
	    {"one of them", "POST", BULK, LISTED("/v1/people/ada@x.org", ""), 400, NO_LIST},
	    /* A filter that GET ignores would change everybody. */
	    {"a parameter", "POST", BULK, LISTED("/v1/people?state=unsubscribed", ""), 400,
		"{'message':'list has no parameter \\\"state\\\"'}"},
	    {"no value", "POST", BULK, LISTED("/v1/people?status=", ""), 400, NO_VALUE("status")},
	    {"no sign", "POST", BULK, LISTED("/v1/people?search", ""), 400, NO_VALUE("search")},
	    {"no address", "POST", ERASE, "{'list':'/v1/emails?to='}", 400, NO_VALUE("to")},
	    {"no cursor", "POST", BULK, LISTED("/v1/people?status=subscribed&cursor=", ""), 400,
		NO_VALUE("cursor")},
	    {"no value to count", "GET", "/v1/people/count?list=/v1/people%3Fstatus%3D", NULL, 400,
		NO_VALUE("status")},
	    {"a filter", "POST", BULK, LISTED("/v1/people?status=gone", ""), 400,
		"{'message':'status must be one of subscribed, unsubscribed, suppressed'}"},
	    {"a cursor", "POST", BULK, LISTED("/v1/people?cursor=x", ""), 400,
		"{'message':'cursor is malformed'}"},
	    {"an escape", "POST", BULK, LISTED("/v1/people?search=%zz", ""), 400,
		"{'message':'The query string is malformed'}"},
	    {"an audience", "POST", BULK, LISTED("/v1/audiences/" UNKNOWN "/contacts", ""), 404,
		"{'message':'Audience not found'}"},
	    {"to erase, an audience", "POST", ERASE,
		"{'list':'/v1/audiences/" UNKNOWN "/contacts'}", 404,
		"{'message':'Audience not found'}"},
	    {"to erase", "POST", ERASE, "{'list':'/v1/people?status=gone'}", 400,
		"{'message':'status must be one of subscribed, unsubscribed, suppressed'}"},
	    {"a count", "GET", "/v1/people/count?list=/v1/domains", NULL, 400, NO_LIST},
	    {"an empty list", "POST", BULK, LISTED("/v1/people", ""), 200,
		"{'changed':0,'unchanged':0,'undo':[],'failed':[],'count':0,'cursor':null}"},
	};

	EXPECT_ALL(fixture, exchanges);
	bulk_expect_audit("-");
}

/* A list is changed page by page, and each answer tells where the next one goes on. */
Test(people_bulk, changes_a_list_in_pieces)
{
	bulk_make_people(51);
	audience_expect(fixture, "POST", "{'email':'else@x.org'}", 200, NULL, "/v1/people");
	const struct exchange count[] = {
	    {"a count", "GET", "/v1/people/count?list=/v1/people%3Fsearch%3Dp", NULL, 400},
	    {"a count of a search", "GET", "/v1/people/count?list=/v1/people%3Fsearch%3Dp0", NULL,
		200, "{'count':10,'cursor':null}"},
	    {"a count of all", "GET", "/v1/people/count?list=/v1/people", NULL, 200,
		"{'count':52,'cursor':null}"}};
	EXPECT_ALL(fixture, count);
	const struct exchange ask = {"the first ones", "POST", BULK, LISTED("/v1/people", ""), 200,
	    .want = {"changed = 50", "count = 50", "undo[0] = 'else@x.org'"}};
	AUTO(answer) first = exchange_expect(fixture, &ask);
	g_autofree char *body =
	    g_strdup_printf(LISTED("/v1/people?cursor=%s", ""), answer_text(first, "cursor"));
	audience_expect(fixture, "POST", body, 200,
	    "{'changed':2,'unchanged':0,'undo':['p01@x.org','p00@x.org'],'failed':[],"
	    "'count':2,'cursor':null}",
	    BULK);
	/* The same piece again changes nothing. */
	audience_expect(fixture, "POST", body, 200,
	    "{'changed':0,'unchanged':2,'undo':[],'failed':[],'count':2,'cursor':null}", BULK);
	const struct exchange after[] = {
	    {"the list changes as people do", "GET",
		"/v1/people/count?list=/v1/people%3Fstatus%3Dsuppressed", NULL, 200,
		"{'count':52,'cursor':null}"},
	    {"the audit", "GET", "/v1/audit", NULL, 200,
		.want = {"audit[0].action = 'person.changed'",
		    "audit[0].target.name = 'suppress 2'", "audit[2].target.name = 'suppress 50'"}},
	};
	EXPECT_ALL(fixture, after);
}

/* The other lists give the addresses of their rows. */
Test(people_bulk, takes_the_people_of_each_list)
{
	g_autofree char *audience = audience_new(fixture, "News");
	g_autofree char *ada = audience_add(fixture, audience, "{'email':'ada@x.org'}");
	g_autofree char *bob =
	    audience_add(fixture, audience, "{'email':'bob@x.org','is_subscribed':false}");
	g_autofree char *contacts =
	    g_strdup_printf(LISTED("/v1/audiences/%s/contacts?status=subscribed", ""), audience);
	g_autofree char *counted = g_strdup_printf(
	    "/v1/people/count?list=/v1/audiences/%s/contacts%%3Fstatus%%3Dunsubscribed", audience);

	audience_expect(fixture, "POST", contacts, 200,
	    "{'changed':1,'unchanged':0,'undo':['ada@x.org'],'failed':[],'count':1,'cursor':null}",
	    BULK);
	const struct exchange exchanges[] = {
	    {"of the audience", "GET", counted, NULL, 200, "{'count':1,'cursor':null}"},
	    {"suppressions", "POST", BULK,
		"{'action':'unsuppress','list':'/v1/suppressions?reason=manual'}", 200,
		"{'changed':1,'unchanged':0,'undo':['ada@x.org'],'failed':[],'count':1,"
		"'cursor':null}"},
	    {"erased", "POST", ERASE, "{'list':'/v1/people?search=bob'}", 200,
		"{'changed':1,'unchanged':0,'undo':[],'failed':[],'count':1,'cursor':null}"},
	    {"is gone", "GET", "/v1/people/bob@x.org", NULL, 404},
	    /* His hash alone is kept, and gives no address. */
	    {"hashes", "POST", BULK, "{'action':'unsuppress','list':'/v1/suppressions'}", 200,
		"{'changed':0,'unchanged':0,'undo':[],'failed':[],'count':1,'cursor':null}"},
	};
	EXPECT_ALL(fixture, exchanges);
	bulk_expect_audit("person.changed person suppress 1, person.changed person unsuppress 1,"
			  " person.deleted person erase 1");
}

/* A bulk change of a list of emails changes the recipients whom the list's filters find. Without
   such filters it changes those in To. It never changes the others who got the email. */
Test(people_bulk, takes_the_recipients_whom_a_filter_finds)
{
	static const struct {
		const char *query, *want;
	} cases[] = {
	    {"", "'ada@x.org'"},
	    {"?from=hello@example.com", "'ada@x.org'"},
	    {"?to=ADA@x.org", "'ada@x.org'"},
	    {"?to=eve@x.org", "'Eve@x.org'"},
	    {"?to=bob@x.org&status=bounced", "'bob@x.org'"},
	    {"?to=ada@x.org&status=bounced", ""},
	    {"?status=bounced", "'bob@x.org','Eve@x.org'"},
	    {"?search=ada", "'ada@x.org','ada.b@x.org'"},
	    {"?search=ada&status=bounced", ""},
	};

	g_autofree char *email = g_strdup_printf(
	    "{'from':'hello@example.com','subject':'Hi','html':'<p>Hi</p>',"
	    "'to':['Ada <ada@x.org>'],'cc':['bob@x.org'],'bcc':['Eve@x.org','ada.b@x.org'],"
	    "'scheduled_at':%" G_GINT64_FORMAT "}",
	    g_get_real_time() / 1000 + 3600000);
	audience_expect(fixture, "POST", email, 201, NULL, "/v1/emails");
	test_db_plain(fixture->db, "UPDATE recipient SET status = " EVENT_BOUNCED_SQL
				   " WHERE workspace_id = @workspace AND address IN"
				   " ('bob@x.org', 'eve@x.org')");
	test_db_plain(fixture->db,
	    "INSERT INTO recipient_status SELECT workspace_id, status,"
	    " email_id, number FROM recipient WHERE status = " EVENT_BOUNCED_SQL
	    " AND workspace_id = @workspace");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *body = g_strdup_printf(LISTED("/v1/emails%s", ""), cases[i].query);
		g_autofree char *undo = g_strdup_printf("undo = [%s]", cases[i].want);
		const struct exchange exchange = {
		    cases[i].query, "POST", BULK, body, 200, .want = {undo, "failed = []"}};

		answer_free(exchange_expect(fixture, &exchange));
		test_db_plain(
		    fixture->db, "DELETE FROM suppression WHERE workspace_id = @workspace");
	}
}

/* Sends an email to so many, 50 of them in each field. */
static void
bulk_send(guint recipients, guint first)
{
	static const char *const fields[] = {"to", "cc", "bcc"};
	g_autoptr(GString) body =
	    g_string_new("{'from':'hello@example.com','subject':'Hi','html':'<p>Hi</p>'");

	for (guint i = 0; i < recipients; i++) {
		if (i % 50 == 0)
			g_string_append_printf(body, "%s,'%s':[", i ? "]" : "", fields[i / 50]);
		g_string_append_printf(body, "%s'rr%u@x.org'", i % 50 ? "," : "", first + i);
	}
	g_string_append(body, "]}");
	audience_expect(fixture, "POST", body->str, 201, NULL, "/v1/emails");
}

/* Changes the next ones of all emails, and gives the cursor behind them. The caller owns it. */
static char *
bulk_go_on(const char *cursor, guint changed, guint unchanged, guint count)
{
	g_autofree char *body = g_strdup_printf(
	    LISTED("/v1/emails?search=rr%s%s", ""), cursor ? "&cursor=" : "", cursor ? cursor : "");
	g_autofree char *want_changed = g_strdup_printf("changed = %u", changed);
	g_autofree char *want_unchanged = g_strdup_printf("unchanged = %u", unchanged);
	g_autofree char *want_count = g_strdup_printf("count = %u", count);
	const struct exchange exchange = {
	    "emails", "POST", BULK, body, 200, .want = {want_changed, want_unchanged, want_count}};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strdup(json_string(answer_at(answer, "cursor"), NULL));
}

/* A piece ends before the email with which it would have more than 100 people. */
Test(people_bulk, takes_the_recipients_of_emails)
{
	bulk_send(40, 0);
	bulk_send(2, 79);
	bulk_send(9, 30);
	bulk_send(49, 30);
	bulk_send(50, 100);
	bulk_send(101, 200);
	g_autofree char *first = bulk_go_on(NULL, 101, 0, 1);
	g_autofree char *second = bulk_go_on(first, 99, 0, 3);
	g_autofree char *last = bulk_go_on(second, 32, 10, 2);
	cr_expect_null(last);
}
