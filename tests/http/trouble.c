/* SPDX-License-Identifier: MIT */
/* The database gone and back, and bodies that are too large. */
#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits/unit.h"
#include "tests/http/alone.h"
#include "tests/http/arrival.h"
#include "tests/http/email.h"
#include "tests/http/tracking.h"

FIXTURE_SUITE(trouble, 900);

static pid_t
database(void)
{
	g_autofree char *path = g_build_filename(fixture->instance->dir, "pids", "database", NULL);
	g_autofree char *text = NULL;

	cr_assert(g_file_get_contents(path, &text, NULL, NULL), "%s", path);
	return (pid_t)strtol(text, NULL, 10);
}

static void
trouble_stop_database(void)
{
	pid_t pid = database();
	cr_assert(pid > 1 && kill(pid, SIGTERM) == 0);
	while (kill(pid, 0) == 0 || errno != ESRCH)
		g_usleep(5000);
}

#define AWAY "{'message':'The service is not available at the moment'}"
#define MISSING "{'message':'Missing API key','code':'api_key_missing'}"

Test(trouble, with_the_database_is_told)
{
	static const struct exchange before[] = {
	    {"send", "POST", "/v1/emails", EMAIL, 201},
	    {"health", "GET", "/health", NULL, 200, "{'status':'ok'}"},
	};
	static const struct exchange meanwhile[] = {
	    {"send", "POST", "/v1/emails", EMAIL, 503, AWAY, .want_header = {"Retry-After: 5"}},
	    {"list", "GET", "/v1/emails", NULL, 503, AWAY, .want_header = {"Retry-After: 5"}},
	    {"read", "GET", "/v1/emails/x", NULL, 503, AWAY, .want_header = {"Retry-After: 5"}},
	    {"cancel", "DELETE", "/v1/emails/x", NULL, 503, AWAY,
		.want_header = {"Retry-After: 5"}},
	    {"templates", "GET", "/v1/templates", NULL, 503, AWAY,
		.want_header = {"Retry-After: 5"}},
	    {"workflows", "GET", "/v1/workflows", NULL, 503, AWAY},
	    {"workflow", "GET", "/v1/workflows/x", NULL, 503, AWAY},
	    {"executions of a workflow", "GET", "/v1/workflows/x/executions", NULL, 503,
		"{'error':'Failed to list executions',"
		"'details':'The service is not available at the moment'}",
		.want_header = {"Retry-After: 5"}},
	    {"emails of a workflow", "GET", "/v1/workflows/x/emails", NULL, 503,
		"{'error':'Failed to get workflow emails'}"},
	    {"execution", "GET", "/v1/executions/x", NULL, 503,
		"{'error':'Internal server error','details':'Failed to retrieve execution'}"},
	    {"emails of an execution", "GET", "/v1/executions/x/emails", NULL, 503,
		"{'error':'Failed to get execution emails'}"},
	    {"event", "POST", "/v1/events", "{}", 503, AWAY, .want_header = {"Retry-After: 5"}},
	    {"new workflow", "POST", "/v1/workflows", "{}", 503, AWAY},
	    {"workflow changed", "PATCH", "/v1/workflows/x", "{}", 503, AWAY},
	    {"workflow deleted", "DELETE", "/v1/workflows/x", NULL, 503, AWAY},
	    {"execution cancelled", "POST", "/v1/executions/x/cancel", "", 503,
		"{'error':'Failed to cancel execution',"
		"'details':'The service is not available at the moment'}"},
	    {"automation contact changed", "PATCH", "/v1/automation/contacts/x", "{}", 503,
		"{'error':'Failed to update contact',"
		"'details':'The service is not available at the moment'}"},
	    {"automation contact deleted", "DELETE", "/v1/automation/contacts/x", NULL, 503,
		"{'error':'Failed to delete contact',"
		"'details':'The service is not available at the moment'}"},
	    {"automation contacts", "GET", "/v1/automation/contacts", NULL, 503,
		"{'error':'Failed to list contacts'}"},
	    {"automation contact", "GET", "/v1/automation/contacts/x", NULL, 503,
		"{'error':'Failed to get contact'}"},
	    {"executions of a contact", "GET", "/v1/automation/contacts/x/executions", NULL, 503,
		"{'error':'Failed to list contact executions'}"},
	    {"events of a contact", "GET", "/v1/automation/contacts/x/events", NULL, 503,
		"{'error':'Failed to list contact events'}"},
	    {"health", "GET", "/health", NULL, 503, AWAY, .want_header = {"Retry-After: 5"}},
	    {"ready", "GET", "/ready", NULL, 503, AWAY, .want_header = {"Retry-After: 5"}},
	    {"HEAD", "HEAD", "/v1/emails", NULL, 503, "", .want_header = {"Retry-After: 5"}},
	    {"a wrong key", "GET", "/v1/emails", NULL, 503, AWAY,
		.headers = {"Authorization: Bearer x"}},
	    {"no key", "GET", "/v1/emails", NULL, 401, MISSING, .headers = {"Authorization:"}},
	    {"no route", "GET", "/v1/nothing", NULL, 404, "{'message':'Not found'}"},
	    {"no method", "PUT", "/v1/emails", "{}", 405, "{'message':'Method not allowed'}"},
	};

	ALONE_SET(fixture, NULL);
	EXPECT_ALL(fixture, before);
	trouble_stop_database();
	EXPECT_ALL(fixture, meanwhile);
	/* Restarts servers that died, and leaves the web server and its pool alone. */
	ALONE_SET(fixture, NULL);
	EXPECT_ALL(fixture, before);
}

