/* SPDX-License-Identifier: MIT */
/* Tests that emails are stored once, alone and together, with and without a key. */
#include "submit/submit.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "config/settings.h"
#include "email/draft.h"
#include "store/workspace/idempotency.h"
#include "tests/lib/fixture.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"

/* Stores an email as a request with this idempotency key (NULL: none) does. The answer as text: "ok
   ID", "replayed ID" or "CODE: message". */
static char *
submit_answer(
    struct service *service, const struct fixture *fixture, const struct service_idempotency *key)
{
	struct email_submission submission = fixture_submission();
	g_autoptr(GError) error = NULL;
	struct submit_sending *sending =
	    submit_send_check(service, &fixture->key.workspace_id, &submission, key, false, &error);
	AUTO(service_once) submit_request = sending ? &sending->request : NULL;

	if (!submit_request || !service_once_store_one(service, submit_request, &error))
		return g_strdup_printf("%d: %s", error->code, error->message);
	cr_expect_eq(submit_request->answer != NULL, key != NULL);
	g_autofree char *id = submit_request->answer ? g_strdup(submit_request->answer)
						     : posting_write_id(submit_request);
	return g_strdup_printf("%s %s", submit_request->replayed ? "replayed" : "ok", id);
}

static gint64
submit_emails(struct fixture *fixture)
{
	return test_db_number(fixture->db, "SELECT COUNT(*) FROM email");
}

Test(submit, is_replayed_to_the_same_request)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct service_idempotency key = posting_key(fixture, "k", "{}"),
				   same = posting_key(fixture, "k", "{}"),
				   other = posting_key(fixture, "k", "{ }"),
				   another = posting_key(fixture, "K", "{}");
	g_autofree char *first = submit_answer(fixture->service, fixture, &key);
	g_autofree char *second = submit_answer(fixture->service, fixture, &same);
	g_autofree char *third = submit_answer(fixture->service, fixture, &other);
	g_autofree char *fourth = submit_answer(fixture->service, fixture, &another);

	cr_assert(g_str_has_prefix(first, "ok "), "%s", first);
	cr_assert(g_str_has_prefix(second, "replayed "), "%s", second);
	cr_expect_str_eq(strchr(first, ' '), strchr(second, ' '));
	g_autofree char *want = g_strdup_printf(
	    "%d: This Idempotency-Key was used for another request", PH_ERROR_CONFLICT);
	cr_expect_str_eq(third, want);
	cr_expect(g_str_has_prefix(fourth, "ok "), "%s", fourth);
	cr_expect_eq(submit_emails(fixture), 2);
	base_clock_set(base_clock_now() + 24 * 60 * 60 * 1000);
	g_autofree char *next_day = submit_answer(fixture->service, fixture, &other);
	cr_expect(g_str_has_prefix(next_day, "ok "), "%s", next_day);
	cr_expect_eq(submit_emails(fixture), 3);
}

Test(submit, frees_the_key_when_it_fails)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct service_idempotency key = posting_key(fixture, "k", "{}"),
				   other = posting_key(fixture, "k", "{ }");

	test_db_plain(fixture->db, "RENAME TABLE recipient TO recipient_away");
	g_autofree char *failed = submit_answer(fixture->service, fixture, &key);
	cr_expect_not(g_str_has_prefix(failed, "ok "), "%s", failed);
	test_db_plain(fixture->db, "RENAME TABLE recipient_away TO recipient");
	cr_expect_eq(submit_emails(fixture), 0);
	g_autofree char *got = submit_answer(fixture->service, fixture, &other);
	cr_expect(g_str_has_prefix(got, "ok "), "%s", got);
}

#define PARALLEL 6

struct client {
	struct fixture *fixture;
	struct service *service;
	const char *name;
	char *got;
};

static void *
submit_request(void *context)
{
	struct client *client = context;
	struct service_idempotency key = posting_key(client->fixture, client->name, "{}");

	client->got = submit_answer(client->service, client->fixture, &key);
	return NULL;
}

Test(submit, is_one_email_for_many_at_the_same_time)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct client clients[PARALLEL];
	GThread *threads[PARALLEL];
	const guint rounds = 10;

	for (guint i = 0; i < PARALLEL; i++) {
		clients[i] = (struct client){fixture, service_open(fixture->settings), NULL, NULL};
		cr_assert(service_ensure(clients[i].service, NULL));
	}
	for (guint round = 1; round <= rounds; round++) {
		g_autofree char *name = g_strdup_printf("round %u", round);
		guint originals = 0;

		for (guint i = 0; i < PARALLEL; i++) {
			clients[i].name = name;
			threads[i] = g_thread_new("client", submit_request, &clients[i]);
		}
		for (guint i = 0; i < PARALLEL; i++)
			g_thread_join(threads[i]);
		for (guint i = 0; i < PARALLEL; i++) {
			const char *id = strchr(clients[i].got, ' ');
			cr_expect_str_eq(
			    id, strchr(clients[0].got, ' '), "%s: %s", name, clients[i].got);
			originals += g_str_has_prefix(clients[i].got, "ok ");
		}
		cr_expect_eq(originals, 1, "%s: %u made it", name, originals);
		for (guint i = 0; i < PARALLEL; i++)
			g_free(clients[i].got);
	}
	cr_expect_eq(submit_emails(fixture), rounds);
	for (guint i = 0; i < PARALLEL; i++)
		service_close(clients[i].service);
}

