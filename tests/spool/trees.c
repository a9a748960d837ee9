/* SPDX-License-Identifier: MIT */
/* Counts what each step of a life writes into the trees of the database: doc/performance.md has the
   table, and no step grows unseen.

   A row that is inserted, changed or deleted is one write; so is each entry of a secondary key that
   is inserted or deleted, and one that moves is two. Triggers on every table count, which the test
   makes from information_schema: so they see the writes of all connections, each with its table,
   and know which keys a change moves, which the server's own counters do not tell. Tables of sums
   are left out, for many share a row of them, and those that have a row for all of a step. */
#include <criterion/criterion.h>
#include <string.h>

#include "automation/event.h"
#include "automation/workflow.h"
#include "base/clock.h"
#include "consent/consent.h"
#include "db/transaction.h"
#include "link/engagement.h"
#include "link/token.h"
#include "service/service.h"
#include "store/email/event.h"
#include "store/person/contact.h"
#include "tests/spool/mailing.h"
#include "tests/spool/telling.h"
#include "tests/support/db.h"

/* A step is made so many times; the numbers of the cases are those of one time. */
#define TIMES 20

#define SHARED                                                                                     \
	"'tree_write', 'audience_counter', 'broadcast', 'broadcast_audience', "                    \
	"'broadcast_counter',"                                                                     \
	" 'broadcast_model', 'domain', 'domain_day', 'figure', 'figure_tag', 'metric',"            \
	" 'metric_label', 'metric_worker', 'webhook', 'workspace_look'"

/* For each table: its name, its secondary keys, whether a change is none, and the writes of the
   entries that a change moves. */
#define TABLES                                                                                     \
	"SELECT k.name, SUM(k.key_name <> 'PRIMARY'), c.changed,"                                  \
	" COALESCE(GROUP_CONCAT(IF(k.key_name <> 'PRIMARY', CONCAT('2 * (', k.moved, ')'), NULL)"  \
	" SEPARATOR ' + '), '0')"                                                                  \
	" FROM (SELECT table_name AS name, index_name AS key_name,"                                \
	" GROUP_CONCAT('NOT (OLD.`', column_name, '` <=> NEW.`', column_name, '`)'"                \
	" SEPARATOR ' OR ') AS moved FROM information_schema.statistics"                           \
	" WHERE table_schema = DATABASE() AND table_name NOT IN (" SHARED ") GROUP BY 1, 2) k"     \
	" JOIN (SELECT table_name AS name, GROUP_CONCAT('NOT (OLD.`', column_name, '` <=> NEW.`'," \
	" column_name, '`)' SEPARATOR ' OR ') AS changed FROM information_schema.columns"          \
	" WHERE table_schema = DATABASE() GROUP BY 1) c ON c.name = k.name GROUP BY 1"
enum { TABLES_NAME, TABLES_KEYS, TABLES_CHANGED, TABLES_MOVED };

static void
trees_trigger(struct depot *depot, const char *name, const char *verb, const char *count)
{
	mailing_sql(depot,
	    "CREATE TRIGGER tree_%s_%s AFTER %s ON `%s` FOR EACH ROW"
	    " INSERT INTO tree_write (name, verb, writes) VALUES ('%s', '%s', %s)",
	    name, verb, verb, name, name, verb, count);
}

/* Has all writes counted from now on. */
static void
trees_count(struct depot *depot)
{
	mailing_sql(depot, "CREATE TABLE tree_write (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,"
			   " name VARCHAR(64) NOT NULL, verb VARCHAR(6) NOT NULL,"
			   " writes INT NOT NULL) ENGINE=InnoDB");
	mailing_sql(depot, "SET group_concat_max_len = 1000000");
	AUTO(db_rows) rows = db_select(depot->house->db, TABLES, NULL, 0, NULL);
	cr_assert(rows);
	while (db_rows_next(rows)) {
		const char *name = db_rows_text(rows, TABLES_NAME);
		g_autofree char *whole =
		    g_strdup_printf("%d", 1 + (int)db_rows_int(rows, TABLES_KEYS));
		g_autofree char *changed = g_strdup_printf("(%s) + %s",
		    db_rows_text(rows, TABLES_CHANGED), db_rows_text(rows, TABLES_MOVED));

		trees_trigger(depot, name, "insert", whole);
		trees_trigger(depot, name, "delete", whole);
		trees_trigger(depot, name, "update", changed);
	}
}

