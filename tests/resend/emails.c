/* SPDX-License-Identifier: MIT */
/* POST /resend/emails: the errors, keys and limits of emails, and emails by templates. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/email.h"
#include "base/limits/unit.h"
#include "fcgi/resend/limits.h"
#include "tests/http/arrival.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"
#include "tests/resend/letter.h"
#include "tests/support/db.h"

#define TAGS(n)                                                                                    \
	INVALID("tags",                                                                            \
	    "tags[" #n "] must have 1 to 256 ASCII letters, digits, _ and - in name and value")
#define EITHER                                                                                     \
	ERROR(422, "invalid_attachment", "Attachment must have either a `content` or `path`.")
#define CONTENT                                                                                    \
	ERROR(422, "invalid_attachment",                                                           \
	    "Invalid `attachments` field. attachments[0].content must be base64, an array of "     \
	    "numbers from 0 to 255 or a Buffer.")

FIXTURE_SUITE(resend_emails, 900);

Test(resend_emails, are_refused_with_a_name)
{
	static const struct {
		const char *change, *without, *want;
		guint status; /* 0: 422 */
	} cases[] = {
	    {"", "from", MISSING("from")},
	    {"", "to", MISSING("to")},
	    {"", "subject", MISSING("subject")},
	    {"", "html", MISSING("html` or `text")},
	    {"'from':null", NULL, MISSING("from")},
	    {"'from':''", NULL, MISSING("from")},
	    {"'to':[]", NULL, MISSING("to")},
	    {"'to':''", NULL, MISSING("to")},
	    {"'subject':''", NULL, MISSING("subject")},
	    {"'html':''", NULL, MISSING("html` or `text")},
	    {"'html':null,'text':null", NULL, MISSING("html` or `text")},
	    {"'from':7", NULL,
		ERROR(422, "invalid_from_address", "Invalid `from` field. from must be a string.")},
	    {"'from':'nobody'", NULL, NULL},
	    {"'to':7", NULL, INVALID("to", "to must be a string or an array of strings")},
	    {"'to':['a@b.co',7]", NULL, INVALID("to", "to[1] must be a string")},
	    {"'subject':'a\\nb'", NULL,
		INVALID("subject", "subject must not contain control characters")},
	    {"'html':{}", NULL, INVALID("html", "html must be a string")},
	    {"'topic_id':'" UNKNOWN "'", NULL, INVALID("topic_id", "Topic not found")},
	    {"'from':'a@example.org'", NULL,
		ERROR(403, "validation_error",
		    "The example.org domain is not verified. Please, add and verify your domain"),
		403},
	    {"'from':'onboarding@resend.dev'", NULL,
		ERROR(403, "validation_error",
		    "The resend.dev domain is not verified. Please, add and verify your domain"),
		403},
	    {"'to':'other@resend.dev'", NULL, INVALID("to", "other@resend.dev is no test address")},
	    {"'cc':'other@resend.dev'", NULL, INVALID("cc", "other@resend.dev is no test address")},
	    {"'bcc':'other@resend.dev'", NULL,
		INVALID("bcc", "other@resend.dev is no test address")},
	    {"'headers':['a']", NULL, INVALID("headers", "headers must be an object")},
	    {"'tags':'a'", NULL, INVALID("tags", "tags must be an array or an object")},
	    {"'tags':[{'name':'a b','value':'c'}]", NULL, TAGS(0)},
	    {"'tags':[{'name':'a','value':''}]", NULL, TAGS(0)},
	    {"'tags':[{'name':'a','value':'b'},{'name':'a','value':'c'}]", NULL,
		INVALID("tags", "tags[1] has a name that is given twice")},
	    {"'scheduled_at':7", NULL, INVALID("scheduled_at", "scheduled_at must be a string")},
	    {"'scheduled_at':'soon'", NULL, WHEN},
	    {"'scheduled_at':'in 31 days'", NULL,
		INVALID("scheduled_at", "scheduled_at must be at most 30 days ahead")},
	    {"'attachments':[{}]", NULL, EITHER},
	    {"'attachments':[{'filename':'a'}]", NULL, EITHER},
	    {"'attachments':[{'filename':'a','content':'YQ==','path':'https://x.org/a'}]", NULL,
		EITHER},
	    {"'attachments':[{'content':'YQ=='}]", NULL, MISSING("attachments[0].filename")},
	    {"'attachments':[{'filename':'a','content':[256]}]", NULL, CONTENT},
	    {"'attachments':[{'filename':'a','content':{'data':[1]}}]", NULL, CONTENT},
	    {"'attachments':[{'filename':'a','content':7}]", NULL, CONTENT},
	    {"'attachments':[{'filename':'a','content':true}]", NULL, CONTENT},
	    {"'attachments':[{'filename':'a','path':'ftp://x.org/'}]", NULL,
		ERROR(422, "invalid_attachment",
		    "Invalid `attachments` field. attachments[0].path must be a valid URL.")},
	    {"'template':{'id':'" UNKNOWN "'}", NULL,
		INVALID("template", "template cannot be used together with html or text")},
	    {"'template':{'id':'" UNKNOWN "'}", "html",
		ERROR(404, "not_found", "Template not found"), 404},
	    {"'template':{}", "html", MISSING("template.id")},
	    {"'template':{'id':''}", "html", MISSING("template.id")},
	    {"'template':{'id':7}", "html", INVALID("template", "template.id must be a string")},
	    {"'template':'x'", "html", INVALID("template", "template must be an object")},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		answer_free(letter_post(fixture, cases[i].change, cases[i].without,
		    cases[i].status ? cases[i].status : 422, cases[i].want));
}

