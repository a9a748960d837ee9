/* SPDX-License-Identifier: MIT */
#include "person/erase.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "email/draft.h"
#include "json/strict.h"
#include "json/value.h"
#include "person/suppress.h"
#include "store/person/audience.h"
#include "store/person/contact.h"
#include "store/workspace/workspace.h"
#include "submit/submit.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"
#include "upkeep/retention.h"

#define NOW ((gint64)1800000000000)

static const struct smtp_script willing = {.extensions = NULL};

/* The tables in which something names Lovelace, in whatever column: "contact email ". The name is
   too long to turn up by chance in a key's base64. */
static char *
traces(struct fixture *fixture)
{
	GString *found = g_string_new(NULL);
	g_autoptr(GError) error = NULL;
	AUTO(db_rows) tables = db_select(fixture->db,
	    "SELECT table_name, CONCAT('SELECT COUNT(*) FROM `', table_name, '` WHERE ',"
	    " GROUP_CONCAT(CONCAT('LOWER(CONVERT(`', column_name, '` USING utf8mb4)) LIKE "
	    "''%lovelace%''')"
	    " ORDER BY ordinal_position SEPARATOR ' OR '))"
	    " FROM information_schema.columns WHERE table_schema = DATABASE()"
	    " GROUP BY table_name ORDER BY table_name",
	    NULL, 0, &error);

	cr_assert(tables, "%s", error ? error->message : "");
	while (db_rows_next(tables))
		if (test_db_number(fixture->db, g_intern_string(db_rows_text(tables, 1))) > 0)
			g_string_append_printf(found, "%s ", db_rows_text(tables, 0));
	return g_string_free(found, FALSE);
}

static void
expect_traces(struct fixture *fixture, const char *name, const char *want)
{
	g_autofree char *got = traces(fixture);

	cr_expect_str_eq(got, want, "%s: got \"%s\", want \"%s\"", name, got, want);
}

static struct store_erasure
erase_from(struct fixture *fixture, const struct base_id *workspace, const char *email)
{
	struct store_erasure erasure;
	g_autoptr(GError) error = NULL;

	cr_assert(person_erase(fixture->service, workspace, email, &erasure, &error), "%s",
	    error ? error->message : "");
	return erasure;
}

/* The counts of removed rows, in the order of struct store_erasure. */
static void
expect_erased(struct fixture *fixture, const char *email, const char *want)
{
	struct store_erasure e = erase_from(fixture, &fixture->key.workspace_id, email);
	g_autofree char *got = g_strdup_printf("%d contacts, %d emails, %d shared, %d events, "
					       "%d messages, %d leaving, %d %d %d",
	    (int)e.contacts, (int)e.emails, (int)e.shared, (int)e.events, (int)e.messages,
	    (int)e.leaving, (int)e.automation_contacts, (int)e.automation_events,
	    (int)e.executions);

	cr_expect_str_eq(got, want, "%s: got %s, want %s", email, got, want);
}

static void
erase_tidy(struct fixture *fixture)
{
	bool more = true;

	while (more)
		cr_assert(upkeep_retention(fixture->service, &more, NULL));
}

/* An email that names Lovelace wherever an email can. */
static struct base_id
erase_submit(
    struct fixture *fixture, const char *const *to, const char *const *cc, gint64 scheduled_at)
{
	struct email_submission submission = fixture_submission();
	static const char text[] = "{\"name\":\"Lovelace\"}";
	static const char *reply_to[] = {"Lovelace <lovelace@x.org>", "c@x.org", NULL};
	AUTO(json) values = json_parse(text, strlen(text), NULL);

	submission.to = (const char **)to;
	submission.cc = (const char **)cc;
	submission.reply_to = reply_to;
	submission.subject = "Dear {{name}}";
	submission.html = "<p>Dear Lovelace, or {{name}}</p>";
	submission.variables = submission.tags = values;
	submission.scheduled_at = scheduled_at;
	return posting_store(fixture, &submission);
}

