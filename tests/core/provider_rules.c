/* SPDX-License-Identifier: MIT */
/* Tests whom the events of providers are about, that each is recorded once and at its time, and how
   the messages of Amazon SNS are verified. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "core/provider.h"
#include "core/recover.h"
#include "provider/sns.h"
#include "tests/core/posting.h"
#include "tests/core/reporter.h"
#include "tests/support/db.h"

static const struct smtp_script good = {
    .rules = {REPLY(".", 0, "250 2.0.0 Ok: queued as <Reply-1.>")}};

static struct world *
open_world(const struct smtp_server *relay, const char *more)
{
	g_autofree char *text =
	    g_strdup_printf("[relay a]\nhost = 127.0.0.1\nport = %u\ntls = none\n"
			    "provider = generic\n%s",
		smtp_server_port(relay), more);

	return world_open(NULL, text);
}

/* Posts a body to the endpoint, with this id. */
static struct core_provider_result
post(const struct reporter *reporter, struct world *world, const char *body, const char *id)
{
	struct core_provider_result result;
	AUTO(reporter_request) request = reporter_sign(reporter, NULL, body, id, base_clock_now());
	g_autoptr(GError) error = reporter_take(reporter, world->core, request, &result);

	cr_expect(!error, "%s: %s", body, error ? error->message : "");
	return result;
}

static void
expect_events(struct world *world, const char *name, const struct base_id *email, const char *want)
{
	g_autofree char *got = world_events(world, email);

	cr_expect_str_eq(got, want, "%s: got\n%swant\n%s", name, got, want);
}

static char *
text_id(struct world *world, const char *column)
{
	g_autofree char *query = g_strdup_printf(
	    "SELECT LOWER(CONCAT_WS('-', SUBSTR(HEX(%1$s), 1, 8), SUBSTR(HEX(%1$s), 9, 4),"
	    " SUBSTR(HEX(%1$s), 13, 4), SUBSTR(HEX(%1$s), 17, 4), SUBSTR(HEX(%1$s), 21)))"
	    " FROM relay_copy ORDER BY email_id DESC LIMIT 1",
	    column);

	return test_db_text(world->db, query);
}

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
	AUTO(smtp_server) relay = smtp_server_start(&good);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(world) world = open_world(relay, "");
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

	reporter_add(reporter, world->core, "a");
	posting_submit(world, "ada@x.org");
	posting_deliver(world);
	g_autofree char *copy = text_id(world, "id"), *email = text_id(world, "email_id");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) body = g_string_new(NULL);
		g_autofree char *id = g_strdup_printf("request-%zu", i);

		g_string_printf(body, "{'type':'email.opened','data':{%s}}", cases[i].data);
		g_string_replace(body, "@COPY@", copy, 0);
		g_string_replace(body, "@EMAIL@", email, 0);
		struct core_provider_result got = post(reporter, world, body->str, id);
		cr_expect_eq(got.recorded, cases[i].want, "%s: %u", cases[i].data, got.recorded);
		cr_expect_eq(got.unmatched, 1 - cases[i].want, "%s", cases[i].data);
		cr_expect_eq(got.received, 1, "%s", cases[i].data);
	}
}

Test(provider_rules, endpoint_speaks_of_its_relay_alone)
{
	AUTO(smtp_server) relay = smtp_server_start(&good);
	AUTO(reporter) own = reporter_new(PROVIDER_GENERIC);
	AUTO(reporter) other = reporter_new(PROVIDER_GENERIC);
	AUTO(world) world = open_world(relay, "");
	const char *body = "{'type':'email.delivered','data':{'email_id':'Reply-1'}}";

	reporter_add(own, world->core, "a");
	reporter_add(other, world->core, "b");
	struct base_id id = posting_submit(world, "ada@x.org");
	posting_deliver(world);
	cr_expect_eq(post(other, world, body, "1").unmatched, 1);
	expect_events(world, "other", &id, "0 sent\n");
	cr_expect_eq(post(own, world, body, "1").recorded, 1);
	expect_events(world, "own", &id, "0 sent\n0 delivered\n");
}

