/* SPDX-License-Identifier: MIT */
/* The list of requests as [log] requests says. */
#include <criterion/criterion.h>

#include "json/value.h"
#include "tests/http/alone.h"
#include "tests/http/exchange.h"

#define WAIT_MS 120000

FIXTURE_SUITE(requests_alone, 900);

/* Expects that the newest request of the list has this X-Request-Id; it comes after its answer. */
static void
requests_alone_expect_newest(const char *name, const char *id)
{
	const struct exchange exchange = {name, "GET", "/v1/requests?result=refused", NULL, 200};

	for (gint64 end = g_get_monotonic_time() / 1000 + WAIT_MS;; g_usleep(50000)) {
		AUTO(answer) answer = exchange_expect(fixture, &exchange);
		const struct json *newest = answer_at(answer, "requests[0].request_id");

		if (g_strcmp0(json_string(newest, NULL), id) == 0)
			return;
		cr_assert(g_get_monotonic_time() / 1000 < end, "%s: got %s, want %s", name,
		    answer->body, id);
	}
}

static void
requests_alone_refuse(const char *header)
{
	const struct exchange exchange = {
	    header, "GET", "/v1/audiences/x", NULL, 404, .headers = {header}};

	answer_free(exchange_expect(fixture, &exchange));
	exchange_next_moment();
}

Test(requests_alone, are_none_or_all)
{
	ALONE_SET(fixture, "log.requests=none");
	requests_alone_refuse("X-Request-Id: while-none");
	ALONE_SET(fixture, "log.requests=all");
	const struct exchange good = {
	    "succeeds", "GET", "/v1/audiences", NULL, 200, .headers = {"X-Request-Id: while-all"}};
	answer_free(exchange_expect(fixture, &good));
	exchange_next_moment();
	requests_alone_refuse("X-Request-Id: refused");
	requests_alone_expect_newest("refused", "refused");
	const struct exchange list = {
	    "list", "GET", "/v1/requests?result=refused", NULL, 200, .want = {"count = 1"}};
	answer_free(exchange_expect(fixture, &list));
	const struct exchange all = {"all", "GET", "/v1/requests?result=ok", NULL, 200,
	    .want = {"requests[0].message = null", "requests[0].status = 200"}};
	answer_free(exchange_expect(fixture, &all));
	ALONE_SET(fixture, NULL);
}
