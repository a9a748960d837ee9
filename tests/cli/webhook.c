/* SPDX-License-Identifier: MIT */
/* Tests posthouse webhook on a real database. */
#include <string.h>

#include "base/limits/webhook.h"
#include "db/connection.h"
#include "tests/cli/office.h"
#include "tests/support/deliveries.h"
#include "tests/support/http_server.h"

OFFICE_SUITE(webhook);

#define UUID "*-*-7*-*-*"
#define NOBODY "01a1f8d1-2ace-718f-96bc-82c241916947"
#define SECRET "whsec_[A-Za-z0-9+/]{43}="

/* Adds one. Returns its id, the second word of the answer, which the caller owns. */
static char *
cli_webhook_add(const char *options)
{
	g_autofree char *line = g_strconcat("webhook add ", options, NULL);
	g_autofree char *said = program_line(config, line);
	g_auto(GStrv) words = g_strsplit(said, " ", 3);

	cr_expect(g_regex_match_simple("^Webhook [0-9a-f-]{36} .* " SECRET "\\s*$", said, 0, 0),
	    "%s", said);
	return g_strdup(words[1]);
}

/* Runs a line with the webhook's id in place of ID. */
static void
cli_webhook_expect(
    const char *format, const char *id, int status, const char *output, const char *errors)
{
	g_autoptr(GString) line = g_string_new(format);

	g_string_replace(line, "ID", id, 1);
	program_expect(config, line->str, status, output, errors);
}

Test(webhook, is_added_and_shown)
{
	program_expect(config, "webhook list", 0, "There is no webhook yet.\n", NULL);
	program_expect(config, "webhook list --json", 0, "{\"webhooks\":[]}\n", NULL);
	g_autofree char *all = cli_webhook_add("https://a.example/"),
			*some =
			    cli_webhook_add("https://b.example/ --events email.sent,domain.failed"
					    " --description 'My shop' --batch --disabled");

	program_expect(config, "webhook list", 0,
	    "ID *URL *EVENTS *ENABLED\n" UUID
	    " *https://b.example/ *[\"email.sent\",\"domain.failed\"] *no\n" UUID
	    " *https://a.example/ *[\"*\"] *yes\n",
	    NULL);
	program_expect(config, "webhook list --json", 0,
	    "{\"webhooks\":[{*},{\"id\":\"" UUID "\",\"url\":\"https://a.example/\","
	    "\"events\":[\"*\"],\"enabled\":true,\"description\":\"\",\"batch\":false,"
	    "\"created\":1*,\"disabled_reason\":null,\"failing_since\":null,"
	    "\"previous_expires\":null}]}\n",
	    NULL);
	cli_webhook_expect("webhook show ID", some, 0,
	    "id *\nurl *https://b.example/\nevents *\nenabled *no\ndescription *My shop\n"
	    "batch *yes\ncreated *20*Z\ndisabled_reason *-\nfailing_since *-\n"
	    "previous_expires *-\n",
	    NULL);
	cli_webhook_expect("webhook show ID --json", some, 0,
	    "{\"id\":\"" UUID "\",\"url\":\"https://b.example/\","
	    "\"events\":[\"email.sent\",\"domain.failed\"],\"enabled\":false,"
	    "\"description\":\"My shop\",\"batch\":true,\"created\":1*,"
	    "\"disabled_reason\":null,\"failing_since\":null,\"previous_expires\":null}\n",
	    NULL);
	program_expect(config, "webhook add https://c.example/ --json", 0,
	    "{\"id\":\"*\",\"url\":\"https://c.example/\",*\"secret\":\"whsec_*=\"}\n", NULL);
}

