/* SPDX-License-Identifier: MIT */
/* Tests of fcgi/api/gather.c with reads that wait at the same time. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "fcgi/api/auth.h"
#include "service/service.h"
#include "tests/fcgi/fake_io.h"
#include "tests/fcgi/waiting.h"
#include "tests/support/db.h"
#include "tests/support/house.h"

#define ONE "HTTP_X_API_KEY=ph_one"
#define TWO "HTTP_X_API_KEY=ph_two"
#define OTHER "HTTP_X_API_KEY=ph_other"
#define EMAIL                                                                                      \
	"{\"from\":\"a@example.org\",\"to\":\"b@example.net\",\"subject\":\"S\",\"html\":\"<p>"    \
	"x\"}"
#define CONTACTS "/v1/audiences/00000000-0000-0000-0000-00000000000"
#define UNKNOWN "/01234567-89ab-7def-8123-456789abcdef"

/* begin fills in the paths that are NULL. */
static struct waiting_request requests[] = {
    {'a', "GET", NULL, ONE},
    {'b', "GET", NULL, ONE},
    {'m', "GET", NULL, ONE},
    {'o', "GET", NULL, OTHER},
    {'c', "GET", NULL, ONE},
    {'d', "GET", NULL, ONE},
    {'w', "GET", NULL, ONE},
    {'D', "GET", NULL, ONE},
    {'O', "GET", NULL, OTHER},
    {'r', "GET", NULL, ONE},
    {'t', "GET", NULL, TWO},
    {'x', "GET", NULL, OTHER},
    {'h', "HEAD", NULL, ONE},
    {'u', "GET", "/v1/emails" UNKNOWN, ONE},
    {'v', "GET", "/v1/emails" UNKNOWN, TWO},
    {'i', "GET", "/v1/emails/none", ONE},
    {'e', "POST", "/v1/emails", ONE, NULL, EMAIL},
    {'E', "POST", "/v1/emails", OTHER, NULL, EMAIL},
    {'1', "POST", CONTACTS "1/contacts", ONE, NULL, "{\"email\":\"c@example.net\"}"},
    {'2', "POST", CONTACTS "2/contacts", ONE, NULL, "{\"email\":\"d@example.net\"}"},
    {'g', "GET", "/health"},
};

static struct test_house *house;
static struct fcgi_auth *auth;
static GPtrArray *paths;

static GPtrArray *
gather_reads_serve(const char *letters)
{
	return waiting_serve(house->service, auth, requests, letters);
}

/* The path of the row that the statement, "... %s ...", finds: %s stands for its id. */
static void
name(const char *letters, const char *before, const char *id_of)
{
	g_autofree char *sql =
	    g_strdup_printf("SELECT LOWER(INSERT(INSERT(INSERT(INSERT(HEX(id), 21, 0, '-'), 17, 0,"
			    " '-'), 13, 0, '-'), 9, 0, '-')) FROM %s",
		id_of);
	g_autofree char *id = test_db_text(house->service->db, sql);
	char *path = g_strconcat(before, id, NULL);

	g_ptr_array_add(paths, path);
	for (guint i = 0; i < G_N_ELEMENTS(requests); i++)
		if (strchr(letters, requests[i].letter))
			requests[i].path = path;
}

#define OF_ONE " WHERE workspace_id = (SELECT workspace_id FROM api_key WHERE name = 'ph_one')"
#define OF_OTHER " WHERE workspace_id <> (SELECT workspace_id FROM api_key WHERE name = 'ph_one')"

/* More events than are read together with others. */
static void
give_events(guint count)
{
	g_autofree char *sql = g_strdup_printf(
	    "INSERT INTO event (email_id, id, workspace_id, recipient, status, timestamp)"
	    " SELECT e.id, UNHEX(LPAD(HEX(s.seq), 32, '0')), e.workspace_id, 0, 1, s.seq"
	    " FROM (SELECT id, workspace_id FROM email" OF_ONE " ORDER BY id LIMIT 2, 1) e,"
	    " seq_1_to_%u s",
	    count);

	test_db_plain(house->service->db, sql);
}

