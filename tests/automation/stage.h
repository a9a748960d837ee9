/* SPDX-License-Identifier: MIT */
/* An installation with a clock that a test sets, and short ways to play workflows on it. What goes
   wrong in that ends the test. */
#ifndef TESTS_AUTOMATION_STAGE_H
#define TESTS_AUTOMATION_STAGE_H

#include <glib.h>
#include <stdbool.h>

#include "automation/engine.h"
#include "automation/event.h"
#include "base/id.h"
#include "base/scope.h"
#include "tests/automation/sample.h"
#include "tests/support/db.h"
#include "tests/support/house.h"

#define STAGE_START G_GINT64_CONSTANT(1800000000000)
#define HOUR 60
#define DAY (24 * HOUR)

struct stage {
	struct test_house *house;
	struct core *core;
	struct db *db; /* of core */
	struct automation_engine *engine;
};

/* The workspace's default sender is Posthouse <me@example.com>, and it may send from that domain.
   The clock stands at STAGE_START. */
struct stage *stage_open(void);
void stage_close(struct stage *stage);
DEFINE_AUTO(stage, stage_close)

/* As if nothing had happened yet. */
void stage_clear(struct stage *stage);

/* Minutes after STAGE_START, or later. */
void stage_at(gint64 minutes);

/* A workflow with that design, written as sample_design_text takes it. */
struct base_id stage_workflow(struct stage *stage, const char *nodes, const char *edges);

/* Gives it that status (NULL: as it is) and a new design (NULL: none). What was wrong, which the
   caller owns, or NULL. */
char *stage_change(struct stage *stage, const struct base_id *workflow, const char *status,
    const char *nodes, const char *edges);

/* A template; variables: JSON of its defaults, or NULL. */
void stage_template(struct stage *stage, const char *id, const char *subject, const char *html,
    const char *variables);

/* An event of ann@example.org, or of email; properties as in sample_json, or NULL. Whether it was
   deduplicated. */
bool stage_event(struct stage *stage, const char *name, const char *properties);
bool stage_event_of(
    struct stage *stage, const char *email, const char *name, const char *properties);

/* Lets the engine do all that is due. */
void stage_run(struct stage *stage);

/* All executions, oldest first, a line for each: status, node, steps, and what else there is:
   "WAITING w 2 until 60", "COMPLETED x 3", "FAILED s 2 s: message", "CANCELLED w 2 manual",
   "IN_PROGRESS t 1 due 0", "... parked 60": minutes after STAGE_START. The caller owns it. */
char *stage_show(struct stage *stage);

/* All emails, oldest first, a line for each: recipient, subject. The caller owns it. */
char *stage_mails(struct stage *stage);

/* The properties of ann@example.org. The caller owns them. */
char *stage_properties(struct stage *stage);

/* Fails the test, with name, unless got, which is freed, is want. */
void stage_expect(const char *name, char *got, const char *want);

/* The id of the only execution, or of the last one. */
struct base_id stage_execution(struct stage *stage);

#endif