Test(webhook, is_refused)
{
	g_autofree char *long_path =
	    g_strnfill(LIMIT_WEBHOOK_URL_BYTES - strlen("https://a.example/"), 'x');
	g_autofree char *at_limit = g_strconcat("https://a.example/", long_path, NULL),
			*past_it = g_strconcat("webhook add https://a.example/x", long_path, NULL);
	g_autofree char *text = g_strnfill(LIMIT_WEBHOOK_DESCRIPTION_LENGTH, 'x');
	g_autofree char *described = g_strconcat("https://a.example/ --description ", text, NULL),
			*past = g_strconcat("webhook add ", described, "x", NULL);
	const struct {
		const char *line;
		int status;
		const char *errors;
	} cases[] = {
	    {"webhook add a.example", 65, "posthouse: url must be an absolute http or https URL\n"},
	    {"webhook add http://127.0.0.1/", 65,
		"posthouse: url must not lead to a private address\n"},
	    {"webhook add http://a.example:25/", 65, "posthouse: url must not use port 25\n"},
	    {"webhook add http://a.example/ --events email.sent,email.read", 65,
		"posthouse: events[1] must be the name of an event\n"},
	    {"webhook add http://a.example/ --events ''", 64, "posthouse: --events must *"},
	    {"webhook add", 64, "posthouse: URL is missing*"},
	    {past_it, 64, "posthouse: URL must be 1 to 2048 characters, not 2049\n"},
	    {past, 64, "posthouse: --description must be 1 to 200 characters, not 201\n"},
	    {"webhook show x", 64, "posthouse: ID must be *"},
	    {"webhook show " NOBODY, 66, "posthouse: Webhook not found\n"},
	    {"webhook remove " NOBODY, 66, "posthouse: Webhook not found\n"},
	    {"webhook rotate " NOBODY, 66, "posthouse: Webhook not found\n"},
	    {"webhook test " NOBODY, 66, "posthouse: Webhook not found\n"},
	    {"webhook replay " NOBODY, 66, "posthouse: Webhook not found\n"},
	    {"webhook replay " NOBODY " --delivery " NOBODY, 66, "posthouse: Webhook not found\n"},
	    {"webhook replay " NOBODY " --delivery " NOBODY " --from 2026-01-01", 64,
		"posthouse: --delivery cannot be given together with --from, --to or --status\n"},
	    {"webhook replay " NOBODY " --from 0 --to 1896091200000", 66,
		"posthouse: Webhook not found\n"},
	    {"webhook replay " NOBODY " --from x", 64, "posthouse: --from must be an ISO 8601*"},
	    {"webhook replay " NOBODY " --from 2026-01-01 --status bad", 64,
		"posthouse: --status must be one of pending, succeeded, failed, *"},
	};

	g_free(cli_webhook_add(at_limit));
	g_free(cli_webhook_add(described));
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		program_expect(config, cases[i].line, cases[i].status, NULL, cases[i].errors);
	program_expect(config, "workspace limit One webhooks=2", 0, "*", NULL);
	program_expect(config, "webhook add https://b.example/", 73, NULL,
	    "posthouse: Limit reached: at most 2 webhooks\n");
}

Test(webhook, is_removed_from_its_workspace)
{
	g_autofree char *id = cli_webhook_add("https://a.example/");

	g_free(program_line(config, "workspace create Two"));
	cli_webhook_expect(
	    "webhook show ID --workspace Two", id, 66, NULL, "posthouse: Webhook not found\n");
	cli_webhook_expect(
	    "webhook remove ID --workspace Two", id, 66, NULL, "posthouse: Webhook not found\n");
	cli_webhook_expect("webhook remove ID --workspace One", id, 0,
	    "Webhook * is removed, with its deliveries.\n", NULL);
	cli_webhook_expect(
	    "webhook remove ID --workspace One", id, 66, NULL, "posthouse: Webhook not found\n");
}

Test(webhook, is_removed_in_json)
{
	g_autofree char *id = cli_webhook_add("https://a.example/");

	cli_webhook_expect(
	    "webhook remove ID --json", id, 0, "{\"message\":\"Webhook deleted\"}\n", NULL);
}

Test(webhook, gets_a_new_secret)
{
	g_autofree char *id = cli_webhook_add("https://a.example/");
	g_autofree char *line = g_strconcat("webhook rotate ", id, NULL);
	g_autofree char *said = program_line(config, line);

	cr_expect(g_regex_match_simple("^Webhook [0-9a-f-]{36} .* " SECRET "\\s*$", said, 0, 0),
	    "%s", said);
	cli_webhook_expect("webhook rotate ID --json", id, 0,
	    "{\"id\":\"" UUID "\",\"secret\":\"whsec_*=\",\"previous_expires\":1*}\n", NULL);
	cli_webhook_expect("webhook show ID", id, 0, "*\nprevious_expires *20*Z\n", NULL);
}

/* The audit has what was changed, also where its name cannot be read. */
Test(webhook, is_in_the_audit_without_its_url)
{
	g_autofree char *id = cli_webhook_add("https://a.example/");

	test_db_plain(db, "ALTER TABLE webhook RENAME COLUMN url TO away");
	cli_webhook_expect("webhook rotate ID", id, 0, "Webhook *", "*cannot read a name*");
	g_autofree char *about =
	    test_db_text(db, "SELECT CONCAT_WS(' ', target_id, target_name) FROM audit"
			     " WHERE action = 'webhook.changed'");
	cr_expect_str_eq(about, id, "%s", about);
}

/* Stores a failed delivery of 2026-01-DAY, and returns its id, which the caller owns. */
static char *
webhook_store(const char *webhook, guint day)
{
	AUTO(db_rows) rows = db_select(db, "SELECT id FROM workspace", NULL, 0, NULL);
	struct test_delivery delivery = {.status = DELIVERY_FAILED, .attempts = 1};
	char text[ID_TEXT_SIZE];
	struct base_id workspace;

	cr_assert(rows && db_rows_next(rows) && db_rows_id(rows, 0, &workspace));
	cr_assert(base_id_parse(webhook, &delivery.webhook));
	/* 2026-01-01 */
	delivery.created =
	    G_GINT64_CONSTANT(1767225600000) + (day - 1) * G_GINT64_CONSTANT(86400000);
	test_delivery_store(db, &workspace, &delivery);
	return g_strdup(base_id_format(&delivery.id, text));
}