#define TO(...) ((const char *const[]){__VA_ARGS__, NULL})

static struct base_id
erase_add_contact(
    struct fixture *fixture, const struct base_id *audience, const char *email, bool subscribed)
{
	AUTO(store_contact) contact = g_new0(struct store_contact, 1);
	g_autoptr(GError) error = NULL;

	contact->workspace_id = fixture->key.workspace_id;
	contact->audience_id = *audience;
	contact->email = g_strdup(email);
	contact->address = g_ascii_strdown(email, -1);
	contact->is_subscribed = subscribed;
	cr_assert(store_contact_create(fixture->service->db, contact, NULL, &error), "%s",
	    error ? error->message : "");
	return contact->id;
}

static struct base_id
erase_add_audience(struct fixture *fixture)
{
	struct base_id id;

	cr_assert(store_audience_create(
	    fixture->service->db, &fixture->key.workspace_id, NULL, "News", &id, NULL));
	return id;
}

static void
erase_expect_counts(
    struct fixture *fixture, const struct base_id *audience, gint64 contacts, gint64 unsubscribers)
{
	AUTO(store_audience) got =
	    store_audience_get(fixture->db, &fixture->key.workspace_id, audience, NULL);

	cr_assert(got);
	cr_expect(got->contacts == contacts && got->unsubscribers == unsubscribers, "got %d, %d",
	    (int)got->contacts, (int)got->unsubscribers);
}

/* The automation contact of Lovelace, in an execution that waits and has sent the email. */
static void
add_automation(struct fixture *fixture, const struct base_id *email)
{
	static const char *const statements[] = {
	    "REPLACE INTO person (id, workspace_id, email, address, properties, first_seen,"
	    " last_seen, last_event, event_count, created, updated, entered)"
	    " SELECT UNHEX(REPEAT('0a', 16)), id, 'Lovelace@x.org',"
	    " 'lovelace@x.org', '{\"name\":\"Lovelace\"}', 1, 1, 'e', 1, 1, 1, 1 FROM workspace",
	    "INSERT INTO automation_event SELECT UNHEX(REPEAT('0b', 16)), id,"
	    " UNHEX(REPEAT('0a', 16)), 'lovelace.came', 1, '{\"name\":\"Lovelace\"}', 1 FROM "
	    "workspace",
	    "INSERT INTO execution (id, workspace_id, workflow_id, contact_id, event_id, email,"
	    " version, status, step_id, step_count, step_time, created, updated)"
	    " SELECT UNHEX(REPEAT('0c', 16)), id, UNHEX(REPEAT('0d', 16)),"
	    " UNHEX(REPEAT('0a', 16)), '', 'Lovelace@x.org', 1, 1, 'w', 1, 1, 1, 1 FROM workspace",
	    "INSERT INTO execution_wait SELECT UNHEX(REPEAT('0a', 16)), 'lovelace.went',"
	    " UNHEX(REPEAT('0c', 16)), id FROM workspace",
	    "INSERT INTO workflow_entry SELECT UNHEX(REPEAT('0d', 16)),"
	    " UNHEX(REPEAT('0a', 16)), id, 'lovelace.came', 1 FROM workspace",
	    "INSERT INTO automation_feedback (event_id, workspace_id, contact_id, email_id, status,"
	    " timestamp, link, properties, became) SELECT UNHEX(REPEAT('0e', 16)), id,"
	    " UNHEX(REPEAT('0a', 16)), '', 6, 1, 'http://lovelace', '{\"l\":\"lovelace\"}',"
	    " 'lovelace' FROM workspace",
	    "INSERT INTO confirmation (id, workspace_id, audience_id, contact_id, person, given,"
	    " created) SELECT UNHEX(REPEAT('0a', 16)), id, '', '', 'lovelace@x.org',"
	    " '{\"first_name\":\"Lovelace\"}', 1 FROM workspace",
	    "INSERT INTO consent (id, workspace_id, person, kind, created, reason)"
	    " SELECT UNHEX(REPEAT('0a', 16)), id, 'lovelace@x.org', 3, 1, 'Lovelace' FROM "
	    "workspace",
	    "INSERT INTO choice_undo SELECT id, 'lovelace@x.org', '', '', 0, 1 FROM workspace",
	    "INSERT INTO person_activity SELECT id, 'lovelace@x.org', 1, 1, 1, 1 FROM workspace",
	    "INSERT INTO reader_kept (email_id, number, workspace_id, address, sender)"
	    " SELECT UNHEX(REPEAT('0a', 16)), 0, id, 'lovelace@x.org', '' FROM workspace",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(statements); i++)
		test_db_plain(fixture->db, statements[i]);
	cr_assert(db_run(fixture->db,
	    "INSERT INTO execution_email SELECT ?, id, UNHEX(REPEAT('0d', 16)),"
	    " UNHEX(REPEAT('0c', 16)), UNHEX(REPEAT('0a', 16)), 'w', 0 FROM workspace",
	    DB_VALUES(db_id(email)), NULL, NULL));
}

