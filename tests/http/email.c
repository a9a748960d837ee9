/* SPDX-License-Identifier: MIT */
/* Sends emails, changed as tests want them. */
#include "tests/http/email.h"

#include <criterion/criterion.h>
#include <string.h>

#include "json/writer.h"

static struct exchange
posting(const char *name, const char *change, const char *without)
{
	char *body = exchange_merged(EMAIL, change, without);

	return (struct exchange){
	    .name = name,
	    .method = "POST",
	    .path = "/v1/emails",
	    .want_status = 201,
	    .bytes = g_bytes_new_take(body, strlen(body)),
	};
}

struct answer *
email_post(const struct fixture *fixture, const char *change, const char *without)
{
	struct exchange exchange = posting(change, change, without);
	struct answer *answer = exchange_ask(fixture, &exchange);

	g_bytes_unref(exchange.bytes);
	return answer;
}

char *
email_send(const struct fixture *fixture, const char *change)
{
	AUTO(answer) answer = email_post(fixture, change, NULL);

	cr_assert_eq(answer->status, 201, "%.300s: got %u: %s", change ? change : "",
	    answer->status, answer->body);
	return g_strdup(answer_text(answer, "id"));
}

struct answer *
email_get(const struct fixture *fixture, const char *id)
{
	g_autofree char *path = g_strconcat("/v1/emails/", id, NULL);
	const struct exchange exchange = {id, "GET", path, NULL, 200};

	return exchange_expect(fixture, &exchange);
}

static char *
message_body(const char *message)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "message", message);
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

static void
email_refuse(const struct fixture *fixture, const struct refusal *refusal)
{
	AUTO(answer) answer = email_post(fixture, refusal->change, refusal->without);
	g_autofree char *want = message_body(refusal->want);
	guint status = refusal->want_status ? refusal->want_status : 400;

	cr_expect_eq(answer->status, status, "%s: got status %u, want %u: %.1000s", refusal->name,
	    answer->status, status, answer->body);
	cr_expect_str_eq(
	    answer->body, want, "%s: got %.1000s, want %s", refusal->name, answer->body, want);
}

void
email_refuse_all(const struct fixture *fixture, const struct refusal *refusals, gsize count)
{
	g_autofree char *before = fixture_rows(fixture);

	for (gsize i = 0; i < count; i++)
		email_refuse(fixture, &refusals[i]);
	g_autofree char *after = fixture_rows(fixture);
	cr_expect_str_eq(after, before, "what is stored: got\n%swant\n%s", after, before);
}

static void
accept(const struct fixture *fixture, const struct acceptance *acceptance)
{
	AUTO(answer) answer = email_post(fixture, acceptance->change, acceptance->without);

	cr_expect_eq(answer->status, 201, "%s: got status %u, want 201: %.1000s", acceptance->name,
	    answer->status, answer->body);
	if (answer->status != 201)
		return;
	g_autofree char *path = g_strconcat("/v1/emails/", answer_text(answer, "id"), NULL);
	struct exchange reading = {acceptance->name, "GET", path, NULL, 200};
	for (gsize i = 0; i < G_N_ELEMENTS(acceptance->want); i++)
		reading.want[i] = acceptance->want[i];
	answer_free(exchange_expect(fixture, &reading));
}

void
email_accept_all(const struct fixture *fixture, const struct acceptance *acceptances, gsize count)
{
	for (gsize i = 0; i < count; i++)
		accept(fixture, &acceptances[i]);
}
