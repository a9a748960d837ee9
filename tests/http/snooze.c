/* SPDX-License-Identifier: MIT */
/* Pauses of mailings: made by operators and on the page, and heeded by every way of sending. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits/person.h"
#include "tests/http/arrival.h"
#include "tests/http/audience.h"
#include "tests/http/email.h"
#include "tests/http/tracking.h"
#include "tests/support/db.h"

#define DAY_MS ((gint64)24 * 60 * 60 * 1000)
#define MINUTE_MS ((gint64)60 * 1000)
#define ADA "/v1/people/ada@example.net"
#define SNOOZE ADA "/snooze"
#define NONE "{'until':null,'by':null}"
#define REFUSED "{'message':'This person has snoozed; override is required'}"
#define FAR "{'message':'until must be a time in the next 366 days'}"
#define MAILING "'to':'ada@example.net','html':'<p><a href=\\u0022{{unsubscribe_url}}\\u0022>x</a>'"

FIXTURE_SUITE(snooze, 900);

static void
snooze_make_ada(void)
{
	const struct exchange exchange = {
	    "ada", "POST", "/v1/people", "{'email':'Ada@example.net'}", 200};

	answer_free(exchange_expect(fixture, &exchange));
}

/* Makes the snooze the person's own. */
static void
snooze_make_own(void)
{
	test_db_plain(fixture->db, "UPDATE snooze SET author = 1 WHERE workspace_id = @workspace");
}

static char *
snooze_body(gint64 until, const char *more)
{
	return g_strdup_printf("{'until':%" G_GINT64_FORMAT "%s}", until, more);
}

static char *
snooze_answer(gint64 until, const char *by)
{
	return g_strdup_printf("{'until':%" G_GINT64_FORMAT ",'by':'%s'}", until, by);
}

static void
snooze_put(gint64 until)
{
	g_autofree char *body = snooze_body(until, "");
	const struct exchange exchange = {"snooze", "PUT", SNOOZE, body, 200};

	answer_free(exchange_expect(fixture, &exchange));
}

