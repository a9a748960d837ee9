/* SPDX-License-Identifier: MIT */
/* Steps one execution through its design, and keeps its row up to date. */
#include "automation/execution.h"

#include <string.h>

#include "automation/answer.h"
#include "automation/batch.h"
#include "automation/contact.h"
#include "automation/design.h"
#include "automation/design_cache.h"
#include "automation/digest_stored.h"
#include "automation/ending.h"
#include "rule/event_name.h"
#include "automation/mailing.h"
#include "automation/node.h"
#include "automation/person.h"
#include "automation/request.h"
#include "automation/results.h"
#include "automation/results_stored.h"
#include "automation/rules.h"
#include "automation/step.h"
#include "automation/watch.h"
#include "base/budget.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fault.h"
#include "consent/parts.h"
#include "db/after_commit.h"
#include "db/transaction.h"
#include "json/strict.h"
#include "person/contact.h"
#include "service/metrics.h"
#include "service/service.h"
#include "store/automation/digest.h"
#include "store/automation/event.h"
#include "store/automation/execution.h"
#include "store/automation/execution_step.h"
#include "store/automation/feedback.h"
#include "store/automation/step_request.h"
#include "store/automation/own.h"
#include "store/automation/workflow.h"
#include "store/consent/consent.h"
#include "store/consent/snooze.h"
#include "store/figure/figure.h"

/* The end of a wait for an event, or the next time to check it. */
struct wait_state {
	bool over;
	enum automation_step_leave how; /* when over: LEAVE_EVENT or LEAVE_TIMEOUT */
	gint64 time;			/* when over: the time of its end */
	gint64 check_at;		/* else: when to check again, 0 = when an event comes */
};

#define MESSAGE_LENGTH 1000

/* ms between attempts of a step */
static const gint64 pauses[] = {60000, 5 * 60000, 15 * 60000, 60 * 60000};

/* Sets the failure of the current step; NULL: it has none. */
static void
execution_set_error(struct store_execution *e, const char *message)
{
	g_clear_pointer(&e->error_step, g_free);
	g_clear_pointer(&e->error_message, g_free);
	if (!message)
		return;
	e->error_step = g_strdup(e->step_id);
	e->error_message =
	    g_utf8_substring(message, 0, MIN(g_utf8_strlen(message, -1), MESSAGE_LENGTH));
}

/* Moves the execution to the next node, due at once, at the time of its step. */
static void
enter_node(struct store_execution *execution, const struct automation_design_node *next)
{
	g_free(execution->step_id);
	execution->step_id = g_strdup(next->id);
	execution->step_count++;
	if (next->number / 8 < EXECUTION_VISITED)
		execution->visited[next->number / 8] |= (guint8)(1U << next->number % 8);
	execution->status = EXECUTION_IN_PROGRESS;
	execution->ready_at = execution->step_time;
	execution->wait_until = execution->released = 0;
	execution->attempts = 0;
	execution_set_error(execution, NULL);
}

/* Leaves the execution at its node until then, without counting a failed attempt. */
static void
delay_until(struct store_execution_claimed *claimed, gint64 until, gint64 now)
{
	claimed->execution.updated = now;
	claimed->execution.ready_at = until;
}

static void
finish_execution(
    struct store_execution_claimed *claimed, enum store_execution_status status, gint64 now)
{
	struct store_execution *e = &claimed->execution;

	e->status = status;
	e->ready_at = e->wait_until = e->released = 0;
	e->attempts = 0;
	e->completed = now;
	claimed->exclusive = false;
}

void
automation_execution_fail(struct store_execution_claimed *claimed, const char *message, gint64 now)
{
	execution_set_error(&claimed->execution, message);
	finish_execution(claimed, EXECUTION_FAILED, now);
}

void
automation_execution_retry(struct store_execution_claimed *claimed, const char *message, gint64 now)
{
	struct store_execution *e = &claimed->execution;

	e->updated = now;
	if (e->attempts >= G_N_ELEMENTS(pauses)) {
		automation_execution_fail(claimed, message, now);
		return;
	}
	execution_set_error(e, message);
	e->ready_at = now + pauses[e->attempts++];
}

#define CHECK_AGAIN_MS 1000

/* A wait for an event, and its batch. */
struct wait {
	struct automation_batch *batch;
	const struct store_execution *execution;
	const struct automation_design_node *node;
	const struct automation_locked_contact *locked;
	gint64 until;		    /* its timeout; 0: none */
	const struct json *started; /* properties of the event that started the execution */
	const struct automation_results *results; /* of its steps */
};

/* Finds the first event that came while the execution waited and that releases it. *time_r: its
   time; 0: none. */
