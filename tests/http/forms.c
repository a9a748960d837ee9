/* SPDX-License-Identifier: MIT */
/* Forms: their definitions, their pages, and what submissions do. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits/email.h"
#include "base/limits/person.h"
#include "base/limits/request.h"
#include "base/limits/unit.h"
#include "consent/form.h"
#include "service/service.h"
#include "tests/http/arrival.h"
#include "tests/http/audience.h"
#include "tests/http/confirmation.h"
#include "tests/support/db.h"

FIXTURE_SUITE(forms, 900);

#define ENCODED "Content-Type: application/x-www-form-urlencoded"

static char *audience;

/* Creates a form of a new audience, with more members (or ""). The caller owns its path, "/f/ID".
 */
static char *
form_with(const char *members)
{
	confirmation_prepare(fixture);
	audience = audience_new(fixture, "News");
	g_autofree char *body = g_strdup_printf(
	    "{'name':'Join <us>','audience_id':'%s','per_network':1000%s}", audience, members);
	const struct exchange exchange = {"form", "POST", "/v1/forms", body, 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strdup(strstr(answer_text(answer, "url"), "/f/"));
}

/* Submits a body of a type, with a header more (or NULL). The caller owns the answer. */
static struct answer *
forms_submit(const char *form, const char *type, const char *body, const char *header)
{
	const struct exchange exchange = {
	    body, "POST", form, body, .headers = {"Authorization:", type, header}};

	return exchange_ask(fixture, &exchange);
}

static void
expect_status(const char *form, const char *body, guint want)
{
	AUTO(answer) answer = forms_submit(form, ENCODED, body, NULL);

	cr_expect_eq(answer->status, want, "%s: %u %s", body, answer->status, answer->body);
}

/* The number that a query of one table gives in the fixture's workspace. The rest of the query goes
   on with AND. */
static gint64
forms_number(const char *what, const char *table, const char *rest)
{
	char id[ID_TEXT_SIZE];
	g_autofree char *sql = g_strdup_printf(
	    "SELECT %s FROM %s WHERE workspace_id = UNHEX(REPLACE('%s', '-', '')) %s", what, table,
	    base_id_format(&fixture->id, id), rest);

	return test_db_number(fixture->db, g_intern_string(sql));
}

#define MAILS "COUNT(*)", "email", ""

#define HOST                                                                                       \
	"{'message':'redirect_url must have a host of letters, digits, dots and hyphens, and no "  \
	"user'}"

Test(forms, are_defined)
{
	g_autofree char *path = form_with("");
	g_autofree char *own = g_strconcat("/v1/forms/", path + strlen("/f/"), NULL);
	g_autofree char *unknown =
	    g_strdup_printf("{'name':'x','audience_id':'%s','topics':['x']}", audience);
	g_autofree char *field = g_strdup_printf(
	    "{'name':'x','audience_id':'%s','fields':['last_name','age']}", audience);
	g_autofree char *url = g_strdup_printf(
	    "{'name':'x','audience_id':'%s','redirect_url':'javascript:x'}", audience);
	const struct exchange exchanges[] = {
	    {"shown", "GET", own, NULL, 200,
		.want = {"name = 'Join <us>'", "topics = []", "fields = []", "redirect_url = null",
		    "double_opt_in = true", "per_network = 1000", "created : integer",
		    "updated : integer"}},
	    {"list", "GET", "/v1/forms", NULL, 200, .want = {"count = 1", "cursor = null"}},
	    {"topic", "POST", "/v1/forms", unknown, 400, "{'message':'Topic not found'}"},
	    {"field", "POST", "/v1/forms", field, 400,
		"{'message':'fields[1] must be first_name, last_name or the key of a property'}"},
	    {"script", "POST", "/v1/forms", url, 400,
		"{'message':'redirect_url must be an http or https URL'}"},
	    {"audience", "POST", "/v1/forms",
		"{'name':'x','audience_id':'0199c1a2-7f00-7000-8000-000000000001'}", 400,
		"{'message':'Audience not found'}"},
	    {"no audience", "POST", "/v1/forms", "{'name':'x'}", 400,
		"{'message':'audience_id is required'}"},
	    {"zero", "PATCH", own, "{'per_network':0}", 400},
	    {"one", "PATCH", own, "{'per_network':1}", 200, .want = {"per_network = 1"}},
	    {"most", "PATCH", own, "{'per_network':1000000}", 200},
	    {"past", "PATCH", own, "{'per_network':1000001}", 400},
	    {"changed", "PATCH", own,
		"{'fields':['first_name'],'redirect_url':'https://example.com/ok',"
		"'double_opt_in':false}",
		200,
		.want = {"fields = ['first_name']", "redirect_url = 'https://example.com/ok'",
		    "name = 'Join <us>'", "double_opt_in = false"}},
	    {"nulls", "PATCH", own,
		"{'name':null,'audience_id':null,'topics':null,'fields':null,"
		"'double_opt_in':null,'per_network':null}",
		200,
		.want = {"fields = ['first_name']", "double_opt_in = false",
		    "per_network = 1000000"}},
	    {"cleared", "PATCH", own, "{'redirect_url':null}", 200,
		.want = {"redirect_url = null"}},
	    {"removed", "DELETE", own, NULL, 200, "{'message':'Form deleted'}"},
	    {"gone", "GET", own, NULL, 404, "{'message':'Form not found'}"},
	    {"no id", "GET", "/v1/forms/x", NULL, 404, "{'message':'Form not found'}"},
	    {"two faults", "PATCH", own, "{'name':5}", 400, "{'message':'name must be a string'}"},
	    {"audience first", "PATCH", own, "{'audience_id':'x'}", 400,
		"{'message':'Audience not found'}"},
	    {"topic first", "PATCH", "/v1/forms/x", "{'topics':['x']}", 400,
		"{'message':'Topic not found'}"},
	    {"field first", "PATCH", own, "{'fields':['x']}", 400,
		"{'message':'fields[0] must be first_name, last_name or the key of a property'}"},
	    {"user", "PATCH", own, "{'redirect_url':'https://a@example.com/'}", 400, HOST},
	    {"semicolon", "PATCH", own, "{'redirect_url':'https://a;script-src'}", 400, HOST},
	    {"comma", "PATCH", own, "{'redirect_url':'https://a,b.example/'}", 400, HOST},
	    {"space", "PATCH", own, "{'redirect_url':'https://a%20*/'}", 400, HOST},
	    {"IPv6", "PATCH", own, "{'redirect_url':'https://[::1]/'}", 400, HOST},
	    {"url first", "PATCH", own, "{'redirect_url':'x'}", 400,
		"{'message':'redirect_url must be an http or https URL'}"},
	    {"no fault", "PATCH", own, "{'name':'x','fields':['first_name']}", 404,
		"{'message':'Form not found'}"},
	    {"no fault, no id", "PATCH", "/v1/forms/x", "{}", 404, "{'message':'Form not found'}"},
	};

	EXPECT_ALL(fixture, exchanges);
	expect_status(path, "email=b@example.net", 404);
	AUTO(answer)
	gone = forms_submit(path, ENCODED, "email=b@example.net", "Accept: application/json");
	cr_expect_eq(gone->status, 404);
	cr_expect_str_eq(gone->body, "{\"message\":\"Form not found\"}");
	g_free(audience);
}

Test(forms, have_a_page)
{
	g_autofree char *form = form_with(",'fields':['first_name']");
	AUTO(answer) page = confirmation_ask(fixture, "GET", form, "pt;q=0.5, fr");
	g_autofree char *policy = answer_header(page, "Content-Security-Policy");
	g_autofree char *frames = answer_header(page, "X-Frame-Options");
	g_autofree char *snippet = g_strconcat(form, "?snippet", NULL);
	AUTO(answer) text = confirmation_ask(fixture, "GET", snippet, NULL);
	g_autofree char *type = answer_header(text, "Content-Type");

	cr_expect(strstr(page->body, "<html lang=\"fr\">") &&
		      strstr(page->body, "Join &lt;us&gt;") &&
		      strstr(page->body, "Adresse e-mail") &&
		      strstr(page->body, "name=\"first_name\"") && strstr(page->body, "name=\"t\""),
	    "%s", page->body);
	cr_expect(g_str_has_prefix(policy, "default-src 'none'; style-src 'sha256-") &&
		      strstr(policy, "frame-ancestors *"),
	    "%s", policy);
	cr_expect_null(frames);
	cr_expect_str_eq(type, "text/plain; charset=utf-8");
	cr_expect(g_str_has_prefix(text->body, "<form method=\"post\" action=\"http") &&
		      strstr(text->body, form) && !strstr(text->body, "name=\"t\""),
	    "%s", text->body);
	AUTO(answer) none =
	    confirmation_ask(fixture, "GET", "/f/0199c1a2-7f00-7000-8000-000000000001", NULL);
	cr_expect_eq(none->status, 404);
	g_free(audience);
}

/* A stranger's names, properties and topics wait for the person. */
Test(forms, take_what_waited)
{
	audience_expect(
	    fixture, "POST", "{'key':'age','type':'number'}", 200, NULL, "/v1/properties");
	AUTO(answer)
	topic = audience_ask(fixture, "POST", "{'name':'T','opt_in':true}", "/v1/topics");
	const char *id = answer_text(topic, "id");
	g_autofree char *members =
	    g_strdup_printf(",'fields':['first_name','last_name','age'],'topics':['%s']", id);
	g_autofree char *form = form_with(members);
	g_autofree char *body = g_strdup_printf("email=+Ada%%40example.net&first_name=Ada+K."
						"&last_name=%%C3%%84&age=36&topic=%s&plan=pro",
	    id);
	expect_status(form, body, 200);
	cr_expect_eq(
	    forms_number("pending IS NOT NULL AND is_subscribed = 0 AND source = 4", "contact", ""),
	    1);
	cr_expect_eq(forms_number("first_name IS NULL AND properties = '{}'", "person", ""), 1);
	g_autofree char *link = confirmation_link(fixture, "ada@example.net", 1);
	answer_free(confirmation_ask(fixture, "POST", link, NULL));
	cr_expect_eq(forms_number("is_subscribed AND pending IS NULL", "contact", ""), 1);
	g_autofree char *got = test_db_text(fixture->db,
	    "SELECT CONCAT_WS('|', email, first_name, last_name, properties) FROM person"
	    " WHERE address = 'ada@example.net' AND workspace_id = @workspace");
	cr_expect_str_eq(got, "Ada@example.net|Ada K.|Ä|{\"age\": 36}");
	cr_expect_eq(forms_number("COUNT(*)", "choice_part", "AND (is_chosen = 1)"), 1);
	cr_expect_eq(
	    forms_number("COUNT(*)", "consent", "AND (form_id IS NOT NULL AND kind IN (5, 6, 9))"),
	    3);
	g_free(audience);
}

Test(forms, keep_what_was_typed)
{
	audience_expect(
	    fixture, "POST", "{'key':'fan','type':'boolean'}", 200, NULL, "/v1/properties");
	AUTO(answer) topic = audience_ask(fixture, "POST", "{'name':'T'}", "/v1/topics");
	const char *id = answer_text(topic, "id");
	g_autofree char *members =
	    g_strdup_printf(",'fields':['first_name','last_name','fan'],'topics':['%s']", id);
	g_autofree char *form = form_with(members);
	g_autofree char *body = g_strdup_printf(
	    "email=a%%22%%3E%%3Cb&first_name=%%3CJo%%26&fan=true&topic=%s&website=", id);
	g_autofree char *chosen = g_strdup_printf("value=\"%s\" checked>", id);
	AUTO(answer) page = forms_submit(form, ENCODED, body, "Accept: text/html");
	static const char *const want[] = {"name=\"email\" value=\"a&quot;&gt;&lt;b\"",
	    "name=\"first_name\" value=\"&lt;Jo&amp;\"", "name=\"last_name\" type",
	    "name=\"fan\" checked"};

	cr_expect_eq(page->status, 400);
	cr_expect(strstr(page->body, chosen), "%s", page->body);
	for (guint i = 0; i < G_N_ELEMENTS(want); i++)
		cr_expect(strstr(page->body, want[i]), "%s in %s", want[i], page->body);
	g_free(audience);
}

Test(forms, read_three_types)
{
	g_autofree char *form = form_with(",'fields':['first_name']");
	static const char multipart[] =
	    "--XX\r\nContent-Disposition: form-data; name=\"email\"\r\n\r\nm@example.net\r\n"
	    "--XX\r\nContent-Disposition: form-data; name=\"first_name\"\r\n\r\nMia\r\n--XX--\r\n";
	const struct exchange parts = {"parts", "POST", form, NULL,
	    .headers = {"Authorization:", "Content-Type: multipart/form-data; boundary=XX"},
	    .bytes = g_bytes_new_static(multipart, sizeof(multipart) - 1)};
	AUTO(answer) first = exchange_ask(fixture, &parts);
	AUTO(answer)
	second = forms_submit(form, "Content-Type: application/json",
	    "{'email':'j@example.net','first_name':'Jo'}", "Accept: application/json");

	cr_expect_eq(first->status, 200);
	cr_expect_str_eq(second->body, "{\"message\":\"Thank you. Please look into your inbox\"}");
	cr_expect_eq(forms_number("COUNT(*)", "confirmation",
			 "AND ((person = 'm@example.net' AND given LIKE '%Mia%') OR (person = "
			 "'j@example.net' AND given LIKE '%Jo%'))"),
	    2);
	static const char *const wrong[] = {"{'email':'x'}", "{'email':1}", "[]", "{", "{}"};
	for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
		AUTO(answer)
		refused = forms_submit(
		    form, "Content-Type: application/json", wrong[i], "Accept: application/json");

		cr_expect_eq(refused->status, 400, "%s", wrong[i]);
	}
	/* An object is one whatever its type says, as elsewhere. */
	static const char *const types[] = {ENCODED, "Content-Type:", "Content-Type: text/plain"};
	for (guint i = 0; i < G_N_ELEMENTS(types); i++) {
		AUTO(answer)
		taken = forms_submit(form, types[i],
		    " {'email':'k@example.net','first_name':'Kim'}", "Accept: application/json");

		cr_expect_eq(taken->status, 200, "%s: %s", types[i], taken->body);
	}
	cr_expect_eq(forms_number("COUNT(*)", "confirmation",
			 "AND (person = 'k@example.net' AND given LIKE '%Kim%')"),
	    1);
	static const char *const addresses[] = {"", "email=", "email=x", "email=a%00@b.net",
	    "email=a@b.net%0d%0aBcc:c@d.net", "first_name=x", "email=%"};
	for (guint i = 0; i < G_N_ELEMENTS(addresses); i++)
		expect_status(form, addresses[i], 400);
	g_bytes_unref(parts.bytes);
	g_free(audience);
}