Test(submit, waits_no_longer_than_it_may_for_the_first)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct service_idempotency key = posting_key(fixture, "k", "{}");
	g_autofree char *want = g_strdup_printf(
	    "%d: A request with this Idempotency-Key is still in progress", PH_ERROR_CONFLICT);

	test_db_plain(fixture->db, "START TRANSACTION");
	cr_assert(store_idempotency_take_all(fixture->db,
	    &(struct store_idempotency_taking){&key.key, "{}"}, 1, base_clock_now(), NULL));
	gint64 begin = base_clock_boot();
	g_autofree char *got = submit_answer(fixture->service, fixture, &key);
	gint64 took = base_clock_boot() - begin;
	cr_expect_str_eq(got, want, "got %s", got);
	cr_expect_geq(took, 4900, "took %" G_GINT64_FORMAT " ms", took);
	test_db_plain(fixture->db, "ROLLBACK");
	struct service_idempotency again = posting_key(fixture, "k", "{}");
	g_autofree char *then = submit_answer(fixture->service, fixture, &again);
	cr_expect(g_str_has_prefix(then, "ok "), "%s", then);
}

Test(submit, looks_what_became_of_a_commit_without_an_answer)
{
	static const struct {
		const char *name;
		enum test_proxy_fault fault;
		bool keyed;
	} cases[] = {
	    {"answer lost", TEST_PROXY_CUT_ANSWER, false},
	    {"command lost", TEST_PROXY_CUT_COMMAND, false},
	    {"answer lost, with a key", TEST_PROXY_CUT_ANSWER, true},
	    {"command lost, with a key", TEST_PROXY_CUT_COMMAND, true},
	    {"obeyed late", TEST_PROXY_LATE, false},
	};
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	fixture_use_proxy(fixture);
	fixture_renew(fixture, NULL, NULL);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct service_idempotency key = posting_key(fixture, cases[i].name, "{}");

		test_proxy_break(fixture->proxy, cases[i].fault, TEST_PROXY_COMMIT, "", 0);
		g_autofree char *got =
		    submit_answer(fixture->service, fixture, cases[i].keyed ? &key : NULL);
		cr_expect(g_str_has_prefix(got, "ok "), "%s: %s", cases[i].name, got);
		cr_expect_eq(submit_emails(fixture), (gint64)i + 1, "%s", cases[i].name);
		cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM outbox"),
		    (gint64)i + 1, "%s", cases[i].name);
	}
}

/* A key that is made of the message is looked at only where it may be stored. After a COMMIT that
   did not arrive, another request may have it before this one comes again. */
Test(submit, looks_for_a_derived_key_after_a_commit_without_an_answer)
{
	static const struct {
		const char *name;
		enum test_proxy_fault fault;
		bool comes_again; /* another request with the key is stored meanwhile */
		bool replayed;
	} cases[] = {
	    {"answer lost", TEST_PROXY_CUT_ANSWER, false, false},
	    {"answer lost, and come again", TEST_PROXY_CUT_ANSWER, true, false},
	    {"command lost", TEST_PROXY_CUT_COMMAND, false, false},
	    {"command lost, and come again", TEST_PROXY_CUT_COMMAND, true, true},
	};
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	fixture_use_proxy(fixture);
	fixture_renew(fixture, NULL, NULL);
	const char *path = config_settings_text(fixture->settings, SETTING_DATABASE_SOCKET);
	g_autofree char *away = g_strconcat(path, ".away", NULL);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct service_idempotency key = posting_key(fixture, cases[i].name, "{}");
		struct email_submission submission = fixture_submission();
		g_autoptr(GError) error = NULL;

		key.is_derived = true;
		struct submit_sending *sending = submit_send_check(
		    fixture->service, &fixture->key.workspace_id, &submission, &key, false, NULL);
		AUTO(service_once) request = &sending->request;
		test_proxy_break(fixture->proxy, cases[i].fault, TEST_PROXY_COMMIT, "", 0);
		cr_assert_eq(g_rename(path, away), 0);
		cr_expect_not(service_once_store_together(fixture->service, &request, 1, NULL));
		cr_assert_eq(g_rename(away, path), 0);
		cr_assert(service_ensure(fixture->service, NULL));
		if (cases[i].comes_again)
			g_free(submit_answer(fixture->service, fixture, &key));
		cr_expect(service_once_store_one(fixture->service, request, &error), "%s: %s",
		    cases[i].name, error ? error->message : "");
		cr_expect_eq(request->replayed, cases[i].replayed, "%s", cases[i].name);
		cr_expect_eq(submit_emails(fixture), (gint64)i + 1, "%s", cases[i].name);
	}
}

