/* SPDX-License-Identifier: MIT */
/* Rates, quotas and limits on numbers of rows. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/email.h"
#include "tests/http/exchange.h"
#include "tests/support/db.h"

FIXTURE_SUITE(limits, 900);

static void
limits_set(const char *limit)
{
	g_free(
	    TEST_RUN(fixture->instance, "posthouse", "workspace", "limit", fixture->name, limit));
}

/* Waits until all processes use the new rates. */
static void
wait_for_rates(void)
{
	const struct exchange look = {"look", "GET", "/v1/templates"};

	for (guint have = 0; have < 3;) {
		AUTO(answer) answer = exchange_ask(fixture, &look);
		g_autofree char *policy = answer_header(answer, "RateLimit-Policy");

		have = policy ? have + 1 : 0;
		g_usleep(50000);
	}
}

/* At this rate a bucket is full again before the next request, except for its own token. */
Test(limits, tell_of_a_rate_that_is_set)
{
	static const struct exchange without[] = {
	    {"none is set", "GET", "/v1/templates", NULL, 200,
		.want_header = {"RateLimit-Policy:", "RateLimit:"}},
	};
	static const struct exchange with[] = {
	    {"a good key", "GET", "/v1/templates", NULL, 200,
		.want_header = {"RateLimit-Policy: \"workspace\";q=2000000;w=2, "
				"\"key\";q=1500001;w=2",
		    "RateLimit: \"workspace\";r=1999999;t=1, \"key\";r=1500000;t=1"}},
	    {"past its scope", "POST", "/v1/templates", "{}", 403,
		.want_header = {"RateLimit: \"workspace\";r=1999999;t=1, "
				"\"key\";r=1500000;t=1"}},
	    {"what is not there", "GET", "/v1/templates/x", NULL, 404,
		.want_header = {"RateLimit: \"workspace\";r=1999999;t=1, "
				"\"key\";r=1500000;t=1"}},
	    {"no key", "GET", "/v1/templates", NULL, 401, .headers = {"Authorization:"},
		.want_header = {"RateLimit-Policy:", "RateLimit:"}},
	    {"a wrong key", "GET", "/v1/templates", NULL, 403,
		.headers = {"Authorization: Bearer x"},
		.want_header = {"RateLimit-Policy:", "RateLimit:"}},
	    {"public", "GET", "/health", NULL, 200,
		.want_header = {"RateLimit-Policy:", "RateLimit:"}},
	};

	EXPECT_ALL(fixture, without);
	limits_set("requests_per_second=1000000");
	limits_set("key_requests_per_second=1000000");
	limits_set("key_burst=1500001");
	fixture->key = fixture_new_key(fixture, "read", NULL);
	EXPECT_ALL(fixture, with);
}

/* Sends requests until one is refused with 429. The caller frees the answer. */
static struct answer *
refused(const char *method, const char *path)
{
	const struct exchange exchange = {"flood", method, path};

	for (guint i = 0; i < 200; i++) {
		struct answer *answer = exchange_ask(fixture, &exchange);

		if (answer->status == 429)
			return answer;
		answer_free(answer);
	}
	cr_assert_fail("%s is never refused", path);
	return NULL;
}

Test(limits, refuse_what_is_past_a_rate)
{
	static const struct {
		const char *method, *path, *want;
	} cases[] = {
	    {"GET", "/v1/templates", "{'message':'Too many requests. Try again in 1 s'}"},
	    {"POST", "/v1/audiences", "{'message':'Too many requests. Try again in 1 s'}"},
	    {"GET", "/v1/executions/x",
		"{'error':'Internal server error',"
		"'details':'Too many requests. Try again in 1 s'}"},
	    {"GET", "/v1/automation/contacts",
		"{'error':'Failed to list contacts',"
		"'details':'Too many requests. Try again in 1 s'}"},
	};

	limits_set("requests_per_second=1");
	limits_set("burst=1000");
	limits_set("key_requests_per_second=1");
	limits_set("key_burst=1");
	fixture->key = fixture_new_key(fixture, "read", NULL);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(answer) answer = refused(cases[i].method, cases[i].path);
		g_autofree char *want = exchange_quoted(cases[i].want);
		g_autofree char *after = answer_header(answer, "Retry-After");
		g_autofree char *policy = answer_header(answer, "RateLimit-Policy");
		g_autofree char *limit = answer_header(answer, "RateLimit");

		cr_expect_str_eq(answer->body, want);
		cr_expect_str_eq(after, "1");
		cr_expect_str_eq(policy, "\"workspace\";q=1000;w=1000, \"key\";q=1;w=1");
		cr_expect(limit && g_str_has_suffix(limit, ", \"key\";r=0;t=1"), "%s", limit);
		cr_expect(limit && g_str_has_prefix(limit, "\"workspace\";r=9"), "%s", limit);
	}
	AUTO(answer) health = exchange_ask(fixture, &(struct exchange){"health", "GET", "/health"});
	cr_expect_eq(health->status, 200);
}