static gint64
erase_rows(struct fixture *fixture, const char *table)
{
	g_autofree char *sql = g_strdup_printf("SELECT COUNT(*) FROM %s", table);

	/* A statement is known by its address. */
	return test_db_number(fixture->db, g_intern_string(sql));
}

Test(erase, leaves_nothing_but_a_hash)
{
	AUTO(fixture) fixture = fixture_open(&willing, NULL);
	fixture->is_altered = true;

	base_clock_set(NOW);
	struct base_id one = erase_add_audience(fixture), two = erase_add_audience(fixture),
		       gone = erase_add_audience(fixture);
	erase_add_contact(fixture, &one, "Lovelace@x.org", true);
	erase_add_contact(fixture, &one, "b@x.org", false);
	erase_add_contact(fixture, &two, "lovelace@X.org", false);
	erase_add_contact(fixture, &gone, "lovelace@x.org", true);
	cr_assert(
	    store_audience_remove(fixture->service->db, &fixture->key.workspace_id, &gone, NULL));
	struct base_id alone = erase_submit(fixture, TO("Lovelace <Lovelace@x.org>"), NULL, 0);
	struct base_id shared =
	    erase_submit(fixture, TO("b@x.org", "Lovelace <lovelace@x.org>"), NULL, 0);
	posting_deliver(fixture);
	test_db_plain(fixture->db, "INSERT INTO report SELECT id, UNHEX(REPEAT('0f', 32)),"
				   " workspace_id, 1 FROM email");
	erase_submit(fixture, TO("lovelace@x.org"), TO("LOVELACE@x.org"), NOW + 60000);
	add_automation(fixture, &alone);
	expect_traces(fixture, "before",
	    "automation_event automation_feedback choice_undo confirmation consent contact "
	    "email email_content email_tag execution execution_wait figure figure_tag person "
	    "person_activity reader_kept recipient workflow_entry ");

	expect_erased(fixture, "LOVELACE@X.ORG",
	    "2 contacts, 2 emails, 1 shared, 2 events, 1 messages, 0 leaving, 1 1 1");
	expect_traces(fixture, "after", "");
	erase_expect_counts(fixture, &one, 1, 1);
	erase_expect_counts(fixture, &two, 0, 0);
	cr_expect_eq(erase_rows(fixture, "execution_email"), 0);
	cr_expect_eq(erase_rows(fixture, "outbox"), 0);
	cr_expect_eq(erase_rows(fixture, "report"), 1, "of the email that others got");
	cr_expect_eq(erase_rows(fixture, "email_content"), 0);
	cr_expect_eq(erase_rows(fixture, "erasure"), 0);
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM suppression WHERE email IS NULL AND address IS NULL"
			 " AND hash IS NOT NULL AND reason = 4 AND scope = 1"),
	    1);
	posting_expect(fixture, "the other recipient", &shared, "0 sent\n", "");
	/* The same again finds nothing, and leaves the hash. */
	expect_erased(fixture, "lovelace@x.org",
	    "0 contacts, 0 emails, 0 shared, 0 events, 0 messages, 0 leaving, 0 0 0");
	cr_expect_eq(erase_rows(fixture, "suppression"), 1);
}

