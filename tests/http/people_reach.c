/* SPDX-License-Identifier: MIT */
/* Whom broadcasts to segments reach: a no stays a no, whatever is deleted, expires or gets another
   address, and only a yes makes anybody reachable. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "config/settings.h"
#include "json/value.h"
#include "link/token.h"
#include "store/consent/confirmation.h"
#include "store/person/audience.h"
#include "tests/http/audience.h"
#include "tests/http/confirmation.h"
#include "tests/support/db.h"
#include "tests/support/steps.h"

FIXTURE_SUITE(people_reach, 3600);

#define STEPS 300 /* of the random test */
#define PEOPLE 6
#define AUDIENCES 3
#define WAITING 2 /* the audience that asks for a confirmation */

static GRand *rand_;
static char *audiences[AUDIENCES];

/* The number of people who are reachable. property NULL: of all; else of those who have the email.
 */
static gint64
count_reachable(const char *email)
{
	g_autofree char *body = email ? g_strdup_printf("{'rules':{'rules':[{'property':"
							"'contact.email','operator':'equals',"
							"'value':'%s'}]}}",
					    email)
				      : g_strdup("{'rules':{'rules':[]}}");
	AUTO(answer) answer = audience_ask(fixture, "POST", body, "/v1/segments/preview");

	cr_assert_eq(answer->status, 200u, "%s", answer->body);
	return json_integer(answer_at(answer, "reachable"));
}

static void
expect_reachable(const char *what, const char *email, bool want)
{
	cr_expect_eq(
	    count_reachable(email), want, "%s: %s is%s reachable", what, email, want ? " not" : "");
}

/* Sends a request that has to work. */
static void
people_reach_ask(const char *method, const char *body, const char *path)
{
	AUTO(answer) answer = audience_ask(fixture, method, body, "%s", path);

	cr_assert_eq(answer->status, 200u, "%s %s %s: %s", method, path, body, answer->body);
}

#define ANN "ann@x.org"
#define EVENT "{'event_name':'e','email':'" ANN "'}"

/* The steps of one story about Ann and two audiences, and whether she is reachable then. */
enum what { REQUEST, JOIN, LEAVE, DELETE_CONTACT, DELETE_AUDIENCE };
struct step {
	enum what what;
	const char *method, *path, *body; /* of REQUEST; the body of JOIN */
	guint audience;
};
struct story {
	const char *name;
	struct step steps[6];
	guint count;
	bool want;
};

#define EVENT_STEP                                                                                 \
	{                                                                                          \
		REQUEST, "POST", "/v1/events", EVENT, 0                                            \
	}
#define SAY(word)                                                                                  \
	{                                                                                          \
		REQUEST, "PATCH", "/v1/people/" ANN, "{'subscribed':" word "}", 0                  \
	}
#define MAKE(fields)                                                                               \
	{                                                                                          \
		REQUEST, "POST", "/v1/people", "{'email':'" ANN "'" fields "}", 0                  \
	}
#define IMPORT(fields)                                                                             \
	{                                                                                          \
		REQUEST, "POST", "/v1/people/import", "{'rows':[{'email':'" ANN "'" fields "}]}",  \
		    0                                                                              \
	}
#define JOIN_STEP(n, word)                                                                         \
	{                                                                                          \
		JOIN, NULL, NULL, "{'email':'" ANN "','is_subscribed':" word "}", n                \
	}
#define FREE_STEP                                                                                  \
	{                                                                                          \
		REQUEST, "DELETE", "/v1/suppressions/" ANN, NULL, 0                                \
	}