static bool
find_releasing_event(const struct wait *wait, gint64 *time_r, GError **error)
{
	const struct store_execution *e = wait->execution;
	struct base_budget budget = {.begun = 0};

	*time_r = 0;
	if (wait->locked->contact->last_seen <= e->step_time)
		return true;
	g_autoptr(GPtrArray) events = store_automation_event_between(wait->batch->service->db,
	    &e->contact_id, wait->node->wait_event.event_name, e->step_time, wait->until, error);
	if (!events)
		return false;
	for (guint i = 0; i < events->len && *time_r == 0; i++) {
		const struct store_automation_event *event = events->pdata[i];
		AUTO(json) properties =
		    json_parse_as("properties", event->properties, strlen(event->properties), NULL);
		const struct automation_rules_scope scope = {wait->locked->properties, properties,
		    wait->locked->fields, &budget, wait->started, wait->locked->segments,
		    wait->results};

		if (automation_step_in_time(e->step_time, wait->until, event->timestamp) &&
		    automation_step_releases(wait->node, event->name, &scope))
			*time_r = event->timestamp;
	}
	return true;
}

/* *pending_r: the feedback queue may hold an earlier event about an email, so the wait must not
   time out yet. */
static bool
is_feedback_pending(const struct wait *wait, bool *pending_r, GError **error)
{
	const char *name = wait->node->wait_event.event_name;

	*pending_r = false;
	if (rule_event_name_is_own(name))
		return store_automation_feedback_pending(wait->batch->service->db,
		    &wait->execution->contact_id, EVENT_NONE, name, wait->until, pending_r, error);
	if (!rule_event_name_reserved(name))
		return true;
	enum store_event_status status = store_event_status(name + strlen(EVENT_NAME_RESERVED));
	return status == EVENT_NONE ||
	       store_automation_feedback_pending(wait->batch->service->db,
		   &wait->execution->contact_id, status, NULL, wait->until, pending_r, error);
}

/* Checks a wait. An event that came during the wait, before the timeout, has precedence over the
   timeout. */
static bool
check_wait(const struct wait *wait, struct wait_state *state_r, GError **error)
{
	gint64 until = wait->until, now = wait->batch->now;
	bool pending = false;
	gint64 time;

	if (!find_releasing_event(wait, &time, error))
		return false;
	bool timeout = !time && until && until <= now;
	if (timeout && !is_feedback_pending(wait, &pending, error))
		return false;
	*state_r = (struct wait_state){
	    .over = time || (timeout && !pending),
	    .how = time ? LEAVE_EVENT : LEAVE_TIMEOUT,
	    .time = time ? time : until,
	    .check_at = pending ? now + CHECK_AGAIN_MS : until,
	};
	return true;
}

/* Adds the execution's row to waits, of struct store_execution_wait, which borrows from both.
   started: properties of the event that started it, for a wait that begins. */
static void
note_wait(const struct store_execution *execution, const struct automation_design_node *node,
    const struct json *started, GArray *waits)
{
	struct store_execution_wait wait = {
	    .workspace = &execution->workspace_id,
	    .contact = &execution->contact_id,
	    .execution = &execution->id,
	    .event_name = node->wait_event.event_name,
	};

	automation_rules_correlate(node->wait_event.filter, started, &wait.property, wait.hash);
	g_array_append_val(waits, wait);
}

#define STEPS_AT_ONCE 50

/* The execution that is being stepped. */
struct stepper {
	struct automation_batch *batch;
	struct store_execution_claimed *claimed;
	struct store_execution *execution; /* of claimed */
	struct automation_locked_contact *locked;
	const struct automation_cached_design *cached;
	struct json *event; /* properties of the event that started it; NULL: not read, or gone */
	bool event_read;
	struct automation_results *results; /* NULL: not read */
	gint64 asked;			    /* the time of that step, once it is answered */
	struct store_step_answer answer;    /* to the request of the node */
	struct automation_step_answer told; /* likewise, for the step */
	const struct automation_design_node *node;
	char *digest;	/* what the digest gives that ends now; NULL: none does */
	bool is_over;	/* no more steps in this batch */
	gint64 snoozed; /* until when the contact of the step's mailing has snoozed; 0: not */
};

static void
execution_finish(struct stepper *stepper, enum store_execution_status status)
{
	execution_set_error(stepper->execution, NULL);
	finish_execution(stepper->claimed, status, stepper->batch->now);
	stepper->is_over = true;
}

static void
execution_fail(struct stepper *stepper, const char *message)
{
	automation_execution_fail(stepper->claimed, message, stepper->batch->now);
	stepper->is_over = true;
}

/* Handles an error of a step: the execution is retried when the error may pass, else FAILED.
   Returns false for an error of the database. */
