/* SPDX-License-Identifier: MIT */
/* Events from clients: their fields, their effects, and that a repeated one counts once. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits/email.h"
#include "base/limits/workflow.h"
#include "tests/http/automation.h"

#define EVENTS "POST", "/v1/events"
#define ADA "/v1/automation/contacts/ada@example.net"

FIXTURE_SUITE(events, 900);

static struct answer *
events_send_as(const struct fixture *who, const char *body)
{
	const struct exchange exchange = {body, EVENTS, body, 200, .want = {"event_id : string"}};

	exchange_next_moment();
	return exchange_expect(who, &exchange);
}

static void
send(const char *body, const char *want_status)
{
	AUTO(answer) answer = events_send_as(fixture, body);

	cr_expect_str_eq(
	    answer_text(answer, "status"), want_status, "%s: got %s", body, answer->body);
}

#define NAME "{'message':'event_name must be 1 to 100 characters'}"
#define RESERVED "{'message':'event_name must not begin with email.'}"

Test(events, check_their_fields)
{
	static const struct exchange exchanges[] = {
	    {"none", EVENTS, "{}", 400, "{'message':'event_name is required'}"},
	    {"name null", EVENTS, "{'event_name':null,'email':'a@x.org'}", 400,
		"{'message':'event_name is required'}"},
	    {"name a number", EVENTS, "{'event_name':1,'email':'a@x.org'}", 400,
		"{'message':'event_name must be a string'}"},
	    {"name empty", EVENTS, "{'event_name':'','email':'a@x.org'}", 400, NAME},
	    {"name of spaces", EVENTS, "{'event_name':' \\t ','email':'a@x.org'}", 400, NAME},
	    {"name reserved", EVENTS, "{'event_name':'email.opened','email':'a@x.org'}", 400,
		RESERVED},
	    {"name reserved, in capitals", EVENTS, "{'event_name':' EMAIL.x','email':'a@x.org'}",
		400, RESERVED},
	    {"name with NUL", EVENTS, "{'event_name':'a\\u0000','email':'a@x.org'}", 400,
		"{'message':'event_name must not contain the character U+0000'}"},
	    {"no email", EVENTS, "{'event_name':'a'}", 400, "{'message':'email is required'}"},
	    {"email empty", EVENTS, "{'event_name':'a','email':''}", 400,
		"{'message':'email is required'}"},
	    {"email a list", EVENTS, "{'event_name':'a','email':['a@x.org']}", 400,
		"{'message':'email must be a string'}"},
	    {"email of nobody", EVENTS, "{'event_name':'a','email':'ada'}", 400,
		"{'message':'email must be a valid email address: \\'ada\\' has no domain'}"},
	    {"a hyphen first", EVENTS, "{'event_name':'a','email':'-g@x.org'}", 400,
		.want =
		    {"message = 'email must be a valid email address: \\\"-g@x.org\\\" has a local "
		     "part (before the @) that begins with a hyphen; such local parts cannot be "
		     "sent'"}},
	    {"a quoted local part", EVENTS, "{'event_name':'a','email':'\\u0022a b\\u0022@x.org'}",
		400,
		.want = {"message = 'email must be a valid email address: \\\"\\\"a "
			 "b\\\"@x.org\\\" has a local part (before the @) that needs quotes; such "
			 "local parts cannot be sent'"}},
	    {"two emails", EVENTS, "{'event_name':'a','email':'a@x.org, b@x.org'}", 400,
		.want = {"message : string"}},
	    {"properties a list", EVENTS, "{'event_name':'a','email':'a@x.org','properties':[]}",
		400, "{'message':'properties must be an object'}"},
	    {"properties a text", EVENTS, "{'event_name':'a','email':'a@x.org','properties':'{}'}",
		400, "{'message':'properties must be an object'}"},
	    {"properties with NUL", EVENTS,
		"{'event_name':'a','email':'a@x.org','properties':{'a':'\\u0000'}}", 400,
		"{'message':'properties.a must not contain the character U+0000'}"},
	    {"nothing came of it", "GET", "/v1/automation/contacts", NULL, 200,
		"{'contacts':[],'count':0,'cursor':null}"},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(events, are_held_to_their_limits)
{
	g_autofree char *longest = g_strnfill(100, 'x');
	g_autofree char *wide = g_strdup("");
	/* 254 bytes: 64, the at, and three labels of 61 and more with their dots. */
	g_autofree char *local = g_strnfill(64, 'l'), *label = g_strnfill(61, 'd');
	g_autofree char *email =
	    g_strconcat(local, "@", label, ".", label, ".", label, ".abc", NULL);
	g_autofree char *value = g_strnfill(64 * 1024 - strlen("{\"a\":\"\"}"), 'v');
	static const char format[] = "{'event_name':'%s','email':'%s','properties':{'a':'%s%s'}}";
	g_autofree char *name_fits = g_strdup_printf(format, longest, "a@x.org", "", "");
	g_autofree char *name_over =
	    g_strdup_printf("{'event_name':'%sx','email':'a@x.org'}", longest);
	g_autofree char *name_spaced =
	    g_strdup_printf("{'event_name':'  %s  ','email':'a@x.org'}", longest);
	for (guint i = 0; i < 100; i++) {
		g_autofree char *before = wide;
		wide = g_strconcat(before, "\xc3\xa9", NULL);
	}
	g_autofree char *name_wide = g_strdup_printf("{'event_name':'%s','email':'a@x.org'}", wide);
	g_autofree char *email_fits = g_strdup_printf(format, "n", email, "", "");
	g_autofree char *email_over = g_strdup_printf("{'event_name':'n','email':'%sc'}", email);
	g_autofree char *fits = g_strdup_printf(format, "n", "a@x.org", value, "");
	g_autofree char *over = g_strdup_printf(format, "n", "a@x.org", value, "v");
	const struct exchange exchanges[] = {
	    {"longest name", EVENTS, name_fits, 200},
	    {"longest name, with spaces", EVENTS, name_spaced, 200},
	    {"longest name, of letters that have two bytes", EVENTS, name_wide, 200},
	    {"longer name", EVENTS, name_over, 400, NAME},
	    {"longest email", EVENTS, email_fits, 200},
	    {"longer email", EVENTS, email_over, 400,
		"{'message':'email must be at most 254 bytes'}"},
	    {"most properties", EVENTS, fits, 200},
	    {"more properties", EVENTS, over, 400,
		"{'message':'properties must be at most 65536 bytes'}"},
	};

	cr_assert_eq(strlen(email), LIMIT_ADDRESS_BYTES);
	EXPECT_ALL(fixture, exchanges);
}