static void
people_reach_tell(const struct story *story)
{
	g_autofree char *first = audience_new(fixture, "One"),
			*second = audience_new(fixture, "Two");
	const char *const ids[] = {first, second};
	char *contacts[2] = {NULL, NULL};

	for (guint i = 0; i < story->count; i++) {
		const struct step *step = &story->steps[i];
		g_autofree char *path =
		    step->what == REQUEST ? g_strdup(step->path)
		    : step->what == DELETE_AUDIENCE
			? g_strdup_printf("/v1/audiences/%s", ids[step->audience])
			: g_strdup_printf("/v1/audiences/%s/contacts/%s", ids[step->audience],
			      contacts[step->audience]);

		if (step->what == JOIN)
			contacts[step->audience] =
			    audience_add(fixture, ids[step->audience], step->body);
		else
			people_reach_ask(step->what == REQUEST ? step->method
					 : step->what == LEAVE ? "PATCH"
							       : "DELETE",
			    step->what == REQUEST ? step->body
			    : step->what == LEAVE ? "{'is_subscribed':false}"
						  : NULL,
			    path);
	}
	expect_reachable(story->name, ANN, story->want);
	g_free(contacts[0]);
	g_free(contacts[1]);
}

Test(people_reach, needs_a_reason_and_no_refusal)
{
	static const struct story stories[] = {
	    {"an event alone", {EVENT_STEP}, 1, false},
	    {"made by an operator", {MAKE("")}, 1, true},
	    {"made, not subscribed", {MAKE(",'subscribed':false")}, 1, false},
	    {"made, not subscribed, and no longer suppressed",
		{MAKE(",'subscribed':false"), FREE_STEP}, 2, false},
	    {"an event, and an operator's yes", {EVENT_STEP, SAY("true")}, 2, true},
	    {"an event, and another change",
		{EVENT_STEP, {REQUEST, "PATCH", "/v1/people/" ANN, "{'first_name':'A'}", 0}}, 2,
		false},
	    {"imported", {IMPORT("")}, 1, true},
	    {"an event, imported with a yes", {EVENT_STEP, IMPORT(",'subscribed':true")}, 2, true},
	    {"an event, imported without a word", {EVENT_STEP, IMPORT("")}, 2, false},
	    {"imported with a no", {IMPORT(",'subscribed':false")}, 1, false},
	    {"subscribed", {JOIN_STEP(0, "true")}, 1, true},
	    {"subscribed in one of two", {JOIN_STEP(0, "false"), JOIN_STEP(1, "true")}, 2, true},
	    {"unsubscribed in one of two",
		{JOIN_STEP(0, "true"), JOIN_STEP(1, "true"), {.what = LEAVE}}, 3, true},
	    {"unsubscribed", {JOIN_STEP(0, "true"), {.what = LEAVE}}, 2, false},
	    {"made, then unsubscribed", {MAKE(""), JOIN_STEP(0, "false")}, 2, false},
	    {"unsubscribed, contact deleted",
		{JOIN_STEP(0, "true"), {.what = LEAVE}, {.what = DELETE_CONTACT}}, 3, false},
	    {"unsubscribed, audience deleted",
		{JOIN_STEP(0, "true"), {.what = LEAVE}, {.what = DELETE_AUDIENCE}}, 3, false},
	    {"unsubscribed, contact deleted, a new event",
		{JOIN_STEP(0, "true"), {.what = LEAVE}, {.what = DELETE_CONTACT}, EVENT_STEP}, 4,
		false},
	    {"unsubscribed, contact deleted, a new yes",
		{JOIN_STEP(0, "true"), {.what = LEAVE}, {.what = DELETE_CONTACT}, SAY("true")}, 4,
		true},
	    {"a yes after the no, then deleted",
		{JOIN_STEP(0, "true"), {.what = LEAVE}, SAY("true"), {.what = DELETE_CONTACT}}, 4,
		true},
	    {"subscribed, contact deleted", {JOIN_STEP(0, "true"), {.what = DELETE_CONTACT}}, 2,
		true},
	    {"subscribed, audience deleted", {JOIN_STEP(0, "true"), {.what = DELETE_AUDIENCE}}, 2,
		true},
	    {"subscribed there, unsubscribed here, the first deleted",
		{JOIN_STEP(0, "true"), JOIN_STEP(1, "false"), {.what = DELETE_CONTACT}}, 3, false},
	    {"left all, and no longer suppressed", {JOIN_STEP(0, "true"), SAY("false"), FREE_STEP},
		3, false},
	    {"left all, an operator's yes", {JOIN_STEP(0, "true"), SAY("false"), SAY("true")}, 3,
		true},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(stories); i++) {
		people_reach_tell(&stories[i]);
		AUTO(answer) gone = audience_ask(fixture, "DELETE", NULL, "/v1/people/" ANN);
		AUTO(answer)
		lifted = audience_ask(fixture, "DELETE", NULL, "/v1/suppressions/" ANN);
	}
}

