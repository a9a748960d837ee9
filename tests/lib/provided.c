/* SPDX-License-Identifier: MIT */
#include "tests/lib/provided.h"

#include <criterion/criterion.h>

#include "base/clock.h"
#include "tests/support/db.h"

const struct smtp_script provided_relay = {
    .rules = {REPLY(".", 0, "250 2.0.0 Ok: queued as <Reply-1.>")}};

struct fixture *
provided_world(const struct smtp_server *relay, const char *more)
{
	g_autofree char *text =
	    g_strdup_printf("[relay a]\nhost = 127.0.0.1\nport = %u\ntls = none\n"
			    "provider = generic\n%s",
		smtp_server_port(relay), more);

	return fixture_open(NULL, text);
}

struct feedback_provider_result
provided_post(
    const struct reporter *reporter, struct fixture *fixture, const char *body, const char *id)
{
	struct feedback_provider_result result;
	AUTO(reporter_request) request = reporter_sign(reporter, NULL, body, id, base_clock_now());
	g_autoptr(GError) error = reporter_take(reporter, fixture->service, request, &result);

	cr_expect(!error, "%s: %s", body, error ? error->message : "");
	return result;
}

void
provided_expect(
    struct fixture *fixture, const char *name, const struct base_id *email, const char *want)
{
	g_autofree char *got = fixture_events(fixture, email);

	cr_expect_str_eq(got, want, "%s: got\n%swant\n%s", name, got, want);
}

char *
provided_copy(struct fixture *fixture, const char *column)
{
	g_autofree char *query = g_strdup_printf(
	    "SELECT LOWER(CONCAT_WS('-', SUBSTR(HEX(%1$s), 1, 8), SUBSTR(HEX(%1$s), 9, 4),"
	    " SUBSTR(HEX(%1$s), 13, 4), SUBSTR(HEX(%1$s), 17, 4), SUBSTR(HEX(%1$s), 21)))"
	    " FROM relay_copy ORDER BY email_id DESC LIMIT 1",
	    column);

	return test_db_text(fixture->db, query);
}
