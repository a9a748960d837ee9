/* SPDX-License-Identifier: MIT */
/* An installation with a clock that a test sets, and functions to run workflows on it. Errors of
   these functions end the test. */
#ifndef TESTS_AUTOMATION_FIXTURE_H
#define TESTS_AUTOMATION_FIXTURE_H

#include <glib.h>
#include <stdbool.h>

#include "automation/engine.h"
#include "automation/event.h"
#include "base/id.h"
#include "base/scope.h"
#include "tests/automation/sample.h"
#include "tests/support/db.h"
#include "tests/support/house.h"

#define FIXTURE_START G_GINT64_CONSTANT(1800000000000)
#define HOUR 60
#define DAY (24 * HOUR)

struct fixture {
	struct test_house *house;
	struct service *service;
	struct db *db; /* of service */
	struct automation_engine *engine;
};

/* Opens an installation. The workspace's default sender is Posthouse <me@example.com>, and its
   domain may send. The clock is set to FIXTURE_START. The caller closes it. */
struct fixture *fixture_open(void);
void fixture_close(struct fixture *fixture);
DEFINE_AUTO(fixture, fixture_close)

/* Removes all workflows, contacts and emails. */
void fixture_clear(struct fixture *fixture);

/* Sets the clock to minutes after FIXTURE_START, unless it is later already. */
void fixture_at(gint64 minutes);

/* Makes an active workflow with a design as in sample_design_text. */
struct base_id fixture_workflow(struct fixture *fixture, const char *nodes, const char *edges);

/* Sets the status (NULL: unchanged) and the design (NULL: unchanged) of a workflow. Returns the
   error, which the caller owns, or NULL. */
char *fixture_change(struct fixture *fixture, const struct base_id *workflow, const char *status,
    const char *nodes, const char *edges);

/* Stores a template. variables: JSON of its defaults, or NULL. */
void fixture_template(struct fixture *fixture, const char *id, const char *subject,
    const char *html, const char *variables);

/* Records an event as a request with this key (NULL: none) does. NULL with error; the caller frees
   its request. */
struct automation_recording *fixture_record(struct service *service,
    const struct base_id *workspace, const struct automation_event_input *input,
    const struct service_idempotency *key, GError **error);

/* Record an event of ann@example.org, or of email; properties as in sample_json, or NULL. Return
   whether it was deduplicated. */
bool fixture_event(struct fixture *fixture, const char *name, const char *properties);
bool fixture_event_of(
    struct fixture *fixture, const char *email, const char *name, const char *properties);

/* Runs the engine until nothing is due. */
void fixture_run(struct fixture *fixture);

/* Lists all executions, oldest first, a line for each: status, node, steps and details:
   "WAITING w 2 until 60", "COMPLETED x 3", "FAILED s 2 s: message", "CANCELLED w 2 manual",
   "IN_PROGRESS t 1 due 0", "... parked 60": minutes after FIXTURE_START. The caller owns it. */
char *fixture_show(struct fixture *fixture);

/* Expects each execution to have a row for each step that it has left. */
void fixture_expect_steps(struct fixture *fixture);

/* Lists all emails, oldest first, a line for each: recipient, subject. The caller owns it. */
char *fixture_mails(struct fixture *fixture);

/* Returns the properties of ann@example.org. The caller owns them. */
char *fixture_properties(struct fixture *fixture);

/* Expects got, which is freed, to equal want. name: of the case. */
void fixture_expect(const char *name, char *got, const char *want);

/* Returns the id of the last execution. */
struct base_id fixture_execution(struct fixture *fixture);

#endif