/* A person as the model knows it. */
enum state { OUT, SUBSCRIBED, UNSUBSCRIBED, PENDING };
enum reason { NONE, JOINED, SAID };
static struct human {
	bool exists, made, seen;
	bool left_all; /* holds for the address */
	enum reason reason;
	enum state in[AUDIENCES];
} humans[PEOPLE];

static guint
people_reach_pick(guint count)
{
	return (guint)g_rand_int_range(rand_, 0, (gint32)count);
}

static bool
people_reach_is_in(const struct human *human, enum state state)
{
	for (guint i = 0; i < AUDIENCES; i++)
		if (human->in[i] == state)
			return true;
	return false;
}

static bool
people_reach_is_member(const struct human *human)
{
	return people_reach_is_in(human, SUBSCRIBED) || people_reach_is_in(human, UNSUBSCRIBED) ||
	       people_reach_is_in(human, PENDING);
}

static void
people_reach_join(struct human *human, guint audience)
{
	human->exists = true;
	human->left_all = false;
	human->in[audience] = SUBSCRIBED;
	human->reason = MAX(human->reason, JOINED);
}

/* A membership is unsubscribed now. */
static void
people_reach_leave(struct human *human, guint audience)
{
	human->exists = true;
	human->in[audience] = UNSUBSCRIBED;
	human->reason = people_reach_is_in(human, SUBSCRIBED) ? MIN(human->reason, JOINED) : NONE;
}

static void
leave_all(struct human *human)
{
	human->left_all = true;
	for (guint i = 0; i < AUDIENCES; i++)
		if (human->in[i] == SUBSCRIBED)
			people_reach_leave(human, i);
}

static void
remove_membership(struct human *human, guint audience)
{
	bool was = human->in[audience] == SUBSCRIBED;

	human->in[audience] = OUT;
	if (was && human->reason == JOINED && !people_reach_is_in(human, SUBSCRIBED) &&
	    people_reach_is_in(human, UNSUBSCRIBED))
		human->reason = NONE;
}

static GString *last; /* the requests of the last step, for a failure */

/* Sends a request of which the answer may be a refusal, but no fault. Returns whether it is done.
   body is freed. */
static bool
people_reach_try(const char *method, char *body, const char *path)
{
	AUTO(answer) answer = audience_ask(fixture, method, body, "%s", path);

	g_string_append_printf(
	    last, "%s %s %s: %u; ", method, path, body ? body : "", answer->status);

	cr_expect_lt(answer->status, 500u, "%s %s %s: %s", method, path, body, answer->body);
	g_free(body);
	return answer->status == 200;
}

static const char *
people_reach_word_of(guint said)
{
	return said == 0 ? "false" : "true";
}

/* said: 0 no, 1 yes, 2 nothing. */
static char *
people_reach_flag(const char *name, guint said)
{
	return said > 1 ? g_strdup("")
			: g_strdup_printf(",'%s':%s", name, people_reach_word_of(said));
}

static void
people_reach_say(struct human *human, guint said)
{
	if (said == 0)
		leave_all(human);
	else if (said == 1) {
		human->left_all = false;
		human->reason = SAID;
	}
}