/* An event without a recipient is about the only one; a failure is about all. */
Test(provider_rules, message_as_a_whole_has_one_recipient)
{
	AUTO(smtp_server) relay = smtp_server_start(&good);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(world) world = open_world(relay, "");

	reporter_add(reporter, world->core, "a");
	struct base_id id = posting_submit(world, "ada@x.org bob@x.org");
	posting_deliver(world);
	cr_expect_eq(
	    post(reporter, world, "{'type':'email.delivered','data':{'email_id':'Reply-1'}}", "1")
		.unmatched,
	    1);
	struct core_provider_result all =
	    post(reporter, world, "{'type':'email.failed','data':{'email_id':'Reply-1'}}", "2");
	cr_expect_eq(all.recorded, 2);
	cr_expect_eq(all.received, 2);
	expect_events(world, "all", &id, "0 sent\n1 sent\n0 failed\n1 failed\n");
}

/* The relay takes one recipient at once and the other one later: two copies of one entry. */
Test(provider_rules, copies_have_the_recipients_that_were_taken)
{
	static const struct smtp_script deferring = {
	    .rules = {REPLY("RCPT TO:<bob*", 1, "451 4.2.0 later"),
		REPLY(".", 1, "250 Ok first-123"), REPLY(".", 2, "250 Ok second-1")}};
	AUTO(smtp_server) relay = smtp_server_start(&deferring);
	AUTO(world) world = open_world(relay, "");

	posting_submit(world, "ada@x.org bob@x.org");
	posting_deliver(world);
	test_db_plain(world->db, "UPDATE outbox SET ready_at = 1");
	posting_deliver(world);
	g_autofree char *got =
	    test_db_text(world->db, "SELECT GROUP_CONCAT(CONCAT(relay, ' ', reply, ' ',"
				    " HEX(recipients)) ORDER BY sent) FROM relay_copy");
	cr_expect_str_eq(got, "a first-123 0000,a second-1 0001", "%s", got);
}

Test(provider_rules, relay_without_provider_leaves_no_copy)
{
	AUTO(world) world = world_open(&good, NULL);

	posting_submit(world, "ada@x.org");
	posting_deliver(world);
	cr_expect_eq(test_db_number(world->db, "SELECT COUNT(*) FROM relay_copy"), 0);
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
	AUTO(smtp_server) relay = smtp_server_start(&good);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(world) world = open_world(relay, "");

	reporter_add(reporter, world->core, "a");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *address = g_strdup_printf("a%zu@x.org", i);
		g_autofree char *event =
		    g_strdup_printf("{'type':'email.%s'email_id':'Reply-1','recipient':'%s'}}",
			cases[i].type, address);
		g_autofree char *both = g_strdup_printf("[%s,%s]", event, event);
		g_autofree char *id = g_strdup_printf("request-%zu", i);
		g_autofree char *another = g_strdup_printf("another-%zu", i);

		posting_submit(world, address);
		posting_deliver(world);
		struct core_provider_result first = post(reporter, world, both, id),
					    repeated = post(reporter, world, both, id),
					    second = post(reporter, world, event, another);
		cr_expect_eq(first.recorded + second.recorded, cases[i].want, "%s: %u",
		    cases[i].type, first.recorded + second.recorded);
		cr_expect_eq(repeated.recorded, 0, "%s", cases[i].type);
		cr_expect_eq(repeated.duplicate, 2, "%s", cases[i].type);
	}
	posting_submit(world, "dsn@x.org");
	posting_deliver(world);
	world->is_altered = true;
	test_db_plain(world->db,
	    "INSERT INTO event (email_id, id, workspace_id, recipient, status,"
	    " timestamp) SELECT email_id, UNHEX(REPLACE(UUID(), '-', '')),"
	    " workspace_id, 0, 2, 1 FROM relay_copy ORDER BY email_id DESC LIMIT 1");
	cr_expect_eq(post(reporter, world,
			 "{'type':'email.delivered','data':{'email_id':'Reply-1',"
			 "'recipient':'dsn@x.org'}}",
			 "dsn")
			 .duplicate,
	    1);
}