/* All web processes share a bucket, and together let through no more than one alone. */
Test(limits, of_a_rate_are_those_of_the_host)
{
	const struct exchange look = {"look", "GET", "/v1/templates"};
	guint good = 0;

	limits_set("requests_per_second=1");
	limits_set("burst=30");
	fixture->key = fixture_new_key(fixture, "read", NULL);
	gint64 start = g_get_monotonic_time();
	for (guint i = 0; i < 100; i++) {
		AUTO(answer) answer = exchange_ask(fixture, &look);
		good += answer->status == 200;
	}
	gint64 most = 31 + (g_get_monotonic_time() - start) / G_USEC_PER_SEC;
	cr_expect(good >= 30 && good <= most, "%u, at most %d", good, (int)most);
}

Test(limits, on_rates_are_in_force_after_a_while)
{
	EXPECT_ALL(
	    fixture, ((const struct exchange[]){{"look", "GET", "/v1/templates", NULL, 200}}));
	limits_set("requests_per_second=1000");
	wait_for_rates();
}

/* In seconds; the day is that of UTC. */
static gint64
left_of_the_day(void)
{
	return 86400 - g_get_real_time() / G_USEC_PER_SEC % 86400;
}

Test(limits, refuse_what_is_past_a_quota)
{
	static const struct exchange exchanges[] = {
	    {"both", "POST", "/v1/emails", EMAIL, 201},
	    {"one past it", "POST", "/v1/emails", EMAIL, 429,
		"{'message':'Quota reached: at most 1 recipients per day'}",
		.want_header = {"RateLimit-Policy: \"emails_per_day\";q=1;w=86400"}},
	};

	limits_set("emails_per_day=1");
	while (left_of_the_day() < 120)
		g_usleep(G_USEC_PER_SEC);
	EXPECT_ALL(fixture, exchanges);
	gint64 most = left_of_the_day();
	AUTO(answer) answer = exchange_ask(fixture, &exchanges[1]);
	g_autofree char *limit = answer_header(answer, "RateLimit");
	g_autofree char *after = answer_header(answer, "Retry-After");
	gint64 least = left_of_the_day();
	cr_assert(limit && after);
	gint64 seconds = g_ascii_strtoll(after, NULL, 10);
	cr_expect(seconds >= least - 1 && seconds <= most + 1, "%s, want %d to %d", after,
	    (int)least, (int)most);
	g_autofree char *want = g_strdup_printf("\"emails_per_day\";r=0;t=%s", after);
	cr_expect_str_eq(limit, want);
	limits_set("emails_per_day=0");
	EXPECT_ALL(
	    fixture, ((const struct exchange[]){{"again", "POST", "/v1/emails", EMAIL, 201}}));
}

#define DESIGN                                                                                     \
	"'design':{'nodes':[{'id':'t','type':'trigger','data':{'eventName':'order'}}],'edges':[]}"

Test(limits, refuse_one_too_many)
{
	static const struct exchange exchanges[] = {
	    {"domain", "POST", "/v1/domains", "{'name':'one.example.org'}", 409,
		"{'message':'Limit reached: at most 1 domains'}"},
	    {"first audience", "POST", "/v1/audiences", "{'name':'A'}", 200},
	    {"audience", "POST", "/v1/audiences", "{'name':'B'}", 409,
		"{'message':'Limit reached: at most 1 audiences'}"},
	    {"first template", "POST", "/v1/templates", "{'id':'a','name':'A','html':'x'}", 200},
	    {"template", "POST", "/v1/templates", "{'name':'B','html':'x'}", 409,
		"{'message':'Limit reached: at most 1 templates'}"},
	    {"a template changed", "PATCH", "/v1/templates/a", "{'name':'B'}", 200},
	    {"first workflow", "POST", "/v1/workflows", "{'name':'A','status':'active'," DESIGN "}",
		200},
	    {"active workflow", "POST", "/v1/workflows",
		"{'name':'B','status':'active'," DESIGN "}", 409,
		"{'message':'Limit reached: at most 1 active workflows of one event'}"},
	    {"a draft", "POST", "/v1/workflows", "{'name':'B'," DESIGN "}", 200},
	    {"workflow", "POST", "/v1/workflows", "{'name':'C'," DESIGN "}", 409,
		"{'message':'Limit reached: at most 2 workflows'}"},
	};

	limits_set("domains=1");
	limits_set("audiences=1");
	limits_set("templates=1");
	limits_set("workflows=2");
	limits_set("workflows_per_event=1");
	EXPECT_ALL(fixture, exchanges);
}
