/* SPDX-License-Identifier: MIT */
#include "store/common/schema.h"

#include <string.h>

#include "config/settings.h"
#include "store/workspace/idempotency.h"
#include "tests/store/fixture.h"
#include "tests/support/settings.h"

static struct config_settings *settings;
static struct db *db;

static void
schema_begin(void)
{
	settings = test_mariadb_database(NULL, NULL);
	db = test_db_open(settings);
}

static void
schema_end(void)
{
	db_close(db);
	config_settings_free(settings);
}

TestSuite(schema, .init = schema_begin, .fini = schema_end);

static int
version(void)
{
	int got = -1;

	MUST(store_schema_version(db, &got, &error));
	return got;
}

static void
schema_count(int number, const char *name, void *context)
{
	GString *steps = context;

	g_string_append_printf(steps, "%d-%s ", number, name);
}

/* Migrates, and gives the applied files. */
static char *
tests_store_schema_migrate(void)
{
	GString *steps = g_string_new(NULL);

	MUST(store_schema_migrate(db, schema_count, steps, &error));
	return g_string_free(steps, FALSE);
}

/* All tables, as SHOW CREATE TABLE and the checksum of their rows show them; a step's time is left
 * out. */
static char *
schema_describe(void)
{
	g_autoptr(GError) error = NULL;
	GString *all = g_string_new(NULL);

	test_db_plain(db, "UPDATE schema_version SET applied = 0");
	AUTO(db_rows) tables = db_select(db, "SHOW TABLES", NULL, 0, &error);
	cr_assert(tables, "%s", error ? error->message : "");
	while (db_rows_next(tables)) {
		const char *name = db_rows_text(tables, 0);
		g_autofree char *show = g_strdup_printf("SHOW CREATE TABLE `%s`", name);
		g_autofree char *sum = g_strdup_printf("CHECKSUM TABLE `%s`", name);
		AUTO(db_rows)
		shown = db_select(db, g_intern_string(show), NULL, 0, &error);
		AUTO(db_rows) summed = db_select(db, g_intern_string(sum), NULL, 0, &error);

		cr_assert(shown && summed && db_rows_next(shown) && db_rows_next(summed), "%s: %s",
		    name, error ? error->message : "no row");
		g_string_append_printf(all, "%s\nrows of %s: %" G_GINT64_FORMAT "\n",
		    db_rows_text(shown, 1), name, db_rows_int(summed, 1));
	}
	return g_string_free(all, FALSE);
}

/* Names the first line in which two descriptions differ, and its table. */
static void
schema_expect_same(const char *name, const char *got, const char *want)
{
	g_auto(GStrv) gots = g_strsplit(got, "\n", -1), wants = g_strsplit(want, "\n", -1);
	const char *table = "";
	gsize i = 0;

	for (; gots[i] && g_strcmp0(gots[i], wants[i]) == 0; i++)
		if (g_str_has_prefix(gots[i], "CREATE TABLE"))
			table = gots[i];
	cr_expect(!gots[i] && !wants[i], "%s: in %s got %s, want %s", name, table,
	    gots[i] ? gots[i] : "the end", wants[i] ? wants[i] : "the end");
}

Test(schema, makes_an_empty_database_the_latest)
{
	cr_assert_eq(version(), 0);
	MUST_FAIL(store_schema_check(db, &error), PH_ERROR_TEMPORARY);
	g_autofree char *steps = tests_store_schema_migrate();
	cr_expect(g_str_has_prefix(steps, "1-workspace 2-key "), "got %s", steps);
	cr_expect_eq(version(), store_schema_latest());
	MUST(store_schema_check(db, &error));
}

static void
schema_renew(void)
{
	schema_end();
	schema_begin();
}

static bool
is_new(void)
{
	bool got = false;

	MUST(store_schema_is_new(db, &got, &error));
	return got;
}

/* The tables of schema/now are those that the steps make. A database that has a table is an old
 * one. */
