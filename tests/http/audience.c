/* SPDX-License-Identifier: MIT */
/* Makes audiences and contacts, and reads them back. */
#include "tests/http/audience.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/list.h"

static struct answer *
http_audience_ask(
    const struct fixture *fixture, const char *method, const char *body, const char *path)
{
	const struct exchange exchange = {
	    .name = path, .method = method, .path = path, .body = body};

	return exchange_ask(fixture, &exchange);
}

struct answer *
audience_ask(
    const struct fixture *fixture, const char *method, const char *body, const char *path, ...)
{
	va_list args;

	va_start(args, path);
	g_autofree char *whole = g_strdup_vprintf(path, args);
	va_end(args);
	return http_audience_ask(fixture, method, body, whole);
}

void
audience_expect(const struct fixture *fixture, const char *method, const char *body,
    guint want_status, const char *want_body, const char *path, ...)
{
	g_autofree char *want = want_body ? exchange_quoted(want_body) : NULL;
	va_list args;

	va_start(args, path);
	g_autofree char *whole = g_strdup_vprintf(path, args);
	va_end(args);
	AUTO(answer) answer = http_audience_ask(fixture, method, body, whole);
	cr_expect_eq(answer->status, want_status, "%s %s %s: got %u, want %u: %s", method, whole,
	    body ? body : "", answer->status, want_status, answer->body);
	cr_expect(!want || strcmp(answer->body, want) == 0, "%s %s %s: got %s, want %s", method,
	    whole, body ? body : "", answer->body, want);
}

char *
audience_new(const struct fixture *fixture, const char *name)
{
	g_autofree char *body = g_strdup_printf("{'name':'%s'}", name);
	AUTO(answer) answer = audience_ask(fixture, "POST", body, "/v1/audiences");

	cr_assert_eq(answer->status, 200, "%s: got %u: %s", name, answer->status, answer->body);
	exchange_next_moment();
	return g_strdup(answer_text(answer, "id"));
}

char *
audience_add(const struct fixture *fixture, const char *audience, const char *contact)
{
	AUTO(answer) answer =
	    audience_ask(fixture, "POST", contact, "/v1/audiences/%s/contacts", audience);

	cr_assert_eq(answer->status, 200, "%s: got %u: %s", contact, answer->status, answer->body);
	return g_strdup(answer_text(answer, "id"));
}

void
audience_expect_counts(
    const struct fixture *fixture, const char *audience, gint64 contacts, gint64 unsubscribers)
{
	AUTO(answer) answer = audience_ask(fixture, "GET", NULL, "/v1/audiences/%s", audience);
	gint64 got = json_integer(answer_at(answer, "contact_count"));
	gint64 without = json_integer(answer_at(answer, "unsubscribers"));

	cr_expect(answer->status == 200 && got == contacts && without == unsubscribers,
	    "got %u, %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ", want 200, %" G_GINT64_FORMAT
	    ", %" G_GINT64_FORMAT,
	    answer->status, got, without, contacts, unsubscribers);
}

static void
audience_free_answer(void *answer)
{
	answer_free(answer);
}

GPtrArray *
audience_pages(const struct fixture *fixture, const char *audience)
{
	GPtrArray *pages = g_ptr_array_new_with_free_func(audience_free_answer);
	g_autofree char *cursor = g_strdup("");

	while (cursor) {
		struct answer *page = audience_ask(
		    fixture, "GET", NULL, "/v1/audiences/%s/contacts?cursor=%s", audience, cursor);

		g_ptr_array_add(pages, page);
		cr_assert_eq(page->status, 200, "got %u: %s", page->status, page->body);
		const char *next = json_string(answer_at(page, "cursor"), NULL);
		gint64 count = json_integer(answer_at(page, "count"));
		cr_expect_eq((gsize)count, json_array_length(answer_at(page, "contacts")));
		cr_expect(
		    !next || count == LIMIT_PAGE, "a page before the last has %d", (int)count);
		g_free(cursor);
		cursor = next ? g_uri_escape_string(next, NULL, FALSE) : NULL;
	}
	return pages;
}
