/* SPDX-License-Identifier: MIT */
#include "store/upkeep/retention.h"

#include <string.h>

#include "base/clock.h"
#include "store/outbox/outbox.h"
#include "store/workspace/idempotency.h"
#include "store/workspace/workspace.h"
#include "tests/store/emails.h"

#define NOW 1800000000000
#define TO(...) ((const char *const[]){__VA_ARGS__, NULL})

FIXTURE_SUITE(retention);

/* An email of this time with an html of its own and a shared attachment, and two events, one at
   once and one a second later. */
static struct base_id
send_at(gint64 time, const char *html)
{
	base_clock_set(time);
	AUTO(store_email) email = email_new(&fixture->workspace, TO("a@x.org", "b@x.org"));
	g_autoptr(GBytes) own = g_bytes_new(html, strlen(html)), shared = fixture_bytes(50000, 1);

	g_ptr_array_set_size(email->parts, 0);
	email->id = base_id_floor(time);
	email->id.bytes[15] = 1;
	store_email_add_part(email, PART_HTML, own, NULL, NULL, NULL);
	store_email_add_own(email, PART_TEXT, own);
	store_email_add_part(email, PART_ATTACHMENT, shared, g_strdup("a"), g_strdup("b"), NULL);
	email_store(fixture, email);
	email_event(fixture, &fixture->workspace, &email->id, 0, EVENT_SENT, time);
	email_event(fixture, &fixture->workspace, &email->id, 0, EVENT_OPENED, time + 1000);
	MUST(db_run(fixture->db,
	    "INSERT INTO execution_email (email_id, workspace_id, workflow_id, execution_id,"
	    " contact_id, step_id, depth) VALUES (?, ?, '', '', '', 's', 0)",
	    DB_VALUES(db_id(&email->id), db_id(&fixture->workspace)), NULL, &error));
	return email->id;
}

/* Adds an outbox entry, so that the email still has to leave. */
static void
pend(const struct base_id *email)
{
	struct store_outbox_entry entry = {.id = base_id_new(),
	    .workspace_id = fixture->workspace,
	    .email_id = *email,
	    .count = 1,
	    .since = NOW};

	MUST(store_outbox_insert(fixture->db, &entry, 1, NOW, NULL, &error));
}

struct left {
	gint64 emails, recipients, events, parts, bodies;
};

static void
expect_left(const char *name, struct left want)
{
	const struct {
		const char *name, *sql;
		gint64 want;
	} counts[] = {
	    {"emails", "SELECT COUNT(*) FROM email", want.emails},
	    {"recipients", "SELECT COUNT(*) FROM recipient", want.recipients},
	    {"whose executions are known", "SELECT COUNT(*) FROM execution_email", want.emails},
	    {"rows of the one that opened it", "SELECT COUNT(*) FROM recipient_status",
		want.emails},
	    {"events", "SELECT COUNT(*) FROM event", want.events},
	    {"parts", "SELECT COUNT(*) FROM email_part", want.parts},
	    {"own contents", "SELECT COUNT(*) FROM email_content", want.parts / 2},
	    {"bodies", "SELECT COUNT(*) FROM body", want.bodies},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(counts); i++) {
		gint64 got = fixture_number(fixture, counts[i].sql);

		cr_expect_eq(got, counts[i].want, "%s: got %d %s, want %d", name, (int)got,
		    counts[i].name, (int)counts[i].want);
	}
}

static void
expect_removed(const char *name, bool (*remove_old)(struct db *, gint64, guint *, GError **),
    gint64 before, guint want)
{
	guint count = 99;

	MUST(remove_old(fixture->db, before, &count, &error));
	cr_expect_eq(count, want, "%s: got %u, want %u", name, count, want);
}

/* One email before the time, one before it that still has to leave, and one at exactly the time. */
static void
send_three(void)
{
	send_at(NOW - 1, "old");
	struct base_id pending = send_at(NOW - 2, "pending");
	pend(&pending);
	send_at(NOW, "new");
	expect_left("at first", (struct left){3, 6, 6, 6, 4});
}

Test(retention, removes_old_emails_whole)
{
	send_three();
	expect_removed("first", store_retention_emails, NOW, 1);
	expect_left("after", (struct left){2, 4, 4, 4, 3});
	expect_removed("again", store_retention_emails, NOW, 0);
	test_db_plain(fixture->db, "DELETE FROM outbox");
	expect_removed("no more pending", store_retention_emails, NOW, 1);
	expect_removed("all", store_retention_emails, NOW + 1, 1);
	expect_left("in the end", (struct left){0, 0, 0, 0, 0});
}

/* Removing the statuses of an email takes array binding, which names no key. The server takes the
   right one also where its statistics say that the table is empty or small. */
