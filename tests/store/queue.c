/* SPDX-License-Identifier: MIT */
/* The messages of a workspace that have not left, by their reasons. */
#include "store/outbox/queue.h"

#include <criterion/criterion.h>

#include "base/limits/list.h"
#include "tests/store/fixture.h"

#define NOW 1800000000000
#define NOW_TEXT "1800000000000"
/* As many rows as parameter, held or waiting. */
#define FILL(ready_at)                                                                             \
	"INSERT INTO outbox (id, workspace_id, email_id, recipients, attempts, since, ready_at)"   \
	" SELECT UNHEX(REPLACE(UUID(), '-', '')), ?, UNHEX(MD5(seq)), '\\0\\0', 0, " NOW_TEXT      \
	", " ready_at " FROM seq_1_to_50000 WHERE seq <= ?"

static struct fixture *fixture;

static void
queue_begin(void)
{
	fixture = fixture_open();
}

static void
queue_end(void)
{
	fixture_close(fixture);
}

TestSuite(queue, .init = queue_begin, .fini = queue_end, .timeout = 900);

static struct store_queue *
store_queue_read_queue(const struct base_id *workspace)
{
	return MUST_GIVE(store_queue_read(fixture->db, workspace, NOW, &error));
}

static void
queue_fill(const char *statement, const struct base_id *workspace, guint count)
{
	MUST(db_run(
	    fixture->db, statement, DB_VALUES(db_id(workspace), db_int(count)), NULL, &error));
}

static void
queue_expect(const char *name, gint64 messages, bool has_more, gint64 held)
{
	AUTO(store_queue) queue = store_queue_read_queue(&fixture->workspace);

	cr_expect_eq(queue->messages, messages, "%s: %d messages", name, (int)queue->messages);
	cr_expect_eq(queue->has_more, has_more, "%s: more", name);
	cr_expect_eq(queue->held, held, "%s: %d held", name, (int)queue->held);
}

Test(queue, is_counted_to_a_limit)
{
	static const char waiting[] = FILL("seq"), held[] = FILL("NULL");

	queue_expect("empty", 0, false, 0);
	queue_fill(waiting, &fixture->other, 10);
	queue_expect("of another", 0, false, 0);
	queue_fill(waiting, &fixture->workspace, LIMIT_QUEUE_COUNTED);
	queue_expect("at the limit", LIMIT_QUEUE_COUNTED, false, 0);
	queue_fill(waiting, &fixture->workspace, 1);
	queue_expect("one more", LIMIT_QUEUE_COUNTED, true, 0);
	queue_fill(held, &fixture->workspace, LIMIT_QUEUE_COUNTED + 1);
	queue_expect("held", LIMIT_QUEUE_COUNTED, true, LIMIT_QUEUE_COUNTED);
}

Test(queue, costs_the_same_at_any_length)
{
	static const char waiting[] = FILL("seq");

	queue_fill(waiting, &fixture->workspace, LIMIT_QUEUE_COUNTED + 1);
	fixture_work(fixture);
	queue_expect("some", LIMIT_QUEUE_COUNTED, true, 0);
	struct fixture_work few = fixture_work(fixture);
	queue_fill(waiting, &fixture->workspace, 50000);
	fixture_work(fixture);
	queue_expect("many", LIMIT_QUEUE_COUNTED, true, 0);
	struct fixture_work many = fixture_work(fixture);
	cr_expect(
	    many.read <= few.read + 10, "read %d, and %d of more", (int)few.read, (int)many.read);
}

/* An email that has one message, with a recipient of number 300 whose last event this is. */
static void
queue_put(char letter, const char *columns, const char *values, const char *event)
{
	g_autofree char *outbox = g_strdup_printf(
	    "INSERT INTO outbox (id, workspace_id, email_id, recipients, attempts, since%s)"
	    " SELECT UNHEX(MD5(RAND())), id, RPAD('%c', 16, '\\0'), UNHEX('012C0000'), %s"
	    " FROM workspace WHERE name = 'one'",
	    columns, letter, values);
	g_autofree char *recipient = g_strdup_printf(
	    "INSERT INTO recipient (email_id, number, workspace_id, kind, address, status_at,"
	    " event_id) SELECT RPAD('%c', 16, '\\0'), 300, id, 1, 'a@x.org', 1, RPAD('%c', 16, "
	    "'\\0')"
	    " FROM workspace WHERE name = 'one'",
	    letter, letter);
	g_autofree char *told = g_strdup_printf(
	    "INSERT INTO event (email_id, id, workspace_id, recipient, status, timestamp,"
	    " smtp_response) SELECT RPAD('%c', 16, '\\0'), RPAD('%c', 16, '\\0'), id, 300, 3, 1, %s"
	    " FROM workspace WHERE name = 'one'",
	    letter, letter, event);

	test_db_plain(fixture->db, outbox);
	test_db_plain(fixture->db, recipient);
	test_db_plain(fixture->db, told);
}

/* The reasons as lines: state, reason, messages, oldest, next attempt. */
static char *
lines(void)
{
	AUTO(store_queue) queue = store_queue_read_queue(&fixture->workspace);
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < queue->reasons->len; i++) {
		const struct store_queue_reason *reason = queue->reasons->pdata[i];

		g_string_append_printf(text, "%s|%s|%u|%d|%d\n",
		    store_queue_state_name(reason->state), reason->reason ? reason->reason : "",
		    reason->messages, (int)reason->oldest,
		    reason->next_attempt > NOW ? (int)(reason->next_attempt - NOW)
					       : (int)reason->next_attempt);
	}
	return g_string_free(text, FALSE);
}

Test(queue, is_grouped_by_state_and_reason)
{
	queue_put('a', ", ready_at", "1, 100, 700", "'451 later'");
	queue_put('b', ", ready_at", "2, 90, 800", "'451 later'");
	queue_put('c', ", ready_at", "3, 80, 600", "'451 later'");
	queue_put('d', ", ready_at, reason", "0, 70, 500, 'relay r refused'", "'450 old'");
	queue_put('e', ", ready_at, reason", "1, 60, 400, 'relay r refused'", "'450 old'");
	queue_put('f', ", ready_at", "0, 50, 300", "'not tried'");
	queue_put('g', ", ready_at", "0, 40, " NOW_TEXT " + 5", "NULL");
	queue_put('h', ", ready_at, owner, token", "1, 30, 200, 'us', 1", "NULL");
	queue_put('i', ", ready_at", "1, 20, NULL", "'451 later'");
	g_autofree char *got = lines();
	/* Those of one number have no order. */
	g_auto(GStrv) all = g_strsplit(got, "\n", -1);
	cr_assert_eq(g_strv_length(all), 7u, "got\n%s", got);
	cr_expect_str_eq(all[0], "delayed|451 later|3|80|600");
	cr_expect_str_eq(all[1], "delayed|relay r refused|2|60|400");
	static const char *const single[] = {
	    "due||1|50|300", "scheduled||1|40|5", "sending||1|30|0", "held|451 later|1|20|0"};
	for (gsize i = 0; i < G_N_ELEMENTS(single); i++)
		cr_expect(g_strv_contains((const char *const *)all, single[i]), "no %s in\n%s",
		    single[i], got);
}
