/* SPDX-License-Identifier: MIT */
/* POST /v1/emails/batch. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/email.h"
#include "tests/http/email.h"
#include "tests/support/db.h"

FIXTURE_SUITE(email_batch, 900);

#define PATH "/v1/emails/batch"
#define NO_TO "{'from':'a@" FIXTURE_DOMAIN "','subject':'S','html':'x'}"
#define WITH(member) "{'from':'a@" FIXTURE_DOMAIN "','to':'b@example.net','subject':'S'," member "}"
#define REFUSED(bad, all) "{'message':'" bad " of " all " emails are not valid; none was stored'"

/* The rows of a table that are the fixture's. */
static gint64
email_batch_rows(const char *table)
{
	g_autofree char *sql = g_strdup_printf("SELECT COUNT(*) FROM %s WHERE workspace_id ="
					       " (SELECT id FROM workspace WHERE name = '%s')",
	    table, fixture->name);

	return test_db_number(fixture->db, sql);
}

static gint64
email_batch_emails(void)
{
	return email_batch_rows("email");
}

static struct answer *
email_batch_send(const char *name, const char *body, guint status, const char *want)
{
	const struct exchange exchange = {name, "POST", PATH, body, status, want};

	return exchange_expect(fixture, &exchange);
}

static void
expect_id(const struct answer *answer, guint place, gint64 index)
{
	g_autofree char *at = g_strdup_printf("emails[%u].index", place);
	g_autofree char *id = g_strdup_printf("emails[%u].id", place);

	cr_expect_eq(json_integer(answer_at(answer, at)), index, "%u: %s", place, answer->body);
	answer_free(email_get(fixture, answer_text(answer, id)));
}

Test(email_batch, stores_all)
{
	AUTO(answer) answer =
	    email_batch_send("two", "{'emails':[" EMAIL "," WITH("'text':'x'") "]}", 201, NULL);

	cr_expect_eq(json_array_length(answer_at(answer, "emails")), 2);
	cr_expect_eq(json_array_length(answer_at(answer, "errors")), 0);
	expect_id(answer, 0, 0);
	expect_id(answer, 1, 1);
	cr_expect_eq(email_batch_emails(), 2);
	/* They wait for the spool, also in sync mode. */
	cr_expect_eq(email_batch_rows("outbox"), 2);
}

