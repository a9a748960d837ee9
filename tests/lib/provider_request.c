/* SPDX-License-Identifier: MIT */
/* Tests that the events of a provider's request are recorded together, and whom they suppress. */
#include <criterion/criterion.h>

#include "base/clock.h"
#include "feedback/provider.h"
#include "tests/lib/posting.h"
#include "tests/lib/provided.h"
#include "tests/support/db.h"

/* A batch of 1,000 events is one transaction. */
Test(provider_request, batch_is_one_transaction)
{
	AUTO(smtp_server) relay = smtp_server_start(&provided_relay);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(fixture) fixture = provided_world(relay, "");
	g_autoptr(GString) body = g_string_new("[");

	reporter_add(reporter, fixture->service, "a");
	for (guint i = 0; i < 500; i++) {
		g_autofree char *address = g_strdup_printf("a%u@x.org", i);
		posting_submit(fixture, address);
		for (guint n = 0; n < 2; n++)
			g_string_append_printf(body,
			    "%s{'type':'email.%s','data':{'email_id':'Reply-1','recipient':'%s'}}",
			    i + n > 0 ? "," : "", n ? "clicked" : "delivered", address);
	}
	for (guint i = 0; i < 5; i++)
		posting_deliver(fixture);
	cr_assert_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM relay_copy"), 500);
	g_string_append_c(body, ']');
	gint64 began = g_get_monotonic_time();
	gint64 before = test_db_number(fixture->db,
	    "SELECT variable_value FROM information_schema.global_status"
	    " WHERE variable_name = 'Com_stmt_execute'");
	struct feedback_provider_result got = provided_post(reporter, fixture, body->str, "1");
	gint64 statements = test_db_number(fixture->db,
				"SELECT variable_value FROM information_schema.global_status"
				" WHERE variable_name = 'Com_stmt_execute'") -
			    before;
	cr_expect_eq(got.recorded, 1000, "%u", got.recorded);
	cr_expect_eq(got.received, 1000);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM event"), 1500);
	cr_expect_eq(provided_post(reporter, fixture, body->str, "1").duplicate, 1000);
	cr_log_info("%d ms, %d statements", (int)((g_get_monotonic_time() - began) / 1000),
	    (int)statements);
}

/* Sends emails to addresses in turn, "FORM-0@x.org" and so on, and posts one event of each. more:
   members of its data. Returns the number of statements that took. */
static gint64
send_and_post(const struct reporter *reporter, struct fixture *fixture, const char *form,
    guint people, guint count, const char *type, const char *more)
{
	/* The connection's own: other tests use the server as well. */
	static const char statements[] =
	    "SELECT variable_value FROM information_schema.session_status"
	    " WHERE variable_name = 'Questions'";
	static guint request;
	g_autofree char *id = g_strdup_printf("request-%u", request++);
	g_autoptr(GString) body = g_string_new("[");

	test_db_plain(fixture->db, "DELETE FROM relay_copy");
	for (guint i = 0; i < count; i++) {
		g_autofree char *address = g_strdup_printf("%s-%u@x.org", form, i % people);

		posting_submit(fixture, address);
		posting_deliver(fixture);
		g_autofree char *copy = provided_copy(fixture, "id");
		g_string_append_printf(body,
		    "%s{'type':'email.%s','data':{'metadata':{'posthouse-id':'%s'}%s}}",
		    i ? "," : "", type, copy, more);
	}
	g_string_append_c(body, ']');
	gint64 before = test_db_number(fixture->service->db, statements);
	cr_expect_eq(provided_post(reporter, fixture, body->str, id).recorded, count);
	return test_db_number(fixture->service->db, statements) - before;
}

/* One event that cannot be stored takes all others with it. */
Test(provider_request, request_is_recorded_whole_or_not)
{
	AUTO(smtp_server) relay = smtp_server_start(&provided_relay);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(fixture) fixture = provided_world(relay, "");
	struct feedback_provider_result result;
	const char *body = "[{'type':'email.delivered','data':{'email_id':'Reply-1'}},"
			   "{'type':'email.opened','data':{'email_id':'Reply-1'}}]";

	reporter_add(reporter, fixture->service, "a");
	struct base_id id = posting_submit(fixture, "ada@x.org");
	posting_deliver(fixture);
	test_db_plain(fixture->db, "ALTER TABLE event ADD CONSTRAINT no CHECK (status <> 5)");
	AUTO(reporter_request) request = reporter_sign(reporter, NULL, body, "1", base_clock_now());
	g_autoptr(GError) error = reporter_take(reporter, fixture->service, request, &result);
	cr_expect_not_null(error);
	provided_expect(fixture, "refused", &id, "0 sent\n");
	test_db_plain(fixture->db, "ALTER TABLE event DROP CONSTRAINT no");
	cr_expect_eq(provided_post(reporter, fixture, body, "1").recorded, 2);
}

