/* SPDX-License-Identifier: MIT */
/* Broadcasts leave by posthouse-spool: to whom, once, and not while they are paused. */
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

#include "broadcast/draft.h"
#include "core/core.h"
#include "db/connection.h"
#include "json/strict.h"
#include "tests/spool/depot.h"
#include "tests/support/db.h"

#define HTML "<p>Hello {{first_name|you}} of {{city|nowhere}}<a href='{{unsubscribe_url}}'>-</a>"
#define AUDIENCE_A "00000000-0000-7000-8000-00000000000a"
#define AUDIENCE_B "00000000-0000-7000-8000-00000000000b"

static const struct smtp_script good = {.extensions = NULL};

static void
run_sql(struct depot *depot, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_autofree char *sql = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	cr_assert(db_ensure(depot->house->db, NULL));
	test_db_plain(depot->house->db, sql);
}

static gint64
number(struct depot *depot, const char *sql)
{
	cr_assert(db_ensure(depot->house->db, NULL));
	return test_db_number(depot->house->db, sql);
}

#define WORKSPACE "(SELECT id FROM workspace LIMIT 1)"

static void
make_audience(struct depot *depot, const char *id)
{
	run_sql(depot,
	    "INSERT INTO audience (id, workspace_id, name, created, updated)"
	    " SELECT UNHEX(REPLACE('%s', '-', '')), id, 'A', 1, 1 FROM workspace LIMIT 1",
	    id);
}

/* Makes people with these numbers, each in the audience. */
static void
make_people(struct depot *depot, const char *audience, guint from, guint to)
{
	run_sql(depot,
	    "INSERT IGNORE INTO person (id, workspace_id, email, address, properties, first_seen,"
	    " last_seen, last_event, event_count, entered, seen, created, updated, first_name,"
	    " last_name) SELECT UNHEX(LPAD(HEX(seq + 256), 32, '0')), " WORKSPACE
	    ", CONCAT('U', seq, '@example.net'), CONCAT('u', seq, '@example.net'),"
	    " CONCAT('{\"city\":\"C', seq, '\"}'), 0, 0, '', 0, 0, 0, 1, 1, CONCAT('F', seq),"
	    " 'Last' FROM seq_%u_to_%u",
	    from, to);
	run_sql(depot,
	    "INSERT INTO contact (audience_id, address, id, workspace_id, email, is_subscribed,"
	    " created, updated) SELECT UNHEX(REPLACE('%s', '-', '')),"
	    " CONCAT('u', seq, '@example.net'), RANDOM_BYTES(16), " WORKSPACE
	    ", '', 1, 1, 1 FROM seq_%u_to_%u",
	    audience, from, to);
}

/* Sends a broadcast with more members. */
static struct base_id
send_broadcast(struct depot *depot, const char *audiences, const char *more)
{
	struct core *core = depot->house->core;
	const struct broadcast_time now = {.scheduled_at = 0};
	g_autoptr(GError) error = NULL;
	g_autofree char *text =
	    g_strdup_printf("{\"from\":\"Ann <a@example.org>\",\"subject\":\"To "
			    "{{contact.first_name}}\",\"html\":\"" HTML "\",\"audiences\":[%s]%s}",
		audiences, more);
	AUTO(json) body = json_parse(text, strlen(text), &error);
	struct base_id id;

	cr_assert(body && core_ensure(core, &error) &&
		      broadcast_create(core, &depot->house->workspace, body, &id, &error) &&
		      broadcast_send(core, &depot->house->workspace, &id, &now, &error),
	    "%s", error ? error->message : "");
	return id;
}

/* The broadcast's status and counts, as text. */
static char *
state(struct depot *depot, const struct base_id *id)
{
	cr_assert(core_ensure(depot->house->core, NULL));
	AUTO(store_broadcast)
	b = store_broadcast_get(depot->house->db, &depot->house->workspace, id, NULL);
	cr_assert(b);
	return g_strdup_printf("%s %d: %d excluded, %d sent, %d skipped, %d failed, %d cancelled",
	    store_broadcast_status_name(b->status), (int)b->counts.recipients,
	    (int)b->counts.excluded, (int)b->counts.sent, (int)b->counts.skipped,
	    (int)b->counts.failed, (int)b->counts.cancelled);
}

static void
expect_state(struct depot *depot, const struct base_id *id, const char *want)
{
	g_autofree char *got = state(depot, id);

	cr_expect_str_eq(got, want, "got %s, want %s", got, want);
}

/* The number of mails whose content has this text. */
static guint
count_mails(struct depot *depot, const char *text)
{
	guint found = 0;

	for (guint i = 0; i < smtp_server_count(depot->relay); i++)
		found += strstr(smtp_server_mail(depot->relay, i)->bytes->str, text) != NULL;
	return found;
}

TestSuite(broadcasts, .timeout = 240);