Test(email_batch, is_refused_as_a_whole)
{
	static const struct {
		const char *name, *body, *want;
	} cases[] = {
	    {"no emails", "{}", "{'message':'emails is required'}"},
	    {"null", "{'emails':null}", "{'message':'emails is required'}"},
	    {"no array", "{'emails':{}}", "{'message':'emails must be an array'}"},
	    {"empty", "{'emails':[]}", "{'message':'emails must not be empty'}"},
	    {"mode", "{'emails':[" EMAIL "],'mode':'Strict'}",
		"{'message':'mode must be strict or permissive'}"},
	    {"mode empty", "{'emails':[" EMAIL "],'mode':''}",
		"{'message':'mode must be strict or permissive'}"},
	    {"misspelled", "{'email':[" EMAIL "]}",
		"{'message':'email is not a field of this request; did you mean emails?'}"},
	    {"one of two", "{'emails':[" EMAIL "," NO_TO "]}",
		REFUSED("1", "2") ",'errors':[{'index':1,'message':'to is required'}]}"},
	    {"one of one", "{'emails':[" NO_TO "],'mode':'permissive'}",
		REFUSED("1", "1") ",'errors':[{'index':0,'message':'to is required'}]}"},
	    {"all messages",
		"{'emails':[7,null,[]," EMAIL "," WITH("'html':'x','Tags':{}") "," WITH(
		    "'html':'x','attachments':[{'filename':'"
		    "a','path':'http://x.org/'}]") "," WITH("'html':'x','cc':'a\\u0000'") ",{'from'"
											  ":'a@"
											  "example."
											  "org','"
											  "to':'b@"
											  "example."
											  "net',"
											  "'subject"
											  "':'S','"
											  "html':'"
											  "x'}],'"
											  "mode':'"
											  "strict'"
											  "}",
		REFUSED("7", "8") ",'errors':[{'index':0,'message':'must be an object'},"
				  "{'index':1,'message':'must be an object'},"
				  "{'index':2,'message':'must be an object'},"
				  "{'index':4,'message':'Tags is not a field of this request;"
				  " did you mean tags?'},"
				  "{'index':5,'message':'attachments[0].path cannot be used in a"
				  " batch'},{'index':6,'message':'cc must not contain the"
				  " character U+0000'},{'index':7,'message':'Domain example.org"
				  " is not registered'}]}"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		answer_free(email_batch_send(cases[i].name, cases[i].body, 400, cases[i].want));
	cr_expect_eq(email_batch_emails(), 0);
}

Test(email_batch, stores_the_good_ones)
{
	AUTO(answer) answer = email_batch_send("three",
	    "{'mode':'permissive','emails':[" NO_TO "," EMAIL
	    ",7," WITH("'html':'x','colour':1") "]}",
	    201, NULL);
	g_autofree char *ignored = answer_header(answer, "Ignored-Members");

	cr_expect_eq(json_array_length(answer_at(answer, "emails")), 2);
	expect_id(answer, 0, 1);
	expect_id(answer, 1, 3);
	cr_expect_str_eq(answer_text(answer, "errors[0].message"), "to is required");
	cr_expect_eq(json_integer(answer_at(answer, "errors[0].index")), 0);
	cr_expect_str_eq(answer_text(answer, "errors[1].message"), "must be an object");
	cr_expect_eq(json_integer(answer_at(answer, "errors[1].index")), 2);
	cr_expect_eq(g_strcmp0(ignored, "emails[3].colour"), 0, "%s", ignored);
	cr_expect_eq(email_batch_emails(), 2);
}

/* A batch of this many. The caller owns it. */
static char *
email_batch_batch_of(guint count)
{
	GString *body = g_string_new("{'emails':[");

	for (guint i = 0; i < count; i++)
		g_string_append_printf(body, "%s%s", i > 0 ? "," : "", EMAIL);
	g_string_append(body, "]}");
	return g_string_free(body, FALSE);
}

Test(email_batch, has_limits)
{
	g_autofree char *most = email_batch_batch_of(LIMIT_BATCH),
			*more = email_batch_batch_of(LIMIT_BATCH + 1);
	AUTO(answer) answer = email_batch_send("most", most, 201, NULL);

	cr_expect_eq(json_array_length(answer_at(answer, "emails")), LIMIT_BATCH);
	answer_free(
	    email_batch_send("more", more, 400, "{'message':'Too many emails: 101. Max is 100'}"));
	cr_expect_eq(email_batch_emails(), LIMIT_BATCH);
	g_autofree char *start = g_strdup_printf("{'emails':[%s]", EMAIL);
	gsize blank = LIMIT_BATCH_BYTES - strlen(start) - 1;
	g_autofree char *spaces = g_strnfill(blank, ' ');
	g_autofree char *fits = g_strconcat(start, spaces, "}", NULL);
	g_autofree char *large = g_strconcat(start, spaces, " }", NULL);
	answer_free(email_batch_send("as large as can be", fits, 201, NULL));
	answer_free(email_batch_send(
	    "larger", large, 413, "{'message':'The request body is larger than 10485760 bytes'}"));
}

Test(email_batch, is_stored_once)
{
	const char *key = "Idempotency-Key: k";
	const struct exchange exchanges[] = {
	    {"bad", "POST", PATH, "{'emails':[7]}", 400, .headers = {key}},
	    {"first", "POST", PATH, "{'emails':[" EMAIL ",7],'mode':'permissive'}", 201,
		.headers = {key}, .want_header = {"Idempotent-Replayed:"}},
	    {"again", "POST", PATH, "{'emails':[" EMAIL ",7],'mode':'permissive'}", 201,
		.want = {"emails[0].index = 0", "errors[0].index = 1"}, .headers = {key},
		.want_header = {"Idempotent-Replayed: true"}},
	    {"other body", "POST", PATH, "{'emails':[" EMAIL "]}", 409,
		"{'message':'This Idempotency-Key was used for another request'}",
		.headers = {key}},
	    {"other route", "POST", "/v1/emails", EMAIL, 409,
		"{'message':'This Idempotency-Key was used for another request'}",
		.headers = {key}},
	};

	EXPECT_ALL(fixture, exchanges);
	cr_expect_eq(email_batch_emails(), 1);
}

Test(email_batch, is_refused_by_a_quota_as_a_whole)
{
	g_autofree char *sql =
	    g_strdup_printf("INSERT INTO workspace_limit (workspace_id, name, value)"
			    " SELECT id, 'emails_per_hour', 3 FROM workspace WHERE name = '%s'",
		fixture->name);
	g_autofree char *two = email_batch_batch_of(2);

	test_db_plain(fixture->db, sql);
	answer_free(email_batch_send("two", two, 201, NULL));
	const struct exchange exchange = {"two more", "POST", PATH, two, 429,
	    "{'message':'Quota reached: at most 3 recipients per hour'}",
	    .want_header = {"RateLimit-Policy: \"emails_per_hour\";q=3;w=3600"}};
	answer_free(exchange_expect(fixture, &exchange));
	answer_free(
	    email_batch_send("one", "{'mode':'permissive','emails':[" EMAIL ",7]}", 201, NULL));
	cr_expect_eq(email_batch_emails(), 3);
}
