/* SPDX-License-Identifier: MIT */
/* /resend without a database, with large bodies, and with attachments that are fetched. */
#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits/unit.h"
#include "tests/http/alone.h"
#include "tests/http/arrival.h"
#include "tests/http/email.h"
#include "tests/http/exchange.h"
#include "tests/http/tracking.h"
#include "tests/support/http_server.h"

#define ERROR(status, name, message)                                                               \
	"{'statusCode':" #status ",'name':'" name "','message':'" message "'}"

FIXTURE_SUITE(resend_alone, 900);

static void
alone_stop_database(void)
{
	g_autofree char *path = g_build_filename(fixture->instance->dir, "pids", "database", NULL);
	g_autofree char *text = NULL;

	cr_assert(g_file_get_contents(path, &text, NULL, NULL), "%s", path);
	pid_t pid = (pid_t)strtol(text, NULL, 10);
	cr_assert(pid > 1 && kill(pid, SIGTERM) == 0);
	while (kill(pid, 0) == 0 || errno != ESRCH)
		g_usleep(5000);
}

#define AWAY ERROR(503, "application_error", "The service is not available at the moment")
#define MISSING ERROR(401, "missing_api_key", "Missing API key in the authorization header.")
#define LATER .want_header = {"Retry-After: 5", "Content-Type: application/json; charset=utf-8"}

Test(resend_alone, without_a_database_asks_to_come_again)
{
	static const struct exchange before[] = {
	    {"send", "POST", "/resend/emails", EMAIL, 200},
	};
	static const struct exchange meanwhile[] = {
	    {"send", "POST", "/resend/emails", EMAIL, 503, AWAY, LATER},
	    {"batch", "POST", "/resend/emails/batch", "[" EMAIL "]", 503, AWAY, LATER},
	    {"list", "GET", "/resend/emails", NULL, 503, AWAY, LATER},
	    {"change", "PATCH", "/resend/templates/x", "{}", 503, AWAY, LATER},
	    {"not served", "GET", "/resend/usage", NULL, 503, AWAY, LATER},
	    {"no key", "GET", "/resend/emails", NULL, 401, MISSING, .headers = {"Authorization:"}},
	    {"no route", "GET", "/resend/nothing", NULL, 404,
		ERROR(404, "not_found", "The requested endpoint does not exist.")},
	};

	ALONE_SET(fixture, NULL);
	EXPECT_ALL(fixture, before);
	alone_stop_database();
	EXPECT_ALL(fixture, meanwhile);
	ALONE_SET(fixture, NULL);
	EXPECT_ALL(fixture, before);
}

static GBytes *
alone_body_of(gsize size)
{
	g_autofree char *least = exchange_merged(EMAIL, "'html':''", NULL);
	g_autofree char *html = g_strnfill(size - strlen(least), 'x');
	g_autofree char *change = g_strdup_printf("'html':'%s'", html);
	char *body = exchange_merged(EMAIL, change, NULL);

	cr_assert_eq(strlen(body), size);
	return g_bytes_new_take(body, size);
}

#define TOO_LARGE ERROR(413, "validation_error", "The request body is larger than 1048576 bytes")

Test(resend_alone, refuses_bodies_that_are_too_large)
{
	g_autoptr(GBytes) fits = alone_body_of(LIMIT_MIB), over = alone_body_of(LIMIT_MIB + 1);
	const struct exchange exchanges[] = {
	    {"at the limit", "POST", "/resend/emails", NULL, 200, .bytes = fits},
	    {"one more", "POST", "/resend/emails", NULL, 413, TOO_LARGE, .bytes = over},
	    {"batch", "POST", "/resend/emails/batch", NULL, 413, TOO_LARGE, .bytes = over},
	    {"template", "POST", "/resend/templates", NULL, 413, TOO_LARGE, .bytes = over},
	};

	ALONE_SET(fixture, "limits.request_bytes=1048576");
	EXPECT_ALL(fixture, exchanges);
}