Test(retention, finds_statuses_by_their_key)
{
	test_db_plain(fixture->db, "INSERT INTO recipient_status (workspace_id, status, email_id,"
				   " number) SELECT id, 3, UNHEX(MD5(seq)), 0 FROM workspace"
				   " JOIN seq_1_to_20000");
	for (gint64 rows = 0; rows < 2; rows++) {
		g_autofree char *stale = g_strdup_printf(
		    "UPDATE mysql.innodb_table_stats SET n_rows = %d, clustered_index_size = 1"
		    " WHERE database_name = DATABASE() AND table_name = 'recipient_status'",
		    (int)rows);

		send_at(NOW - 1, "one");
		send_at(NOW - 2, "two");
		test_db_plain(fixture->db, stale);
		test_db_plain(fixture->db, "FLUSH TABLES recipient_status");
		fixture_work(fixture);
		expect_removed("two", store_retention_emails, NOW, 2);
		struct fixture_work work = fixture_work(fixture);
		cr_expect_lt(work.read, 5000, "read %d", (int)work.read);
	}
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM recipient_status"), 40000);
}

/* The age of an email that was scheduled counts from the time at which it left. */
Test(retention, counts_from_the_scheduled_time)
{
	struct base_id email = send_at(NOW - 2000, "scheduled");

	MUST(db_run(fixture->db, "UPDATE email SET scheduled_at = ? WHERE id = ?",
	    DB_VALUES(db_int(NOW), db_id(&email)), NULL, &error));
	expect_removed("content", store_retention_bodies, NOW, 0);
	expect_removed("email", store_retention_emails, NOW, 0);
	expect_left("before", (struct left){1, 2, 2, 2, 2});
	expect_removed("old content", store_retention_bodies, NOW + 1, 1);
	expect_left("without content", (struct left){1, 2, 2, 0, 0});
	expect_removed("old email", store_retention_emails, NOW + 1, 1);
	expect_left("after", (struct left){0, 0, 0, 0, 0});
}

/* For the mail of the service alone. */
Test(retention, removes_mail_of_the_service_sooner)
{
	send_three();
	struct base_id mail = send_at(NOW - 3, "mail");
	MUST(db_run(fixture->db, "UPDATE email SET workspace_id = ? WHERE id = ?",
	    DB_VALUES(db_id(&store_workspace_system), db_id(&mail)), NULL, &error));
	MUST(db_run(fixture->db, "UPDATE recipient_status SET workspace_id = ? WHERE email_id = ?",
	    DB_VALUES(db_id(&store_workspace_system), db_id(&mail)), NULL, &error));
	expect_removed("not yet", store_retention_service, NOW - 3, 0);
	expect_removed("old", store_retention_service, NOW, 1);
	expect_left("after", (struct left){3, 6, 6, 6, 4});
	expect_removed("again", store_retention_service, NOW, 0);
}

/* The content of a broadcast that has still to leave, and a part of one. */
Test(retention, removes_the_parts_of_broadcasts)
{
	struct base_id model = send_at(NOW - 2, "model"), part = send_at(NOW - 1, "part");

	MUST(db_run(fixture->db,
	    "INSERT INTO broadcast_model (broadcast_id, variant, workspace_id, email_id)"
	    " VALUES ('', 0, ?, ?)",
	    DB_VALUES(db_id(&fixture->workspace), db_id(&model)), NULL, &error));
	MUST(db_run(fixture->db,
	    "INSERT INTO broadcast_part (email_id, broadcast_id, workspace_id, variant, people)"
	    " VALUES (?, '', ?, 0, CONCAT(REPEAT('a', 16), REPEAT('b', 16)))",
	    DB_VALUES(db_id(&part), db_id(&fixture->workspace)), NULL, &error));
	test_db_plain(fixture->db,
	    "INSERT INTO broadcast_recipient (broadcast_id, person_id, workspace_id, variant,"
	    " status, due, email_id, number) SELECT t.broadcast_id, REPEAT(IF(r.number = 0, 'a',"
	    " 'b'), 16), t.workspace_id, 0, 2, 1, t.email_id, r.number FROM broadcast_part t"
	    " JOIN recipient r ON r.email_id = t.email_id");
	expect_removed("the part", store_retention_emails, NOW, 1);
	/* EVENT_OPENED, and none. */
	cr_expect_eq(fixture_number(fixture, "SELECT outcome FROM broadcast_recipient"
					     " WHERE person_id = REPEAT('a', 16)"),
	    5);
	cr_expect_eq(fixture_number(fixture, "SELECT outcome FROM broadcast_recipient"
					     " WHERE person_id = REPEAT('b', 16)"),
	    0);
	cr_expect_eq(fixture_number(fixture, "SELECT SUM(people = '') FROM broadcast_part"), 1);
	test_db_plain(fixture->db, "DELETE FROM broadcast_model");
	expect_removed("the model", store_retention_emails, NOW, 1);
	expect_left("in the end", (struct left){0, 0, 0, 0, 0});
}