Test(schema, is_made_at_once_as_the_steps_make_it)
{
	cr_expect(is_new());
	test_db_plain(db, "CREATE TABLE stranger (x INT) ENGINE=InnoDB");
	cr_expect(!is_new());
	g_autofree char *steps = tests_store_schema_migrate();
	test_db_plain(db, "DROP TABLE stranger");
	g_autofree char *want = schema_describe();
	schema_renew();
	cr_assert(is_new());
	g_autofree char *at_once = tests_store_schema_migrate(), *got = schema_describe();
	cr_expect_str_eq(at_once, steps);
	schema_expect_same("schema/now (run make schema-now)", got, want);
	cr_expect(!is_new());
}

/* Lets a user make all tables of a whole database but one. */
static void
grant_all_but(GPtrArray *tables, const char *except)
{
	const char *name = config_settings_text(settings, SETTING_DATABASE_NAME);

	g_free(test_mariadb_sql(NULL, "CREATE OR REPLACE USER `%s`@localhost", name));
	for (guint i = 0; i < tables->len; i++)
		if (strcmp(tables->pdata[i], except) != 0)
			g_free(test_mariadb_sql(NULL, "GRANT ALL ON `%s`.`%s` TO `%s`@localhost",
			    name, (char *)tables->pdata[i], name));
}

static GPtrArray *
list_tables(void)
{
	GPtrArray *tables = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GError) error = NULL;
	AUTO(db_rows) rows = db_select(db, "SHOW TABLES", NULL, 0, &error);

	while (rows && db_rows_next(rows))
		g_ptr_array_add(tables, g_strdup(db_rows_text(rows, 0)));
	return tables;
}

/* Stops a new installation at a table that its user may not make. */
static void
stop_at(GPtrArray *tables, const char *table)
{
	const char *name = config_settings_text(settings, SETTING_DATABASE_NAME);
	g_autofree char *text = g_strdup_printf("[database]\nsocket = %s/s\nuser = %s\nname = %s\n",
	    test_mariadb_dir(NULL), name, name);
	g_autofree char *file = g_strconcat(name, "_weak", NULL);
	g_autoptr(GError) error = NULL;

	grant_all_but(tables, table);
	struct config_settings *weak = test_settings_load(test_mariadb_dir(NULL), file, text);
	struct db *own = test_db_open(weak);
	cr_assert(!store_schema_migrate(own, NULL, NULL, &error), "%s", table);
	cr_expect(strstr(error->message, "schema now/"), "%s: got %s", table, error->message);
	db_close(own);
	config_settings_free(weak);
	g_free(test_mariadb_sql(NULL, "DROP USER `%s`@localhost", name));
}

/* A crash leaves the first tables and the mark of a new installation. */
Test(schema, goes_on_with_a_new_installation)
{
	static const struct {
		const char *name, *table;
		const char *sql[2]; /* what another version left */
		bool is_new;
	} cases[] = {
	    {"at the first table", "schema_release", {NULL}, true},
	    {"at a later one", "email_part", {NULL}, true},
	    {"at the last one", "metric_worker", {NULL}, true},
	    {"of another version, at the first", "schema_release",
		{"UPDATE schema_version SET name = 'other'"}, false},
	    {"of another version, at a later one", "email_part",
		{"UPDATE schema_version SET name = 'other'",
		    "ALTER TABLE user DROP COLUMN invited, DROP KEY person"},
		false},
	    {"of another version, at the last one", "metric_worker",
		{"UPDATE schema_version SET name = 'other'"}, false},
	};
	g_autofree char *first = tests_store_schema_migrate(), *whole = schema_describe();
	g_autoptr(GPtrArray) tables = list_tables();

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		schema_renew();
		stop_at(tables, cases[i].table);
		for (gsize s = 0; s < G_N_ELEMENTS(cases[i].sql) && cases[i].sql[s]; s++)
			test_db_plain(db, cases[i].sql[s]);
		cr_expect_eq(version(), 0, "%s", cases[i].name);
		cr_expect_eq(is_new(), cases[i].is_new, "%s", cases[i].name);
		MUST_FAIL(store_schema_check(db, &error), PH_ERROR_TEMPORARY);
		g_autofree char *steps = tests_store_schema_migrate(), *got = schema_describe();
		cr_expect_str_eq(steps, first, "%s: got %s", cases[i].name, steps);
		schema_expect_same(cases[i].name, got, whole);
		MUST(store_schema_check(db, &error));
	}
}