/* Everybody gets the same answer: new, member, left, suppressed, trapped, over the limit. */
Test(forms, tell_nobody_anything)
{
	static const char *const bodies[] = {"email=new@example.net", "email=new@example.net",
	    "email=member@example.net", "email=left@example.net", "email=out@example.net",
	    "email=bad@example.net", "email=trap@example.net&website=x",
	    "email=trap@example.net&t=x"};
	g_autofree char *form = form_with("");
	g_autofree char *want = NULL;

	g_free(audience_add(fixture, audience, "{'email':'member@example.net'}"));
	g_free(
	    audience_add(fixture, audience, "{'email':'left@example.net','is_subscribed':false}"));
	audience_expect(fixture, "POST", "{'email':'out@example.net','reason':'unsubscribed'}", 200,
	    NULL, "/v1/suppressions");
	audience_expect(fixture, "POST", "{'email':'bad@example.net','reason':'bounced'}", 200,
	    NULL, "/v1/suppressions");
	for (guint i = 0; i < G_N_ELEMENTS(bodies); i++) {
		AUTO(answer) answer = forms_submit(form, ENCODED, bodies[i], NULL);

		cr_expect_eq(answer->status, 200, "%s", bodies[i]);
		if (want)
			cr_expect_str_eq(answer->body, want, "%s", bodies[i]);
		else
			want = g_strdup(answer->body);
	}
	cr_expect_eq(forms_number("COUNT(DISTINCT address)", "recipient",
			 "AND address IN"
			 " ('left@example.net', 'new@example.net', 'out@example.net')"),
	    3);
	cr_expect_eq(forms_number(MAILS), 3);
	cr_expect_eq(forms_number("COUNT(*)", "person", "AND (address LIKE 'trap%')"), 0);
	cr_expect_eq(forms_number("COUNT(*)", "contact",
			 "AND address = 'member@example.net' AND is_subscribed = 1"),
	    1);
	g_free(audience);
}

