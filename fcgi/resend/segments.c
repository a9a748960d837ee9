/* SPDX-License-Identifier: MIT */
/* Segments under /resend: audiences, which are made, listed, read, renamed and removed, and saved
   rules, which are listed and read. */
#include "fcgi/resend/handlers.h"

#include <string.h>

#include "audience/audience.h"
#include "base/error.h"
#include "base/limits/person.h"
#include "fcgi/api/context.h"
#include "fcgi/resend/error.h"
#include "fcgi/resend/front.h"
#include "json/fields.h"
#include "json/writer.h"
#include "segment/segment.h"
#include "service/service.h"

#define OBJECT "segment"

struct input {
	const char *name;
};

static const struct json_field fields[] = {
    JSON_FIELD("name", FIELD_STRING, struct input, name, .required = true, .min = 1,
	.max = LIMIT_NAME_LENGTH),
};

static const struct json_field change_fields[] = {
    JSON_FIELD("name", FIELD_STRING, struct input, name, .max = LIMIT_NAME_LENGTH),
};

const struct json_table fcgi_resend_segments_body = JSON_TABLE(fields);
const struct json_table fcgi_resend_segments_change = JSON_TABLE(change_fields);

bool
fcgi_resend_segments_id(const struct fcgi_call *call, struct base_id *id_r, GError **error)
{
	return fcgi_resend_id(call, 0, id_r, error);
}

/* Whether the audience is missing, and not the contact in it. */
static bool
segments_is_missing(const GError *failure)
{
	return g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND) &&
	       g_str_has_prefix(failure->message, "Audience");
}

bool
fcgi_resend_segments_fail(const struct fcgi_call *call, GError *failure, GError **error)
{
	bool is_audience = g_str_has_prefix(call->route->pattern, "/audiences");

	if (!segments_is_missing(failure)) {
		g_propagate_error(error, failure);
		return false;
	}
	g_error_free(failure);
	return fcgi_resend_missing(error, is_audience ? "Audience" : "Segment");
}

struct store_segment *
fcgi_resend_segments_rules(struct fcgi_call *call, const struct base_id *id, GError **failure)
{
	g_autoptr(GError) local = NULL;
	struct store_segment *rules;

	if (!segments_is_missing(*failure))
		return NULL;
	rules = store_segment_get(call->service->db, &call->key.workspace_id, id, &local);
	if (!rules && !g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_clear_error(failure);
		*failure = g_steal_pointer(&local);
	}
	return rules;
}

bool
fcgi_resend_segments_refuse(GError **error)
{
	return fcgi_resend_fail(
	    error, RESEND_INVALID, "The segment has rules, and can only be read here.");
}

bool
fcgi_resend_segments_fail_change(
    struct fcgi_call *call, const struct base_id *id, GError *failure, GError **error)
{
	AUTO(store_segment) rules = fcgi_resend_segments_rules(call, id, &failure);

	if (!rules)
		return fcgi_resend_segments_fail(call, failure, error);
	g_error_free(failure);
	return fcgi_resend_segments_refuse(error);
}

bool
fcgi_resend_segments_post(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct input input = {0};
	struct base_id id;

	if (!fcgi_resend_read(call->json, &fcgi_resend_segments_body, &input, error) ||
	    !store_audience_create(call->service->db, &call->key.workspace_id, &call->key.user_id,
		input.name, &id, error))
		return false;
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "object", OBJECT);
	fcgi_resend_write_id(writer, "id", &id);
	json_writer_string(writer, "name", input.name);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 201, writer);
	return true;
}

/* An audience or saved rules. */
struct row {
	struct base_id id;
	const struct json_view *view;
	const void *thing;
};

static const struct fcgi_resend_member members[] = {
    {"id"},
    {"name"},
    {"created_at", "created"},
};

static void
segments_write_members(
    struct json_writer *writer, const struct service *service, const void *pointer)
{
	const struct row *row = pointer;

	fcgi_resend_write_view(writer, row->view, members, G_N_ELEMENTS(members), row->thing);
}

static int
segments_newest_first(const void *a, const void *b)
{
	const struct row *left = *(void *const *)a, *right = *(void *const *)b;

	return memcmp(&right->id, &left->id, sizeof(left->id));
}