Test(retention, removes_old_contents_alone)
{
	send_three();
	expect_removed("first", store_retention_bodies, NOW, 1);
	expect_left("after", (struct left){3, 6, 6, 4, 3});
	expect_removed("again", store_retention_bodies, NOW, 0);
	test_db_plain(fixture->db, "DELETE FROM outbox");
	expect_removed("all", store_retention_bodies, NOW + 1, 2);
	expect_left("in the end", (struct left){3, 6, 6, 0, 0});
}

/* Keeps events of young emails, and young events of old emails (a reader who returns after
   years). */
Test(retention, removes_old_events)
{
	send_three();
	expect_removed("those of before", store_retention_events, NOW, 2);
	expect_left("after", (struct left){3, 6, 4, 6, 4});
	expect_removed("again", store_retention_events, NOW, 0);
	expect_removed("the later ones", store_retention_events, NOW + 1000, 3);
	expect_left("after a second", (struct left){3, 6, 1, 6, 4});
}

Test(retention, removes_old_idempotency_keys)
{
	for (int i = -1; i <= 1; i++) {
		g_autofree char *name = g_strdup_printf("key%d", i);
		struct store_idempotency key = {.workspace_id = fixture->workspace, .name = name};

		MUST(store_idempotency_take_all(fixture->db,
		    &(struct store_idempotency_taking){&key, "{}"}, 1, NOW + i, &error));
	}
	expect_removed("those of before", store_retention_idempotency, NOW, 1);
	expect_removed("again", store_retention_idempotency, NOW, 0);
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM idempotency"), 2);
}

/* Removes in batches until nothing is left. */
Test(retention, goes_on_in_batches)
{
	enum { MANY = 150 };
	guint total = 0, calls = 0, count = 1;

	base_clock_set(NOW);
	for (int i = 0; i < MANY; i++)
		email_send(fixture, &fixture->workspace, TO("a@x.org"));
	while (count > 0) {
		MUST(store_retention_emails(fixture->db, NOW + 60000, &count, &error));
		total += count;
		calls++;
	}
	cr_expect_eq(total, MANY);
	cr_expect_gt(calls, 2);
	expect_left("in the end", (struct left){0, 0, 0, 0, 0});
}

/* Until the last step of "schema migrate --finish" is taken, the primary key is the id alone. */
Test(retention, works_with_the_key_of_before)
{
	struct base_id kept = send_at(NOW - 2, "a");

	test_db_plain(fixture->db, "ALTER TABLE email DROP PRIMARY KEY, ADD PRIMARY KEY (id),"
				   " ADD KEY workspace (workspace_id, id)");
	test_db_outbox_of_before(fixture->db);
	send_at(NOW - 1, "b");
	send_at(NOW + 1, "c");
	pend(&kept);
	expect_removed("one of three", store_retention_emails, NOW, 1);
	expect_removed("again", store_retention_emails, NOW, 0);
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM email"), 2);
}

static void
retention_expect_cost(void)
{
	send_at(NOW - 1, "a");
	send_at(NOW - 2, "b");
	expect_removed(
	    "the first, for which statistics are read", store_retention_emails, NOW - 1, 1);
	test_db_plain(fixture->db,
	    "INSERT INTO outbox (id, workspace_id, email_id, recipients, attempts, since, ready_at)"
	    " SELECT UNHEX(MD5(seq)), UNHEX(MD5(0)), UNHEX(MD5(-seq)), X'0000', 0, 1, 1"
	    " FROM seq_1_to_2000");
	test_db_plain(fixture->db, "ANALYZE TABLE outbox");
	fixture_work(fixture);
	expect_removed("contents", store_retention_bodies, NOW, 1);
	expect_removed("emails", store_retention_emails, NOW, 1);
	struct fixture_work work = fixture_work(fixture);
	cr_expect_leq(work.read, 100, "read %d rows", (int)work.read);
}

Test(retention, looks_up_what_waits_by_its_email)
{
	retention_expect_cost();
}

Test(retention, looks_up_what_waits_with_the_key_of_before)
{
	test_db_outbox_of_before(fixture->db);
	retention_expect_cost();
}

/* Skips rows that another process is removing. */
Test(retention, is_shared_by_processes_without_waiting)
{
	struct db *other = test_db_open(fixture->settings);
	guint count;

	send_at(NOW - 2, "a");
	send_at(NOW - 1, "b");
	test_db_plain(fixture->db, "START TRANSACTION");
	test_db_number(fixture->db,
	    "SELECT COUNT(*) FROM (SELECT id FROM email ORDER BY workspace_id, id"
	    " LIMIT 1 FOR UPDATE) locked");
	MUST(store_retention_emails(other, NOW, &count, &error));
	cr_expect_eq(count, 1);
	test_db_plain(fixture->db, "ROLLBACK");
	MUST(store_retention_emails(other, NOW, &count, &error));
	cr_expect_eq(count, 1);
	db_close(other);
}
