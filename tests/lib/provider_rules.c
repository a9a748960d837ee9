/* SPDX-License-Identifier: MIT */
/* Tests whom the events of providers are about, and that each is recorded once and at its time. */
#include <criterion/criterion.h>

#include "base/clock.h"
#include "base/limits/report.h"
#include "delivery/recover.h"
#include "feedback/provider.h"
#include "tests/lib/posting.h"
#include "tests/lib/provided.h"
#include "tests/support/db.h"

Test(provider_rules, reply_has_the_id_of_the_message)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
	    {"Ok: queued as 4bX2kQ", "4bX2kQ"},
	    {"Ok: queued as <202211@smtp-relay.example>", "202211@smtp-relay.example"},
	    {"Great success. Queued as 12345.", "12345"},
	    {"OK id=1hYx2-00", "1hYx2-00"},
	    {"Message accepted (id=abc", "abc"},
	    {"valid=12 and behind", NULL},
	    {"Ok 0100018a-b2c3-000000", "0100018a-b2c3-000000"},
	    {"Ok <12345678>", "12345678"},
	    {"Ok 12345678.", "12345678"},
	    {"Ok 1234567", NULL},
	    {"Ok 1234567.", NULL},
	    {"0100018a-b2c3-000000", "0100018a-b2c3-000000"},
	    {"queued as ", NULL},
	    {"", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = provider_reply_id(cases[i].text);
		if (cases[i].want)
			cr_expect_str_eq(
			    got ? got : "", cases[i].want, "%s: %s", cases[i].text, got);
		else
			cr_expect_null(got, "%s: %s", cases[i].text, got);
	}
}

/* Each way in which an event names its message; the first that means one decides. */
Test(provider_rules, message_is_found_in_four_ways)
{
	AUTO(smtp_server) relay = smtp_server_start(&provided_relay);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(fixture) fixture = provided_world(relay, "");
	static const struct {
		const char *data;
		guint want;
	} cases[] = {
	    {"'email_id':'Reply-1'", 1},
	    {"'email_id':'<Reply-1>'", 1},
	    {"'email_id':'reply-1'", 0},
	    {"'email_id':'other','headers':{'x-posthouse-id':'@COPY@'}", 1},
	    {"'headers':[{'name':'X-Posthouse-Id','value':'@COPY@'}]", 1},
	    {"'metadata':{'posthouse-id':'@COPY@'}", 1},
	    {"'headers':{'Message-ID':'<@EMAIL@@example.com>'}", 1},
	    {"'headers':{'Message-ID':'<@EMAIL@.12@example.com>'}", 1},
	    {"'headers':{'X-Posthouse-Id':'@EMAIL@'}", 0},
	    {"'recipient':'Ada <ADA@x.org>','email_id':'Reply-1'", 1},
	    {"'recipient':'bob@x.org','email_id':'Reply-1'", 0},
	    {"'recipient':'bob@x.org','email_id':'Reply-1','metadata':{'posthouse-id':'@COPY@'}",
		0},
	    {"'recipient':'ada@x.org'", 0},
	};

	reporter_add(reporter, fixture->service, "a");
	posting_submit(fixture, "ada@x.org");
	posting_deliver(fixture);
	g_autofree char *copy = provided_copy(fixture, "id"),
			*email = provided_copy(fixture, "email_id");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) body = g_string_new(NULL);
		g_autofree char *id = g_strdup_printf("request-%zu", i);

		g_string_printf(body, "{'type':'email.opened','data':{%s}}", cases[i].data);
		g_string_replace(body, "@COPY@", copy, 0);
		g_string_replace(body, "@EMAIL@", email, 0);
		struct feedback_provider_result got =
		    provided_post(reporter, fixture, body->str, id);
		cr_expect_eq(got.recorded, cases[i].want, "%s: %u", cases[i].data, got.recorded);
		cr_expect_eq(got.unmatched, 1 - cases[i].want, "%s", cases[i].data);
		cr_expect_eq(got.received, 1, "%s", cases[i].data);
	}
}