static void
alone_serve(struct http_peer *peer, const char *request, void *data)
{
	static const char file[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
	static const char missing[] = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
	bool found = strstr(request, "/invoice.pdf") != NULL;

	http_peer_send(peer, found ? file : missing, strlen(found ? file : missing));
}

/* Posts an email with the file of this name, whose name is taken from its path. */
static struct answer *
send_file(struct http_server *server, const char *name, guint status)
{
	g_autofree char *body =
	    g_strdup_printf("{'from':'a@" FIXTURE_DOMAIN "','to':'b@example.net','subject':'S',"
			    "'text':'T','attachments':[{'path':'http://127.0.0.2:%d/%s'}]}",
		http_server_port(server), name);
	const struct exchange exchange = {name, "POST", "/resend/emails", body, status};

	return exchange_expect(fixture, &exchange);
}

Test(resend_alone, fetches_attachments)
{
	struct http_server *server = http_server_start("127.0.0.2", NULL, alone_serve, NULL);

	ALONE_SET(fixture, "fetch.allow=127.0.0.2/32");
	AUTO(answer) sent = send_file(server, "files/invoice.pdf", 200);
	AUTO(answer) missing = send_file(server, "missing", 422);
	g_autofree char *path =
	    g_strdup_printf("/resend/emails/%s/attachments", answer_text(sent, "id"));
	const struct exchange list = {"list", "GET", path, .want_status = 200,
	    .want = {"data[0].filename = 'invoice.pdf'", "data[0].size = 5",
		"data[0].content_type = 'application/pdf'", "data[1] : null"}};
	AUTO(arrival) arrival = arrival_wait(fixture, answer_text(sent, "id"));
	g_autofree char *content = arrival_content(arrival, 1, NULL);

	answer_free(exchange_expect(fixture, &list));
	cr_expect_str_eq(content, "hello");
	cr_expect_str_eq(answer_text(missing, "name"), "invalid_attachment");
	http_server_stop(server);
}

/* Expects this last event of an email, by itself and in the list. */
static void
expect_last(const char *id, const char *want)
{
	g_autofree char *path = g_strconcat("/resend/emails/", id, NULL);
	g_autofree char *one = g_strdup_printf("last_event = '%s'", want);
	g_autofree char *row = g_strdup_printf("data[0].last_event = '%s'", want);
	const struct exchange exchanges[] = {
	    {"get", "GET", path, .want_status = 200, .want = {one}},
	    {"list", "GET", "/resend/emails", .want_status = 200, .want = {row}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* No relay answers. */
Test(resend_alone, tells_that_an_email_is_delayed)
{
	const struct exchange send = {"send", "POST", "/resend/emails", EMAIL, 200};

	ALONE_SET(fixture, "smtp.port=1");
	AUTO(answer) sent = exchange_expect(fixture, &send);
	expect_last(answer_text(sent, "id"), "delivery_delayed");
}

#define LINKED "'html':'<p><a href=\\u0022{{unsubscribe_url}}\\u0022>out</a></p>'"

Test(resend_alone, passes_an_unsubscription_over)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *id = email_send(fixture, LINKED);
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	g_autofree char *html = tracking_html(arrival);
	g_autofree char *page = tracking_path(fixture, html, "a href", "/t/u/");
	const struct exchange leave = {"leave", "POST", page, "List-Unsubscribe=One-Click", 200,
	    .headers = {"Authorization:", "Content-Type: application/x-www-form-urlencoded"}};
	g_autofree char *path = g_strconcat("/v1/emails/", id, NULL);
	const struct exchange other = {"other front", "GET", path, .want_status = 200,
	    .want = {"last_event.status = 'unsubscribed'"}};

	answer_free(tracking_wait(fixture, id, 2));
	answer_free(exchange_expect(fixture, &leave));
	answer_free(tracking_wait(fixture, id, 3));
	answer_free(exchange_expect(fixture, &other));
	expect_last(id, "delivered");
}
