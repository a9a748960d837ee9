/* SPDX-License-Identifier: MIT */
/* The newest requests of workspaces. */
#include "store/workspace/request_history.h"

#include <criterion/criterion.h>

#include "base/limits/request.h"
#include "tests/store/fixture.h"

static struct fixture *fixture;

static void
call_begin(void)
{
	fixture = fixture_open();
}

static void
call_end(void)
{
	fixture_close(fixture);
}

TestSuite(call, .init = call_begin, .fini = call_end, .timeout = 900);

/* A request that was answered so at a time. */
static void
call_put(const struct base_id *workspace, gint64 time, guint status, const char *message)
{
	struct store_request_history call = {.id = base_id_floor(time),
	    .workspace_id = *workspace,
	    .actor = AUDIT_KEY,
	    .actor_id = {{(guint8)status}},
	    .method = (char *)"GET",
	    .route = (char *)"/v1/emails",
	    .status = status,
	    .ms = 5,
	    .request_id = (char *)"r",
	    .message = (char *)message};
	struct store_request_history *const calls[] = {&call};

	call.id.bytes[15] = workspace == &fixture->other;
	MUST(store_request_history_add(fixture->db, calls, 1, &error));
}

/* The statuses of a page. */
static char *
call_list(
    const struct store_request_history_filter *filter, const struct base_id *before, guint limit)
{
	GString *text = g_string_new(NULL);
	g_autoptr(GPtrArray) calls = MUST_GIVE(store_request_history_page(
	    fixture->db, &fixture->workspace, filter, before, limit, &error));

	for (guint i = 0; i < calls->len; i++)
		g_string_append_printf(text, "%s%u", i ? " " : "",
		    ((const struct store_request_history *)calls->pdata[i])->status);
	return g_string_free(text, FALSE);
}

Test(call, is_listed_newest_first)
{
	struct base_id actor = {{(guint8)404}}, third = base_id_floor(3000);
	const struct {
		const char *name;
		struct store_request_history_filter filter;
		const struct base_id *before;
		guint limit;
		const char *want;
	} cases[] = {
	    {"all", {0, 999, NULL}, NULL, 9, "500 404 403 200"},
	    {"page", {0, 999, NULL}, NULL, 2, "500 404"},
	    {"next page", {0, 999, NULL}, &third, 2, "403 200"},
	    {"refused", {400, 499, NULL}, NULL, 9, "404 403"},
	    {"failed", {500, 999, NULL}, NULL, 9, "500"},
	    {"of an actor", {0, 999, &actor}, NULL, 9, "404"},
	};

	call_put(&fixture->workspace, 1000, 200, NULL);
	call_put(&fixture->workspace, 2000, 403, "no");
	call_put(&fixture->workspace, 3000, 404, "gone");
	call_put(&fixture->workspace, 4000, 500, "fault");
	call_put(&fixture->other, 5000, 401, "of another");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = call_list(&cases[i].filter, cases[i].before, cases[i].limit);
		cr_expect_str_eq(got, cases[i].want, "%s: got %s", cases[i].name, got);
	}
}

Test(call, is_forgotten_with_an_address)
{
	call_put(&fixture->workspace, 1000, 400, "Ada@x.org is no address");
	call_put(&fixture->workspace, 2000, 401, NULL);
	call_put(&fixture->other, 3000, 402, "ada@x.org is known");
	MUST(store_request_history_forget(fixture->db, &fixture->workspace, "ada@x.org", &error));
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM api_call"), 2);
	cr_expect_eq(
	    fixture_number(fixture, "SELECT COUNT(*) FROM api_call WHERE status = 400"), 0);
}

Test(call, goes_when_it_is_old)
{
	guint count;

	call_put(&fixture->workspace, 1000, 400, NULL);
	call_put(&fixture->other, 1999, 400, NULL);
	call_put(&fixture->workspace, 2000, 404, NULL);
	MUST(store_request_history_sweep(fixture->db, 2000, &count, &error));
	cr_expect_eq(count, 2u);
	cr_expect_eq(fixture_number(fixture, "SELECT status FROM api_call"), 404);
}

Test(call, goes_when_there_are_too_many)
{
	static const char fill[] =
	    "INSERT INTO api_call (id, workspace_id, actor, actor_id, method, route, status, ms,"
	    " request_id) SELECT UNHEX(LPAD(HEX(seq), 32, '0')), ?, 2, '', 'GET', 'r', 400, 1, ''"
	    " FROM seq_1_to_10000";
	guint count;

	MUST(db_run(fixture->db, fill, DB_VALUES(db_id(&fixture->workspace)), NULL, &error));
	call_put(&fixture->other, 1000, 400, NULL);
	MUST(store_request_history_trim(fixture->db, &fixture->workspace, &count, &error));
	cr_expect_eq(count, 0u, "%u of the limit", count);
	call_put(&fixture->workspace, 1000, 404, NULL);
	MUST(store_request_history_trim(fixture->db, &fixture->workspace, &count, &error));
	cr_expect_eq(count, 1u, "%u of one more", count);
	cr_expect_eq(
	    fixture_number(fixture, "SELECT COUNT(*) FROM api_call WHERE status = 404"), 1);
	cr_expect_eq(LIMIT_CALLS, 10000);
}