Test(provider_rules, endpoint_speaks_of_its_relay_alone)
{
	AUTO(smtp_server) relay = smtp_server_start(&provided_relay);
	AUTO(reporter) own = reporter_new(PROVIDER_GENERIC);
	AUTO(reporter) other = reporter_new(PROVIDER_GENERIC);
	AUTO(fixture) fixture = provided_world(relay, "");
	const char *body = "{'type':'email.delivered','data':{'email_id':'Reply-1'}}";

	reporter_add(own, fixture->service, "a");
	reporter_add(other, fixture->service, "b");
	struct base_id id = posting_submit(fixture, "ada@x.org");
	posting_deliver(fixture);
	cr_expect_eq(provided_post(other, fixture, body, "1").unmatched, 1);
	provided_expect(fixture, "other", &id, "0 sent\n");
	cr_expect_eq(provided_post(own, fixture, body, "1").recorded, 1);
	provided_expect(fixture, "own", &id, "0 sent\n0 delivered\n");
}

/* As in a report that comes by mail. */
Test(provider_rules, complaint_leaves_all_mailings)
{
	AUTO(smtp_server) relay = smtp_server_start(&provided_relay);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(fixture) fixture = provided_world(relay, "");
	const char *bounce = "{'type':'email.bounced','data':{'email_id':'Reply-1'}}",
		   *complaint = "{'type':'email.complained','data':{'email_id':'Reply-1'}}",
		   *own = "SELECT COUNT(*) FROM choice WHERE person = 'ada@x.org' AND author = 1";

	reporter_add(reporter, fixture->service, "a");
	posting_submit(fixture, "ada@x.org");
	posting_deliver(fixture);
	cr_expect_eq(provided_post(reporter, fixture, bounce, "1").recorded, 1);
	cr_expect_eq(test_db_number(fixture->db, own), 0);
	test_db_plain(fixture->db, "DELETE FROM suppression");
	cr_expect_eq(provided_post(reporter, fixture, complaint, "2").recorded, 1);
	cr_expect_eq(test_db_number(fixture->db, own), 1);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM suppression WHERE reason = 2"
						 " AND scope = 1"),
	    1);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM consent WHERE"
						 " person = 'ada@x.org' AND author = 1"),
	    1);
}

/* An event without a recipient is about the only one; a failure is about all. */
Test(provider_rules, message_as_a_whole_has_one_recipient)
{
	AUTO(smtp_server) relay = smtp_server_start(&provided_relay);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(fixture) fixture = provided_world(relay, "");

	reporter_add(reporter, fixture->service, "a");
	struct base_id id = posting_submit(fixture, "ada@x.org bob@x.org");
	posting_deliver(fixture);
	cr_expect_eq(provided_post(reporter, fixture,
			 "{'type':'email.delivered','data':{'email_id':'Reply-1'}}", "1")
			 .unmatched,
	    1);
	struct feedback_provider_result all = provided_post(
	    reporter, fixture, "{'type':'email.failed','data':{'email_id':'Reply-1'}}", "2");
	cr_expect_eq(all.recorded, 2);
	cr_expect_eq(all.received, 2);
	provided_expect(fixture, "all", &id, "0 sent\n1 sent\n0 failed\n1 failed\n");
}

/* The relay takes one recipient at once and the other one later: two copies of one entry. */
Test(provider_rules, copies_have_the_recipients_that_were_taken)
{
	static const struct smtp_script deferring = {
	    .rules = {REPLY("RCPT TO:<bob*", 1, "451 4.2.0 later"),
		REPLY(".", 1, "250 Ok first-123"), REPLY(".", 2, "250 Ok second-1")}};
	AUTO(smtp_server) relay = smtp_server_start(&deferring);
	AUTO(fixture) fixture = provided_world(relay, "");

	posting_submit(fixture, "ada@x.org bob@x.org");
	posting_deliver(fixture);
	test_db_plain(fixture->db, "UPDATE outbox SET ready_at = 1");
	posting_deliver(fixture);
	g_autofree char *got =
	    test_db_text(fixture->db, "SELECT GROUP_CONCAT(CONCAT(relay, ' ', reply, ' ',"
				      " HEX(recipients)) ORDER BY sent) FROM relay_copy");
	cr_expect_str_eq(got, "a first-123 0000,a second-1 0001", "%s", got);
}

Test(provider_rules, relay_without_provider_leaves_no_copy)
{
	AUTO(fixture) fixture = fixture_open(&provided_relay, NULL);

	posting_submit(fixture, "ada@x.org");
	posting_deliver(fixture);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM relay_copy"), 0);
}