static void
gather_reads_fill(void)
{
	test_db_plain(house->service->db,
	    "INSERT INTO audience (id, workspace_id, user_id, name, created, updated)"
	    " SELECT UNHEX(LPAD(s.seq, 32, '0')), workspace_id, user_id, 'A', 1, 1"
	    " FROM api_key, seq_1_to_2 s WHERE name = 'ph_one'");
	test_db_plain(house->service->db,
	    "INSERT INTO audience_counter (audience_id, stripe, workspace_id, contacts,"
	    " unsubscribers)"
	    " SELECT a.id, s.seq, a.workspace_id, 0, 0 FROM audience a, seq_0_to_15 s");
	g_ptr_array_unref(gather_reads_serve("eeeE12"));
	name("ath", "/v1/emails/", "email" OF_ONE " ORDER BY id LIMIT 0, 1");
	name("r", "/resend/emails/", "email" OF_ONE " ORDER BY id LIMIT 1, 1");
	name("bx", "/v1/emails/", "email" OF_ONE " ORDER BY id LIMIT 1, 1");
	name("m", "/v1/emails/", "email" OF_ONE " ORDER BY id LIMIT 2, 1");
	name("o", "/v1/emails/", "email" OF_OTHER);
	name("c", CONTACTS "1/contacts/", "contact WHERE address = 'c@example.net'");
	name("d", CONTACTS "2/contacts/", "contact WHERE address = 'd@example.net'");
	name("w", CONTACTS "2/contacts/", "contact WHERE address = 'c@example.net'");
	name("D", "/v1/domains/", "domain" OF_ONE);
	name("O", "/v1/domains/", "domain" OF_OTHER);
}

static void
gather_reads_begin(void)
{
	house = test_house_open(NULL, "[service]\nmode = spool\n");
	auth = fcgi_auth_new(house->settings);
	paths = g_ptr_array_new_with_free_func(g_free);
	struct base_id first = house->workspace;
	test_house_domain(house, "example.org");
	test_house_key(house, "ph_one", KEY_FULL, 0);
	test_house_key(house, "ph_two", KEY_READ, 0);
	house->workspace = base_id_new();
	test_house_key(house, "ph_other", KEY_FULL, 0);
	test_house_domain(house, "example.org");
	house->workspace = first;
	test_db_plain(house->service->db,
	    "UPDATE api_key SET name = IF(hash = UNHEX(SHA2('ph_one', 256)), 'ph_one', 'another')");
	gather_reads_fill();
	g_ptr_array_unref(gather_reads_serve("to"));
}

static void
gather_reads_end(void)
{
	fcgi_auth_free(auth);
	test_house_close(house);
	g_ptr_array_unref(paths);
}

TestSuite(gather_reads, .init = gather_reads_begin, .fini = gather_reads_end);

static const struct {
	const char *name, *letters, *want;
	gint64 want_statements;
} cases[] = {
    {"one", "a", "200", 1},
    {"two", "ab", "200 200", 1},
    {"the most", "abababab", "200 200 200 200 200 200 200 200", 1},
    {"one more than the most", "ababababa", "200 200 200 200 200 200 200 200 200", 2},
    {"the same", "aaa", "200 200 200", 1},
    {"contacts", "cdc", "200 200 200", 1},
    {"domains of two workspaces", "DOD", "200 200 200", 1},
    {"of several kinds", "acDbdD", "200 200 200 200 200 200", 3},
    {"keys of two workspaces", "aob", "200 200 200", 1},
    {"two keys", "atb", "200 200 200", 1},
    {"one of the other front", "arb", "200 200 200", 1},
    {"HEAD among them", "ahb", "200 200 200", 1},
    /* The first of two with one id is read together. */
    {"another workspace's", "axb", "200 404 200", 2},
    /* A contact that is missing makes its handler look for the audience. If all are missing,
       none has confirmed the keys. */
    {"one that is missing", "aub", "200 404 200", 1},
    {"no id", "aib", "200 404 200", 1},
    {"a contact of another audience", "cwd", "200 404 200", 3},
    {"none that is there", "uuv", "404 404 404", 7},
    {"one with many events", "amb", "200 200 200", 2},
    {"another request between", "abgab", "200 200 200 200 200", 4},
};