Test(forms, lead_on)
{
	g_autofree char *form = form_with(",'redirect_url':'https://example.com/thanks?a=1'");
	AUTO(answer) answer = forms_submit(form, ENCODED, "email=b@example.net", NULL);
	g_autofree char *place = answer_header(answer, "Location");
	AUTO(answer) page = confirmation_ask(fixture, "GET", form, NULL);
	g_autofree char *policy = answer_header(page, "Content-Security-Policy");

	cr_expect_eq(answer->status, 303);
	cr_expect_str_eq(place, "https://example.com/thanks?a=1");
	cr_expect(strstr(policy, "form-action 'self' https://example.com;"), "%s", policy);
	g_free(audience);
}

/* The body that a browser sends: the address of one of many, and the time that is on the page. The
   caller owns it. */
static char *
stamped(const char *form, guint number_of_one)
{
	AUTO(answer) page = confirmation_ask(fixture, "GET", form, NULL);
	const char *stamp =
	    strstr(page->body, "name=\"t\" value=\"") + strlen("name=\"t\" value=\"");

	return g_strdup_printf(
	    "email=b%u@example.net&t=%.*s", number_of_one, (int)strcspn(stamp, "\""), stamp);
}

/* The time on the page is authentic, of this form, and neither new nor old. */
Test(forms, are_no_quicker_than_people)
{
	g_autofree char *form = form_with(""), *body = NULL;
	gint64 shown, mails;
	bool quick = false;

	/* Until we are quick ourselves. */
	for (guint i = 0; !quick; i++) {
		gint64 asked = g_get_monotonic_time();

		mails = forms_number(MAILS);
		g_free(body);
		body = stamped(form, i);
		shown = g_get_monotonic_time();
		expect_status(form, body, 200);
		quick = g_get_monotonic_time() - asked < LIMIT_FORM_AGE_MIN_MS * 1000;
	}
	cr_expect_eq(forms_number(MAILS), mails, "too quick");
	while (g_get_monotonic_time() - shown < (LIMIT_FORM_AGE_MIN_MS + 100) * 1000)
		g_usleep(50000);
	g_autofree char *forged = g_strdup(body);
	forged[strlen(forged) - 3] ^= 1;
	expect_status(form, forged, 200);
	cr_expect_eq(forms_number(MAILS), mails, "forged");
	expect_status(form, body, 200);
	cr_expect_eq(forms_number(MAILS), mails + 1);
	g_free(audience);
}