Test(snooze, is_read_made_and_ended)
{
	gint64 now = base_clock_now(), week = now + 7 * DAY_MS;
	g_autofree char *body = snooze_body(week, "");
	g_autofree char *made = snooze_answer(week, "operator");
	g_autofree char *shorter = snooze_body(week - DAY_MS, "");
	g_autofree char *shortened = snooze_answer(week - DAY_MS, "operator");
	g_autofree char *most = snooze_body(now + LIMIT_SNOOZE_DAYS * DAY_MS - MINUTE_MS, "");
	g_autofree char *above = snooze_body(now + LIMIT_SNOOZE_DAYS * DAY_MS + MINUTE_MS, "");
	g_autofree char *past = snooze_body(now - 1, "");
	g_autofree char *reason = g_strnfill(LIMIT_OVERRIDE_LENGTH + 1, 'x');
	g_autofree char *quoted = g_strdup_printf(",'override':'%s'", reason);
	g_autofree char *long_reason = snooze_body(week, quoted);
	const struct exchange exchanges[] = {
	    {"nobody", "GET", SNOOZE, NULL, 404, "{'message':'Person not found'}"},
	    {"nobody to snooze", "PUT", SNOOZE, body, 404, "{'message':'Person not found'}"},
	    {"nobody to wake", "DELETE", SNOOZE, NULL, 404, "{'message':'Person not found'}"},
	    {"no address", "GET", "/v1/people/x/snooze", NULL, 404},
	    {"ada", "POST", "/v1/people", "{'email':'Ada@example.net'}", 200},
	    {"none", "GET", SNOOZE, NULL, 200, NONE},
	    {"none to end", "DELETE", SNOOZE, NULL, 200, "{'message':'Snooze ended'}"},
	    {"nothing happened", "GET", ADA "/history", NULL, 200, .want = {"count = 0"}},
	    {"made", "PUT", "/v1/people/ADA@example.net/snooze", body, 200, made},
	    {"again", "PUT", SNOOZE, body, 200, made},
	    {"read", "GET", SNOOZE, NULL, 200, made},
	    {"shortened by the operator", "PUT", SNOOZE, shorter, 200, shortened},
	    {"at the limit", "PUT", SNOOZE, most, 200, .want = {"by = 'operator'"}},
	    {"past the limit", "PUT", SNOOZE, above, 400, FAR},
	    {"over", "PUT", SNOOZE, past, 400, FAR},
	    {"the epoch", "PUT", SNOOZE, "{'until':0}", 400, FAR},
	    {"no time", "PUT", SNOOZE, "{}", 400, "{'message':'until is required'}"},
	    {"null", "PUT", SNOOZE, "{'until':null}", 400, "{'message':'until is required'}"},
	    {"a word", "PUT", SNOOZE, "{'until':'soon'}", 400},
	    {"a long reason", "PUT", SNOOZE, long_reason, 400,
		"{'message':'override must be true or a reason of 1 to 500 characters'}"},
	    {"an empty reason", "DELETE", SNOOZE "?override=", NULL, 400,
		"{'message':'override must be true or a reason of 1 to 500 characters'}"},
	    {"ended", "DELETE", SNOOZE, NULL, 200, "{'message':'Snooze ended'}"},
	    {"gone", "GET", SNOOZE, NULL, 200, NONE},
	    {"history", "GET", ADA "/history?kind=consent", NULL, 200,
		.want = {"history[0].type = 'unsnoozed'", "history[1].type = 'snoozed'",
		    "history[2].type = 'snoozed'", "history[3].type = 'snoozed'", "count = 4",
		    "history[0].source = 'api'", "history[0].by = 'operator'"}},
	    {"audit", "GET", "/v1/audit", NULL, 200,
		.want = {"audit[0].action = 'person.changed'"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(snooze, of_ones_own_is_overridden)
{
	gint64 week = base_clock_now() + 7 * DAY_MS;
	g_autofree char *shorter = snooze_body(week - DAY_MS, "");
	g_autofree char *no_override = snooze_body(week - DAY_MS, ",'override':false");
	g_autofree char *longer = snooze_body(week + DAY_MS, "");
	g_autofree char *lengthened = snooze_answer(week + DAY_MS, "person");
	g_autofree char *overriding = snooze_body(week, ",'override':'asked by phone'");
	g_autofree char *overridden = snooze_answer(week, "operator");
	const struct exchange exchanges[] = {
	    {"shorter", "PUT", SNOOZE, shorter, 409, REFUSED},
	    {"false", "PUT", SNOOZE, no_override, 409, REFUSED},
	    {"end", "DELETE", SNOOZE, NULL, 409, REFUSED},
	    {"end, false", "DELETE", SNOOZE "?override=false", NULL, 409, REFUSED},
	    {"longer", "PUT", SNOOZE, longer, 200, lengthened},
	    {"read", "GET", SNOOZE, NULL, 200, lengthened},
	    {"overridden", "PUT", SNOOZE, overriding, 200, overridden},
	    {"the operator's", "DELETE", SNOOZE, NULL, 200, "{'message':'Snooze ended'}"},
	    {"history", "GET", ADA "/history?kind=consent", NULL, 200,
		.want = {"history[0].type = 'unsnoozed'", "history[1].type = 'snoozed'",
		    "history[2].type = 'override'", "history[2].reason = 'asked by phone'",
		    "history[3].type = 'snoozed'", "history[4].type = 'snoozed'", "count = 5"}},
	};
	const struct exchange ended[] = {
	    {"end", "DELETE", SNOOZE "?override=true", NULL, 200, "{'message':'Snooze ended'}"},
	    {"gone", "GET", SNOOZE, NULL, 200, NONE},
	};

	snooze_make_ada();
	snooze_put(week);
	snooze_make_own();
	EXPECT_ALL(fixture, exchanges);
	snooze_put(week);
	snooze_make_own();
	EXPECT_ALL(fixture, ended);
}

/* Sends a mailing to Ada; the path of its page, which the caller owns. */
static char *
snooze_page(void)
{
	g_autofree char *id = email_send(fixture, MAILING);
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	g_autofree char *html = tracking_html(arrival);

	return tracking_path(fixture, html, "a href", "/t/u/");
}

static struct answer *
snooze_ask_page(const char *page, const char *method, const char *body, const char *language)
{
	g_autofree char *accept = g_strconcat("Accept-Language: ", language, NULL);
	const struct exchange exchange = {body ? body : method, method, page, body, 200,
	    .headers = {
		"Authorization:", "Content-Type: application/x-www-form-urlencoded", accept}};

	return exchange_expect(fixture, &exchange);
}

/* Posts a form to the page, and expects a snooze of so many weeks; 0: none. */
static void
snooze_expect_posted(const char *page, const char *body, guint weeks)
{
	const struct exchange look = {body, "GET", SNOOZE, NULL, 200};
	gint64 before = base_clock_now();
	AUTO(answer) answer = snooze_ask_page(page, "POST", body, "en");
	AUTO(answer) snooze = exchange_expect(fixture, &look);
	gint64 until = json_integer(answer_at(snooze, "until")), week = 7 * DAY_MS;

	cr_expect_eq(strstr(answer->body, "value=\"unsnooze\"") != NULL, weeks > 0, "%s: %s", body,
	    answer->body);
	if (weeks == 0) {
		cr_expect_not(answer_at(snooze, "until"), "%s: %s", body, snooze->body);
		return;
	}
	cr_expect(until >= before + weeks * week && until <= base_clock_now() + weeks * week,
	    "%s: %s", body, snooze->body);
	cr_expect_str_eq(answer_text(snooze, "by"), "person");
	char time[CLOCK_ISO_SIZE];
	cr_expect(strstr(answer->body, base_clock_format(until, time)), "%s", answer->body);
}

Test(snooze, is_chosen_on_the_page)
{
	static const guint offered[] = {2, 4, 8, 13, 26, 52};

	snooze_make_ada();
	g_autofree char *page = snooze_page();
	AUTO(answer) asked = snooze_ask_page(page, "GET", NULL, "en");
	cr_expect(strstr(asked->body, "name=\"action\" value=\"snooze\""), "%s", asked->body);
	cr_expect_not(strstr(asked->body, "unsnooze"), "%s", asked->body);
	for (gsize i = 0; i < G_N_ELEMENTS(offered); i++) {
		g_autofree char *option = g_strdup_printf("<option value=\"%u\">", offered[i]);
		g_autofree char *body = g_strdup_printf("action=snooze&weeks=%u", offered[i]);

		cr_expect(strstr(asked->body, option), "%s: %s", option, asked->body);
		snooze_expect_posted(page, body, offered[i]);
	}
	snooze_expect_posted(page, "action=snooze&weeks=2", 2);
	snooze_expect_posted(page, "action=unsnooze", 0);
	snooze_expect_posted(page, "action=unsnooze", 0);
	static const char *const ignored[] = {"action=snooze&weeks=3", "action=snooze&weeks=0",
	    "action=snooze&weeks=", "action=snooze", "action=snooze&weeks=04",
	    "action=snooze&weeks=4x", "action=snooze&weeks=-4"};
	for (gsize i = 0; i < G_N_ELEMENTS(ignored); i++)
		snooze_expect_posted(page, ignored[i], 0);
	const struct exchange left[] = {
	    {"still subscribed", "GET", ADA, NULL, 200, .want = {"subscribed = true"}},
	    {"history", "GET", ADA "/history?kind=consent", NULL, 200,
		.want = {"history[0].type = 'unsnoozed'", "history[1].type = 'snoozed'",
		    "history[0].source = 'page'", "history[0].by = 'person'",
		    "history[0].about.email_id : string", "count = 8"}},
	};
	EXPECT_ALL(fixture, left);
	/* Leaving wins over all, and who has left is offered no pause. */
	AUTO(answer) gone =
	    snooze_ask_page(page, "POST", "action=snooze&weeks=4&action=unsubscribe", "en");
	cr_expect_not(strstr(gone->body, "snooze"), "%s", gone->body);
	const struct exchange out = {"left", "GET", ADA, NULL, 200, .want = {"subscribed = false"}};
	answer_free(exchange_expect(fixture, &out));
}

Test(snooze, is_offered_in_each_language)
{
	static const struct {
		const char *language, *form, *weeks, *end;
	} cases[] = {
	    {"en", "Pause mailings</button>", ">13 weeks<", "gets no mailings from"},
	    {"de", "Rundschreiben anhalten</button>", ">13 Wochen<", "bekommt bis"},
	    {"fr", "Suspendre les lettres</button>", ">13 semaines<", "ne reçoit plus de lettres"},
	    {"es", "Pausar los boletines</button>", ">13 semanas<", "no recibe boletines"},
	    {"pt", "Suspender os boletins</button>", ">13 semanas<", "não recebe boletins"},
	};

	snooze_make_ada();
	g_autofree char *page = snooze_page();
	snooze_put(base_clock_now() + 7 * DAY_MS);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(answer) answer = snooze_ask_page(page, "GET", NULL, cases[i].language);

		cr_expect(strstr(answer->body, cases[i].form), "%s", answer->body);
		cr_expect(strstr(answer->body, cases[i].weeks), "%s", answer->body);
		cr_expect(strstr(answer->body, cases[i].end), "%s", answer->body);
	}
}

/* It is kept by address, goes along to another one, and is erased with the person. */
Test(snooze, is_kept_by_address)
{
	gint64 week = base_clock_now() + 7 * DAY_MS;
	g_autofree char *kept = snooze_answer(week, "operator");
	g_autofree char *audience = audience_new(fixture, "A");
	g_autofree char *contact = audience_add(fixture, audience, "{'email':'ada@example.net'}");
	g_autofree char *path = g_strdup_printf("/v1/audiences/%s/contacts/%s", audience, contact);

	snooze_put(week);
	const struct exchange exchanges[] = {
	    {"deleted", "DELETE", ADA, NULL, 200},
	    {"back", "POST", "/v1/people", "{'email':'ada@example.net'}", 200},
	    {"kept", "GET", SNOOZE, NULL, 200, kept},
	    {"erased", "DELETE", ADA "?erase=true", NULL, 200},
	};
	const struct exchange moved[] = {
	    {"moved", "PATCH", path, "{'email':'new@example.net'}", 200},
	    {"along", "GET", "/v1/people/new@example.net/snooze", NULL, 200, kept},
	    {"back", "PATCH", path, "{'email':'ada@example.net'}", 200},
	};
	EXPECT_ALL(fixture, moved);
	EXPECT_ALL(fixture, exchanges);
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM snooze WHERE workspace_id = @workspace"
			 " AND address = 'ada@example.net'"),
	    0);
}
