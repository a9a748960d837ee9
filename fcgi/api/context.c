/* SPDX-License-Identifier: MIT */
/* One request on its way through a handler. */
#include "fcgi/api/context.h"

#include <string.h>

#include "automation/workflow.h"
#include "base/error.h"
#include "base/limits/request.h"
#include "config/log.h"
#include "config/settings.h"
#include "consent/consent.h"
#include "fcgi/http/request.h"
#include "json/value.h"
#include "service/once.h"
#include "service/service.h"

void
fcgi_call_after(
    struct fcgi_call *call, void (*function)(struct service *service, void *data), void *data)
{
	g_assert(!call->after);
	call->after = function;
	call->after_data = data;
}

const struct base_id *
fcgi_call_only_domain(const struct fcgi_call *call)
{
	return call->key.has_domain ? &call->key.domain_id : NULL;
}

static void
context_finish_request(struct service *service, void *data)
{
	g_autoptr(GError) trouble = NULL;

	if (!service_once_finish(service, data, &trouble))
		config_log("%s", trouble->message);
}

void
fcgi_call_finish_later(struct fcgi_call *call, struct service_once *request)
{
	fcgi_call_after(call, context_finish_request, request);
}

void
fcgi_call_finish(struct fcgi_call *call)
{
	if (call->after)
		call->after(call->service, call->after_data);
	call->after = NULL;
}

/* Parsing overwrites the bytes of the body, so this comes first. */
static void
context_digest(struct fcgi_call *call, const void *body, gsize size)
{
	struct store_idempotency key;

	if (!fcgi_request_header(call->request, FCGI_CALL_IDEMPOTENCY))
		return;
	store_idempotency_digest(&key, call->request->path, body, size);
	memcpy(call->digest, key.request, SHA256_SIZE);
}

bool
fcgi_call_body(struct fcgi_call *call, gsize most, char **bytes_r, GError **error)
{
	gint64 limit =
	    config_settings_number(call->service->settings, SETTING_LIMITS_REQUEST_BYTES);
	GBytes *body = fcgi_request_body(
	    call->request, most > 0 ? MIN((gsize)limit, most) : (gsize)limit, error);

	if (!body)
		return false;
	*bytes_r = g_bytes_unref_to_data(body, &call->body_size);
	context_digest(call, *bytes_r, call->body_size);
	return true;
}

static bool
context_is_key(const char *text)
{
	gsize length = strlen(text);

	for (const char *p = text; *p; p++)
		if (*p < ' ' || *p > '~')
			return false;
	return length >= 1 && length <= LIMIT_IDEMPOTENCY_KEY_LENGTH;
}

bool
fcgi_call_idempotency(struct fcgi_call *call, struct service_idempotency *key_r,
    char *(*write)(const struct service_once *request), GError **error)
{
	const char *name = fcgi_request_header(call->request, FCGI_CALL_IDEMPOTENCY);

	*key_r = (struct service_idempotency){.write = write};
	key_r->key.workspace_id = call->key.workspace_id;
	key_r->key.name = name;
	memcpy(key_r->key.request, call->digest, SHA256_SIZE);
	return !name || context_is_key(name) ||
	       base_invalid(error, "Idempotency-Key must be 1 to %d printable characters",
		   LIMIT_IDEMPOTENCY_KEY_LENGTH);
}

void
fcgi_call_answer(
    struct fcgi_call *call, const struct fcgi_storing *storing, struct service_once *request)
{
	g_autoptr(GError) trouble = NULL;
	char *body = request->answer ? g_steal_pointer(&request->answer) : storing->write(request);

	if (request->replayed)
		fcgi_reply_header(call->reply, "Idempotent-Replayed", "true");
	fcgi_reply_json_text(call->reply, storing->status, body);
	if (!service_once_follow(call->service, request, &trouble))
		config_log("%s", trouble->message);
}

struct automation_workflow_author
fcgi_call_author(const struct fcgi_call *call, char id_r[ID_TEXT_SIZE])
{
	if (call->key.is_session)
		return (struct automation_workflow_author){call->session.email, AUTHOR_USER};
	return (struct automation_workflow_author){base_id_format(&call->key.id, id_r), AUTHOR_KEY};
}

struct store_consent_act
fcgi_call_act(const struct fcgi_call *call)
{
	return (struct store_consent_act){.source = CONSENT_BY_API,
	    .author = CONSENT_OF_OPERATOR,
	    .user = &call->key.user_id,
	    .key = call->key.is_session ? NULL : &call->key.id};
}

static bool
context_read_text(const struct fcgi_call *call, const char *text,
    struct store_consent_override *override, const struct store_consent_override **given_r,
    GError **error)
{
	*override = (struct store_consent_override){
	    .user = &call->key.user_id, .key = call->key.is_session ? NULL : &call->key.id};
	return consent_read(text, override, given_r, error);
}

bool
fcgi_call_override(const struct fcgi_call *call, const struct json *member,
    struct store_consent_override *override, const struct store_consent_override **given_r,
    GError **error)
{
	const char *text = !member			      ? NULL
			   : json_kind(member) == JSON_STRING ? json_string(member, NULL)
			   : json_boolean(member)	      ? "true"
							      : "false";

	return context_read_text(call, text, override, given_r, error);
}

bool
fcgi_call_override_query(struct fcgi_call *call, struct store_consent_override *override,
    const struct store_consent_override **given_r, GError **error)
{
	const char *text;

	return fcgi_request_query(call->request, "override", &text, error) &&
	       context_read_text(call, text, override, given_r, error);
}

bool
fcgi_call_document(const struct fcgi_call *call, const struct json *document,
    const struct json_table *table, void *out, GError **error)
{
	struct json_unknown unknown = {
	    .noun = "a field of this request", .refuse = call->unknown.refuse};

	if (json_kind(document) != JSON_OBJECT)
		return base_invalid(error, "must be an object");
	bool known = json_unknown_check(document, table, NULL, &unknown, error);
	if (unknown.list)
		g_string_free(unknown.list, TRUE);
	return known && json_fields_read(document, table->fields, table->count, out, error);
}
