/* SPDX-License-Identifier: MIT */
/* Checks and stores requests to start a workflow, and cancels starts. */
#include "start/order.h"

#include <string.h>

#include "automation/design_cache.h"
#include "automation/recorded.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits/workflow.h"
#include "db/transaction.h"
#include "json/strict.h"
#include "json/writer.h"
#include "person/contact.h"
#include "service/metrics.h"
#include "service/service.h"
#include "start/begin.h"
#include "store/automation/workflow.h"
#include "store/broadcast/segment.h"
#include "store/common/found.h"
#include "store/person/audience.h"

static struct json_view_value
order_id_or_null(const struct base_id *id, bool is_given)
{
	return (struct json_view_value){.type = is_given ? VIEW_ID : VIEW_NULL, .id = id};
}

static struct json_view_value
order_read_audience(const void *row)
{
	const struct store_start *start = row;

	return order_id_or_null(&start->audience_id, start->has_audience);
}

static struct json_view_value
order_read_segment(const void *row)
{
	const struct store_start *start = row;

	return order_id_or_null(&start->segment_id, start->has_segment);
}

static struct json_view_value
order_read_execution(const void *row)
{
	const struct store_start *start = row;

	return order_id_or_null(&start->execution_id, start->has_execution);
}

static struct json_view_value
order_read_reason(const void *row)
{
	const struct store_start *start = row;

	return (struct json_view_value){.type = VIEW_TEXT,
	    .text =
		start->reason == START_REASON_NONE ? NULL : store_start_reasons[start->reason - 1]};
}

static struct json_view_value
order_read_counts(const void *row)
{
	const struct store_start *start = row;
	char *text =
	    g_strdup_printf("{\"people\":%" G_GINT64_FORMAT ",\"started\":%" G_GINT64_FORMAT
			    ",\"filter\":%" G_GINT64_FORMAT ",\"reentry\":%" G_GINT64_FORMAT "}",
		start->people, start->started, start->filter, start->reentry);

	return (struct json_view_value){.type = VIEW_JSON, .text = text, .made = text};
}

static const struct json_view_member members[] = {
    JSON_VIEW_MEMBER("id", VIEW_ID, struct store_start, id),
    JSON_VIEW_MEMBER("workflow_id", VIEW_ID, struct store_start, workflow_id),
    JSON_VIEW_MEMBER("source", VIEW_WORD, struct store_start, source, .words = store_start_sources),
    JSON_VIEW_MEMBER(
	"status", VIEW_WORD, struct store_start, status, .words = store_start_statuses),
    {"audience_id", VIEW_MADE, .read = order_read_audience},
    {"segment_id", VIEW_MADE, .read = order_read_segment},
    JSON_VIEW_MEMBER("scheduled_at", VIEW_TIME, struct store_start, scheduled_at),
    JSON_VIEW_MEMBER("created", VIEW_TIME, struct store_start, created),
    JSON_VIEW_MEMBER("completed_at", VIEW_TIME, struct store_start, completed),
    {"execution_id", VIEW_MADE, .read = order_read_execution},
    {"reason", VIEW_MADE, .read = order_read_reason},
    JSON_VIEW_MEMBER("error", VIEW_TEXT, struct store_start, error),
    {"counts", VIEW_MADE, .read = order_read_counts},
};
const struct json_view start_order_view = JSON_VIEW(members);

static struct start_order *
order_of(const struct service_once *request)
{
	return (struct start_order *)request;
}

static void
order_free(struct service_once *request)
{
	struct start_order *order = order_of(request);

	g_array_unref(order->addresses);
	store_start_free(order->start);
	g_free(order);
}

/* The first is that of the request, which has one where is_single. */
static struct store_start_address *
order_address(const struct start_order *order, guint i)
{
	return &g_array_index(order->addresses, struct store_start_address, i);
}