static void
segments_add(
    GPtrArray *rows, const struct base_id *id, const struct json_view *view, const void *thing)
{
	struct row *row = g_new(struct row, 1);

	*row = (struct row){*id, view, thing};
	g_ptr_array_add(rows, row);
}

/* The rows of a page of both, newest first: those nearest to the cursor. The caller owns the array,
   whose rows borrow both. */
static GPtrArray *
segments_join(const GPtrArray *audiences, const GPtrArray *segments, const struct store_page *page)
{
	GPtrArray *rows = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < audiences->len; i++) {
		const struct store_audience *audience = audiences->pdata[i];

		segments_add(rows, &audience->id, &audience_view, audience);
	}
	for (guint i = 0; i < segments->len; i++) {
		const struct store_segment *segment = segments->pdata[i];

		segments_add(rows, &segment->id, &segment_view, segment);
	}
	g_ptr_array_sort(rows, segments_newest_first);
	if (rows->len > page->limit)
		g_ptr_array_remove_range(rows, page->side == STORE_PAGE_NEWER ? 0 : page->limit,
		    rows->len - page->limit);
	return rows;
}

bool
fcgi_resend_segments_list(struct fcgi_call *call, GError **error)
{
	struct store_page page;

	if (!fcgi_resend_page(call, RESEND_ROWS_ALL, &page, error))
		return false;
	g_autoptr(GPtrArray) audiences =
	    store_audience_page(call->service->db, &call->key.workspace_id, &page, error);
	g_autoptr(GPtrArray) segments =
	    audiences ? store_segment_page(call->service->db, &call->key.workspace_id, &page, error)
		      : NULL;
	if (!segments)
		return false;
	g_autoptr(GPtrArray) rows = segments_join(audiences, segments, &page);
	return fcgi_resend_list(call, &page, rows, segments_write_members);
}

bool
fcgi_resend_segments_get(struct fcgi_call *call, GError **error)
{
	GError *failure = NULL;
	struct base_id id;

	if (!fcgi_resend_segments_id(call, &id, error))
		return false;
	AUTO(store_audience) audience =
	    store_audience_get(call->service->db, &call->key.workspace_id, &id, &failure);
	AUTO(store_segment) rules = fcgi_resend_segments_rules(call, &id, &failure);
	if (!audience && !rules)
		return fcgi_resend_segments_fail(call, failure, error);
	g_clear_error(&failure);
	const struct row row = {
	    id, audience ? &audience_view : &segment_view, audience ? (void *)audience : rules};
	return fcgi_resend_reply_row(call, OBJECT, segments_write_members, &row);
}

bool
fcgi_resend_segments_patch(struct fcgi_call *call, GError **error)
{
	bool is_given = json_member_get(call->json, "name") != NULL;
	struct input input = {0};
	GError *failure = NULL;
	struct base_id id;

	if (!fcgi_resend_segments_id(call, &id, error) ||
	    !fcgi_resend_read(call->json, &fcgi_resend_segments_change, &input, error))
		return false;
	if (!is_given)
		return fcgi_resend_fail(error, RESEND_MISSING_FIELD, "Missing `name` field.");
	if (!audience_rename(call->service->db, &call->key.workspace_id, &id, input.name, &failure))
		return fcgi_resend_segments_fail_change(call, &id, failure, error);
	fcgi_resend_reply_id(call, 200, OBJECT, &id, false);
	return true;
}

/* One that is not there is removed, too. */
bool
fcgi_resend_segments_delete(struct fcgi_call *call, GError **error)
{
	GError *failure = NULL;
	struct base_id id;

	if (!fcgi_resend_segments_id(call, &id, error))
		return false;
	if (!store_audience_remove(call->service->db, &call->key.workspace_id, &id, &failure)) {
		AUTO(store_segment) rules = fcgi_resend_segments_rules(call, &id, &failure);

		bool is_gone = segments_is_missing(failure);

		if (!rules && !is_gone)
			return fcgi_resend_segments_fail(call, failure, error);
		g_clear_error(&failure);
		if (rules)
			return fcgi_resend_segments_refuse(error);
	}
	fcgi_resend_reply_id(call, 200, OBJECT, &id, true);
	return true;
}
