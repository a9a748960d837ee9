/* SPDX-License-Identifier: MIT */
/* The log's line of a request. */
#include "fcgi/request_log.h"

#include <glib.h>

#include "base/clock.h"
#include "base/log_line.h"
#include "core/core.h"
#include "fcgi/call.h"
#include "fcgi/routes.h"

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
    struct base_log_line *line)
{
	guint status = call->reply->status;
	char address[ADDRESS_TEXT_SIZE];

	if (!base_log_line_begin(line, status >= 500 ? LEVEL_ERROR : LEVEL_INFO, "request"))
		return false;
	base_log_line_text(line, "request_id", call->request_id);
	base_log_line_text(line, "method", fcgi_request_log_method(call->request));
	base_log_line_text(line, "route", route);
	base_log_line_number(line, "status", status);
	base_log_line_number(line, "ms", (base_clock_boot_ns() - begun) / 1000000);
	base_log_line_number(line, "in", size_in(call));
	base_log_line_number(line, "out", size_out(call));
	base_log_line_number(line, "rows", (gint64)rows);
	if (call->key.scope) {
		base_log_line_id(line, call->key.is_session ? "session" : "key", &call->key.id);
		base_log_line_id(line, "workspace", &call->key.workspace_id);
	}
	if (fcgi_request_address(call->request, call->core->settings, address))
		base_log_line_text(line, "address", address);
	return true;
}