/* Repeated events are known for 30 days. */
Test(provider_rules, keys_are_tidied)
{
	AUTO(smtp_server) relay = smtp_server_start(&good);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(world) world = open_world(relay, "");
	gint64 now = base_clock_now();
	guint count;

	reporter_add(reporter, world->core, "a");
	posting_submit(world, "ada@x.org");
	posting_deliver(world);
	post(reporter, world, "{'type':'email.opened','data':{'email_id':'Reply-1'}}", "1");
	cr_assert(store_provider_sweep(world->db, now - 1000, &count, NULL));
	cr_expect_eq(count, 0);
	cr_assert(store_provider_sweep(world->db, now + 60000, &count, NULL));
	cr_expect_eq(count, 1);
	cr_expect_eq(LIMIT_PROVIDER_EVENT_MS, 30LL * 24 * 60 * 60 * 1000);
}

/* The time is the provider's, but not before the message was sent, nor more than 5 min ahead. */
Test(provider_rules, time_is_that_of_the_provider)
{
	AUTO(smtp_server) relay = smtp_server_start(&good);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(world) world = open_world(relay, "");

	reporter_add(reporter, world->core, "a");
	posting_submit(world, "ada@x.org");
	posting_deliver(world);
	gint64 now = base_clock_now(),
	       sent = test_db_number(world->db, "SELECT sent FROM relay_copy");
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

		post(reporter, world, body, id);
		gint64 got = test_db_number(
		    world->db, "SELECT timestamp FROM event ORDER BY id DESC LIMIT 1");
		cr_expect(got >= cases[i].from && got <= cases[i].to, "%zu: %" G_GINT64_FORMAT, i,
		    got - now);
	}
	/* An earlier event that comes later does not become the latest one. */
	post(reporter, world,
	    "{'type':'email.delivered','timestamp':1,'data':{'email_id':'Reply-1'}}", "late");
	cr_expect_eq(test_db_number(world->db, "SELECT status FROM recipient"), 5);
}

/* A batch of 1,000 events is one transaction. */
Test(provider_rules, batch_is_one_transaction)
{
	AUTO(smtp_server) relay = smtp_server_start(&good);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(world) world = open_world(relay, "");
	g_autoptr(GString) body = g_string_new("[");

	reporter_add(reporter, world->core, "a");
	for (guint i = 0; i < 500; i++) {
		g_autofree char *address = g_strdup_printf("a%u@x.org", i);
		posting_submit(world, address);
		for (guint n = 0; n < 2; n++)
			g_string_append_printf(body,
			    "%s{'type':'email.%s','data':{'email_id':'Reply-1','recipient':'%s'}}",
			    i + n > 0 ? "," : "", n ? "clicked" : "delivered", address);
	}
	for (guint i = 0; i < 5; i++)
		posting_deliver(world);
	cr_assert_eq(test_db_number(world->db, "SELECT COUNT(*) FROM relay_copy"), 500);
	g_string_append_c(body, ']');
	gint64 began = g_get_monotonic_time();
	gint64 before =
	    test_db_number(world->db, "SELECT variable_value FROM information_schema.global_status"
				      " WHERE variable_name = 'Com_stmt_execute'");
	struct core_provider_result got = post(reporter, world, body->str, "1");
	gint64 statements =
	    test_db_number(world->db, "SELECT variable_value FROM information_schema.global_status"
				      " WHERE variable_name = 'Com_stmt_execute'") -
	    before;
	cr_expect_eq(got.recorded, 1000, "%u", got.recorded);
	cr_expect_eq(got.received, 1000);
	cr_expect_eq(test_db_number(world->db, "SELECT COUNT(*) FROM event"), 1500);
	cr_expect_eq(post(reporter, world, body->str, "1").duplicate, 1000);
	cr_log_info("%d ms, %d statements", (int)((g_get_monotonic_time() - began) / 1000),
	    (int)statements);
}

