/* SPDX-License-Identifier: MIT */
/* Tests the headers and tags of a submission. */
#include "email/submission.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/email.h"
#include "json/strict.h"
#include "mail/header.h"

/* Checks a member of a document. */
static char *
store_member(const struct json *given, bool (*check)(const struct json *, char **, GError **))
{
	g_autoptr(GError) error = NULL;
	char *text = NULL;

	if (!check(given, &text, &error))
		return g_strdup(error->message);
	return text ? text : g_strdup("");
}

static bool
check_headers(const struct json *given, char **text_r, GError **error)
{
	const struct email_submission submission = {.headers = given};

	return email_submission_headers(&submission, false, text_r, error);
}

/* The stored text, or the message. */
static char *
submission_extras_store(bool (*check)(const struct json *, char **, GError **), const char *given)
{
	AUTO(json) document = json_parse(given, strlen(given), NULL);

	cr_assert(document, "%s", given);
	return store_member(document, check);
}

#define ONCE " must be a string: a message has one field of this name"

Test(extras, takes_headers_that_do_no_harm)
{
	static const struct {
		const char *given, *want;
	} cases[] = {
	    {"{}", ""},
	    {"{\"X-A\": \"1\", \"x-b\": \"\303\274\"}", "{\"X-A\":\"1\",\"x-b\":\"\303\274\"}"},
	    {"{\"X-A\": \"\"}", "{\"X-A\":\"\"}"},
	    {"{\"In-Reply-To\": \"<a@x.org>\"}", "{\"In-Reply-To\":\"<a@x.org>\"}"},
	    {"{\"X-A\": [\"1\", \"2\"]}", "{\"X-A\":[\"1\",\"2\"]}"},
	    {"{\"Archived-At\": [\"<http://x.org/1>\"]}",
		"{\"Archived-At\":[\"<http://x.org/1>\"]}"},
	    {"{\"X-A\": []}", "{\"X-A\":[]}"},
	    {"{\"References\": [\"<a@x.org>\"]}", "headers.References" ONCE},
	    {"{\"list-unsubscribe\": [\"<http://x.org>\"]}", "headers.list-unsubscribe" ONCE},
	    {"{\"X-A\": [\"a\", \"b\\nc\"]}", "headers.X-A must not have a line break in it"},
	    {"{\"X-A\": [\"a\", 1]}", "headers.X-A must be a string or an array of strings"},
	    {"{\"From\": [\"a@x.org\"]}", "headers.From is set by the service"},
	    {"{\"X-A\": 1}", "headers.X-A must be a string or an array of strings"},
	    {"{\"X-A\": null}", "headers.X-A must be a string or an array of strings"},
	    {"{\"X-A\": {}}", "headers.X-A must be a string or an array of strings"},
	    {"{\"List-Unsubscribe\": \"<https://b\303\274cher.example/\303\274>\"}",
		"{\"List-Unsubscribe\":\"<https://b\303\274cher.example/\303\274>\"}"},
	    {"{\"References\": \"<\303\274@x.org>\"}", "headers.References must be ASCII"},
	    {"{\"X-A\": \"1\", \"x-a\": \"2\"}", "headers.x-a is given twice"},
	    {"{\"X A\": \"1\"}", "headers.X A must have a name of 1 to 76 printable ASCII "
				 "characters without a colon"},
	    {"{\"X-A\": \"a\\r\\nBcc: b@x.org\"}", "headers.X-A must not have a line break in it"},
	    {"{\"X-A\": \"a\\nb\"}", "headers.X-A must not have a line break in it"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = submission_extras_store(check_headers, cases[i].given);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].given, got, cases[i].want);
	}
}

Test(extras, keeps_the_headers_of_the_service)
{
	static const char *const names[] = {"From", "Sender", "To", "Cc", "Bcc", "Reply-To",
	    "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type",
	    "Content-Transfer-Encoding", "content-x", "Return-Path", "Received", "DKIM-Signature",
	    "ARC-Seal", "Authentication-Results", "fRoM"};

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *given = g_strdup_printf("{\"%s\": \"x\"}", names[i]);
		g_autofree char *got = submission_extras_store(check_headers, given);
		g_autofree char *want =
		    g_strdup_printf("headers.%s is set by the service", names[i]);
		cr_expect_str_eq(got, want, "got %s, want %s", got, want);
	}
}

static char *
submission_extras_repeat(char c, guint count)
{
	return g_strnfill(count, c);
}

Test(extras, bounds_headers)
{
	for (guint past = 0; past <= 1; past++) {
		g_autofree char *value =
		    submission_extras_repeat('a', LIMIT_HEADER_VALUE_LENGTH + past - 500);
		g_autofree char *rest = submission_extras_repeat('b', 499);
		g_autofree char *given = g_strdup_printf("{\"X-A\": \"%s %s\"}", value, rest);
		g_autofree char *got = submission_extras_store(check_headers, given);
		cr_expect_eq(g_strcmp0(got, "headers.X-A must be at most 998 characters") == 0,
		    past == 1, "value: %s", got);
		g_autofree char *name =
		    submission_extras_repeat('a', LIMIT_HEADER_NAME_LENGTH + past);
		g_autofree char *named = g_strdup_printf("{\"%s\": \"x\"}", name);
		g_autofree char *got_named = submission_extras_store(check_headers, named);
		cr_expect_eq(
		    g_str_has_prefix(got_named, "headers.aaa"), past == 1, "name: %s", got_named);
	}
}

