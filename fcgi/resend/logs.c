/* SPDX-License-Identifier: MIT */
/* Writes and shows the log of requests under /resend. */
#include "fcgi/resend/logs.h"

#include <string.h>

#include "base/limits/request.h"
#include "config/log.h"
#include "config/settings.h"
#include "fcgi/api/context.h"
#include "fcgi/http/request.h"
#include "fcgi/resend/error.h"
#include "fcgi/resend/handlers.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/common/listing.h"
#include "store/workspace/request_log.h"

static bool
logs_is_on(const struct service *service)
{
	return config_settings_switch(service->settings, SETTING_RESEND_LOGS);
}

/* Whether the member is a content or a secret, which the log does not have. */
static bool
logs_is_left_out(const char *key)
{
	static const char *const names[] = {"html", "text", "content", "token", "signing_secret"};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		if (strcmp(names[i], key) == 0)
			return true;
	return false;
}

static void logs_write_value(struct json_writer *writer, const char *key, const struct json *value);

static void
logs_write_object(struct json_writer *writer, const char *key, const struct json *object)
{
	struct json_iterator members = json_members(object);
	const struct json *value;
	const char *name;

	json_writer_begin_object(writer, key);
	while (json_iterator_next(&members, &name, &value))
		if (!logs_is_left_out(name))
			logs_write_value(writer, name, value);
	json_writer_end_object(writer);
}

static void
logs_write_value(struct json_writer *writer, const char *key, const struct json *value)
{
	if (json_kind(value) == JSON_OBJECT) {
		logs_write_object(writer, key, value);
		return;
	}
	if (json_kind(value) != JSON_ARRAY) {
		json_writer_value(writer, key, value);
		return;
	}
	json_writer_begin_array(writer, key);
	for (gsize i = 0; i < json_array_length(value); i++)
		logs_write_value(writer, NULL, json_array_at(value, i));
	json_writer_end_array(writer);
}

char *
fcgi_resend_logs_text(const struct json *document)
{
	AUTO(json_writer) writer = json_writer_new();
	gsize size;

	logs_write_value(writer, NULL, document);
	g_autofree char *text = json_writer_take(writer, &size);
	return size <= LIMIT_LOG_BODY_BYTES ? g_steal_pointer(&text) : NULL;
}

void
fcgi_resend_logs_keep_body(struct fcgi_call *call, const struct json *body)
{
	if (logs_is_on(call->service) && call->body_size > 0)
		call->logged_body = fcgi_resend_logs_text(body);
}

/* An entry, with the body of the reply. */
struct entry {
	struct store_request_log *log;
	GBytes *reply; /* NULL: none */
};

/* The first characters of a text that may be no UTF-8. */
static char *
logs_cut(const char *text, glong most)
{
	g_autofree char *valid = text ? g_utf8_make_valid(text, -1) : NULL;

	return valid ? g_utf8_substring(valid, 0, MIN(g_utf8_strlen(valid, -1), most)) : NULL;
}

/* A request whose key is not known belongs to no workspace. */
void *
fcgi_resend_logs_note(struct fcgi_call *call)
{
	static const struct base_id none;

	if (!logs_is_on(call->service) || base_id_equal(&call->key.workspace_id, &none))
		return NULL;
	/* Behind /resend. */
	const char *rest = strchr(call->request->path + 1, '/');
	struct entry *entry = g_new0(struct entry, 1);
	struct store_request_log *log = entry->log = g_new0(struct store_request_log, 1);
	base_id_parse(call->request_id, &log->id);
	log->workspace_id = call->key.workspace_id;
	log->endpoint = logs_cut(rest ? rest : "/", LIMIT_PATH_BYTES);
	log->method = g_strdup(fcgi_request_method_name(call->request->method));
	log->status = call->reply->status;
	log->user_agent =
	    logs_cut(fcgi_request_header(call->request, "HTTP_USER_AGENT"), LIMIT_LOG_USER_AGENT);
	log->request = g_steal_pointer(&call->logged_body);
	entry->reply = call->reply->body ? g_bytes_ref(call->reply->body) : NULL;
	return entry;
}

static char *
text_of_reply(GBytes *reply)
{
	gsize size;
	const char *bytes = g_bytes_get_data(reply, &size);
	AUTO(json) document = size > 0 ? json_parse_as("a reply", bytes, size, NULL) : NULL;

	return document ? fcgi_resend_logs_text(document) : NULL;
}

void
fcgi_resend_logs_store(struct service *service, void *data)
{
	struct entry *entry = data;
	g_autoptr(GError) error = NULL;

	if (entry->reply)
		entry->log->response = text_of_reply(entry->reply);
	if (service->db && !store_request_log_add(service->db, entry->log, &error))
		config_log("a request is missing in the log of /resend: %s", error->message);
	g_clear_pointer(&entry->reply, g_bytes_unref);
	store_request_log_free(entry->log);
	g_free(entry);
}

static void
logs_write_members(struct json_writer *writer, const struct service *service, const void *row)
{
	const struct store_request_log *log = row;
	fcgi_resend_write_id(writer, "id", &log->id);
	fcgi_resend_write_time(writer, "created_at", base_id_time(&log->id));
	json_writer_string(writer, "endpoint", log->endpoint);
	json_writer_string(writer, "method", log->method);
	json_writer_integer(writer, "response_status", log->status);
	json_writer_string(writer, "user_agent", log->user_agent);
}

/* While the log is off, the list is empty. */
bool
fcgi_resend_logs_list(struct fcgi_call *call, GError **error)
{
	struct store_page page;

	if (!fcgi_resend_page(call, RESEND_ROWS_SOME, &page, error))
		return false;
	g_autoptr(GPtrArray) logs =
	    logs_is_on(call->service)
		? store_request_log_page(call->service->db, &call->key.workspace_id, &page, error)
		: g_ptr_array_new();
	return fcgi_resend_list(call, &page, logs, logs_write_members);
}

static void
write_body(struct json_writer *writer, const char *key, const char *text)
{
	json_writer_raw(writer, key, text, text ? strlen(text) : 0);
}

bool
fcgi_resend_logs_get(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct base_id id;

	if (!fcgi_resend_id(call, 0, &id, error))
		return false;
	if (!logs_is_on(call->service))
		return fcgi_resend_missing(error, "Log");
	AUTO(store_request_log) log =
	    store_request_log_get(call->service->db, &call->key.workspace_id, &id, error);
	if (!log)
		return false;
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "object", "log");
	logs_write_members(writer, call->service, log);
	write_body(writer, "request_body", log->request);
	write_body(writer, "response_body", log->response);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}
