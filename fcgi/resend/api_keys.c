/* SPDX-License-Identifier: MIT */
/* API keys under /resend: make, list, rename and revoke them. */
#include "fcgi/resend/handlers.h"

#include <string.h>

#include "base/limits/person.h"
#include "fcgi/api/context.h"
#include "fcgi/resend/error.h"
#include "json/fields.h"
#include "json/writer.h"
#include "service/key.h"
#include "service/service.h"

struct key_input {
	const char *name, *permission, *domain;
};

/* A name may be empty. */
static const struct json_field key_fields[] = {
    JSON_FIELD(
	"name", FIELD_STRING, struct key_input, name, .required = true, .max = LIMIT_NAME_LENGTH),
    JSON_FIELD("permission", FIELD_STRING, struct key_input, permission),
    JSON_FIELD("domain_id", FIELD_STRING, struct key_input, domain),
};

static const struct json_field change_fields[] = {
    JSON_FIELD("name", FIELD_STRING, struct key_input, name, .max = LIMIT_NAME_LENGTH),
};

const struct json_table fcgi_resend_api_keys_body = JSON_TABLE(key_fields);
const struct json_table fcgi_resend_api_keys_change = JSON_TABLE(change_fields);

static bool
api_keys_read_scope(const char *permission, enum store_key_scope *scope_r, GError **error)
{
	*scope_r = KEY_FULL;
	if (!permission || strcmp(permission, "full_access") == 0)
		return true;
	*scope_r = KEY_SEND;
	return strcmp(permission, "sending_access") == 0 ||
	       fcgi_resend_fail(error, RESEND_INVALID_ACCESS,
		   "Permission must be \"full_access\" | \"sending_access\".");
}

static bool
api_keys_read_domain(
    const char *text, enum store_key_scope scope, struct base_id *domain_r, GError **error)
{
	if (!base_id_parse(text, domain_r))
		return fcgi_resend_fail(error, RESEND_INVALID,
		    "Invalid `domain_id` field. domain_id must be a valid UUID.");
	return scope == KEY_SEND ||
	       fcgi_resend_fail(error, RESEND_INVALID,
		   "Invalid `domain_id` field. domain_id needs the permission sending_access.");
}

bool
fcgi_resend_api_keys_create(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	g_autofree char *token = NULL;
	struct key_input input = {NULL};
	struct service_key_wish wish = {.expires = 0};
	struct base_id domain, id;

	if (!fcgi_resend_read(call->json, &fcgi_resend_api_keys_body, &input, error) ||
	    !api_keys_read_scope(input.permission, &wish.scope, error) ||
	    (input.domain && !api_keys_read_domain(input.domain, wish.scope, &domain, error)))
		return false;
	wish.name = input.name;
	wish.domain = input.domain ? &domain : NULL;
	if (!service_key_create(call->service, &call->key, &wish, &id, &token, error))
		return false;
	json_writer_begin_object(writer, NULL);
	fcgi_resend_write_id(writer, "id", &id);
	json_writer_string(writer, "token", token);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 201, writer);
	return true;
}

static void
api_keys_write_row(struct json_writer *writer, const struct service *service, const void *row)
{
	const struct store_key_entry *entry = row;

	fcgi_resend_write_id(writer, "id", &entry->id);
	json_writer_string(writer, "name", entry->name);
	fcgi_resend_write_time(writer, "created_at", entry->created);
	fcgi_resend_write_time(writer, "last_used_at", entry->last_used);
}

bool
fcgi_resend_api_keys_list(struct fcgi_call *call, GError **error)
{
	struct store_page page;

	if (!fcgi_resend_page(call, RESEND_ROWS_ALL, &page, error))
		return false;
	g_autoptr(GPtrArray) keys =
	    store_key_page(call->service->db, &call->key.workspace_id, &page, error);
	return fcgi_resend_list(call, &page, keys, api_keys_write_row);
}

bool
fcgi_resend_api_keys_update(struct fcgi_call *call, GError **error)
{
	bool is_given = json_member_get(call->json, "name") != NULL;
	struct key_input input = {NULL};
	bool is_there;
	struct base_id id;

	if (!fcgi_resend_read(call->json, &fcgi_resend_api_keys_change, &input, error))
		return false;
	if (!is_given)
		return fcgi_resend_fail(error, RESEND_MISSING_FIELD, "Missing `name` field.");
	if (!fcgi_resend_id(call, 0, &id, error) ||
	    !store_key_rename(
		call->service->db, &call->key.workspace_id, &id, input.name, &is_there, error))
		return false;
	if (!is_there)
		return fcgi_resend_missing(error, "API key");
	fcgi_resend_reply_id(call, 200, "api_key", &id, false);
	return true;
}

bool
fcgi_resend_api_keys_remove(struct fcgi_call *call, GError **error)
{
	bool is_there;
	struct base_id id;

	if (!fcgi_resend_id(call, 0, &id, error) ||
	    !store_key_end(call->service->db, &call->key.workspace_id, &id, &is_there, error))
		return false;
	if (!is_there)
		return fcgi_resend_missing(error, "API key");
	fcgi_resend_reply_id(call, 200, "api_key", &id, true);
	return true;
}