Test(submit, says_that_it_does_not_know_when_it_cannot_look)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	fixture_use_proxy(fixture);
	fixture_renew(fixture, NULL, NULL);
	const char *path = config_settings_text(fixture->settings, SETTING_DATABASE_SOCKET);
	g_autofree char *away = g_strconcat(path, ".away", NULL);
	test_proxy_break(fixture->proxy, TEST_PROXY_CUT_ANSWER, TEST_PROXY_COMMIT, "", 0);
	cr_assert_eq(g_rename(path, away), 0);
	g_autofree char *got = submit_answer(fixture->service, fixture, NULL);
	g_autofree char *want = g_strdup_printf("%d: ", PH_ERROR_UNCERTAIN);
	cr_expect(g_str_has_prefix(got, want), "%s", got);
	cr_expect_eq(submit_emails(fixture), 1);
	cr_assert_eq(g_rename(away, path), 0);
}

static const struct {
	const char *name;
	gint duplicate, keyed; /* the one whose id, or key, another email has; -1: none */
	const char *want;
} together[] = {
    {"all are good", -1, -1, "++++"},
    {"one is a duplicate", 2, -1, "++x+"},
    {"one was repeated", -1, 1, "+r++"},
    {"both, and the last", 3, 0, "r++x"},
};

#define TOGETHER 4

/* Stores emails together, after another email with this id and one with this key. */
static char *
submit_store_together(struct fixture *fixture, guint i, const struct service_idempotency *key)
{
	struct email_submission submission = fixture_submission();
	struct base_id other = posting_store(fixture, &submission);
	GString *got = g_string_new(NULL);
	struct service_once *requests[TOGETHER];

	for (gint n = 0; n < TOGETHER; n++) {
		struct submit_sending *sending =
		    submit_send_check(fixture->service, &fixture->key.workspace_id, &submission,
			n == together[i].keyed ? key : NULL, false, NULL);

		if (n == together[i].duplicate)
			sending->draft->email->id = other;
		requests[n] = &sending->request;
	}
	g_free(submit_answer(fixture->service, fixture, key));
	bool done = service_once_store_together(fixture->service, requests, TOGETHER, NULL);
	for (gint n = 0; n < TOGETHER; n++) {
		if (!done)
			service_once_store_one(fixture->service, requests[n], &requests[n]->error);
		g_string_append_c(got, requests[n]->error      ? 'x'
				       : requests[n]->replayed ? 'r'
							       : '+');
		service_once_free(requests[n]);
	}
	return g_string_free(got, FALSE);
}

Test(submit, of_many_fails_for_none_but_the_bad_one)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	for (guint i = 0; i < G_N_ELEMENTS(together); i++) {
		struct service_idempotency key = posting_key(fixture, together[i].name, "{}");
		gint64 before = submit_emails(fixture), stored = 0;
		g_autofree char *got = submit_store_together(fixture, i, &key);

		cr_expect_str_eq(got, together[i].want, "%s: got %s", together[i].name, got);
		for (const char *p = together[i].want; *p; p++)
			stored += *p == '+';
		cr_expect_eq(submit_emails(fixture), before + stored + 2, "%s", together[i].name);
	}
}

/* A fuse that is no part of the transaction: so often the recipient of an email is refused as if a
   body that its parts refer to had gone. */
static void
lay_fuse(struct fixture *fixture, guint times)
{
	g_autofree char *sql = g_strdup_printf("UPDATE fuse SET n = %u", times);

	test_db_plain(fixture->db, "CREATE TABLE IF NOT EXISTS fuse (n INT) ENGINE=MyISAM");
	test_db_plain(fixture->db, "DELETE FROM fuse");
	test_db_plain(fixture->db, "INSERT INTO fuse VALUES (0)");
	test_db_plain(fixture->db,
	    "CREATE OR REPLACE TRIGGER burn BEFORE INSERT ON recipient FOR EACH ROW"
	    " IF (SELECT n FROM fuse) > 0 THEN UPDATE fuse SET n = n - 1;"
	    " SIGNAL SQLSTATE '23000' SET MYSQL_ERRNO = 1452; END IF");
	test_db_plain(fixture->db, sql);
}

Test(submit, is_done_again_when_a_shared_content_went_in_between)
{
	static const struct {
		guint times;
		bool want;
	} cases[] = {{0, true}, {1, true}, {2, true}, {3, false}};
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		lay_fuse(fixture, cases[i].times);
		g_autofree char *name = g_strdup_printf("%u times", cases[i].times);
		struct service_idempotency key = posting_key(fixture, name, "{}");
		g_autofree char *plain = submit_answer(fixture->service, fixture, NULL);
		cr_expect_eq(g_str_has_prefix(plain, "ok "), cases[i].want, "%s: %s", name, plain);
		lay_fuse(fixture, cases[i].times);
		g_autofree char *keyed = submit_answer(fixture->service, fixture, &key);
		cr_expect_eq(g_str_has_prefix(keyed, "ok "), cases[i].want, "%s: %s", name, keyed);
	}
}