Test(schema, does_nothing_the_second_time)
{
	g_autofree char *first = tests_store_schema_migrate(), *before = schema_describe(),
			*steps = tests_store_schema_migrate(), *after = schema_describe();

	cr_expect_str_eq(steps, "");
	schema_expect_same("again", after, before);
}

Test(schema, takes_no_callback)
{
	MUST(store_schema_migrate(db, NULL, NULL, &error));
	cr_expect_eq(version(), store_schema_latest());
}

/* A crash leaves the last file half applied and not recorded. */
Test(schema, goes_on_after_a_crash)
{
	static const struct {
		const char *name;
		const char *sql[3];
	} cases[] = {
	    {"before the record", {NULL}},
	    {"before the last table", {"DROP TABLE idempotency"}},
	    {"in the middle of a file", {"DROP TABLE idempotency", "DROP TABLE body_piece",
					    "DELETE FROM schema_version WHERE version = 4"}},
	    {"before a column went", {"ALTER TABLE idempotency ADD status SMALLINT NOT NULL"}},
	};
	g_autofree char *first = tests_store_schema_migrate(), *whole = schema_describe();

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		test_db_plain(db, "DELETE FROM schema_version WHERE version IN (9, 85, 88)");
		for (gsize s = 0; s < G_N_ELEMENTS(cases[i].sql) && cases[i].sql[s]; s++)
			test_db_plain(db, cases[i].sql[s]);
		MUST_FAIL(store_schema_check(db, &error), PH_ERROR_TEMPORARY);
		g_autofree char *steps = tests_store_schema_migrate(), *got = schema_describe();
		cr_expect(g_str_has_suffix(steps, "9-idempotency 85-idempotency 88-batch "),
		    "%s: got %s", cases[i].name, steps);
		schema_expect_same(cases[i].name, got, whole);
		cr_expect_eq(version(), store_schema_latest(), "%s", cases[i].name);
	}
}

Test(schema, keeps_the_answers_that_an_older_version_stored)
{
	g_autofree char *first = tests_store_schema_migrate();
	struct store_idempotency key = {.name = "k"};
	g_autofree char *answer = NULL;

	test_db_plain(db, "ALTER TABLE idempotency ADD status SMALLINT NOT NULL AFTER request");
	test_db_plain(db, "DELETE FROM schema_version WHERE version = 85");
	test_db_plain(db, "INSERT INTO idempotency VALUES (REPEAT('\\0', 16), 'k',"
			  " REPEAT('\\0', 32), 201, '{\"id\":\"before\"}', 1000)");
	g_autofree char *steps = tests_store_schema_migrate();
	cr_expect_str_eq(steps, "85-idempotency ");
	MUST(store_idempotency_find(db, &key, 2000, &answer, &error));
	cr_expect_str_eq(answer, "{\"id\":\"before\"}");
}

/* An upgrade may bring a file with a smaller number than one that was applied. */
Test(schema, makes_what_lies_between)
{
	g_autofree char *first = tests_store_schema_migrate(), *whole = schema_describe();

	test_db_plain(db, "DELETE FROM schema_version WHERE version IN (7, 22)");
	test_db_plain(db, "DROP TABLE erasure");
	cr_assert_eq(version(), store_schema_latest());
	MUST_FAIL(store_schema_check(db, &error), PH_ERROR_TEMPORARY);
	g_autofree char *steps = tests_store_schema_migrate(), *got = schema_describe();
	cr_expect_str_eq(steps, "7-event 22-erasure ");
	schema_expect_same("between", got, whole);
	MUST(store_schema_check(db, &error));
}

/* The earliest crash: the table of versions exists and is empty. */
Test(schema, begins_again_from_an_empty_record)
{
	g_autofree char *first = tests_store_schema_migrate(), *whole = schema_describe();

	test_db_plain(db, "DELETE FROM schema_version");
	cr_assert_eq(version(), 0);
	g_autofree char *steps = tests_store_schema_migrate(), *got = schema_describe();
	cr_expect_str_eq(steps, first);
	schema_expect_same("from an empty record", got, whole);
}

