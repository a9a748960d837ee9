/* SPDX-License-Identifier: MIT */
#include "core/extras.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/limits.h"
#include "json/strict.h"
#include "mail/header.h"

/* The stored text, or the message. */
static char *
store(bool (*check)(const struct json *, char **, GError **), const char *given)
{
	AUTO(json) document = json_parse(given, strlen(given), NULL);
	g_autoptr(GError) error = NULL;
	char *text = NULL;

	cr_assert(document, "%s", given);
	if (!check(document, &text, &error))
		return g_strdup(error->message);
	return text ? text : g_strdup("");
}

Test(extras, takes_headers_that_do_no_harm)
{
	static const struct {
		const char *given, *want;
	} cases[] = {
	    {"{}", ""},
	    {"{\"X-A\": \"1\", \"x-b\": \"\303\274\"}", "{\"X-A\":\"1\",\"x-b\":\"\303\274\"}"},
	    {"{\"X-A\": \"\"}", "{\"X-A\":\"\"}"},
	    {"{\"In-Reply-To\": \"<a@x.org>\"}", "{\"In-Reply-To\":\"<a@x.org>\"}"},
	    {"{\"X-A\": 1}", "headers.X-A must be a string"},
	    {"{\"X-A\": null}", "headers.X-A must be a string"},
	    {"{\"X-A\": \"1\", \"x-a\": \"2\"}", "headers.x-a is given twice"},
	    {"{\"X A\": \"1\"}", "headers.X A must have a name of 1 to 76 printable ASCII "
				 "characters without a colon"},
	    {"{\"X-A\": \"a\\r\\nBcc: b@x.org\"}", "headers.X-A must not have a line break in it"},
	    {"{\"X-A\": \"a\\nb\"}", "headers.X-A must not have a line break in it"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = store(core_extras_headers, cases[i].given);
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
		g_autofree char *got = store(core_extras_headers, given);
		g_autofree char *want =
		    g_strdup_printf("headers.%s is set by the service", names[i]);
		cr_expect_str_eq(got, want, "got %s, want %s", got, want);
	}
}

static char *
repeat(char c, guint count)
{
	return g_strnfill(count, c);
}

Test(extras, bounds_headers)
{
	for (guint past = 0; past <= 1; past++) {
		g_autofree char *value = repeat('a', LIMIT_HEADER_VALUE_LENGTH + past - 500);
		g_autofree char *rest = repeat('b', 499);
		g_autofree char *given = g_strdup_printf("{\"X-A\": \"%s %s\"}", value, rest);
		g_autofree char *got = store(core_extras_headers, given);
		cr_expect_eq(g_strcmp0(got, "headers.X-A must be at most 998 characters") == 0,
		    past == 1, "value: %s", got);
		g_autofree char *name = repeat('a', LIMIT_HEADER_NAME_LENGTH + past);
		g_autofree char *named = g_strdup_printf("{\"%s\": \"x\"}", name);
		g_autofree char *got_named = store(core_extras_headers, named);
		cr_expect_eq(
		    g_str_has_prefix(got_named, "headers.aaa"), past == 1, "name: %s", got_named);
	}
}

Test(extras, reads_headers_back)
{
	struct json *document;
	g_autoptr(GError) error = NULL;
	g_autoptr(GArray) headers =
	    core_extras_read_headers("{\"X-B\":\"1\",\"X-A\":\"\"}", &document, &error);

	cr_assert(headers, "%s", error ? error->message : "");
	cr_assert_eq(headers->len, 2);
	const struct mail_header *first = &g_array_index(headers, struct mail_header, 0);
	cr_expect_str_eq(first->name, "X-B");
	cr_expect_str_eq(first->value, "1");
	json_free(document);
	g_autoptr(GArray) none = core_extras_read_headers(NULL, &document, &error);
	cr_expect(none && none->len == 0 && !document);
	cr_expect_not(core_extras_read_headers("{", &document, &error));
}

Test(extras, takes_tags)
{
	g_autofree char *fits = repeat('a', LIMIT_TAG_LENGTH);
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
		g_autofree char *got = store(core_extras_tags, cases[i].given);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].given, got, cases[i].want);
	}
	g_autofree char *got = store(core_extras_tags, long_name);
	cr_expect(
	    g_str_has_suffix(got, " must be at most 256 characters, in name and value"), "%s", got);
}
