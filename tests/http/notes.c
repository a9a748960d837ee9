/* SPDX-License-Identifier: MIT */
/* Notes of a user: drafts of what is not saved, and filters of lists. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/edit.h"
#include "tests/http/fixture.h"
#include "tests/http/person.h"
#include "tests/support/db.h"

FIXTURE_SUITE(notes, 900);

#define PATH "/v1/session/notes"
#define MISSING "Note not found"

static void
notes_expect(const struct person *person, const char *method, const char *path, const char *body,
    guint want, const char *message)
{
	AUTO(answer) answer = person_expect(fixture, person, method, path, body, want);

	if (message)
		cr_expect_str_eq(answer_text(answer, "message"), message, "%s %s", method, path);
}

Test(notes, are_kept_for_one_user)
{
	AUTO(person) ann = person_open(fixture, "ann@example.com", NULL);
	AUTO(person) vera = person_open(fixture, "vera@example.com", "viewer");
	AUTO(answer) made = person_expect(
	    fixture, ann, "PUT", PATH "/template/welcome", "{'data':{'html':'<p>'}}", 200);

	cr_expect_str_eq(answer_text(made, "kind"), "template");
	cr_expect_str_eq(answer_text(made, "id"), "welcome");
	cr_expect_str_eq(answer_text(made, "data.html"), "<p>");
	notes_expect(ann, "PUT", PATH "/template/welcome", "{'data':{'html':'<b>'}}", 200, NULL);
	AUTO(answer) read = person_expect(fixture, ann, "GET", PATH "/template/welcome", NULL, 200);
	cr_expect_str_eq(answer_text(read, "data.html"), "<b>");
	notes_expect(ann, "PUT", PATH "/filters/people", "{'data':{'filters':[]}}", 200, NULL);
	AUTO(answer) list = person_expect(fixture, ann, "GET", PATH, NULL, 200);
	cr_expect_eq(json_integer(answer_at(list, "count")), 2);
	cr_expect_str_eq(answer_text(list, "notes[0].kind"), "filters");
	cr_expect_null(strstr(list->body, "\"data\""));

	notes_expect(vera, "GET", PATH "/template/welcome", NULL, 404, MISSING);
	notes_expect(vera, "DELETE", PATH "/template/welcome", NULL, 404, MISSING);
	notes_expect(vera, "PUT", PATH "/broadcast/new", "{'data':{}}", 200, NULL);
	notes_expect(ann, "GET", PATH "/broadcast/welcome", NULL, 404, MISSING);
	notes_expect(ann, "DELETE", PATH "/template/welcome", NULL, 200, "Note deleted");
	notes_expect(ann, "DELETE", PATH "/template/welcome", NULL, 404, MISSING);
	const struct exchange key = {
	    "a key has none", "GET", PATH, NULL, 403, .want = {"code = 'session_required'"}};
	answer_free(exchange_expect(fixture, &key));
}

Test(notes, have_kinds_and_names)
{
	AUTO(person) ann = person_open(fixture, "ann@example.com", NULL);
	g_autofree char *longest = g_strnfill(LIMIT_NOTE_NAME_LENGTH, 'a');
	g_autofree char *fits = g_strconcat(PATH "/segment/", longest, NULL);
	g_autofree char *over = g_strconcat(fits, "a", NULL);
	static const char *const wrong = "id must be 1 to 64 characters, each a letter, a digit, a "
					 "dot, an underscore or a hyphen";

	notes_expect(ann, "PUT", PATH "/person/x", "{'data':{}}", 404, MISSING);
	notes_expect(ann, "GET", PATH "/x/x", NULL, 404, MISSING);
	notes_expect(ann, "PUT", PATH "/workflow/a%20b", "{'data':{}}", 400, wrong);
	notes_expect(ann, "GET", PATH "/workflow/%C3%A4", NULL, 400, wrong);
	notes_expect(ann, "PUT", fits, "{'data':{}}", 200, NULL);
	notes_expect(ann, "PUT", over, "{'data':{}}", 400, wrong);
	notes_expect(ann, "PUT", fits, "{}", 400, "data is required");
	notes_expect(ann, "PUT", fits, "{'data':null}", 400, "data is required");
	notes_expect(ann, "PUT", fits, "{'data':[]}", 400, "data must be an object");
}

/* A note of these bytes in all. */
static char *
notes_body(gsize size)
{
	static const char begin[] = "{'data':{'x':'", end[] = "'}}";
	g_autofree char *text = g_strnfill(size - strlen(begin) - strlen(end), 'x');

	return g_strconcat(begin, text, end, NULL);
}

Test(notes, have_a_size_and_a_number)
{
	AUTO(person) ann = person_open(fixture, "ann@example.com", NULL);
	g_autofree char *fits = notes_body(LIMIT_NOTE_BYTES),
			*over = notes_body(LIMIT_NOTE_BYTES + 1);

	test_db_plain(fixture->db, "DELETE FROM note WHERE workspace_id = @workspace");
	notes_expect(ann, "PUT", PATH "/template/new", fits, 200, NULL);
	notes_expect(ann, "PUT", PATH "/template/new", over, 413, NULL);
	test_db_plain(fixture->db,
	    "INSERT INTO note (user_id, kind, name, workspace_id, data, created, updated)"
	    " SELECT user_id, 3, seq, workspace_id, '{}', 1, updated FROM note, seq_1_to_98"
	    " WHERE workspace_id = @workspace");
	notes_expect(ann, "PUT", PATH "/template/last", "{'data':{}}", 200, NULL);
	notes_expect(ann, "PUT", PATH "/template/over", "{'data':{}}", 409,
	    "Limit reached: at most 100 notes");
	notes_expect(ann, "PUT", PATH "/template/last", "{'data':{}}", 200, NULL);
	cr_expect_eq(LIMIT_NOTES, 100);
}

Test(notes, go_with_the_user)
{
	AUTO(person) eve = person_open(fixture, "eve@example.com", "member");
	g_autofree char *path = g_strconcat("/v1/users/", eve->id, NULL);
	const struct exchange remove = {"remove", "DELETE", path, NULL, 200};
	g_autofree char *sql = g_strdup_printf(
	    "SELECT COUNT(*) FROM note WHERE user_id = UNHEX(REPLACE('%s', '-', ''))", eve->id);

	notes_expect(eve, "PUT", PATH "/filters/people", "{'data':{}}", 200, NULL);
	cr_expect_eq(test_db_number(fixture->db, sql), 1);
	answer_free(exchange_expect(fixture, &remove));
	cr_expect_eq(test_db_number(fixture->db, sql), 0);
}