static void
insert_future(int version)
{
	g_autofree char *insert =
	    g_strdup_printf("INSERT INTO schema_version VALUES (%d, 'future', 0)", version);

	test_db_plain(db, insert);
}

Test(schema, leaves_a_newer_database_alone)
{
	g_autofree char *first = tests_store_schema_migrate();

	insert_future(store_schema_latest() + 1);
	MUST_FAIL(store_schema_migrate(db, NULL, NULL, &error), PH_ERROR_FAILED);
	MUST_FAIL(store_schema_check(db, &error), PH_ERROR_TEMPORARY);
	cr_expect_eq(version(), store_schema_latest() + 1);
}

/* Steps of a later program: it says up to which version the programs of a minor version work. */
Test(schema, is_read_by_an_older_program_of_the_same_minor_version)
{
	g_auto(GStrv) numbers = g_strsplit(PACKAGE_VERSION, ".", 3);
	g_autofree char *minor = g_strjoin(".", numbers[0], numbers[1], NULL);
	/* From step 165 on. */
	g_autofree char *own = g_strconcat(minor, "/165", NULL);
	g_autofree char *later = g_strdup_printf("%s/%d", minor, store_schema_latest() + 1);
	const struct {
		const char *name, *minor;
		int ahead; /* of the version that this program knows */
		bool want;
	} cases[] = {
	    {"the same minor version", own, 2, true},
	    {"the same, and then another one has migrated it", own, 1, false},
	    {"another minor version", "0.999/165", 2, false},
	    {"the same minor version from before the step", minor, 2, false},
	    {"the same from a later step on", later, 2, false},
	};
	g_autofree char *first = tests_store_schema_migrate();

	for (int i = 1; i <= 2; i++)
		insert_future(store_schema_latest() + i);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *release =
		    g_strdup_printf("REPLACE INTO schema_release VALUES ('%s', %d)", cases[i].minor,
			store_schema_latest() + cases[i].ahead);
		g_autoptr(GError) error = NULL;

		test_db_plain(db, "DELETE FROM schema_release");
		test_db_plain(db, release);
		cr_expect_eq(store_schema_check(db, &error), cases[i].want, "%s: %s", cases[i].name,
		    error ? error->message : "no error");
		g_clear_error(&error);
		cr_expect_eq(store_schema_migrate(db, NULL, NULL, &error), cases[i].want, "%s: %s",
		    cases[i].name, error ? error->message : "no error");
	}
	test_db_plain(db, "DROP TABLE schema_release");
	MUST_FAIL(store_schema_check(db, &error), PH_ERROR_TEMPORARY);
}

Test(schema, fails_with_the_name_of_the_step)
{
	g_autoptr(GError) error = NULL;

	/* A table that the next file refers to, without the key that it needs. */
	test_db_plain(db, "CREATE TABLE body (x INT) ENGINE=InnoDB");
	cr_assert(!store_schema_migrate(db, NULL, NULL, &error));
	cr_expect(strstr(error->message, "schema 0004-body"), "got %s", error->message);
	cr_expect_eq(version(), 3);
}

static gpointer
migrate_too(gpointer result)
{
	struct db *own = test_db_open(settings);
	g_autoptr(GError) error = NULL;

	if (!store_schema_migrate(own, NULL, NULL, &error))
		*(char **)result = g_strdup(error->message);
	db_close(own);
	return NULL;
}

Test(schema, is_made_by_two_at_once)
{
	char *faults[2] = {NULL};
	GThread *threads[2];

	for (gsize i = 0; i < 2; i++)
		threads[i] = g_thread_new("migrate", migrate_too, &faults[i]);
	for (gsize i = 0; i < 2; i++) {
		g_thread_join(threads[i]);
		cr_expect_null(faults[i], "got %s", faults[i]);
		g_free(faults[i]);
	}
	MUST(store_schema_check(db, &error));
}