static bool
fail_or_retry(struct stepper *stepper, GError *failure, GError **error)
{
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_TEMPORARY) ||
	    g_error_matches(failure, PH_ERROR, PH_ERROR_UNCERTAIN)) {
		g_propagate_error(error, failure);
		return false;
	}
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_FAILED))
		automation_execution_retry(stepper->claimed, failure->message, stepper->batch->now);
	else
		execution_fail(stepper, failure->message);
	stepper->is_over = true;
	g_error_free(failure);
	return true;
}

static void
execution_move(struct stepper *stepper, const struct automation_design_node *next)
{
	const struct store_execution *e = stepper->execution;

	store_step_answer_clear(&stepper->answer);
	stepper->answer.is_answered = false;
	stepper->node = next;
	if (next) {
		enter_node(stepper->execution, next);
		store_figure_count_step(stepper->batch->service->db, &e->workspace_id,
		    &e->workflow_id, next->id, STEP_ENTERED, stepper->batch->now);
	} else
		execution_finish(stepper, EXECUTION_COMPLETED);
}

/* The row of the step that the execution leaves now, at its time. */
static struct store_execution_step
leave_step(const struct stepper *stepper, const struct automation_step_result *result)
{
	const struct store_execution *e = stepper->execution;
	const struct automation_design_node *node = stepper->node;

	return (struct store_execution_step){
	    .execution_id = e->id,
	    .workspace_id = e->workspace_id,
	    .sequence = e->step_count,
	    .step_id = (char *)node->id,
	    .type = (char *)node->type_name,
	    .entered = stepper->answer.is_answered ? stepper->asked : e->step_time,
	    .left = e->step_time,
	    .result = RESULT_DONE,
	    .branch = (char *)result->handle,
	    .why = result->why,
	    .given = result->given,
	};
}

#define UNSENT "the contact gets no email: it is suppressed or has unsubscribed"

static void
count_snoozed(void *data)
{
	service_metrics_add(METRIC_MAILINGS_SKIPPED, 1, "snoozed", NULL);
}

/* The reason why the step has sent nothing. */
static char *
execution_unsent(struct stepper *stepper)
{
	struct automation_batch *batch = stepper->batch;

	if (!stepper->snoozed)
		return (char *)UNSENT;
	db_after_commit(batch->service->db, count_snoozed, NULL, g_free);
	g_autofree char *text = store_snooze_text(stepper->snoozed);
	return g_string_chunk_insert(batch->texts, text);
}

/* Adds the row of a step that was done at once. count: the emails of the batch before it. */
static void
note_step(struct stepper *stepper, const struct automation_step_result *result, guint count)
{
	const GArray *sent = stepper->batch->sent;
	struct store_execution_step step = leave_step(stepper, result);

	step.has_email = sent->len > count;
	if (step.has_email) {
		step.email_id =
		    g_array_index(sent, struct store_sent_email, sent->len - 1).email_id;
	} else if (result->kind == STEP_SEND) {
		step.result = RESULT_SKIPPED;
		step.why = execution_unsent(stepper);
		store_figure_count_step(stepper->batch->service->db, &step.workspace_id,
		    &stepper->execution->workflow_id, step.step_id, STEP_SKIPPED,
		    stepper->batch->now);
	}
	automation_batch_step(stepper->batch, &step);
}

/* The end that a wait had when it ended at time; 0: none. */
static gint64
end_of_wait(const struct automation_design_node *node, gint64 entered, gint64 time)
{
	if (node->type != NODE_WAIT_FOR_EVENT)
		return time;
	return node->wait_event.timeout ? entered + node->wait_event.timeout : 0;
}

static const struct json *
execution_read_event(void *context, GError **error)
{
	struct stepper *stepper = context;
	g_autofree char *text = NULL;

	if (stepper->event_read)
		return stepper->event;
	if (!store_automation_event_properties(
		stepper->batch->service->db, &stepper->execution->event_id, &text, error))
		return NULL;
	stepper->event_read = true;
	stepper->event = text ? json_parse_as("properties", text, strlen(text), NULL) : NULL;
	return stepper->event;
}

/* The results of the execution's steps, read on first use. NULL with the error. */
static const struct automation_results *
execution_read_results(void *context, GError **error)
{
	struct stepper *stepper = context;
	const struct store_execution *e = stepper->execution;

	if (!stepper->results)
		stepper->results = automation_results_stored(stepper->batch->service,
		    &e->workspace_id, &e->id, stepper->cached->design, error);
	return stepper->results;
}

/* Takes what the node of a step gives (NULL: nothing). Makes the execution fail when that is too
   much. Returns false for an error of the database. */
static bool
execution_take_given(struct stepper *stepper, const char *given, GError **error)
{
	g_autoptr(GError) failure = NULL;

	if (!given)
		return true;
	if (!execution_read_results(stepper, error))
		return false;
	if (!automation_results_set(stepper->results, stepper->node->id, given, &failure))
		execution_fail(stepper, failure->message);
	return true;
}

