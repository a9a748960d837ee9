/* SPDX-License-Identifier: MIT */
/* Random changes from all sides: audiences, automation and people always show the same. */
#include <criterion/criterion.h>
#include <string.h>

#include "json/value.h"
#include "json/writer.h"
#include "tests/http/audience.h"
#include "tests/support/steps.h"

TENANT_SUITE(people_random, 900);

#define ROUNDS 150
#define PEOPLE 4
#define AUDIENCES 2

static GRand *rand_;
static char *audiences[AUDIENCES];

static guint
pick(guint count)
{
	return (guint)g_rand_int_range(rand_, 0, (gint32)count);
}

/* Sends a request of which the answer may be a refusal, but no fault. */
static struct answer *
ask(const char *method, const char *path, const char *body)
{
	const struct exchange exchange = {method, method, path, body, 0};
	struct answer *answer = exchange_ask(tenant, &exchange);

	cr_expect_lt(answer->status, 500, "%s %s %s: %s", method, path, body, answer->body);
	return answer;
}

/* The id of the contact of a person in an audience; NULL: there is none. The caller owns it. */
static char *
find_contact(guint person, guint audience)
{
	g_autofree char *path = g_strdup_printf("/v1/people/p%u@x.org", person);
	AUTO(answer) answer = ask("GET", path, NULL);
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
change_contact(guint person, guint audience)
{
	g_autofree char *id = find_contact(person, audience);
	g_autofree char *path =
	    id ? g_strdup_printf("/v1/audiences/%s/contacts/%s", audiences[audience], id) : NULL;
	g_autofree char *body =
	    pick(4) == 0   ? g_strdup_printf("{'email':'p%u@x.org'}", pick(PEOPLE))
	    : pick(3) == 0 ? g_strdup_printf("{'is_subscribed':%s}", pick(2) ? "true" : "false")
			   : g_strdup_printf("{'first_name':'F%u','last_name':%s}", pick(9),
				 pick(2) ? "null" : "'L'");
	AUTO(answer) answer = path ? ask(pick(5) == 0 ? "DELETE" : "PATCH", path, body) : NULL;
}

static void
add_contact(guint person, guint audience)
{
	g_autofree char *path = g_strdup_printf("/v1/audiences/%s/contacts", audiences[audience]);
	g_autofree char *body =
	    g_strdup_printf("{'email':'P%u@x.org','first_name':'C%u','is_subscribed':%s}", person,
		pick(9), pick(2) ? "true" : "false");
	AUTO(answer) answer = ask("POST", path, body);
}

/* A change by /v1/people. */
static void
change_person(guint person)
{
	g_autofree char *path = g_strdup_printf("/v1/people/p%u@x.org", person);
	g_autofree char *data =
	    g_strdup_printf("'first_name':'N%u','properties':{'k%u':%u,'o':{'k%u':null,'m':1}}",
		pick(9), pick(3), pick(100), pick(3));
	g_autofree char *change = g_strdup_printf("{%s}", data);
	g_autofree char *make = g_strdup_printf("{'email':'p%u@x.org',%s}", person, data);
	g_autofree char *choice = g_strdup_printf("{'subscribed':%s}", pick(2) ? "true" : "false");
	guint way = pick(8);
	AUTO(answer)
	answer = way == 0   ? ask("DELETE", path, NULL)
		 : way == 1 ? ask("PATCH", path, choice)
		 : way < 4  ? ask("POST", "/v1/people", make)
			    : ask("PATCH", path, change);
}

/* A change by automation. */
static void
change_automation(guint person)
{
	g_autofree char *path = g_strdup_printf("/v1/automation/contacts/p%u@x.org", person);
	g_autofree char *change = g_strdup_printf(
	    "{'properties':{'k%u':'a','o':{'k%u':%u}}}", pick(3), pick(3), pick(100));
	g_autofree char *event =
	    g_strdup_printf("{'event_name':'e','email':'p%u@x.org','properties':{'k%u':%u}}",
		person, pick(3), pick(100));
	guint way = pick(6);
	AUTO(answer)
	answer = way == 0  ? ask("DELETE", path, NULL)
		 : way < 3 ? ask("PATCH", path, change)
			   : ask("POST", "/v1/events", event);
}

static void
expect_same(const char *what, const struct json *a, const char *in_a, const struct json *b,
    const char *in_b)
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
	AUTO(answer) answer = ask("GET", path, NULL);

	cr_expect_eq(answer->status, 200, "%s: %u", path, answer->status);
	expect_same(path, person, "email", answer->json, "email");
	expect_same(path, person, "first_name", answer->json, "first_name");
	expect_same(path, person, "last_name", answer->json, "last_name");
	cr_expect_eq(json_boolean(json_member_get(answer->json, "is_subscribed")),
	    strcmp(status, "subscribed") == 0, "%s: %s", path, status);
	cr_expect(json_boolean(json_member_get(person, "subscribed")) ||
		      strcmp(status, "subscribed") != 0,
	    "%s: a person who left all is subscribed", path);
}

/* Adds the memberships of a person to the numbers of contacts, and of those not subscribed. */
static void
expect_person(guint number, gint64 counts[AUDIENCES][2])
{
	g_autofree char *path = g_strdup_printf("/v1/people/p%u@x.org", number);
	g_autofree char *automation = g_strdup_printf("/v1/automation/contacts/p%u@x.org", number);
	AUTO(answer) person = ask("GET", path, NULL);
	AUTO(answer) seen = ask("GET", automation, NULL);
	const struct json *list =
	    person->status == 200 ? json_member_get(person->json, "audiences") : NULL;

	if (seen->status == 200) {
		cr_expect_eq(person->status, 200);
		expect_same(path, person->json, "properties", seen->json, "properties");
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
		expect_person(person, counts);
	for (guint i = 0; i < AUDIENCES; i++)
		audience_expect_counts(tenant, audiences[i], counts[i][0], counts[i][1]);
}

Test(people_random, agree)
{
	guint32 seed = g_random_int();

	rand_ = g_rand_new_with_seed(seed);
	for (guint i = 0; i < AUDIENCES; i++)
		audiences[i] = audience_new(tenant, "A");
	for (guint round = 0, rounds = test_steps(ROUNDS); round < rounds; round++) {
		guint person = pick(PEOPLE), audience = pick(AUDIENCES);

		switch (pick(4)) {
		case 0:
			add_contact(person, audience);
			break;
		case 1:
			change_contact(person, audience);
			break;
		case 2:
			change_person(person);
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
