/* SPDX-License-Identifier: MIT */
/* Definitions of the properties of people (/v1/properties). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>
#include <string.h>

#include "api/fields.h"
#include "base/limits/person.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "json/writer.h"
#include "person/person.h"
#include "service/service.h"
#include "store/person/property.h"

struct input {
	const char *key, *type;
	const struct json *value; /* NULL: null, or not given */
	bool value_given;
};

static const struct json_field fields[] = {FIELDS_NEW_PROPERTY(struct input)};
static const struct json_field change_fields[] = {FIELDS_PROPERTY_CHANGE(struct input)};

const struct json_table fcgi_properties_body = JSON_TABLE(fields);
const struct json_table fcgi_properties_change = JSON_TABLE(change_fields);

/* Reads the default, of any type. *value_r is its JSON text, NULL for none; the caller
   owns it. */
static bool
read_default(const struct input *input, char **value_r, GError **error)
{
	*value_r = input->value ? json_print(input->value) : NULL;
	if (person_check_default("default", *value_r, error))
		return true;
	g_clear_pointer(value_r, g_free);
	return false;
}

static void
properties_write_property(
    struct json_writer *writer, const struct service *service, const void *row)
{
	const struct store_property *property = row;

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "key", property->key);
	json_writer_string(writer, "type", store_property_types[property->type - 1]);
	if (property->value)
		json_writer_raw(writer, "default", property->value, strlen(property->value));
	else
		json_writer_null(writer, "default");
	json_writer_integer(writer, "created", property->created);
	json_writer_integer(writer, "updated", property->updated);
	json_writer_end_object(writer);
}

bool
fcgi_properties_post(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	AUTO(store_property) property = g_new0(struct store_property, 1);

	if (!json_fields_read(call->json, fields, G_N_ELEMENTS(fields), &input, error) ||
	    !person_check_key(input.key, error) ||
	    !person_read_type(input.type, &property->type, error) ||
	    !person_check_value("default", property->type, input.value, error) ||
	    !read_default(&input, &property->value, error))
		return false;
	property->workspace_id = call->key.workspace_id;
	property->key = g_strdup(input.key);
	return store_property_create(call->service->db, property, error) &&
	       fcgi_page_reply_row(call, properties_write_property, property);
}

bool
fcgi_properties_list(struct fcgi_call *call, GError **error)
{
	g_autoptr(GPtrArray) properties =
	    store_property_list(call->service->db, &call->key.workspace_id, error);

	return fcgi_page_reply(call,
	    &(struct fcgi_page){
		"properties", properties, LIMIT_PROPERTIES, .write = properties_write_property},
	    error);
}

bool
fcgi_properties_patch(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	g_autofree char *value = NULL;

	if (!json_fields_read(
		call->json, change_fields, G_N_ELEMENTS(change_fields), &input, error) ||
	    !read_default(&input, &value, error))
		return false;
	AUTO(store_property) property = store_property_get(
	    call->service->db, &call->key.workspace_id, call->arguments[0], error);
	if (!property || !person_check_value("default", property->type, input.value, error))
		return false;
	if (input.value_given) {
		g_free(property->value);
		property->value = g_steal_pointer(&value);
		if (!store_property_change(call->service->db, property, error))
			return false;
	}
	return fcgi_page_reply_row(call, properties_write_property, property);
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