/* Sends emails to addresses in turn, "FORM-0@x.org" and so on, and posts one event of each. more:
   members of its data. Returns the number of statements that took. */
static gint64
send_and_post(const struct reporter *reporter, struct world *world, const char *form, guint people,
    guint count, const char *type, const char *more)
{
	/* Of the connection: other tests use the server as well. */
	static const char statements[] =
	    "SELECT variable_value FROM information_schema.session_status"
	    " WHERE variable_name = 'Questions'";
	static guint request;
	g_autofree char *id = g_strdup_printf("request-%u", request++);
	g_autoptr(GString) body = g_string_new("[");

	test_db_plain(world->db, "DELETE FROM relay_copy");
	for (guint i = 0; i < count; i++) {
		g_autofree char *address = g_strdup_printf("%s-%u@x.org", form, i % people);

		posting_submit(world, address);
		posting_deliver(world);
		g_autofree char *copy = text_id(world, "id");
		g_string_append_printf(body,
		    "%s{'type':'email.%s','data':{'metadata':{'posthouse-id':'%s'}%s}}",
		    i ? "," : "", type, copy, more);
	}
	g_string_append_c(body, ']');
	gint64 before = test_db_number(world->core->db, statements);
	cr_expect_eq(post(reporter, world, body->str, id).recorded, count);
	return test_db_number(world->core->db, statements) - before;
}

/* The events of one request are stored together, so the bounces of an address count each other
   before that. */
Test(provider_rules, transient_bounces_of_one_request_count_each_other)
{
	static const struct {
		const char *name;
		guint before, together;
		gint64 want;
	} cases[] = {{"four", 0, 4, 0}, {"five", 0, 5, 1}, {"two and two", 2, 2, 0},
	    {"two and three", 2, 3, 1}, {"six", 0, 6, 1}};
	AUTO(smtp_server) relay = smtp_server_start(&good);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(world) world = open_world(relay, "");

	reporter_add(reporter, world->core, "a");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *form = g_strdup_printf("case%zu", i);
		const guint counts[] = {cases[i].before, cases[i].together};

		for (guint n = 0; n < 2; n++)
			if (counts[n] > 0)
				send_and_post(reporter, world, form, 1, counts[n], "bounced",
				    ",'bounce':{'type':'Transient','code':'4.2.2'}");
		gint64 got = test_db_number(world->db, "SELECT COUNT(*) FROM suppression");
		cr_expect_eq(got, cases[i].want, "%s: %d", cases[i].name, (int)got);
		test_db_plain(world->db, "DELETE FROM suppression");
	}
}

/* The addresses of a request are suppressed together. Twenty more of them take two statements each,
   for webhooks, and few besides. An address that is named twice is one. */
Test(provider_rules, addresses_of_one_request_are_suppressed_together)
{
	AUTO(smtp_server) relay = smtp_server_start(&good);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(world) world = open_world(relay, "");
	const char *gone = ",'bounce':{'type':'Permanent','code':'5.1.1'}";

	reporter_add(reporter, world->core, "a");
	gint64 few = send_and_post(reporter, world, "few", 20, 40, "bounced", gone);
	gint64 many = send_and_post(reporter, world, "many", 40, 80, "complained", "");
	g_autofree char *got = test_db_text(world->db,
	    "SELECT CONCAT(COUNT(*), ' ', COUNT(DISTINCT address), ' ', SUM(reason = 1), ' ',"
	    " SUM(reason = 2), ' ', SUM(scope = 1), ' ', COUNT(source_id)) FROM suppression");
	cr_expect_str_eq(got, "60 60 20 40 60 60", "%s", got);
	cr_expect_lt(many - few, 40 + 20, "%d and %d statements", (int)few, (int)many);
	cr_log_info("%d and %d statements", (int)few, (int)many);
}

