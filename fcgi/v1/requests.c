/* SPDX-License-Identifier: MIT */
/* The newest requests of the workspace (/v1/requests). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/list.h"
#include "fcgi/api/context.h"
#include "fcgi/http/request.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/workspace/request_history.h"

static void
requests_write_row(struct json_writer *writer, const struct service *service, const void *data)
{
	const struct store_request_history *call = data;
	char id[ID_TEXT_SIZE];

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", base_id_format(&call->id, id));
	json_writer_integer(writer, "timestamp", base_id_time(&call->id));
	json_writer_string(writer, "method", call->method);
	json_writer_string(writer, "route", call->route);
	json_writer_integer(writer, "status", call->status);
	json_writer_integer(writer, "ms", call->ms);
	json_writer_begin_object(writer, "actor");
	json_writer_string(writer, "type", store_audit_actor_name(call->actor));
	json_writer_string(writer, "id", base_id_format(&call->actor_id, id));
	json_writer_string(writer, "name", call->actor_name);
	json_writer_end_object(writer);
	json_writer_string(writer, "address", call->address);
	json_writer_string(writer, "request_id", call->request_id);
	json_writer_string(writer, "message", call->message);
	json_writer_end_object(writer);
}

static bool
requests_read_result(const char *word, struct store_request_history_filter *filter, GError **error)
{
	static const struct {
		const char *word;
		guint from, to;
	} results[] = {{"ok", 0, 399}, {"refused", 400, 499}, {"failed", 500, 999}};

	filter->to = 999;
	for (guint i = 0; word && i < G_N_ELEMENTS(results); i++)
		if (strcmp(word, results[i].word) == 0) {
			filter->from = results[i].from;
			filter->to = results[i].to;
			return true;
		}
	return !word || base_invalid(error, "result must be ok, refused or failed");
}

/* Reads the number of a status, one of those that result has left. */
static bool
requests_read_status(const char *text, struct store_request_history_filter *filter, GError **error)
{
	guint64 status;

	if (!text)
		return true;
	if (!g_ascii_string_to_unsigned(text, 10, 100, 599, &status, NULL))
		return base_invalid(error, "status must be a number from 100 to 599");
	filter->from = MAX(filter->from, (guint)status);
	filter->to = MIN(filter->to, (guint)status);
	return true;
}

/* Both columns are ASCII. */
static bool
requests_read_words(
    struct fcgi_call *call, struct store_request_history_filter *filter, GError **error)
{
	static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE", NULL};

	if (!fcgi_page_text(call, "method", &filter->method, error) ||
	    !fcgi_page_text(call, "route", &filter->route, error))
		return false;
	if (filter->method && !g_strv_contains(methods, filter->method))
		return base_invalid(error, "method must be one of GET, POST, PUT, PATCH, DELETE");
	return !filter->route || g_str_is_ascii(filter->route) ||
	       base_invalid(error, "route must be of ASCII characters");
}

bool
fcgi_requests_list(struct fcgi_call *call, GError **error)
{
	struct store_request_history_filter filter = {.from = 0};
	struct base_id before, actor_id = {{0}};
	const char *result, *actor, *status;
	gint64 since, until;
	bool given;

	if (!fcgi_page_cursor(call, true, &before, &given, error) ||
	    !fcgi_page_text(call, "result", &result, error) ||
	    !fcgi_page_text(call, "actor", &actor, error) ||
	    !fcgi_page_text(call, "status", &status, error) ||
	    !requests_read_result(result, &filter, error) ||
	    !requests_read_status(status, &filter, error) ||
	    !requests_read_words(call, &filter, error) ||
	    !fcgi_page_time(call, "since", &since, &filter.since, error) ||
	    !fcgi_page_time(call, "until", &until, &filter.until, error))
		return false;
	/* An id that is none is all zero, which no actor has. */
	if (actor)
		base_id_parse(actor, &actor_id);
	filter.actor = actor ? &actor_id : NULL;
	g_autoptr(GPtrArray) calls = store_request_history_page(call->service->db,
	    &call->key.workspace_id, &filter, given ? &before : NULL, LIMIT_PAGE + 1, error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"requests", calls, LIMIT_PAGE, true,
		offsetof(struct store_request_history, id), .write = requests_write_row},
	    error);
}