/* Some statuses come once for each recipient, also when a report told of them. */
Test(provider_rules, final_statuses_come_once)
{
	static const struct {
		const char *type;
		guint want; /* of three that differ in their id */
	} cases[] = {
	    {"delivered','data':{", 1},
	    {"complained','data':{", 1},
	    {"unsubscribed','data':{", 1},
	    {"bounced','data':{'bounce':{'type':'Permanent'},", 1},
	    {"bounced','data':{'bounce':{'type':'Transient'},", 3},
	    {"delayed','data':{", 3},
	    {"opened','data':{", 3},
	};
	AUTO(smtp_server) relay = smtp_server_start(&provided_relay);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(fixture) fixture = provided_world(relay, "");

	reporter_add(reporter, fixture->service, "a");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *address = g_strdup_printf("a%zu@x.org", i);
		g_autofree char *event =
		    g_strdup_printf("{'type':'email.%s'email_id':'Reply-1','recipient':'%s'}}",
			cases[i].type, address);
		g_autofree char *both = g_strdup_printf("[%s,%s]", event, event);
		g_autofree char *id = g_strdup_printf("request-%zu", i);
		g_autofree char *another = g_strdup_printf("another-%zu", i);

		posting_submit(fixture, address);
		posting_deliver(fixture);
		struct feedback_provider_result first = provided_post(reporter, fixture, both, id),
						repeated =
						    provided_post(reporter, fixture, both, id),
						second = provided_post(
						    reporter, fixture, event, another);
		cr_expect_eq(first.recorded + second.recorded, cases[i].want, "%s: %u",
		    cases[i].type, first.recorded + second.recorded);
		cr_expect_eq(repeated.recorded, 0, "%s", cases[i].type);
		cr_expect_eq(repeated.duplicate, 2, "%s", cases[i].type);
	}
	posting_submit(fixture, "dsn@x.org");
	posting_deliver(fixture);
	fixture->is_altered = true;
	test_db_plain(fixture->db,
	    "INSERT INTO event (email_id, id, workspace_id, recipient, status,"
	    " timestamp) SELECT email_id, UNHEX(REPLACE(UUID(), '-', '')),"
	    " workspace_id, 0, 2, 1 FROM relay_copy ORDER BY email_id DESC LIMIT 1");
	cr_expect_eq(provided_post(reporter, fixture,
			 "{'type':'email.delivered','data':{'email_id':'Reply-1',"
			 "'recipient':'dsn@x.org'}}",
			 "dsn")
			 .duplicate,
	    1);
}

/* Repeated events are known for 30 days. */
Test(provider_rules, keys_are_tidied)
{
	AUTO(smtp_server) relay = smtp_server_start(&provided_relay);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(fixture) fixture = provided_world(relay, "");
	gint64 now = base_clock_now();
	guint count;

	reporter_add(reporter, fixture->service, "a");
	posting_submit(fixture, "ada@x.org");
	posting_deliver(fixture);
	provided_post(
	    reporter, fixture, "{'type':'email.opened','data':{'email_id':'Reply-1'}}", "1");
	cr_assert(store_provider_sweep(fixture->db, now - 1000, &count, NULL));
	cr_expect_eq(count, 0);
	cr_assert(store_provider_sweep(fixture->db, now + 60000, &count, NULL));
	cr_expect_eq(count, 1);
	cr_expect_eq(LIMIT_PROVIDER_EVENT_MS, 30LL * 24 * 60 * 60 * 1000);
}