/* An erased person gets no mail of any kind while the hash is on the list. */
Test(erase, ends_all_mail_to_the_person)
{
	static const char *const lovelace[] = {"Lovelace@x.org", "b@x.org"};
	AUTO(fixture) fixture = fixture_open(&willing, NULL);
	fixture->is_altered = true;
	bool suppressed[2];

	g_autoptr(GError) error = NULL;
	AUTO(store_suppression) narrow =
	    person_suppress_add(fixture->service, &fixture->key.workspace_id, "lovelace@x.org",
		&(struct store_suppression_state){SUPPRESSION_UNSUBSCRIBED, SUPPRESSION_AUTOMATION},
		&posting_api, &error);
	cr_assert(narrow);
	expect_erased(fixture, "lovelace@x.org",
	    "0 contacts, 0 emails, 0 shared, 0 events, 0 messages, 0 leaving, 0 0 0");
	expect_traces(fixture, "the entry of before", "");
	cr_assert(person_suppress_match(fixture->service, &fixture->key.workspace_id,
	    &(struct person_suppress_search){lovelace, 2, false, NULL}, suppressed, NULL, NULL));
	cr_expect(suppressed[0] && !suppressed[1]);
	AUTO(store_suppression) entry = person_suppress_get(
	    fixture->service, &fixture->key.workspace_id, "LOVELACE@x.org", NULL);
	cr_assert(entry);
	cr_expect_eq(entry->reason, SUPPRESSION_UNSUBSCRIBED);
	cr_expect_eq(entry->scope, SUPPRESSION_ALL);
	cr_expect(person_suppress_remove(fixture->service, &fixture->key.workspace_id,
	    "lovelace@x.org", &posting_api, NULL, NULL));
	cr_assert(person_suppress_match(fixture->service, &fixture->key.workspace_id,
	    &(struct person_suppress_search){lovelace, 2, false, NULL}, suppressed, NULL, NULL));
	cr_expect_not(suppressed[0]);
}

/* The lists of an email, "-" where there is none. */
static void
expect_lists(struct fixture *fixture, const char *name, const struct base_id *id, const char *want)
{
	AUTO(store_email) email = fixture_email(fixture, id);
	g_autofree char *got = g_strdup_printf("to %s; cc %s; bcc %s; reply to %s", email->to,
	    email->cc ? email->cc : "-", email->bcc ? email->bcc : "-",
	    email->reply_to ? email->reply_to : "-");

	cr_expect_str_eq(got, want, "%s: got %s, want %s", name, got, want);
}

Test(erase, takes_the_person_out_of_every_list)
{
	static const struct {
		const char *name;
		const char *to[4], *cc[4];
		const char *want;
	} cases[] = {
	    {"first", {"Lovelace <lovelace@x.org>", "Bob <b@x.org>"}, {NULL},
		"to Bob <b@x.org>; cc -; bcc -; reply to c@x.org"},
	    {"last", {"b@x.org", "c@x.org", "LOVELACE@x.org"}, {NULL},
		"to b@x.org, c@x.org; cc -; bcc -; reply to c@x.org"},
	    {"in two lists", {"lovelace@x.org", "b@x.org"},
		{"Lovelace <lovelace@x.org>", "c@x.org"},
		"to b@x.org; cc c@x.org; bcc -; reply to c@x.org"},
	    {"alone in cc", {"b@x.org"}, {"lovelace@x.org"},
		"to b@x.org; cc -; bcc -; reply to c@x.org"},
	    {"alone in to", {"lovelace@x.org"}, {"b@x.org"},
		"to ; cc b@x.org; bcc -; reply to c@x.org"},
	};
	AUTO(fixture) fixture = fixture_open(&willing, NULL);
	fixture->is_altered = true;
	struct base_id ids[G_N_ELEMENTS(cases)];

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		ids[i] = erase_submit(fixture, cases[i].to, cases[i].cc[0] ? cases[i].cc : NULL, 0);
	expect_erased(fixture, "lovelace@x.org",
	    "0 contacts, 0 emails, 5 shared, 0 events, 0 messages, 0 leaving, 0 0 0");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		expect_lists(fixture, cases[i].name, &ids[i], cases[i].want);
	/* The others still get them, as they were written. */
	posting_deliver(fixture);
	smtp_server_stop(fixture->relay);
	cr_expect_eq(smtp_server_count(fixture->relay), 5);
	cr_expect_null(strstr(smtp_server_log(fixture->relay), "lovelace@"));
	for (guint i = 0; i < smtp_server_count(fixture->relay); i++)
		cr_expect(strstr(smtp_server_mail(fixture->relay, i)->bytes->str, "Dear Lovelace"));
	/* Afterwards the contents are removed. */
	erase_tidy(fixture);
	expect_traces(fixture, "when it has left", "");
	cr_expect_eq(erase_rows(fixture, "email_content"), 0);
	cr_expect_eq(erase_rows(fixture, "erasure"), 0);
	cr_expect_eq(erase_rows(fixture, "email"), 5);
}