/* The table of people had another name, fewer columns and another key. */
Test(schema, keeps_the_contacts_of_automation_as_people)
{
	static const char *const old[] = {
	    "RENAME TABLE person TO automation_contact",
	    "ALTER TABLE automation_contact DROP COLUMN first_name, DROP COLUMN last_name,"
	    " DROP KEY seen, DROP COLUMN seen, ADD KEY newest (workspace_id, id)",
	    "DELETE FROM schema_version WHERE version = 110",
	    "INSERT INTO automation_contact SET id = 'a', workspace_id = 'w', email = 'A@x.org',"
	    " address = 'a@x.org', properties = '{}', first_seen = 1, last_seen = 2,"
	    " last_event = 'e', event_count = 3, created = 1, updated = 1, entered = 0",
	};
	g_autofree char *first = tests_store_schema_migrate();

	for (gsize i = 0; i < G_N_ELEMENTS(old); i++)
		test_db_plain(db, old[i]);
	g_autofree char *steps = tests_store_schema_migrate();
	cr_expect_str_eq(steps, "110-person ");
	g_autofree char *person = test_db_text(
	    db, "SELECT CONCAT_WS(' ', email, event_count, seen, entered) FROM person");
	cr_expect_str_eq(person, "A@x.org 3 1 0");
}

/* Emails that workflows sent before emails had a workflow; a workflow that is noted stays. */
Test(schema, notes_the_workflows_of_emails)
{
	static const char *const old[] = {
	    "INSERT INTO email (id, workspace_id, domain_id, type, sender, to_list, subject, "
	    "created)"
	    " SELECT LPAD(seq, 16, '0'), 'w', 'd', 1, 'a@x.org', 'b@x.org', 's', 1 FROM "
	    "seq_1_to_1501",
	    "INSERT INTO execution_email (email_id, workspace_id, workflow_id, execution_id, "
	    "contact_id,"
	    " step_id, depth) SELECT id, 'w', 'f', 'e', 'c', 'n', 0 FROM email WHERE id > LPAD(1, "
	    "16, '0')",
	    "UPDATE email SET workflow_id = 'other' WHERE id = LPAD(700, 16, '0')",
	    "DELETE FROM schema_version WHERE version = 136",
	};
	g_autofree char *first = tests_store_schema_migrate();

	for (gsize i = 0; i < G_N_ELEMENTS(old); i++)
		test_db_plain(db, old[i]);
	MUST(store_schema_check(db, &error));
	g_autofree char *steps = tests_store_schema_migrate();
	cr_expect_str_eq(steps, "136-email-workflows ");
	cr_expect_eq(test_db_number(db, "SELECT COUNT(*) FROM email WHERE step_id = 'n'"), 1499);
	cr_expect_eq(test_db_number(db, "SELECT COUNT(*) FROM email WHERE workflow_id IS NULL"), 1);
}

/* Workflows that were active on a name that Posthouse tells now, or wait for one, hear it. */
Test(schema, lets_workflows_hear_what_they_named_before)
{
	static const char *const old[] = {
	    "INSERT INTO workflow_trigger (workflow_id, workspace_id, event_name, version) VALUES"
	    " ('created', 'w', 'contact.created', 1), ('viewed', 'w', 'contact.viewed', 1)",
	    "INSERT INTO execution (id, workspace_id, workflow_id, contact_id, email, version,"
	    " event_id, status, step_id, step_count, step_time, created, updated)"
	    " VALUES ('e', 'w', 'waits', 'c', 'a@x.org', 1, 'v', 2, 'n', 2, 1, 1, 1)",
	    "INSERT INTO execution_wait (execution_id, workspace_id, contact_id, event_name)"
	    " VALUES ('e', 'w', 'c', 'topic.left')",
	    "DROP TABLE workflow_heard",
	    "DELETE FROM schema_version WHERE version IN (380, 460, 470)",
	};
	g_autofree char *first = tests_store_schema_migrate();

	for (gsize i = 0; i < G_N_ELEMENTS(old); i++)
		test_db_plain(db, old[i]);
	g_free(tests_store_schema_migrate());
	g_autofree char *heard = test_db_text(db,
	    "SELECT GROUP_CONCAT(event_name, ' ', TRIM(TRAILING '\\0' FROM workflow_id), ' ',"
	    " is_trigger ORDER BY event_name) FROM workflow_heard");
	cr_expect_str_eq(heard, "contact.created created 1,topic.left waits 0");
}

