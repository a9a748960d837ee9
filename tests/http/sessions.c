/* SPDX-License-Identifier: MIT */
/* Signing in by mail, sessions, their cookies and what protects them. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/email.h"
#include "tests/http/fixture.h"
#include "tests/http/person.h"
#include "tests/support/db.h"

FIXTURE_SUITE(sessions, 900);

#define ANSWERED "{'message':'If this address is known, a link is on its way'}"
#define SESSION_ENDED "{'message':'Session has ended','code':'session_ended'}"
#define NO_KEY "Authorization:"

/* An address of this test alone: attempts are counted for each address. */
static char *
sessions_own_address(void)
{
	return g_strdup_printf("u%s@example.net", fixture->name);
}

static void
sessions_give_sender(void)
{
	g_free(TEST_RUN(fixture->instance, "posthouse", "workspace", "sender",
	    "Desk <desk@" FIXTURE_DOMAIN ">", "--workspace", fixture->name));
}

static struct answer *
sessions_ask_link(const char *email, const char *cookie, guint want)
{
	g_autofree char *body = g_strdup_printf("{'email':'%s'}", email);
	const struct exchange exchange = {"link", "POST", "/v1/session/link", body, want,
	    want == 202 ? ANSWERED : NULL, .headers = {NO_KEY, cookie}};

	return exchange_expect(fixture, &exchange);
}

static struct answer *
sessions_use_link(const char *token, const char *cookie, guint want, const char *code)
{
	g_autofree char *body = g_strdup_printf("{'token':'%s'}", token);
	const struct exchange exchange = {
	    "session", "POST", "/v1/session", body, want, .headers = {NO_KEY, cookie}};
	struct answer *answer = exchange_expect(fixture, &exchange);

	if (code)
		cr_expect_str_eq(answer_text(answer, "code"), code);
	return answer;
}

Test(sessions, begin_with_a_link_that_comes_by_mail)
{
	g_autofree char *email = sessions_own_address();

	sessions_give_sender();
	g_free(TEST_RUN(fixture->instance, "posthouse", "user", "add", email, "--first-name", "Ada",
	    "--role", "viewer", "--workspace", fixture->name));
	AUTO(answer) asked = sessions_ask_link(email, NULL, 202);
	g_autofree char *browser = person_cookie(asked, "posthouse_browser");
	cr_assert(browser && strlen(browser) == 43);
	cr_expect(strstr(asked->head, "; Path=/; Max-Age=900; HttpOnly; SameSite=Lax\r\n"));
	g_autofree char *cookie = g_strconcat("Cookie: a=b; posthouse_browser=", browser, NULL);
	g_autofree char *token = person_mailed(fixture, email, NULL);

	answer_free(sessions_use_link(token, NULL, 403, "link_browser"));
	answer_free(sessions_use_link(token,
	    "Cookie: posthouse_browser=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", 403,
	    "link_browser"));
	AUTO(answer) answer = sessions_use_link(token, cookie, 200, NULL);
	cr_expect_str_eq(answer_text(answer, "user.email"), email);
	cr_expect_str_eq(answer_text(answer, "user.first_name"), "Ada");
	cr_expect_null(answer_at(answer, "user.last_name"));
	cr_expect_str_eq(answer_text(answer, "workspace.name"), fixture->name);
	cr_expect_str_eq(answer_text(answer, "role"), "viewer");
	cr_expect_str_eq(answer_text(answer, "workspaces[0].role"), "viewer");
	cr_expect(strstr(answer->head, "; Path=/; HttpOnly; SameSite=Lax\r\n"), "%s", answer->head);
	cr_expect_null(strstr(answer->head, "Max-Age"));
	g_autofree char *set = person_cookie(answer, "posthouse_session");
	cr_expect(set && strlen(set) == 43);
	answer_free(sessions_use_link(token, cookie, 403, "link_invalid"));
}