/* Expects these writes in a part of what was counted. The table of a failure tells each. */
static void
trees_expect(struct depot *depot, const char *step, const char *part, gint64 want)
{
	g_autofree char *sum =
	    g_strdup_printf("SELECT COALESCE(SUM(writes), 0) FROM tree_write WHERE %s", part);
	g_autofree char *all = g_strdup_printf(
	    "SELECT COALESCE(GROUP_CONCAT(verb, ' ', name, ' ', n, ' times, ', w, ' writes'"
	    " ORDER BY name, verb SEPARATOR '\n'), '') FROM (SELECT name, verb, COUNT(*) AS n,"
	    " SUM(writes) AS w FROM tree_write WHERE %s GROUP BY 1, 2) t",
	    part);
	gint64 got = mailing_number(depot, sum);
	g_autofree char *table = test_db_text(depot->house->db, all);

	cr_expect_eq(got, want * TIMES, "%s: got %.2f writes, want %d; of %d times:\n%s", step,
	    (double)got / TIMES, (int)want, TIMES, table);
}

static void
trees_forget(struct depot *depot)
{
	mailing_sql(depot, "DELETE FROM tree_write");
}

static bool
trees_insert_event(struct db *db, void *event, GError **error)
{
	return store_event_insert(db, event, 1, error);
}

/* Each email is delivered, as a provider or a report tells. */
static void
trees_deliver(struct depot *depot)
{
	AUTO(db_rows) rows = db_select(depot->house->db, "SELECT id FROM email", NULL, 0, NULL);

	cr_assert(rows);
	while (db_rows_next(rows)) {
		struct store_event event = {.workspace_id = depot->house->workspace,
		    .status = EVENT_DELIVERED,
		    .timestamp = base_clock_now(),
		    .smtp_response = "250 2.0.0 Ok"};
		g_autoptr(GError) error = NULL;

		db_rows_id(rows, DB_ROWS_ONLY, &event.email_id);
		cr_assert(db_transact(depot->house->db, trees_insert_event, &event, &error), "%s",
		    error ? error->message : "");
	}
}

/* Each email is opened once. */
static void
trees_open(struct depot *depot)
{
	AUTO(db_rows) rows = db_select(depot->house->db, "SELECT id FROM email", NULL, 0, NULL);

	cr_assert(rows);
	while (db_rows_next(rows)) {
		struct link_token token = {.kind = TOKEN_OPEN, .links = 1};
		g_autoptr(GError) error = NULL;

		db_rows_id(rows, DB_ROWS_ONLY, &token.email);
		struct link_engagement *engagement = link_engagement_new(
		    &token, base_clock_now() + 60000, "192.0.2.1", "Firefox", NULL);
		cr_assert(link_engagement_record(depot->house->service, &engagement, 1, &error),
		    "%s", error ? error->message : "");
		link_engagement_free(engagement);
	}
}

TestSuite(trees, .timeout = 900);

static const struct smtp_script good = {.extensions = NULL};

#define CLAIMED "(name = 'outbox' AND verb = 'update')"
#define REMOVED "(name = 'outbox' AND verb = 'delete')"

Test(trees, of_an_email)
{
	AUTO(depot) depot = depot_open(NULL, &good, 100);

	trees_count(depot);
	depot_submit(depot, TIMES, 0);
	trees_expect(depot, "accepted", "TRUE", 8);
	trees_forget(depot);
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	trees_expect(depot, "claimed", CLAIMED, 1);
	trees_expect(depot, "removed", REMOVED, 3);
	trees_expect(depot, "sent", "NOT (" CLAIMED " OR " REMOVED ")", 2);
	trees_forget(depot);
	trees_deliver(depot);
	trees_expect(depot, "delivered", "TRUE", 2);
	trees_forget(depot);
	trees_open(depot);
	trees_expect(depot, "opened", "TRUE", 4);
	trees_forget(depot);
	mailing_sql(depot, "INSERT INTO webhook (id, workspace_id, url, events, enabled, batch,"
			   " description, created, secret) SELECT RANDOM_BYTES(16), id,"
			   " 'https://receiver.example/', ~0 >> 1, 1, 1, '', 1, '' FROM workspace");
	trees_deliver(depot);
	trees_expect(depot, "a delivery to a webhook", "name LIKE 'webhook%'", 2);
}