Test(broadcasts, reach_each_person_once_with_their_own_words)
{
	AUTO(depot) depot = depot_open(NULL, &good, 100);

	make_audience(depot, AUDIENCE_A);
	make_audience(depot, AUDIENCE_B);
	make_people(depot, AUDIENCE_A, 1, 300);
	make_people(depot, AUDIENCE_B, 201, 500);
	struct base_id id = send_broadcast(depot, "\"" AUDIENCE_A "\",\"" AUDIENCE_B "\"", "");
	expect_state(
	    depot, &id, "scheduled 0: 0 excluded, 0 sent, 0 skipped, 0 failed, 0 cancelled");
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once", "--jobs", "2")), 0);
	expect_state(
	    depot, &id, "sent 500: 0 excluded, 500 sent, 0 skipped, 0 failed, 0 cancelled");
	smtp_server_stop(depot->relay);
	cr_expect_eq(smtp_server_count(depot->relay), 500);
	cr_expect_eq(count_mails(depot, "To: F17 Last <U17@example.net>"), 1);
	cr_expect_eq(count_mails(depot, "Subject: To F17\r\n"), 1);
	cr_expect_eq(count_mails(depot, "Hello F17 of C17"), 1);
	cr_expect_eq(number(depot, "SELECT COUNT(*) FROM event WHERE status = 1"), 500);
	cr_expect_eq(depot_left(depot), 0);
}

Test(broadcasts, leave_out_who_does_not_want_them)
{
	AUTO(depot) depot = depot_open(NULL, &good, 100);

	make_audience(depot, AUDIENCE_A);
	make_people(depot, AUDIENCE_A, 1, 20);
	run_sql(depot, "UPDATE contact SET is_subscribed = 0 WHERE address = 'u1@example.net'");
	run_sql(depot, "UPDATE person SET is_subscribed = 0 WHERE address = 'u2@example.net'");
	run_sql(depot,
	    "INSERT INTO suppression (id, workspace_id, email, address, reason, scope, created)"
	    " SELECT RANDOM_BYTES(16), " WORKSPACE
	    ", CONCAT('u', seq, '@example.net'), CONCAT('u', seq, '@example.net'), 4, seq - 2, 1"
	    " FROM seq_3_to_4");
	struct base_id id = send_broadcast(depot, "\"" AUDIENCE_A "\"", "");
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	expect_state(depot, &id, "sent 16: 4 excluded, 16 sent, 0 skipped, 0 failed, 0 cancelled");
}

Test(broadcasts, heed_what_changes_while_they_leave)
{
	AUTO(depot) depot = depot_open(NULL, &good, 100);

	make_audience(depot, AUDIENCE_A);
	make_people(depot, AUDIENCE_A, 1, 20);
	struct base_id id = send_broadcast(depot, "\"" AUDIENCE_A "\"", "");
	/* As if it had started before the changes. */
	run_sql(depot, "UPDATE broadcast SET status = 3, started_at = 1, is_complete = 1");
	run_sql(depot,
	    "INSERT INTO broadcast_recipient (broadcast_id, person_id, workspace_id, variant,"
	    " queue, status, due) SELECT b.id, p.id, b.workspace_id, 0, 0, 1, 1 FROM broadcast b,"
	    " person p");
	run_sql(depot, "INSERT INTO broadcast_counter (broadcast_id, variant, stripe, workspace_id,"
		       " recipients) SELECT id, 0, 0, workspace_id, 20 FROM broadcast");
	make_people(depot, AUDIENCE_A, 21, 30);
	run_sql(depot, "UPDATE contact SET is_subscribed = 0 WHERE address = 'u1@example.net'");
	run_sql(depot, "UPDATE person SET is_subscribed = 0 WHERE address = 'u2@example.net'");
	run_sql(depot, "DELETE FROM person WHERE address = 'u3@example.net'");
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	expect_state(depot, &id, "sent 20: 0 excluded, 17 sent, 3 skipped, 0 failed, 0 cancelled");
	cr_expect_eq(number(depot, "SELECT SUM(reason) FROM broadcast_recipient"), 3 + 1 + 5);
}

#define SENT "SELECT COUNT(*) FROM event WHERE status = 1"

/* Waits until more than so many messages have left. */
static gint64
wait_sent(struct depot *depot, gint64 above)
{
	gint64 end = g_get_monotonic_time() + 60 * G_USEC_PER_SEC, sent;

	while ((sent = number(depot, SENT)) <= above) {
		cr_assert(g_get_monotonic_time() < end, "%d have left", (int)sent);
		g_usleep(2000);
	}
	return sent;
}

static const struct smtp_script slow = {
    .extensions = NULL, .rules = {{".", 0, NULL, THEN_GO_ON, 20}}};

