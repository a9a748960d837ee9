/* SPDX-License-Identifier: MIT */
#include "store/person/join.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/transaction.h"
#include "store/person/audience.h"
#include "store/person/contact.h"
#include "store/person/person.h"
#include "tests/store/fixture.h"

static struct fixture *fixture;
static struct base_id audiences[3];

static void
person_join_begin(void)
{
	fixture = fixture_open();
	for (gsize i = 0; i < G_N_ELEMENTS(audiences); i++)
		MUST(store_audience_create(
		    fixture->db, &fixture->workspace, NULL, "News", &audiences[i], &error));
}

static void
person_join_end(void)
{
	fixture_close(fixture);
}

TestSuite(person_join, .init = person_join_begin, .fini = person_join_end, .timeout = 900);

/* A contact as it was stored before people had a table. */
static void
person_join_put(
    guint audience, const char *email, const char *first, const char *last, gint64 updated)
{
	struct base_id id = base_id_new();
	g_autofree char *address = g_ascii_strdown(email, -1);

	MUST(db_run(fixture->db,
	    "INSERT INTO contact (audience_id, address, id, workspace_id, email, first_name, "
	    "last_name,"
	    " is_subscribed, created, updated) VALUES (?, ?, ?, ?, ?, ?, ?, 1, 1, ?)",
	    DB_VALUES(db_id(&audiences[audience]), db_text(address), db_id(&id),
		db_id(&fixture->workspace), db_text(email), db_text(first), db_text(last),
		db_int(updated)),
	    NULL, &error));
}

/* The contacts of an audience, "email first last", separated by ";". The caller owns it. */
static char *
person_join_show(guint audience)
{
	g_autoptr(GPtrArray) contacts = MUST_GIVE(store_contact_list(
	    fixture->db, &fixture->workspace, &audiences[audience], NULL, 10, &error));
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < contacts->len; i++) {
		const struct store_contact *c = contacts->pdata[i];

		g_string_append_printf(text, "%s %s %s;", c->email,
		    c->first_name ? c->first_name : "-", c->last_name ? c->last_name : "-");
	}
	return g_string_free(text, FALSE);
}

static void
person_join_expect(const char *name, guint audience, const char *want)
{
	g_autofree char *got = person_join_show(audience);

	cr_expect_str_eq(got, want, "%s, audience %u: got %s, want %s", name, audience, got, want);
}

static bool
person_join_rename(struct db *db, void *context, GError **error)
{
	return store_person_put(db, PERSON_SET, &fixture->workspace, context, 1, error);
}

Test(person_join, takes_the_newest_names)
{
	person_join_put(0, "A@x.org", "Old", "Last", 1);
	person_join_put(1, "a@x.org", "New", NULL, 3);
	person_join_put(2, "a@x.org", NULL, "Later", 2);
	person_join_put(0, "b@x.org", NULL, NULL, 5);
	person_join_put(1, "c@x.org", "Own", NULL, 5);
	person_join_put(2, "\"q\\\\ q\"@x.org", "Quoted", NULL, 5);
	struct store_person_names seen = {
	    .address = "c@x.org", .email = "C@x.org", .first_name = "Kept", .time = 1};
	MUST(db_transact(fixture->db, person_join_rename, &seen, &error));
	person_join_expect("before", 0, "A@x.org Old Last;b@x.org - -;");
	person_join_expect("before", 1, "a@x.org New -;c@x.org Own -;");
	person_join_expect("before", 2, "\"q\\\\ q\"@x.org Quoted -;a@x.org - Later;");
	for (guint i = 0; i < 2; i++) {
		MUST(store_person_join(fixture->db, &error));
		person_join_expect("joined", 0, "a@x.org New Later;b@x.org - -;");
		person_join_expect("joined", 1, "a@x.org New Later;C@x.org Kept -;");
		person_join_expect("joined", 2, "\"q\\\\ q\"@x.org Quoted -;a@x.org New Later;");
		cr_expect_eq(
		    fixture_number(fixture, "SELECT COUNT(*) FROM person WHERE NOT seen"), 4);
		cr_expect_eq(
		    fixture_number(fixture, "SELECT COUNT(*) FROM contact WHERE email = ''"
					    " AND first_name IS NULL AND last_name IS NULL"),
		    6);
		cr_expect_eq(fixture_number(fixture, "SELECT SUM(updated) FROM contact"), 21);
	}
}

#define MANY 3000

