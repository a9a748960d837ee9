/* SPDX-License-Identifier: MIT */
/* Starts as requests order and cancel them, and their JSON. */
#ifndef START_ORDER_H
#define START_ORDER_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "json/view.h"
#include "service/once.h"
#include "store/automation/start.h"

struct json;
struct service;

/* The members of a start (struct store_start): id, workflow_id, source, status, audience_id,
   segment_id, scheduled_at, created, completed_at, execution_id, reason, error, counts. */
extern const struct json_view start_order_view;

/* The people to begin a workflow for: one of the first four. All borrowed. */
struct start_order_input {
	const char *email;
	const char **emails; /* NULL-terminated */
	const char *audience_id, *segment_id;
	const struct json *properties; /* of the event, an object; NULL: none */
};

/* A request to start a workflow (service/once.h). One person is begun in its transaction; many are
   the spool's (start/run.h). */
struct start_order {
	struct service_once request;
	struct store_start *start; /* the result, unless the request is replayed */

	/* For this room. */
	GArray *addresses; /* struct store_start_address */
	bool is_single;
};

/* Checks a request, which comes from source. input and the values of idempotency (NULL without a
   key) outlive it. INVALID "exactly one of email, emails, audience_id, segment_id is required", or
   naming the field; NOT_FOUND "Workflow not found"; errors of service_once_find;
   service_once_store_one adds CONFLICT "Workflow is draft", "Workflow is paused", and as of
   store_start_insert. The caller frees it with service_once_free. */
struct start_order *start_order_check(struct service *service, const struct base_id *workspace,
    const struct base_id *workflow, enum store_start_source source,
    const struct start_order_input *input, const struct service_idempotency *idempotency,
    GError **error);

/* Cancels a start; executions that were made stay. NOT_FOUND "Start not found"; CONFLICT "Start is
   done" and so on. The caller frees it. */
struct store_start *start_order_cancel(struct service *service, const struct base_id *workspace,
    const struct base_id *workflow, const struct base_id *id, GError **error);

#endif
