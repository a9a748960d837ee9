/* SPDX-License-Identifier: MIT */
/* API keys: make, list and revoke them (/v1/keys). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>
#include <string.h>

#include "api/fields.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits/list.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "json/writer.h"
#include "service/key.h"
#include "service/service.h"

struct input {
	const char *name, *scope, *domain;
	gint64 expires;
};

static const struct json_field fields[] = {FIELDS_NEW_KEY(struct input)};

const struct json_table fcgi_keys_body = JSON_TABLE(fields);

/* Keys for the metrics are made with the terminal alone. */
static bool
keys_read_scope(const char *text, enum store_key_scope *scope_r, GError **error)
{
	*scope_r = KEY_FULL;
	for (guint scope = KEY_FULL; text && scope <= KEY_READ; scope++)
		if (strcmp(service_key_scopes[scope - 1], text) == 0)
			*scope_r = (enum store_key_scope)scope;
	return !text || strcmp(service_key_scopes[*scope_r - 1], text) == 0 ||
	       base_invalid(error, "scope must be full, send or read");
}

static bool
keys_read_domain(const struct input *input, struct service_key_wish *wish, struct base_id *domain,
    GError **error)
{
	if (!input->domain)
		return true;
	if (wish->scope != KEY_SEND)
		return base_invalid(error, "domain_id is for keys of scope send");
	wish->domain = domain;
	return base_id_parse(input->domain, domain) ||
	       base_fail(error, PH_ERROR_NOT_FOUND, "Domain not found");
}

/* Reads the body into wish, which borrows *domain. */
static bool
read_wish(
    struct fcgi_call *call, struct service_key_wish *wish, struct base_id *domain, GError **error)
{
	struct input input = {.expires = G_MAXINT64};

	*wish = (struct service_key_wish){.expires = 0};
	if (!json_fields_read(call->json, fields, G_N_ELEMENTS(fields), &input, error) ||
	    !keys_read_scope(input.scope, &wish->scope, error))
		return false;
	if (input.expires <= base_clock_now())
		return base_invalid(error, "expires_at must lie in the future");
	wish->name = input.name;
	wish->expires = input.expires == G_MAXINT64 ? 0 : input.expires;
	return keys_read_domain(&input, wish, domain, error);
}

bool
fcgi_keys_post(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	g_autofree char *text = NULL;
	struct service_key_wish wish;
	struct base_id domain, id;

	if (!read_wish(call, &wish, &domain, error) ||
	    !service_key_create(call->service, &call->key, &wish, &id, &text, error))
		return false;
	AUTO(store_key_row) row =
	    store_key_get(call->service->db, &call->key.workspace_id, &id, error);
	if (!row)
		return false;
	json_writer_begin_object(writer, NULL);
	json_view_write_members(writer, &service_key_view, row, NULL);
	json_writer_string(writer, "key", text);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_keys_list(struct fcgi_call *call, GError **error)
{
	struct base_id before;
	bool given;

	if (!fcgi_page_cursor(call, true, &before, &given, error))
		return false;
	g_autoptr(GPtrArray) keys = store_key_newest(call->service->db, &call->key.workspace_id,
	    given ? &before : NULL, LIMIT_PAGE + 1, error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"keys", keys, LIMIT_PAGE, true,
		offsetof(struct store_key_row, key.id), .view = &service_key_view},
	    error);
}

bool
fcgi_keys_revoke(struct fcgi_call *call, GError **error)
{
	struct base_id id = {{0}};

	base_id_parse(call->arguments[0], &id);
	if (!service_key_revoke(call->service, &call->key, &id, error))
		return false;
	fcgi_reply_message(call->reply, "API key revoked");
	return true;
}
