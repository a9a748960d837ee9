/* SPDX-License-Identifier: MIT */
/* Secrets that steps of workflows use (/v1/secrets). No answer shows one, but for one that is
   made. */
#include "fcgi/v1/handlers.h"

#include <string.h>

#include "automation/secret.h"
#include "base/limits/list.h"
#include "base/secret.h"
#include "fcgi/api/audit.h"
#include "fcgi/api/context.h"
#include "fcgi/api/routes.h"
#include "json/fields.h"
#include "json/view.h"
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
secrets_write_stored(struct json_writer *writer, const struct service *service, const void *row)
{
	const struct automation_secret_stored *stored = row;

	json_writer_begin_object(writer, NULL);
	json_view_write_members(writer, &automation_secret_view, stored->secret, service);
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

/* Reads the cursor, the base64 of the name of the last secret of the page before; *after_r is ""
   without one. The caller frees it. */
static bool
secrets_cursor(struct fcgi_call *call, char **after_r, GError **error)
{
	const char *text;

	if (!fcgi_page_text(call, "cursor", &text, error))
		return false;
	g_autoptr(GBytes) bytes =
	    base_secret_base64_decode(text ? text : "", text ? strlen(text) : 0);
	gsize size = 0;
	const char *data = bytes ? g_bytes_get_data(bytes, &size) : NULL;
	g_autofree char *name = g_strndup(data ? data : "", size);
	if (text && !automation_secret_is_name(name))
		return fcgi_page_malformed(error);
	*after_r = g_steal_pointer(&name);
	return true;
}

bool
fcgi_secrets_list(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	g_autofree char *after = NULL, *cursor = NULL;

	if (!secrets_cursor(call, &after, error))
		return false;
	g_autoptr(GPtrArray) secrets = store_secret_list(
	    call->service->db, &call->key.workspace_id, after, LIMIT_PAGE + 1, error);
	if (!secrets)
		return false;
	guint count = MIN(secrets->len, LIMIT_PAGE);
	fcgi_page_begin(writer, "secrets");
	for (guint i = 0; i < count; i++)
		json_view_write(writer, &automation_secret_view, secrets->pdata[i], NULL);
	if (secrets->len > count) {
		const struct store_secret *last = secrets->pdata[count - 1];

		cursor = g_base64_encode((const guchar *)last->name, strlen(last->name));
	}
	fcgi_page_end_text(call, writer, count, cursor);
	return true;
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