/* Reads the answer to the request of the node. */
static bool
execution_read_answer(struct stepper *stepper, GError **error)
{
	const struct store_execution *e = stepper->execution;
	struct store_step_answer *answer = &stepper->answer;

	store_step_answer_clear(answer);
	if (!store_step_request_answer(
		stepper->batch->service->db, &e->id, e->step_count, answer, error))
		return false;
	stepper->told =
	    (struct automation_step_answer){answer->status, answer->body, answer->error};
	return true;
}

static bool
make_input(struct stepper *stepper, struct automation_step_input *input_r, GError **error)
{
	GError *failure = NULL;

	if (stepper->node->type == NODE_REQUEST && !execution_read_answer(stepper, error))
		return false;
	if (stepper->node->type == NODE_CONDITION && !stepper->node->fault &&
	    !automation_locked_contact_read_segments(stepper->locked, stepper->node->rules, error))
		return false;
	*input_r = (struct automation_step_input){
	    .design = stepper->cached->design,
	    .node = stepper->node,
	    .contact = &stepper->execution->contact_id,
	    .properties = stepper->locked->properties,
	    .time = stepper->execution->step_time,
	    .count = stepper->execution->step_count,
	    .explain = true,
	    .fields = stepper->locked->fields,
	    .segments = stepper->locked->segments,
	    .keeps_results = stepper->cached->keeps_results,
	    .digest = stepper->digest,
	    .answer = stepper->answer.is_answered ? &stepper->told : NULL,
	};
	if (stepper->cached->asks_results &&
	    !(input_r->results = execution_read_results(stepper, error)))
		return false;
	if (!stepper->cached->asks_event)
		return true;
	input_r->event = execution_read_event(stepper, &failure);
	if (!failure)
		return true;
	g_propagate_error(error, failure);
	return false;
}

/* Reads the event of this time that ended a wait; *properties_r: NULL where it is gone. */
static bool
execution_read_released(
    const struct stepper *stepper, gint64 time, struct json **properties_r, GError **error)
{
	g_autoptr(GPtrArray) events = store_automation_event_between(stepper->batch->service->db,
	    &stepper->execution->contact_id, stepper->node->wait_event.event_name, time - 1,
	    time + 1, error);

	*properties_r = NULL;
	if (!events)
		return false;
	if (events->len == 0)
		return true;
	const struct store_automation_event *event = events->pdata[0];
	*properties_r =
	    json_parse_as("properties", event->properties, strlen(event->properties), NULL);
	return true;
}

static bool
execution_leave(
    struct stepper *stepper, enum automation_step_leave how, gint64 time, GError **error)
{
	gint64 entered = stepper->execution->step_time;
	struct automation_step_input input;
	struct automation_step_result result;
	AUTO(json) released = NULL;

	stepper->execution->step_time = time;
	if (!make_input(stepper, &input, error))
		return false;
	if (how == LEAVE_EVENT && input.keeps_results &&
	    !execution_read_released(stepper, time, &released, error))
		return false;
	input.released = released;
	automation_step_leave(&input, how, &result);
	bool taken = execution_take_given(stepper, result.given, error);
	if (!taken || stepper->is_over) {
		automation_step_clear(&result);
		return taken;
	}
	struct store_execution_step step = leave_step(stepper, &result);
	step.entered = entered;
	step.wait_until = end_of_wait(stepper->node, entered, time);
	automation_batch_step(stepper->batch, &step);
	execution_move(stepper, result.next);
	automation_step_clear(&result);
	return true;
}

/* waits: the wait has a row in the database already. */
static bool
wait_event(struct stepper *stepper, gint64 until, bool waits, GError **error)
{
	struct store_execution *e = stepper->execution;
	struct wait wait = {stepper->batch, e, stepper->node, stepper->locked, until, NULL, NULL};
	GError *failure = NULL;
	struct wait_state state;

	if (automation_rules_ask_started(stepper->node->wait_event.filter))
		wait.started = execution_read_event(stepper, &failure);
	if (failure) {
		g_propagate_error(error, failure);
		return false;
	}
	if (automation_rules_ask_results(stepper->node->wait_event.filter) &&
	    !(wait.results = execution_read_results(stepper, error)))
		return false;
	if (!automation_locked_contact_read_segments(
		stepper->locked, stepper->node->wait_event.filter, error) ||
	    !check_wait(&wait, &state, error))
		return false;
	if (state.over && waits)
		note_wait(e, stepper->node, NULL, stepper->batch->gone);
	if (state.over)
		return execution_leave(stepper, state.how, state.time, error);
	if (!waits)
		note_wait(e, stepper->node, wait.started, stepper->batch->waits);
	e->status = EXECUTION_WAITING;
	e->wait_until = until;
	e->ready_at = state.check_at;
	stepper->is_over = true;
	return true;
}