/* The answer is the one place where a time is text. */
Test(events, are_answered_with_id_and_time)
{
	gint64 before = g_get_real_time() / 1000;
	AUTO(answer) answer =
	    events_send_as(fixture, "{'event_name':'Signed_Up','email':'Ada@example.net'}");
	g_autoptr(GDateTime) time =
	    g_date_time_new_from_iso8601(answer_text(answer, "timestamp"), NULL);

	cr_expect(g_regex_match_simple("^{\"status\":\"processed\",\"event_id\":\"[0-9a-f-]{36}\","
				       "\"timestamp\":\"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]"
				       "{2}:[0-9]{2}\\.[0-9]{3}Z\"}$",
		      answer->body, 0, 0),
	    "got %s", answer->body);
	gint64 at = g_date_time_to_unix(time) * 1000 + g_date_time_get_microsecond(time) / 1000;
	cr_expect(at >= before && at <= g_get_real_time() / 1000);
	g_autofree char *id =
	    g_strdup_printf("events[0].event_id = '%s'", answer_text(answer, "event_id"));
	g_autofree char *timestamp = g_strdup_printf("events[0].timestamp = %" G_GINT64_FORMAT, at);
	g_autofree char *seen = g_strdup_printf("last_seen = %" G_GINT64_FORMAT, at);
	const struct exchange exchanges[] = {
	    {"events", "GET", ADA "/events", NULL, 200,
		.want = {"count = 1", id, timestamp, "events[0].event_name = 'signed_up'",
		    "events[0].properties = {}", "events[0].email = 'Ada@example.net'"}},
	    {"contact", "GET", ADA, NULL, 200,
		.want = {"email = 'Ada@example.net'", seen, "last_event = 'signed_up'",
		    "event_count = 1", "properties = {}"}},
	};
	EXPECT_ALL(fixture, exchanges);
}

