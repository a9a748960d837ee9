/* SPDX-License-Identifier: MIT */
/* Tests the emails of workflows while posthouse-spool runs. */
#include <criterion/criterion.h>
#include <string.h>

#include "automation/event.h"
#include "automation/workflow.h"
#include "service/service.h"
#include "tests/spool/depot.h"
#include "tests/support/db.h"

#define ROUNDS 40
#define DESIGN                                                                                     \
	"{\"nodes\":["                                                                             \
	"{\"id\":\"t\",\"type\":\"trigger\",\"data\":{\"eventName\":\"order\"}},"                  \
	"{\"id\":\"s\",\"type\":\"send_email\",\"data\":"                                          \
	"{\"from\":\"a@example.org\",\"subject\":\"S\",\"html\":\"<p>Hi\"}},"                      \
	"{\"id\":\"e\",\"type\":\"exit\",\"data\":{}}],"                                           \
	"\"edges\":[{\"source\":\"t\",\"target\":\"s\"},{\"source\":\"s\",\"target\":\"e\"}]}"

static void
workflows_activate(struct depot *depot)
{
	const struct automation_workflow_author author = {"ann@example.org", AUTHOR_USER};
	const struct automation_workflow_change change = {
	    .name = "W", .status = "active", .design = DESIGN, .design_size = strlen(DESIGN)};
	g_autoptr(GError) error = NULL;
	struct base_id id;

	cr_assert(automation_workflow_create(depot->house->service, &depot->house->workspace,
		      &author, &change, &id, &error),
	    "%s", error ? error->message : "");
}

static void
workflows_happen(struct depot *depot, guint number)
{
	g_autofree char *email = g_strdup_printf("u%u@example.net", number);
	const struct automation_event_input input = {"order", email, NULL};
	struct service *service = depot->house->service;
	g_autoptr(GError) error = NULL;

	cr_assert(service_ensure(service, &error), "%s", error ? error->message : "");
	struct automation_recording *event =
	    automation_event_check(service, &depot->house->workspace, &input, NULL, &error);
	AUTO(service_once) request = event ? &event->request : NULL;
	cr_assert(request && service_once_store_one(service, request, &error), "%s",
	    error ? error->message : "");
}

TestSuite(workflows, .timeout = 900);

/* 1. A worker searches just before an email is stored, and locks its row for a moment.
   2. The worker that stored the email does not see the row.
   3. Neither may end before the email is sent. */
Test(workflows, leave_nothing_that_is_due)
{
	static const struct smtp_script good = {.extensions = NULL};
	AUTO(depot) depot = depot_open(NULL, &good, 100);

	workflows_activate(depot);
	for (guint i = 0; i < ROUNDS; i++) {
		workflows_happen(depot, i);
		cr_expect_eq(depot_run(depot, ARGUMENTS("--once", "--jobs", "8")), 0);
		cr_assert_eq(depot_left(depot), 0, "round %u: an email is left", i);
	}
	smtp_server_stop(depot->relay);
	cr_expect_eq(smtp_server_count(depot->relay), ROUNDS);
}
