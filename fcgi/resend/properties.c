/* SPDX-License-Identifier: MIT */
/* Contact properties under /resend: definitions of the properties of people. Their ids are made of
   their times and keys. */
#include "fcgi/resend/handlers.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fcgi/api/context.h"
#include "fcgi/resend/error.h"
#include "json/fields.h"
#include "json/value.h"
#include "property/property.h"
#include "service/service.h"
#include "store/common/listing.h"

#define OBJECT "contact_property"

struct input {
	const char *key, *type;
	const struct json *value;
};

/* clang-format off */
#define FALLBACK JSON_FIELD("fallback_value", FIELD_JSON, struct input, value, .kinds = JSON_KIND(JSON_STRING) | JSON_KIND(JSON_NUMBER) | JSON_KIND(JSON_BOOLEAN))
static const struct json_field new_fields[] = {
	JSON_FIELD("key", FIELD_STRING, struct input, key, .required = true, .min = 1),
	JSON_FIELD("type", FIELD_STRING, struct input, type, .required = true, .min = 1),
	FALLBACK,
};
static const struct json_field change_fields[] = {
	FALLBACK,
};
/* clang-format on */

const struct json_table fcgi_resend_properties_new = JSON_TABLE(new_fields);
const struct json_table fcgi_resend_properties_change = JSON_TABLE(change_fields);

/* A definition with its id. */
struct row {
	struct base_id id;
	const struct store_property *property;
};

/* A UUID version 8 (RFC 9562 section 5.8): the time, then a hash of the key. */
static struct base_id
properties_id_of(const struct store_property *property)
{
	g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
	guint8 hash[32];
	gsize size = sizeof(hash);
	struct base_id id;

	g_checksum_update(checksum, property->workspace_id.bytes, sizeof(id.bytes));
	g_checksum_update(checksum, (const guchar *)property->key, (gssize)strlen(property->key));
	g_checksum_get_digest(checksum, hash, &size);
	memcpy(id.bytes, hash, sizeof(id.bytes));
	for (guint i = 0; i < 6; i++)
		id.bytes[i] = (guint8)((guint64)property->created >> (8 * (5 - i)));
	id.bytes[6] = (guint8)((id.bytes[6] & 0x0f) | 0x80);
	id.bytes[8] = (guint8)((id.bytes[8] & 0x3f) | 0x80);
	return id;
}

static int
properties_newest_first(const void *a, const void *b)
{
	return memcmp(b, a, sizeof(struct base_id));
}

/* All definitions, newest first. */
static GArray *
properties_rows_of(const GPtrArray *properties)
{
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(struct row));

	for (guint i = 0; i < properties->len; i++) {
		const struct row row = {
		    properties_id_of(properties->pdata[i]), properties->pdata[i]};

		g_array_append_val(rows, row);
	}
	g_array_sort(rows, properties_newest_first);
	return rows;
}

/* Finds the definition of the path in properties_r, which the caller owns. */
static struct store_property *
properties_find(struct fcgi_call *call, GPtrArray **properties_r, GError **error)
{
	struct base_id id;

	*properties_r = NULL;
	if (!fcgi_resend_id(call, 0, &id, error))
		return NULL;
	*properties_r = store_property_list(call->service->db, &call->key.workspace_id, error);
	for (guint i = 0; *properties_r && i < (*properties_r)->len; i++) {
		const struct base_id other = properties_id_of((*properties_r)->pdata[i]);

		if (base_id_equal(&id, &other))
			return (*properties_r)->pdata[i];
	}
	if (*properties_r)
		fcgi_resend_missing(error, "Contact property");
	return NULL;
}

/* Turns the CONFLICT of a key, too. */
static bool
properties_refuse(GError *failure, GError **error)
{
	if (!g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT))
		return fcgi_resend_invalid(failure, error);
	fcgi_resend_fail(error, RESEND_INVALID, "Invalid `key` field. %s.", failure->message);
	g_error_free(failure);
	return false;
}