static bool
order_begin_single(struct service *service, struct start_order *order,
    const struct store_start_workflow *workflow, GError **error)
{
	const struct store_start_address *one = order_address(order, 0);
	struct store_start *start = order->start;
	struct automation_beginning result;
	g_autoptr(GPtrArray) people = start_begin_addresses(service, start,
	    (const char *const *)&one->address, (const char *const *)&one->email, 1, error);

	start->people = start->started = start->filter = start->reentry = 0;
	if (!people || !start_begin(service, start, workflow, people, &result, error))
		return false;
	start->status = START_DONE;
	start->completed = base_clock_now();
	start->reason = result.reason;
	start->has_execution = result.reason == START_REASON_NONE;
	start->execution_id = result.execution_id;
	return true;
}

/* After a COMMIT without a reply, finds out whether it stored the start. The lock of the workflow
   does not keep the earlier transaction out; the unique key of the id then fails this one, which
   runs again. */
static bool
order_is_stored(
    struct service *service, const struct start_order *order, bool *stored_r, GError **error)
{
	const struct store_start *start = order->start;

	*stored_r = false;
	return !order->request.maybe_stored ||
	       store_start_there(service->db, &start->workspace_id, &start->id, stored_r, error);
}

static bool
order_store_one(struct service *service, struct start_order *order, GError **error)
{
	struct store_start *start = order->start;
	struct store_start_workflow workflow;
	bool stored;

	if (!order_is_stored(service, order, &stored, error))
		return false;
	if (stored)
		return true;
	if (!store_start_workflow(
		service->db, &start->workspace_id, &start->workflow_id, &workflow, error))
		return false;
	if (workflow.is_deleted)
		return store_workflow_missing(error);
	if (workflow.status != WORKFLOW_ACTIVE)
		return base_fail(error, PH_ERROR_CONFLICT, "Workflow is %s",
		    store_workflow_status_name(workflow.status));
	if (order->is_single)
		return order_begin_single(service, order, &workflow, error) &&
		       store_start_insert(service->db, start, NULL, 0, error);
	return store_start_insert(service->db, start,
	    (const struct store_start_address *)(const void *)order->addresses->data,
	    order->addresses->len, error);
}

static bool
order_store(
    struct service *service, struct service_once *const *requests, guint count, GError **error)
{
	for (guint i = 0; i < count; i++)
		if (!order_store_one(service, order_of(requests[i]), error))
			return false;
	return service_once_take(service, requests, count, error);
}

static bool
order_count(struct service *service, struct service_once *request, GError **error)
{
	const struct start_order *order = (const struct start_order *)request;

	service_metrics_add(METRIC_STARTS, 1, store_start_sources[order->start->source - 1], NULL);
	return true;
}

static const struct service_once_kind kind = {
    .store = order_store, .follow = order_count, .free = order_free};

static void
order_clear_address(void *data)
{
	struct store_start_address *address = data;

	g_free(address->address);
	g_free(address->email);
}

/* Adds an address, unless it was named before. field: its place in the request. */
static bool
order_add(struct start_order *order, const char *field, const char *email, GHashTable *seen,
    GError **error)
{
	g_autoptr(GError) local = NULL;
	struct store_start_address address = {person_contact_recipient(email, &local), NULL};

	if (!address.address) {
		const char *rest = strchr(local->message, ' ');

		return base_invalid(error, "%s%s", field, rest ? rest : " is not an address");
	}
	if (!g_hash_table_add(seen, address.address)) {
		g_free(address.address);
		return true;
	}
	address.email = g_strdup(email);
	g_array_append_val(order->addresses, address);
	return true;
}

static bool
order_read_addresses(
    struct start_order *order, const struct start_order_input *input, GError **error)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	order->is_single = input->email != NULL;
	if (input->email)
		return order_add(order, "email", input->email, seen, error);
	for (guint i = 0; input->emails && input->emails[i]; i++) {
		g_autofree char *field = g_strdup_printf("emails[%u]", i);

		if (!order_add(order, field, input->emails[i], seen, error))
			return false;
	}
	return true;
}

static bool
order_check_properties(struct store_start *start, const struct json *properties, GError **error)
{
	start->properties = properties ? json_print(properties) : g_strdup("{}");
	return strlen(start->properties) <= LIMIT_EVENT_PROPERTIES_BYTES ||
	       base_invalid(
		   error, "properties must be at most %d bytes", LIMIT_EVENT_PROPERTIES_BYTES);
}

