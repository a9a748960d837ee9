/* SPDX-License-Identifier: MIT */
/* Sessions under other settings: their ends, the limits of networks, https, and the log. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/alone.h"
#include "tests/http/person.h"
#include "tests/support/db.h"

FIXTURE_SUITE(sessions_alone, 900);

#define NO_KEY "Authorization:"

static struct answer *
sessions_alone_use_link(const char *token, const char *from, guint want)
{
	g_autofree char *body = g_strdup_printf("{'token':'%s'}", token);
	const struct exchange exchange = {
	    "session", "POST", "/v1/session", body, want, .headers = {NO_KEY, from}};

	return exchange_expect(fixture, &exchange);
}

static guint
sessions_alone_status_of(const struct person *person)
{
	AUTO(answer) answer = person_ask(fixture, person, "GET", "/v1/emails", NULL);

	return answer->status;
}

/* Moves a time of the session into the past, as if so many seconds had gone by. */
static void
sessions_alone_go_by(const struct person *person, const char *time, guint seconds)
{
	g_autofree char *sql = g_strdup_printf("UPDATE session SET %s = %s - %u000"
					       " WHERE id = UNHEX(REPLACE('%s', '-', ''))",
	    time, time, seconds, person->session);

	test_db_plain(fixture->db, sql);
}

static void
expect_ended(const struct person *person)
{
	AUTO(answer) gone = person_expect(fixture, person, "GET", "/v1/session", NULL, 401);

	cr_expect_str_eq(answer_text(gone, "code"), "session_ended");
}

Test(sessions_alone, end_without_requests_and_in_all)
{
	ALONE_SET(fixture, "session.idle=7200", "session.longest=86400");
	AUTO(person) busy = person_open(fixture, "ann@example.com", NULL);
	AUTO(person) idle = person_open(fixture, "ann@example.com", NULL);

	for (guint i = 0; i < 3; i++) {
		sessions_alone_go_by(busy, "last_seen", 5000);
		cr_expect_eq(sessions_alone_status_of(busy), 200, "request %u", i);
	}
	sessions_alone_go_by(busy, "expires", 80000);
	cr_expect_eq(sessions_alone_status_of(busy), 200, "not yet");
	sessions_alone_go_by(busy, "expires", 6400);
	expect_ended(busy);
	/* last_seen is exact to a minute. */
	sessions_alone_go_by(idle, "last_seen", 7200 + 60);
	expect_ended(idle);
}

Test(sessions_alone, begin_with_links_that_are_not_too_old)
{
	ALONE_SET(fixture, "session.link=3");
	g_autofree char *good = person_link(fixture, "ann@example.com");
	answer_free(sessions_alone_use_link(good, NULL, 200));
	g_autofree char *old = person_link(fixture, "ann@example.com");
	test_db_plain(fixture->db,
	    "UPDATE sign_in SET expires = expires - 3000 WHERE workspace_id = @workspace");
	AUTO(answer) answer = sessions_alone_use_link(old, NULL, 403);
	cr_expect_str_eq(answer_text(answer, "code"), "link_invalid");
}

#define FROM(address) "X-Forwarded-For: " address

static void
sessions_alone_ask(const char *email, const char *from, guint want)
{
	g_autofree char *body = g_strdup_printf("{'email':'%s'}", email);
	const struct exchange exchange = {
	    email, "POST", "/v1/session/link", body, want, .headers = {NO_KEY, from}};

	answer_free(exchange_expect(fixture, &exchange));
}

Test(sessions_alone, limit_the_attempts_of_networks)
{
	ALONE_SET(fixture, "session.attempts=3", "service.trust_proxy=127.0.0.0/8");
	test_db_plain(fixture->db, "DELETE FROM sign_in_attempt");
	sessions_alone_ask("n1@example.net", FROM("192.0.2.1"), 202);
	sessions_alone_ask("n2@example.net", FROM("192.0.2.2"), 202);
	answer_free(sessions_alone_use_link("x", FROM("192.0.2.3"), 403));
	sessions_alone_ask("n3@example.net", FROM("192.0.2.255"), 429);
	answer_free(sessions_alone_use_link("x", FROM("192.0.2.4"), 429));
	/* A link that is good opens a session all the same. */
	g_autofree char *token = person_link(fixture, "ann@example.com");
	answer_free(sessions_alone_use_link(token, FROM("192.0.2.4"), 200));
	sessions_alone_ask("n3@example.net", FROM("192.0.3.1"), 202);
	sessions_alone_ask("n4@example.net", FROM("2001:db8::1"), 202);
	sessions_alone_ask("n5@example.net", FROM("2001:db8::2"), 202);
	sessions_alone_ask("n6@example.net", FROM("2001:db8:0:0:ffff::1"), 202);
	sessions_alone_ask("n7@example.net", FROM("2001:db8:0:0:1::1"), 429);
	sessions_alone_ask("n7@example.net", FROM("2001:db8:0:1::1"), 202);
	for (guint i = 0; i < 6; i++) {
		g_autofree char *email = g_strdup_printf("l%u@example.net", i);
		sessions_alone_ask(email, NULL, 202);
	}
	/* A network that is refused adds no row for each address. */
	gint64 rows = test_db_number(fixture->db, "SELECT COUNT(*) FROM sign_in_attempt");
	for (guint i = 0; i < 3; i++) {
		g_autofree char *email = g_strdup_printf("new%u@example.net", i);
		sessions_alone_ask(email, FROM("192.0.2.7"), 429);
	}
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM sign_in_attempt"), rows);
	/* An hour later all count anew. */
	test_db_plain(fixture->db, "UPDATE sign_in_attempt SET begun = begun - 3600000");
	sessions_alone_ask("n8@example.net", FROM("192.0.2.255"), 202);
}

