/* SPDX-License-Identifier: MIT */
/* The memory of the largest requests is at most three times their body, for any content. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits/email.h"
#include "base/limits/request.h"
#include "base/limits/unit.h"
#include "tests/fcgi/program/fixture.h"
#include "tests/support/smtp_server.h"

#define BODY (127 * (gsize)LIMIT_MIB)
#define TIMES 3
#define EMAILS "/v1/emails"
#define RESEND "/resend/emails"
#define WORKFLOWS "/v1/workflows"

static struct fixture *fixture;

static void
memory_begin(void)
{
	fixture = fixture_open(NULL, "[service]\nmode = spool\n", NULL);
	test_house_domain(fixture->house, "example.org");
}

static void
memory_end(void)
{
	fixture_close(fixture);
}

TestSuite(memory, .init = memory_begin, .fini = memory_end, .timeout = 900);

static char *
path_of_process(const char *name)
{
	return g_strdup_printf("/proc/%d/%s", (int)test_program_pid(fixture->program), name);
}

/* Resets the peak. */
static void
forget_peak(void)
{
	test_program_reset_peak(test_program_pid(fixture->program));
}

/* The peak of the resident memory, libraries included. */
static gsize
peak(void)
{
	g_autofree char *path = path_of_process("status");
	g_autofree char *text = NULL;

	cr_assert(g_file_get_contents(path, &text, NULL, NULL));
	const char *line = strstr(text, "VmHWM:");
	cr_assert(line);
	return (gsize)strtoull(line + strlen("VmHWM:"), NULL, 10) * 1024;
}

/* piece repeated count times, separated by commas. */
static void
append_all(GString *text, const char *piece, gsize count)
{
	gsize size = strlen(piece);

	for (gsize i = 0; i < count; i++) {
		if (i > 0)
			g_string_append_c(text, ',');
		g_string_append_len(text, piece, (gssize)size);
	}
}

static void
append_letters(GString *text, char letter, gsize count)
{
	gsize size = text->len;

	g_string_set_size(text, size + count);
	memset(text->str + size, letter, count);
}

/* Ends the object with as much white space as BODY leaves. */
static void
fill_up(GString *body)
{
	cr_assert_lt(body->len, BODY);
	append_letters(body, ' ', BODY - body->len - 1);
	g_string_append_c(body, '}');
}

static GString *
memory_begin_email(void)
{
	return g_string_new("{\"from\":\"a@example.org\",\"to\":\"b@example.net\","
			    "\"subject\":\"S\"");
}

/* As large as html, text and attachments may be. */
static GString *
largest_email(void)
{
	GString *body = memory_begin_email();

	g_string_append(body, ",\"html\":\"");
	append_letters(body, 'h', LIMIT_HTML_BYTES);
	g_string_append(body, "\",\"text\":\"");
	append_letters(body, 't', LIMIT_TEXT_BYTES);
	g_string_append(body, "\",\"attachments\":[");
	for (guint i = 0; i < LIMIT_ATTACHMENTS; i++) {
		g_string_append_printf(
		    body, "%s{\"filename\":\"f\",\"content\":\"", i > 0 ? "," : "");
		append_letters(body, 'A', LIMIT_ATTACHMENTS_BYTES / LIMIT_ATTACHMENTS / 3 * 4);
		g_string_append(body, "\"}");
	}
	g_string_append_c(body, ']');
	return body;
}

static GString *
one_string(void)
{
	GString *body = memory_begin_email();

	g_string_append(body, ",\"junk\":\"");
	append_letters(body, 'x', BODY - 200);
	g_string_append_c(body, '"');
	return body;
}

static GString *
one_string_of_escapes(void)
{
	GString *body = memory_begin_email();

	g_string_append(body, ",\"junk\":\"");
	for (gsize i = 0; i < (BODY - 200) / 2; i++)
		g_string_append(body, "\\n");
	g_string_append_c(body, '"');
	return body;
}

static GString *
memory_many(const char *name, const char *piece, gsize values)
{
	GString *body = memory_begin_email();

	g_string_append_printf(body, ",\"%s\":{\"v\":[", name);
	append_all(body, piece, (LIMIT_JSON_VALUES - 10) / values);
	g_string_append(body, "]}");
	return body;
}