/* One event that cannot be stored takes all others with it. */
Test(provider_rules, request_is_recorded_whole_or_not)
{
	AUTO(smtp_server) relay = smtp_server_start(&good);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(world) world = open_world(relay, "");
	struct core_provider_result result;
	const char *body = "[{'type':'email.delivered','data':{'email_id':'Reply-1'}},"
			   "{'type':'email.opened','data':{'email_id':'Reply-1'}}]";

	reporter_add(reporter, world->core, "a");
	struct base_id id = posting_submit(world, "ada@x.org");
	posting_deliver(world);
	test_db_plain(world->db, "ALTER TABLE event ADD CONSTRAINT no CHECK (status <> 5)");
	AUTO(reporter_request) request = reporter_sign(reporter, NULL, body, "1", base_clock_now());
	g_autoptr(GError) error = reporter_take(reporter, world->core, request, &result);
	cr_expect_not_null(error);
	expect_events(world, "refused", &id, "0 sent\n");
	test_db_plain(world->db, "ALTER TABLE event DROP CONSTRAINT no");
	cr_expect_eq(post(reporter, world, body, "1").recorded, 2);
}

/* The age of a signature, at its limit and past it. */
Test(provider_rules, old_signatures_are_refused)
{
	static const struct {
		enum provider_name provider;
		int minutes;
	} cases[] = {{PROVIDER_MAILGUN, 12 * 60}, {PROVIDER_SENDGRID, 72 * 60},
	    {PROVIDER_RESEND, 5}, {PROVIDER_GENERIC, 5}};
	AUTO(smtp_server) relay = smtp_server_start(&good);
	AUTO(world) world = open_world(relay, "");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(reporter) reporter = reporter_new(cases[i].provider);
		gint64 now = base_clock_now(), age = cases[i].minutes * 60000LL;
		const struct {
			gint64 at;
			bool good;
		} times[] = {{now - age + 2000, true}, {now - age - 2000, false},
		    {now + 298000, true}, {now + 302000, false}};

		reporter_add(reporter, world->core, "a");
		for (gsize t = 0; t < G_N_ELEMENTS(times); t++) {
			struct core_provider_result result;
			AUTO(reporter_request) request =
			    reporter_sign(reporter, NULL, "{'event':'x'}", "1", times[t].at);
			g_autoptr(GError) error =
			    reporter_take(reporter, world->core, request, &result);
			cr_expect_eq(!error, times[t].good, "%s at %zu: %s",
			    provider_word(cases[i].provider), t, error ? error->message : "taken");
		}
	}
}

Test(provider_rules, secret_has_the_form_of_the_provider)
{
	static const struct {
		enum provider_name provider;
		const char *secret, *want;
	} cases[] = {
	    {PROVIDER_SES, "s", "ses has no secret"},
	    {PROVIDER_MAILGUN, NULL, "mailgun needs a secret"},
	    {PROVIDER_MAILGUN, "", "the secret is empty"},
	    {PROVIDER_POSTMARK, "s", "the secret of postmark is made, not given"},
	    {PROVIDER_SENDGRID, NULL, "sendgrid needs a secret"},
	    {PROVIDER_SENDGRID, "AAAA",
		"the public key must be base64 or PEM, of an elliptic curve key on P-256"},
	    {PROVIDER_BREVO, "s", "the secret of brevo is made, not given"},
	    {PROVIDER_RESEND, NULL, "resend needs a secret"},
	    {PROVIDER_RESEND, "MfKQ9r8G", "the secret must be whsec_ and base64 behind it"},
	    {PROVIDER_GENERIC, "whsec_%", "the secret must be whsec_ and base64 behind it"},
	};
	AUTO(world) world = world_open(NULL, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct core_provider_added added;
		g_autoptr(GError) error = NULL;

		cr_expect_not(core_provider_add(
		    world->core, cases[i].provider, "a", cases[i].secret, &added, &error));
		cr_expect_str_eq(error ? error->message : "", cases[i].want);
		core_provider_added_clear(&added);
	}
	cr_expect_eq(test_db_number(world->db, "SELECT COUNT(*) FROM provider_endpoint"), 0);
}

