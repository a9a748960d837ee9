/* SPDX-License-Identifier: MIT */
/* The execution that is being stepped, for the files that carry out its steps. */
#ifndef AUTOMATION_STEPPER_H
#define AUTOMATION_STEPPER_H

#include <glib.h>
#include <stdbool.h>

#include "automation/step.h"
#include "store/automation/execution.h"
#include "store/automation/execution_step.h"
#include "store/automation/step_request.h"

struct automation_batch;
struct automation_cached_design;
struct automation_design_node;
struct automation_locked_contact;
struct automation_results;
struct json;
struct store_execution;
struct store_execution_claimed;

/* The execution that is being stepped. */
struct automation_stepper {
	struct automation_batch *batch;
	struct store_execution_claimed *claimed;
	struct store_execution *execution; /* of claimed */
	struct automation_locked_contact *locked;
	const struct automation_cached_design *cached;
	struct json *event; /* properties of the event that started it; NULL: not read, or gone */
	bool event_read;
	struct automation_results *results;	  /* NULL: not read */
	gint64 asked;				  /* the time of that step, once it is answered */
	const struct store_step_outcome *outcome; /* of its request, which is not stored; NULL: none
						   */
	bool is_taken;	/* the answer has ended a step: the request is to be removed */
	bool has_moved; /* it came to its node in this batch */
	struct store_step_answer answer;    /* to the request of the node */
	struct automation_step_answer told; /* likewise, for the step */
	const struct automation_design_node *node;
	char *digest;	/* what the digest gives that ends now; NULL: none does */
	bool is_over;	/* no more steps in this batch */
	gint64 snoozed; /* until when the contact of the step's mailing has snoozed; 0: not */
};

/* Ends the execution, without an error, or as FAILED with this message. */
void automation_stepper_finish(
    struct automation_stepper *stepper, enum store_execution_status status);
void automation_stepper_fail(struct automation_stepper *stepper, const char *message);

/* Handles an error of a step, which it takes over: the execution is retried when the error may
   pass, else FAILED. Returns false for an error of the database. */
bool automation_stepper_fail_or_retry(
    struct automation_stepper *stepper, GError *failure, GError **error);

/* Moves the execution to its next node; NULL: it is COMPLETED. */
void automation_stepper_move(
    struct automation_stepper *stepper, const struct automation_design_node *next);

/* The row of the step that the execution leaves now, at its time. It borrows from both. */
struct store_execution_step automation_stepper_row(
    const struct automation_stepper *stepper, const struct automation_step_result *result);

/* Adds the row of a step that was done at once. count: the emails of the batch before it. */
void automation_stepper_note(
    struct automation_stepper *stepper, const struct automation_step_result *result, guint count);

/* The properties of the event that started the execution, read on first use; NULL without an error:
   they are gone. context: the stepper. */
const struct json *automation_stepper_event(void *context, GError **error);

/* The results of the execution's steps, read on first use. NULL with the error. context: the
   stepper. */
const struct automation_results *automation_stepper_results(void *context, GError **error);

/* Keeps what the node of a step gives (NULL: nothing). Makes the execution fail when that is too
   much. Returns false for an error of the database. */
bool automation_stepper_keep(struct automation_stepper *stepper, const char *given, GError **error);

/* Reads the fields of the contact, if the design asks for them. */
bool automation_stepper_read_fields(struct automation_stepper *stepper, GError **error);

/* Fills in the input of the step at which the execution stands. */
bool automation_stepper_input(
    struct automation_stepper *stepper, struct automation_step_input *input_r, GError **error);

#endif