static void
people_reach_change_person(guint number)
{
	struct human *human = &humans[number];
	g_autofree char *path = g_strdup_printf("/v1/people/p%u@x.org", number);
	guint way = people_reach_pick(6), said = people_reach_pick(3);
	g_autofree char *word = people_reach_flag("subscribed", said);

	if (way == 0 && people_reach_try("DELETE", NULL, path))
		*human = (struct human){.left_all = human->left_all};
	if (way == 1 &&
	    people_reach_try("PATCH", g_strdup_printf("{'last_name':'L'%s}", word), path))
		people_reach_say(human, said);
	if (way == 2 || way == 3) {
		if (!people_reach_try("POST",
			g_strdup_printf("{'email':'p%u@x.org'%s}", number, word), "/v1/people"))
			return;
		human->exists = human->made = true;
		human->reason = said == 0 || (said == 2 && human->left_all) ? NONE : SAID;
		people_reach_say(human, said);
	}
	if (way == 4) {
		bool is_new = !human->exists;

		cr_assert(people_reach_try("POST",
		    g_strdup_printf("{'rows':[{'email':'p%u@x.org'%s}]}", number, word),
		    "/v1/people/import"));
		/* A row that changes nothing makes nobody. */
		human->made |= is_new || (said == 0 && !human->left_all) ||
			       (said == 1 && (human->left_all || human->reason != SAID));
		human->exists = true;
		if (is_new)
			human->reason = said == 0 || (said == 2 && human->left_all) ? NONE : SAID;
		people_reach_say(human, said);
	}
	if (way == 5) {
		g_autofree char *entry = g_strdup_printf("/v1/suppressions/p%u@x.org", number);

		if (people_reach_try("DELETE", NULL, entry))
			human->left_all = false;
	}
}

static void
send_event(guint number)
{
	cr_assert(people_reach_try("POST",
	    g_strdup_printf("{'event_name':'e','email':'p%u@x.org'}", number), "/v1/events"));
	humans[number].exists = humans[number].seen = true;
}

/* The id of a contact; NULL: there is none. The caller owns it. */
static char *
people_reach_find_contact(guint number, guint audience)
{
	g_autofree char *sql = g_strdup_printf(
	    "SELECT LOWER(CONCAT_WS('-', SUBSTR(HEX(id), 1, 8), SUBSTR(HEX(id), 9, 4),"
	    " SUBSTR(HEX(id), 13, 4), SUBSTR(HEX(id), 17, 4), SUBSTR(HEX(id), 21)))"
	    " FROM contact WHERE address = 'p%u@x.org' AND audience_id ="
	    " UNHEX(REPLACE('%s', '-', ''))",
	    number, audiences[audience]);

	return humans[number].in[audience] == OUT ? NULL
						  : test_db_text(fixture->db, g_intern_string(sql));
}

static void
people_reach_add_contact(guint number, guint audience)
{
	struct human *human = &humans[number];
	guint said = people_reach_pick(3);
	bool import = people_reach_pick(3) == 0;
	g_autofree char *path = g_strdup_printf(
	    "/v1/audiences/%s/%s", audiences[audience], import ? "import" : "contacts");
	g_autofree char *word = people_reach_flag("is_subscribed", said);
	char *row = g_strdup_printf("{'email':'p%u@x.org'%s}", number, word);
	enum state was = human->in[audience];

	if (import) {
		char *rows = g_strdup_printf("{'rows':[%s]}", row);

		g_free(row);
		row = rows;
	}
	if (!people_reach_try("POST", row, path) || (was != OUT && said == 2))
		return;
	if (said == 0 && was == UNSUBSCRIBED)
		return;
	if (said == 0)
		people_reach_leave(human, audience);
	else if (!import && audience == WAITING) {
		human->exists = true;
		human->in[audience] = PENDING;
	} else if (said == 2 && human->left_all)
		people_reach_leave(human, audience);
	else
		people_reach_join(human, audience);
}

