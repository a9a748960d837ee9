/* SPDX-License-Identifier: MIT */
/* Random changes from all sides: audiences, automation and people always show the same. */
#include <criterion/criterion.h>
#include <string.h>

#include "json/value.h"
#include "json/writer.h"
#include "tests/http/audience.h"
#include "tests/support/steps.h"

FIXTURE_SUITE(people_random, 900);

#define ROUNDS 150
#define PEOPLE 4
#define AUDIENCES 2

static GRand *rand_;
static char *audiences[AUDIENCES];

static guint
people_random_pick(guint count)
{
	return (guint)g_rand_int_range(rand_, 0, (gint32)count);
}

/* Sends a request of which the answer may be a refusal, but no fault. */
static struct answer *
people_random_ask(const char *method, const char *path, const char *body)
{
	const struct exchange exchange = {method, method, path, body, 0};
	struct answer *answer = exchange_ask(fixture, &exchange);

	cr_expect_lt(answer->status, 500, "%s %s %s: %s", method, path, body, answer->body);
	return answer;
}

/* The id of the contact of a person in an audience; NULL: there is none. The caller owns it. */
static char *
people_random_find_contact(guint person, guint audience)
{
	g_autofree char *path = g_strdup_printf("/v1/people/p%u@x.org", person);
	AUTO(answer) answer = people_random_ask("GET", path, NULL);
	const struct json *list =
	    answer->status == 200 ? json_member_get(answer->json, "audiences") : NULL;

	for (gsize i = 0; i < json_array_length(list); i++) {
		const struct json *one = json_array_at(list, i);

		if (strcmp(json_string(json_member_get(one, "id"), NULL), audiences[audience]) == 0)
			return g_strdup(json_string(json_member_get(one, "contact_id"), NULL));
	}
	return NULL;
}

static void
people_random_change_contact(guint person, guint audience)
{
	g_autofree char *id = people_random_find_contact(person, audience);
	g_autofree char *path =
	    id ? g_strdup_printf("/v1/audiences/%s/contacts/%s", audiences[audience], id) : NULL;
	g_autofree char *body =
	    people_random_pick(4) == 0
		? g_strdup_printf("{'email':'p%u@x.org'}", people_random_pick(PEOPLE))
	    : people_random_pick(3) == 0
		? g_strdup_printf("{'is_subscribed':%s}", people_random_pick(2) ? "true" : "false")
		: g_strdup_printf("{'first_name':'F%u','last_name':%s}", people_random_pick(9),
		      people_random_pick(2) ? "null" : "'L'");
	AUTO(answer) answer =
	    path ? people_random_ask(people_random_pick(5) == 0 ? "DELETE" : "PATCH", path, body)
		 : NULL;
}

static void
people_random_add_contact(guint person, guint audience)
{
	g_autofree char *path = g_strdup_printf("/v1/audiences/%s/contacts", audiences[audience]);
	g_autofree char *body =
	    g_strdup_printf("{'email':'P%u@x.org','first_name':'C%u','is_subscribed':%s}", person,
		people_random_pick(9), people_random_pick(2) ? "true" : "false");
	AUTO(answer) answer = people_random_ask("POST", path, body);
}

/* A change by /v1/people. */
static void
people_random_change_person(guint person)
{
	g_autofree char *path = g_strdup_printf("/v1/people/p%u@x.org", person);
	g_autofree char *data =
	    g_strdup_printf("'first_name':'N%u','properties':{'k%u':%u,'o':{'k%u':null,'m':1}}",
		people_random_pick(9), people_random_pick(3), people_random_pick(100),
		people_random_pick(3));
	g_autofree char *change = g_strdup_printf("{%s}", data);
	g_autofree char *make = g_strdup_printf("{'email':'p%u@x.org',%s}", person, data);
	g_autofree char *choice =
	    g_strdup_printf("{'subscribed':%s}", people_random_pick(2) ? "true" : "false");
	guint way = people_random_pick(8);
	AUTO(answer)
	answer = way == 0   ? people_random_ask("DELETE", path, NULL)
		 : way == 1 ? people_random_ask("PATCH", path, choice)
		 : way < 4  ? people_random_ask("POST", "/v1/people", make)
			    : people_random_ask("PATCH", path, change);
}