Test(forms, hold_networks_to_their_rate)
{
	g_autofree char *form = form_with("");
	g_autofree char *own = g_strconcat("/v1/forms/", form + strlen("/f/"), NULL);
	const struct exchange two = {"two", "PATCH", own, "{'per_network':2}", 200};

	answer_free(exchange_expect(fixture, &two));
	expect_status(form, "email=a@example.net", 200);
	expect_status(form, "email=x", 400);
	AUTO(answer) answer = forms_submit(form, ENCODED, "email=c@example.net", NULL);
	g_autofree char *wait = answer_header(answer, "Retry-After");
	cr_expect_eq(answer->status, 429);
	cr_expect(wait && atoi(wait) > 3500 && atoi(wait) <= 3600, "%s", wait);
	test_db_plain(fixture->db, "UPDATE form_use SET started = started - 3600001"
				   " WHERE workspace_id = @workspace");
	expect_status(form, "email=c@example.net", 200);
	g_free(audience);
}

/* One mail an hour, although many ask at once. */
Test(forms, send_one_mail_an_hour)
{
	g_autofree char *form = form_with("");

	for (guint i = 0; i < 5; i++)
		expect_status(form, "email=b@example.net", 200);
	cr_expect_eq(forms_number(MAILS), 1);
	test_db_plain(fixture->db, "UPDATE form_use SET started = started - 3600001"
				   " WHERE workspace_id = @workspace");
	expect_status(form, "email=B@example.net", 200);
	cr_expect_eq(forms_number(MAILS), 2);
	cr_expect_eq(forms_number("COUNT(*)", "contact", ""), 1);
	cr_expect_eq(forms_number("COUNT(*)", "consent", "AND (kind = 5)"), 2);
	g_free(audience);
}

