/* SPDX-License-Identifier: MIT */
/* A request in the log, and in the list of its workspace. */
#include "fcgi/api/request_log.h"

#include <glib.h>

#include "base/clock.h"
#include "base/limits/request.h"
#include "config/log_line.h"
#include "config/settings.h"
#include "fcgi/api/context.h"
#include "fcgi/api/routes.h"
#include "json/strict.h"
#include "json/value.h"
#include "service/request_history.h"
#include "service/service.h"
#include "store/workspace/request_history.h"

#define FAILURE_BYTES (64 * 1024) /* a reply that is read for its reason */

const char *
fcgi_request_log_method(const struct fcgi_request *request)
{
	if (request->method == METHOD_OTHER)
		return "other";
	return request->head ? "HEAD" : fcgi_request_method_name(request->method);
}

const char *
fcgi_request_log_route(const struct fcgi_front *front, const struct fcgi_route *route)
{
	if (!route)
		return "none";
	if (!*front->prefix)
		return route->pattern;
	g_autofree char *whole = g_strconcat(front->prefix, route->pattern, NULL);
	return g_intern_string(whole);
}

static gint64
size_in(const struct fcgi_call *call)
{
	const char *length = fcgi_request_header(call->request, "CONTENT_LENGTH");
	guint64 size;

	if (call->body_size > 0)
		return (gint64)call->body_size;
	return length && g_ascii_string_to_unsigned(length, 10, 0, G_MAXINT64, &size, NULL)
		   ? (gint64)size
		   : 0;
}

static gint64
size_out(const struct fcgi_call *call)
{
	GBytes *body = call->reply->body;

	return body && !call->request->head ? (gint64)g_bytes_get_size(body) : 0;
}

bool
fcgi_request_log_begin(const struct fcgi_call *call, const char *route, gint64 begun, guint64 rows,
    struct config_log_line *line)
{
	guint status = call->reply->status;
	char address[ADDRESS_TEXT_SIZE];

	if (!config_log_line_begin(line, status >= 500 ? LEVEL_ERROR : LEVEL_INFO, "request"))
		return false;
	config_log_line_text(line, "request_id", call->request_id);
	config_log_line_text(line, "method", fcgi_request_log_method(call->request));
	config_log_line_text(line, "route", route);
	config_log_line_number(line, "status", status);
	config_log_line_number(line, "ms", (base_clock_boot_ns() - begun) / 1000000);
	config_log_line_number(line, "in", size_in(call));
	config_log_line_number(line, "out", size_out(call));
	config_log_line_number(line, "rows", (gint64)rows);
	if (call->key.scope) {
		config_log_line_id(line, call->key.is_session ? "session" : "key", &call->key.id);
		config_log_line_id(line, "workspace", &call->key.workspace_id);
	}
	if (fcgi_request_address(call->request, call->service->settings, address))
		config_log_line_text(line, "address", address);
	return true;
}

static const char *
request_log_text_of(const struct json *document, const char *name)
{
	const struct json *member = json_member_get(document, name);

	return member && json_kind(member) == JSON_STRING ? json_string(member, NULL) : NULL;
}

/* The reason of a failure as the client got it, in any of the failure forms, without addresses that
   the log does not show. NULL: none. The caller owns it. */
static char *
request_log_reason_of(const struct fcgi_call *call)
{
	gsize size = 0;
	const char *body = call->reply->body ? g_bytes_get_data(call->reply->body, &size) : NULL;
	AUTO(json)
	document =
	    body && size <= FAILURE_BYTES ? json_parse_as("a reply", body, size, NULL) : NULL;
	const char *message = request_log_text_of(document, "message"),
		   *error = request_log_text_of(document, "error");
	const char *details = request_log_text_of(document, "details");

	if (!message && !error)
		return NULL;
	g_autofree char *whole = message   ? g_strdup(message)
				 : details ? g_strconcat(error, ": ", details, NULL)
					   : g_strdup(error);
	g_autofree char *masked = config_log_line_mask(call->service->settings, whole);
	return g_utf8_substring(masked, 0, MIN(g_utf8_strlen(masked, -1), LIMIT_CALL_MESSAGE));
}

static bool
request_log_is_kept(const struct fcgi_call *call)
{
	int which = config_settings_choice(call->service->settings, SETTING_LOG_REQUESTS);

	return call->key.scope &&
	       (which == REQUESTS_ALL || (which == REQUESTS_REFUSED && call->reply->status >= 400));
}

void
fcgi_request_log_keep(struct fcgi_call *call, const char *route, gint64 begun)
{
	char address[ADDRESS_TEXT_SIZE];

	if (!request_log_is_kept(call))
		return;
	struct store_request_history *kept = g_new0(struct store_request_history, 1);
	kept->id = base_id_new();
	kept->workspace_id = call->key.workspace_id;
	kept->actor = call->key.is_session ? AUDIT_USER : AUDIT_KEY;
	kept->actor_id = call->key.is_session ? call->key.user_id : call->key.id;
	kept->method = g_strdup(fcgi_request_log_method(call->request));
	kept->route = g_strdup(route);
	kept->status = call->reply->status;
	kept->ms = (base_clock_boot_ns() - begun) / 1000000;
	if (fcgi_request_address(call->request, call->service->settings, address))
		kept->address = g_strdup(address);
	kept->request_id = g_strdup(call->request_id);
	kept->message = kept->status >= 400 ? request_log_reason_of(call) : NULL;
	service_request_history_add(call->service, kept);
}
