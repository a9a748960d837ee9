/* SPDX-License-Identifier: MIT */
/* posthouse.fcgi with clients and web servers that leave, stay silent, or send malformed or huge
   requests. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits/request.h"
#include "base/limits/unit.h"
#include "tests/fcgi/program/fixture.h"
#include "tests/support/db.h"
#include "tests/support/smtp_server.h"

#define HEALTHY "{\"status\":\"ok\"}"

static struct fixture *fixture;

static void
client_begin(void)
{
	/* A sanitizer keeps freed memory. */
	g_setenv("ASAN_OPTIONS", "quarantine_size_mb=1", TRUE);
	fixture = fixture_open(NULL, NULL, NULL);
}

/* Expects that the same process still serves. */
static void
end(void)
{
	fixture_expect(fixture, "in the end", "GET", "/health", NULL, 200, HEALTHY);
	cr_expect_eq(test_program_wait(fixture->program, 0), -1);
	fixture_close(fixture);
}

TestSuite(client, .init = client_begin, .fini = end, .timeout = 900);

static char *
template_of(gsize html_size)
{
	g_autofree char *html = g_strnfill(html_size, 'x');

	return g_strdup_printf("{\"id\":\"t\",\"name\":\"T\",\"html\":\"%s\"}", html);
}

/* Sends an email with this html, or with the template t. */
static char *
email_with(const char *html)
{
	return g_strdup_printf("{\"from\":\"a@example.org\",\"to\":\"b@example.net\","
			       "\"subject\":\"S\",\"%s\":\"%s\"}",
	    html ? "html" : "template_id", html ? html : "t");
}

Test(client, may_leave_in_the_middle_of_the_answer)
{
	g_autofree char *body = template_of(4 * LIMIT_MIB);
	struct fcgi_answer stored = fixture_request(fixture, "POST", "/v1/templates", body);

	cr_assert_eq(stored.status, 200);
	fcgi_answer_clear(&stored);
	for (guint i = 0; i < 3; i++) {
		struct fcgi_client *client = fixture_begin(fixture, "GET", "/v1/templates/t", 0);

		fcgi_client_body(client, NULL, 0);
		fcgi_client_skip(client, 100);
		fcgi_client_free(client);
	}
	struct fcgi_answer whole = fixture_request(fixture, "GET", "/v1/templates/t", NULL);
	cr_expect(
	    whole.complete && whole.body_size > 4 * LIMIT_MIB, "got %zu bytes", whole.body_size);
	fcgi_answer_clear(&whole);
}

Test(client, may_leave_in_the_middle_of_the_body)
{
	g_autofree char *body = template_of(1000);
	struct fcgi_client *client = fixture_begin(fixture, "POST", "/v1/templates", strlen(body));

	fcgi_client_body(client, body, 500);
	fcgi_client_wait_read(client);
	fcgi_client_free(client);
	fixture_expect(fixture, "after", "GET", "/health", NULL, 200, HEALTHY);
	cr_expect_eq(test_db_number(fixture->house->db, "SELECT COUNT(*) FROM template"), 0);
}

Test(client, may_say_nothing)
{
	struct fcgi_client *client = fcgi_client_connect(fixture->socket);

	fcgi_client_free(client);
	client = fcgi_client_connect(fixture->socket);
	fcgi_client_begin(client, false);
	fcgi_client_free(client);
}

Test(client, may_talk_nonsense)
{
	/* Another protocol; an unknown role; an unknown record that is cut off; parameters
	   before BEGIN_REQUEST. */
	static const char nonsense[][20] = {"GET / HTTP/1.0\r\n\r\n",
	    "\1\1\0\1\0\10\0\0zzzzzzzzzzzz", "\1\143\0\0\377\377\0\0",
	    "\1\4\0\1\0\4\0\0\377\377\377\377"};

	for (gsize i = 0; i < G_N_ELEMENTS(nonsense); i++) {
		struct fcgi_client *client = fcgi_client_connect(fixture->socket);

		g_autofree char *name = g_strdup_printf("after nonsense %zu", i);

		fcgi_client_raw(client, nonsense[i], sizeof(nonsense[i]));
		fcgi_client_free(client);
		fixture_expect(fixture, name, "GET", "/health", NULL, 200, HEALTHY);
	}
}