/* Recipients of two broadcasts that left before their times were noted; what is noted stays. */
Test(schema, notes_when_broadcasts_reached_people)
{
	static const char *const old[] = {
	    "INSERT INTO broadcast (id, workspace_id, content, brief, status, created, updated)"
	    " SELECT REPEAT(CHAR(96 + seq), 16), 'w', '{}', '{}', 6, 1, 1 FROM seq_1_to_2",
	    "INSERT INTO broadcast_recipient (broadcast_id, person_id, workspace_id, variant,"
	    " status, due, email_id, number) SELECT id, LPAD(seq, 16, '0'), 'w', 0,"
	    " IF(seq = 5, 4, 2), 1, id, seq FROM broadcast, seq_1_to_1001",
	    "UPDATE broadcast_recipient SET sent_at = 1 WHERE number = 7",
	    "INSERT INTO recipient (email_id, number, workspace_id, kind, address, opened_at)"
	    " SELECT email_id, number, 'w', 1, 'a@x.org', 9 FROM broadcast_recipient",
	    "INSERT INTO event (email_id, id, workspace_id, recipient, status, timestamp)"
	    " SELECT email_id, CONCAT(SUBSTR(email_id, 1, 12), LPAD(number, 4, '0')), 'w', number,"
	    " 1, 8 FROM broadcast_recipient",
	    "DELETE FROM schema_version WHERE version = 164",
	};
	g_autofree char *first = tests_store_schema_migrate();

	for (gsize i = 0; i < G_N_ELEMENTS(old); i++)
		test_db_plain(db, old[i]);
	MUST(store_schema_check(db, &error));
	g_autofree char *steps = tests_store_schema_migrate();
	cr_expect_str_eq(steps, "164-broadcast-recipients ");
	cr_expect_eq(test_db_number(db, "SELECT COUNT(*) FROM broadcast_recipient"
					" WHERE sent_at = 8 AND opened_at = 9 AND clicked_at = 0"),
	    2 * 999);
	cr_expect_eq(test_db_number(
			 db, "SELECT SUM(sent_at) FROM broadcast_recipient WHERE number IN (5, 7)"),
	    2);
}

/* Entries of the outbox of before, of which one is held and one has a turn. */
Test(schema, gives_entries_of_the_outbox_their_turns)
{
	static const char *const old[] = {
	    "INSERT INTO outbox (id, workspace_id, email_id, recipients, attempts, since, ready_at)"
	    " SELECT LPAD(seq, 16, '0'), 'w', 'e', '', 0, 1, IF(seq = 5, NULL, 100 + seq)"
	    " FROM seq_1_to_1001",
	    "UPDATE outbox SET turn_at = IF(ready_at = 107, 3, NULL)",
	    "DELETE FROM schema_version WHERE version >= 185",
	};
	g_autofree char *first = tests_store_schema_migrate();

	for (gsize i = 0; i < G_N_ELEMENTS(old); i++)
		test_db_plain(db, old[i]);
	g_autofree char *steps = tests_store_schema_migrate();
	cr_expect(g_str_has_prefix(steps, "185-outbox-turn ") &&
		      strstr(steps, " 186-outbox-turns 251-agreements: 0 people changed;"),
	    "steps: %s", steps);
	cr_expect_eq(
	    test_db_number(db, "SELECT COUNT(*) FROM outbox WHERE turn_at = ready_at"), 999);
	cr_expect_eq(test_db_number(db, "SELECT COUNT(*) FROM outbox WHERE turn_at IS NULL"), 1);
	cr_expect_eq(test_db_number(db, "SELECT ready_at FROM outbox WHERE turn_at = 3"), 107);
}