/* Ends the wait of an execution that is due at one; does nothing for one that has just reached its
   node. */
static bool
execution_resume(struct stepper *stepper, GError **error)
{
	struct store_execution *e = stepper->execution;
	gint64 released = e->released;

	if (stepper->node->fault || (e->status != EXECUTION_WAITING && !released))
		return true;
	if (released) {
		note_wait(e, stepper->node, NULL, stepper->batch->gone);
		return execution_leave(stepper, LEAVE_EVENT, released, error);
	}
	if (stepper->node->type == NODE_WAIT_FOR_EVENT)
		return wait_event(stepper, e->wait_until, true, error);
	if (stepper->node->type == NODE_DIGEST && !stepper->digest &&
	    !(stepper->digest = automation_digest_close(stepper->batch->service->db, e, error)))
		return false;
	return execution_leave(stepper, LEAVE_TIME, e->wait_until, error);
}

static bool
wait(struct stepper *stepper, gint64 until, GError **error)
{
	struct store_execution *e = stepper->execution;

	if (until <= stepper->batch->now)
		return execution_leave(stepper, LEAVE_TIME, until, error);
	e->status = EXECUTION_WAITING;
	e->wait_until = e->ready_at = until;
	stepper->is_over = true;
	return true;
}

/* Returns whether the workspace's quota is full, and delays the execution until it has room. */
static bool
wait_for_quota(struct stepper *stepper)
{
	gint64 until = automation_batch_full(stepper->batch, &stepper->execution->workspace_id);

	if (until == 0)
		return false;
	delay_until(stepper->claimed, until, stepper->batch->now);
	stepper->is_over = true;
	return true;
}

static bool
execution_send_email(
    struct stepper *stepper, const struct automation_node_email *email, GError **error)
{
	const struct automation_mailing mailing = {
	    .batch = stepper->batch,
	    .execution = stepper->execution,
	    .email = email,
	    .hours = &automation_design_trigger(stepper->cached->design)->hours,
	    .properties = stepper->locked->properties,
	    .event = execution_read_event,
	    .results = stepper->cached->keeps_results ? execution_read_results : NULL,
	    .event_context = stepper,
	    .answers = automation_answer_is(stepper->cached->design),
	    .compat_tests = stepper->cached->has_form,
	    .has_endings = stepper->cached->has_endings,
	};
	GError *failure = NULL;

	if (wait_for_quota(stepper) ||
	    automation_mailing_draft(&mailing, &stepper->snoozed, &failure))
		return true;
	if (!g_error_matches(failure, PH_ERROR, PH_ERROR_LIMITED))
		return fail_or_retry(stepper, failure, error);
	g_error_free(failure);
	return wait_for_quota(stepper);
}

static bool
execution_read_fields(struct stepper *stepper, GError **error)
{
	return !stepper->cached->asks_fields ||
	       automation_locked_contact_read_fields(stepper->locked, error);
}

static bool
rename_contact(struct stepper *stepper, const struct json *names, GError **error)
{
	const struct store_execution *e = stepper->execution;

	g_clear_pointer(&stepper->locked->fields, json_free);
	return automation_person_rename(
		   stepper->batch->service->db, &e->workspace_id, &e->contact_id, names, error) &&
	       execution_read_fields(stepper, error);
}

/* Changes consent as far as the person's own choices let it; else notes it in the result. */
static bool
change_consent(struct stepper *stepper, struct automation_step_result *result, GError **error)
{
	static const struct store_consent_act act = {
	    .source = CONSENT_BY_WORKFLOW, .author = CONSENT_OF_OPERATOR};
	const struct store_execution *e = stepper->execution;
	const struct consent_parts parts = {
	    result->subscribed_given, result->subscribed, result->topics, result->audiences};
	g_autofree char *address = NULL;
	bool is_refused;

	if (!parts.subscribed_given && !parts.topics && !parts.audiences)
		return true;
	if (!(address = person_contact_recipient(e->email, error)))
		return false;
	const struct consent_parts_person person = {&e->workspace_id, e->email, address};
	g_clear_pointer(&stepper->locked->fields, json_free);
	if (!consent_parts_apply(stepper->batch->service->db, stepper->batch->service, &person,
		&parts, &act, &is_refused, error))
		return false;
	if (is_refused)
		automation_step_note_refused(result);
	return execution_read_fields(stepper, error);
}

/* Delays the execution until the quota that keeps a confirmation back has room. */
static bool
wait_for_confirmation(struct stepper *stepper, GError *failure)
{
	const struct base_error_excess *excess = base_error_excess(failure);
	gint64 now = stepper->batch->now;

	delay_until(stepper->claimed, excess ? excess->end : now + pauses[0], now);
	stepper->is_over = true;
	g_error_free(failure);
	return true;
}