/* The event keeps its properties as given; the contact's are merged. */
Test(events, change_their_contact)
{
	static const struct {
		const char *body, *want;
	} cases[] = {
	    {"{'event_name':'a','email':'ada@example.net','properties':"
	     "{'plan':'pro','address':{'city':'Bonn','zip':'53'},'tags':[1,2],'n':1.50}}",
		"properties = {'plan':'pro','address':{'city':'Bonn','zip':'53'},'tags':[1,2],"
		"'n':1.50}"},
	    {"{'event_name':'a','email':'ADA@example.net','properties':"
	     "{'address':{'zip':null,'street':{'no':1}},'tags':[3],'n':null}}",
		"properties = {'plan':'pro','address':{'city':'Bonn','street':{'no':1}},"
		"'tags':[3]}"},
	    {"{'event_name':' B ','email':'ada@example.net'}",
		"properties = {'plan':'pro','address':{'city':'Bonn','street':{'no':1}},"
		"'tags':[3]}"},
	};
	static const struct exchange whole[] = {
	    {"contact", "GET", ADA, NULL, 200, .want = {"event_count = 3", "last_event = 'b'"}},
	    {"events", "GET", ADA "/events", NULL, 200,
		.want = {"count = 3", "events[0].event_name = 'b'",
		    "events[1].properties = {'address':{'zip':null,'street':{'no':1}},'tags':[3],"
		    "'n':null}"}},
	    {"list", "GET", "/v1/automation/contacts", NULL, 200, .want = {"count = 1"}},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct exchange contact = {
		    cases[i].body, "GET", ADA, NULL, 200, .want = {cases[i].want}};
		send(cases[i].body, "processed");
		answer_free(exchange_expect(fixture, &contact));
	}
	EXPECT_ALL(fixture, whole);
}

#define BOB "{'event_name':'a','email':'bob@example.net'}"

Test(events, count_once_with_a_key)
{
	static const struct exchange exchanges[] = {
	    {"no key", EVENTS, BOB, 400,
		"{'message':'Idempotency-Key must be 1 to 255 printable characters'}",
		.headers = {"Idempotency-Key: \xc3\xa9"}},
	    {"first", EVENTS, BOB, 200, .headers = {"Idempotency-Key: k"},
		.want_header = {"Idempotent-Replayed:"}},
	    {"another body", EVENTS, "{'event_name':'b','email':'bob@example.net'}", 409,
		"{'message':'This Idempotency-Key was used for another request'}",
		.headers = {"Idempotency-Key: k"}},
	    {"refused", EVENTS, "{'event_name':''}", 400, .headers = {"Idempotency-Key: l"}},
	    {"after a refusal", EVENTS, BOB, 200, .headers = {"Idempotency-Key: l"},
		.want_header = {"Idempotent-Replayed:"}},
	    {"count", "GET", "/v1/automation/contacts/bob@example.net", NULL, 200,
		.want = {"event_count = 2"}},
	};
	static const struct exchange again = {
	    "again", EVENTS, BOB, 200, .headers = {"Idempotency-Key: m"}};
	static const struct exchange replayed = {"replayed", EVENTS, BOB, 200,
	    .headers = {"Idempotency-Key: m"}, .want_header = {"Idempotent-Replayed: true"}};
	static const struct exchange count = {"count", "GET",
	    "/v1/automation/contacts/bob@example.net", NULL, 200, .want = {"event_count = 3"}};

	EXPECT_ALL(fixture, exchanges);
	AUTO(answer) first = exchange_expect(fixture, &again);
	AUTO(answer) second = exchange_expect(fixture, &replayed);
	cr_expect_str_eq(second->body, first->body);
	answer_free(exchange_expect(fixture, &count));
}

