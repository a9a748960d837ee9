/* SPDX-License-Identifier: MIT */
/* Signs people in, for tests. */
#include "tests/http/person.h"

#include <criterion/criterion.h>
#include <string.h>

#include "config/settings.h"
#include "tests/http/fixture.h"

#define WAIT_MS 120000
#define TOKEN "#([A-Za-z0-9_-]{43})"

/* The first group of a pattern in a text; NULL where it does not match. The caller owns it. */
static char *
group(const char *pattern, const char *text)
{
	g_autoptr(GRegex) regex = g_regex_new(pattern, G_REGEX_MULTILINE, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;

	return g_regex_match(regex, text, 0, &match) ? g_match_info_fetch(match, 1) : NULL;
}

char *
person_link(const struct fixture *fixture, const char *email)
{
	g_autofree char *url = TEST_RUN(fixture->instance, "posthouse", "user", "link", email,
	    "--workspace", fixture->name, "--json");
	char *token = group(TOKEN, url);

	cr_assert(token, "no token in %s", url);
	return token;
}

char *
person_cookie(const struct answer *answer, const char *name)
{
	g_autofree char *pattern = g_strdup_printf("^Set-Cookie: %s=([^;]*);", name);

	return group(pattern, answer->head);
}

static char *
cookie_of(const struct answer *answer)
{
	char *plain = person_cookie(answer, "posthouse_session");

	return plain ? plain : person_cookie(answer, "__Host-posthouse_session");
}

struct person *
person_open(const struct fixture *fixture, const char *email, const char *role)
{
	struct person *person = g_new0(struct person, 1);

	if (role)
		g_free(TEST_RUN(fixture->instance, "posthouse", "user", "add", email, "--role",
		    role, "--workspace", fixture->name));
	g_autofree char *token = person_link(fixture, email);
	g_autofree char *body = g_strdup_printf("{'token':'%s'}", token);
	const struct exchange exchange = {
	    "sign in", "POST", "/v1/session", body, 200, .headers = {"Authorization:"}};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	bool is_host = strstr(answer->head, "__Host-") != NULL;
	person->token = cookie_of(answer);
	person->cookie = g_strdup_printf(
	    "Cookie: %sposthouse_session=%s", is_host ? "__Host-" : "", person->token);
	person->csrf = g_strconcat("X-CSRF-Token: ", answer_text(answer, "csrf"), NULL);
	person->origin = g_strconcat(
	    "Origin: ", config_settings_text(fixture->settings, SETTING_SERVICE_URL), NULL);
	person->id = g_strdup(answer_text(answer, "user.id"));
	person->session = g_strdup(answer_text(answer, "id"));
	return person;
}

void
person_free(struct person *person)
{
	g_free(person->cookie);
	g_free(person->csrf);
	g_free(person->origin);
	g_free(person->id);
	g_free(person->session);
	g_free(person->token);
	g_free(person);
}

struct answer *
person_ask(const struct fixture *fixture, const struct person *person, const char *method,
    const char *path, const char *body)
{
	const struct exchange exchange = {path, method, path, body,
	    .headers = {"Authorization:", person->cookie, person->csrf, person->origin}};

	return exchange_ask(fixture, &exchange);
}

struct answer *
person_expect(const struct fixture *fixture, const struct person *person, const char *method,
    const char *path, const char *body, guint want)
{
	struct answer *answer = person_ask(fixture, person, method, path, body);

	cr_expect_eq(answer->status, want, "%s %s: got %u, want %u: %s", method, path,
	    answer->status, want, answer->body);
	return answer;
}

/* The whole message in a file if it is a mail with this subject to the address. The caller owns it.
 */
static char *
person_message_of(const char *path, const char *email, const char *subject)
{
	g_autofree char *text = NULL;
	g_autofree char *to = g_strdup_printf("\nTo: %s\r?\n", email);
	g_autofree char *escaped = g_regex_escape_string(subject, -1);
	g_auto(GStrv) words = g_strsplit(escaped, " ", -1);
	g_autofree char *folded = g_strjoinv("(?:\r?\n)? ", words); /* where it is long */
	g_autofree char *line = g_strconcat("\nSubject: ", folded, NULL);

	if (!g_file_get_contents(path, &text, NULL, NULL) ||
	    !g_regex_match_simple(line, text, 0, 0) || !g_regex_match_simple(to, text, 0, 0))
		return NULL;
	return g_steal_pointer(&text);
}

/* A mail that was caught, whose first link has a token that is not among known. */
static char *
person_look(const char *folder, const char *email, const char *subject, char *const *known)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);
		char *text = person_message_of(path, email, subject);
		g_autofree char *token = text ? group(TOKEN, text) : NULL;

		if (text &&
		    (!known || !token || !g_strv_contains((const char *const *)known, token)))
			return text;
		g_free(text);
	}
	return NULL;
}

static char *
person_wait_for(
    const struct fixture *fixture, const char *email, const char *subject, char *const *known)
{
	g_autofree char *folder = g_build_filename(fixture->instance->maildir, "new", NULL);
	char *text = NULL;

	for (gint64 end = g_get_monotonic_time() / 1000 + WAIT_MS;
	     !text && g_get_monotonic_time() / 1000 < end; g_usleep(10000))
		text = person_look(folder, email, subject, known);
	cr_assert(text, "no mail \"%s\" to %s", subject, email);
	return text;
}

char *
person_mail(const struct fixture *fixture, const char *email, const char *subject)
{
	return person_wait_for(fixture, email, subject, NULL);
}

char *
person_mailed(const struct fixture *fixture, const char *email, char *const *known)
{
	g_autofree char *text = person_wait_for(fixture, email, "Sign in to Posthouse", known);
	char *token = group(TOKEN, text);

	cr_assert(token, "no link in %s", text);
	return token;
}