/* A postponed message to several goes only to the others, whatever number the person had. */
Test(erase, leaves_the_others_their_retries)
{
	static const struct smtp_script busy = {.rules = {REPLY("RCPT*", 0, "451 4.3.0 busy")}};
	AUTO(fixture) fixture = fixture_open(&busy, NULL);
	fixture->is_altered = true;

	base_clock_set(NOW);
	struct base_id id =
	    erase_submit(fixture, TO("b@x.org", "lovelace@x.org", "c@x.org"), NULL, 0);
	posting_deliver(fixture);
	posting_expect(fixture, "all wait", &id,
	    "0 delayed 4.3.0: 451 4.3.0 busy\n1 delayed 4.3.0: 451 4.3.0 busy\n"
	    "2 delayed 4.3.0: 451 4.3.0 busy\n",
	    "0 1 2: 1 attempts, in 1 min\n");
	expect_erased(fixture, "lovelace@x.org",
	    "0 contacts, 0 emails, 1 shared, 1 events, 0 messages, 0 leaving, 0 0 0");
	erase_tidy(fixture);
	cr_expect_eq(erase_rows(fixture, "email_content"), 1, "it has still to leave");
	fixture_renew(fixture, &willing, NULL);
	base_clock_set(NOW + 600000);
	posting_deliver(fixture);
	posting_expect(fixture, "the others have it", &id,
	    "0 delayed 4.3.0: 451 4.3.0 busy\n2 delayed 4.3.0: 451 4.3.0 busy\n0 sent\n2 sent\n",
	    "");
	smtp_server_stop(fixture->relay);
	cr_expect_null(strstr(smtp_server_log(fixture->relay), "lovelace@"));
	erase_tidy(fixture);
	expect_traces(fixture, "when it has left", "");
}

/* The person's own outbox entry is removed; the email goes on to the others. */
Test(erase, removes_copies_of_ones_own)
{
	AUTO(fixture) fixture = fixture_open(&willing, "[service]\nurl = http://127.0.0.1:1\n");
	fixture->is_altered = true;

	test_db_plain(fixture->db, "UPDATE domain SET open_tracking = 1");
	struct base_id id = erase_submit(fixture, TO("lovelace@x.org", "b@x.org"), NULL, 0);
	cr_expect_eq(erase_rows(fixture, "outbox"), 2);
	expect_erased(fixture, "lovelace@x.org",
	    "0 contacts, 0 emails, 1 shared, 0 events, 1 messages, 0 leaving, 0 0 0");
	posting_deliver(fixture);
	posting_expect(fixture, "the other", &id, "1 sent\n", "");
}