Test(resend_emails, want_an_object)
{
	const struct exchange exchanges[] = {
	    {"array", "POST", "/resend/emails", "[]", 400},
	    {"text", "POST", "/resend/emails", "hello", 400},
	    {"nothing", "POST", "/resend/emails", "", 422, MISSING("to")},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* Posts and returns the answer's body, which the caller owns. */
static char *
emails_post_with_key(const char *key, const char *body, guint status, bool replayed)
{
	g_autofree char *header = g_strconcat("Idempotency-Key: ", key, NULL);
	const struct exchange exchange = {key, "POST", "/resend/emails", body, status,
	    .headers = {header},
	    .want_header = {replayed ? "Idempotent-Replayed: true" : "Idempotent-Replayed:"}};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strdup(answer->body);
}

Test(resend_emails, are_sent_once_with_a_key)
{
	g_autofree char *most = g_strnfill(256, 'k');
	g_autofree char *more = g_strnfill(257, 'k');
	g_autofree char *first = emails_post_with_key("k", BASE, 200, false);
	g_autofree char *again = emails_post_with_key("k", BASE, 200, true);
	g_autofree char *other = exchange_merged(BASE, "'subject':'other'", NULL);
	g_autofree char *refused = emails_post_with_key("k", other, 409, false);
	g_autofree char *bad = emails_post_with_key("b", "{}", 422, false);
	g_autofree char *good = emails_post_with_key("b", BASE, 200, false);
	g_autofree char *at_limit = emails_post_with_key(most, BASE, 200, false);
	g_autofree char *past = emails_post_with_key(more, BASE, 400, false);
	const struct exchange main_front = {"key of the other front", "POST", "/v1/emails", BASE,
	    201, .headers = {"Idempotency-Key: k"}, .want_header = {"Idempotent-Replayed:"}};

	cr_expect_str_eq(first, again);
	cr_expect(strstr(refused, "invalid_idempotent_request"), "%s", refused);
	cr_expect(strstr(past, "The key must be between 1-256 chars."), "%s", past);
	answer_free(exchange_expect(fixture, &main_front));
}

#define OTHER_REQUEST                                                                              \
	ERROR(409, "invalid_idempotent_request",                                                   \
	    "This Idempotency-Key was used for another request")
#define CONCURRENT                                                                                 \
	ERROR(409, "concurrent_idempotent_requests",                                               \
	    "A request with this Idempotency-Key is still in progress")

/* The name under which a key is stored. The caller owns it. */
static char *
stored_name(struct db *db)
{
	static const char sql[] = "SELECT HEX(name) FROM idempotency WHERE workspace_id = ?";
	AUTO(db_rows) rows = db_select(db, sql, DB_VALUES(db_id(&fixture->id)), NULL);

	cr_assert(rows && db_rows_next(rows));
	return g_strdup(db_rows_text(rows, 0));
}

/* Another request holds the key for longer than the 5 seconds that this one waits. */
Test(resend_emails, wait_for_another_request_with_their_key)
{
	g_autofree char *first = emails_post_with_key("held", BASE, 200, false);
	g_autofree char *other = exchange_merged(BASE, "'subject':'other'", NULL);
	const struct exchange exchanges[] = {
	    {"another", "POST", "/resend/emails", other, 409, OTHER_REQUEST,
		.headers = {"Idempotency-Key: held"}},
	    {"another path", "POST", "/resend/emails/batch", "[" BASE "]", 409, OTHER_REQUEST,
		.headers = {"Idempotency-Key: held"}},
	    {"held", "POST", "/resend/emails", BASE, 409, CONCURRENT,
		.headers = {"Idempotency-Key: held"}},
	};
	g_autofree char *name = stored_name(fixture->db);
	g_autofree char *keep = g_strdup_printf(
	    "CREATE TEMPORARY TABLE held AS SELECT * FROM idempotency WHERE name = UNHEX('%s')",
	    name);
	g_autofree char *drop =
	    g_strdup_printf("DELETE FROM idempotency WHERE name = UNHEX('%s')", name);

	exchange_expect_all(fixture, exchanges, 2);
	test_db_plain(fixture->db, keep);
	test_db_plain(fixture->db, drop);
	test_db_plain(fixture->db, "START TRANSACTION");
	test_db_plain(fixture->db, "INSERT INTO idempotency SELECT * FROM held");
	exchange_expect_all(fixture, exchanges + 2, 1);
	test_db_plain(fixture->db, "COMMIT");
	g_autofree char *again = emails_post_with_key("held", BASE, 200, true);
	cr_expect_str_eq(again, first);
}

Test(resend_emails, keep_to_a_quota)
{
	const struct exchange exchanges[] = {
	    {"the last", "POST", "/resend/emails", BASE, 200},
	    {"one more", "POST", "/resend/emails", BASE, 429,
		ERROR(429, "daily_quota_exceeded", "Quota reached: at most 1 recipients per day"),
		.want_header = {"ratelimit-limit:"}},
	    {"in a batch", "POST", "/resend/emails/batch", "[" BASE "]", 429,
		.want = {"name = 'daily_quota_exceeded'"}},
	};
	const struct exchange hourly[] = {
	    {"the last of the hour", "POST", "/resend/emails", BASE, 200},
	    {"of the hour", "POST", "/resend/emails", BASE, 429,
		.want = {"name = 'daily_quota_exceeded'"}},
	};

	g_free(TEST_RUN(fixture->instance, "posthouse", "workspace", "limit", fixture->name,
	    "emails_per_day=1"));
	EXPECT_ALL(fixture, exchanges);
	AUTO(answer) refused = exchange_ask(fixture, &exchanges[1]);
	g_autofree char *after = answer_header(refused, "retry-after");
	cr_expect(after && g_ascii_strtoll(after, NULL, 10) >= 1, "%s", after);
	g_free(TEST_RUN(fixture->instance, "posthouse", "workspace", "limit", fixture->name,
	    "emails_per_day=0", "emails_per_hour=1"));
	EXPECT_ALL(fixture, hourly);
}

/* An email with an attachment of so many bytes. */
static void
emails_expect_attachment(gsize bytes, guint status, const char *want)
{
	gsize size = (bytes + 2) / 3 * 4;
	g_autofree char *content = g_strnfill(size, 'A');

	for (gsize i = 0; i < (3 - bytes % 3) % 3; i++)
		content[size - 1 - i] = '=';
	g_autofree char *change = g_strdup_printf(
	    "'scheduled_at':'in 1 hour','attachments':[{'filename':'f','content':'%s'}]", content);
	answer_free(letter_post(fixture, change, NULL, status, want));
}

Test(resend_emails, carry_40_megabytes)
{
	emails_expect_attachment(LIMIT_ATTACHMENTS_BYTES, 200, NULL);
	emails_expect_attachment(LIMIT_ATTACHMENTS_BYTES + 1, 422,
	    INVALID("attachments", "Total attachments size exceeds maximum of 40MB"));
}

#define NUMBER(i) ((i)*2654435761u >> 24)

/* An email with two attachments of so many numbers, in both forms. */
static GBytes *
email_of_numbers(guint count)
{
	GString *body = g_string_new("{\"from\":\"a@" FIXTURE_DOMAIN "\",\"to\":\"b@example.net\","
				     "\"subject\":\"S\",\"text\":\"T\",\"attachments\":[");

	for (guint form = 0; form < 2; form++) {
		g_string_append(body,
		    form == 0
			? "{\"filename\":\"a\",\"content\":[0"
			: "]},{\"filename\":\"b\",\"content\":{\"type\":\"Buffer\",\"data\":[0");
		for (guint i = 1; i < count; i++) {
			char number[] = {(char)('0' + NUMBER(i) / 100),
			    (char)('0' + NUMBER(i) / 10 % 10), (char)('0' + NUMBER(i) % 10), 0};
			char *digits = number;

			while (*digits == '0' && digits[1])
				digits++;
			g_string_append_c(body, ',');
			g_string_append(body, digits);
		}
	}
	g_string_append(body, "]}}],\"scheduled_at\":\"in 1 hour\"}");
	return g_string_free_to_bytes(body);
}

/* Go and Python clients send attachments so. */
Test(resend_emails, take_megabytes_as_numbers)
{
	const guint count = 5 * LIMIT_MIB;
	g_autoptr(GBytes) body = email_of_numbers(count);
	const struct exchange send = {
	    "send", "POST", "/resend/emails", .bytes = body, .want_status = 200};
	AUTO(answer) sent = exchange_expect(fixture, &send);
	g_autofree char *path =
	    g_strdup_printf("/resend/emails/%s/attachments", answer_text(sent, "id"));
	const struct exchange list = {"list", "GET", path, .want_status = 200};
	AUTO(answer) files = exchange_expect(fixture, &list);
	for (guint i = 0; i < 2; i++) {
		const char *url =
		    answer_text(files, i == 0 ? "data[0].download_url" : "data[1].download_url");
		const struct exchange load = {
		    "load", "GET", strstr(url, "/t/a/"), .headers = {"Authorization:"}};
		AUTO(answer) file = exchange_ask(fixture, &load);
		guint same = 0;

		cr_assert_eq(file->size, count);
		while (same < count && (guint8)file->body[same] == NUMBER(same))
			same++;
		cr_expect_eq(same, count);
	}
}

/* A list of so many elements, each this text with a number in place of #. */
static char *
emails_repeated(const char *text, guint count)
{
	GString *list = g_string_new(NULL);

	for (guint i = 0; i < count; i++) {
		g_auto(GStrv) parts = g_strsplit(text, "#", 2);
		g_string_append_printf(list, "%s%s%u%s", i > 0 ? "," : "", parts[0], i, parts[1]);
	}
	return g_string_free(list, FALSE);
}

Test(resend_emails, have_limits)
{
	static const struct {
		const char *name, *before, *element, *after;
		guint limit;
	} cases[] = {
	    {"subject", "'subject':'", NULL, "'", LIMIT_RESEND_SUBJECT_LENGTH},
	    {"from", "'from':'\\\"", NULL, "\\\" <a@" FIXTURE_DOMAIN ">'",
		LIMIT_RESEND_FROM_LENGTH - sizeof("\"\" <a@" FIXTURE_DOMAIN ">") + 1},
	    {"to", "'to':[", "'b#@example.net'", "]", 50},
	    {"cc", "'cc':[", "'b#@example.net'", "]", 50},
	    {"bcc", "'bcc':[", "'b#@example.net'", "]", 50},
	    {"reply_to", "'reply_to':[", "'b#@example.net'", "]", 50},
	    {"tags", "'tags':[", "{'name':'n#','value':'v'}", "]", LIMIT_RESEND_TAGS},
	    {"attachments", "'attachments':[", "{'filename':'f#','content':'YQ=='}", "]",
		LIMIT_RESEND_ATTACHMENTS},
	    {"filename", "'attachments':[{'content':'YQ==','filename':'", NULL, "'}]",
		LIMIT_FILENAME_LENGTH},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		for (guint past = 0; past <= 1; past++) {
			guint count = cases[i].limit + past;
			g_autofree char *filling = cases[i].element
						       ? emails_repeated(cases[i].element, count)
						       : g_strnfill(count, 'x');
			g_autofree char *change = g_strconcat("'scheduled_at':'in 1 hour',",
			    cases[i].before, filling, cases[i].after, NULL);
			AUTO(answer) answer =
			    letter_post(fixture, change, NULL, past ? 422 : 200, NULL);

			cr_expect(!past || strstr(answer->body, "Invalid `"), "%s: %s",
			    cases[i].name, answer->body);
		}
}

/* POSTs, and returns the id of the answer, which the caller owns. */
static char *
emails_create(const char *path, const char *body, guint status)
{
	const struct exchange exchange = {path, "POST", path, body, status};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strdup(answer_text(answer, "id"));
}

Test(resend_emails, may_be_made_of_a_template)
{
	g_autofree char *id = emails_create("/resend/templates",
	    "{'name':'T','html':'<p>{{NAME}} {{{NAME}}} "
	    "{{N}}</p>','text':'{{{NAME}}}','alias':'hello',"
	    "'subject':'Hi {{{NAME}}}','from':'Me <me@" FIXTURE_DOMAIN
	    ">','reply_to':'r@example.net',"
	    "'variables':[{'key':'NAME','type':'string','fallback_value':'you'},"
	    "{'key':'N','type':'number'}]}",
	    201);
	g_autofree char *publish = g_strdup_printf("/resend/templates/%s/publish", id);
	g_autofree char *by_id =
	    g_strdup_printf("{'to':'b@example.net','template':{'id':'%s','variables':"
			    "{'NAME':'<b> {{N}}','N':7}}}",
		id);
	const char *by_alias =
	    "{'to':'b@example.net','from':'a@" FIXTURE_DOMAIN "','subject':'{{S}}',"
	    "'reply_to':'s@example.net','template':{'id':'hello','variables':{'N':1.50}}}";
	const struct exchange early = {"not published", "POST", "/resend/emails", by_id, 422,
	    INVALID(
		"template", "The template is not published. Publish it before you send with it")};
	const struct exchange refusals[] = {
	    {"no value", "POST", "/resend/emails",
		"{'to':'b@example.net','template':{'id':'hello'}}", 422, NULL},
	    {"another type", "POST", "/resend/emails",
		"{'to':'b@example.net','template':{'id':'hello','variables':{'N':'1'}}}", 422},
	    {"unknown alias", "POST", "/resend/emails",
		"{'to':'b@example.net','template':{'id':'other'}}", 404,
		ERROR(404, "not_found", "Template not found")},
	    {"in a batch", "POST", "/resend/emails/batch",
		"[{'to':'b@example.net','template':{'id':'other'}}]", 404,
		.want = {"message = 'Template not found'", "errors[0].index = 0"}},
	};

	answer_free(exchange_expect(fixture, &early));
	g_free(emails_create(publish, "", 200));
	g_autofree char *first = emails_create("/resend/emails", by_id, 200);
	g_autofree char *second = emails_create("/resend/emails", by_alias, 200);
	EXPECT_EMAIL(fixture, first, "from = 'Me <me@" FIXTURE_DOMAIN ">'",
	    "subject = 'Hi <b> {{N}}'", "html = '<p>&lt;b&gt; {{N}} <b> {{N}} 7</p>'",
	    "text = '<b> {{N}}'", "reply_to = ['r@example.net']");
	EXPECT_EMAIL(fixture, second, "from = 'a@" FIXTURE_DOMAIN "'", "subject = '{{S}}'",
	    "html = '<p>you you 1.50</p>'", "text = 'you'", "reply_to = ['s@example.net']");
	for (gsize i = 1; i < G_N_ELEMENTS(refusals); i++)
		answer_free(exchange_expect(fixture, &refusals[i]));
	AUTO(answer) refused = exchange_ask(fixture, &refusals[0]);
	cr_expect_eq(refused->status, 422);
	cr_expect_str_eq(answer_text(refused, "message"),
	    "Invalid `template.variables` field. The variable 'N' has no fallback and is missing.");
}

/* The events of a test address, oldest first, joined, as the other front shows them. */
static char *
emails_events_of(const char *id)
{
	g_autofree char *path = g_strdup_printf("/v1/emails/%s/events", id);
	const struct exchange exchange = {path, "GET", path, .want_status = 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	const struct json *events = answer_at(answer, "events");
	GString *names = g_string_new(NULL);

	for (gsize i = json_array_length(events); i-- > 0;)
		g_string_append_printf(names, "%s%s", names->len > 0 ? " " : "",
		    json_string(json_member_get(json_array_at(events, i), "status"), NULL));
	return g_string_free(names, FALSE);
}

Test(resend_emails, to_test_addresses_go_nowhere)
{
	static const struct {
		const char *to, *last, *events;
	} cases[] = {
	    {"delivered@resend.dev", "delivered", "sent delivered"},
	    {"Delivered+label@resend.dev", "delivered", "sent delivered"},
	    {"bounced@resend.dev", "bounced", "sent bounced"},
	    {"complained+1@resend.dev", "complained", "sent delivered complained"},
	    {"suppressed@resend.dev", "suppressed", "suppressed"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *change = g_strdup_printf("'to':'%s'", cases[i].to);
		g_autofree char *want = g_strdup_printf("last_event = '%s'", cases[i].last);
		g_autofree char *id = letter_send(fixture, change);
		g_autofree char *events = NULL;

		for (guint tries = 0; tries < 2400 && g_strcmp0(events, cases[i].events) != 0;
		     tries++) {
			g_usleep(50000);
			g_free(events);
			events = emails_events_of(id);
		}
		cr_expect_str_eq(events, cases[i].events, "%s: %s", cases[i].to, events);
		EXPECT_EMAIL(fixture, id, want);
		cr_expect_eq(arrival_count(fixture, id), 0);
	}
}