/* Together they get the answers that each gets alone. */
Test(gather_reads, answer_as_alone)
{
	give_events(20);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		gint64 before = waiting_executed(house->service);
		g_autoptr(GPtrArray) ios = gather_reads_serve(cases[i].letters);
		gint64 took = waiting_executed(house->service) - before - 1;
		g_autofree char *got = waiting_statuses(ios);

		cr_expect_str_eq(got, cases[i].want, "%s: got %s", cases[i].name, got);
		cr_expect_eq(
		    took, cases[i].want_statements, "%s: %d statements", cases[i].name, (int)took);
		for (guint r = 0; r < ios->len; r++) {
			const char letter[] = {cases[i].letters[r], '\0'};
			g_autoptr(GPtrArray) alone = gather_reads_serve(letter);
			const char *body = fake_io_body(ios->pdata[r]);

			cr_expect_str_eq(body, fake_io_body(alone->pdata[0]), "%s, %s: %s",
			    cases[i].name, letter, body);
		}
	}
}

/* The statement for many ends within the events of one, before it comes to others. */
Test(gather_reads, reads_alone_behind_the_limit)
{
	give_events(90);
	g_autoptr(GPtrArray) together = gather_reads_serve("bmao");
	g_autoptr(GPtrArray) last = gather_reads_serve("o");
	g_autoptr(GPtrArray) alone = gather_reads_serve("m");
	g_autofree char *got = waiting_statuses(together);

	cr_expect_str_eq(got, "200 200 200 200", "got %s", got);
	cr_expect_str_eq(fake_io_body(together->pdata[1]), fake_io_body(alone->pdata[0]));
	cr_expect_str_eq(fake_io_body(together->pdata[3]), fake_io_body(last->pdata[0]));
	cr_expect(strstr(fake_io_body(alone->pdata[0]), "\"timestamp\":90"));
}

Test(gather_reads, refuse_a_key_that_has_ended)
{
	test_db_plain(house->service->db,
	    "UPDATE api_key SET revoked = 1 WHERE hash = UNHEX(SHA2('ph_two', 256))");
	g_autoptr(GPtrArray) ios = gather_reads_serve("atoeb");
	g_autofree char *got = waiting_statuses(ios);
	cr_expect_str_eq(got, "200 403 200 201 200", "got %s", got);
}

/* Later requests do not get rows that were read ahead for earlier ones. */
Test(gather_reads, see_what_has_changed)
{
	g_ptr_array_unref(gather_reads_serve("cd"));
	test_db_plain(house->service->db, "UPDATE person SET first_name = 'Ada'");
	g_autoptr(GPtrArray) ios = gather_reads_serve("cd");
	for (guint i = 0; i < 2; i++)
		cr_expect(strstr(fake_io_body(ios->pdata[i]), "\"Ada\""), "%s",
		    fake_io_body(ios->pdata[i]));
}

/* The statement for many fails, and each is read by itself. */
Test(gather_reads, are_read_alone_after_a_failure)
{
	g_ptr_array_unref(gather_reads_serve("ab"));
	test_db_plain(house->db, "ALTER TABLE event RENAME COLUMN relay TO carrier");
	g_autoptr(GPtrArray) failed = gather_reads_serve("ab");
	g_autofree char *got = waiting_statuses(failed);
	cr_expect_str_eq(got, "500 500", "got %s", got);
	test_db_plain(house->db, "ALTER TABLE event RENAME COLUMN carrier TO relay");
	g_autoptr(GPtrArray) ios = gather_reads_serve("ab");
	g_autofree char *again = waiting_statuses(ios);
	cr_expect_str_eq(again, "200 200", "got %s", again);
}