/* Erased while a process sends: nothing is recorded of it, and nothing breaks. */
Test(erase, lets_nothing_be_recorded_of_what_is_just_being_sent)
{
	static const struct smtp_script script = {
	    .rules = {REPLY("RCPT TO:<lovelace@x.org>*", 0, "550 5.1.1 no such user")}};
	static const struct {
		const char *name, *other; /* NULL: nobody else gets it */
		const char *erased, *events;
	} cases[] = {
	    {"alone", NULL,
		"0 contacts, 1 emails, 0 shared, 0 events, 1 messages, 1 leaving, 0 0 0", ""},
	    {"with another", "b@x.org",
		"0 contacts, 0 emails, 1 shared, 0 events, 0 messages, 1 leaving, 0 0 0",
		"1 sent\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(fixture) fixture = fixture_open(&script, NULL);
		fixture->is_altered = true;
		const char *to[] = {"lovelace@x.org", cases[i].other, NULL};
		struct base_id id = erase_submit(fixture, to, NULL, 0);
		struct delivery *delivery = posting_start(fixture);

		expect_erased(fixture, "lovelace@x.org", cases[i].erased);
		cr_assert(delivery_wait(delivery, 0), "%s", cases[i].name);
		delivery_free(delivery);
		posting_expect(fixture, cases[i].name, &id, cases[i].events, "");
		erase_tidy(fixture);
		expect_traces(fixture, cases[i].name, "");
	}
}

/* More than one transaction takes. */
Test(erase, has_no_end_of_emails)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	fixture->is_altered = true;

	for (guint i = 0; i < 45; i++)
		erase_submit(fixture,
		    i % 3 ? TO("lovelace@x.org") : TO("lovelace@x.org", "b@x.org"), NULL, 0);
	expect_erased(fixture, "lovelace@x.org",
	    "0 contacts, 30 emails, 15 shared, 0 events, 30 messages, 0 leaving, 0 0 0");
	cr_expect_eq(erase_rows(fixture, "email"), 15);
}

/* Data of other people and of another workspace stay, and so do shared contents. */
Test(erase, touches_nobody_else)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	fixture->is_altered = true;
	struct base_id other;

	struct base_id audience = erase_add_audience(fixture);
	erase_add_contact(fixture, &audience, "lovelace@x.org", true);
	erase_submit(fixture, TO("lovelace@x.org"), NULL, 0);
	erase_submit(fixture, TO("b@x.org"), NULL, 0);
	cr_assert(store_workspace_create(fixture->service->db, "other", NULL, &other, NULL));
	struct store_erasure none = erase_from(fixture, &other, "lovelace@x.org");
	cr_expect(none.contacts == 0 && none.emails == 0 && none.messages == 0);
	erase_expect_counts(fixture, &audience, 1, 0);
	cr_expect_eq(erase_rows(fixture, "email"), 2);
	bool suppressed;
	cr_assert(person_suppress_match(fixture->service, &fixture->key.workspace_id,
	    &(struct person_suppress_search){
		(const char *const[]){"lovelace@x.org"}, 1, false, NULL},
	    &suppressed, NULL, NULL));
	cr_expect_not(suppressed);
	expect_erased(fixture, "lovelace@x.org",
	    "1 contacts, 1 emails, 0 shared, 0 events, 1 messages, 0 leaving, 0 0 0");
	cr_expect_eq(erase_rows(fixture, "email"), 1);
	cr_expect_eq(erase_rows(fixture, "outbox"), 1);
	cr_expect_eq(erase_rows(fixture, "email_content"), 1);
}

Test(erase, takes_emails_alone)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	fixture->is_altered = true;
	static const char *const wrong[] = {
	    "", "lovelace", "Lovelace <lovelace@x.org>", "lovelace@x.org, b@x.org"};
	struct store_erasure erasure;

	for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
		g_autoptr(GError) error = NULL;

		cr_expect_not(person_erase(
		    fixture->service, &fixture->key.workspace_id, wrong[i], &erasure, &error));
		cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_INVALID), "\"%s\"", wrong[i]);
	}
	cr_expect_eq(erase_rows(fixture, "suppression"), 0);
}