/* A server that hangs takes what is sent to it, and does not answer. */
Test(trouble, with_a_database_that_hangs_is_told_soon)
{
	static const struct exchange read = {"read", "GET", "/v1/emails?limit=1", NULL, 200},
				     late = {"late", "GET", "/v1/emails?limit=1", NULL, 503, AWAY,
					 .want_header = {"Retry-After: 5"}};

	ALONE_SET(fixture, NULL);
	answer_free(exchange_expect(fixture, &read));
	kill(database(), SIGSTOP);
	gint64 begin = g_get_monotonic_time();
	answer_free(exchange_expect(fixture, &late));
	gint64 took = g_get_monotonic_time() - begin;
	kill(database(), SIGCONT);
	cr_expect_lt(took, 30 * G_TIME_SPAN_SECOND, "took %d s", (int)(took / G_TIME_SPAN_SECOND));
	answer_free(exchange_expect(fixture, &read));
}

#define LINKED                                                                                     \
	"'html':'<a href=\\u0022http://x.org/\\u0022>x</a> "                                       \
	"<a href=\\u0022{{unsubscribe_url}}\\u0022>out</a>'"

/* Readers who open a message or follow its links do not see that the database is down or stopped.
   Only readers who want to unsubscribe are asked to come again. */
Test(trouble, does_not_reach_readers)
{
	ALONE_SET(fixture, NULL);
	tracking_enable(fixture, true, true);
	g_autofree char *id = email_send(fixture, LINKED);
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	g_autofree char *html = tracking_html(arrival);
	g_autofree char *pixel = tracking_path(fixture, html, "img src", "/t/o/");
	g_autofree char *link = tracking_path(fixture, html, "a href", "/t/c/");
	g_autofree char *page = tracking_path(fixture, html, "a href", "/t/u/");
	const struct exchange visits[] = {
	    {"pixel", "GET", pixel, NULL, 200, .want_header = {"Content-Type: image/gif"}},
	    {"link", "GET", link, NULL, 302, .want_header = {"Location: http://x.org/"}},
	};
	const struct exchange wishes[] = {
	    {"page", "GET", page, NULL, 503,
		.want_header = {"Retry-After: 5", "Content-Type: text/html; charset=utf-8"}},
	    {"button", "POST", page, "List-Unsubscribe=One-Click", 503,
		.want_header = {"Retry-After: 5"}},
	    {"broken", "GET", "/t/u/x", NULL, 404},
	};

	/* Asleep: the answers come all the same, as long as there are processes to give them. */
	kill(database(), SIGSTOP);
	answer_free(exchange_expect(fixture, &visits[1]));
	kill(database(), SIGCONT);
	answer_free(tracking_wait(fixture, id, 3));

	trouble_stop_database();
	EXPECT_ALL(fixture, visits);
	EXPECT_ALL(fixture, wishes);
	ALONE_SET(fixture, NULL);
	EXPECT_ALL(fixture, visits);
	answer_free(tracking_wait(fixture, id, 5));
}

/* An email whose body has exactly this many bytes. */
static GBytes *
trouble_body_of(gsize size)
{
	g_autofree char *least = exchange_merged(EMAIL, "'html':''", NULL);
	g_autofree char *html = g_strnfill(size - strlen(least), 'x');
	g_autofree char *change = g_strdup_printf("'html':'%s'", html);
	char *body = exchange_merged(EMAIL, change, NULL);

	cr_assert_eq(strlen(body), size);
	return g_bytes_new_take(body, size);
}

#define TOO_LARGE "{'message':'The request body is larger than 1048576 bytes'}"

Test(trouble, with_large_bodies_is_told)
{
	g_autoptr(GBytes) fits = trouble_body_of(LIMIT_MIB), over = trouble_body_of(LIMIT_MIB + 1);
	g_autoptr(GBytes) far = trouble_body_of(8 * LIMIT_MIB);
	const struct exchange good[] = {
	    {"at the limit", "POST", "/v1/emails", NULL, 201, .bytes = fits},
	    {"at the limit, chunked", "POST", "/v1/emails", NULL, 201, .bytes = fits,
		.chunked = true},
	};
	const struct exchange bad[] = {
	    {"one more", "POST", "/v1/emails", NULL, 413, TOO_LARGE, .bytes = over},
	    {"one more, chunked", "POST", "/v1/emails", NULL, 413, TOO_LARGE, .bytes = over,
		.chunked = true},
	    {"far more", "POST", "/v1/emails", NULL, 413, TOO_LARGE, .bytes = far},
	    {"far more, chunked", "POST", "/v1/emails", NULL, 413, TOO_LARGE, .bytes = far,
		.chunked = true},
	    {"template", "POST", "/v1/templates", NULL, 413, TOO_LARGE, .bytes = over},
	    {"template, changed", "PATCH", "/v1/templates/x", NULL, 413, TOO_LARGE, .bytes = over},
	};

	ALONE_SET(fixture, "limits.request_bytes=1048576");
	EXPECT_ALL(fixture, good);
	g_autofree char *before = fixture_rows(fixture);
	EXPECT_ALL(fixture, bad);
	g_autofree char *after = fixture_rows(fixture);
	cr_expect_str_eq(after, before, "what is stored: got\n%swant\n%s", after, before);
	EXPECT_ALL(fixture, good);
}
