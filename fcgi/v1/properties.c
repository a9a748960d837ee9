/* SPDX-License-Identifier: MIT */
/* Definitions of the properties of people (/v1/properties). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>

#include "api/fields.h"
#include "base/limits/person.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "property/property.h"
#include "service/service.h"

struct input {
	const char *key, *type;
	const struct json *value; /* NULL: null, or not given */
	bool value_given;
};

static const struct json_field fields[] = {FIELDS_NEW_PROPERTY(struct input)};
static const struct json_field change_fields[] = {FIELDS_PROPERTY_CHANGE(struct input)};

const struct json_table fcgi_properties_body = JSON_TABLE(fields);
const struct json_table fcgi_properties_change = JSON_TABLE(change_fields);

bool
fcgi_properties_post(struct fcgi_call *call, GError **error)
{
	struct input input = {0};

	if (!json_fields_read(call->json, fields, G_N_ELEMENTS(fields), &input, error))
		return false;
	const struct property_default given = {"default", .value = input.value};
	AUTO(store_property)
	property = property_create(
	    call->service->db, &call->key.workspace_id, input.key, input.type, &given, error);
	return fcgi_page_reply_view(call, &property_view, property);
}

bool
fcgi_properties_list(struct fcgi_call *call, GError **error)
{
	if (!fcgi_page_whole(call, error))
		return false;
	g_autoptr(GPtrArray) properties =
	    store_property_list(call->service->db, &call->key.workspace_id, error);

	return fcgi_page_reply(call,
	    &(struct fcgi_page){"properties", properties, LIMIT_PROPERTIES, .view = &property_view},
	    error);
}

bool
fcgi_properties_patch(struct fcgi_call *call, GError **error)
{
	struct input input = {0};

	if (!json_fields_read(
		call->json, change_fields, G_N_ELEMENTS(change_fields), &input, error))
		return false;
	const struct property_default given = {"default", .value = input.value};
	if (!property_check_default(&given, error))
		return false;
	AUTO(store_property) property = store_property_get(
	    call->service->db, &call->key.workspace_id, call->arguments[0], error);
	if (!property ||
	    (input.value_given && !property_change(call->service->db, property, &given, error)))
		return false;
	return fcgi_page_reply_view(call, &property_view, property);
}

bool
fcgi_properties_delete(struct fcgi_call *call, GError **error)
{
	if (!store_property_remove(
		call->service->db, &call->key.workspace_id, call->arguments[0], error))
		return false;
	fcgi_reply_message(call->reply, "Property deleted");
	return true;
}