/* The person gets the address of another one. */
static void
people_reach_move(struct human *from, struct human *to, guint audience)
{
	bool is_new = !to->exists;
	enum state state = from->in[audience];

	from->in[audience] = OUT;
	if (is_new) {
		bool left = to->left_all;

		*to = (struct human){.exists = true,
		    .made = from->made,
		    .seen = from->seen,
		    .left_all = left || from->left_all,
		    .reason = from->reason};
		if ((people_reach_is_member(from) && to->reason == JOINED) ||
		    (left && !from->left_all))
			to->reason = NONE;
	} else {
		to->seen |= from->seen;
		if (from->left_all)
			leave_all(to);
	}
	if (people_reach_is_member(from)) {
		from->made = from->seen = false;
		from->reason = people_reach_is_in(from, SUBSCRIBED) ? JOINED : NONE;
	} else
		*from = (struct human){.left_all = from->left_all};
	to->in[audience] = state;
	if (state == SUBSCRIBED && !to->left_all)
		people_reach_join(to, audience);
	else if (state == SUBSCRIBED || (state == UNSUBSCRIBED && !is_new))
		people_reach_leave(to, audience);
}

static void
people_reach_change_contact(guint number, guint audience)
{
	struct human *human = &humans[number];
	g_autofree char *id = people_reach_find_contact(number, audience);
	guint way = people_reach_pick(4), other = people_reach_pick(PEOPLE),
	      said = people_reach_pick(2);

	if (!id)
		return;
	g_autofree char *path =
	    g_strdup_printf("/v1/audiences/%s/contacts/%s", audiences[audience], id);
	if (way == 0 && people_reach_try("DELETE", NULL, path))
		remove_membership(human, audience);
	if (way == 1 &&
	    people_reach_try("PATCH",
		g_strdup_printf("{'is_subscribed':%s}", people_reach_word_of(said)), path)) {
		if (said)
			people_reach_join(human, audience);
		else if (human->in[audience] != UNSUBSCRIBED)
			people_reach_leave(human, audience);
	}
	if (way > 1 && other != number &&
	    people_reach_try("PATCH", g_strdup_printf("{'email':'p%u@x.org'}", other), path))
		people_reach_move(human, &humans[other], audience);
}

static void
people_reach_confirm(guint number)
{
	struct human *human = &humans[number];
	g_autofree char *contact = people_reach_find_contact(number, WAITING);
	struct link_token token = {.kind = TOKEN_CONFIRM};
	char text[TOKEN_TEXT_SIZE];

	if (human->in[WAITING] != PENDING)
		return;
	g_autofree char *sql =
	    g_strdup_printf("SELECT COALESCE((SELECT LOWER(HEX(id)) FROM confirmation"
			    " WHERE used IS NULL AND contact_id = UNHEX(REPLACE('%s', '-', ''))"
			    " LIMIT 1), '')",
		contact);
	g_autofree char *hex = test_db_text(fixture->db, g_intern_string(sql));
	if (!*hex) /* it was sent to another address */
		return;
	for (guint i = 0; i < sizeof(token.email.bytes); i++) {
		const char byte[] = {hex[2 * i], hex[2 * i + 1], '\0'};

		token.email.bytes[i] = (guint8)strtoul(byte, NULL, 16);
	}
	g_string_append_printf(last, "p%u confirms", number);
	link_token_write(config_settings_secret(fixture->settings), &token, NULL, text);
	g_autofree char *path = g_strconcat("/t/s/", text, NULL);
	AUTO(answer) answer = confirmation_ask(fixture, "POST", path, NULL);
	cr_assert_eq(answer->status, 200u, "%s", answer->body);
	people_reach_join(human, WAITING);
}

/* All who wait have waited in vain. */
static void
expire(void)
{
	g_autoptr(GError) error = NULL;
	guint count;

	g_string_append(last, "expire");

	test_db_plain(fixture->db,
	    "UPDATE contact SET pending = 1 WHERE workspace_id = @workspace AND pending > 1");
	test_db_plain(
	    fixture->db, "UPDATE confirmation SET created = 1 WHERE workspace_id = @workspace");
	cr_assert(store_confirmation_sweep(fixture->db, 2, &count, &error), "%s",
	    error ? error->message : "");
	for (guint i = 0; i < PEOPLE; i++) {
		struct human *human = &humans[i];

		if (human->in[WAITING] != PENDING)
			continue;
		human->in[WAITING] = OUT;
		if (!people_reach_is_member(human) && !human->made && !human->seen &&
		    human->reason == NONE)
			*human = (struct human){.left_all = human->left_all};
	}
}