static void
trees_join(struct depot *depot, guint number)
{
	const struct store_consent_act act = {
	    .source = CONSENT_BY_API, .author = CONSENT_OF_OPERATOR};
	AUTO(store_contact) contact = g_new0(struct store_contact, 1);
	g_autoptr(GError) error = NULL;

	contact->workspace_id = depot->house->workspace;
	cr_assert(base_id_parse(AUDIENCE_A, &contact->audience_id));
	contact->email = g_strdup_printf("c%u@example.net", number);
	contact->address = g_strdup(contact->email);
	contact->first_name = g_strdup("Ann");
	contact->is_subscribed = true;
	cr_assert(consent_create(depot->house->service, contact, true, &act, NULL, &error), "%s",
	    error ? error->message : "");
}

#define DESIGN                                                                                     \
	"{\"nodes\":[{\"id\":\"t\",\"type\":\"trigger\",\"data\":{\"eventName\":\"order\"}},"      \
	"{\"id\":\"p\",\"type\":\"wait\",\"data\":{\"duration\":30,\"unit\":\"days\"}}],"          \
	"\"edges\":[{\"source\":\"t\",\"target\":\"p\"}]}"

static void
trees_activate(struct depot *depot)
{
	const struct automation_workflow_author author = {"ann@example.org", AUTHOR_USER};
	const struct automation_workflow_change change = {
	    .name = "W", .status = "active", .design = DESIGN, .design_size = strlen(DESIGN)};
	g_autoptr(GError) error = NULL;
	struct base_id id;

	cr_assert(automation_workflow_create(depot->house->service, &depot->house->workspace,
		      &author, &change, &id, &error),
	    "%s", error ? error->message : "");
}

static void
trees_happen(struct depot *depot, guint number)
{
	g_autofree char *email = g_strdup_printf("e%u@example.net", number);
	const struct automation_event_input input = {"order", email, NULL};
	struct service *service = depot->house->service;
	g_autoptr(GError) error = NULL;
	struct automation_recording *event =
	    automation_event_check(service, &depot->house->workspace, &input, NULL, &error);
	AUTO(service_once) request = event ? &event->request : NULL;

	cr_assert(request && service_once_store_one(service, request, &error), "%s",
	    error ? error->message : "");
}

Test(trees, of_a_person)
{
	AUTO(depot) depot = depot_open(NULL, &good, 100);

	mailing_audience(depot, AUDIENCE_A);
	mailing_sql(depot, "INSERT INTO audience_counter SELECT a.id, seq, a.workspace_id, 0, 0"
			   " FROM audience a, seq_0_to_15");
	trees_activate(depot);
	trees_count(depot);
	for (guint i = 0; i < TIMES; i++)
		trees_join(depot, i);
	trees_expect(depot, "a contact", "TRUE", 10);
	trees_forget(depot);
	for (guint i = 0; i < TIMES; i++)
		trees_happen(depot, i);
	trees_expect(depot, "an event that starts an execution", "TRUE", 21);
}

/* One part of a broadcast has the people of this test, so that a recipient's share of the email is
   a fraction: it is left out. */
#define OF_EMAIL "name IN ('email', 'email_content', 'email_part', 'body', 'broadcast_part')"

Test(trees, of_a_recipient_of_a_broadcast)
{
	AUTO(depot) depot = depot_open(NULL, &good, 100);

	mailing_audience(depot, AUDIENCE_A);
	mailing_people(depot, AUDIENCE_A, 1, TIMES);
	mailing_send(depot, "\"" AUDIENCE_A "\"", "");
	trees_count(depot);
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	trees_expect(depot, "a recipient of a broadcast, sent", "NOT (" OF_EMAIL ")", 17);
}

Test(trees, of_a_delivery_to_a_webhook)
{
	AUTO(depot) depot = depot_open(NULL, &good, 100);
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(NULL, NULL);
	struct base_id webhook = telling_webhook(house, receiver, false);
	struct depot other = {house, depot->relay};

	for (guint i = 0; i < TIMES; i++)
		telling_event(house, &webhook, NULL, NOW, i);
	trees_count(&other);
	telling_run(house, NOW + 1000);
	trees_expect(&other, "a webhook is told", "TRUE", 4);
}