bool
fcgi_resend_properties_post(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	GError *failure = NULL;

	if (!fcgi_resend_read(call->json, &fcgi_resend_properties_new, &input, error))
		return false;
	const struct property_default given = {"fallback_value", .value = input.value};
	AUTO(store_property)
	property = property_create(
	    call->service->db, &call->key.workspace_id, input.key, input.type, &given, &failure);
	if (!property)
		return properties_refuse(failure, error);
	const struct base_id id = properties_id_of(property);
	fcgi_resend_reply_id(call, 201, OBJECT, &id, false);
	return true;
}

static const struct fcgi_resend_member members[] = {
    {"key"},
    {"type"},
    {"fallback_value", "default"},
    {"created_at", "created"},
};

static void
properties_write_members(struct json_writer *writer, const struct service *service, const void *row)
{
	const struct base_id id = properties_id_of(row);

	fcgi_resend_write_id(writer, "id", &id);
	fcgi_resend_write_view(writer, &property_view, members, G_N_ELEMENTS(members), row);
}

/* The definitions of a page, of all rows, newest first. */
static GPtrArray *
properties_cut(const GArray *all, const struct store_page *page)
{
	bool is_newer = page->side == STORE_PAGE_NEWER;
	GPtrArray *rows = g_ptr_array_new();

	for (guint i = 0; i < all->len && rows->len < page->limit; i++) {
		struct row *row = &g_array_index(all, struct row, is_newer ? all->len - 1 - i : i);
		int order = memcmp(&row->id, &page->cursor, sizeof(row->id));

		if (page->side == STORE_PAGE_FIRST || (is_newer ? order > 0 : order < 0))
			g_ptr_array_add(rows, (gpointer)row->property);
	}
	if (is_newer)
		store_listing_reverse(rows);
	return rows;
}

bool
fcgi_resend_properties_list(struct fcgi_call *call, GError **error)
{
	struct store_page page;

	if (!fcgi_resend_page(call, RESEND_ROWS_SOME, &page, error))
		return false;
	g_autoptr(GPtrArray) properties =
	    store_property_list(call->service->db, &call->key.workspace_id, error);
	if (!properties)
		return false;
	g_autoptr(GArray) all = properties_rows_of(properties);
	g_autoptr(GPtrArray) rows = properties_cut(all, &page);
	return fcgi_resend_list(call, &page, rows, properties_write_members);
}

bool
fcgi_resend_properties_get(struct fcgi_call *call, GError **error)
{
	g_autoptr(GPtrArray) properties = NULL;

	return fcgi_resend_reply_row(
	    call, OBJECT, properties_write_members, properties_find(call, &properties, error));
}

bool
fcgi_resend_properties_patch(struct fcgi_call *call, GError **error)
{
	g_autoptr(GPtrArray) properties = NULL;
	struct input input = {0};
	GError *failure = NULL;

	if (!fcgi_resend_read(call->json, &fcgi_resend_properties_change, &input, error))
		return false;
	struct store_property *property = properties_find(call, &properties, error);
	const struct property_default given = {"fallback_value", .value = input.value};
	if (!property)
		return false;
	const struct base_id id = properties_id_of(property);
	if (json_member_has(call->json, "fallback_value") &&
	    !property_change(call->service->db, property, &given, &failure))
		return fcgi_resend_invalid(failure, error);
	fcgi_resend_reply_id(call, 200, OBJECT, &id, false);
	return true;
}

bool
fcgi_resend_properties_delete(struct fcgi_call *call, GError **error)
{
	g_autoptr(GPtrArray) properties = NULL;
	const struct store_property *property = properties_find(call, &properties, error);

	if (!property)
		return false;
	const struct base_id id = properties_id_of(property);
	if (!store_property_remove(
		call->service->db, &call->key.workspace_id, property->key, error))
		return false;
	fcgi_resend_reply_id(call, 200, OBJECT, &id, true);
	return true;
}
