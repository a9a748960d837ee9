/* SPDX-License-Identifier: MIT */
/* The members of an execution. */
#include "automation/execution_view.h"

#include "base/id.h"
#include "json/view.h"
#include "json/writer.h"
#include "store/automation/execution.h"

static void
execution_write_context(
    struct json_writer *writer, const char *name, const void *row, const void *context)
{
	const struct store_execution *execution = row;

	json_writer_begin_object(writer, name);
	json_writer_string(writer, "email", execution->email);
	json_writer_integer(writer, "stepCount", execution->step_count);
	json_writer_end_object(writer);
}

static void
execution_write_error(
    struct json_writer *writer, const char *name, const void *row, const void *context)
{
	const struct store_execution *execution = row;

	if (execution->status != EXECUTION_FAILED) {
		json_writer_null(writer, name);
		return;
	}
	json_writer_begin_object(writer, name);
	json_writer_string(writer, "step_id", execution->error_step);
	json_writer_string(writer, "message", execution->error_message);
	json_writer_end_object(writer);
}

static struct json_view_value
execution_read_cancellation(const void *row)
{
	const struct store_execution *execution = row;

	return (struct json_view_value){.type = VIEW_TEXT,
	    .text = execution->cancellation == CANCELLATION_NONE
			? NULL
			: store_execution_cancellations[execution->cancellation - 1]};
}

static struct json_view_value
execution_read_completion(const void *row)
{
	const struct store_execution *execution = row;

	return (struct json_view_value){.type = VIEW_TEXT,
	    .text = execution->status == EXECUTION_COMPLETED
			? store_execution_completions[execution->completion]
			: NULL};
}

static struct json_view_value
execution_read_start(const void *row)
{
	const struct store_execution *execution = row;

	return (struct json_view_value){
	    .type = execution->has_start ? VIEW_ID : VIEW_NULL, .id = &execution->start_id};
}

static struct json_view_value
execution_read_wait(const void *row)
{
	const struct store_execution *execution = row;

	return (struct json_view_value){.type = VIEW_TIME,
	    .number = execution->status == EXECUTION_WAITING ? execution->wait_until : 0};
}

static struct json_view_value
execution_read_wait_if_waiting(const void *row)
{
	const struct store_execution *execution = row;
	struct json_view_value value = execution_read_wait(row);

	if (execution->status != EXECUTION_WAITING)
		value.type = VIEW_ABSENT;
	return value;
}

static char *
execution_make_schedule(const void *row, const void *context)
{
	char id[ID_TEXT_SIZE];

	return g_strconcat(
	    "schedule-", base_id_format(&((const struct store_execution *)row)->id, id), NULL);
}

/* clang-format off */
#define MEMBER(name, type, member, ...)                                                            \
	JSON_VIEW_MEMBER(name, type, struct store_execution, member, __VA_ARGS__)

#define EXECUTION_HEAD                                                                             \
	MEMBER("execution_id", VIEW_ID, id),                                                       \
	MEMBER("workflow_id", VIEW_ID, workflow_id),                                               \
	MEMBER("workspace_id", VIEW_ID, workspace_id),                                             \
	MEMBER("version_used", VIEW_COUNT, version),                                               \
	MEMBER("status", VIEW_WORD, status, store_execution_statuses),                             \
	MEMBER("current_step_id", VIEW_TEXT, step_id)

#define EXECUTION_TAIL                                                                             \
	MEMBER("created_at", VIEW_TIME, created),                                                  \
	MEMBER("updated_at", VIEW_TIME, updated),                                                  \
	MEMBER("completed_at", VIEW_TIME, completed),                                              \
	{"error", VIEW_PART, .write = execution_write_error},                                      \
	{"cancellation_reason", VIEW_MADE, .read = execution_read_cancellation},                   \
	{"completion_reason", VIEW_MADE, .read = execution_read_completion},                       \
	MEMBER("key", VIEW_TEXT, key),                                                             \
	MEMBER("goal_at", VIEW_TIME, goal_at),                                                     \
	{"start_id", VIEW_MADE, .read = execution_read_start}

static const struct json_view_member members[] = {
	EXECUTION_HEAD,
	{"context", VIEW_PART, .write = execution_write_context},
	EXECUTION_TAIL,
	{"wait_until", VIEW_MADE, .read = execution_read_wait},
	{"schedule_name", VIEW_TEXT, .make = execution_make_schedule},
};

static const struct json_view_member list_members[] = {
	EXECUTION_HEAD,
	MEMBER("email", VIEW_TEXT, email),
	MEMBER("step_count", VIEW_COUNT, step_count),
	EXECUTION_TAIL,
	{"wait_until", VIEW_MADE, .read = execution_read_wait_if_waiting},
};
/* clang-format on */

const struct json_view automation_execution_view = JSON_VIEW(members);
const struct json_view automation_execution_list = JSON_VIEW(list_members);