static bool
update_properties(struct stepper *stepper, const struct json *patch, GError **error)
{
	struct automation_locked_contact *locked = stepper->locked;

	return automation_locked_contact_merge(locked, patch, error) &&
	       automation_locked_contact_before(locked, error) &&
	       automation_locked_contact_store(locked, error);
}

static bool
update_person(struct stepper *stepper, struct automation_step_result *result, GError **error)
{
	GError *failure = NULL;

	if (update_properties(stepper, result->patch, &failure) &&
	    (!result->names || rename_contact(stepper, result->names, &failure)) &&
	    change_consent(stepper, result, &failure))
		return true;
	/* Another transaction has made the membership meanwhile: the engine runs this one again. */
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT)) {
		g_propagate_error(error, failure);
		return false;
	}
	return g_error_matches(failure, PH_ERROR, PH_ERROR_LIMITED)
		   ? wait_for_confirmation(stepper, failure)
		   : fail_or_retry(stepper, failure, error);
}

#define JOINED "the event has joined the digest that is open"

/* Opens a digest, at whose end the execution goes on, or joins the one that is open. */
static bool
execution_gather(struct stepper *stepper, struct automation_step_result *result, GError **error)
{
	struct store_execution *e = stepper->execution;
	GError *failure = NULL;
	const struct json *event = execution_read_event(stepper, &failure);
	bool joined;

	if (failure) {
		g_propagate_error(error, failure);
		return false;
	}
	if (!automation_digest_join(
		stepper->batch->service->db, e, result->key, event, result->until, &joined, error))
		return false;
	stepper->is_over = true;
	if (!joined) {
		/* Others may be due at this node before its end, even if that has passed. */
		e->status = EXECUTION_WAITING;
		e->wait_until = e->ready_at = result->until;
		return true;
	}
	g_free(result->why);
	result->why = g_strdup(JOINED);
	note_step(stepper, result, stepper->batch->sent->len);
	e->completion = COMPLETION_DIGEST;
	execution_finish(stepper, EXECUTION_COMPLETED);
	return true;
}

static bool execution_apply(struct stepper *stepper, const struct automation_step_input *input,
    struct automation_step_result *result, GError **error);

/* Fills in the request of a step. NULL with INVALID when it cannot be made. */
static struct store_step_request *
execution_make_request(
    struct stepper *stepper, const struct automation_step_input *input, GError **error)
{
	GError *failure = NULL;
	const struct automation_mailing mailing = {
	    .batch = stepper->batch,
	    .execution = stepper->execution,
	    .properties = stepper->locked->properties,
	    .event = execution_read_event,
	    .results = execution_read_results,
	    .event_context = stepper,
	};
	const struct json *event = execution_read_event(stepper, &failure);

	if (failure) {
		g_propagate_error(error, failure);
		return NULL;
	}
	const struct automation_rules_scope scope = {
	    input->properties, event, input->fields, NULL, event, input->segments, input->results};
	const struct automation_request_input request = {
	    .node = &stepper->node->request,
	    .mailing = &mailing,
	    .scope = &scope,
	    .event = event,
	    .now = stepper->batch->now,
	};
	return automation_request_make(&request, error);
}

/* The request cannot be made: the step goes on as if it had failed. */
static bool
execution_refuse_request(struct stepper *stepper, const struct automation_step_input *given,
    const char *why, GError **error)
{
	struct automation_step_input input = *given;
	const struct automation_step_answer answer = {.error = why};
	struct automation_step_result result;

	input.answer = &answer;
	automation_step(&input, &result);
	bool done = execution_apply(stepper, &input, &result, error);
	automation_step_clear(&result);
	return done;
}

/* Has the request of a step made, unless it is under way: the answer makes the execution due. */
static bool
execution_ask(struct stepper *stepper, const struct automation_step_input *input, GError **error)
{
	g_autoptr(GError) failure = NULL;

	if (!stepper->answer.is_asked) {
		AUTO(store_step_request)
		request = execution_make_request(stepper, input, &failure);

		if (!request && g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID))
			return execution_refuse_request(stepper, input, failure->message, error);
		if (!request) {
			g_propagate_error(error, g_steal_pointer(&failure));
			return false;
		}
		if (!store_step_request_insert(stepper->batch->service->db, request, error))
			return false;
	}
	stepper->execution->status = EXECUTION_IN_PROGRESS;
	stepper->execution->ready_at = 0;
	stepper->is_over = true;
	return true;
}

/* The step ends with the answer to its request, at the time of that. */
static bool
execution_take_answer(struct stepper *stepper, GError **error)
{
	struct store_execution *e = stepper->execution;

	if (!stepper->answer.is_answered)
		return true;
	stepper->asked = e->step_time;
	e->step_time = MAX(e->step_time, stepper->answer.time);
	return store_step_request_remove(stepper->batch->service->db, &e->id, error);
}