static bool
order_check_input(struct start_order *order, const struct start_order_input *input, GError **error)
{
	struct store_start *start = order->start;
	int given = (input->email != NULL) + (input->emails != NULL) +
		    (input->audience_id != NULL) + (input->segment_id != NULL);

	if (given != 1)
		return base_invalid(
		    error, "exactly one of email, emails, audience_id, segment_id is required");
	start->has_audience = input->audience_id != NULL;
	start->has_segment = input->segment_id != NULL;
	if (start->has_audience && !base_id_parse(input->audience_id, &start->audience_id))
		return base_invalid(error, "audience_id is not an audience");
	if (start->has_segment && !base_id_parse(input->segment_id, &start->segment_id))
		return base_invalid(error, "segment_id is not a segment");
	return order_read_addresses(order, input, error) &&
	       order_check_properties(start, input->properties, error);
}

/* Turns NOT_FOUND into INVALID with this sentence. */
static bool
order_is_there(GError *failure, const char *sentence, GError **error)
{
	bool is_there;

	return store_found(failure, &is_there, error) &&
	       (is_there || base_invalid(error, "%s", sentence));
}

static bool
order_check_people(struct service *service, const struct store_start *start, GError **error)
{
	GError *failure = NULL;

	if (start->has_audience) {
		store_audience_check(
		    service->db, &start->workspace_id, &start->audience_id, &failure);
		return order_is_there(failure, "audience_id is not an audience", error);
	}
	if (!start->has_segment)
		return true;
	AUTO(store_segment)
	segment =
	    store_segment_get(service->db, &start->workspace_id, &start->segment_id, &failure);
	return order_is_there(failure, "segment_id is not a segment", error);
}

struct start_order *
start_order_check(struct service *service, const struct base_id *workspace,
    const struct base_id *workflow, enum store_start_source source,
    const struct start_order_input *input, const struct service_idempotency *idempotency,
    GError **error)
{
	struct start_order *order = g_new0(struct start_order, 1);
	AUTO(service_once) request = &order->request;

	automation_design_cache_trim(service);
	request->kind = &kind;
	if (idempotency)
		request->idempotency = *idempotency;
	order->addresses = g_array_new(FALSE, FALSE, sizeof(struct store_start_address));
	g_array_set_clear_func(order->addresses, order_clear_address);
	order->start = g_new0(struct store_start, 1);
	order->start->id = base_id_new();
	order->start->workspace_id = *workspace;
	order->start->workflow_id = *workflow;
	order->start->source = source;
	order->start->status = START_PENDING;
	order->start->created = base_clock_now();
	if (!order_check_input(order, input, error) || !service_once_find(service, request, error))
		return NULL;
	if (!request->replayed && (!store_workflow_check(service->db, workspace, workflow, error) ||
				      !order_check_people(service, order->start, error)))
		return NULL;
	request = NULL;
	return order;
}

struct cancelling {
	const struct base_id *workspace, *workflow, *id;
	struct store_start *start;
};

static bool
order_cancel(struct db *db, void *context, GError **error)
{
	struct cancelling *cancelling = context;

	g_clear_pointer(&cancelling->start, store_start_free);
	cancelling->start = store_start_lock(
	    db, cancelling->workspace, cancelling->workflow, cancelling->id, error);
	if (!cancelling->start)
		return false;
	if (store_start_is_over(cancelling->start))
		return base_fail(error, PH_ERROR_CONFLICT, "Start is %s",
		    store_start_statuses[cancelling->start->status - 1]);
	cancelling->start->status = START_CANCELLED;
	cancelling->start->completed = base_clock_now();
	return store_start_put(db, cancelling->start, error);
}

struct store_start *
start_order_cancel(struct service *service, const struct base_id *workspace,
    const struct base_id *workflow, const struct base_id *id, GError **error)
{
	struct cancelling cancelling = {workspace, workflow, id, NULL};

	if (db_transact(service->db, order_cancel, &cancelling, error))
		return cancelling.start;
	g_clear_pointer(&cancelling.start, store_start_free);
	return NULL;
}
