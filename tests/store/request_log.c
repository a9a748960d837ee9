/* SPDX-License-Identifier: MIT */
#include "store/workspace/request_log.h"

#include "base/clock.h"
#include "tests/store/fixture.h"

#define NOW G_GINT64_CONSTANT(1800000000000)

FIXTURE_SUITE(request_log);

static struct base_id
request_log_add(gint64 at, const char *endpoint, const char *request, const char *response)
{
	struct store_request_log log = {.id = base_id_at(at),
	    .workspace_id = fixture->workspace,
	    .endpoint = (char *)endpoint,
	    .method = (char *)"POST",
	    .status = 200,
	    .request = (char *)request,
	    .response = (char *)response};

	MUST(store_request_log_add(fixture->db, &log, &error));
	return log.id;
}

static void
request_log_expect_count(const char *name, gint64 want)
{
	gint64 got = test_db_number(fixture->db, "SELECT COUNT(*) FROM resend_log");

	cr_expect_eq(got, want, "%s: got %d, want %d", name, (int)got, (int)want);
}

Test(request_log, is_read_in_its_workspace)
{
	struct base_id id = request_log_add(NOW, "/emails", "{}", NULL);
	AUTO(store_request_log)
	log = MUST_GIVE(store_request_log_get(fixture->db, &fixture->workspace, &id, &error));

	cr_expect_str_eq(log->endpoint, "/emails");
	cr_expect_str_eq(log->request, "{}");
	cr_expect_null(log->response);
	cr_expect_null(log->user_agent);
	MUST_FAIL(
	    store_request_log_get(fixture->db, &fixture->other, &id, &error), PH_ERROR_NOT_FOUND);
}

Test(request_log, is_swept_by_age)
{
	guint count;

	request_log_add(NOW - 1, "/old", NULL, NULL);
	request_log_add(NOW, "/new", NULL, NULL);
	MUST(store_request_log_sweep(fixture->db, NOW, &count, &error));
	cr_expect_eq(count, 1);
	request_log_expect_count("swept", 1);
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT COUNT(*) FROM resend_log WHERE endpoint = '/new'"),
	    1);
}

Test(request_log, forgets_a_person)
{
	request_log_add(NOW, "/suppressions/a@x.org", NULL, NULL);
	request_log_add(NOW + 1, "/emails", "{\"to\":[\"Ada <A@X.org>\"]}", NULL);
	request_log_add(NOW + 2, "/contacts", NULL, "{\"email\":\"a@x.org\"}");
	request_log_add(NOW + 3, "/emails", "{\"to\":[\"b@x.org\"]}", "{}");
	MUST(store_request_log_forget(fixture->db, &fixture->other, "a@x.org", &error));
	request_log_expect_count("another workspace", 4);
	MUST(store_request_log_forget(fixture->db, &fixture->workspace, "a@x.org", &error));
	request_log_expect_count("forgotten", 1);
}