/* The events of one request are stored together, so the bounces of an address count each other
   before that. */
Test(provider_request, transient_bounces_of_one_request_count_each_other)
{
	static const struct {
		const char *name;
		guint before, together;
		gint64 want;
	} cases[] = {{"four", 0, 4, 0}, {"five", 0, 5, 1}, {"two and two", 2, 2, 0},
	    {"two and three", 2, 3, 1}, {"six", 0, 6, 1}};
	AUTO(smtp_server) relay = smtp_server_start(&provided_relay);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(fixture) fixture = provided_world(relay, "");

	reporter_add(reporter, fixture->service, "a");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *form = g_strdup_printf("case%zu", i);
		const guint counts[] = {cases[i].before, cases[i].together};

		for (guint n = 0; n < 2; n++)
			if (counts[n] > 0)
				send_and_post(reporter, fixture, form, 1, counts[n], "bounced",
				    ",'bounce':{'type':'Transient','code':'4.2.2'}");
		gint64 got = test_db_number(fixture->db, "SELECT COUNT(*) FROM suppression");
		cr_expect_eq(got, cases[i].want, "%s: %d", cases[i].name, (int)got);
		test_db_plain(fixture->db, "DELETE FROM suppression");
	}
}

/* The addresses of a request that bounced are suppressed together. Twenty more of them take two
   statements each, for webhooks, and few besides. An address that is named twice is one. */
Test(provider_request, addresses_of_one_request_are_suppressed_together)
{
	AUTO(smtp_server) relay = smtp_server_start(&provided_relay);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(fixture) fixture = provided_world(relay, "");
	const char *gone = ",'bounce':{'type':'Permanent','code':'5.1.1'}";

	reporter_add(reporter, fixture->service, "a");
	gint64 few = send_and_post(reporter, fixture, "few", 20, 40, "bounced", gone);
	gint64 many = send_and_post(reporter, fixture, "many", 40, 80, "bounced", gone);
	send_and_post(reporter, fixture, "angry", 5, 10, "complained", "");
	g_autofree char *got = test_db_text(fixture->db,
	    "SELECT CONCAT(COUNT(*), ' ', COUNT(DISTINCT address), ' ', SUM(reason = 1), ' ',"
	    " SUM(reason = 2), ' ', SUM(scope = 1), ' ', COUNT(source_id)) FROM suppression");
	cr_expect_str_eq(got, "65 65 60 5 65 65", "%s", got);
	cr_expect_lt(many - few, 40 + 20, "%d and %d statements", (int)few, (int)many);
	cr_log_info("%d and %d statements", (int)few, (int)many);
}

/* Five transient bounces within 30 days suppress, as those of reports do. */
Test(provider_request, transient_bounces_are_counted)
{
	AUTO(smtp_server) relay = smtp_server_start(&provided_relay);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(fixture) fixture = provided_world(relay, "");

	reporter_add(reporter, fixture->service, "a");
	posting_submit(fixture, "ada@x.org");
	posting_deliver(fixture);
	for (guint i = 0; i < 5; i++) {
		g_autofree char *id = g_strdup_printf("request-%u", i);

		cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM suppression"), 0);
		provided_post(reporter, fixture,
		    "{'type':'email.bounced','data':{'email_id':'Reply-1',"
		    "'bounce':{'type':'Transient'}}}",
		    id);
	}
	cr_expect_eq(test_db_number(fixture->db, "SELECT reason FROM suppression"), 1);
}

/* A person who leaves by the provider's link is treated like one who leaves by ours. */
Test(provider_request, unsubscribed_person_made_a_choice)
{
	AUTO(smtp_server) relay = smtp_server_start(&provided_relay);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(fixture) fixture = provided_world(relay, "");

	reporter_add(reporter, fixture->service, "a");
	posting_submit(fixture, "ada@x.org");
	posting_deliver(fixture);
	provided_post(
	    reporter, fixture, "{'type':'email.unsubscribed','data':{'email_id':'Reply-1'}}", "1");
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM choice"), 1);
	g_autofree char *got =
	    test_db_text(fixture->db, "SELECT CONCAT(reason, ' ', scope) FROM suppression");
	cr_expect_str_eq(got, "3 2");
}
