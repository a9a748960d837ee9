/* SPDX-License-Identifier: MIT */
/* Audiences: create, list, read, rename and delete them (/v1/audiences). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>

#include "api/fields.h"
#include "audience/audience.h"
#include "base/limits/list.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "service/service.h"

struct input {
	const char *name;
};

static const struct json_field fields[] = {FIELDS_NEW_AUDIENCE(struct input)};

const struct json_table fcgi_audiences_body = JSON_TABLE(fields);

static bool
reply_audience(struct fcgi_call *call, const struct base_id *id, GError **error)
{
	AUTO(store_audience) audience =
	    store_audience_get(call->service->db, &call->key.workspace_id, id, error);

	return fcgi_page_reply_view(call, &audience_view, audience);
}

bool
fcgi_audiences_post(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	struct base_id id;

	return json_fields_read(call->json, fields, G_N_ELEMENTS(fields), &input, error) &&
	       store_audience_create(call->service->db, &call->key.workspace_id, &call->key.user_id,
		   input.name, &id, error) &&
	       reply_audience(call, &id, error);
}

bool
fcgi_audiences_get(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	return audience_id(call->arguments[0], &id, error) && reply_audience(call, &id, error);
}

bool
fcgi_audiences_patch(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	struct base_id id;

	return json_fields_read(call->json, fields, G_N_ELEMENTS(fields), &input, error) &&
	       audience_id(call->arguments[0], &id, error) &&
	       store_audience_rename(
		   call->service->db, &call->key.workspace_id, &id, input.name, error) &&
	       reply_audience(call, &id, error);
}

bool
fcgi_audiences_delete(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!audience_id(call->arguments[0], &id, error) ||
	    !store_audience_remove(call->service->db, &call->key.workspace_id, &id, error))
		return false;
	fcgi_reply_message(call->reply, "Audience deleted");
	return true;
}

bool
fcgi_audiences_list(struct fcgi_call *call, GError **error)
{
	struct base_id before;
	bool given;

	if (!fcgi_page_cursor(call, false, &before, &given, error))
		return false;
	g_autoptr(GPtrArray) audiences = store_audience_list(call->service->db,
	    &call->key.workspace_id, given ? &before : NULL, LIMIT_PAGE_AUDIENCES + 1, error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"audiences", audiences, LIMIT_PAGE_AUDIENCES, false,
		offsetof(struct store_audience, id), .view = &audience_view},
	    error);
}