/* A person who has left confirms also without double opt-in; a person that is known keeps names. */
Test(forms, may_ask_for_no_confirmation)
{
	g_autofree char *form = form_with(",'double_opt_in':false,'fields':['first_name']");
	g_autofree char *other = audience_new(fixture, "Other");

	g_free(audience_add(fixture, other, "{'email':'old@example.net','first_name':'Old'}"));
	g_free(
	    audience_add(fixture, audience, "{'email':'left@example.net','is_subscribed':false}"));
	expect_status(form, "email=new@example.net&first_name=New", 200);
	expect_status(form, "email=old@example.net&first_name=Fake", 200);
	expect_status(form, "email=left@example.net", 200);
	cr_expect_eq(
	    forms_number("COUNT(*)", "contact",
		"AND (is_subscribed = 1 AND address IN ('new@example.net', 'old@example.net'))"),
	    3);
	cr_expect_eq(forms_number("COUNT(*)", "person", "AND (first_name IN ('New', 'Old'))"), 2);
	cr_expect_eq(forms_number(MAILS), 1);
	cr_expect_eq(
	    forms_number("pending IS NOT NULL", "contact", "AND (address = 'left@example.net')"),
	    1);
	g_free(audience);
}

/* Checks the events of contacts for webhooks, oldest first: type, address, first name, changed. */
static void
expect_told(const char *step, const char *want)
{
	g_autofree char *told = test_db_text(fixture->db,
	    "SELECT COALESCE(GROUP_CONCAT(CONCAT_WS(' ', ELT(type - 12, 'created', 'updated'), "
	    "about,"
	    " JSON_VALUE(data, '$.contact.first_name'), JSON_COMPACT(JSON_EXTRACT(data,"
	    " '$.changed'))) ORDER BY id SEPARATOR '; '), '') FROM webhook_event"
	    " WHERE workspace_id = @workspace");

	cr_expect_str_eq(told, want, "%s: %s", step, told);
	test_db_plain(fixture->db, "DELETE FROM webhook_event WHERE workspace_id = @workspace");
}

Test(forms, tell_webhooks_the_names)
{
	g_autofree char *form = form_with(",'double_opt_in':false,'fields':['first_name']");
	g_autofree char *other = audience_new(fixture, "Other");
	g_autofree char *body =
	    g_strdup_printf("{'name':'Two','audience_id':'%s','fields':['first_name']}", other);
	AUTO(answer) second = audience_ask(fixture, "POST", body, "/v1/forms");
	const char *asks = strstr(answer_text(second, "url"), "/f/");
	answer_free(audience_ask(fixture, "POST",
	    "{'url':'https://hooks.example/x','events':['contact.created','contact.updated']}",
	    "/v1/webhooks"));

	expect_status(form, "email=ann@example.net&first_name=Ann", 200);
	expect_told("at once", "created ann@example.net Ann []");
	expect_status(asks, "email=bob@example.net&first_name=Bob", 200);
	expect_told("waits", "created bob@example.net []");
	g_autofree char *link = confirmation_link(fixture, "bob@example.net", 1);
	answer_free(confirmation_ask(fixture, "POST", link, NULL));
	expect_told("confirmed", "updated bob@example.net Bob [\"first_name\",\"is_subscribed\"]");
	expect_status(asks, "email=ann@example.net&first_name=Anna", 200);
	expect_told("a known person", "created ann@example.net Ann []");
	g_autofree char *again = confirmation_link(fixture, "ann@example.net", 1);
	answer_free(confirmation_ask(fixture, "POST", again, NULL));
	expect_told("confirmed, in two audiences",
	    "updated ann@example.net Anna [\"first_name\"]; updated ann@example.net Anna "
	    "[\"first_name\",\"is_subscribed\"]");
	AUTO(answer)
	contacts = audience_ask(fixture, "GET", NULL, "/v1/audiences/%s/contacts", audience);
	answer_free(audience_ask(fixture, "PATCH", "{'first_name':'A.'}",
	    "/v1/audiences/%s/contacts/%s", audience, answer_text(contacts, "contacts[0].id")));
	expect_told("changed in one of two",
	    "updated ann@example.net A. [\"first_name\"]; updated ann@example.net A. "
	    "[\"first_name\"]");
	g_free(audience);
}

/* A name and a spelling that a contact brings are those of the person's other contacts, too. */
Test(forms, tell_webhooks_the_names_of_other_audiences)
{
#define RESPELT "; updated ann@example.net A. [\"email\"]"
	static const struct {
		const char *name, *body, *want;
	} cases[] = {
	    {"new", "{'email':'ann@example.net','first_name':'Ann'}",
		"created ann@example.net Ann []"},
	    {"same", "{'email':'ann@example.net','first_name':'Ann'}",
		"created ann@example.net Ann []"},
	    {"other", "{'email':'ann@example.net','first_name':'Anna','is_subscribed':true}",
		"created ann@example.net Anna []; updated ann@example.net Anna [\"first_name\"]; "
		"updated ann@example.net Anna [\"first_name\"]"},
	    {"none", "{'email':'ann@example.net'}", "created ann@example.net Anna []"},
	    {"not subscribed",
		"{'email':'ann@example.net','first_name':'A.','is_subscribed':false}",
		"created ann@example.net A. []; updated ann@example.net A. [\"first_name\"]; "
		"updated ann@example.net A. [\"first_name\"]; updated ann@example.net A. "
		"[\"first_name\"]; updated ann@example.net A. [\"first_name\"]"},
	    {"another spelling", "{'email':'Ann@example.net'}",
		"created ann@example.net A. []" RESPELT RESPELT RESPELT RESPELT RESPELT},
	    {"the same spelling", "{'email':'Ann@example.net'}", "created ann@example.net A. []"},
	};
	char *other = NULL;

	answer_free(audience_ask(fixture, "POST",
	    "{'url':'https://hooks.example/x','events':['contact.created','contact.updated']}",
	    "/v1/webhooks"));
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *name = g_strdup_printf("Audience %u", i);

		g_free(other);
		other = audience_new(fixture, name);
		AUTO(answer)
		made = audience_ask(
		    fixture, "POST", cases[i].body, "/v1/audiences/%s/contacts", other);
		cr_assert_eq(made->status, 200, "%s: %u", cases[i].name, made->status);
		expect_told(cases[i].name, cases[i].want);
	}
	g_free(other);
}