/* A workflow that an event has begun is not begun again for a while; the event counts all the same.
 */
Test(events, begin_workflows)
{
	g_autofree char *id = automation_start(fixture, "signed_up");
	g_autofree char *path = g_strdup_printf("/v1/workflows/%s/executions", id);
	static const char event[] = "{'event_name':' Signed_UP','email':'ada@example.net'}";
	const struct exchange once = {"once", "GET", path, NULL, 200,
	    .want = {"count = 1", "executions[0].email = 'ada@example.net'",
		"executions[0].version_used = 1", "executions[0].status : string"}};
	const struct exchange contact = {
	    "contact", "GET", ADA, NULL, 200, .want = {"event_count = 3"}};
	const struct exchange same = {
	    "executions", "GET", ADA "/executions", NULL, 200, .want = {"count = 1"}};

	send(event, "processed");
	send(event, "deduplicated");
	send("{'event_name':'other','email':'ada@example.net'}", "processed");
	answer_free(exchange_expect(fixture, &once));
	answer_free(exchange_expect(fixture, &same));
	answer_free(exchange_expect(fixture, &contact));
	send("{'event_name':'signed_up','email':'bob@example.net'}", "processed");
}

Test(events, are_of_their_workspace)
{
	AUTO(fixture) other = fixture_open();
	g_autofree char *id = automation_start(fixture, "signed_up");
	g_autofree char *path = g_strdup_printf("/v1/workflows/%s/executions", id);
	const struct exchange none = {"none", "GET", path, NULL, 200, .want = {"count = 0"}};
	const struct exchange nobody = {
	    "nobody", "GET", ADA, NULL, 404, "{'error':'Contact not found'}"};
	static const char event[] =
	    "{'event_name':'signed_up','email':'ada@example.net','properties':{'a':1}}";

	answer_free(events_send_as(other, event));
	answer_free(exchange_expect(fixture, &none));
	answer_free(exchange_expect(fixture, &nobody));
}

#define SENDS(from) "{'id':'m','type':'send_email','data':{" from "'subject':'S','html':'h'}}"
#define FROM(address) "'from':'" address "',"

