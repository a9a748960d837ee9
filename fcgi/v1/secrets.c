/* SPDX-License-Identifier: MIT */
/* Secrets that steps of workflows use (/v1/secrets). No answer shows one, but for one that is
   made. */
#include "fcgi/v1/handlers.h"

#include "automation/secret.h"
#include "base/limits/workflow.h"
#include "fcgi/api/audit.h"
#include "fcgi/api/context.h"
#include "fcgi/api/routes.h"
#include "json/fields.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/automation/secret.h"

struct input {
	const char *value;
};

static const struct json_field fields[] = {
    JSON_FIELD("value", FIELD_STRING, struct input, value),
};

const struct json_table fcgi_secrets_body = {
    .fields = fields, .count = G_N_ELEMENTS(fields), .optional = true};

static void
secrets_write_members(struct json_writer *writer, const struct store_secret *secret)
{
	json_writer_string(writer, "name", secret->name);
	json_writer_integer(writer, "created", secret->created);
	json_writer_integer(writer, "updated", secret->updated);
}

static void
secrets_write_row(struct json_writer *writer, const struct service *service, const void *row)
{
	json_writer_begin_object(writer, NULL);
	secrets_write_members(writer, row);
	json_writer_end_object(writer);
}

static void
secrets_write_stored(struct json_writer *writer, const struct service *service, const void *row)
{
	const struct automation_secret_stored *stored = row;

	json_writer_begin_object(writer, NULL);
	secrets_write_members(writer, stored->secret);
	if (stored->value)
		json_writer_string(writer, "value", stored->value);
	json_writer_end_object(writer);
}

bool
fcgi_secrets_put(struct fcgi_call *call, GError **error)
{
	char address[ADDRESS_TEXT_SIZE];
	struct store_audit audit = fcgi_audit_client(call, call->route->audit, address);
	struct input input = {0};
	struct automation_secret_stored stored;

	if (!json_fields_read(call->json, fields, G_N_ELEMENTS(fields), &input, error) ||
	    !automation_secret_put(call->service,
		&(struct automation_secret_input){
		    &call->key.workspace_id, call->arguments[0], input.value, &audit},
		&stored, error))
		return false;
	bool replied = fcgi_page_reply_row(call, secrets_write_stored, &stored);
	store_secret_free(stored.secret);
	g_free(stored.value);
	return replied;
}

bool
fcgi_secrets_list(struct fcgi_call *call, GError **error)
{
	g_autoptr(GPtrArray) secrets =
	    store_secret_list(call->service->db, &call->key.workspace_id, error);

	return fcgi_page_reply(call,
	    &(struct fcgi_page){"secrets", secrets, LIMIT_SECRETS, .write = secrets_write_row},
	    error);
}

bool
fcgi_secrets_delete(struct fcgi_call *call, GError **error)
{
	if (!store_secret_remove(
		call->service->db, &call->key.workspace_id, call->arguments[0], error))
		return false;
	fcgi_reply_message(call->reply, "Secret deleted");
	return true;
}
