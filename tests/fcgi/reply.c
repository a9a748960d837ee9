/* SPDX-License-Identifier: MIT */
/* Tests of fcgi/http/reply.c: replies as they are written, and errors as the client and the log see
 * them. */
#include "fcgi/http/reply.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "tests/fcgi/fake_io.h"

static const char *const no_params[] = {NULL};
static const struct fcgi_failure failure_detailed = {.error = "Failed to do it"};

/* The parts of a reply that tests compare, with | between them. */
static char *
reply_written(struct fcgi_reply *reply, bool head)
{
	struct fcgi_io *io = fake_io_new(no_params, NULL, 0, 0);
	GString *text = g_string_new(NULL);

	fcgi_reply_write(reply, io, head);
	g_autofree char *length = fake_io_header(io, "Content-Length");
	g_autofree char *retry = fake_io_header(io, "Retry-After");
	g_autofree char *authenticate = fake_io_header(io, "WWW-Authenticate");
	g_autofree char *status = fake_io_header(io, "Status");
	cr_expect(head || g_ascii_strtoull(length, NULL, 10) == strlen(fake_io_body(io)),
	    "Content-Length is %s for: %s", length, fake_io_body(io));
	g_string_append(text, status);
	if (retry)
		g_string_append_printf(text, "|Retry-After %s", retry);
	if (authenticate)
		g_string_append_printf(text, "|WWW-Authenticate %s", authenticate);
	g_string_append_printf(text, "|%s", fake_io_body(io));
	fake_io_free(io);
	return g_string_free(text, FALSE);
}

/* Everything that is logged meanwhile. */
static int log_copy;
static char *log_path;

static void
begin_log(void)
{
	GError *error = NULL;
	int fd = g_file_open_tmp("posthouse-XXXXXX", &log_path, &error);

	cr_assert(fd >= 0);
	log_copy = dup(STDERR_FILENO);
	dup2(fd, STDERR_FILENO);
	close(fd);
}

static char *
end_log(void)
{
	char *text = NULL;

	dup2(log_copy, STDERR_FILENO);
	close(log_copy);
	g_file_get_contents(log_path, &text, NULL, NULL);
	unlink(log_path);
	g_free(log_path);
	return text;
}