/* Changes the person. Events that this tells never start the execution's own workflow. */
static bool
execution_update(struct stepper *stepper, struct automation_step_result *result, GError **error)
{
	const struct store_execution *e = stepper->execution;
	struct db *db = stepper->batch->service->db;

	return store_own_cause(db, &e->workflow_id, e->depth, error) &&
	       update_person(stepper, result, error) && store_own_cause(db, NULL, 0, error);
}

/* Carries out the decision of a step. */
static bool
execution_apply(struct stepper *stepper, const struct automation_step_input *input,
    struct automation_step_result *result, GError **error)
{
	guint sent = stepper->batch->sent->len;

	if (!execution_take_answer(stepper, error))
		return false;
	switch (result->kind) {
	case STEP_WAIT:
		return wait(stepper, result->until, error);
	case STEP_WAIT_EVENT:
		return wait_event(stepper, result->until, false, error);
	case STEP_REQUEST:
		return execution_ask(stepper, input, error);
	case STEP_FAIL:
		execution_fail(stepper, result->message);
		return true;
	case STEP_SEND:
		if (!execution_send_email(stepper, result->email, error))
			return false;
		break;
	case STEP_UPDATE:
		if (!execution_update(stepper, result, error))
			return false;
		break;
	case STEP_DIGEST:
		return execution_gather(stepper, result, error);
	case STEP_DELETE:
		stepper->locked->is_deleted = true;
		break;
	case STEP_MOVE:
	case STEP_END:
		break;
	}
	if (!execution_take_given(stepper, result->given, error))
		return false;
	if (stepper->is_over)
		return true;
	note_step(stepper, result, sent);
	execution_move(stepper, result->next);
	return true;
}

/* Ends the execution where it stands, by its goal or an exit. */
static bool
execution_end(struct stepper *stepper, bool is_goal, char *why, GError **error)
{
	struct store_execution *e = stepper->execution;
	struct db *db = stepper->batch->service->db;
	const struct automation_step_result result = {.why = why};
	struct store_execution_step step = leave_step(stepper, &result);

	if (e->status == EXECUTION_WAITING && stepper->node->type == NODE_WAIT_FOR_EVENT)
		note_wait(e, stepper->node, NULL, stepper->batch->gone);
	if (stepper->node->type == NODE_DIGEST && !store_digest_remove(db, &e->id, error))
		return false;
	step.result = is_goal ? RESULT_DONE : RESULT_SKIPPED;
	step.wait_until = e->wait_until;
	automation_batch_step(stepper->batch, &step);
	if (is_goal)
		e->completion = COMPLETION_GOAL;
	else
		e->cancellation = CANCELLATION_EXIT;
	execution_finish(stepper, is_goal ? EXECUTION_COMPLETED : EXECUTION_CANCELLED);
	return true;
}

/* Notes that the goal is reached. */
static bool
execution_reach(struct stepper *stepper, GError **error)
{
	struct store_execution *e = stepper->execution;
	struct db *db = stepper->batch->service->db;

	e->goal_at = stepper->batch->now;
	store_execution_count_goal(db, &e->workspace_id, &e->workflow_id, e->goal_at);
	return store_watch_remove(db, &e->id, WATCH_GOAL, error);
}

/* Whether the goal still counts that ends an execution, or that it has not reached yet. */
static bool
execution_seeks_goal(
    const struct store_execution *e, const struct automation_endings *endings, gint64 now)
{
	return !e->goal_at &&
	       (endings->within == 0 || now < base_id_time(&e->event_id) + endings->within);
}

static bool
execution_test_endings(
    struct stepper *stepper, const struct automation_endings *endings, GError **error)
{
	struct store_execution *e = stepper->execution;
	struct base_budget budget = {.begun = 0};
	struct automation_step_input input;

	if (!make_input(stepper, &input, error) ||
	    !automation_watch_read_segments(stepper->locked, endings, error))
		return false;
	const struct automation_rules_scope scope = {.contact = stepper->locked->properties,
	    .fields = stepper->locked->fields,
	    .budget = &budget,
	    .started = input.event,
	    .segments = stepper->locked->segments,
	    .results = input.results};
	g_autoptr(GString) goal = g_string_new("goal: ");
	g_autoptr(GString) exit = g_string_new("exit: ");
	if (execution_seeks_goal(e, endings, stepper->batch->now) &&
	    automation_endings_hold(endings->goals, NULL, &scope, goal)) {
		if (!execution_reach(stepper, error))
			return false;
		if (!endings->goes_on)
			return execution_end(stepper, true, goal->str, error);
	}
	return !automation_endings_hold(endings->exits, NULL, &scope, exit) ||
	       execution_end(stepper, false, exit->str, error);
}