/* The token and the secrets cannot be read in the database. */
Test(provider_rules, endpoint_keeps_no_secret_in_the_clear)
{
	static const enum provider_name made[] = {
	    PROVIDER_POSTMARK, PROVIDER_BREVO, PROVIDER_GENERIC};
	AUTO(world) world = world_open(NULL, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(made); i++) {
		AUTO(reporter) reporter = reporter_new(made[i]);
		reporter_add(reporter, world->core, "a");
		g_autofree char *query = g_strdup_printf(
		    "SELECT COUNT(*) FROM provider_endpoint WHERE CONCAT(token, secret)"
		    " LIKE '%%%s%%' OR secret LIKE '%%%s%%'",
		    reporter->token, reporter->secret);
		cr_expect_eq(strlen(reporter->token), 43);
		cr_expect_eq(test_db_number(world->db, query), 0);
	}
}

/* A journal whose process has died tells the relay, too. */
Test(provider_rules, copy_is_recovered)
{
	AUTO(smtp_server) relay = smtp_server_start(&good);
	AUTO(world) world = open_world(relay, "");

	posting_submit(world, "ada@x.org");
	struct core_delivery *delivery = posting_start(world);
	test_db_plain(world->db, "RENAME TABLE relay_copy TO gone");
	core_deliver_free(delivery);
	test_db_plain(world->db, "RENAME TABLE gone TO relay_copy");
	cr_assert(core_ensure(world->core, NULL));
	cr_assert(core_recover(world->core, NULL));
	g_autofree char *got =
	    test_db_text(world->db, "SELECT CONCAT(relay, ' ', reply) FROM relay_copy");
	cr_expect_str_eq(got, "a Reply-1");
}

