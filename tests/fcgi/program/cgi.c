/* SPDX-License-Identifier: MIT */
/* posthouse.fcgi as plain CGI: one request from the environment and the standard streams. */
#include <criterion/criterion.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "tests/support/db.h"
#include "tests/support/house.h"
#include "tests/support/manual.h"
#include "tests/support/program.h"

#define END_MS 120000

static struct test_house *house;

static void
cgi_begin(void)
{
	house = test_house_open(NULL, NULL);
	test_house_key(house, "ph_full", KEY_FULL, 0);
}

static void
cgi_end(void)
{
	test_house_close(house);
}

TestSuite(cgi, .init = cgi_begin, .fini = cgi_end, .timeout = 900);

#define KEY "HTTP_AUTHORIZATION=Bearer ph_full"
#define TEMPLATE "{\"id\":\"t\",\"name\":\"T\",\"html\":\"<p>\"}"

struct visit {
	const char *name;
	const char *arguments[2]; /* of the program */
	const char *environment[5];
	const char *input; /* at most what a pipe holds */
	int want_exit;
	const char *want_status; /* the first line of the answer; NULL: no answer */
	const char *want_body;
};

static int
pipe_with(const char *text)
{
	int ends[2];
	gssize size = text ? (gssize)strlen(text) : 0;

	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(write(ends[1], text ? text : "", (size_t)size), size);
	close(ends[1]);
	return ends[0];
}

static void
cgi_expect(const struct visit *visit)
{
	const char *argv[] = {"posthouse.fcgi", visit->arguments[0], visit->arguments[1], NULL};
	g_autofree char *config = g_strconcat("POSTHOUSE_CONFIG=", house->config, NULL);
	g_autoptr(GPtrArray) environment = g_ptr_array_new();
	int input = pipe_with(visit->input);

	g_ptr_array_add(environment, config);
	for (gsize i = 0; i < G_N_ELEMENTS(visit->environment) && visit->environment[i]; i++)
		g_ptr_array_add(environment, (char *)visit->environment[i]);
	g_ptr_array_add(environment, NULL);
	AUTO(test_program) program =
	    test_program_start(argv, (const char *const *)environment->pdata, input, -1);
	close(input);
	int got = test_program_wait(program, END_MS);
	g_autofree char *output = test_program_output(program);
	g_autofree char *log = test_program_log(program);
	cr_expect_eq(got, visit->want_exit, "%s: exit status %d, want %d; log: %s", visit->name,
	    got, visit->want_exit, log);
	g_auto(GStrv) parts = g_strsplit(output, "\r\n\r\n", 2);
	g_autofree char *status = g_strndup(output, strcspn(output, "\r"));
	cr_expect_str_eq(status, visit->want_status ? visit->want_status : "", "%s: got %s",
	    visit->name, output);
	cr_expect_str_eq(parts[0] && parts[1] ? parts[1] : "",
	    visit->want_body ? visit->want_body : "", "%s: got %s, want %s", visit->name, output,
	    visit->want_body);
}