/* The same browser may ask twice, and use either link. Other tokens open nothing. */
Test(sessions, take_each_link_of_a_browser_and_no_other)
{
	g_autofree char *email = sessions_own_address();
	char *known[] = {NULL, NULL};

	sessions_give_sender();
	g_free(TEST_RUN(
	    fixture->instance, "posthouse", "user", "add", email, "--workspace", fixture->name));
	AUTO(answer) first = sessions_ask_link(email, NULL, 202);
	g_autofree char *browser = person_cookie(first, "posthouse_browser");
	g_autofree char *cookie = g_strconcat("Cookie: posthouse_browser=", browser, NULL);
	g_autofree char *one = known[0] = person_mailed(fixture, email, NULL);
	AUTO(answer) second = sessions_ask_link(email, cookie, 202);
	g_autofree char *again = person_cookie(second, "posthouse_browser");
	cr_expect_str_eq(again, browser);
	g_autofree char *two = person_mailed(fixture, email, known);

	answer_free(sessions_use_link(one, cookie, 200, NULL));
	answer_free(sessions_use_link(two, cookie, 200, NULL));
	g_autofree char *hidden = g_ascii_strdown(two, -1);
	const char *const wrong[] = {
	    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "x", hidden, "' OR 1=1 -- "};
	for (gsize i = 0; i < 2; i++)
		answer_free(sessions_use_link(wrong[i], cookie, 403, "link_invalid"));
}

/* The mail is nowhere in the workspace from whose sender it comes, and there is none for others
   than those who are known. */
Test(sessions, keep_the_link_to_its_recipient)
{
	g_autofree char *email = sessions_own_address();
	const struct exchange cases[] = {
	    {"no address", "POST", "/v1/session/link", "{'email':'ada'}", 400},
	    {"empty", "POST", "/v1/session/link", "{'email':''}", 400},
	    {"a number", "POST", "/v1/session/link", "{'email':1}", 400,
		"{'message':'email must be a string'}"},
	    {"misspelled", "POST", "/v1/session/link", "{'emial':'a@b.example'}", 400},
	    {"two lines", "POST", "/v1/session/link", "{'email':'a@b.example\\r\\nBcc: c@d.e'}",
		400},
	    {"another origin", "POST", "/v1/session/link", "{'email':'a@b.example'}", 403,
		.want = {"code = 'csrf'"}, .headers = {"Origin: http://evil.example"}},
	    {"null origin", "POST", "/v1/session/link", "{'email':'a@b.example'}", 403,
		.want = {"code = 'csrf'"}, .headers = {"Origin: null"}},
	    {"another origin", "POST", "/v1/session", "{'token':'x'}", 403,
		.want = {"code = 'csrf'"}, .headers = {"Origin: http://evil.example"}},
	    {"another origin, no JSON", "POST", "/v1/session/link", "{", 403,
		.want = {"code = 'csrf'"}, .headers = {"Origin: http://evil.example"}},
	    {"another origin, misspelled", "POST", "/v1/session", "{'tokn':'x'}", 403,
		.want = {"code = 'csrf'"}, .headers = {"Origin: http://evil.example"}},
	};

	EXPECT_ALL(fixture, cases);
	sessions_give_sender();
	g_autofree char *nobody = g_strconcat("no", email, NULL);
	AUTO(answer) unknown = sessions_ask_link(nobody, NULL, 202);
	g_autofree char *browser = person_cookie(unknown, "posthouse_browser");
	cr_expect(browser != NULL);
	g_free(TEST_RUN(
	    fixture->instance, "posthouse", "user", "add", email, "--workspace", fixture->name));
	answer_free(sessions_ask_link(email, NULL, 202));
	g_free(person_mailed(fixture, email, NULL));
	g_autofree char *sql = g_strdup_printf(
	    "SELECT LOWER(HEX(email_id)) FROM recipient WHERE address = '%s'", email);
	g_autofree char *hex = test_db_text(fixture->db, sql);
	g_autofree char *path = g_strdup_printf(
	    "/v1/emails/%.8s-%.4s-%.4s-%.4s-%s", hex, hex + 8, hex + 12, hex + 16, hex + 20);
	g_autofree char *waiting = g_strconcat("/resend", path + strlen("/v1"), NULL);
	const struct exchange nowhere[] = {
	    {"list", "GET", "/v1/emails", NULL, 200, .want = {"count = 0"}},
	    {"list under /resend", "GET", "/resend/emails", NULL, 200, .want = {"data = []"}},
	    {"one", "GET", path, NULL, 404},
	    {"one under /resend", "GET", waiting, NULL, 404},
	    {"figures", "GET", "/v1/stats", NULL, 200, .want = {"stats = []"}},
	    {"waiting", "GET", "/v1/waiting", NULL, 200, .want = {"messages = 0"}},
	};
	EXPECT_ALL(fixture, nowhere);
}

