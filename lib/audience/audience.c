/* SPDX-License-Identifier: MIT */
/* Finds and renames audiences, and lists the members of their JSON. */
#include "audience/audience.h"

#include "json/writer.h"
#include "service/creator.h"
#include "service/service.h"

static void
audience_write_creator(
    struct json_writer *writer, const char *key, const void *row, const void *context)
{
	const struct store_audience *audience = row;
	const struct service *service = context;

	json_writer_begin_object(writer, key);
	service_creator_write(writer, &audience->creator, service->settings);
	json_writer_end_object(writer);
}

static const struct json_view_member members[] = {
    JSON_VIEW_MEMBER("id", VIEW_ID, struct store_audience, id),
    JSON_VIEW_MEMBER("name", VIEW_TEXT, struct store_audience, name),
    {"created_by", VIEW_PART, .write = audience_write_creator},
    JSON_VIEW_MEMBER("created", VIEW_TIME, struct store_audience, created),
    JSON_VIEW_MEMBER("updated", VIEW_TIME, struct store_audience, updated),
    JSON_VIEW_MEMBER("contact_count", VIEW_INTEGER, struct store_audience, contacts),
    JSON_VIEW_MEMBER("unsubscribers", VIEW_INTEGER, struct store_audience, unsubscribers),
};
const struct json_view audience_view = JSON_VIEW(members);

bool
audience_id(const char *text, struct base_id *id_r, GError **error)
{
	return base_id_parse(text, id_r) || store_audience_missing(error);
}

bool
audience_find(struct db *db, const struct base_id *workspace, const char *text,
    struct base_id *id_r, GError **error)
{
	if (!base_id_parse(text, id_r))
		return store_audience_find(db, workspace, text, id_r, error);
	AUTO(store_audience) audience = store_audience_get(db, workspace, id_r, error);
	return audience != NULL;
}

bool
audience_rename(struct db *db, const struct base_id *workspace, const struct base_id *id,
    const char *name, GError **error)
{
	if (name)
		return store_audience_rename(db, workspace, id, name, error);
	AUTO(store_audience) audience = store_audience_get(db, workspace, id, error);
	return audience != NULL;
}