/* Fills two audiences with the same people under names that differ, some of them NULL. */
static void
person_join_fill(void)
{
	static const char sql[] =
	    "INSERT INTO contact (audience_id, address, id, workspace_id, email, first_name, "
	    "last_name, is_subscribed, created, updated) SELECT ?, CONCAT(seq, '@x.org'), "
	    "UNHEX(MD5(CONCAT(seq, ?))), ?,"
	    " CONCAT(seq, '@X.org'), IF(seq % 3 = ?, NULL, CONCAT('F', seq, ?)),"
	    " IF(seq % 5 = ?, NULL, CONCAT('L', seq, ?)), 1, 1, (seq * 7919 + ?) % 100 * 3 + ?"
	    " FROM seq_1_to_3000";

	for (gint64 i = 0; i < 3; i++)
		MUST(db_run(fixture->db, sql,
		    DB_VALUES(db_id(&audiences[i]), db_int(i), db_id(&fixture->workspace),
			db_int(i), db_int(i), db_int(i), db_int(i), db_int(i * 37), db_int(i)),
		    NULL, &error));
}

/* Joins in a process of its own, which is killed after a time. Returns whether it came to its end.
 */
static bool
person_join_join_and_kill(gulong microseconds)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct db *db = test_db_open(fixture->settings);

		_exit(store_person_join(db, NULL) ? 0 : 1);
	}
	g_usleep(microseconds);
	kill(child, SIGKILL);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
	return !WIFSIGNALED(status);
}

#define NEWEST(name)                                                                               \
	"COALESCE(SUBSTRING_INDEX(GROUP_CONCAT(" name " ORDER BY updated DESC), ',', 1), '-')"

/* Killed at random points and run again, it leaves what one run would have left. Contacts are
   stored, changed and removed meanwhile. Each run gets more time, as a loaded machine may take long
   for a batch. */
Test(person_join, may_be_killed_and_run_again)
{
	g_autoptr(GRand) random = g_rand_new_with_seed(18);
	guint runs = 0;

	person_join_fill();
	g_autofree char *want =
	    test_db_text(fixture->db, "SELECT CONCAT(COUNT(*), ' ', SUM(CRC32(line))) FROM (SELECT "
				      "CONCAT(address, ' '," NEWEST("first_name") ", ' ', " NEWEST(
					  "last_name") ") line FROM contact GROUP BY address)"
						       " t");
	while (!person_join_join_and_kill(
	    (gulong)g_rand_int_range(random, 10000, 200000 + 5000 * (gint)runs))) {
		g_autofree char *email = g_strdup_printf("new%u@x.org", runs);
		struct store_contact contact = {.workspace_id = fixture->workspace,
		    .audience_id = audiences[0],
		    .email = email,
		    .address = email};

		MUST(store_contact_create(fixture->db, &contact, NULL, &error));
		MUST(store_contact_remove(
		    fixture->db, &fixture->workspace, &audiences[0], &contact.id, NULL, &error));
		cr_assert_lt(++runs, 1000u);
	}
	cr_expect_gt(runs, 0u);
	g_autofree char *got = test_db_text(fixture->db,
	    "SELECT CONCAT(COUNT(*), ' ', SUM(CRC32(CONCAT_WS(' ', address,"
	    " COALESCE(first_name, '-'), COALESCE(last_name, '-'))))) FROM person"
	    " WHERE address NOT LIKE 'new%'");
	cr_expect_str_eq(got, want, "got %s, want %s", got, want);
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM contact WHERE email <> ''"), 0);
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM contact"), 3 * MANY);
}

/* Workflows hear of people who come now, and nothing of those who were there. */
Test(person_join, tells_nothing)
{
	static const char told[] = "SELECT COUNT(*) FROM automation_feedback";
	struct store_contact contact = {.workspace_id = fixture->workspace,
	    .audience_id = audiences[0],
	    .email = (char *)"new@x.org",
	    .address = (char *)"new@x.org"};

	MUST(db_run(fixture->db,
	    "INSERT INTO workflow_heard (workspace_id, event_name, segment_id, workflow_id,"
	    " is_trigger, since) SELECT ?, name, REPEAT(X'00', 16), ?, 1, 0 FROM (SELECT"
	    " 'person.created' AS name UNION SELECT 'person.updated' UNION SELECT"
	    " 'contact.created' UNION SELECT 'contact.updated') n",
	    DB_VALUES(db_id(&fixture->workspace), db_id(&fixture->workspace)), NULL, &error));
	person_join_put(0, "A@x.org", "Old", "Last", 1);
	person_join_put(1, "a@x.org", "New", NULL, 3);
	MUST(store_person_join(fixture->db, &error));
	cr_expect_eq(fixture_number(fixture, told), 0);
	MUST(store_contact_create(fixture->db, &contact, NULL, &error));
	cr_expect_gt(fixture_number(fixture, told), 0);
}