/* A connection that is kept would keep the process. */
Test(client, is_not_kept)
{
	static const char *const params[] = {"REQUEST_METHOD=GET", "PATH_INFO=/health", NULL};
	struct fcgi_client *client = fcgi_client_connect(fixture->socket);

	fcgi_client_begin(client, true);
	fcgi_client_params(client, params);
	fcgi_client_body(client, NULL, 0);
	struct fcgi_answer answer = fcgi_client_answer(client);
	cr_expect(answer.complete && answer.closed && answer.status == 200, "got %u, %s",
	    answer.status, answer.closed ? "closed" : "kept");
	fcgi_answer_clear(&answer);
	fcgi_client_free(client);
}

Test(client, may_send_nothing_or_ask_for_no_body)
{
	fixture_expect(fixture, "POST of nothing", "POST", "/v1/templates", NULL, 400,
	    "{\"message\":\"body must be a JSON object, but is empty\"}");
	fixture_expect(fixture, "HEAD", "HEAD", "/health", NULL, 200, "");
	fixture_expect(fixture, "HEAD of nothing", "HEAD", "/v1/templates/none", NULL, 404, "");
	fixture_expect(fixture, "PATCH of nothing", "PATCH", "/v1/templates/none", NULL, 400,
	    "{\"message\":\"body must be a JSON object, but is empty\"}");
}

/* The reply comes although the handler does not use the body; the web server can write all of it
 * first. */
Test(client, may_send_a_large_body_that_nobody_wants)
{
	static const char *const paths[] = {"/v1/nothing", "/v1/emails"};
	static const guint want[] = {404, 401};
	gsize size = 40 * LIMIT_MIB;
	g_autofree char *body = g_malloc0(size);

	for (gsize i = 0; i < G_N_ELEMENTS(paths); i++) {
		g_autofree char *path = g_strconcat("PATH_INFO=", paths[i], NULL);
		const char *params[] = {
		    "REQUEST_METHOD=POST", path, "CONTENT_LENGTH=41943040", NULL};
		struct fcgi_client *client = fcgi_client_connect(fixture->socket);

		fcgi_client_begin(client, false);
		fcgi_client_params(client, params);
		cr_expect(fcgi_client_body(client, body, size) && fcgi_client_body(client, NULL, 0),
		    "%s: the body could not be sent", paths[i]);
		struct fcgi_answer answer = fcgi_client_answer(client);
		cr_expect(answer.complete && answer.status == want[i], "%s: got %u, %s", paths[i],
		    answer.status, answer.body);
		fcgi_answer_clear(&answer);
		fcgi_client_free(client);
	}
}

static char *
file_of_process(const char *name)
{
	g_autofree char *path =
	    g_strdup_printf("/proc/%d/%s", (int)test_program_pid(fixture->program), name);
	g_autoptr(GError) error = NULL;
	char *text = NULL;

	cr_assert(g_file_get_contents(path, &text, NULL, &error), "%s", error->message);
	return text;
}

/* Loading libcurl takes half the start time, and only fetched attachments need it. */
Test(client, does_not_wait_for_libraries_that_it_does_not_need)
{
	fixture_expect(fixture, "first", "GET", "/health", NULL, 200, HEALTHY);
	g_autofree char *maps = file_of_process("maps");
	cr_expect(strstr(maps, "libmariadb"), "this is no list of libraries: %s", maps);
	cr_expect_null(strstr(maps, "libcurl"), "libcurl is there");
}

/* Kilobytes of private memory of a process. */
static gint64
private_dirty(void)
{
	g_autofree char *text = file_of_process("smaps_rollup");
	const char *line = strstr(text, "Private_Dirty:");
	cr_assert(line);
	return strtoll(line + strlen("Private_Dirty:"), NULL, 10);
}

#define LARGE (100 * LIMIT_MIB)
#ifdef __SANITIZE_ADDRESS__
#define KEPT_KB (256 * 1024) /* the allocator keeps freed memory */
#else
#define KEPT_KB 4096
#endif