/* An attachment as large as it may be, as an array of numbers, which some clients send. */
static GString *
attachment_of(const char *number)
{
	GString *body = memory_begin_email();

	g_string_append(body, ",\"attachments\":[{\"filename\":\"f\",\"content\":[");
	append_all(
	    body, number, MIN(LIMIT_ATTACHMENTS_BYTES, (BODY - 1000) / (strlen(number) + 1)));
	g_string_append(body, "]}]");
	return body;
}

static GString *
attachment_of_zeros(void)
{
	return attachment_of("0");
}

static GString *
attachment_of_numbers(void)
{
	return attachment_of("255");
}

static GString *
many_zeros(void)
{
	return memory_many("junk", "0", 1);
}

static GString *
many_objects(void)
{
	return memory_many("junk", "{}", 1);
}

static GString *
deep_arrays(void)
{
	return memory_many(
	    "variables", "[[[[[[[[[[[[[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]]]]]]]]]]]]", 28);
}

static GString *
many_members(void)
{
	GString *body = memory_begin_email();

	g_string_append(body, ",\"variables\":{");
	for (guint i = 0; i < LIMIT_JSON_VALUES - 10; i++)
		g_string_append_printf(body, "%s\"\\n%u\":0", i > 0 ? "," : "", i);
	g_string_append_c(body, '}');
	return body;
}

static GString *
memory_design_of(const char *text, gsize count)
{
	GString *body = g_string_new("{\"name\":\"W\",\"design\":{\"nodes\":[],\"edges\":[");

	append_all(body, text, count);
	g_string_append(body, "]}");
	return body;
}

static GString *
large_design(void)
{
	return memory_design_of(
	    "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"",
	    LIMIT_JSON_VALUES - 10);
}

static GString *
design_of_objects(void)
{
	return memory_design_of("{}", LIMIT_JSON_VALUES - 10);
}

#define HTML ",\"html\":\"<p>Hi</p>\""

static const struct {
	const char *name, *path;
	GString *(*body)(void);
	const char *more; /* members behind it */
	guint want_status;
} cases[] = {
    {"largest email", EMAILS, largest_email, "", 201},
    {"one string", EMAILS, one_string, HTML, 201},
    {"one string of escapes", EMAILS, one_string_of_escapes, HTML, 201},
    {"attachment of zeros", RESEND, attachment_of_zeros, HTML, 200},
    {"attachment of numbers", RESEND, attachment_of_numbers, HTML, 200},
    {"a million zeros", EMAILS, many_zeros, HTML, 201},
    {"a million objects", EMAILS, many_objects, HTML, 201},
    {"deep arrays", EMAILS, deep_arrays, HTML, 201},
    {"a million variables", EMAILS, many_members, HTML, 400},
    {"large design", WORKFLOWS, large_design, "", 400},
    {"design of a million objects", WORKFLOWS, design_of_objects, "", 400},
};

static void
memory_expect_peak(const char *name, const char *path, const char *body, guint want_status)
{
	forget_peak();
	struct fcgi_answer answer = fixture_request(fixture, "POST", path, body);
	gsize got = peak();

	cr_expect_eq(
	    answer.status, want_status, "%s: got %u, %s", name, answer.status, answer.body);
	fcgi_answer_clear(&answer);
	cr_expect_leq(got, TIMES * BODY + TEST_MEMORY_SPARE, "%s: %zu MiB for a body of %zu MiB",
	    name, got / LIMIT_MIB, BODY / LIMIT_MIB);
	g_message("%s: %.2f times the body", name, (double)got / (double)BODY);
}

Test(memory, of_a_request_is_three_times_its_body)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) body = cases[i].body();

		g_string_append(body, cases[i].more);
		fill_up(body);
		memory_expect_peak(cases[i].name, cases[i].path, body->str, cases[i].want_status);
	}
}

/* It is composed, signed and sent while the client waits. */
Test(memory, of_a_request_that_sends_is_the_same)
{
	static const struct smtp_script script = {.extensions = NULL};
	AUTO(smtp_server) relay = smtp_server_start(&script);
	g_autofree char *settings =
	    g_strdup_printf("[smtp]\nport = %u\ntls = none\n", smtp_server_port(relay));
	g_autoptr(GString) body = largest_email();

	fixture_close(fixture);
	fixture = fixture_open(NULL, settings, NULL);
	test_house_domain(fixture->house, "example.org");
	fill_up(body);
	memory_expect_peak("largest email, sent", EMAILS, body->str, 201);
	smtp_server_stop(relay);
	cr_expect_eq(smtp_server_count(relay), 1);
}