Test(reply, turns_errors_into_answers)
{
	static const struct {
		int code;
		const char *want, *want_detailed, *want_log;
	} cases[] = {
	    {PH_ERROR_INVALID, "400 Bad Request|{\"message\":\"So so\"}",
		"400 Bad Request|"
		"{\"error\":\"Failed to do it\",\"details\":\"So so\"}",
		""},
	    {PH_ERROR_UNAUTHORIZED, "401 Unauthorized|{\"message\":\"So so\"}",
		"401 Unauthorized|"
		"{\"error\":\"Failed to do it\",\"details\":\"So so\"}",
		""},
	    {PH_ERROR_FORBIDDEN, "403 Forbidden|{\"message\":\"So so\"}",
		"403 Forbidden|"
		"{\"error\":\"Failed to do it\",\"details\":\"So so\"}",
		""},
	    {PH_ERROR_NOT_FOUND, "404 Not Found|{\"message\":\"So so\"}",
		"404 Not Found|"
		"{\"error\":\"Failed to do it\",\"details\":\"So so\"}",
		""},
	    {PH_ERROR_CONFLICT, "409 Conflict|{\"message\":\"So so\"}",
		"409 Conflict|"
		"{\"error\":\"Failed to do it\",\"details\":\"So so\"}",
		""},
	    {PH_ERROR_TOO_LARGE, "413 Content Too Large|{\"message\":\"So so\"}",
		"413 Content Too Large|"
		"{\"error\":\"Failed to do it\",\"details\":\"So so\"}",
		""},
	    {PH_ERROR_LIMITED, "429 Too Many Requests|Retry-After 1|{\"message\":\"So so\"}",
		"429 Too Many Requests|Retry-After 1|"
		"{\"error\":\"Failed to do it\",\"details\":\"So so\"}",
		""},
	    {PH_ERROR_TEMPORARY,
		"503 Service Unavailable|Retry-After 5|"
		"{\"message\":\"The service is not available at the moment\"}",
		"503 Service Unavailable|Retry-After 5|{\"error\":\"Failed to "
		"do "
		"it\",\"details\":\"The service is not available at the moment\"}",
		"posthouse: So so\n"},
	    {PH_ERROR_UNCERTAIN,
		"503 Service Unavailable|Retry-After 5|"
		"{\"message\":\"The service is not available at the moment\"}",
		"503 Service Unavailable|Retry-After 5|{\"error\":\"Failed to "
		"do "
		"it\",\"details\":\"The service is not available at the moment\"}",
		"posthouse: So so\n"},
	    {PH_ERROR_FAILED,
		"500 Internal Server Error|"
		"{\"message\":\"Internal server error\"}",
		"500 Internal Server Error|"
		"{\"error\":\"Failed to do it\",\"details\":\"Internal server error\"}",
		"posthouse: So so\n"},
	    {PH_ERROR_FAILED + 1,
		"500 Internal Server Error|"
		"{\"message\":\"Internal server error\"}",
		"500 Internal Server Error|"
		"{\"error\":\"Failed to do it\",\"details\":\"Internal server error\"}",
		"posthouse: So so\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases) * 2; i++) {
		bool detailed = i % 2;
		const char *want = detailed ? cases[i / 2].want_detailed : cases[i / 2].want;
		g_autoptr(GError) error = g_error_new_literal(PH_ERROR, cases[i / 2].code, "So so");
		struct fcgi_reply reply;

		fcgi_reply_init(&reply, &fcgi_form_message);
		begin_log();
		fcgi_reply_failure(
		    &reply, detailed ? &failure_detailed : &fcgi_failure_message, error);
		g_autofree char *log = end_log();
		g_autofree char *got = reply_written(&reply, false);
		cr_expect_str_eq(got, want, "%d: got\n%s\nwant\n%s", error->code, got, want);
		cr_expect_str_eq(log, cases[i / 2].want_log, "%d: logged \"%s\", want \"%s\"",
		    error->code, log, cases[i / 2].want_log);
		fcgi_reply_clear(&reply);
	}
}

Test(reply, turns_errors_into_answers_of_a_form_of_their_own)
{
	static const struct fcgi_failure told = {
	    "Failed to do it", "Thing not found", "It did not work", NULL};
	static const struct fcgi_failure silent = {"Failed to do it", "Thing not found", "", NULL};
	static const struct {
		int code;
		const struct fcgi_failure *failure;
		const char *want;
	} cases[] = {
	    {PH_ERROR_INVALID, &told, "{\"error\":\"Failed to do it\",\"details\":\"So so\"}"},
	    {PH_ERROR_INVALID, &silent, "{\"error\":\"Failed to do it\",\"details\":\"So so\"}"},
	    {PH_ERROR_CONFLICT, &silent, "{\"error\":\"Failed to do it\",\"details\":\"So so\"}"},
	    {PH_ERROR_NOT_FOUND, &told, "{\"error\":\"Thing not found\"}"},
	    {PH_ERROR_NOT_FOUND, &silent, "{\"error\":\"Thing not found\"}"},
	    {PH_ERROR_TEMPORARY, &told,
		"{\"error\":\"Failed to do it\",\"details\":\"It did not work\"}"},
	    {PH_ERROR_FAILED, &told,
		"{\"error\":\"Failed to do it\",\"details\":\"It did not work\"}"},
	    {PH_ERROR_TEMPORARY, &silent, "{\"error\":\"Failed to do it\"}"},
	    {PH_ERROR_FAILED, &silent, "{\"error\":\"Failed to do it\"}"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = g_error_new_literal(PH_ERROR, cases[i].code, "So so");
		struct fcgi_reply reply;

		fcgi_reply_init(&reply, &fcgi_form_message);
		begin_log();
		fcgi_reply_failure(&reply, cases[i].failure, error);
		g_autofree char *log = end_log();
		g_autofree char *got = reply_written(&reply, false);
		const char *body = strrchr(got, '|') + 1;
		cr_expect_str_eq(
		    body, cases[i].want, "%zu: got %s, want %s", i, body, cases[i].want);
		fcgi_reply_clear(&reply);
	}
}

Test(reply, hides_errors_of_other_domains)
{
	/* The number equals PH_ERROR_NOT_FOUND, but the domain is another. */
	g_autoptr(GError) error = g_error_new_literal(G_FILE_ERROR, PH_ERROR_NOT_FOUND, "/etc/x");
	struct fcgi_reply reply;

	fcgi_reply_init(&reply, &fcgi_form_message);
	begin_log();
	fcgi_reply_failure(&reply, &fcgi_failure_message, error);
	g_autofree char *log = end_log();
	g_autofree char *got = reply_written(&reply, false);
	cr_expect(g_str_has_prefix(got, "500 "), "got %s", got);
	cr_expect_null(strstr(got, "/etc/x"), "got %s", got);
	cr_expect_str_eq(log, "posthouse: /etc/x\n");
	fcgi_reply_clear(&reply);
}

Test(reply, denies)
{
	static const struct {
		enum fcgi_denial denial;
		const char *want;
	} cases[] = {
	    {DENIAL_MISSING, "401 Unauthorized|WWW-Authenticate Bearer|"
			     "{\"message\":\"Missing API key\",\"code\":\"api_key_missing\"}"},
	    {DENIAL_INVALID, "403 Forbidden|"
			     "{\"message\":\"Invalid API key\",\"code\":\"api_key_invalid\"}"},
	    {DENIAL_READ_ONLY,
		"403 Forbidden|"
		"{\"message\":\"This API key may only read\",\"code\":\"api_key_forbidden\"}"},
	    {DENIAL_SEND_ONLY, "403 Forbidden|"
			       "{\"message\":\"This API key may only send emails and events\","
			       "\"code\":\"api_key_forbidden\"}"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct fcgi_reply reply;

		fcgi_reply_init(&reply, &fcgi_form_message);
		reply.form->denied(&reply, cases[i].denial);
		g_autofree char *got = reply_written(&reply, false);
		cr_expect_str_eq(got, cases[i].want, "got\n%s\nwant\n%s", got, cases[i].want);
		fcgi_reply_clear(&reply);
	}
}

Test(reply, escapes_what_it_is_told)
{
	g_autoptr(GError) error =
	    g_error_new_literal(PH_ERROR, PH_ERROR_INVALID, "\"x\"\r\nSet-Cookie: a=b \xc3\xa9");
	struct fcgi_reply reply;

	fcgi_reply_init(&reply, &fcgi_form_message);
	fcgi_reply_failure(&reply, &fcgi_failure_message, error);
	g_autofree char *got = reply_written(&reply, false);
	const char *want = "400 Bad Request|"
			   "{\"message\":\"\\\"x\\\"\\r\\nSet-Cookie: a=b \xc3\xa9\"}";
	cr_expect_str_eq(got, want, "got\n%s\nwant\n%s", got, want);
	fcgi_reply_clear(&reply);
}

Test(reply, says_the_last_word_only)
{
	struct fcgi_reply reply;
	g_autoptr(GError) error = g_error_new_literal(PH_ERROR, PH_ERROR_CONFLICT, "No");

	fcgi_reply_init(&reply, &fcgi_form_message);
	fcgi_reply_json_text(&reply, 201, g_strdup("{\"id\":1}"));
	fcgi_reply_failure(&reply, &fcgi_failure_message, error);
	g_autofree char *got = reply_written(&reply, false);
	cr_expect_str_eq(got, "409 Conflict|{\"message\":\"No\"}", "got %s", got);
	fcgi_reply_clear(&reply);
}

Test(reply, writes_no_body_to_head)
{
	struct fcgi_reply reply;

	fcgi_reply_init(&reply, &fcgi_form_message);
	fcgi_reply_message(&reply, "Done");
	g_autofree char *get = reply_written(&reply, false);
	g_autofree char *head = reply_written(&reply, true);
	cr_expect_str_eq(get, "200 OK|{\"message\":\"Done\"}", "got %s", get);
	cr_expect_str_eq(head, "200 OK|", "got %s", head);
	struct fcgi_io *io = fake_io_new(no_params, NULL, 0, 0);
	fcgi_reply_write(&reply, io, true);
	g_autofree char *length = fake_io_header(io, "Content-Length");
	cr_expect_str_eq(length, "18", "the length is that of a GET");
	fake_io_free(io);
	fcgi_reply_clear(&reply);
}

Test(reply, tells_the_client_not_to_guess_or_keep)
{
	struct fcgi_reply reply;
	struct fcgi_io *io = fake_io_new(no_params, NULL, 0, 0);

	fcgi_reply_init(&reply, &fcgi_form_message);
	fcgi_reply_header(&reply, "Allow", "GET, HEAD");
	fcgi_reply_write(&reply, io, false);
	g_autofree char *type = fake_io_header(io, "Content-Type");
	g_autofree char *cache = fake_io_header(io, "Cache-Control");
	g_autofree char *options = fake_io_header(io, "X-Content-Type-Options");
	g_autofree char *allow = fake_io_header(io, "Allow");
	cr_expect_str_eq(type, "application/json");
	cr_expect_str_eq(cache, "no-store");
	cr_expect_str_eq(options, "nosniff");
	cr_expect_str_eq(allow, "GET, HEAD");
	cr_expect_eq(fake_io_status(io), 500, "a reply that nobody filled is our fault");
	cr_expect_str_eq(fake_io_body(io), "");
	fcgi_reply_clear(&reply);
	fake_io_free(io);
}

Test(reply, redirects_to_the_same_place)
{
	static const struct {
		const char *name, *url, *want;
	} cases[] = {
	    {"plain", "https://x.org/a?b=c&d#e", "https://x.org/a?b=c&d#e"},
	    {"no path", "http://x.org", "http://x.org"},
	    {"upper case", "HTTP://X.Org/A", "HTTP://X.Org/A"},
	    {"user and port", "http://u:p@x.org:81/", "http://u:p@x.org:81/"},
	    {"IPv6", "http://[2001:db8::1]:81/", "http://[2001:db8::1]:81/"},
	    {"encoded already", "http://x.org/%C3%BC%20", "http://x.org/%C3%BC%20"},
	    {"a space", "http://x.org/a b", "http://x.org/a%20b"},
	    {"another script in the path", "http://x.org/\303\274?\303\244",
		"http://x.org/%C3%BC?%C3%A4"},
	    {"another script in the host", "http://b\303\274cher.example:81/\303\274",
		"http://xn--bcher-kva.example:81/%C3%BC"},
	    {"with a joiner in it",
		"http://\331\206\330\247\331\205\331\207\342\200\214\330\247\333\214.example/",
		"http://xn--mgba3gch31f060k.example/"},
	    {"and a user", "http://\303\274@b\303\274cher.example?x",
		"http://%C3%BC@xn--bcher-kva.example?x"},
	    {"controls", "http://x.org/a\r\nSet-Cookie: b", "http://x.org/a%0D%0ASet-Cookie:%20b"},
	    {"in the host", "http://x.org\r\nX: y/", "http://x.org%0D%0AX:%20y/"},
	    {"not UTF-8", "http://\377.org/\377", "http://%FF.org/%FF"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *want = g_strdup_printf("Location: %s\r\n", cases[i].want);
		struct fcgi_reply reply;

		fcgi_reply_init(&reply, &fcgi_form_message);
		fcgi_reply_redirect(&reply, cases[i].url);
		cr_expect_str_eq(reply.headers->str, want, "%s: got %s, want %s", cases[i].name,
		    reply.headers->str, want);
		fcgi_reply_clear(&reply);
	}
}