/* A change by automation. */
static void
change_automation(guint person)
{
	g_autofree char *path = g_strdup_printf("/v1/automation/contacts/p%u@x.org", person);
	g_autofree char *change = g_strdup_printf("{'properties':{'k%u':'a','o':{'k%u':%u}}}",
	    people_random_pick(3), people_random_pick(3), people_random_pick(100));
	g_autofree char *event =
	    g_strdup_printf("{'event_name':'e','email':'p%u@x.org','properties':{'k%u':%u}}",
		person, people_random_pick(3), people_random_pick(100));
	guint way = people_random_pick(6);
	AUTO(answer)
	answer = way == 0  ? people_random_ask("DELETE", path, NULL)
		 : way < 3 ? people_random_ask("PATCH", path, change)
			   : people_random_ask("POST", "/v1/events", event);
}

static void
people_random_expect_same(const char *what, const struct json *a, const char *in_a,
    const struct json *b, const char *in_b)
{
	g_autofree char *one = json_print(json_member_get(a, in_a));
	g_autofree char *other = json_print(json_member_get(b, in_b));

	cr_expect_str_eq(one, other, "%s: %s is %s, %s is %s", what, in_a, one, in_b, other);
}

/* Expects a membership of the person to be the contact that the audience shows. */
static void
expect_contact(const struct json *person, const struct json *membership)
{
	g_autofree char *path = g_strdup_printf("/v1/audiences/%s/contacts/%s",
	    json_string(json_member_get(membership, "id"), NULL),
	    json_string(json_member_get(membership, "contact_id"), NULL));
	const char *status = json_string(json_member_get(membership, "status"), NULL);
	AUTO(answer) answer = people_random_ask("GET", path, NULL);

	cr_expect_eq(answer->status, 200, "%s: %u", path, answer->status);
	people_random_expect_same(path, person, "email", answer->json, "email");
	people_random_expect_same(path, person, "first_name", answer->json, "first_name");
	people_random_expect_same(path, person, "last_name", answer->json, "last_name");
	cr_expect_eq(json_boolean(json_member_get(answer->json, "is_subscribed")),
	    strcmp(status, "subscribed") == 0, "%s: %s", path, status);
	cr_expect(json_boolean(json_member_get(person, "subscribed")) ||
		      strcmp(status, "subscribed") != 0,
	    "%s: a person who left all is subscribed", path);
}

/* Adds the memberships of a person to the numbers of contacts, and of those not subscribed. */
static void
people_random_expect_person(guint number, gint64 counts[AUDIENCES][2])
{
	g_autofree char *path = g_strdup_printf("/v1/people/p%u@x.org", number);
	g_autofree char *automation = g_strdup_printf("/v1/automation/contacts/p%u@x.org", number);
	AUTO(answer) person = people_random_ask("GET", path, NULL);
	AUTO(answer) seen = people_random_ask("GET", automation, NULL);
	const struct json *list =
	    person->status == 200 ? json_member_get(person->json, "audiences") : NULL;

	if (seen->status == 200) {
		cr_expect_eq(person->status, 200);
		people_random_expect_same(
		    path, person->json, "properties", seen->json, "properties");
	}
	for (gsize i = 0; i < json_array_length(list); i++) {
		const struct json *one = json_array_at(list, i);
		const char *id = json_string(json_member_get(one, "id"), NULL);
		guint audience = strcmp(id, audiences[0]) == 0 ? 0 : 1;

		expect_contact(person->json, one);
		counts[audience][0]++;
		counts[audience][1] +=
		    strcmp(json_string(json_member_get(one, "status"), NULL), "subscribed") != 0;
	}
}

static void
expect_agreement(void)
{
	gint64 counts[AUDIENCES][2] = {{0}};

	for (guint person = 0; person < PEOPLE; person++)
		people_random_expect_person(person, counts);
	for (guint i = 0; i < AUDIENCES; i++)
		audience_expect_counts(fixture, audiences[i], counts[i][0], counts[i][1]);
}

Test(people_random, agree)
{
	guint32 seed = g_random_int();

	rand_ = g_rand_new_with_seed(seed);
	for (guint i = 0; i < AUDIENCES; i++)
		audiences[i] = audience_new(fixture, "A");
	for (guint round = 0, rounds = test_steps(ROUNDS); round < rounds; round++) {
		guint person = people_random_pick(PEOPLE), audience = people_random_pick(AUDIENCES);

		switch (people_random_pick(4)) {
		case 0:
			people_random_add_contact(person, audience);
			break;
		case 1:
			people_random_change_contact(person, audience);
			break;
		case 2:
			people_random_change_person(person);
			break;
		default:
			change_automation(person);
		}
		if (round % 10 == 9)
			expect_agreement();
	}
	cr_log_info("seed %u", seed);
	for (guint i = 0; i < AUDIENCES; i++)
		g_free(audiences[i]);
	g_rand_free(rand_);
}
