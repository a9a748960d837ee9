/* SPDX-License-Identifier: MIT */
/* Carries out what a step changes in its person: properties, names and consent. */
#include "automation/execution_update.h"

#include "automation/batch.h"
#include "automation/contact.h"
#include "automation/execution.h"
#include "automation/person.h"
#include "automation/step.h"
#include "automation/stepper.h"
#include "base/error.h"
#include "consent/parts.h"
#include "json/value.h"
#include "person/contact.h"
#include "service/service.h"
#include "store/automation/execution.h"
#include "store/automation/own.h"
#include "store/consent/consent.h"

static bool
execution_rename(struct automation_stepper *stepper, const struct json *names, GError **error)
{
	const struct store_execution *e = stepper->execution;

	g_clear_pointer(&stepper->locked->fields, json_free);
	return automation_person_rename(
		   stepper->batch->service->db, &e->workspace_id, &e->contact_id, names, error) &&
	       automation_stepper_read_fields(stepper, error);
}

/* Changes consent as far as the person's own choices let it; else notes it in the result. */
static bool
execution_change_consent(
    struct automation_stepper *stepper, struct automation_step_result *result, GError **error)
{
	static const struct store_consent_act act = {
	    .source = CONSENT_BY_WORKFLOW, .author = CONSENT_OF_OPERATOR};
	const struct store_execution *e = stepper->execution;
	const struct consent_parts parts = {
	    result->subscribed_given, result->subscribed, result->topics, result->audiences, &act};
	g_autofree char *address = NULL;
	bool is_refused;

	if (!parts.subscribed_given && !parts.topics && !parts.audiences)
		return true;
	if (!(address = person_contact_recipient(e->email, error)))
		return false;
	const struct consent_parts_person person = {&e->workspace_id, e->email, address};
	g_clear_pointer(&stepper->locked->fields, json_free);
	if (!consent_parts_apply(stepper->batch->service->db, stepper->batch->service, &person,
		&parts, &is_refused, error))
		return false;
	if (is_refused)
		automation_step_note_refused(result);
	return automation_stepper_read_fields(stepper, error);
}

/* Delays the execution until the quota that keeps a confirmation back has room. */
static bool
execution_wait_for_confirmation(struct automation_stepper *stepper, GError *failure)
{
	const struct base_error_excess *excess = base_error_excess(failure);
	gint64 now = stepper->batch->now;

	automation_execution_delay(
	    stepper->claimed, excess ? excess->end : now + AUTOMATION_EXECUTION_DELAY_MS, now);
	stepper->is_over = true;
	g_error_free(failure);
	return true;
}

static bool
execution_update_properties(
    struct automation_stepper *stepper, const struct json *patch, GError **error)
{
	struct automation_locked_contact *locked = stepper->locked;

	return automation_locked_contact_merge(locked, patch, error) &&
	       automation_locked_contact_before(locked, error) &&
	       automation_locked_contact_store(locked, error);
}

static bool
execution_update_person(
    struct automation_stepper *stepper, struct automation_step_result *result, GError **error)
{
	GError *failure = NULL;

	if (execution_update_properties(stepper, result->patch, &failure) &&
	    (!result->names || execution_rename(stepper, result->names, &failure)) &&
	    execution_change_consent(stepper, result, &failure))
		return true;
	/* Another transaction has made the membership meanwhile: the engine runs this one again. */
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT)) {
		g_propagate_error(error, failure);
		return false;
	}
	return g_error_matches(failure, PH_ERROR, PH_ERROR_LIMITED)
		   ? execution_wait_for_confirmation(stepper, failure)
		   : automation_stepper_fail_or_retry(stepper, failure, error);
}

bool
automation_execution_update(
    struct automation_stepper *stepper, struct automation_step_result *result, GError **error)
{
	const struct store_execution *e = stepper->execution;
	struct db *db = stepper->batch->service->db;

	return store_own_cause(db, &e->workflow_id, e->depth, error) &&
	       execution_update_person(stepper, result, error) &&
	       store_own_cause(db, NULL, 0, error);
}