static void
renew_audience(guint audience)
{
	g_autofree char *path = g_strdup_printf("/v1/audiences/%s", audiences[audience]);

	g_string_append_printf(last, "delete audience %u", audience);
	people_reach_ask("DELETE", NULL, path);
	for (bool more = true; more;)
		cr_assert(store_audience_sweep(fixture->db, &more, NULL));
	g_free(audiences[audience]);
	audiences[audience] = audience_new(fixture, "A");
	for (guint i = 0; i < PEOPLE; i++)
		remove_membership(&humans[i], audience);
}

static void
take_step(void)
{
	guint number = people_reach_pick(PEOPLE), audience = people_reach_pick(AUDIENCES),
	      way = people_reach_pick(40);

	if (way < 12)
		people_reach_change_person(number);
	else if (way < 15)
		send_event(number);
	else if (way < 24)
		people_reach_add_contact(number, audience);
	else if (way < 34)
		people_reach_change_contact(number, audience);
	else if (way < 37)
		people_reach_confirm(number);
	else if (way < 39)
		expire();
	else
		renew_audience(people_reach_pick(WAITING));
}

static bool
is_reachable(const struct human *human)
{
	return human->exists && !human->left_all && human->reason != NONE;
}

/* Expects each person to be as the model says; returns whether it is so. */
static void
expect_model(guint32 seed, guint step)
{
	for (guint i = 0; i < PEOPLE; i++) {
		g_autofree char *email = g_strdup_printf("p%u@x.org", i);
		AUTO(answer) answer = audience_ask(fixture, "GET", NULL, "/v1/people/%s", email);

		cr_assert_eq(answer->status, humans[i].exists ? 200u : 404u,
		    "seed %u, step %u: %s: %u", seed, step, email, answer->status);
		cr_assert_eq(
		    count_reachable(email), is_reachable(&humans[i]), "step %u: %s", step, email);
	}
}

/* The model knows nothing of how the reasons are stored. */
Test(people_reach, is_as_a_model_says)
{
	const char *given = g_getenv("POSTHOUSE_SEED");
	guint32 seed = given ? (guint32)strtoul(given, NULL, 10) : g_random_int();
	guint count = test_steps(STEPS);

	rand_ = g_rand_new_with_seed(seed);
	last = g_string_new(NULL);
	confirmation_prepare(fixture);
	for (guint i = 0; i < AUDIENCES; i++)
		audiences[i] = audience_new(fixture, "A");
	audience_expect(fixture, "PUT", "{'required':true}", 200, NULL, "/v1/audiences/%s/opt-in",
	    audiences[WAITING]);
	cr_log_info("seed %u", seed);
	for (guint step = 1; step <= count; step++) {
		gint64 want = 0;

		g_string_truncate(last, 0);
		take_step();
		for (guint i = 0; i < PEOPLE; i++) {
			const struct human *h = &humans[i];

			want += is_reachable(h);
			g_string_append_printf(last, "\np%u:%s%s%s%s reason %d, in %d %d %d", i,
			    h->exists ? " exists" : "", h->made ? " made" : "",
			    h->seen ? " seen" : "", h->left_all ? " left all" : "", h->reason,
			    h->in[0], h->in[1], h->in[2]);
		}
		cr_assert_eq(count_reachable(NULL), want, "POSTHOUSE_SEED=%u, step %u: %s", seed,
		    step, last->str);
		if (step % 20 == 0)
			expect_model(seed, step);
	}
	for (guint i = 0; i < AUDIENCES; i++)
		g_free(audiences[i]);
	g_string_free(last, TRUE);
	g_rand_free(rand_);
}