/* The mail to an address that was caught. The caller owns it. */
static char *
caught(const char *email)
{
	return person_mail(fixture, email, "Sign in to Posthouse");
}

static void
sessions_alone_add_user(const char *email)
{
	g_free(TEST_RUN(
	    fixture->instance, "posthouse", "user", "add", email, "--workspace", fixture->name));
}

/* [service] sender needs no workspace; a domain that one of them has signs. */
Test(sessions_alone, are_begun_by_mail_of_the_service)
{
	ALONE_SET(fixture, "service.sender=Post Office <office@" FIXTURE_DOMAIN ">");
	sessions_alone_add_user("s1@example.net");
	sessions_alone_ask("s1@example.net", NULL, 202);
	g_autofree char *own = caught("s1@example.net");
	cr_expect(strstr(own, "From: Post Office <office@" FIXTURE_DOMAIN ">"), "%s", own);
	cr_expect(strstr(own, "DKIM-Signature:"), "%s", own);
	cr_expect(strstr(own, "@send." FIXTURE_DOMAIN), "%s", own);
	ALONE_SET(fixture, "service.sender=office@elsewhere.example");
	sessions_alone_add_user("s2@example.net");
	sessions_alone_ask("s2@example.net", NULL, 202);
	g_autofree char *foreign = caught("s2@example.net");
	cr_expect(strstr(foreign, "From: office@elsewhere.example"), "%s", foreign);
	cr_expect(!strstr(foreign, "DKIM-Signature:") && !strstr(foreign, "@send."), "%s", foreign);
}

/* Mail of the service that waits leaves after its domain is gone, and takes turns with a workspace
   that fills the queue. */
Test(sessions_alone, are_begun_by_mail_that_waits)
{
	ALONE_SET(fixture, "service.mode=spool", "service.sender=office@" FIXTURE_DOMAIN);
	sessions_alone_add_user("w1@example.net");
	sessions_alone_ask("w1@example.net", NULL, 202);
	g_autofree char *hidden = NULL;
	for (guint i = 0; !hidden && i < 6000; i++, g_usleep(10000))
		hidden = test_db_text(fixture->db,
		    "SELECT MAX(HEX(e.id)) FROM email e JOIN recipient r ON r.email_id = e.id"
		    " WHERE r.address = 'w1@example.net'");
	test_db_plain(fixture->db, "UPDATE email SET domain_id = REPEAT('x', 16)"
				   " WHERE workspace_id = 'posthouse-system'");
	alone_spool(fixture, 0);
	g_autofree char *mail = caught("w1@example.net");
	cr_expect(strstr(mail, "From: office@" FIXTURE_DOMAIN), "%s", mail);
	cr_expect(!strstr(mail, "DKIM-Signature:"), "%s", mail);
	cr_expect(!strstr(mail, "@send."), "%s", mail);
}

#define NEEDS_HTTPS "{'message':'Sign-in needs https','code':'https_required'}"

Test(sessions_alone, need_https_elsewhere)
{
	static const struct exchange cases[] = {
	    {"link", "POST", "/v1/session/link", "{'email':'a@b.example'}", 403, NEEDS_HTTPS,
		.headers = {NO_KEY}},
	    {"session", "POST", "/v1/session", "{'token':'x'}", 403, NEEDS_HTTPS,
		.headers = {NO_KEY}},
	    {"link, no JSON", "POST", "/v1/session/link", "{", 403, NEEDS_HTTPS,
		.headers = {NO_KEY}},
	    {"read", "GET", "/v1/session", NULL, 403, NEEDS_HTTPS, .headers = {NO_KEY}},
	    {"a key all the same", "GET", "/v1/emails", NULL, 200},
	};

	ALONE_SET(fixture, "service.url=http://mail.example.com");
	EXPECT_ALL(fixture, cases);
}