Test(sessions, serve_where_keys_do)
{
	AUTO(person) ann = person_open(fixture, "ann@example.com", NULL);
	const char *key = "Authorization: Bearer x";
	g_autofree char *twice =
	    g_strdup_printf("%s; posthouse_session=%s", ann->cookie, ann->token);
	g_autofree char *longer = g_strconcat(ann->cookie, "A", NULL);
	g_autofree char *origin = g_strconcat(ann->origin, ".evil.example", NULL);
	const struct exchange cases[] = {
	    {"GET", "GET", "/v1/emails", NULL, 200, .headers = {NO_KEY, ann->cookie}},
	    {"HEAD", "HEAD", "/v1/emails", NULL, 200, .headers = {NO_KEY, ann->cookie}},
	    {"resend", "GET", "/resend/emails", NULL, 200, .headers = {NO_KEY, ann->cookie}},
	    {"a key wins", "GET", "/v1/emails", NULL, 403, .headers = {key, ann->cookie}},
	    {"metrics", "GET", "/metrics", NULL, 401, .want = {"code = 'api_key_missing'"},
		.headers = {NO_KEY, ann->cookie}},
	    {"no token", "POST", "/v1/audiences", "{'name':'a'}", 403, .want = {"code = 'csrf'"},
		.headers = {NO_KEY, ann->cookie, ann->origin}},
	    {"wrong token", "POST", "/v1/audiences", "{'name':'a'}", 403, .want = {"code = 'csrf'"},
		.headers = {NO_KEY, ann->cookie, ann->origin,
		    "X-CSRF-Token: AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}},
	    {"no origin", "POST", "/v1/audiences", "{'name':'a'}", 403, .want = {"code = 'csrf'"},
		.headers = {NO_KEY, ann->cookie, ann->csrf}},
	    {"another origin", "POST", "/v1/audiences", "{'name':'a'}", 403,
		.want = {"code = 'csrf'"}, .headers = {NO_KEY, ann->cookie, ann->csrf, origin}},
	    {"all", "POST", "/v1/audiences", "{'name':'a'}", 200,
		.headers = {NO_KEY, ann->cookie, ann->csrf, ann->origin}},
	    {"an email", "POST", "/v1/emails", EMAIL, 201,
		.headers = {NO_KEY, ann->cookie, ann->csrf, ann->origin}},
	    {"a workflow", "POST", "/v1/workflows", "{'name':'w','design':{'nodes':[],'edges':[]}}",
		200, .want = {"created_by = 'ann@example.com'", "created_by_type = 'user'"},
		.headers = {NO_KEY, ann->cookie, ann->csrf, ann->origin}},
	    {"a cookie twice", "GET", "/v1/emails", NULL, 401, SESSION_ENDED,
		.headers = {NO_KEY, twice}},
	    {"a longer cookie", "GET", "/v1/emails", NULL, 401, SESSION_ENDED,
		.headers = {NO_KEY, longer},
		.want_header = {"Set-Cookie: posthouse_session=; Path=/; Max-Age=0; HttpOnly; "
				"SameSite=Lax"}},
	    {"an unknown cookie", "GET", "/v1/emails", NULL, 401, SESSION_ENDED,
		.headers = {NO_KEY,
		    "Cookie: posthouse_session=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}},
	    {"an empty cookie", "GET", "/v1/emails", NULL, 401, SESSION_ENDED,
		.headers = {NO_KEY, "Cookie: posthouse_session="}},
	    {"another cookie", "GET", "/v1/emails", NULL, 401, .want = {"code = 'api_key_missing'"},
		.headers = {NO_KEY, "Cookie: xposthouse_session=y; b"}},
	    {"a key has none", "GET", "/v1/session", NULL, 403,
		.want = {"code = 'session_required'"}},
	    {"nor sessions", "GET", "/v1/sessions", NULL, 403,
		.want = {"code = 'session_required'"}},
	    {"nor signs out", "DELETE", "/v1/session", NULL, 403,
		.want = {"code = 'session_required'"}},
	};

	EXPECT_ALL(fixture, cases);
}

Test(sessions, are_listed_and_ended_by_their_person)
{
	AUTO(person) ann = person_open(fixture, "ann@example.com", NULL);
	AUTO(person) other = person_open(fixture, "ann@example.com", NULL);
	AUTO(person) bob = person_open(fixture, "bob@example.com", "viewer");
	AUTO(answer) list = person_expect(fixture, ann, "GET", "/v1/sessions", NULL, 200);
	g_autofree char *path = g_strconcat("/v1/sessions/", other->session, NULL);
	g_autofree char *own = g_strconcat("/v1/sessions/", bob->session, NULL);

	/* The same address has sessions of other tests, too. */
	cr_expect_geq(json_integer(answer_at(list, "count")), 2);
	cr_expect(strstr(list->body, "\"current\":true"));
	cr_expect(strstr(list->body, "\"address\":\"127.0.0.1\""));
	cr_expect_null(strstr(list->body, bob->session));
	AUTO(answer) foreign = person_expect(fixture, bob, "DELETE", path, NULL, 404);
	cr_expect_str_eq(answer_text(foreign, "message"), "Session not found");
	AUTO(answer) ended = person_expect(fixture, ann, "DELETE", path, NULL, 200);
	cr_expect_str_eq(answer_text(ended, "message"), "Session ended");
	answer_free(person_expect(fixture, other, "GET", "/v1/session", NULL, 401));
	answer_free(person_expect(fixture, ann, "DELETE", path, NULL, 404));
	answer_free(person_expect(fixture, bob, "DELETE", own, NULL, 200));
	answer_free(person_expect(fixture, bob, "GET", "/v1/session", NULL, 401));
	AUTO(answer) out = person_expect(fixture, ann, "DELETE", "/v1/session", NULL, 200);
	cr_expect_str_eq(answer_text(out, "message"), "Signed out");
	g_autofree char *cleared = person_cookie(out, "posthouse_session");
	cr_expect_str_eq(cleared, "");
	answer_free(person_expect(fixture, ann, "GET", "/v1/emails", NULL, 401));
}

Test(sessions, go_into_another_workspace_of_their_person)
{
	AUTO(fixture) elsewhere = fixture_open();
	g_autofree char *email = sessions_own_address();
	char id[ID_TEXT_SIZE];

	g_free(TEST_RUN(fixture->instance, "posthouse", "user", "add", email, "--role", "viewer",
	    "--workspace", elsewhere->name));
	AUTO(person) ada = person_open(fixture, email, "member");
	g_autofree char *body =
	    g_strdup_printf("{'workspace_id':'%s'}", base_id_format(&elsewhere->id, id));
	AUTO(answer) moved = person_expect(fixture, ada, "PATCH", "/v1/session", body, 200);
	cr_expect_str_eq(answer_text(moved, "workspace.name"), elsewhere->name);
	cr_expect_str_eq(answer_text(moved, "role"), "viewer");
	cr_expect_str_eq(answer_text(moved, "workspaces[0].name"), elsewhere->name);
	cr_expect_str_eq(answer_text(moved, "workspaces[1].name"), fixture->name);
	answer_free(person_expect(fixture, ada, "POST", "/v1/audiences", "{'name':'a'}", 403));
	AUTO(fixture) foreign = fixture_open();
	g_autofree char *wrong =
	    g_strdup_printf("{'workspace_id':'%s'}", base_id_format(&foreign->id, id));
	AUTO(answer) refused = person_expect(fixture, ada, "PATCH", "/v1/session", wrong, 404);
	cr_expect_str_eq(answer_text(refused, "message"), "Workspace not found");
	answer_free(
	    person_expect(fixture, ada, "PATCH", "/v1/session", "{'workspace_id':'x'}", 404));
	/* Removed there, the session that is there ends. */
	g_free(TEST_RUN(fixture->instance, "posthouse", "user", "remove", email, "--workspace",
	    elsewhere->name));
	AUTO(answer) gone = person_expect(fixture, ada, "GET", "/v1/session", NULL, 401);
	cr_expect_str_eq(answer_text(gone, "code"), "session_ended");
}

/* Each request names its workspace: tabs of several work side by side. */
Test(sessions, answer_for_the_workspace_that_the_request_names)
{
	AUTO(fixture) elsewhere = fixture_open();
	AUTO(fixture) foreign = fixture_open();
	g_autofree char *email = sessions_own_address();
	char text[ID_TEXT_SIZE];

	g_free(TEST_RUN(fixture->instance, "posthouse", "user", "add", email, "--role", "viewer",
	    "--workspace", elsewhere->name));
	AUTO(person) ada = person_open(fixture, email, "member");
	g_autofree char *here =
	    g_strdup_printf("X-Posthouse-Workspace: %s", base_id_format(&fixture->id, text));
	g_autofree char *there =
	    g_strdup_printf("X-Posthouse-Workspace: %s", base_id_format(&elsewhere->id, text));
	g_autofree char *move = g_strdup_printf("{'workspace_id':'%s'}", text);
	g_autofree char *not_theirs =
	    g_strdup_printf("X-Posthouse-Workspace: %s", base_id_format(&foreign->id, text));
	g_autofree char *is_there = g_strdup_printf("workspace.name = '%s'", elsewhere->name);
	g_autofree char *is_here = g_strdup_printf("workspace.name = '%s'", fixture->name);
	static const char *const bad[] = {"X-Posthouse-Workspace: x",
	    "X-Posthouse-Workspace: 01994f3e-7b6a-7c1d-9c43-4d0f6f2f8a1"};
	const struct exchange cases[] = {
	    {"the last one chosen", "GET", "/v1/session", NULL, 200, .want = {is_here},
		.headers = {NO_KEY, ada->cookie}},
	    {"there", "GET", "/v1/session", NULL, 200, .want = {is_there, "role = 'viewer'"},
		.headers = {NO_KEY, ada->cookie, there}},
	    {"not made there", "POST", "/v1/audiences", "{'name':'a'}", 403,
		.want = {"code = 'role_forbidden'"},
		.headers = {NO_KEY, ada->cookie, ada->csrf, ada->origin, there}},
	    {"made here", "POST", "/v1/audiences", "{'name':'a'}", 200,
		.headers = {NO_KEY, ada->cookie, ada->csrf, ada->origin, here}},
	    {"not seen there", "GET", "/v1/audiences", NULL, 200, .want = {"count = 0"},
		.headers = {NO_KEY, ada->cookie, there}},
	    {"under /resend", "GET", "/resend/audiences", NULL, 200, .want = {"data = []"},
		.headers = {NO_KEY, ada->cookie, there}},
	    {"another tab moves", "PATCH", "/v1/session", move, 200, .want = {is_there},
		.headers = {NO_KEY, ada->cookie, ada->csrf, ada->origin}},
	    {"this one stays", "GET", "/v1/session", NULL, 200,
		.want = {is_here, "role = 'member'"}, .headers = {NO_KEY, ada->cookie, here}},
	    {"without the header", "GET", "/v1/session", NULL, 200, .want = {is_there},
		.headers = {NO_KEY, ada->cookie}},
	    {"of others", "GET", "/v1/audiences", NULL, 403,
		"{'message':'You are not in this workspace','code':'workspace_forbidden'}",
		.headers = {NO_KEY, ada->cookie, not_theirs}},
	    {"unknown", "GET", "/v1/audiences", NULL, 403, .want = {"code = 'workspace_forbidden'"},
		.headers = {NO_KEY, ada->cookie,
		    "X-Posthouse-Workspace: 01994f3e-7b6a-7c1d-9c43-4d0f6f2f8a11"}},
	    {"no session", "GET", "/v1/audiences", NULL, 401, SESSION_ENDED,
		.headers = {NO_KEY,
		    "Cookie: posthouse_session=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", here}},
	    {"a key has its own", "GET", "/v1/audiences", NULL, 200, .headers = {not_theirs}},
	};

	EXPECT_ALL(fixture, cases);
	for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
		const struct exchange exchange = {bad[i], "GET", "/v1/audiences", NULL, 400,
		    "{'message':'X-Posthouse-Workspace must be the id of a workspace'}",
		    .headers = {NO_KEY, ada->cookie, bad[i]}};

		answer_free(exchange_expect(fixture, &exchange));
	}
	/* Removed there, the session goes on here. */
	g_autofree char *back =
	    g_strdup_printf("{'workspace_id':'%s'}", base_id_format(&fixture->id, text));
	answer_free(person_expect(fixture, ada, "PATCH", "/v1/session", back, 200));
	g_free(TEST_RUN(fixture->instance, "posthouse", "user", "remove", email, "--workspace",
	    elsewhere->name));
	const struct exchange gone = {"removed there", "GET", "/v1/session", NULL, 403,
	    .want = {"code = 'workspace_forbidden'"}, .headers = {NO_KEY, ada->cookie, there}};
	answer_free(exchange_expect(fixture, &gone));
	answer_free(person_expect(fixture, ada, "GET", "/v1/session", NULL, 200));
}

/* One alone of many uses of a link at once opens a session. */
Test(sessions, begin_once_for_each_link)
{
	g_autofree char *token = person_link(fixture, "ann@example.com");
	g_autofree char *script = g_strdup_printf(
	    "for i in 1 2 3 4 5 6 7 8; do curl -q --noproxy '*' -s -o /dev/null"
	    " -w '%%{http_code}\\n' '%s/v1/session' -d '{\"token\":\"%s\"}' & done; wait",
	    fixture->instance->url, token);
	const char *argv[] = {"sh", "-c", script, NULL};
	g_autofree char *output = NULL;

	cr_assert(g_spawn_sync(
	    NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &output, NULL, NULL, NULL));
	g_auto(GStrv) lines = g_strsplit(output, "\n", -1);
	guint good = 0, refused = 0;
	for (char **line = lines; *line; line++) {
		good += strcmp(*line, "200") == 0;
		refused += strcmp(*line, "403") == 0;
	}
	cr_expect(good == 1 && refused == 7, "%s", output);
}

/* Acts as if so many seconds had gone by since the last attempt of any address. */
static void
sessions_go_by(guint seconds)
{
	g_autofree char *sql =
	    g_strdup_printf("UPDATE sign_in_attempt SET last = last - %u000", seconds);

	test_db_plain(fixture->db, sql);
}

/* The limit is 10 an hour; bad addresses do not count. From then on an address is slowed, and not
   locked out. */
Test(sessions, slow_an_address_that_asks_often)
{
	g_autofree char *email = sessions_own_address();
	g_autofree char *upper = g_ascii_strup(email, -1);

	for (guint i = 0; i < 12; i++)
		answer_free(sessions_ask_link("ada", NULL, 400));
	for (guint i = 0; i < 10; i++)
		answer_free(sessions_ask_link(i % 2 ? email : upper, NULL, 202));
	AUTO(answer) answer = sessions_ask_link(email, NULL, 429);
	g_autofree char *after = answer_header(answer, "Retry-After");
	cr_assert(after);
	cr_expect(atoi(after) > 50 && atoi(after) <= 60, "%s", after);
	cr_expect(
	    g_str_has_prefix(answer_text(answer, "message"), "Too many attempts to sign in."));
	cr_expect_null(strstr(answer->head, "posthouse_browser"));
	static const guint gaps[] = {60, 120, 240, 300, 300};
	for (gsize i = 0; i < G_N_ELEMENTS(gaps); i++) {
		sessions_go_by(gaps[i] - 10);
		answer_free(sessions_ask_link(email, NULL, 429));
		sessions_go_by(10);
		answer_free(sessions_ask_link(email, NULL, 202));
		answer_free(sessions_ask_link(email, NULL, 429));
	}
}

/* Somebody asks for links for the address until it is slowed. The owner's browser has signed in
   with it before; others have not, or with another address. */
Test(sessions, always_send_a_link_to_a_browser_that_had_one)
{
	g_autofree char *email = sessions_own_address();
	g_autofree char *other = g_strconcat("x", email, NULL);

	sessions_give_sender();
	g_free(TEST_RUN(
	    fixture->instance, "posthouse", "user", "add", email, "--workspace", fixture->name));
	g_autofree char *token = person_link(fixture, email);
	AUTO(answer) session = sessions_use_link(token, NULL, 200, NULL);
	g_autofree char *proof = person_cookie(session, "posthouse_known");
	cr_assert(proof && strlen(proof) == 43);
	cr_expect(g_regex_match_simple("posthouse_known=[^;]*; Path=/; Expires=[A-Z][a-z]{2}, "
				       "\\d{2} [A-Z][a-z]{2} \\d{4} [0-9:]{8} GMT; HttpOnly; "
				       "SameSite=Lax\r\n",
	    session->head, 0, 0));
	g_autofree char *known = g_strconcat("Cookie: posthouse_known=", proof, NULL);
	for (guint i = 0; i < 10; i++) {
		answer_free(sessions_ask_link(email, NULL, 202));
		answer_free(sessions_ask_link(other, NULL, 202));
	}
	answer_free(sessions_ask_link(email, NULL, 429));
	answer_free(sessions_ask_link(
	    email, "Cookie: posthouse_known=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", 429));
	answer_free(sessions_ask_link(other, known, 429));
	for (guint i = 0; i < 3; i++)
		answer_free(sessions_ask_link(email, known, 202));
}

/* A body that needs no key is small, and is refused before it is read to its end. */
Test(sessions, begin_with_small_bodies)
{
	static const char *const paths[] = {"/v1/session", "/v1/session/link"};
	static const char message[] = "{'message':'The request body is larger than 4096 bytes'}";
	static const gsize sizes[] = {4096, 4097, 64 * 1024, 40 * 1024 * 1024};

	for (gsize p = 0; p < G_N_ELEMENTS(paths); p++)
		for (gsize i = 0; i < 2 * G_N_ELEMENTS(sizes); i++) {
			gsize size = sizes[i / 2];
			g_autoptr(GBytes) bytes = g_bytes_new_take(g_strnfill(size, ' '), size);
			const struct exchange exchange = {paths[p], "POST", paths[p], NULL,
			    size > 4096 ? 413 : 400, size > 4096 ? message : NULL,
			    .headers = {NO_KEY}, .bytes = bytes, .chunked = i % 2};

			answer_free(exchange_expect(fixture, &exchange));
		}
}