Test(cgi, serves_one_request)
{
	static const struct visit visits[] = {
	    {"GET", {0}, {"REQUEST_METHOD=GET", "PATH_INFO=/health"}, NULL, 0, "Status: 200 OK",
		"{\"status\":\"ok\"}"},
	    {"HEAD", {0}, {"REQUEST_METHOD=HEAD", "PATH_INFO=/health"}, NULL, 0, "Status: 200 OK",
		""},
	    {"no path", {0}, {"REQUEST_METHOD=GET"}, NULL, 0, "Status: 404 Not Found",
		"{\"message\":\"Not found\"}"},
	    {"no method", {0}, {"REQUEST_METHOD=", "PATH_INFO=/health"}, NULL, 0,
		"Status: 405 Method Not Allowed", "{\"message\":\"Method not allowed\"}"},
	    {"query as argument", {"--workers=3"},
		{"REQUEST_METHOD=GET", "PATH_INFO=/health", "QUERY_STRING=--workers%3D3"}, NULL, 0,
		"Status: 200 OK", "{\"status\":\"ok\"}"},
	    {"query that asks for the version", {"--version"},
		{"REQUEST_METHOD=GET", "PATH_INFO=/health", "QUERY_STRING=--version"}, NULL, 0,
		"Status: 200 OK", "{\"status\":\"ok\"}"},
	    {"query that names a file", {"--config", "/etc/passwd"},
		{"REQUEST_METHOD=GET", "PATH_INFO=/health", "QUERY_STRING=--config+/etc/passwd"},
		NULL, 0, "Status: 200 OK", "{\"status\":\"ok\"}"},
	    {"POST without a body", {0},
		{"REQUEST_METHOD=POST", "PATH_INFO=/v1/templates", "CONTENT_LENGTH=0", KEY}, NULL,
		0, "Status: 400 Bad Request",
		"{\"message\":\"body must be a JSON object, but is empty\"}"},
	    {"POST of more than there is", {0},
		{"REQUEST_METHOD=POST", "PATH_INFO=/v1/templates", "CONTENT_LENGTH=100", KEY},
		TEMPLATE, 0, "Status: 400 Bad Request",
		"{\"message\":\"The request body ends before its Content-Length\"}"},
	    {"POST with a body behind the body", {0},
		{"REQUEST_METHOD=POST", "PATH_INFO=/v1/templates", "CONTENT_LENGTH=2", KEY}, "{}{}",
		0, "Status: 400 Bad Request", "{\"message\":\"name is required\"}"},
	    {"no key", {0}, {"REQUEST_METHOD=GET", "PATH_INFO=/v1/emails"}, NULL, 0,
		"Status: 401 Unauthorized",
		"{\"message\":\"Missing API key\",\"code\":\"api_key_missing\"}"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(visits); i++)
		cgi_expect(&visits[i]);
}

Test(cgi, stores_what_it_is_given)
{
	const char *argv[] = {"posthouse.fcgi", NULL};
	g_autofree char *config = g_strconcat("POSTHOUSE_CONFIG=", house->config, NULL);
	const char *environment[] = {
	    config, "REQUEST_METHOD=POST", "PATH_INFO=/v1/templates", KEY, NULL};
	int input = pipe_with(TEMPLATE);
	AUTO(test_program) program = test_program_start(argv, environment, input, -1);

	close(input);
	cr_expect_eq(test_program_wait(program, END_MS), 0);
	cr_expect_eq(test_db_number(house->db, "SELECT COUNT(*) FROM template"), 1);
}

/* Nobody reads standard output. */
Test(cgi, survives_a_client_that_has_gone)
{
	const char *argv[] = {"posthouse.fcgi", NULL};
	g_autofree char *config = g_strconcat("POSTHOUSE_CONFIG=", house->config, NULL);
	const char *environment[] = {
	    config, "REQUEST_METHOD=POST", "PATH_INFO=/v1/templates", KEY, NULL};
	int input = pipe_with(TEMPLATE), ends[2];

	cr_assert_eq(pipe(ends), 0);
	close(ends[0]);
	AUTO(test_program) program = test_program_start(argv, environment, input, ends[1]);
	close(input);
	close(ends[1]);
	cr_expect_eq(test_program_wait(program, END_MS), 0);
	cr_expect_eq(test_db_number(house->db, "SELECT COUNT(*) FROM template"), 1);
}

static guint
cgi_count_lines(const char *text)
{
	guint count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

/* Started by hand or with wrong settings, it says so in one line. */
Test(cgi, refuses_in_one_line)
{
	static const char *const cgi[] = {"REQUEST_METHOD=GET", "PATH_INFO=/health", NULL};
	g_autofree char *wrong = test_mariadb_file(NULL, NULL, "[limits]\nrequest_bytes = many\n");
	g_autofree char *wrong_config = g_strconcat("POSTHOUSE_CONFIG=", wrong, NULL);
	const char *wrong_cgi[] = {cgi[0], cgi[1], wrong_config, NULL};
	const char *missing_cgi[] = {cgi[0], cgi[1], "POSTHOUSE_CONFIG=/nowhere/x.conf", NULL};
	const struct {
		const char *name;
		const char *arguments[2];
		const char *const *environment;
		int want_exit;
		const char *want_log;
	} cases[] = {
	    {"by hand", {0}, NULL, EX_USAGE, "has to be started by a web server"},
	    {"by hand, with an argument", {"on"}, NULL, EX_USAGE, "accepts options only"},
	    {"unknown option", {"--worker", "3"}, NULL, EX_USAGE, "Unknown option --worker"},
	    {"no number", {"--workers", "many"}, NULL, EX_USAGE, "many"},
	    {"too many", {"--workers", "1025"}, NULL, EX_USAGE, "from 0 to 1024"},
	    {"less than none", {"--workers=-1"}, NULL, EX_USAGE, "from 0 to 1024"},
	    {"wrong settings", {0}, wrong_cgi, EX_CONFIG, "request_bytes"},
	    {"no settings", {0}, missing_cgi, EX_CONFIG, "/nowhere/x.conf"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *argv[] = {
		    "posthouse.fcgi", cases[i].arguments[0], cases[i].arguments[1], NULL};
		AUTO(test_program) program = test_program_start(argv, cases[i].environment, -1, -1);
		int got = test_program_wait(program, END_MS);
		g_autofree char *output = test_program_output(program);
		g_autofree char *log = test_program_log(program);

		cr_expect_eq(got, cases[i].want_exit, "%s: exit status %d, want %d", cases[i].name,
		    got, cases[i].want_exit);
		cr_expect(strstr(log, cases[i].want_log), "%s: said %s", cases[i].name, log);
		cr_expect_eq(cgi_count_lines(log), 1, "%s: said %s", cases[i].name, log);
		cr_expect_str_eq(output, "", "%s: answered %s", cases[i].name, output);
	}
}

Test(cgi, tells_its_version_and_its_options)
{
	static const struct {
		const char *option, *want;
	} cases[] = {
	    {"--version", "posthouse.fcgi " PACKAGE_VERSION "\n"},
	    {"--help", "--workers=N"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *argv[] = {"posthouse.fcgi", cases[i].option, NULL};
		AUTO(test_program) program = test_program_start(argv, NULL, -1, -1);
		int got = test_program_wait(program, END_MS);
		g_autofree char *output = test_program_output(program);

		cr_expect_eq(got, 0, "%s: exit status %d", cases[i].option, got);
		cr_expect(strstr(output, cases[i].want), "%s: said %s", cases[i].option, output);
	}
}