/* The time on a page is good for 24 hours. */
Test(forms, are_kept_for_a_day)
{
	g_autofree char *form = form_with("");
	const struct service service = {.settings = fixture->settings};
	const gint64 minute = 60 * 1000, now = g_get_real_time() / 1000;
	const struct {
		const char *name;
		gint64 age;
		gint64 want; /* mails so far */
	} cases[] = {
	    {"past", LIMIT_FORM_AGE_MAX_MS + 1, 0},
	    {"of the future", -minute, 0},
	    {"old", LIMIT_FORM_AGE_MAX_MS - 10 * minute, 1},
	};
	struct base_id id;

	cr_assert(base_id_parse(form + strlen("/f/"), &id));
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		base_clock_set(now - cases[i].age);
		g_autofree char *stamp = consent_form_stamp(&service, &id);
		g_autofree char *body = g_strdup_printf("email=b@example.net&t=%s", stamp);

		expect_status(form, body, 200);
		cr_expect_eq(forms_number(MAILS), cases[i].want, "%s", cases[i].name);
	}
	g_free(audience);
}

#define AT_ONCE 8

static gpointer
submit_in_thread(gpointer form)
{
	return forms_submit(form, ENCODED, "email=b@example.net", NULL);
}

/* One membership and one mail; the answers are the same. */
Test(forms, take_one_of_many_at_once)
{
	for (guint single = 0; single < 2; single++) {
		g_autofree char *form = form_with(single ? ",'double_opt_in':false" : "");
		gint64 before = forms_number(MAILS);
		GThread *threads[AT_ONCE];

		for (guint i = 0; i < AT_ONCE; i++)
			threads[i] = g_thread_new("client", submit_in_thread, form);
		for (guint i = 0; i < AT_ONCE; i++) {
			AUTO(answer) answer = g_thread_join(threads[i]);

			cr_expect_eq(answer->status, 200, "%u %s", answer->status, answer->body);
		}
		cr_expect_eq(forms_number(MAILS) - before, single ? 0 : 1);
		cr_expect_eq(forms_number("COUNT(*)", "contact", ""), 1 + single);
		g_free(audience);
	}
}

/* A list of so many ids or keys, "['...','...']". The caller owns it. */
static char *
forms_list_of(const char *prefix, int digits, guint count)
{
	GString *list = g_string_new("[");

	for (guint i = 0; i < count; i++) {
		g_string_append(list, i > 0 ? ",'" : "'");
		g_string_append_printf(list, "%s%0*u", prefix, digits, i);
		g_string_append_c(list, '\'');
	}
	return g_string_free(g_string_append_c(list, ']'), FALSE);
}

static void
forms_expect_change(const char *form, const char *member, const char *value, guint want)
{
	g_autofree char *path = g_strconcat("/v1/forms/", form + strlen("/f/"), NULL);
	g_autofree char *body = g_strdup_printf("{'%s':%s}", member, value);
	const struct exchange exchange = {member, "PATCH", path, body, want};

	answer_free(exchange_expect(fixture, &exchange));
}

static void
expect_length(const char *form, const char *member, const char *prefix, guint length, guint want)
{
	g_autofree char *rest = g_strnfill(length - strlen(prefix), 'x');
	g_autofree char *value = g_strdup_printf("'%s%s'", prefix, rest);

	forms_expect_change(form, member, value, want);
}

Test(forms, have_limits)
{
	g_autofree char *form = form_with("");

	test_db_plain(fixture->db,
	    "INSERT INTO property SELECT @workspace, CONCAT('k', seq), 1, NULL,"
	    " 1, 1 FROM seq_0_to_50");
	test_db_plain(fixture->db,
	    "INSERT INTO topic SELECT UNHEX(CONCAT('0199c1a27f0070008', LPAD(seq, 15, '0'))),"
	    " @workspace, seq, '', 1, 0, 1, 1 FROM seq_0_to_100");
	for (guint past = 0; past < 2; past++) {
		guint want = past ? 400 : 200;
		g_autofree char *keys = forms_list_of("k", 1, LIMIT_FORM_FIELDS + past);
		g_autofree char *ids =
		    forms_list_of("0199c1a2-7f00-7000-8000-000000", 6, LIMIT_TOPICS + past);

		expect_length(form, "name", "", LIMIT_NAME_LENGTH + past, want);
		expect_length(
		    form, "redirect_url", "https://example.com/", LIMIT_URL_LENGTH + past, want);
		forms_expect_change(form, "fields", keys, want);
		forms_expect_change(form, "topics", ids, want);
	}
	forms_expect_change(form, "name", "''", 400);
	forms_expect_change(form, "redirect_url", "null", 200);
	for (guint past = 0; past < 2; past++) {
		static const char email[] = "email=b@example.net&x=";
		g_autofree char *rest = g_strnfill(LIMIT_FORM_BYTES + past - strlen(email), 'x');
		g_autofree char *body = g_strconcat(email, rest, NULL);
		AUTO(answer) answer = forms_submit(form, ENCODED, body, NULL);

		cr_expect_eq(answer->status, past ? 413 : 200, "%u", answer->status);
	}
	g_free(audience);
}

