/* SPDX-License-Identifier: MIT */
/* Looks at everybody, who are read ahead on a second connection. */
#include "segment/scan.h"

#include <criterion/criterion.h>

#include "base/error.h"
#include "segment/rules.h"
#include "store/person/people_scan.h"
#include "tests/segment/crowd.h"
#include "tests/support/settings.h"

#define PEOPLE 50000 /* more than wait in the reader */

/* A scan by a user of the database of its own. */
struct trial {
	struct crowd *crowd;
	char *user;
	struct config_settings *settings;
	struct db *db;
	guint taken;
	guint connections; /* at the first person */
	guint ends_at;	   /* the person who ends it; 0: nobody */
	bool fails;	   /* then: with an error */
	bool is_cut;	   /* the other connection is killed at the first person */
};

static guint
connections(const struct trial *trial)
{
	g_autofree char *count = test_mariadb_sql(NULL,
	    "SELECT COUNT(*) FROM information_schema.processlist WHERE user = '%s'", trial->user);

	return (guint)g_ascii_strtoull(count, NULL, 10);
}

/* The user may have so many connections; 0: any number. */
static struct trial *
scan_begin(struct crowd *crowd, guint most)
{
	struct trial *trial = g_new0(struct trial, 1);
	g_autofree char *database = g_strdup_printf("test_%d", (int)getpid());

	trial->crowd = crowd;
	trial->user = g_strdup_printf("scan%u_%d", most, (int)getpid());
	g_autofree char *section =
	    g_strdup_printf("[database]\nsocket = %s/s\nuser = %s\nname = %s\n",
		test_mariadb_dir(NULL), trial->user, database);
	g_free(test_mariadb_sql(
	    NULL, "CREATE USER `%s`@localhost WITH MAX_USER_CONNECTIONS %u", trial->user, most));
	g_free(
	    test_mariadb_sql(NULL, "GRANT ALL ON `%s`.* TO `%s`@localhost", database, trial->user));
	trial->settings = test_settings_load(test_mariadb_dir(NULL), trial->user, section);
	trial->db = test_db_open(trial->settings);
	return trial;
}

static void
scan_end(struct trial *trial)
{
	db_close(trial->db);
	config_settings_free(trial->settings);
	g_free(trial->user);
	g_free(trial);
}

static void
scan_cut(const struct trial *trial)
{
	g_autofree char *other = test_mariadb_sql(NULL,
	    "SELECT id FROM information_schema.processlist WHERE user = '%s' AND id <> "
	    "%" G_GUINT64_FORMAT,
	    trial->user, db_connection_id(trial->db));

	cr_assert(other, "there is no other connection");
	test_mariadb_disconnect(NULL, g_ascii_strtoull(other, NULL, 10));
}

static bool
scan_take(const struct store_people_scan_person *person, void *context, GError **error)
{
	struct trial *trial = context;

	cr_assert(person->address);
	if (trial->taken++ == 0)
		trial->connections = connections(trial);
	if (trial->taken == 1 && trial->is_cut)
		scan_cut(trial);
	if (trial->taken != trial->ends_at)
		return true;
	return trial->fails && base_fail(error, PH_ERROR_FAILED, "Enough");
}

/* Runs the scan of everybody who is subscribed, and waits until it has closed its connection. */
static bool
tests_segment_scan_run(struct trial *trial, bool *more_r, GError **error)
{
	g_autofree char *text = crowd_json(
	    "{'rules':[{'property':'contact.subscribed','operator':'equals','value':true}]}");
	AUTO(segment_rules) rules = segment_rules_read(text, error);
	const struct segment_scan scan = {.workspace = trial->crowd->house->workspace,
	    .rules = rules,
	    .take = scan_take,
	    .context = trial};

	cr_assert(rules);
	bool done = segment_scan_run(&scan, trial->db, NULL, more_r, error);
	while (connections(trial) > 1)
		g_usleep(1000);
	return done;
}

Test(scan, reads_ahead_if_it_gets_a_connection)
{
	static const struct {
		guint people, most, want;
	} cases[] = {{PEOPLE, 0, 2}, {PEOPLE, 2, 2}, {PEOPLE, 1, 1}, {1000, 3, 2}, {999, 4, 1}};
	AUTO(crowd) crowd = crowd_open();

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		test_db_plain(crowd->db, "DELETE FROM person");
		crowd_fill(crowd, cases[i].people);
		struct trial *trial = scan_begin(crowd, cases[i].most);
		bool more;

		MUST(tests_segment_scan_run(trial, &more, &error));
		cr_expect_eq(trial->taken, cases[i].people, "got %u", trial->taken);
		cr_expect_eq(trial->connections, cases[i].want, "case %u: got %u connections", i,
		    trial->connections);
		cr_expect(!more);
		cr_expect_geq(db_row_count(trial->db), cases[i].people, "got %u rows",
		    (guint)db_row_count(trial->db));
		scan_end(trial);
	}
}

Test(scan, that_reads_ahead_can_end_at_any_person)
{
	static const struct {
		guint ends_at;
		bool fails;
	} cases[] = {
	    {1, false}, {1, true}, {1001, false}, {1001, true}, {PEOPLE, false}, {PEOPLE, true}};
	AUTO(crowd) crowd = crowd_open();

	crowd_fill(crowd, PEOPLE);
	struct trial *trial = scan_begin(crowd, 0);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		bool more = false;

		trial->taken = 0;
		trial->ends_at = cases[i].ends_at;
		trial->fails = cases[i].fails;
		cr_expect_eq(
		    tests_segment_scan_run(trial, &more, &error), !cases[i].fails, "case %u", i);
		cr_expect_eq(trial->taken, cases[i].ends_at, "case %u: got %u", i, trial->taken);
		cr_expect_eq(more, !cases[i].fails, "case %u", i);
		cr_expect_str_eq(error ? error->message : "", cases[i].fails ? "Enough" : "");
	}
	scan_end(trial);
}

Test(scan, fails_when_what_reads_ahead_fails)
{
	AUTO(crowd) crowd = crowd_open();
	g_autoptr(GError) error = NULL;
	bool more;

	crowd_fill(crowd, PEOPLE);
	struct trial *trial = scan_begin(crowd, 0);
	trial->is_cut = true;
	cr_expect(!tests_segment_scan_run(trial, &more, &error));
	cr_assert(g_error_matches(error, PH_ERROR, PH_ERROR_TEMPORARY), "%s",
	    error ? error->message : "");
	cr_expect_lt(trial->taken, PEOPLE);
	cr_expect(!db_is_dead(trial->db));
	scan_end(trial);
}