/* Domains that were registered before checks existed. */
Test(schema, plans_checks_of_domains_that_it_finds)
{
	static const char *const old[] = {
	    "ALTER TABLE domain_key CHANGE COLUMN state signs TINYINT NOT NULL",
	    "DROP TABLE domain_check",
	    "DELETE FROM schema_version WHERE version = 10",
	    "INSERT INTO domain (id, workspace_id, name, status, trusted, created) VALUES"
	    " ('0123456789abcdef', 'workspaceworkspa', 'a.example', 1, 0, 42),"
	    " ('1123456789abcdef', 'workspaceworkspa', 'b.example', 3, 1, 43)",
	    "INSERT INTO domain_key (id, workspace_id, domain_id, algorithm, selector, private,"
	    " public, signs, created) VALUES ('0123456789abcdef', 'workspaceworkspa',"
	    " '0123456789abcdef', 1, 's', '', '', 1, 42)",
	};
	g_autofree char *first = tests_store_schema_migrate();

	for (gsize i = 0; i < G_N_ELEMENTS(old); i++)
		test_db_plain(db, old[i]);
	g_autofree char *steps = tests_store_schema_migrate();
	cr_expect_str_eq(steps, "10-verification ");
	g_autofree char *checks = test_db_text(db,
	    "SELECT GROUP_CONCAT(CONCAT_WS(' ', d.name, c.series, c.next_check) ORDER BY d.name)"
	    " FROM domain_check c JOIN domain d ON d.id = c.domain_id");
	cr_expect_str_eq(checks, "a.example 42 42,b.example 43", "got %s", checks);
	cr_expect_eq(test_db_number(db, "SELECT state FROM domain_key"), 1);
}

static void
note_change(const struct store_schema_change *change, void *context)
{
	g_string_append_printf(context, "%d %s %d %d %d\n", change->version, change->table,
	    (int)change->work, (int)change->rows, (int)change->seconds);
}

/* A step whose record is removed is to come again. */
Test(schema, tells_what_is_to_come)
{
	g_autoptr(GString) changes = g_string_new(NULL);

	MUST(store_schema_migrate(db, NULL, NULL, &error));
	MUST(store_schema_plan(db, note_change, changes, &error));
	cr_expect_str_eq(changes->str, "");
	test_db_plain(db, "DELETE FROM schema_version WHERE version = 41");
	MUST(store_schema_plan(db, note_change, changes, &error));
	cr_expect_str_eq(changes->str, "41 email 1 0 0\n41 event 1 0 0\n");
	cr_expect(!store_schema_check(db, NULL), "the plan has changed something");
}

static void
schema_note_late(const struct store_schema_change *change, void *context)
{
	if (change->is_late)
		g_string_append_printf(context, "%d %s\n", change->version, change->table);
}

/* The keys by which older programs search stay until they are told to go; this program works
   meanwhile. */
Test(schema, waits_with_what_older_programs_do_not_work_with)
{
	g_autofree char *first = tests_store_schema_migrate(), *whole = schema_describe();
	g_autoptr(GString) lates = g_string_new(NULL), steps = g_string_new(NULL);

	test_db_plain(
	    db, "ALTER TABLE event ADD KEY recipient (email_id, recipient, timestamp, id)");
	test_db_plain(db, "ALTER TABLE outbox ADD KEY ready_at (is_bulk, ready_at)");
	test_db_plain(db, "ALTER TABLE event ADD KEY time (email_id, timestamp, id)");
	test_db_plain(db, "ALTER TABLE recipient ADD KEY status (workspace_id, status, email_id)");
	test_db_plain(db, "ALTER TABLE recipient ADD COLUMN listed_status TINYINT GENERATED ALWAYS"
			  " AS (COALESCE(status, 1)) VIRTUAL");
	test_db_plain(
	    db, "ALTER TABLE recipient ADD KEY listed (workspace_id, listed_status, email_id)");
	test_db_plain(db,
	    "DELETE FROM schema_version"
	    " WHERE version IN (41, 472, 474, 486, 487, 490, 491, 493, 498, 499, 500)");
	MUST(store_schema_prepare(db, schema_count, steps, &error));
	cr_expect_str_eq(steps->str, "41-tracking ");
	MUST(store_schema_check(db, &error));
	MUST(store_schema_plan(db, schema_note_late, lates, &error));
	cr_expect_str_eq(lates->str,
	    "472 event\n474 outbox\n486 recipient\n487 event\n490 "
	    "email\n491 email_sending\n491 email\n493 sending_place\n"
	    "493 outbox\n498 recipient\n500 recipient_status\n499 recipient\n");
	g_autofree char *rest = tests_store_schema_migrate(), *got = schema_describe();
	cr_expect_str_eq(rest, "472-event-recipient 474-outbox-ready 486-recipient-status"
			       " 487-event-time 490-email-sent 491-email-key 493-outbox-key"
			       " 498-recipient-statuses 500-recipient-statuses-left"
			       " 499-recipient-listed ");
	schema_expect_same("late", got, whole);
}