/* Makes a workflow that an event of this name starts. The caller owns the id. */
static char *
make_sender(const char *event, const char *node)
{
	g_autofree char *body =
	    g_strdup_printf("{'name':'W','status':'active','design':{'nodes':["
			    "{'id':'t','type':'trigger','data':{'eventName':'%s'}},%s],"
			    "'edges':[{'id':'e','source':'t','target':'m'}]}}",
		event, node);
	const struct exchange exchange = {node, "POST", "/v1/workflows", body, 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strdup(answer_text(answer, "workflow_id"));
}

static void
expect_started(const char *workflow, const char *name, guint want)
{
	g_autofree char *path = g_strdup_printf("/v1/workflows/%s/executions", workflow);
	g_autofree char *count = g_strdup_printf("count = %u", want);
	const struct exchange exchange = {name, "GET", path, NULL, 200, .want = {count}};

	answer_free(exchange_expect(fixture, &exchange));
}

/* The key of a domain starts no workflow that sends from another one, by either front; a full key
   starts all. */
Test(events, of_a_domain_are_held_to_it)
{
	static const struct {
		const char *name, *node;
		bool own;
	} cases[] = {
	    {"its own", SENDS(FROM("a@own.example")), true},
	    {"below it", SENDS(FROM("a@mail.own.example")), true},
	    {"none", "{'id':'m','type':'exit','data':{}}", true},
	    {"another", SENDS(FROM("a@" FIXTURE_DOMAIN)), false},
	    {"a domain of its own below it", SENDS(FROM("a@sub.own.example")), false},
	    {"the default sender", SENDS(""), false},
	};
	char *workflows[G_N_ELEMENTS(cases)];
	const struct exchange add[] = {
	    {"sub", "POST", "/v1/domains", "{'name':'sub.own.example'}", 200},
	    {"sender", "PATCH", "/v1/workspace", "{'default_sender':'d@" FIXTURE_DOMAIN "'}", 200},
	};
	const struct exchange own = {"own", "POST", "/v1/domains", "{'name':'own.example'}", 200};
	AUTO(answer) domain = exchange_expect(fixture, &own);
	g_autofree char *body = g_strdup_printf(
	    "{'name':'n','scope':'send','domain_id':'%s'}", answer_text(domain, "id"));
	const struct exchange make = {"key", "POST", "/v1/keys", body, 200};
	AUTO(answer) key = exchange_expect(fixture, &make);
	g_autofree char *header =
	    g_strconcat("Authorization: Bearer ", answer_text(key, "key"), NULL);
	const struct exchange send[] = {
	    {"event", EVENTS, "{'event_name':'signed','email':'a@example.net'}", 200,
		.want = {"status = 'processed'"}, .headers = {header}},
	    {"event of /resend", "POST", "/resend/events/send",
		"{'event':'signed','email':'b@example.net'}", 202, .headers = {header}},
	};

	EXPECT_ALL(fixture, add);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		workflows[i] = make_sender("signed", cases[i].node);
	EXPECT_ALL(fixture, send);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		expect_started(workflows[i], cases[i].name, cases[i].own ? 2 : 0);
	answer_free(events_send_as(fixture, "{'event_name':'signed','email':'c@example.net'}"));
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		expect_started(workflows[i], cases[i].name, cases[i].own ? 3 : 1);
		g_clear_pointer(&workflows[i], g_free);
	}
}

#define TOO_FAR "{'message':'timestamp must be at most 30 days ago and at most 5 minutes ahead'}"

/* A second within the limits of the timestamp, and one past them. */
Test(events, may_have_happened_before)
{
	static const struct {
		const char *name;
		gint64 ago;
		guint status;
	} cases[] = {
	    {"30 days ago", LIMIT_EVENT_PAST_MS - 60000, 200},
	    {"longer ago", LIMIT_EVENT_PAST_MS + 1000, 400},
	    {"5 minutes ahead", -LIMIT_EVENT_AHEAD_MS, 200},
	    {"further ahead", -LIMIT_EVENT_AHEAD_MS - 60000, 400},
	};
	static const struct exchange exchanges[] = {
	    {"text", EVENTS, "{'event_name':'a','email':'a@x.org','timestamp':'soon'}", 400,
		"{'message':'timestamp must be epoch milliseconds or an ISO 8601 time'}"},
	    {"zero", EVENTS, "{'event_name':'a','email':'a@x.org','timestamp':0}", 400, TOO_FAR},
	    {"long ago", EVENTS,
		"{'event_name':'a','email':'a@x.org','timestamp':'2020-01-01T00:00:00Z'}", 400,
		TOO_FAR},
	    {"null", EVENTS, "{'event_name':'a','email':'a@x.org','timestamp':null}", 200},
	};

	EXPECT_ALL(fixture, exchanges);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		gint64 time = base_clock_now() - cases[i].ago;
		g_autofree char *body = g_strdup_printf("{'event_name':'a','email':'%u@x.org',"
							"'timestamp':%" G_GINT64_FORMAT "}",
		    (guint)i, time);
		char text[CLOCK_ISO_SIZE];
		g_autofree char *want =
		    g_strdup_printf("timestamp = '%s'", base_clock_format(time, text));
		const struct exchange exchange = {cases[i].name, EVENTS, body, cases[i].status,
		    cases[i].status == 400 ? TOO_FAR : NULL,
		    .want = {cases[i].ago > 0 && cases[i].status == 200 ? want : NULL}};

		answer_free(exchange_expect(fixture, &exchange));
	}
}
