/* SPDX-License-Identifier: MIT */
/* Runs the examples of posthouse-api(7) against a service. The tables of the page are made from
 * openapi.json. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/email.h"
#include "tests/support/deliveries.h"
#include "tests/support/manual.h"

#define PAGE "posthouse-api.7"

static char *page;

static void
http_manual_begin(void)
{
	page = test_manual_read(PAGE);
}

static void
http_manual_end(void)
{
	g_free(page);
}

TestSuite(manual, .init = http_manual_begin, .fini = http_manual_end, .timeout = 900);

/* The displays that are commands, as one script. The caller owns it. */
static char *
examples(void)
{
	GString *script = g_string_new("set -e\ncurl() { command curl -q --noproxy '*' -sS "
				       "--fail-with-body \"$@\"; echo; }\n");
	g_auto(GStrv) displays = g_strsplit(page, ".Bd -literal -offset indent\n", -1);

	for (char **display = displays; *display; display++) {
		char *stop = strstr(*display, ".Ed\n");
		if (!stop || !g_regex_match_simple("^([A-Z]+=\\$\\()?curl ", *display, 0, 0))
			continue;
		*stop = '\0';
		g_string_append(script, *display);
	}
	g_string_replace(script, "\\e", "\\", 0);
	return g_string_free(script, FALSE);
}

/* Makes a webhook with a delivery. The caller owns both ids. */
static char *
manual_make_webhook(const struct fixture *fixture, char **delivery_r)
{
	const struct exchange exchange = {
	    "webhook", "POST", "/v1/webhooks", "{'url':'https://nobody.invalid/'}", 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	struct test_delivery delivery = {.status = DELIVERY_FAILED};
	char text[ID_TEXT_SIZE];

	cr_assert(base_id_parse(answer_text(answer, "id"), &delivery.webhook));
	test_delivery_store(fixture->db, &fixture->id, &delivery);
	*delivery_r = g_strdup(base_id_format(&delivery.id, text));
	return g_strdup(answer_text(answer, "id"));
}

Test(manual, has_examples_that_work)
{
	AUTO(fixture) fixture = fixture_open();
	g_autofree char *later =
	    g_strdup_printf("'scheduled_at':%" G_GINT64_FORMAT, g_get_real_time() / 1000 + 3600000);
	g_autofree char *email = email_send(fixture, NULL), *scheduled = email_send(fixture, later),
			*other = email_send(fixture, later);
	g_autofree char *delivery = NULL, *webhook = manual_make_webhook(fixture, &delivery);
	g_autofree char *metrics_key = fixture_new_key(fixture, "metrics", NULL);
	g_autofree char *script = examples();
	const char *argv[] = {"sh", "-c", script, NULL};
	g_autofree char *output = NULL, *complaint = NULL;
	g_autoptr(GError) error = NULL;
	int status = 0;

	g_setenv("URL", fixture->instance->url, TRUE);
	g_setenv("KEY", fixture->key, TRUE);
	g_setenv("METRICS_KEY", metrics_key, TRUE);
	g_setenv("EMAIL", email, TRUE);
	g_setenv("SCHEDULED", scheduled, TRUE);
	g_setenv("WEBHOOK", webhook, TRUE);
	g_setenv("DELIVERY", delivery, TRUE);
	g_setenv("OTHER", other, TRUE);
	cr_assert(g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &output,
	    &complaint, &status, &error));
	cr_expect(g_spawn_check_wait_status(status, NULL), "%s%s", output, complaint);
	cr_expect(
	    strstr(output, "\"cancelled\"") || strstr(output, "Email cancelled"), "%s", output);
	cr_expect(strstr(output, "Template deleted"), "%s", output);
}