/* A process that dies between recording the files of a new installation and its batches leaves them
   to the next one. */
Test(schema, takes_up_batches_of_a_new_installation)
{
	g_free(tests_store_schema_migrate());
	test_db_plain(db, "DELETE FROM schema_version WHERE version = 498");
	g_autofree char *steps = tests_store_schema_migrate(),
			*again = tests_store_schema_migrate();
	cr_expect_str_eq(steps, "498-recipient-statuses ");
	cr_expect_str_eq(again, "");
}

/* Programs of the version before removed emails, but no rows of their recipients' statuses. */
Test(schema, removes_statuses_without_a_recipient)
{
	static const char *const old[] = {
	    "INSERT INTO recipient (email_id, number, workspace_id, kind, address)"
	    " SELECT LPAD(seq, 16, '0'), 1, LPAD(seq DIV 1700, 16, 'w'), 1, 'a@x.org'"
	    " FROM seq_1_to_3000 WHERE seq % 3 = 0",
	    "INSERT INTO recipient_status (workspace_id, status, email_id, number)"
	    " SELECT LPAD(s.seq DIV 1700, 16, 'w'), IF(s.seq % 2, 3, 54), LPAD(s.seq, 16, '0'),"
	    " n.seq FROM seq_1_to_3000 s JOIN seq_0_to_1 n",
	    "INSERT INTO recipient_status (workspace_id, status, email_id, number)"
	    " VALUES (REPEAT('\\0', 16), 3, LPAD(1, 16, '0'), 0)",
	    "DELETE FROM schema_version WHERE version = 500",
	};
	g_free(tests_store_schema_migrate());
	for (gsize i = 0; i < G_N_ELEMENTS(old); i++)
		test_db_plain(db, old[i]);
	g_autofree char *steps = tests_store_schema_migrate();
	cr_expect_str_eq(steps, "500-recipient-statuses-left ");
	cr_expect_eq(test_db_number(db, "SELECT COUNT(*) FROM recipient_status"), 1000);
	cr_expect_eq(test_db_number(db, "SELECT COUNT(*) FROM recipient_status JOIN recipient"
					" USING (workspace_id, email_id, number)"),
	    1000);
}

/* Places that an older program took: of a message that is being sent, and of one that was sent. */
Test(schema, notes_the_email_of_places)
{
	g_free(tests_store_schema_migrate());
	test_db_outbox_of_before(db);
	test_db_plain(db,
	    "INSERT INTO outbox (id, workspace_id, email_id, recipients, attempts, since, ready_at)"
	    " SELECT REPEAT(seq, 16), '', REPEAT(seq + 5, 16), '', 0, 1, 1 FROM seq_1_to_2");
	test_db_plain(db,
	    "INSERT INTO sending_place (workspace_id, address, entry_id, token, taken)"
	    " SELECT '', 'a', REPEAT(seq, 16), NULLIF(seq, 2), 1 FROM seq_1_to_3");
	g_autofree char *steps = tests_store_schema_migrate();
	cr_expect_str_eq(steps, "493-outbox-key ");
	g_autofree char *got = test_db_text(db, "SELECT GROUP_CONCAT(entry_id, ':',"
						" COALESCE(email_id, '-') ORDER BY entry_id"
						" SEPARATOR ' ') FROM sending_place");
	cr_expect_str_eq(got, "1111111111111111:6666666666666666 2222222222222222:-"
			      " 3333333333333333:-");
}