Test(broadcasts, rest_while_paused_and_end_when_cancelled)
{
	AUTO(depot) depot = depot_open(NULL, &slow, 10);
	const struct base_id *workspace = &depot->house->workspace;
	struct core *core = depot->house->core;

	make_audience(depot, AUDIENCE_A);
	make_people(depot, AUDIENCE_A, 1, 200);
	struct base_id id = send_broadcast(depot, "\"" AUDIENCE_A "\"", "");
	AUTO(test_program)
	program = depot_start(depot, ARGUMENTS("--for", "0", "--jobs", "2"));
	wait_sent(depot, 0);
	cr_assert(core_ensure(core, NULL) && broadcast_pause(core, workspace, &id, NULL));
	depot_wait_claimed(depot, 0);
	gint64 sent = number(depot, SENT);
	cr_expect_lt(sent, 200);
	g_usleep(G_USEC_PER_SEC);
	cr_expect_eq(number(depot, SENT), sent);
	cr_expect_eq(number(depot, "SELECT COUNT(*) FROM event WHERE status <> 1"), 0);
	cr_assert(core_ensure(core, NULL) && broadcast_resume(core, workspace, &id, NULL));
	wait_sent(depot, sent);
	cr_assert(core_ensure(core, NULL) && broadcast_cancel(core, workspace, &id, NULL));
	depot_wait_claimed(depot, 0);
	/* A message that the relay did not take in time would be tried again in a minute. */
	run_sql(depot, "UPDATE outbox SET ready_at = 1 WHERE owner IS NULL");
	depot_wait_left(depot, 0);
	test_program_signal(program, SIGTERM);
	cr_expect_eq(test_program_wait(program, 30000), 0);
	sent = number(depot, SENT);
	cr_expect_lt(sent, 200);
	g_autofree char *want =
	    g_strdup_printf("cancelled 200: 0 excluded, %d sent, 0 skipped, 0 failed, %d cancelled",
		(int)sent, 200 - (int)sent);
	expect_state(depot, &id, want);
}

Test(broadcasts, go_on_at_once_however_often_they_are_paused)
{
	AUTO(depot) depot = depot_open(NULL, &slow, 10);
	const struct base_id *workspace = &depot->house->workspace;
	struct core *core = depot->house->core;
	g_autoptr(GError) error = NULL;

	make_audience(depot, AUDIENCE_A);
	make_people(depot, AUDIENCE_A, 1, 200);
	struct base_id id = send_broadcast(depot, "\"" AUDIENCE_A "\"", "");
	AUTO(test_program)
	program = depot_start(depot, ARGUMENTS("--for", "0", "--jobs", "2"));
	for (gint64 sent = wait_sent(depot, 0); sent < 150; sent = wait_sent(depot, sent))
		cr_assert(core_ensure(core, NULL) &&
			      broadcast_pause(core, workspace, &id, &error) &&
			      broadcast_resume(core, workspace, &id, &error),
		    "%s", error ? error->message : "");
	wait_sent(depot, 199);
	depot_wait_left(depot, 0);
	test_program_signal(program, SIGTERM);
	cr_expect_eq(test_program_wait(program, 30000), 0);
	cr_expect_eq(number(depot, SENT), 200);
}

Test(broadcasts, reach_each_person_once_although_the_spool_is_killed)
{
	static const struct smtp_script quick = {
	    .extensions = NULL, .rules = {{".", 0, NULL, THEN_GO_ON, 5}}};
	AUTO(depot) depot = depot_open(NULL, &quick, 20);
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	guint kills = 0, twice = 0;

	make_audience(depot, AUDIENCE_A);
	make_people(depot, AUDIENCE_A, 1, 200);
	struct base_id id = send_broadcast(depot, "\"" AUDIENCE_A "\"", "");
	for (; kills < 5; kills++) {
		AUTO(test_program) program = depot_start(depot, ARGUMENTS("--jobs", "1"));
		gint64 before = number(depot, "SELECT COUNT(*) FROM event WHERE status = 1");
		while (number(depot, "SELECT COUNT(*) FROM event WHERE status = 1") < before + 20)
			g_usleep(2000);
		g_autoptr(GArray) children = test_program_children(program);
		for (guint i = 0; i < children->len; i++)
			kill(g_array_index(children, pid_t, i), SIGKILL);
		test_program_signal(program, SIGKILL);
		test_program_wait(program, 10000);
	}
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	/* What is due at once is sent. A message in doubt waits for its next attempt, and what was
	   claimed just before a kill for the end of its lease. */
	run_sql(depot, "UPDATE outbox SET ready_at = 1");
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	run_sql(depot, "UPDATE broadcast SET due = 1 WHERE due IS NOT NULL");
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	expect_state(
	    depot, &id, "sent 200: 0 excluded, 200 sent, 0 skipped, 0 failed, 0 cancelled");
	smtp_server_stop(depot->relay);
	for (guint i = 0; i < smtp_server_count(depot->relay); i++)
		twice += !g_hash_table_add(
		    seen, smtp_server_mail(depot->relay, i)->recipients->pdata[0]);
	cr_expect_eq(g_hash_table_size(seen), 200);
	cr_expect_leq(twice, kills);
}