Test(webhook, is_told_again)
{
	g_autofree char *id = cli_webhook_add("https://a.example/");
	g_autofree char *first = webhook_store(id, 1), *second = webhook_store(id, 2),
			*third = webhook_store(id, 3);
	g_autofree char *one = g_strdup_printf("webhook replay ID --delivery %s", first),
			*in_json =
			    g_strdup_printf("webhook replay ID --delivery %s --json", second);

	cli_webhook_expect("webhook replay ID --delivery " NOBODY, id, 66, NULL,
	    "posthouse: Delivery not found\n");
	cli_webhook_expect(one, id, 0, "The delivery is due now.\n", NULL);
	cli_webhook_expect(in_json, id, 0,
	    "{\"id\":\"" UUID "\",\"webhook_id\":\"" UUID "\",\"event_id\":\"" UUID
	    "\",\"type\":\"email.sent\",\"status\":\"pending\",\"created\":1*,"
	    "\"next_attempt\":1*,\"attempts\":[{\"timestamp\":1*,\"response_status\":500,"
	    "\"duration\":1,\"response_body\":\"no 1\",\"error\":null}]}\n",
	    NULL);
	cli_webhook_expect("webhook replay ID --from 2026-01-02 --to 2026-01-03", id, 0,
	    "1 delivery is due now.\n", NULL);
	cli_webhook_expect("webhook replay ID --from 2026-01-01 --status failed --json", id, 0,
	    "{\"count\":1,\"more\":false}\n", NULL);
	cli_webhook_expect("webhook replay ID --from 2026-01-01 --status failed --json", id, 0,
	    "{\"count\":0,\"more\":false}\n", NULL);
	cli_webhook_expect("webhook replay ID", id, 0, "3 deliveries are due now.\n", NULL);
	g_autofree char *off = cli_webhook_add("https://a.example/ --disabled");
	cli_webhook_expect("webhook replay ID --from 2026-01-01", off, 73, NULL,
	    "posthouse: Webhook is disabled\n");
}

/* Answers with the status that is the path. */
static void
webhook_serve(struct http_peer *peer, const char *request, void *data)
{
	g_autofree char *answer = g_strdup_printf(
	    "HTTP/1.1 %.3s X\r\nContent-Length: 2\r\n\r\nok", strchr(request, '/') + 1);

	http_peer_send(peer, answer, strlen(answer));
}

Test(webhook, is_tested)
{
	struct http_server *server = http_server_start("127.0.0.2", NULL, webhook_serve, NULL);
	g_autofree char *lenient = test_mariadb_file(NULL, NULL, "[fetch]\nallow = 127.0.0.2/32\n");
	g_autofree char *good =
			    g_strdup_printf("http://127.0.0.2:%d/204", http_server_port(server)),
			*gone =
			    g_strdup_printf("http://127.0.0.2:%d/410", http_server_port(server)),
			*bad = g_strdup_printf(
			    "http://127.0.0.2:%d/500 --disabled", http_server_port(server));

	g_free(config);
	config = g_steal_pointer(&lenient);
	g_free(program_line(config, "schema migrate"));
	g_free(program_line(config, "workspace create One"));
	g_autofree char *takes = cli_webhook_add(good), *refuses = cli_webhook_add(bad),
			*ends = cli_webhook_add(gone),
			*away = cli_webhook_add("http://127.0.0.2:1/");
	cli_webhook_expect(
	    "webhook test ID", takes, 0, "The webhook answered 204 after * ms.\n", NULL);
	cli_webhook_expect("webhook test ID --json", takes, 0,
	    "{\"id\":\"*\",\"webhook_id\":\"*\",\"event_id\":\"*\",\"type\":\"webhook.test\","
	    "\"status\":\"succeeded\",\"created\":1*,\"next_attempt\":null,\"attempts\":["
	    "{\"timestamp\":1*,\"response_status\":204,\"duration\":*,\"response_body\":*,"
	    "\"error\":null}]}\n",
	    NULL);
	cli_webhook_expect(
	    "webhook test ID", refuses, 69, "The webhook answered 500 after * ms.\n", NULL);
	cli_webhook_expect("webhook test ID", ends, 69,
	    "The webhook answered 410 after * ms, and is switched off.\n", NULL);
	cli_webhook_expect(
	    "webhook show ID", ends, 0, "*enabled *no\n*disabled_reason *gone\n*", NULL);
	cli_webhook_expect("webhook test ID", away, 69, "The webhook did not answer: ?*\n", NULL);
	cli_webhook_expect("webhook test ID --json", away, 69,
	    "{*\"status\":\"failed\",*\"response_status\":null,*\"error\":\"?*\"}]}\n", NULL);
	g_autofree char *about = test_mariadb_sql(NULL,
	    "SELECT CONCAT(COUNT(*), ' of ', COUNT(DISTINCT target_id), ' ', MIN(target_name)) FROM"
	    " test_%d.audit WHERE action = 'webhook.changed'",
	    (int)getpid());
	cr_expect_str_eq(g_strchomp(about), "6 of 4 http://127.0.0.2:1", "%s", about);
	http_server_stop(server);
}