/* Waits until the private memory is back to the level before. */
static void
expect_forgotten(const char *name, gint64 before)
{
	gint64 end = g_get_monotonic_time() + 120 * G_USEC_PER_SEC, after;

	while ((after = private_dirty()) > before + KEPT_KB && g_get_monotonic_time() < end)
		g_usleep(1000);
	cr_expect_leq(after, before + KEPT_KB, "%s: %d KB before, %d KB after", name, (int)before,
	    (int)after);
}

/* The longest body: its buffer and its tree. */
Test(client, gets_large_requests_served_and_forgotten)
{
	static const struct {
		const char *name, *before, *after;
		guint want_status;
	} cases[] = {
	    {"ignored", "{\"name\":\"T\",\"html\":\"<p>\",\"padding\":\"", "\"}", 200},
	    {"not JSON", "{\"padding\":\"", "", 400},
	    {"refused", "{\"name\":\"T\",\"html\":\"", "\"}", 400},
	};
	g_autofree char *padding = g_strnfill(LARGE, 'x');

	fixture_expect(fixture, "warm", "POST", "/v1/templates", "{}", 400,
	    "{\"message\":\"name is required\"}");
	gint64 before = private_dirty();
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *body = g_strconcat(cases[i].before, padding, cases[i].after, NULL);
		struct fcgi_answer answer = fixture_request(fixture, "POST", "/v1/templates", body);

		cr_expect_eq(answer.status, cases[i].want_status, "%s: got %u, %s", cases[i].name,
		    answer.status, answer.body);
		fcgi_answer_clear(&answer);
		expect_forgotten(cases[i].name, before);
	}
}

/* The most values that a body may have, each allocated separately. */
Test(client, gets_requests_of_many_values_forgotten)
{
	g_autoptr(GString) body =
	    g_string_new("{\"name\":\"T\",\"html\":\"<p>\",\"padding\":[\"a\"");

	for (guint i = 5; i < LIMIT_JSON_VALUES; i++)
		g_string_append(body, ",\"a\"");
	g_string_append(body, "]}");
	fixture_expect(fixture, "warm", "POST", "/v1/templates", "{}", 400,
	    "{\"message\":\"name is required\"}");
	gint64 before = private_dirty();
	for (guint i = 0; i < 2; i++) {
		struct fcgi_answer answer =
		    fixture_request(fixture, "POST", "/v1/templates", body->str);

		cr_expect_eq(answer.status, 200, "got %u, %s", answer.status, answer.body);
		fcgi_answer_clear(&answer);
		expect_forgotten("values", before);
	}
}

/* A short body whose message has 20 MB, which is composed, signed and sent. */
Test(client, gets_small_requests_for_large_messages_forgotten)
{
	static const struct smtp_script script = {.extensions = NULL};
	AUTO(smtp_server) relay = smtp_server_start(&script);
	g_autofree char *settings =
	    g_strdup_printf("[smtp]\nport = %u\ntls = none\n", smtp_server_port(relay));
	g_autofree char *small = email_with("Hi"), *large = email_with(NULL);
	g_autofree char *html = template_of(20 * LIMIT_MIB);

	fixture_close(fixture);
	fixture = fixture_open(NULL, settings, NULL);
	test_house_domain(fixture->house, "example.org");
	for (guint i = 0; i < 2; i++) {
		struct fcgi_answer answer = fixture_request(fixture, "POST", "/v1/emails", small);
		cr_expect_eq(answer.status, 201, "got %u, %s", answer.status, answer.body);
		fcgi_answer_clear(&answer);
	}
	gint64 before = private_dirty();
	struct fcgi_answer stored = fixture_request(fixture, "POST", "/v1/templates", html);
	cr_expect_eq(stored.status, 200);
	fcgi_answer_clear(&stored);
	for (guint i = 0; i < 3; i++) {
		struct fcgi_answer answer = fixture_request(fixture, "POST", "/v1/emails", large);
		cr_expect_eq(answer.status, 201, "got %u, %s", answer.status, answer.body);
		fcgi_answer_clear(&answer);
		expect_forgotten("message", before);
	}
	smtp_server_stop(relay);
	cr_expect_eq(smtp_server_count(relay), 5);
}