/* Ends the execution if rules of its goal or an exit hold. */
static bool
execution_check_endings(struct stepper *stepper, GError **error)
{
	const struct automation_node_trigger *trigger =
	    automation_design_trigger(stepper->cached->design);
	const struct automation_endings *endings = trigger ? trigger->endings : NULL;

	return stepper->is_over || !endings || !endings->has_rules ||
	       execution_test_endings(stepper, endings, error);
}

static bool
step_on(struct stepper *stepper, GError **error)
{
	if (stepper->execution->status == EXECUTION_WAITING &&
	    !execution_check_endings(stepper, error))
		return false;
	if (!stepper->is_over && !execution_resume(stepper, error))
		return false;
	/* One step for each transaction, so that the journal tells which step kills the
	 * process. */
	guint limit = stepper->execution->deaths > 0 ? 1 : STEPS_AT_ONCE;
	for (guint i = 0; i < limit && !stepper->is_over; i++) {
		struct automation_step_input input;
		struct automation_step_result result;

		if (!execution_check_endings(stepper, error))
			return false;
		if (stepper->is_over)
			break;
		FAULT_AT("step", stepper->node->id);

		if (!make_input(stepper, &input, error))
			return false;
		automation_step(&input, &result);
		bool done = execution_apply(stepper, &input, &result, error);
		automation_step_clear(&result);
		if (!done)
			return false;
	}
	return true;
}

/* Returns whether the workflow's state allows steps. Otherwise the execution is parked
   until the workflow is no longer paused or, when it was deleted, until the task cancels it
   (automation/workflow.h). */
static bool
may_step(struct stepper *stepper)
{
	struct store_execution *e = stepper->execution;
	const struct store_workflow_state *state =
	    automation_batch_state(stepper->batch, &e->workflow_id);

	if (!state->deleted && state->status != WORKFLOW_PAUSED)
		return true;
	stepper->claimed->parked = e->ready_at;
	e->ready_at = 0;
	return false;
}

static bool
load_and_step(struct stepper *stepper, GError **error)
{
	const struct store_execution *e = stepper->execution;
	GError *failure = NULL;

	stepper->cached = automation_design_cache_get(
	    stepper->batch->service, &e->workflow_id, e->version, error);
	if (!stepper->cached)
		return false;
	stepper->locked = automation_batch_contact(stepper->batch, stepper->claimed, &failure);
	if (!stepper->locked)
		return fail_or_retry(stepper, failure, error);
	/* The batch cancels the others of a person whom it removes. */
	if (stepper->locked->is_deleted)
		return true;
	if (!execution_read_fields(stepper, error))
		return false;
	if (stepper->cached->design)
		stepper->node = automation_design_node(stepper->cached->design, e->step_id);
	if (stepper->node)
		return step_on(stepper, error);
	execution_fail(stepper, "the design has no such step any more");
	return true;
}

bool
automation_execution_step(
    struct automation_batch *batch, struct store_execution_claimed *claimed, GError **error)
{
	struct stepper stepper = {
	    .batch = batch, .claimed = claimed, .execution = &claimed->execution};

	claimed->execution.updated = batch->now;
	automation_batch_mark(batch, &claimed->execution.id);
	bool done = !may_step(&stepper) || load_and_step(&stepper, error);
	g_free(stepper.digest);
	json_free(stepper.event);
	store_step_answer_clear(&stepper.answer);
	g_clear_pointer(&stepper.results, automation_results_free);
	automation_batch_mark(batch, NULL);
	if (done && claimed->execution.completed && stepper.cached && stepper.cached->has_endings)
		g_ptr_array_add(batch->unwatched, &claimed->execution.id);
	if (stepper.is_over)
		claimed->execution.deaths = 0;
	return done;
}

struct cancellation {
	const struct store_execution *execution;
	guint count;
};

static bool
lib_automation_execution_cancel(struct db *db, void *context, GError **error)
{
	struct cancellation *cancellation = context;

	return store_execution_cancel(
	    db, cancellation->execution, base_clock_now(), &cancellation->count, error);
}

bool
automation_execution_cancel(struct service *service, const struct base_id *workspace,
    const struct base_id *id, GError **error)
{
	AUTO(store_execution) execution = store_execution_get(service->db, workspace, id, error);
	struct cancellation cancellation = {execution, 0};

	if (!execution)
		return false;
	bool runs =
	    execution->status == EXECUTION_IN_PROGRESS || execution->status == EXECUTION_WAITING;
	if (runs &&
	    !db_transact(service->db, lib_automation_execution_cancel, &cancellation, error))
		return false;
	if (cancellation.count > 0) {
		service_metrics_add(METRIC_EXECUTIONS_ENDED, cancellation.count, "cancelled", NULL);
		return true;
	}
	g_set_error(error, PH_ERROR, PH_ERROR_CONFLICT, "Execution has already finished");
	return false;
}