/* The time is the provider's, but not before the message was sent, nor more than 5 min ahead. */
Test(provider_rules, time_is_that_of_the_provider)
{
	AUTO(smtp_server) relay = smtp_server_start(&provided_relay);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(fixture) fixture = provided_world(relay, "");

	reporter_add(reporter, fixture->service, "a");
	posting_submit(fixture, "ada@x.org");
	posting_deliver(fixture);
	gint64 now = base_clock_now(),
	       sent = test_db_number(fixture->db, "SELECT sent FROM relay_copy");
	const struct {
		gint64 given, from, to;
	} cases[] = {
	    {sent + 1, sent + 1, sent + 1},
	    {sent - 60000, sent, sent},
	    {0, now, now + 10000},
	    {now + 4 * 60000, now + 4 * 60000, now + 4 * 60000},
	    {now + 6 * 60000, now, now + 10000},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *body =
		    g_strdup_printf("{'type':'email.opened','timestamp':%" G_GINT64_FORMAT
				    ",'data':{'email_id':'Reply-1'}}",
			cases[i].given);
		g_autofree char *id = g_strdup_printf("request-%zu", i);

		provided_post(reporter, fixture, body, id);
		gint64 got = test_db_number(
		    fixture->db, "SELECT timestamp FROM event ORDER BY id DESC LIMIT 1");
		cr_expect(got >= cases[i].from && got <= cases[i].to, "%zu: %" G_GINT64_FORMAT, i,
		    got - now);
	}
	/* An earlier event that comes later does not become the latest one. */
	provided_post(reporter, fixture,
	    "{'type':'email.delivered','timestamp':1,'data':{'email_id':'Reply-1'}}", "late");
	cr_expect_eq(test_db_number(fixture->db, "SELECT status FROM recipient"), 5);
}

/* A journal whose process has died tells the relay, too. */
Test(provider_rules, copy_is_recovered)
{
	AUTO(smtp_server) relay = smtp_server_start(&provided_relay);
	AUTO(fixture) fixture = provided_world(relay, "");

	posting_submit(fixture, "ada@x.org");
	struct delivery *delivery = posting_start(fixture);
	test_db_plain(fixture->db, "RENAME TABLE relay_copy TO gone");
	delivery_free(delivery);
	test_db_plain(fixture->db, "RENAME TABLE gone TO relay_copy");
	cr_assert(service_ensure(fixture->service, NULL));
	cr_assert(delivery_recover(fixture->service, NULL, NULL));
	g_autofree char *got =
	    test_db_text(fixture->db, "SELECT CONCAT(relay, ' ', reply) FROM relay_copy");
	cr_expect_str_eq(got, "a Reply-1");
}

/* The events say which relay they are about. */
Test(provider_rules, events_name_the_relay)
{
	AUTO(smtp_server) relay = smtp_server_start(&provided_relay);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(fixture) fixture = provided_world(relay, "");

	reporter_add(reporter, fixture->service, "a");
	posting_submit(fixture, "ada@x.org");
	posting_deliver(fixture);
	provided_post(reporter, fixture,
	    "[{'type':'email.delayed','data':{'email_id':'Reply-1'}},"
	    "{'type':'email.opened','data':{'email_id':'Reply-1'}}]",
	    "1");
	g_autofree char *got = test_db_text(fixture->db,
	    "SELECT GROUP_CONCAT(CONCAT(status, COALESCE(relay, '-')) ORDER BY status) FROM event");
	cr_expect_str_eq(got, "1a,3a,5-");
}

static void *
provider_rules_finish(void *delivery)
{
	g_usleep(200 * 1000);
	delivery_free(delivery);
	return NULL;
}

/* A provider may report before we have recorded that its relay took the message. */
Test(provider_rules, early_report_waits_for_the_record)
{
	AUTO(smtp_server) relay = smtp_server_start(&provided_relay);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(fixture) fixture = provided_world(relay, "");
	AUTO(service) other = service_open(fixture->settings);
	struct feedback_provider_result result;

	reporter_add(reporter, fixture->service, "a");
	posting_submit(fixture, "ada@x.org");
	struct delivery *delivery = posting_start(fixture);
	g_autofree char *id = test_db_text(fixture->db,
	    "SELECT LOWER(CONCAT_WS('-', SUBSTR(HEX(id), 1, 8), SUBSTR(HEX(id), 9, 4),"
	    " SUBSTR(HEX(id), 13, 4), SUBSTR(HEX(id), 17, 4), SUBSTR(HEX(id), 21))) FROM outbox");
	g_autofree char *body = g_strdup_printf(
	    "{'type':'email.delivered','data':{'headers':{'X-Posthouse-Id':'%s'}}}", id);
	AUTO(reporter_request) request = reporter_sign(reporter, NULL, body, "1", base_clock_now());
	GThread *thread = g_thread_new("finish", provider_rules_finish, delivery);
	cr_assert(service_ensure(other, NULL));
	g_autoptr(GError) error = reporter_take(reporter, other, request, &result);
	g_thread_join(thread);
	cr_expect(!error, "%s", error ? error->message : "");
	cr_expect_eq(result.recorded, 1);
}