/* A form is drawn with each field once. */
Test(forms, name_everything_once)
{
	AUTO(answer) topic = audience_ask(fixture, "POST", "{'name':'T'}", "/v1/topics");
	const char *id = answer_text(topic, "id");
	g_autofree char *members = g_strdup_printf(
	    ",'fields':['first_name','last_name','first_name'],'topics':['%s','%s']", id, id);
	g_autofree char *form = form_with(members);
	g_autofree char *path = g_strconcat("/v1/forms/", form + strlen("/f/"), NULL);
	g_autofree char *topics = g_strdup_printf("topics = ['%s']", id);
	const struct exchange exchange = {"once", "GET", path, NULL, 200,
	    .want = {"fields = ['first_name','last_name']", topics}};

	answer_free(exchange_expect(fixture, &exchange));
	g_free(audience);
}

/* Nothing of another workspace is known here. */
Test(forms, keep_to_their_workspace)
{
	AUTO(fixture) other = fixture_open();
	g_autofree char *theirs = audience_new(other, "Theirs");
	AUTO(answer) topic = audience_ask(other, "POST", "{'name':'T'}", "/v1/topics");
	const char *topic_id = answer_text(topic, "id");
	audience_expect(
	    other, "POST", "{'key':'age','type':'number'}", 200, NULL, "/v1/properties");
	g_autofree char *made = g_strdup_printf("{'name':'F','audience_id':'%s'}", theirs);
	AUTO(answer) foreign = audience_ask(other, "POST", made, "/v1/forms");
	g_autofree char *foreign_path = g_strconcat("/v1/forms/", answer_text(foreign, "id"), NULL);
	g_autofree char *form = form_with("");
	g_autofree char *own = g_strconcat("/v1/forms/", form + strlen("/f/"), NULL);
	g_autofree char *by_audience = g_strdup_printf("{'audience_id':'%s'}", theirs);
	g_autofree char *by_topic = g_strdup_printf("{'topics':['%s']}", topic_id);
	const struct exchange exchanges[] = {
	    {"made", "POST", "/v1/forms", made, 400, "{'message':'Audience not found'}"},
	    {"audience", "PATCH", own, by_audience, 400, "{'message':'Audience not found'}"},
	    {"topic", "PATCH", own, by_topic, 400, "{'message':'Topic not found'}"},
	    {"field", "PATCH", own, "{'fields':['age']}", 400},
	    {"read", "GET", foreign_path, NULL, 404, "{'message':'Form not found'}"},
	    {"changed", "PATCH", foreign_path, "{'name':'x'}", 404},
	    {"removed", "DELETE", foreign_path, NULL, 404},
	    {"list", "GET", "/v1/forms", NULL, 200, .want = {"count = 1"}},
	};

	EXPECT_ALL(fixture, exchanges);
	g_autofree char *body = g_strdup_printf("email=b@example.net&topic=%s", topic_id);
	expect_status(form, body, 200);
	cr_expect_eq(
	    forms_number("COUNT(*)", "confirmation", "AND (given LIKE '%\"topics\":[]%')"), 1);
	g_free(audience);
}

/* A body of any type, announced or chunked, has the same limit; the answer is a page. */
Test(forms, take_bodies_of_a_limit)
{
	static const struct {
		const char *type, *begin, *end;
	} cases[] = {
	    {ENCODED, "email=b@example.net&x=", ""},
	    {"Content-Type: application/json", "{\"email\":\"b@example.net\",\"x\":\"", "\"}"},
	    {"Content-Type: multipart/form-data; boundary=XX",
		"--XX\r\nContent-Disposition: form-data; name=\"email\"\r\n\r\nb@example.net\r\n"
		"--XX\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n",
		"\r\n--XX--\r\n"},
	    {"Content-Type: application/octet-stream", "email=b@example.net&x=", ""},
	};
	static const gsize sizes[] = {LIMIT_FORM_BYTES, LIMIT_FORM_BYTES + 1, 40 * LIMIT_MIB};
	g_autofree char *form = form_with("");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		for (gsize k = 0; k < 2 * G_N_ELEMENTS(sizes); k++) {
			gsize size = sizes[k / 2];
			g_autofree char *rest =
			    g_strnfill(size - strlen(cases[i].begin) - strlen(cases[i].end), 'x');
			char *body = g_strconcat(cases[i].begin, rest, cases[i].end, NULL);
			g_autoptr(GBytes) bytes = g_bytes_new_take(body, size);
			bool past = size > LIMIT_FORM_BYTES;
			const struct exchange exchange = {cases[i].type, "POST", form, NULL,
			    past ? 413 : 200, .headers = {"Authorization:", cases[i].type},
			    .want_header = {past ? "Content-Type: text/html; charset=utf-8" : NULL},
			    .bytes = bytes, .chunked = k % 2};

			answer_free(exchange_expect(fixture, &exchange));
		}
	g_free(audience);
}