Test(provider_rules, addresses_of_sns_are_amazons)
{
	static const char *const hosts[] = {"127.0.0.1:8080", "sns.example:443", NULL};
	static const struct {
		const char *url;
		bool want;
	} cases[] = {
	    {"https://sns.us-east-1.amazonaws.com/a.pem", true},
	    {"https://sns.cn-north-1.amazonaws.com.cn/a.pem", true},
	    {"http://sns.us-east-1.amazonaws.com/a.pem", false},
	    {"https://sns.us-east-1.amazonaws.com:443/a.pem", false},
	    {"https://sns.us-east-1.amazonaws.com/a.crt", false},
	    {"https://sns.us-east-1.amazonaws.com/a?x=.pem", false},
	    {"https://sns.amazonaws.com/a.pem", false},
	    {"https://sns.a.b.amazonaws.com/a.pem", false},
	    {"https://sns.us-east-1.amazonaws.com.evil.example/a.pem", false},
	    {"https://evil.example/sns.us-east-1.amazonaws.com/a.pem", false},
	    {"https://s3.us-east-1.amazonaws.com/a.pem", false},
	    {"https://u@sns.us-east-1.amazonaws.com/a.pem", false},
	    {"https://sn\xef\xbb\xbfs.us-east-1.amazonaws.com/a.pem", false},
	    {"https://evilsns.us-east-1.amazonaws.com/a.pem", false},
	    {"http://127.0.0.1:8080/a.pem", true},
	    {"https://127.0.0.1:8080/a.pem", true},
	    {"http://127.0.0.1:8081/a.pem", false},
	    {"http://127.0.0.1/a.pem", false},
	    {"https://sns.example/a.pem", true},
	    {"http://sns.example/a.pem", false},
	    {"nonsense", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool ours;
		cr_expect_eq(provider_sns_is_trusted(cases[i].url, hosts, true, &ours),
		    cases[i].want, "%s", cases[i].url);
	}
}

/* A world for SNS, whose certificates and confirmations the reporter serves. */
static struct world *
open_sns(const struct smtp_server *relay, struct reporter *reporter)
{
	g_autofree char *text = g_strdup_printf(
	    "[providers]\nsns_hosts = 127.0.0.1:%d\n", http_server_port(reporter->server));
	struct world *world = open_world(relay, text);

	reporter_add(reporter, world->core, "a");
	return world;
}

/* Takes a message of SNS. Returns 0 when it was taken, else 1 + the code of the error. */
static int
notify(struct reporter *reporter, struct world *world, const char *type, const char *version,
    const char *url)
{
	struct core_provider_result result;
	AUTO(reporter_request) request =
	    reporter_notify(reporter, type, "{'eventType':'Send'}", "1", version, url);
	g_autoptr(GError) error = reporter_take(reporter, world->core, request, &result);

	return error ? 1 + error->code : 0;
}

Test(provider_rules, sns_is_verified_by_a_kept_certificate)
{
	AUTO(smtp_server) relay = smtp_server_start(&good);
	AUTO(reporter) reporter = reporter_new(PROVIDER_SES);
	AUTO(world) world = open_sns(relay, reporter);
	int port = http_server_port(reporter->server);
	g_autofree char *empty = g_strdup_printf("http://127.0.0.1:%d/empty.pem", port),
			*moved = g_strdup_printf("http://127.0.0.1:%d/elsewhere.pem", port),
			*other = g_strdup_printf("http://127.0.0.1:%d/cert.pem", port + 1);

	cr_expect_eq(notify(reporter, world, "Notification", "1", NULL), 0);
	cr_expect_eq(notify(reporter, world, "Notification", "2", NULL), 0);
	cr_expect_eq(notify(reporter, world, "UnsubscribeConfirmation", "2", NULL), 0);
	cr_expect_eq(notify(reporter, world, "Notification", "3", NULL), 1 + PH_ERROR_FORBIDDEN);
	cr_expect_eq(http_server_count(reporter->server), 1, "fetched %d times",
	    http_server_count(reporter->server));
	cr_expect_eq(notify(reporter, world, "Notification", "2", empty), 1 + PH_ERROR_FORBIDDEN);
	cr_expect_eq(notify(reporter, world, "Notification", "2", moved), 1 + PH_ERROR_TEMPORARY);
	cr_expect_eq(notify(reporter, world, "Notification", "2", other), 1 + PH_ERROR_FORBIDDEN);
	/* A day later it is fetched again. */
	int before = http_server_count(reporter->server);
	test_db_plain(world->db, "UPDATE provider_certificate SET fetched = fetched - 86300000");
	cr_expect_eq(notify(reporter, world, "Notification", "2", NULL), 0);
	cr_expect_eq(http_server_count(reporter->server), before);
	test_db_plain(world->db, "UPDATE provider_certificate SET fetched = fetched - 100000");
	cr_expect_eq(notify(reporter, world, "Notification", "2", NULL), 0);
	cr_expect_eq(http_server_count(reporter->server), before + 1);
}

Test(provider_rules, subscription_is_confirmed_and_its_topic_kept)
{
	AUTO(smtp_server) relay = smtp_server_start(&good);
	AUTO(reporter) reporter = reporter_new(PROVIDER_SES);
	AUTO(world) world = open_sns(relay, reporter);

	cr_expect_eq(notify(reporter, world, "SubscriptionConfirmation", "1", NULL), 0);
	g_autofree char *last = http_server_last(reporter->server);
	cr_expect(g_str_has_prefix(last, "GET /confirm?Token=t "), "%s", last);
	g_autofree char *topic = test_db_text(world->db, "SELECT topic FROM provider_endpoint");
	cr_expect_str_eq(topic, REPORTER_TOPIC);
	cr_expect_eq(notify(reporter, world, "SubscriptionConfirmation", "1", NULL), 0);
	cr_expect_eq(notify(reporter, world, "Notification", "1", NULL), 0);
	test_db_plain(world->db, "UPDATE provider_endpoint SET topic = 'arn:aws:sns:other'");
	cr_expect_eq(notify(reporter, world, "Notification", "1", NULL), 1 + PH_ERROR_FORBIDDEN);
	cr_expect_eq(
	    notify(reporter, world, "SubscriptionConfirmation", "1", NULL), 1 + PH_ERROR_FORBIDDEN);
}

/* A person who leaves by the provider's link is treated like one who leaves by ours. */
Test(provider_rules, unsubscribed_person_made_a_choice)
{
	AUTO(smtp_server) relay = smtp_server_start(&good);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(world) world = open_world(relay, "");

	reporter_add(reporter, world->core, "a");
	posting_submit(world, "ada@x.org");
	posting_deliver(world);
	post(reporter, world, "{'type':'email.unsubscribed','data':{'email_id':'Reply-1'}}", "1");
	cr_expect_eq(test_db_number(world->db, "SELECT COUNT(*) FROM choice"), 1);
	g_autofree char *got =
	    test_db_text(world->db, "SELECT CONCAT(reason, ' ', scope) FROM suppression");
	cr_expect_str_eq(got, "3 2");
}

/* Five transient bounces within 30 days suppress, as those of reports do. */
Test(provider_rules, transient_bounces_are_counted)
{
	AUTO(smtp_server) relay = smtp_server_start(&good);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(world) world = open_world(relay, "");

	reporter_add(reporter, world->core, "a");
	posting_submit(world, "ada@x.org");
	posting_deliver(world);
	for (guint i = 0; i < 5; i++) {
		g_autofree char *id = g_strdup_printf("request-%u", i);

		cr_expect_eq(test_db_number(world->db, "SELECT COUNT(*) FROM suppression"), 0);
		post(reporter, world,
		    "{'type':'email.bounced','data':{'email_id':'Reply-1',"
		    "'bounce':{'type':'Transient'}}}",
		    id);
	}
	cr_expect_eq(test_db_number(world->db, "SELECT reason FROM suppression"), 1);
}

/* The events say which relay they are about. */
Test(provider_rules, events_name_the_relay)
{
	AUTO(smtp_server) relay = smtp_server_start(&good);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(world) world = open_world(relay, "");

	reporter_add(reporter, world->core, "a");
	posting_submit(world, "ada@x.org");
	posting_deliver(world);
	post(reporter, world,
	    "[{'type':'email.delayed','data':{'email_id':'Reply-1'}},"
	    "{'type':'email.opened','data':{'email_id':'Reply-1'}}]",
	    "1");
	g_autofree char *got = test_db_text(world->db,
	    "SELECT GROUP_CONCAT(CONCAT(status, COALESCE(relay, '-')) ORDER BY status) FROM event");
	cr_expect_str_eq(got, "1a,3a,5-");
}

static void *
finish(void *delivery)
{
	g_usleep(200 * 1000);
	core_deliver_free(delivery);
	return NULL;
}

/* A provider may report before we have recorded that its relay took the message. */
Test(provider_rules, early_report_waits_for_the_record)
{
	AUTO(smtp_server) relay = smtp_server_start(&good);
	AUTO(reporter) reporter = reporter_new(PROVIDER_GENERIC);
	AUTO(world) world = open_world(relay, "");
	AUTO(core) other = core_open(world->settings);
	struct core_provider_result result;

	reporter_add(reporter, world->core, "a");
	posting_submit(world, "ada@x.org");
	struct core_delivery *delivery = posting_start(world);
	g_autofree char *id = test_db_text(world->db,
	    "SELECT LOWER(CONCAT_WS('-', SUBSTR(HEX(id), 1, 8), SUBSTR(HEX(id), 9, 4),"
	    " SUBSTR(HEX(id), 13, 4), SUBSTR(HEX(id), 17, 4), SUBSTR(HEX(id), 21))) FROM outbox");
	g_autofree char *body = g_strdup_printf(
	    "{'type':'email.delivered','data':{'headers':{'X-Posthouse-Id':'%s'}}}", id);
	AUTO(reporter_request) request = reporter_sign(reporter, NULL, body, "1", base_clock_now());
	GThread *thread = g_thread_new("finish", finish, delivery);
	cr_assert(core_ensure(other, NULL));
	g_autoptr(GError) error = reporter_take(reporter, other, request, &result);
	g_thread_join(thread);
	cr_expect(!error, "%s", error ? error->message : "");
	cr_expect_eq(result.recorded, 1);
}