/* All fields count, of whatever name. */
Test(extras, bounds_the_number_of_headers)
{
	for (guint past = 0; past <= 1; past++) {
		GString *values = g_string_new("\"x\"");
		for (guint i = 2; i < LIMIT_HEADERS + past; i++)
			g_string_append(values, ",\"x\"");
		g_autofree char *given =
		    g_strdup_printf("{\"X-A\": [%s], \"X-B\": \"x\"}", values->str);
		g_autofree char *got = submission_extras_store(check_headers, given);
		cr_expect_eq(g_strcmp0(got, "headers must have at most 25 fields") == 0, past == 1,
		    "got %s", got);
		g_string_free(values, TRUE);
	}
}

Test(extras, reads_headers_back)
{
	struct json *document;
	g_autoptr(GError) error = NULL;
	g_autoptr(GArray) headers =
	    email_submission_read_headers("{\"X-B\":\"1\",\"X-A\":\"\"}", &document, &error);

	cr_assert(headers, "%s", error ? error->message : "");
	cr_assert_eq(headers->len, 2);
	const struct mail_header *first = &g_array_index(headers, struct mail_header, 0);
	cr_expect_str_eq(first->name, "X-B");
	cr_expect_str_eq(first->value, "1");
	json_free(document);
	g_autoptr(GArray) none = email_submission_read_headers(NULL, &document, &error);
	cr_expect(none && none->len == 0 && !document);
	cr_expect_not(email_submission_read_headers("{", &document, &error));
}

Test(extras, takes_tags)
{
	g_autofree char *fits = submission_extras_repeat('a', LIMIT_TAG_LENGTH);
	g_autofree char *long_name = g_strdup_printf("{\"%sa\": \"x\"}", fits);
	g_autofree char *long_value = g_strdup_printf("{\"a\": \"%sa\"}", fits);
	g_autofree char *both_fit = g_strdup_printf("{\"%s\":\"%s\"}", fits, fits);
	const struct {
		const char *given, *want;
	} cases[] = {
	    {"{}", ""},
	    {"{\"a\": \"1\", \"\303\274\": \"\"}", "{\"a\":\"1\",\"\303\274\":\"\"}"},
	    {both_fit, both_fit},
	    {"{\"a\": 1}", "tags.a must be a string"},
	    {"{\"a\": null}", "tags.a must be a string"},
	    {long_value, "tags.a must be at most 256 characters, in name and value"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got =
		    submission_extras_store(email_submission_tags, cases[i].given);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].given, got, cases[i].want);
	}
	g_autofree char *got = submission_extras_store(email_submission_tags, long_name);
	cr_expect(
	    g_str_has_suffix(got, " must be at most 256 characters, in name and value"), "%s", got);
}

Test(extras, takes_tags_in_a_list)
{
	g_autofree char *fits = submission_extras_repeat('a', LIMIT_TAG_LENGTH);
	g_autofree char *long_value =
	    g_strdup_printf("[{\"name\": \"a\", \"value\": \"%sa\"}]", fits);
	g_autofree char *both_fit =
	    g_strdup_printf("[{\"name\": \"%s\", \"value\": \"%s\"}]", fits, fits);
	g_autofree char *both_want = g_strdup_printf("{\"%s\":\"%s\"}", fits, fits);
	const char *const letters =
	    "tags[0] must have 1 to 256 ASCII letters, digits, _ and - in name and value";
	const struct {
		const char *given, *want;
	} cases[] = {
	    {"[]", ""},
	    {"[{\"name\": \"b\", \"value\": \"1_-Z\"}, {\"name\": \"a\", \"value\": \"2\"}]",
		"{\"b\":\"1_-Z\",\"a\":\"2\"}"},
	    {both_fit, both_want},
	    {long_value, letters},
	    {"[{\"name\": \"\", \"value\": \"1\"}]", letters},
	    {"[{\"name\": \"a\", \"value\": \"\"}]", letters},
	    {"[{\"name\": \"a b\", \"value\": \"1\"}]", letters},
	    {"[{\"name\": \"a\", \"value\": \"\303\274\"}]", letters},
	    {"[{\"name\": \"a\"}]", "tags[0] must have a name and a value"},
	    {"[{\"name\": \"a\", \"value\": 1}]", "tags[0] must have a name and a value"},
	    {"[1]", "tags[0] must have a name and a value"},
	    {"[{\"name\": \"a\", \"value\": \"1\"}, {\"name\": \"a\", \"value\": \"2\"}]",
		"tags[1] has a name that is given twice"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *whole = g_strdup_printf("{\"tags\": %s}", cases[i].given);
		AUTO(json) document = json_parse(whole, strlen(whole), NULL);
		cr_assert(document, "%s", whole);
		g_autofree char *got =
		    store_member(json_member_get(document, "tags"), email_submission_tags);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].given, got, cases[i].want);
	}
}