#define ORIGIN(text) "Access-Control-Allow-Origin: " text
#define NO_ORIGIN "Access-Control-Allow-Origin:"
#define BAD_ORIGIN "must be an origin, such as https://www.example.com'}"

Test(forms, answer_scripts_of_other_sites)
{
	g_autofree char *form = form_with("");
	g_autofree char *own = g_strconcat("/v1/forms/", form + strlen("/f/"), NULL);
	static const char *const json = "Accept: application/json",
				 *const type = "Content-Type: application/json";
	static const char *const site = "Origin: https://www.example.com",
				 *const other = "Origin: https://other.example";
	static const char *const methods = "Access-Control-Allow-Methods: GET, POST";
	const struct exchange exchanges[] = {
	    {"any at first", "GET", own, NULL, 200, .want = {"origins = null"}},
	    {"preflight", "OPTIONS", form, NULL, 200, "", .headers = {"Authorization:", site},
		.want_header = {ORIGIN("*"), methods, "Access-Control-Allow-Headers: Content-Type",
		    "Access-Control-Allow-Credentials:"}},
	    {"answer", "POST", form, "{'email':'a@example.net'}", 200,
		.headers = {"Authorization:", json, type, site}, .want_header = {ORIGIN("*")}},
	    {"refusal", "POST", form, "{'email':'x'}", 400,
		.headers = {"Authorization:", json, type, site}, .want_header = {ORIGIN("*")}},
	    {"page", "GET", form, NULL, 200, .headers = {"Authorization:", site},
		.want_header = {ORIGIN("*")}},
	    {"no form", "OPTIONS", "/f/x", NULL, 404, .headers = {"Authorization:", site},
		.want_header = {ORIGIN("*")}},
	    {"nowhere else", "OPTIONS", "/v1/forms", NULL, 405, .headers = {site},
		.want_header = {NO_ORIGIN}},
	    {"no origin", "PATCH", own, "{'origins':['x']}", 400,
		"{'message':'origins[0] " BAD_ORIGIN},
	    {"path", "PATCH", own, "{'origins':['https://a.example','https://b.example/c']}", 400,
		"{'message':'origins[1] " BAD_ORIGIN},
	    {"query", "PATCH", own, "{'origins':['https://a.example/?']}", 400,
		"{'message':'origins[0] " BAD_ORIGIN},
	    {"script", "PATCH", own, "{'origins':['javascript:x']}", 400,
		"{'message':'origins[0] " BAD_ORIGIN},
	    {"star", "PATCH", own, "{'origins':['*']}", 400, "{'message':'origins[0] " BAD_ORIGIN},
	    {"some", "PATCH", own,
		"{'origins':['HTTPS://WWW.example.com:443/','http://localhost:8080']}", 200,
		.want = {"origins = ['https://www.example.com','http://localhost:8080']"}},
	    {"named", "OPTIONS", form, NULL, 200, .headers = {"Authorization:", site},
		.want_header = {ORIGIN("https://www.example.com"), "Vary: Origin", methods}},
	    {"another port", "OPTIONS", form, NULL, 200,
		.headers = {"Authorization:", "Origin: https://www.example.com:8443"},
		.want_header = {NO_ORIGIN, "Vary: Origin"}},
	    {"not named", "OPTIONS", form, NULL, 200, .headers = {"Authorization:", other},
		.want_header = {NO_ORIGIN, "Vary: Origin"}},
	    {"answer not named", "POST", form, "{'email':'a@example.net'}", 200,
		.headers = {"Authorization:", json, type, other}, .want_header = {NO_ORIGIN}},
	    {"without", "GET", form, NULL, 200, .headers = {"Authorization:"},
		.want_header = {NO_ORIGIN}},
	    {"unchanged", "PATCH", own, "{'name':'n'}", 200,
		.want = {"origins = ['https://www.example.com','http://localhost:8080']"}},
	    {"none", "PATCH", own, "{'origins':[]}", 200, .want = {"origins = []"}},
	    {"nobody", "OPTIONS", form, NULL, 200, .headers = {"Authorization:", site},
		.want_header = {NO_ORIGIN}},
	    {"any again", "PATCH", own, "{'origins':null}", 200, .want = {"origins = null"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(forms, have_at_most_20_origins)
{
	g_autofree char *form = form_with("");
	g_autofree char *own = g_strconcat("/v1/forms/", form + strlen("/f/"), NULL);
	g_autoptr(GString) list = g_string_new("{'origins':['https://0.example'");

	for (guint i = 1; i < LIMIT_FORM_ORIGINS; i++)
		g_string_append_printf(list, ",'https://%u.example'", i);
	g_autofree char *most = g_strconcat(list->str, "]}", NULL);
	g_autofree char *past = g_strconcat(list->str, ",'https://past.example']}", NULL);
	const struct exchange exchanges[] = {
	    {"most", "PATCH", own, most, 200},
	    {"past", "PATCH", own, past, 400,
		"{'message':'origins must have at most 20 elements'}"},
	};

	EXPECT_ALL(fixture, exchanges);
}
