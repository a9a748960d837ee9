/* SPDX-License-Identifier: MIT */
/* The service itself: its health, and the description of its API. */
#include "fcgi/v1/handlers.h"

#include <string.h>

#include "api/document.h"
#include "domain/tracking.h"
#include "fcgi/api/context.h"
#include "fcgi/api/host.h"
#include "fcgi/http/request.h"
#include "service/metrics.h"
#include "service/service.h"
#include "store/common/schema.h"
#include "upkeep/metrics_text.h"

#define METRICS_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"
#define MAX_AGE "public, max-age=3600"

/* Proves to another process of this installation that it is the one that answers for the host. */
static bool
service_prove(struct fcgi_call *call, GError **error)
{
	const char *random = NULL;
	g_autofree char *host = fcgi_host_of(call->request);

	if (!fcgi_request_query(call->request, "proof", &random, error))
		return false;
	if (!random || !host || !domain_tracking_is_random(random))
		return true;
	g_autofree char *proof = domain_tracking_proof(call->service->settings, random, host);
	fcgi_reply_header(call->reply, "X-Posthouse-Proof", proof);
	return true;
}

/* Whether the database can be reached, and has the schema of this program. */
static bool
service_is_ready(struct service *service, GError **error)
{
	return service_ensure(service, error) && store_schema_check(service->db, error);
}

static bool
service_say_ok(struct fcgi_call *call)
{
	fcgi_reply_json_text(call->reply, 200, g_strdup("{\"status\":\"ok\"}"));
	return true;
}

bool
fcgi_health_get(struct fcgi_call *call, GError **error)
{
	return service_is_ready(call->service, error) && service_prove(call, error) &&
	       service_say_ok(call);
}

bool
fcgi_ready_get(struct fcgi_call *call, GError **error)
{
	return service_is_ready(call->service, error) && service_say_ok(call);
}

bool
fcgi_metrics_get(struct fcgi_call *call, GError **error)
{
	char *text = upkeep_metrics_text(call->service, error);

	if (!text)
		return false;
	fcgi_reply_document(
	    call->reply, METRICS_TYPE, g_bytes_new_take(text, strlen(text)), "no-store");
	return true;
}

bool
fcgi_openapi_get(struct fcgi_call *call, GError **error)
{
	fcgi_reply_document(call->reply, "application/json",
	    g_bytes_new_static(api_document, sizeof(api_document) - 1), MAX_AGE);
	return true;
}