Test(sessions_alone, have_a_secure_cookie_under_https)
{
	ALONE_SET(fixture, "service.url=https://Mail.example.com:443/post");
	g_autofree char *token = person_link(fixture, "ann@example.com");
	AUTO(answer) answer =
	    sessions_alone_use_link(token, "Origin: https://mail.example.com", 200);
	g_autofree char *cookie = person_cookie(answer, "__Host-posthouse_session");
	g_autofree char *line = g_strdup_printf("Set-Cookie: __Host-posthouse_session=%s; Path=/; "
						"Secure; HttpOnly; SameSite=Lax\r\n",
	    cookie);
	g_autofree char *given = g_strconcat("Cookie: __Host-posthouse_session=", cookie, NULL);
	g_autofree char *plain = g_strconcat("Cookie: posthouse_session=", cookie, NULL);
	g_autofree char *csrf = g_strconcat("X-CSRF-Token: ", answer_text(answer, "csrf"), NULL);
	const struct exchange cases[] = {
	    {"with the prefix", "GET", "/v1/emails", NULL, 200, .headers = {NO_KEY, given}},
	    {"without", "GET", "/v1/emails", NULL, 401, .headers = {NO_KEY, plain}},
	    {"its origin", "POST", "/v1/audiences", "{'name':'x'}", 200,
		.headers = {NO_KEY, given, csrf, "Origin: https://mail.example.com"}},
	    {"with a path", "POST", "/v1/audiences", "{'name':'x'}", 403,
		.headers = {NO_KEY, given, csrf, "Origin: https://mail.example.com/post"}},
	    {"http", "POST", "/v1/audiences", "{'name':'x'}", 403,
		.headers = {NO_KEY, given, csrf, "Origin: http://mail.example.com"}},
	    {"browser", "POST", "/v1/session/link", "{'email':'q@example.net'}", 202,
		.headers = {NO_KEY}},
	};

	cr_expect(cookie && strstr(answer->head, line), "%s", answer->head);
	EXPECT_ALL(fixture, cases);
}

/* The audit is kept for [retention] audit days. */
Test(sessions_alone, are_in_an_audit_that_ends)
{
	const struct exchange make = {"make", "POST", "/v1/audiences", "{'name':'A'}", 200};
	const struct exchange list = {
	    "audit", "GET", "/v1/audit?action=audience.created", NULL, 200};

	ALONE_SET(fixture, "retention.audit=2");
	answer_free(exchange_expect(fixture, &make));
	alone_spool(fixture, (gint64)47 * 60 * 60 * 1000);
	AUTO(answer) kept = exchange_expect(fixture, &list);
	cr_expect_eq(json_integer(answer_at(kept, "count")), 1);
	alone_spool(fixture, (gint64)49 * 60 * 60 * 1000);
	AUTO(answer) gone = exchange_expect(fixture, &list);
	cr_expect_eq(json_integer(answer_at(gone, "count")), 0);
}

/* Waits for a line of the log. */
static bool
has_line(const char *path, const char *pattern)
{
	for (guint i = 0; i < 6000; i++, g_usleep(20000)) {
		g_autofree char *text = NULL;

		if (g_file_get_contents(path, &text, NULL, NULL) &&
		    g_regex_match_simple(pattern, text, G_REGEX_MULTILINE, 0))
			return true;
	}
	return false;
}

#define ID "[0-9a-f-]{36}"

Test(sessions_alone, are_in_the_log_without_their_secrets)
{
	g_autofree char *path =
	    g_strdup_printf("%s/%s-sessions.log", fixture->instance->dir, fixture->name);
	g_autofree char *to = g_strconcat("log.to=", path, NULL), *text = NULL;

	ALONE_SET(fixture, to);
	AUTO(person) ann = person_open(fixture, "ann@example.com", NULL);
	cr_expect_eq(sessions_alone_status_of(ann), 200);
	answer_free(sessions_alone_use_link("secretsecret", NULL, 403));
	sessions_alone_ask("unknown@example.net", NULL, 202);
	cr_expect(has_line(path, "level=info .*event=sign-in request_id=\\S+ user=" ID
				 " result=signed_in address=127\\.0\\.0\\.1$"));
	cr_expect(has_line(path, "level=warning .*event=sign-in request_id=\\S+ "
				 "result=link_invalid address=127\\.0\\.0\\.1$"));
	cr_expect(has_line(path, "level=warning .*event=sign-in request_id=\\S+ result=unknown "
				 "address=127\\.0\\.0\\.1$"));
	g_autofree char *request = g_strdup_printf(
	    "event=request .*route=/v1/emails .*session=%s workspace=" ID, ann->session);
	cr_expect(has_line(path, request));
	cr_assert(g_file_get_contents(path, &text, NULL, NULL));
	cr_expect(!strstr(text, ann->token) && !strstr(text, "unknown@") &&
		  !strstr(text, "secretsecret") && !strstr(text, "key="));
}

/* The hint at an address is what [log] addresses allows. */
Test(sessions_alone, leave_no_address_in_the_audit)
{
	ALONE_SET(fixture, "log.addresses=none");
	static const struct exchange exchanges[] = {
	    {"add", "POST", "/v1/suppressions", "{'email':'ada@example.org'}", 200},
	    {"seen", "GET", "/v1/audit", NULL, 200,
		.want = {"audit[0].action = 'suppression.created'", "audit[0].target.name = null"}},
	};

	EXPECT_ALL(fixture, exchanges);
}
